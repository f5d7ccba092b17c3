"""Equations with values left open, and the curves that they have: singular poses, sections, numbers of poses."""
