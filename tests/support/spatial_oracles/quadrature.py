"""Integrals from 0 to t of smooth functions, to the last digits, by composite Gauss-Legendre rules."""

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def integrate(function, end, panels):
    """∫₀^end function(t) dt for a function of arrays; the values may have trailing axes."""
    edges = np.linspace(0.0, end, panels + 1)
    half = np.diff(edges) / 2
    nodes = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    values = function(nodes.ravel())
    return np.tensordot((half[:, None] * _WEIGHTS).ravel(), values, axes=1)
