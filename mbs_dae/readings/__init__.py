"""Readings of a compiled system along its motion, for results to hold: quantities, reactions, ranks, screws."""
