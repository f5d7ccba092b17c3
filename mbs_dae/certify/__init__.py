"""Proofs by interval arithmetic: that there is exactly one pose near another one, and that a motion stays on its
branch."""
