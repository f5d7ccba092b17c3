"""A tree of bodies as the matrix W."""
