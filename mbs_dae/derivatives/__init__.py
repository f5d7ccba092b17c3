"""Derivatives of motions and loads by parameters."""
