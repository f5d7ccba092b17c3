"""Synthesise linkages: find dimensions for wanted functions, motions and paths."""
