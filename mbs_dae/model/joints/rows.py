"""What the equation of an element returns, checked at the door."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Relation
from ...symbolic.expressions import called, expression_of
from ...symbolic.markers import FormMarker


def relation_of(
    phi: Callable | None, psi: Callable | None, markers: tuple[FormMarker, ...], constants: dict[str, Any], who: str
) -> Relation:
    """Rows of phi: expressions of places and angles; then rows of psi: expressions linear in the velocities."""
    places = {s for marker in markers for s in marker.m}
    rates = {s for marker in markers for s in marker.rates}
    positions = _rows(phi, markers, constants, who)
    for e in positions:
        if e.has(*rates):
            raise ModelError(f"phi of {who} contains velocities: {e}; return such equations from psi")
        if not e.has(*places):
            raise ModelError(f"phi of {who} says nothing of its markers: {e}; use i.point, i.angle, ...")
    velocities = _rows(psi, markers, constants, who)
    for e in velocities:
        if any(e.diff(s).has(*rates) for s in rates):
            raise ModelError(f"psi of {who} must be linear in the velocities: {e}; rewrite it")
        if not e.has(*rates):
            raise ModelError(f"psi of {who} contains no velocity: {e}; return such equations from phi")
    return Relation(markers, tuple(positions), tuple(velocities))


def _rows(equation: Callable | None, markers: tuple, constants: dict[str, Any], who: str) -> list[sp.Expr]:
    if equation is None:
        return []
    if not callable(equation):
        raise ModelError(
            f"the equation of {who} must be a function of markers, not {equation!r}; write phi=lambda i, j: i.x - j.x"
        )
    wanted = inspect.signature(equation).parameters
    here = {name: value for name, value in constants.items() if name in wanted}
    out = called(equation, markers, f"the equation of {who}", **here)
    out = list(out) if isinstance(out, list | tuple | sp.MatrixBase) else [out]
    if not out:
        raise ModelError(f"the equation of {who} returns nothing; return at least one expression")
    for e in out:
        if not isinstance(e, sp.Expr | int | float) or isinstance(e, bool):
            raise ModelError(f"the equation of {who} returns {e!r}; return sympy expressions")
    return [expression_of(e, f"the equation of {who}") for e in out]
