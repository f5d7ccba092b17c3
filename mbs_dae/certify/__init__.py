"""Prove by interval arithmetic that there is exactly one pose near a given one, and that a motion stays on its
branch."""
