"""Equilibria and small motions: the equations at one state, linearised, in independent coordinates."""
