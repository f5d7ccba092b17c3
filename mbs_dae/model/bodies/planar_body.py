"""Rigid bodies in the plane, and the markers fixed on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.functions import as_sympy
from ...symbolic.markers import PlanarMarker
from ...unit_system import warn_of_degrees
from ..linkages.shapes import check_edges
from ..parameters import Number, check_number, plain
from .body import Body, Marker, coordinates_of, difference, is_zero


@dataclass(frozen=True, eq=False, repr=False)
class PlanarPlace(Marker):
    """A point and a frame fixed on a planar body: (x, y) in body axes, in m; the frame is turned by `angle`, in rad."""

    x: Number = 0
    y: Number = 0
    angle: Number = 0
    name: str = ""

    @property
    def numbers(self) -> tuple[Number, ...]:
        return self.x, self.y, self.angle

    @property
    def frame(self) -> tuple[tuple[Number, ...], ...]:
        c, s = (1, 0) if is_zero(self.angle) else (sp.cos(self.angle), sp.sin(self.angle))
        return (c, -s), (s, c)

    @property
    def placed(self) -> PlanarMarker:
        body = self.body
        c, s = sp.cos(body.angle), sp.sin(body.angle)
        x, y = body.position
        return PlanarMarker.placed(
            x + c * self.x - s * self.y, y + s * self.x + c * self.y, as_sympy(body.angle) + self.angle
        )


@dataclass(frozen=True, eq=False, repr=False)
class PlanarBody(Body):
    """A rigid planar body. In the reference placement its frame is at `position`, in m, turned by `angle`, in rad."""

    com: tuple[Number, ...] = (0, 0)
    position: tuple[Number, ...] = (0, 0)
    angle: Number = 0
    ring: tuple[str, ...] = ()
    """The names of the markers at the corners of a uniform plate, in order around it."""

    dimension = 2
    measure_kinds = ("x", "y", "angle")
    quantity_names = ("x", "y", "angle", "vx", "vy", "omega", "ax", "ay", "alpha")

    def __post_init__(self) -> None:
        for what in ("mass", "inertia", "angle"):
            self._set(what, check_number, non_negative=what != "angle")
        for what in ("com", "position"):
            self._set(what, coordinates_of, 2)

    @property
    def numbers(self) -> list[Number]:
        return [self.mass, self.inertia, *self.com, *self.position, self.angle]

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        places = [self.markers[name].point for name in self.ring]
        if not is_zero(self.mass) and any(isinstance(n, sp.Basic) for place in places for n in place):
            corners = [complex(number(x), number(y)) for x, y in places]
            check_edges(f"body {self.name!r}, for these parameters,", self.ring, corners)
        check_number(number(self.inertia), f"inertia of body {self.name!r}", non_negative=True)

    def _in_frame(self) -> tuple[tuple[Number, ...], Number]:
        placed = self.at(*self.com).placed
        return (placed.x, placed.y), self.inertia

    def _sum_of_inertia(self, other: Number, spread: Number, offset: Sequence[Number]) -> Number:
        return plain(as_sympy(self.inertia) + other + spread * (offset[0] ** 2 + offset[1] ** 2))

    def mesh(self, path: Any, **choices: Any) -> None:
        """Refuse a mesh: in the plane, markers define the drawn outline of a body."""
        what = f"body {self.name!r} is in the plane, where no mesh is drawn"
        raise ModelError(
            f"{what}; put markers at the corners of its outline, or use a SpatialModel",
            code="not-spatial", element=self.name,
        )  # fmt: skip

    def at_world(self, point: Any, axis: Any = None, x_axis: Any = None, who: str = "a marker") -> PlanarPlace:
        px, py = coordinates_of(point, f"at= of {who}", 2)
        ax, ay = (1, 0) if axis is None else coordinates_of(axis, f"axis= of {who}", 2)
        if x_axis is not None:
            raise ModelError(
                f"{who} got x_axis=, which is for markers in space; in the plane axis= is the x axis",
                code="not-spatial", subject=who,
            )  # fmt: skip
        if is_zero(ax) and is_zero(ay):
            raise ModelError(
                f"axis=(0, 0) of {who} has no direction; give e.g. axis=(1, 0)", code="zero-vector", subject=who
            )
        direction = 0 if is_zero(ay) and ax == 1 else sp.atan2(ay, ax)
        x0, y0 = self.position
        if is_zero(self.angle):
            return PlanarPlace(self, difference(px, x0), difference(py, y0), direction)
        c, s = sp.cos(self.angle), sp.sin(self.angle)
        dx, dy = as_sympy(px) - x0, as_sympy(py) - y0
        return PlanarPlace(self, c * dx + s * dy, -s * dx + c * dy, direction - as_sympy(self.angle))

    def _place(self, name: str, /, x: Any, y: Any = None, angle: Any = 0, *more: Any, **other: Any) -> PlanarPlace:
        if y is None:
            x, y = coordinates_of(x, f"point on body {self.name!r}", 2)
        if more or other or isinstance(angle, tuple | list):
            strange = ", ".join(other) or "fourth number"
            what = f"a marker on planar body {self.name!r} has x, y and angle, and no {strange}"
            turned = " (an axis is turned by angle=)" if "axis" in other else ""
            raise ModelError(f"{what}{turned}; markers in space belong to a SpatialModel", code="not-spatial")
        x, y, angle = (
            check_number(value, f"{what} of a marker on body {self.name!r}")
            for what, value in (("x", x), ("y", y), ("angle", angle))
        )
        warn_of_degrees(angle, f"the angle of a marker on body {self.name!r}")
        return PlanarPlace(self, x, y, angle, name)
