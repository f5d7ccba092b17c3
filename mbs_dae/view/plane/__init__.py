"""Mechanisms in the plane."""
