"""Implicit steps: the linearised equations, and Newton's method with them."""
