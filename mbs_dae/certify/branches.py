"""Decisions of the state on intervals: the side of a switching function that cannot be told, and what is made of it.

A side is ±1, and a law that switches is a mixture of both branches, with a weight made of sides
(`symbolic.branches`). Where a side is open, so is the weight. A law that goes on without a jump takes the value of
one of both branches, and its slope; so bounds of both are bounds of it. A side that is used otherwise (as a sign) is
a jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .intervals import Bounds, Interval, hull, interval, where

GRAIN = 2.0**20
"""Weights are made of ±1 and halves, and multiples of this part, exactly: what was rounded outward is rounded back."""
Mark = Callable[[Bounds], None]


class Weight(Interval):
    """What is made of sides and numbers alone, open in some lanes."""

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
    """a where a weight is 1, b where it is 0, both where it is open; and where it is open though they are farther
    apart than `joined`."""
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
