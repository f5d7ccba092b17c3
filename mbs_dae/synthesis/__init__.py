"""The room of synthesis: dimensions of a linkage for wanted functions, motions, paths."""
