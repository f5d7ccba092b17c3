"""Interval arithmetic on arrays: each operation returns bounds of the exact result.

Arithmetic and roots are rounded to nearest by IEEE 754, so that the exact result is at most half a unit in the last
place away: one `np.nextafter` outward encloses it. A point, whose bounds are one array, stays a point where the result
is exact, so that the values ±1 and 0 that choose branches are never blurred.

Where there is no result (a division by an interval with zero in it, the root of a negative number) the bounds are NaN,
which no comparison accepts: NaN proves nothing.

Products of matrices, many side by side, are computed by middle and radius, so that BLAS does the work (Rump 1999). A
sum of n products in double numbers, in whatever order and with whatever fused operations, is off by at most n u / (1 -
n u) times the sum of the absolute products, u = 2⁻⁵³ (Higham, Accuracy and Stability, 3.1), and by what underflows.
Twice this bound is taken, with ε = 2 u, so that bounds may be computed in double numbers themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..tolerances import ROUNDING_SHIFT, SUM_UNDERFLOW

Bounds = np.ndarray
POWERS_OF_TWO = (1, 2, 4, 0.5, 0.25)




def down(x: Any) -> Bounds:
    return np.nextafter(x - ROUNDING_SHIFT, -np.inf)


def up(x: Any) -> Bounds:
    return np.nextafter(x + ROUNDING_SHIFT, np.inf)


class Interval:
    """All numbers from `lower` to `upper`, elementwise."""

    __slots__ = ("lower", "upper")
    __array_priority__ = 1e3  # so that numpy leaves `array * interval` to this class
    __array_ufunc__ = None

    def __init__(self, lower: Any, upper: Any = None):
        self.lower: Bounds = np.asarray(lower, dtype=float)
        self.upper: Bounds = self.lower if upper is None else np.asarray(upper, dtype=float)

    def __repr__(self) -> str:
        return f"Interval({self.lower}, {self.upper})"

    @property
    def is_point(self) -> bool:
        return self.upper is self.lower

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lower.shape, self.upper.shape)

    @property
    def size(self) -> Bounds:
        """The largest absolute value, elementwise."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def __getitem__(self, key: Any) -> Interval:
        return Interval(self.lower[key]) if self.is_point else Interval(self.lower[key], self.upper[key])

    def contains(self, x: Any) -> Bounds:
        return (self.lower <= x) & (x <= self.upper)

    # --- arithmetic ---

    def __neg__(self) -> Interval:
        return Interval(-self.lower) if self.is_point else Interval(-self.upper, -self.lower)

    def __pos__(self) -> Interval:
        return self

    def __add__(self, other: Any) -> Interval:
        other = interval(other)
        if self.is_point and other.is_point:
            return exact_sum(self.lower, other.lower)
        return Interval(down(self.lower + other.lower), up(self.upper + other.upper))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Interval:
        return self + -interval(other)

    def __rsub__(self, other: Any) -> Interval:
        return interval(other) + -self

    def __mul__(self, other: Any) -> Interval:
        if isinstance(other, int | float):
            return self.scaled(other)
        if other is self:
            return self**2
        a, b = (self, other) if self.is_point else (other, self)
        if a.is_point and b.is_point:
            product = a.lower * b.lower
            units = (np.abs(a.lower) == 1.0) | (a.lower == 0.0) | (np.abs(b.lower) == 1.0) | (b.lower == 0.0)
            return Interval(product) if units.all() else Interval(down(product), up(product))
        if a.is_point:
            first, second = a.lower * b.lower, a.lower * b.upper
            return Interval(down(np.minimum(first, second)), up(np.maximum(first, second)))
        return hull_of(a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper)

    __rmul__ = __mul__

    def scaled(self, factor: float) -> Interval:
        """Return the product with a number."""
        first = self.lower * factor
        exact = abs(factor) in POWERS_OF_TWO
        second = first if self.is_point else self.upper * factor
        if factor < 0:
            first, second = second, first
        if exact:
            return Interval(first) if self.is_point else Interval(first, second)
        return Interval(down(first), up(second))

    def __truediv__(self, other: Any) -> Interval:
        if isinstance(other, int | float) and abs(other) in POWERS_OF_TWO:
            return self.scaled(1.0 / other)
        other = interval(other)
        with np.errstate(all="ignore"):
            quotients = [a / b for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        quotient = hull_of(*quotients)
        spans = (other.lower <= 0.0) & (other.upper >= 0.0)
        return where(spans, nothing(), quotient) if spans.any() else quotient

    def __rtruediv__(self, other: Any) -> Interval:
        return interval(other) / self

    def __abs__(self) -> Interval:
        low = np.maximum(np.maximum(self.lower, -self.upper), 0.0)
        return Interval(np.where(np.isnan(self.lower), np.nan, low), self.size)

    def __pow__(self, power: Any) -> Interval:
        if isinstance(power, Interval):
            if power.is_point and (power.lower == power.lower.flat[0]).all():
                return self ** float(power.lower.flat[0])
            return exponential(logarithm(self) * power)
        if power < 0:
            return 1 / self ** (-power)
        if power == int(power):
            return self.whole_power(int(power))
        if 2 * power == int(2 * power):
            return root(self) ** int(2 * power)
        return exponential(logarithm(self) * interval(power))

    def __rpow__(self, base: Any) -> Interval:
        return interval(base) ** self

    def whole_power(self, power: int) -> Interval:
        """Return a power by squaring: x² is the square of |x|, while the interval product of x with itself would be
        wider."""
        if power == 0:
            return Interval(np.ones(self.shape))
        if power % 2:
            return self if power == 1 else self * self.whole_power(power - 1)
        size = abs(self)
        least, most = size.lower * size.lower, size.upper * size.upper
        square = Interval(np.maximum(down(least), 0.0), up(most))
        return square if power == 2 else square.whole_power(power // 2)


def interval(x: Any) -> Interval:
    return x if isinstance(x, Interval) else Interval(x)


def exact_sum(a: Bounds, b: Bounds) -> Interval:
    """Return the sum of points: a point where nothing is rounded away (Knuth's two-sum)."""
    total = a + b
    part = total - a
    lost = (a - (total - part)) + (b - part)
    return Interval(down(total), up(total)) if lost.any() else Interval(total)


def hull_of(*values: Bounds) -> Interval:
    """Return the interval from the least to the largest of rounded results, rounded outward."""
    least, most = values[0], values[0]
    for value in values[1:]:
        least, most = np.minimum(least, value), np.maximum(most, value)
    return Interval(down(least), up(most))


def hull(a: Interval, b: Interval) -> Interval:
    """Return the least interval around both."""
    return Interval(np.minimum(a.lower, b.lower), np.maximum(a.upper, b.upper))


def where(condition: Any, a: Interval, b: Interval) -> Interval:
    if a.is_point and b.is_point:
        return Interval(np.where(condition, a.lower, b.lower))
    return Interval(np.where(condition, a.lower, b.lower), np.where(condition, a.upper, b.upper))


def nothing() -> Interval:
    """Return an interval of NaN, of which nothing is known."""
    return Interval(np.nan)


def root(x: Any) -> Interval:
    x = interval(x)
    with np.errstate(invalid="ignore"):
        return Interval(np.maximum(down(np.sqrt(x.lower)), 0.0), up(np.sqrt(x.upper)))


ULPS = 8
"""Assumed error of elementary functions, in units of the last place: twice the promised one. Numpy's tests hold
functions of double numbers to 1 or 2 at some thousand places (numpy/_core/tests/test_umath_accuracy.py), the vector
library that numpy may be built with (SVML) promises 4, and glibc, which has erf and erfc, less than 1. Nothing else is
assumed; tests of this room compare with 50 digits."""
SLACK = ULPS * float(np.finfo(float).eps)


def rounded_outward(low: Bounds, high: Bounds) -> Interval:
    """Return bounds that are values of elementary functions, rounded outward by their error."""
    return Interval(down(low - SLACK * np.abs(low)), up(high + SLACK * np.abs(high)))


def rising(function: Callable[..., Any]) -> Callable[[Any], Interval]:
    """Return the extension to intervals of a function that rises with its argument."""

    def enclosed(x: Any) -> Interval:
        x = interval(x)
        with np.errstate(all="ignore"):
            return rounded_outward(function(x.lower), function(x.upper))

    return enclosed


exponential = rising(np.exp)
logarithm = rising(np.log)


# --- products of matrices ---

EPS = float(np.finfo(float).eps)
OUTWARD = 1.0 + 4.0 * EPS
"""Factor that turns a nonnegative result of two or three operations into a bound: as good as the next double number,
and faster."""


def middle_and_radius(x: Interval) -> tuple[Bounds, Bounds]:
    """Return the middle and the radius of an interval."""
    middle = 0.5 * (x.lower + x.upper)
    return middle, np.maximum(x.upper - middle, middle - x.lower) * OUTWARD + ROUNDING_SHIFT


def size_of_product(a: Bounds, x: Interval) -> tuple[Bounds, Bounds]:
    """Return a x and a bound of its error, for a matrix a of numbers."""
    middle, radius = middle_and_radius(x)
    product, sizes = a @ middle, np.abs(a)
    lost = 2.0 * a.shape[-1] * EPS
    off = sizes @ (radius + lost * np.abs(middle)) * (1.0 + lost) + SUM_UNDERFLOW
    return product, off


def largest(product: tuple[Bounds, Bounds]) -> Bounds:
    """Return upper bounds of the absolute values of a product."""
    return up(np.abs(product[0]) + product[1])


def away_from_one(c: Bounds, jacobian: Interval) -> Bounds:
    """Return upper bounds of |1 - C J|."""
    product, off = size_of_product(c, jacobian)
    return (np.abs(product - np.eye(c.shape[-2])) + off) * OUTWARD + ROUNDING_SHIFT


def row_sums(matrix: Bounds, weights: Bounds) -> Bounds:
    """Return upper bounds of the weighted sums of nonnegative rows."""
    return (matrix @ weights) * (1.0 + 2.0 * matrix.shape[-1] * EPS) + SUM_UNDERFLOW


def times(matrix: Interval, x: Interval) -> Interval:
    """Return a product of intervals: (lanes, rows, columns) times (lanes, columns)."""
    terms = matrix * Interval(x.lower[:, None, :], x.upper[:, None, :])
    lost = 2.0 * terms.shape[-1] * EPS * terms.size.sum(axis=-1) + SUM_UNDERFLOW
    return Interval(terms.lower.sum(axis=-1) - lost, terms.upper.sum(axis=-1) + lost)
