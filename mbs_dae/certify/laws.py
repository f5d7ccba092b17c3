"""Laws with branches, on intervals: conditions that hold, do not hold, or are undecided; tables; whole turns.

Where a condition is undecided, the result encloses both branches. So the values hold at each time, but slopes in time
do not (`Decisions.switching`). Where the state decides the condition, the law must have no jump: both branches agree,
up to the rounding of their coefficients. Otherwise nothing is proven at all (`Decisions.refused`).

A side of a switching function is ±1, and a law that switches is a mixture of both branches, with a weight made of sides
(`symbolic.branches`). Where a side is undecided, so is the weight. A law without a jump takes the value and the slope
of one of its branches; so a hull of both branches encloses the law. A side that is used otherwise (as a sign) is a
jump.

A law that reduces its argument into a period or to a number of turns is periodic itself; models check that such a law
closes. So where the period of an interval is undecided, the kernel is evaluated for both periods, and both results are
enclosed (`Decisions.later`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..tolerances import PIECE_JUMP
from .functions import TURN, Angle, angle_of, with_sign
from .intervals import Bounds, Interval, down, hull, interval, up, where

MOST_PIECES = 64
"""An interval that meets more pieces of a table than this gives NaN."""
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
        value = operation(Interval(self.lower, self.upper), _without_mark(other))
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


def _without_mark(x: Any) -> Any:
    """Return an interval that calls no `mark`."""
    return Interval(x.lower, x.upper) if isinstance(x, Weight) else x


def mixed(weight: Any, a: Any, b: Any, joined: float) -> tuple[Any, Bounds | None]:
    """Return a where the weight is 1, b where it is 0, their hull where it is undecided; and where it is undecided
    although the hull is wider than `joined`."""
    if not isinstance(weight, Interval):
        return (a if weight == 1 else b if weight == 0 else b + (a - b) * weight), None
    a, b = _without_mark(interval(a)), _without_mark(interval(b))
    first, second = ((weight.lower == x) & (weight.upper == x) for x in (1.0, 0.0))
    branch, open_ = where(first, a, b), ~(first | second)
    if not open_.any():
        return branch, None
    both = hull(a, b)
    apart = open_ & ~(np.maximum(both.upper - both.lower, 0.0) <= joined)
    return where(open_, both, branch), apart


class Decisions:
    """Decisions that were undecided while kernels were evaluated, lane by lane."""

    def __init__(self, lanes: int, length: float = 1.0):
        self.length, self.strict = length, True
        """The model's own length; and whether values are computed, rather than slopes alone, which may jump."""
        self.switching, self.refused, self.between = (np.zeros(lanes, dtype=bool) for _ in range(3))
        self.later = False
        """Whether an interval in one of two periods is taken to lie in the later one."""
        self._undecided: dict[bytes, Bounds] = {}
        """For each argument of a period, the lanes in which it is undecided."""

    def names(self) -> dict[str, Any]:
        """Return the functions that kernels call, by name."""
        return {
            "choose": self.choose,
            "side": self.side,
            "chosen": self.chosen,
            "polynomial": polynomial,
            "all_of": all_of,
            "any_of": any_of,
            "none_of": lambda a: ~a if isinstance(a, Truth) else not a,
            "whole": lambda x: x.lower.astype(int),
            "ratio": ratio,
            "floor": self.floor,
            "atan2": self.angle,
            "abs": self.absolute,
            "fabs": self.absolute,
            "copysign": self.with_sign,
            "max": self.largest,
            "min": lambda *values: -self.largest(*(-interval(x) for x in values)),
            "wrap": self.wrap,
            "unwound": self.unwound,
            "lookup": self.lookup,
            "knot": lambda *of: interval(0.5),  # no piece is held: the argument decides
            "piece": lambda tables, start, order, x, held: self.lookup(tables, start, order, x),
        }

    def _mark(self, lanes: Any, mask: Bounds) -> None:
        mask |= np.atleast_2d(lanes).any(axis=0)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """Return one branch or the other; the hull of both where the condition is undecided."""
        if not isinstance(condition, Truth):
            return a if condition else b
        self._mark(open_ := ~(condition.yes | condition.no), self.switching)
        a, b = interval(a), interval(b)
        branch = where(condition.yes, a, b)
        return where(open_, hull(a, b), branch) if open_.any() else branch

    def side(self, condition: Any, a: Any, b: Any) -> Any:
        """Return ±1 as the state decides; a `Weight` where that decision is open."""
        if not isinstance(condition, Truth):
            return a if condition else b
        sign = self.choose(condition, a, b)
        return sign if sign.is_point else Weight(sign, self._jump)

    def chosen(self, weight: Any, a: Any, b: Any) -> Any:
        """Return a law of two branches, one of which the state chooses."""
        law, apart = mixed(weight, a, b, PIECE_JUMP * self.length)
        if apart is not None and isinstance(weight, Weight):
            self._jump(apart)
        return law

    def _jump(self, lanes: Bounds) -> None:
        if self.strict:
            self._mark(lanes, self.refused)

    def absolute(self, x: Any) -> Interval:
        x = interval(x)
        self._mark((x.lower < 0.0) & (x.upper > 0.0), self.switching)
        return abs(x)

    def with_sign(self, x: Any, y: Any) -> Interval:
        y = interval(y)
        self._mark((y.lower <= 0.0) & (y.upper >= 0.0), self.switching)
        return with_sign(x, y)

    def largest(self, *values: Any) -> Interval:
        largest, *others = map(interval, values)
        for x in others:
            self._mark((x.upper > largest.lower) & (x.lower < largest.upper), self.switching)
            largest = Interval(np.maximum(largest.lower, x.lower), np.maximum(largest.upper, x.upper))
        return largest

    def floor(self, x: Any) -> Interval:
        x = interval(x)
        low, high = np.floor(x.lower), np.floor(x.upper)
        self._mark(low != high, self.refused)
        return Interval(low) if (low == high).all() else Interval(low, high)

    def _period(self, x: Interval) -> Bounds:
        """Return one of the two whole numbers below an interval, or the only one. Two different arguments that are
        undecided at once, or three candidates, are refused: not all cases would be evaluated."""
        low, high = np.floor(x.lower), np.floor(x.upper)
        if (open_ := low != high).any():
            self._mark(open_, self.switching)
            self._mark(open_, self.between)
            key = x.lower.tobytes() + x.upper.tobytes()
            several = high > low + 1
            for other, mask in self._undecided.items():
                if other != key:
                    several = several | (open_ & mask)
            self._mark(several, self.refused)
            self._undecided[key] = open_
        return high if self.later else low

    def begin(self, later: bool) -> None:
        self.later, self._undecided = later, {}

    def angle(self, y: Any, x: Any) -> Interval:
        angle = angle_of(y, x)
        if isinstance(angle, Angle):
            angle.jump = lambda touches: self._mark(touches, self.switching)
        return angle

    def wrap(self, x: Any, period: Any) -> Interval:
        """Return x reduced by whole periods, from 0 to the period."""
        x, period = interval(x), interval(period)
        reduced = x - period * Interval(self._period(x / period))
        return Interval(np.maximum(reduced.lower, 0.0), np.minimum(reduced.upper, period.upper))

    def unwound(self, angle: Any, near: Any) -> Interval:
        """Return the angle plus the number of turns that brings it nearest to `near`."""
        angle, near = angle.wound if isinstance(angle, Angle) else interval(angle), interval(near)
        difference = (near - angle) / TURN + 0.5
        return angle + TURN * Interval(self._period(difference))

    def lookup(self, tables: Bounds, start: Bounds, order: int, x: Any) -> Interval:
        """Return the table of each instance at x, or its derivative of this order (`kernels.abi.lookup`)."""
        x, start = interval(x), np.atleast_1d(start).ravel()
        low, high = np.atleast_2d(x.lower), np.atleast_2d(x.upper)
        if start.size == 1:  # the instances, which all read this table, stand side by side
            return self._read(tables, int(start[0]), order, Interval(low, high))
        rows = [
            self._read(tables, int(at), order, Interval(low[min(k, len(low) - 1)], high[min(k, len(high) - 1)]))
            for k, at in enumerate(start)
        ]
        return Interval(np.stack([row.lower for row in rows]), np.stack([row.upper for row in rows]))

    def _read(self, tables: Bounds, start: int, order: int, x: Interval) -> Interval:
        count, period = int(tables[start]), tables[start + 1]
        knots = tables[start + 2 : start + 2 + count]
        pieces = tables[start + 2 + count : start + 2 + count + 4 * (count - 1)].reshape(-1, 4)
        if period > 0.0:
            return self._pieces(knots, pieces, period, order, x)
        first, last = knots[0], knots[-1]
        inside = Interval(np.clip(x.lower, first, last), np.clip(x.upper, first, last))
        value = self._pieces(knots, pieces, 0.0, order, inside)
        before = Interval(np.minimum(down(x.lower - first), 0.0), np.minimum(up(x.upper - first), 0.0))
        behind = Interval(np.maximum(down(x.lower - last), 0.0), np.maximum(up(x.upper - last), 0.0))
        if order == 0:
            ends = (interval(pieces[0, 2]), _cubic(pieces[-1], 1, interval(last) - interval(knots[-2])))
            value = value + where(x.lower < first, before * ends[0], interval(0.0))
            return value + where(x.upper > last, behind * ends[1], interval(0.0))
        outside = (x.lower < first) | (x.upper > last)
        return where(outside, hull(value, interval(0.0)), value) if order > 1 else value

    def _pieces(self, knots: Bounds, pieces: Bounds, period: float, order: int, x: Interval) -> Interval:
        """Return the hull of all pieces that an interval meets."""
        count, turns = len(pieces), np.zeros(x.shape)
        if period > 0.0:
            turns = np.floor((x.lower - knots[0]) / period)
            x = x - interval(period) * Interval(turns)
        ahead = knots if not period else np.concatenate([knots[:-1] + k * period for k in range(-1, 4)])
        shift = count if period else 0
        most = len(ahead) - 2
        low = np.clip(np.searchsorted(ahead, x.lower, side="right") - 1, 0, most)
        high = np.clip(np.searchsorted(ahead, x.upper, side="left") - 1, low, most)
        self._mark(self._meets_corner(knots, pieces, low, high, shift), self.switching)
        total = None
        for k in range(int(min((high - low).max(initial=0), MOST_PIECES)) + 1):
            at = np.minimum(low + k, high)
            piece = (at - shift) % count if period else at
            begin, end = ahead[at], ahead[at + 1]
            inside = Interval(np.clip(x.lower, begin, end), np.clip(x.upper, begin, end))
            origin = interval(begin) if not period else Interval(down(begin), up(begin))
            value = _cubic(pieces[piece], order, inside - origin)
            total = value if total is None else hull(total, value)
        assert total is not None
        return where(high - low > MOST_PIECES, interval(math.nan), total)

    def _meets_corner(self, knots: Bounds, pieces: Bounds, low: Bounds, high: Bounds, shift: int) -> Bounds:
        """Return where an interval meets several pieces of a table that does not continue with its slope at each
        knot."""
        (c0, c1, c2, c3), h = pieces.T, np.diff(knots)  # c0 s³ + c1 s² + c2 s + c3, from s = 0 to h
        ends = [((c0 * h + c1) * h + c2) * h + c3, (3.0 * c0 * h + 2.0 * c1) * h + c2]
        starts = [c3, c2]
        smooth = True
        for end, start in zip(ends, starts, strict=True):
            scale = max(np.abs(end).max(), np.abs(start).max(), 1e-300)
            smooth &= bool((np.abs(end - np.roll(start, -1))[: None if shift else -1] <= PIECE_JUMP * scale).all())
        return (high > low) & (not smooth)


class Truth:
    """Two masks: `yes` where a condition holds for the whole interval, `no` where it holds nowhere in the interval."""

    __slots__ = ("no", "yes")

    def __init__(self, yes: Bounds, no: Bounds):
        self.yes, self.no = np.asarray(yes), np.asarray(no)

    def __invert__(self) -> Truth:
        return Truth(self.no, self.yes)


def compare(a: Any, sign: str, b: Any) -> Any:
    """Compare a with b: return a `Truth` for intervals, a bool for other numbers."""
    if not isinstance(a, Interval) and not isinstance(b, Interval):
        return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[sign]
    a, b = interval(a), interval(b)
    if sign in (">", ">="):
        a, b, sign = b, a, sign.replace(">", "<")
    if sign == "<":
        return Truth(a.upper < b.lower, a.lower >= b.upper)
    if sign == "<=":
        return Truth(a.upper <= b.lower, a.lower > b.upper)
    same = (a.lower == a.upper) & (b.lower == b.upper) & (a.lower == b.lower)
    other = (a.upper < b.lower) | (b.upper < a.lower)
    return Truth(same, other) if sign == "==" else Truth(other, same)


def all_of(*conditions: Any) -> Any:
    all_hold: Any = True
    for c in conditions:
        if not isinstance(c, Truth):
            all_hold = all_hold if c else False
        elif isinstance(all_hold, Truth):
            all_hold = Truth(all_hold.yes & c.yes, all_hold.no | c.no)
        else:
            all_hold = c if all_hold else False
    return all_hold


def any_of(*conditions: Any) -> Any:
    turned = all_of(*(~c if isinstance(c, Truth) else not c for c in conditions))
    return ~turned if isinstance(turned, Truth) else not turned


def ratio(a: float, b: float) -> Interval:
    """Return an exact enclosure of the fraction a/b: the double number 1/3 is not a third."""
    quotient = a / b
    exact = Fraction(quotient) * Fraction(b) == Fraction(a)
    return Interval(quotient) if exact else Interval(a) / Interval(b)


def polynomial(x: Any, powers: tuple[int, ...], *coefficients: Any) -> Interval:
    """Return Σ c xᵏ, expanded about the middle of x by Horner's scheme, so that powers that almost cancel do so."""
    x, terms = interval(x), dict(zip(powers, coefficients, strict=True))
    middle = Interval(0.5 * (x.lower + x.upper))
    c = [interval(terms.get(k, 0.0)) for k in range(max(powers), -1, -1)]
    for last in range(len(c), 1, -1):
        for k in range(1, last):
            c[k] = c[k] + c[k - 1] * middle
    s, value = x - middle, c[0]
    for one in c[1:]:
        value = value * s + one
    return value


def _cubic(c: Bounds, order: int, s: Interval) -> Interval:
    c0, c1, c2, c3 = (Interval(c[..., k]) for k in range(4))
    if order == 0:
        return ((c0 * s + c1) * s + c2) * s + c3
    if order == 1:
        return (3.0 * c0 * s + 2.0 * c1) * s + c2
    if order == 2:
        return 6.0 * c0 * s + 2.0 * c1
    return 6.0 * c0 + 0.0 * s if order == 3 else 0.0 * s
