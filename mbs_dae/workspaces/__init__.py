"""Workspaces and singularities: which pairs of values a mechanism can have, and where it loses a freedom or a hold."""
