"""Rigid bodies, and the markers fixed on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ..errors import ModelError
from .parameters import Number, check_number


@dataclass(frozen=True, eq=False)
class Marker:
    """A point and a frame fixed on a body, in body axes (metres, radians)."""

    body: Body
    x: Number = 0
    y: Number = 0
    angle: Number = 0
    name: str = ""

    @property
    def label(self) -> str:
        return f"{self.body.name}.{self.name}" if self.name else f"{self.body.name}({self.x}, {self.y})"

    def __repr__(self) -> str:
        return f"<marker {self.label}>"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid planar body. Its frame sits at `position`, turned by `angle`, in the reference placement;
    `com` is its centre of mass in body axes and `inertia` is about that centre."""

    name: str
    mass: Number = 0
    inertia: Number = 0
    com: tuple[Number, Number] = (0, 0)
    position: tuple[Number, Number] = (0, 0)
    angle: Number = 0
    fixed: bool = False
    markers: dict[str, Marker] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_number(self.mass, f"mass of body {self.name!r}", non_negative=True)
        check_number(self.inertia, f"inertia of body {self.name!r}", non_negative=True)
        check_number(self.angle, f"angle of body {self.name!r}")
        for what, place in (("com", self.com), ("position", self.position)):
            object.__setattr__(self, what, pair(place, f"{what} of body {self.name!r}"))

    def at(self, x: Number, y: Number = None, angle: Number = 0) -> Marker:
        """A marker at (x, y) in body axes, its frame turned by `angle` against the body's."""
        return self._marker("", x, y, angle)

    def marker(self, name: str, x: Number, y: Number = None, angle: Number = 0) -> Marker:
        """A marker with a name: results know it as ``res["body.name.x"]``."""
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"{name!r} cannot name a marker of body {self.name!r}; use letters, digits and _")
        if name in self.markers or name in QUANTITY_NAMES:
            raise ModelError(f"body {self.name!r} already has {name!r}; choose another marker name")
        self.markers[name] = marker = self._marker(name, x, y, angle)
        return marker

    @property
    def centred(self) -> bool:
        """Whether the frame's origin is the centre of mass, whatever parameters are."""
        return all(_is_zero(c) for c in self.com)

    @property
    def origin(self) -> Marker:
        return Marker(self)

    def __getattr__(self, name: str) -> Marker:
        """Named markers read like attributes: ``link.tail``."""
        markers = self.__dict__.get("markers", {})
        if name in markers:
            return markers[name]
        raise AttributeError(f"body {self.__dict__.get('name')!r} has no marker or attribute {name!r}")

    def at_world(self, point: Any, axis: Any = (1, 0), who: str = "a marker") -> Marker:
        """The marker that lies at this world point, its x axis along this world direction, in the reference
        placement."""
        px, py = pair(point, f"at= of {who}")
        ax, ay = pair(axis, f"axis= of {who}")
        if _is_zero(ax) and _is_zero(ay):
            raise ModelError(f"axis=(0, 0) of {who} has no direction; give e.g. axis=(1, 0)")
        direction = 0 if _is_zero(ay) and _is_one(ax) else sp.atan2(ay, ax)
        x0, y0 = self.position
        if _is_zero(self.angle):
            return Marker(self, _sub(px, x0), _sub(py, y0), direction)
        c, s = sp.cos(self.angle), sp.sin(self.angle)
        dx, dy = sp.sympify(px) - x0, sp.sympify(py) - y0
        return Marker(self, c * dx + s * dy, -s * dx + c * dy, direction - sp.sympify(self.angle))

    def _marker(self, name: str, x: Number, y: Number, angle: Number) -> Marker:
        if y is None:
            x, y = pair(x, f"point on body {self.name!r}")
        for what, value in (("x", x), ("y", y), ("angle", angle)):
            check_number(value, f"{what} of a marker on body {self.name!r}")
        return Marker(self, x, y, angle, name)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


QUANTITY_NAMES = ("x", "y", "angle", "vx", "vy", "omega", "ax", "ay", "alpha")


def as_marker(thing: Any, who: str) -> Marker:
    """A body stands for its origin marker."""
    if isinstance(thing, Marker):
        return thing
    if isinstance(thing, Body):
        return thing.origin
    raise ModelError(f"{who} joins markers or bodies, not {thing!r}; write body.at(x, y) or the body itself")


def pair(value: Any, what: str) -> tuple[Number, Number]:
    try:
        items: Iterator = iter(value)
        x, y = items
    except (TypeError, ValueError) as exc:
        raise ModelError(f"{what} must be a pair (x, y), not {value!r}") from exc
    return check_number(x, f"x of the {what}"), check_number(y, f"y of the {what}")


def _is_zero(number: Number) -> bool:
    return not isinstance(number, sp.Basic) and number == 0


def _is_one(number: Number) -> bool:
    return not isinstance(number, sp.Basic) and number == 1


def _sub(a: Number, b: Number) -> Number:
    return a if _is_zero(b) else a - b
