"""Poses: Newton's method, continuation along a motion, branches, rank, assembly."""
