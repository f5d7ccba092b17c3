"""Derivatives by parameters of motions that switch, or in which bodies meet."""
