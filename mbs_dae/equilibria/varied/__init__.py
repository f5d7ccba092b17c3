"""Derivatives of equilibria, and of the laws of small motions about them, by parameters."""
