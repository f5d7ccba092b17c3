"""Equations with values left open, and their curves: singular poses, sections, numbers of poses."""
