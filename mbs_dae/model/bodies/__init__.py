"""Rigid bodies and the markers fixed on them, in the plane and in space."""
