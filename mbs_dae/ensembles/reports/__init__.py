"""Summarise, draw and export the members of an ensemble."""
