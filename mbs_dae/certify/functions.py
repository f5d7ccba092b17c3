"""Evaluate the functions of `symbolic.codegen.FUNCTIONS` on intervals. A function that is missing here refuses, with
its name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..errors import ModelError
from ..symbolic.codegen import FUNCTIONS
from .intervals import (
    SLACK,
    Bounds,
    Interval,
    down,
    exponential,
    hull_of,
    interval,
    logarithm,
    nothing,
    rising,
    root,
    rounded_outward,
    up,
    where,
)  # fmt: skip

TURN = Interval(down(2.0 * math.pi), up(2.0 * math.pi))
"""2π, enclosed by the neighbours of its double number."""


class Angle(Interval):
    """The angle of a vector that may lie on the cut, where the angle jumps by a turn. Its bounds are [-π, π], and
    reading them calls `jump`; `wound` is the angle continued over the cut, for laws that count turns."""

    __slots__ = ("jump", "range", "touches", "wound")

    def __init__(self, range_: Interval, wound: Interval, touches: Bounds):
        self.range, self.wound, self.touches = range_, wound, touches
        self.jump: Callable[[Bounds], None] = lambda touches: None

    @property
    def lower(self) -> Bounds:  # type: ignore[override]
        self.jump(self.touches)
        return self.range.lower

    @property
    def upper(self) -> Bounds:  # type: ignore[override]
        self.jump(self.touches)
        return self.range.upper


def falling(function: Callable[..., Any]) -> Callable[[Any], Interval]:
    def enclosed(x: Any) -> Interval:
        x = interval(x)
        with np.errstate(all="ignore"):
            return rounded_outward(function(x.upper), function(x.lower))

    return enclosed


def even(function: Callable[..., Any]) -> Callable[[Any], Interval]:
    """Return the extension to intervals of a function that rises with |x|."""
    return lambda x: rising(function)(abs(interval(x)))


def _has(x: Interval, phase: float, period: float) -> Bounds:
    """Return whether an interval may contain phase + k period; near a bound, where roundoff could hide it, the answer
    is yes."""
    blur = 1e-14 * (1.0 + x.size)
    first = np.ceil((x.lower - phase) / period - blur)
    return first <= np.floor((x.upper - phase) / period + blur)


def sine(x: Any) -> Interval:
    return _wave(np.sin, interval(x), 0.5 * math.pi)


def cosine(x: Any) -> Interval:
    return _wave(np.cos, interval(x), 0.0)


def _wave(function: Any, x: Interval, top: float) -> Interval:
    """Enclose a sine or cosine by its values at both ends, and by ±1 where a top or a bottom may lie between. An error
    of 4 units in the last place is less than 4 ε, and is relative only for small results, where sin x is as large as x;
    so no digit of the reduction of the argument to one turn is trusted beyond that."""
    with np.errstate(all="ignore"):
        ends = function(x.lower), function(x.upper)
        slack = SLACK * (np.minimum(1.0, x.size) if top else 1.0)
        least, most = np.minimum(*ends) - slack, np.maximum(*ends) + slack
        most = np.where(_has(x, top, 2.0 * math.pi), 1.0, np.minimum(most, 1.0))
        least = np.where(_has(x, top - math.pi, 2.0 * math.pi), -1.0, np.maximum(least, -1.0))
    return Interval(down(least), up(most))


def tangent(x: Any) -> Interval:
    x = interval(x)
    with np.errstate(all="ignore"):
        pole = _has(x, 0.5 * math.pi, math.pi) | (x.size > 1e8)
        ends = np.tan(x.lower), np.tan(x.upper)
        # near zeros and poles, the error of reducing the argument counts like a change of the argument
        slack = [SLACK * np.minimum(1.0, x.size) * (1.0 + end * end) for end in ends]
    return where(pole, nothing(), Interval(down(ends[0] - slack[0]), up(ends[1] + slack[1])))


def angle_of(y: Any, x: Any) -> Interval:
    """Enclose atan2. Seen from outside of a box, the extreme directions are those of its corners."""
    y, x = interval(y), interval(x)
    shape = np.broadcast_shapes(y.shape, x.shape)
    y, x = (Interval(np.broadcast_to(a.lower, shape), np.broadcast_to(a.upper, shape)) for a in (y, x))
    corners = [(a, b) for a in (y.lower, y.upper) for b in (x.lower, x.upper)]
    hulls = [hull_of(*(np.arctan2(sign * a, sign * b) for a, b in corners)) for sign in (1.0, -1.0)]
    plain, behind = (rounded_outward(angle.lower, angle.upper) for angle in hulls)  # of the vector, and of its opposite
    touches = (y.lower <= 0.0) & (y.upper >= 0.0) & (x.lower <= 0.0)
    inside = touches & (x.upper >= 0.0)
    whole = np.where(np.isnan(plain.lower), np.nan, up(math.pi))
    if not touches.any():
        return plain
    wound = where(inside, nothing(), where(touches, behind + TURN.scaled(0.5), plain))
    low, high = np.where(touches, -whole, plain.lower), np.where(touches, whole, plain.upper)
    return Angle(Interval(low, high), wound, touches)


def hypotenuse(x: Any, y: Any) -> Interval:
    return root(interval(x) ** 2 + interval(y) ** 2)


def with_sign(x: Any, y: Any) -> Interval:
    x, y = abs(interval(x)), interval(y)
    sure, negative = (y.lower > 0.0) | (y.upper < 0.0), y.upper < 0.0
    return where(sure, where(negative, -x, x), Interval(-x.upper, x.upper))


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any) -> NoReturn:
        raise ModelError(
            f"nothing can be proven of equations with {name}, of which no bounds are known; write the law with other "
            "functions, or as a mbs.Table",
            code="no-bounds-known", name=name,
        )  # fmt: skip

    return refuse


ENCLOSURES: dict[str, Any] = {
    "sqrt": root, "sin": sine, "cos": cosine, "tan": tangent, "atan2": angle_of, "hypot": hypotenuse,
    "copysign": with_sign, "fabs": lambda x: abs(interval(x)),
    "exp": exponential, "expm1": rising(np.expm1), "log": logarithm, "log10": rising(np.log10),
    "log1p": rising(np.log1p), "log2": rising(np.log2), "asin": rising(np.arcsin), "acos": falling(np.arccos),
    "atan": rising(np.arctan), "sinh": rising(np.sinh), "cosh": even(np.cosh), "tanh": rising(np.tanh),
    "asinh": rising(np.arcsinh), "acosh": rising(np.arccosh), "atanh": rising(np.arctanh),
    "erf": rising(np.vectorize(math.erf, otypes=[float])), "erfc": falling(np.vectorize(math.erfc, otypes=[float])),
    "nan": math.nan,
}  # fmt: skip
NAMES: dict[str, Any] = {name: ENCLOSURES.get(name) or _refusal(name) for name in FUNCTIONS} | {"nan": math.nan}
"""Functions that kernels take from Python's math, on intervals; `floor` decides between branches (`laws`)."""
