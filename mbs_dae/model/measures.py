"""Measures: scalar readings of markers, used by drivers, results, and fixed or initial values.

A measure is a relation of one row that is read instead of set to zero; so its rate and its acceleration come from
the same derivation as those of a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation
from ..symbolic.markers import FormMarker, marker_symbols, rate_of
from .bodies.body import Marker, as_marker

LEVELS = {
    "x": ("x", "vx", "ax"),
    "y": ("y", "vy", "ay"),
    "z": ("z", "vz", "az"),
    "wx": ("", "wx", "alphax"),
    "wy": ("", "wy", "alphay"),
    "wz": ("", "wz", "alphaz"),
    "angle": ("angle", "omega", "alpha"),
    "displacement": ("displacement", "velocity", "acceleration"),
    "distance": ("distance", "distance_rate", "distance_acceleration"),
}
"""What the value, the rate and the acceleration of each kind of measure are called in results. An angular velocity in
space is the rate of nothing."""


def _turn(i: FormMarker, j: FormMarker | None = None) -> sp.Expr:
    return i.turn if j is None else i.turn_to(j)


def _length(i: FormMarker, j: FormMarker) -> sp.Expr:
    d = j.point - i.point
    return sp.sqrt(d.dot(d))


OF: Mapping[str, Callable[..., sp.Expr]] = {
    "x": lambda i: i.x,
    "y": lambda i: i.y,
    "z": lambda i: i.z,
    "wx": lambda i: i.omega[0],
    "wy": lambda i: i.omega[1],
    "wz": lambda i: i.omega[2],
    "angle": _turn,
    "displacement": lambda i, j: i.guide.dot(j.point - i.point),
    "distance": _length,
}
"""What each kind of measure is of its markers: the value; where there is none, the rate."""


@dataclass(frozen=True, eq=False)
class Measure:
    kind: str
    markers: tuple[Marker, ...]

    @property
    def of(self) -> Callable[..., sp.Expr]:
        """The value, as a function of markers; where there is none, the rate."""
        return OF[self.kind]

    @property
    def unit(self) -> str:
        return "rad" if self.kind in ("wx", "wy", "wz", "angle") else "m"

    @property
    def units(self) -> tuple[str, str, str]:
        return self.unit, f"{self.unit}/s", f"{self.unit}/s²"

    @property
    def levels(self) -> tuple[str, str, str]:
        return LEVELS[self.kind]

    @property
    def lowest(self) -> int:
        """The first level that it has: 0 a value, 1 a rate."""
        return 0 if self.levels[0] else 1

    @property
    def dimension(self) -> int:
        return self.markers[0].body.dimension

    @property
    def relation(self) -> Relation:
        """The measure as a relation of one row."""
        symbols = marker_symbols(len(self.markers), self.dimension)
        row = (self.of(*symbols),)
        return Relation(symbols, row) if self.lowest == 0 else Relation(symbols, (), row)

    def rate(self, symbols: tuple[FormMarker, ...]) -> sp.Expr:
        """Its rate, of these markers."""
        return rate_of(self.of(*symbols), symbols) if self.lowest == 0 else self.of(*symbols)

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
        places = tuple((id(m.body), str(m.numbers)) for m in self.measure.markers)
        return (*super()._hashable_content(), places)

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return Quantity, (self.name, self.measure, self.level)

    def of(self, symbols: tuple[FormMarker, ...]) -> sp.Expr:
        """What it is of these markers."""
        return self.measure.of(*symbols) if self.level == 0 else self.measure.rate(symbols)


def angle(i: Any, j: Any = None) -> Measure:
    """The angle of j against i (of one marker alone: against the world), counting past 2π; of a joint: its own.

    In space it is the angle about the axis of i, from the x axis of i to that of j; of one marker alone, its turning
    about its own axis, added up."""
    if j is None:
        return _of_joint(i, "angle") or Measure("angle", (as_marker(i, "angle()"),))
    return Measure("angle", _two(i, j, "angle()"))


def distance(i: Any, j: Any) -> Measure:
    """The distance between two points."""
    return Measure("distance", _two(i, j, "distance()"))


def x(marker: Any) -> Measure:
    """The world x of a marker."""
    return Measure("x", (as_marker(marker, "x()"),))


def y(marker: Any) -> Measure:
    """The world y of a marker."""
    return Measure("y", (as_marker(marker, "y()"),))


def z(marker: Any) -> Measure:
    """The world z of a marker, in space."""
    return Measure("z", (_in_space(marker, "z()"),))


def wx(body: Any) -> Measure:
    """The x component of the angular velocity, in world axes."""
    return Measure("wx", (_in_space(body, "wx()"),))


def wy(body: Any) -> Measure:
    """The y component of the angular velocity, in world axes."""
    return Measure("wy", (_in_space(body, "wy()"),))


def wz(body: Any) -> Measure:
    """The z component of the angular velocity, in world axes."""
    return Measure("wz", (_in_space(body, "wz()"),))


def displacement(i: Any, j: Any = None) -> Measure:
    """How far j lies along the x axis of i (in space: along its axis); of a sliding joint: how far it has slid."""
    if j is None:
        if own := _of_joint(i, "displacement"):
            return own
        raise ModelError(f"displacement() needs a sliding joint or two markers, not {i!r}; write displacement(i, j)")
    return Measure("displacement", _two(i, j, "displacement()"))


def _two(i: Any, j: Any, who: str) -> tuple[Marker, Marker]:
    first, second = as_marker(i, who), as_marker(j, who)
    if first.body.dimension != second.body.dimension:
        raise ModelError(f"{who} mixes a body in the plane with a body in space; use those of one model")
    if first.body is second.body:
        raise ModelError(f"{who} measures body {first.body.name!r} against itself; name two different bodies")
    return first, second


def _in_space(thing: Any, who: str) -> Marker:
    marker = as_marker(thing, who)
    if marker.body.dimension != 3:
        raise ModelError(f"{who} is for bodies in space, and {marker.body.name!r} is in the plane; use x, y or angle")
    return marker


def _of_joint(thing: Any, kind: str) -> Measure | None:
    """The joint's own coordinate; nothing if it is no joint."""
    if not callable(getattr(thing, "measures", None)):
        return None
    own = thing.measures()
    if kind not in own:
        has = f" (it has: {', '.join(own)})" if own else " of its own"
        raise ModelError(f"{kind}(): {thing.who} has no {kind}{has}; write {kind}(i, j) with two markers")
    return own[kind]
