"""Measures: scalar readings of markers, used by drivers, results, and fixed or initial values.

A measure is a relation of one row that is read instead of set to zero; so its rate and its acceleration come from
the same derivation as those of a joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation, variables
from ..symbolic.markers import PlanarMarker, marker_symbols
from .body import Marker, as_marker

LEVELS = {
    "x": ("x", "vx", "ax"),
    "y": ("y", "vy", "ay"),
    "angle": ("angle", "omega", "alpha"),
    "displacement": ("displacement", "velocity", "acceleration"),
    "distance": ("distance", "distance_rate", "distance_acceleration"),
}
"""What the value, the rate and the acceleration of each kind of measure are called in results."""


@dataclass(frozen=True, eq=False)
class Measure:
    kind: str
    markers: tuple[Marker, ...]
    of: Callable[..., sp.Expr]
    unit: str

    @property
    def units(self) -> tuple[str, str, str]:
        return self.unit, f"{self.unit}/s", f"{self.unit}/s²"

    @property
    def levels(self) -> tuple[str, str, str]:
        return LEVELS[self.kind]

    @property
    def relation(self) -> Relation:
        """The measure as a relation of one row."""
        symbols = marker_symbols(len(self.markers))
        return Relation(symbols, (self.of(*symbols),))

    @property
    def label(self) -> str:
        return f"{self.kind}({', '.join(m.label for m in self.markers)})"


class Quantity(sp.Symbol):
    """A measure (level 0) or its rate (level 1) in an expression; it carries what it stands for.

    Two of the same name are the same symbol only if they read the same markers: sympy remembers expressions by
    equality, and would mix the quantities of two models.
    """

    measure: Measure
    level: int

    def __new__(cls, name: str, measure: Measure, level: int) -> Quantity:
        symbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.measure, symbol.level = measure, level
        return symbol

    def _hashable_content(self) -> tuple:
        places = tuple((id(m.body), str((m.x, m.y, m.angle))) for m in self.measure.markers)
        return (*super()._hashable_content(), places)

    def of(self, symbols: tuple[PlanarMarker, ...]) -> sp.Expr:
        """What it is of these markers."""
        value = self.measure.of(*symbols)
        return value if self.level == 0 else rate_of(value, symbols)


def rate_of(value: sp.Expr, markers: tuple[PlanarMarker, ...]) -> sp.Expr:
    """The rate of an expression of marker variables."""
    m, rates = variables(markers)
    return sp.Add(*(value.diff(s) * rate for s, rate in zip(m, rates, strict=True)))


def angle(i: Any, j: Any = None) -> Measure:
    """The angle of j against i (of one marker alone: against the world), counting past 2π; of a joint: its own."""
    if j is None:
        return _of_joint(i, "angle") or Measure("angle", (as_marker(i, "angle()"),), lambda i: i.angle, "rad")
    return Measure("angle", _two(i, j, "angle()"), lambda i, j: j.angle - i.angle, "rad")


def distance(i: Any, j: Any) -> Measure:
    """The distance between two points."""

    def length(i: PlanarMarker, j: PlanarMarker) -> sp.Expr:
        d = j.point - i.point
        return sp.sqrt(d.dot(d))

    return Measure("distance", _two(i, j, "distance()"), length, "m")


def x(marker: Any) -> Measure:
    """The world x of a marker."""
    return Measure("x", (as_marker(marker, "x()"),), lambda i: i.x, "m")


def y(marker: Any) -> Measure:
    """The world y of a marker."""
    return Measure("y", (as_marker(marker, "y()"),), lambda i: i.y, "m")


def displacement(i: Any, j: Any = None) -> Measure:
    """How far j lies along the x axis of i; of a translational joint: how far it has slid."""
    if j is None:
        if own := _of_joint(i, "displacement"):
            return own
        raise ModelError(f"displacement() needs a sliding joint or two markers, not {i!r}; write displacement(i, j)")
    return Measure("displacement", _two(i, j, "displacement()"), lambda i, j: i.x_axis.dot(j.point - i.point), "m")


def _two(i: Any, j: Any, who: str) -> tuple[Marker, Marker]:
    first, second = as_marker(i, who), as_marker(j, who)
    if first.body is second.body:
        raise ModelError(f"{who} measures body {first.body.name!r} against itself; name two different bodies")
    return first, second


def _of_joint(thing: Any, kind: str) -> Measure | None:
    measures = getattr(thing, "measures", None)
    return measures().get(kind) if callable(measures) else None
