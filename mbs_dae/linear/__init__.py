"""Sparse linear algebra: the pattern of the matrix, its LDLᵀ, and the solver of the KKT system."""
