"""Workspaces and singularities: the admissible pairs of values of a mechanism, and poses where it gains or loses a
freedom."""
