"""Mechanisms in the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import sympy as sp

from ..errors import ModelError
from .bodies.body import Vector
from .bodies.planar_body import PlanarBody
from .model import Model
from .parameters import Numeric, plain
from .points import build


class PlanarModel(Model):
    """A planar mechanism: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y).
    """

    body_class = PlanarBody

    @classmethod
    def from_points(
        cls,
        points: Mapping[str, tuple[float, float]],
        rods: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        fixed: Sequence[str] = (),
        *,
        mass: float | Mapping[str, float] | None = None,
        density: float | Mapping[str, float] | None = None,
        sliders: Mapping[str, float | tuple[float, float]] | None = None,
        gravity: Vector | None = None,
        name: str = "mechanism",
        **other: Any,
    ) -> Self:
        """A linkage said in points and rods.

            mbs.PlanarModel.from_points(
                {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)},
                rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD", mass=2.0, gravity=(0, -9.81))

        `rods` names the points of each body: two make a uniform rod, three or more, in order around it, a uniform
        plate; if they all lie on one line, a rod between the outermost. Longer names go in tuples, ("A1", "B"). A list
        of rods, ["AB", "BC"], calls each by its points. Every point of a body is a marker of it (``coupler.C``); its
        frame stands in its centre of mass, the x axis from its first point to its second.

        Bodies that share a point are joined there by a `Revolute` of that name, those that share a `fixed` point by one
        each to the ground; where several joints are needed their names also tell the bodies, "B (crank-rocker)". A
        point of `sliders` slides (a `PinInSlot` on the ground) along the line through its place with this angle, or
        direction (x, y).

        `mass` in kg is that of each body, or a dict by name; or `density` in kg/m for rods and kg/m² for plates.
        Without either bodies have no mass, which is enough for kinematics.
        """
        if other:
            plates = "; a plate is a rod of three or more points: rods={'plate': 'ABC'}" if "plates" in other else ""
            raise ModelError(f"from_points has no {', '.join(other)}{plates or '; see help(from_points)'}")
        model = cls(name, gravity)
        build(model, points, rods, fixed, mass, density, sliders)
        return model

    def body(
        self, name: str, mass: Numeric = 0, inertia: Numeric = 0, com: Vector = (0, 0), position: Vector = (0, 0),
        angle: Numeric = 0,
    ) -> PlanarBody:  # fmt: skip
        """A rigid body whose frame stands at `position` with `angle` in the reference placement (a first guess is
        enough); `com` in body axes, `inertia` about it."""
        given: dict[str, Any] = {"com": com, "position": position}  # the body checks them, and makes tuples of them
        return self._added(PlanarBody(name, mass, inertia, angle=angle, **given))

    def link(self, name: str, P: Vector, Q: Vector, mass: Numeric = 0, length: Numeric | None = None) -> PlanarBody:
        """A uniform slender rod with markers `tail` and `head`, placed between two world points; its frame stands in
        the middle, its x axis points from tail to head.

        Its length is the distance of P and Q, or what is given as `length` (a parameter, say): then P and Q only place
        the rod."""
        place, way, m, span = self._rod(name, P, Q, mass, length)
        angle = plain(sp.atan2(*reversed(way)))
        return self._with_ends(PlanarBody(name, m, m * span**2 / 12, position=place, angle=angle, span=span))
