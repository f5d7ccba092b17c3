"""Coefficients of friction: numbers, or functions of how fast surfaces slip (Stribeck curves)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import sympy as sp

from ...errors import ModelError
from ...symbolic.functions import as_sympy
from ..fields import Function, Law, speed
from ..motion import Motion
from ..parameters import Number, Parameter, check_number
from ..tables import Table, TableSymbol

Coefficient: TypeAlias = Any
"""A number, or a `Law` of the speed of slip."""
SPEEDS = (0.0, *(10.0**k for k in range(-5, 3)))
"""A curve is looked at here, in m/s: friction that is negative would drive."""


def check_coefficient(value: Any, name: str, who: str) -> Coefficient:
    """A number; or a function, an expression of `mbs.speed`, a table."""
    if not is_curve(value):
        return check_number(value, f"{name} of {who}", non_negative=True)
    law = Function("", name=name, of=speed, jumps=False).check(value, who)
    known = (Parameter, TableSymbol)
    if foreign := sorted(str(s) for s in law.expression.free_symbols - {speed} if not isinstance(s, known)):
        what = f"the {name} of {who} is a function of the speed of slip and of parameters, and contains"
        raise ModelError(f"{what} {', '.join(foreign)}; leave that out, or take a DryFriction with force=")
    return law


def is_curve(value: Any) -> bool:
    if isinstance(value, Table | Motion):
        return True
    return value.has(speed) if isinstance(value, sp.Basic) else callable(value)


def at_rest(mu: Coefficient) -> Number:
    """The coefficient where nothing slips."""
    return mu(0) if isinstance(mu, Law) else mu


def check_curve(mu: Coefficient, number: Callable[[Number], float], name: str, who: str) -> None:
    """Whether a curve is friction at all speeds that are looked at."""
    for place in SPEEDS if isinstance(mu, Law) else ():
        check_number(number(mu(place)), f"{name} of {who} at a slip of {place:g} m/s", non_negative=True)


def check_coefficients(who: str, sliding: tuple[str, float], rest: tuple[str, float]) -> None:
    """Of friction, by their names: what rests holds at least what slides."""
    for name, value in (sliding, rest):
        check_number(value, f"{name} of {who}", non_negative=True)
    if rest[1] < sliding[1]:
        what = f"{rest[0]} of {who} is {rest[1]:g}, less than its {sliding[0]}, {sliding[1]:g}"
        raise ModelError(f"{what}; what rests holds at least what slides; give a larger one, or leave it out")


def check_smooth(smooth: Any, who: str) -> Number:
    """The speed over which friction builds up."""
    return check_number(smooth, f"smooth of {who}, a speed of slip,", positive=True)


def smoothed(slips: Sequence[sp.Expr], width: Number) -> tuple[list[sp.Expr], sp.Expr]:
    """The direction s / √(s·s + v²) of a friction that does not stick, v the `width`; and the speed of slip along it,
    s·s / √(s·s + v²), which is |s| where that is large, and smooth where it is zero."""
    square = sp.Add(*(s**2 for s in slips))
    length = sp.sqrt(square + as_sympy(width) ** 2)
    return [s / length for s in slips], square / length


def speed_of(slips: Sequence[sp.Expr]) -> sp.Expr:
    """|s|: to be read, for it has no slope at zero."""
    return sp.sqrt(sp.Add(*(s**2 for s in slips)))
