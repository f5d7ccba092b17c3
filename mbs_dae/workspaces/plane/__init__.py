"""Curves in a plane, exact at every point, and the regions between them."""
