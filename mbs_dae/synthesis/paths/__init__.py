"""Coupler points that pass given points."""
