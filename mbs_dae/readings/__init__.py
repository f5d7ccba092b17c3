"""Readings of a compiled system along its motion, which results hold: quantities, reactions, ranks, screws."""
