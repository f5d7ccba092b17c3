"""What the equation of an element returns, checked at the door."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ...errors import ModelError
from ...symbolic.functions import Given
from ...symbolic.markers import FormMarker

JUMPS = (sp.floor, sp.ceiling, sp.frac, sp.sign, sp.Heaviside, sp.DiracDelta)


def position_rows(
    equation: Callable | None, markers: tuple[FormMarker, ...], constants: dict[str, Any], who: str
) -> list[sp.Expr]:
    """The rows of phi: expressions of places and angles."""
    rows = _rows(equation, markers, constants, who)
    for e in rows:
        if e.has(*(s for m in markers for s in m.rates)):
            raise ModelError(f"phi of {who} contains velocities: {e}; return such equations from psi")
        if not e.has(*(s for m in markers for s in m.m)):
            raise ModelError(f"phi of {who} says nothing of its markers: {e}; use i.point, i.angle, ...")
    return rows


def velocity_rows(
    equation: Callable | None, markers: tuple[FormMarker, ...], constants: dict[str, Any], who: str
) -> list[sp.Expr]:
    """The rows of psi: expressions linear in the velocities."""
    rows = _rows(equation, markers, constants, who)
    rates = [s for m in markers for s in m.rates]
    for e in rows:
        if any(e.diff(s).has(*rates) for s in rates):
            raise ModelError(f"psi of {who} must be linear in the velocities: {e}; rewrite it")
        if not e.has(*rates):
            raise ModelError(f"psi of {who} contains no velocity: {e}; return such equations from phi")
    return rows


def _rows(equation: Callable | None, markers: tuple, constants: dict[str, Any], who: str) -> list[sp.Expr]:
    if equation is None:
        return []
    wanted = inspect.signature(equation).parameters
    try:
        out = equation(*markers, **{name: value for name, value in constants.items() if name in wanted})
    except Exception as exc:
        raise ModelError(f"the equation of {who} raised {type(exc).__name__}: {exc}; mend its phi") from exc
    out = list(out) if isinstance(out, list | tuple | sp.MatrixBase) else [out]
    if not out:
        raise ModelError(f"the equation of {who} returns nothing; return at least one expression")
    for e in out:
        if not isinstance(e, sp.Expr | int | float) or isinstance(e, bool):
            raise ModelError(f"the equation of {who} returns {e!r}; return sympy expressions")
    return [check_expression(sp.sympify(e), f"the equation of {who}") for e in out]


def check_expression(e: sp.Expr, what: str) -> sp.Expr:
    """Finite, real, and made of functions that can become code."""
    if e.has(sp.nan, sp.zoo, sp.oo):
        raise ModelError(f"{what} is not finite: {e}; mend it")
    if e.has(sp.I):
        raise ModelError(f"{what} is not real: {e}; mend it")
    if jumps := sorted({str(f.func) for f in e.atoms(*JUMPS)}):
        raise ModelError(f"{what} jumps ({', '.join(jumps)}); make it smooth: a Piecewise, a Table or mbs.Motion")
    unknown = _unknown_functions([e, *(given.args[0] for given in e.atoms(Given))])
    if unknown:
        raise ModelError(
            f"cannot turn {what} into code: it contains {', '.join(unknown)}; use functions that sympy can "
            "differentiate and that exist in Python's math module"
        )
    return e


def _unknown_functions(expressions: Iterable[sp.Expr]) -> list[str]:
    return sorted({str(f.func) for e in expressions for f in e.atoms(AppliedUndef)})
