"""Fit numbers of a model to measurements, with their confidence."""
