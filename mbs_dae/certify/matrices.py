"""Products of matrices with bounds, many side by side: middle and radius, so that BLAS does the work (Rump 1999).

A sum of n products in double numbers, in whatever order and with whatever fused operations, is off by at most n u / (1
- n u) times the sum of the absolute products, u = 2⁻⁵³ (Higham, Accuracy and Stability, 3.1), and by what underflows.
Twice this bound is taken, with ε = 2 u, so that bounds may be computed in double numbers themselves.
"""

from __future__ import annotations

import numpy as np

from .intervals import LEAST, Bounds, Interval, up

EPS = float(np.finfo(float).eps)
OUTWARD = 1.0 + 4.0 * EPS
"""Factor that turns a nonnegative result of two or three operations into a bound: as good as the next double number,
and faster."""
TINY = 1e-290
"""More than the underflow of any sum here."""


def middle_and_radius(x: Interval) -> tuple[Bounds, Bounds]:
    """Return the middle and the radius of an interval."""
    middle = 0.5 * (x.lower + x.upper)
    return middle, np.maximum(x.upper - middle, middle - x.lower) * OUTWARD + LEAST


def size_of_product(a: Bounds, x: Interval) -> tuple[Bounds, Bounds]:
    """Return a x and a bound of its error, for a matrix a of numbers."""
    middle, radius = middle_and_radius(x)
    product, sizes = a @ middle, np.abs(a)
    lost = 2.0 * a.shape[-1] * EPS
    off = sizes @ (radius + lost * np.abs(middle)) * (1.0 + lost) + TINY
    return product, off


def largest(product: tuple[Bounds, Bounds]) -> Bounds:
    """Return upper bounds of the absolute values of a product."""
    return up(np.abs(product[0]) + product[1])


def away_from_one(c: Bounds, jacobian: Interval) -> Bounds:
    """Return upper bounds of |1 - C J|."""
    product, off = size_of_product(c, jacobian)
    return (np.abs(product - np.eye(c.shape[-2])) + off) * OUTWARD + LEAST


def row_sums(matrix: Bounds, weights: Bounds) -> Bounds:
    """Return upper bounds of the weighted sums of nonnegative rows."""
    return (matrix @ weights) * (1.0 + 2.0 * matrix.shape[-1] * EPS) + TINY


def times(matrix: Interval, x: Interval) -> Interval:
    """Return a product of intervals: (lanes, rows, columns) times (lanes, columns)."""
    terms = matrix * Interval(x.lower[:, None, :], x.upper[:, None, :])
    lost = 2.0 * terms.shape[-1] * EPS * terms.size.sum(axis=-1) + TINY
    return Interval(terms.lower.sum(axis=-1) - lost, terms.upper.sum(axis=-1) + lost)
