"""Poses in which markers are where they are wanted: inverse geometric models."""
