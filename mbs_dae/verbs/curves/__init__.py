"""Curves of poses of mechanisms with one degree of freedom."""
