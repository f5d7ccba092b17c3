"""Branches that the state chooses, on intervals: sides of switching functions that are undecided, and their weights.

A side is ±1, and a law that switches is a mixture of both branches, with a weight made of sides (`symbolic.branches`).
Where a side is undecided, so is the weight. A law without a jump takes the value and the slope of one of its branches;
so a hull of both branches encloses the law. A side that is used otherwise (as a sign) is a jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .intervals import Bounds, Interval, hull, interval, where

GRAIN = 2.0**20
"""Weights are sums and products of ±1 and halves, so they are whole multiples of 1 / GRAIN: rounding to these multiples
undoes outward rounding."""
Mark = Callable[[Bounds], None]


class Weight(Interval):
    """An interval computed from sides and numbers alone, undecided in some lanes; `mark` is called where it meets other
    values."""

    __slots__ = ("mark",)

    def __init__(self, value: Interval, mark: Mark):
        super().__init__(value.lower, value.upper)
        self.mark = mark

    def _with(self, operation: Any, other: Any) -> Interval:
        value = operation(Interval(self.lower, self.upper), _plain(other))
        if isinstance(other, int | float | Weight) or (other.is_point and other.lower.size == 1):
            return Weight(Interval(*(np.round(x * GRAIN) / GRAIN for x in (value.lower, value.upper))), self.mark)
        self.mark(self.lower != self.upper)
        return value

    def __add__(self, other: Any) -> Interval:
        return self._with(lambda a, b: a + b, other)

    def __sub__(self, other: Any) -> Interval:
        return self._with(lambda a, b: a - b, other)

    def __rsub__(self, other: Any) -> Interval:
        return self._with(lambda a, b: b - a, other)

    def __mul__(self, other: Any) -> Interval:
        return self._with(lambda a, b: a * b, other)

    def __truediv__(self, other: Any) -> Interval:
        return self._with(lambda a, b: a / b, other)

    def __pow__(self, power: Any) -> Interval:
        return self._with(lambda a, b: a**power, 1)

    def __neg__(self) -> Interval:
        return self._with(lambda a, b: -a, 1)

    __radd__, __rmul__ = __add__, __mul__


def _plain(x: Any) -> Any:
    return Interval(x.lower, x.upper) if isinstance(x, Weight) else x


def mixed(weight: Any, a: Any, b: Any, joined: float) -> tuple[Any, Bounds | None]:
    """Return a where the weight is 1, b where it is 0, their hull where it is undecided; and where it is undecided
    although the hull is wider than `joined`."""
    if not isinstance(weight, Interval):
        return (a if weight == 1 else b if weight == 0 else b + (a - b) * weight), None
    a, b = _plain(interval(a)), _plain(interval(b))
    first, second = ((weight.lower == x) & (weight.upper == x) for x in (1.0, 0.0))
    found, open_ = where(first, a, b), ~(first | second)
    if not open_.any():
        return found, None
    both = hull(a, b)
    apart = open_ & ~(np.maximum(both.upper - both.lower, 0.0) <= joined)
    return where(open_, both, found), apart
