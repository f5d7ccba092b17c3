"""The switching arguments of functions of time: conditions, corners, tables and ranges of expressions. No numbers.

A function of time alone that is written with a Piecewise, an absolute value, a rounding or a table is smooth except at
single times. At each such time a smooth argument g(t) passes a level: the difference of both sides of a condition
passes zero, the argument of a rounding an integer, that of a table a knot. That of a root or a logarithm passes zero
where the function ceases to be real, or touches zero within roundoff (`branches.ROUNDOFF`). This module finds the
arguments; `model.breaks` finds the times.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import sympy as sp
from sympy.core.relational import Relational

from .branches import Watched, range_of
from .functions import Lookup, Opaque, Unwound, Wrapping
from .markers import t

ZERO, INTEGERS, RANGE = "zero", "integers", "range"
CORNERS = (sp.Abs, sp.sign, sp.Heaviside, sp.atan2)
ROUNDED = (sp.floor, sp.ceiling, sp.frac)
RATIOS = (sp.Mod, Wrapping)


class Switch(NamedTuple):
    """A function of time alone, and the levels at which it switches something."""

    argument: sp.Expr
    levels: str | sp.Expr
    """ZERO, INTEGERS, the table whose knots are the levels, or RANGE: zero, where a law ceases to have a value."""


class OfTime(NamedTuple):
    """The parts of expressions that depend on time alone."""

    switches: tuple[Switch, ...]
    laws: tuple[sp.Expr, ...]
    """The largest parts that are functions of time alone and not linear."""


@lru_cache(maxsize=4096)
def of_time(expressions: tuple[sp.Basic, ...], constants: frozenset[sp.Symbol]) -> OfTime:
    """Return the parts of these expressions that depend on time alone; `constants` are the symbols that are constant in
    time."""
    switches: dict[Switch, None] = {}
    laws: dict[sp.Expr, None] = {}
    visited: set[tuple[sp.Basic, bool]] = set()

    def alone(e: sp.Basic) -> bool:
        return e.has(t) and e.free_symbols <= constants | {t}

    def look(e: sp.Basic, inside: bool) -> None:
        if (e, inside) in visited or not e.has(t):
            return
        visited.add((e, inside))
        if isinstance(e, Opaque) and alone(e.args[2]):
            return look(e.at(e.args[2]), inside)
        if not inside and isinstance(e, sp.Expr) and not isinstance(e, Watched) and alone(e):
            inside = True
            if not is_linear(e):
                laws[e] = None
        for argument, levels in _arguments(e):
            if alone(argument):
                switches[Switch(argument, levels)] = None
        for part in e.args:
            look(part, inside)

    for e in expressions:
        look(e, False)
    return OfTime(tuple(switches), tuple(laws))


@lru_cache(maxsize=4096)
def is_linear(e: sp.Expr) -> bool:
    """Return whether an expression has the form c₀ + c₁ t."""
    return bool(e.is_polynomial(t)) and not e.diff(t).has(t)


def _arguments(e: sp.Basic) -> Iterator[tuple[sp.Expr, str | sp.Expr]]:
    """Yield the arguments that decide the branch of this node, and their levels."""
    if isinstance(e, Relational):
        yield e.lhs - e.rhs, ZERO
    elif isinstance(e, (*CORNERS, Watched)):
        yield e.args[0], ZERO
    elif isinstance(e, sp.Max | sp.Min):
        yield from ((a - b, ZERO) for a, b in combinations(e.args, 2))
    elif isinstance(e, ROUNDED):
        yield e.args[0], INTEGERS
    elif isinstance(e, RATIOS):
        yield e.args[0] / e.args[1], INTEGERS
    elif isinstance(e, Unwound):
        yield (e.args[1] - e.args[0]) / (2 * sp.pi) + sp.Rational(1, 2), INTEGERS
    elif isinstance(e, Lookup):
        yield e.args[2], e.args[0]
    elif (room := range_of(e)) is not None and not room.is_nonnegative:
        yield room, RANGE
