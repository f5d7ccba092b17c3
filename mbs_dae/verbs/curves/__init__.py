"""Curves of mechanisms with one freedom."""
