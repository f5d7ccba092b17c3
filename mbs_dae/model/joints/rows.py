"""What the equation of an element returns, checked at the door."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.expressions import expression_of
from ...symbolic.markers import FormMarker


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
    if not callable(equation):
        raise ModelError(
            f"the equation of {who} must be a function of markers, not {equation!r}; write phi=lambda i, j: i.x - j.x"
        )
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
    return [expression_of(e, f"the equation of {who}") for e in out]
