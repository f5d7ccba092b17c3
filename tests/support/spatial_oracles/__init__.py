"""Closed forms of spatial mechanisms: what the package's models are measured against.

Nothing here imports the package. Every number comes from geometry, a quadrature, or a momentum balance written out by
hand; test_spatial_oracles.py measures these functions against published values and against each other.
"""
