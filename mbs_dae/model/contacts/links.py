"""Joints that restrict one side only: a rope, a strut, a cam from which the follower may lift off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.markers import FormMarker
from ...symbolic.markers import primitives as the
from ..fields import choice, function, scalar
from ..joints import CamFollower, Distance, Joint
from ..joints.contacts import check_cam
from ..parameters import Number, check_choice
from ..tables import check_closed
from .base import ContactElement
from .geometry import touch_of_curve


class Rope(ContactElement):
    """A massless rope or chain between two points, which may go slack: their distance is at most its length, in m.

    g = (length² - d·d) / (2 length), with d from the first point to the second: smooth also for short d. Where the rope
    is taut g grows by 1 as the second point approaches, and its multiplier is the tension.

    >>> model = mbs.PlanarModel("weight on a rope", gravity=(0, -10))
    >>> weight = model.body("weight", mass=2.0, inertia=0.1, position=(0, -1))
    >>> model.add(mbs.Rope("rope", model.ground, weight, length=1.5))
    <Rope rope>
    >>> hangs = mbs.equilibrium(model)
    >>> print(round(hangs["weight.y"], 6), round(hangs["rope.force"], 6))
    -1.5 20.0
    """

    sketch = "rope"
    measured = ("distance",)
    length = scalar("m", default=the.distance, positive=True)

    @staticmethod
    def gap(i: FormMarker, j: FormMarker, length: sp.Expr) -> sp.Expr:
        return (length - _squared(i, j) / length) / 2


class Strut(ContactElement):
    """A massless strut between two points, which only pushes: their distance is at least its length, in m.

    g = (d·d - length²) / (2 length), see `Rope`; the multiplier is the thrust.

    >>> model = mbs.PlanarModel("prop", gravity=(0, -10))
    >>> roof = model.body("roof", mass=50.0, inertia=1.0, position=(0, 2.2))
    >>> guide = model.add(mbs.Translational("guide", model.ground, roof, at=(0, 0), axis=(0, 1)))
    >>> model.add(mbs.Strut("prop", model.ground, roof, length=2.0))
    <Strut prop>
    >>> rests = mbs.equilibrium(model)
    >>> print(round(rests["roof.y"], 6), round(rests["prop.force"], 6))
    2.0 500.0
    """

    sketch = "link"
    measured = ("distance",)
    length = scalar("m", default=the.distance, positive=True)

    @staticmethod
    def gap(i: FormMarker, j: FormMarker, length: sp.Expr) -> sp.Expr:
        return (_squared(i, j) / length - length) / 2


def _squared(i: FormMarker, j: FormMarker) -> sp.Expr:
    d = j.point - i.point
    return d.dot(d)


class CamContact(ContactElement):
    """A follower (second marker) that may lift off its cam (first marker: the centre); see `CamFollower`.

    With ``follower="flat"`` the face touches the cam at c = r_i + h y_j - h' x_j, where h is the profile, the distance
    of the tangent, and h' its slope; in space, in the plane of the cam's marker.

    >>> model = mbs.PlanarModel("lift off", gravity=(0, -10))
    >>> follower = model.body("follower", mass=0.5, inertia=0.1, position=(0, 0.2))
    >>> guide = model.add(mbs.Translational("guide", model.ground, follower, at=(0, 0), axis=(0, 1)))
    >>> cam = mbs.CamContact("cam", model.ground, follower, profile=0.1)  # or mbs.CamFollower(..., unilateral=True)
    >>> rests = mbs.equilibrium(model.plus(cam))
    >>> print(round(rests["follower.y"], 6), round(rests["cam.force"], 6))
    0.1 5.0
    """

    profile = function("m", jumps=False)
    follower = choice("point", "flat", default="point")

    def _built(self) -> tuple[Any, dict[sp.Symbol, Number]]:
        check_closed(self.values["profile"].given, f"profile of {self.who}")
        return super()._built()

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        check_cam(self, number)

    @staticmethod
    def gap(i: FormMarker, j: FormMarker, profile: Any, follower: str) -> sp.Expr:
        if follower == "flat":
            return j.y_axis.dot(j.point - i.point) - _support(i, j, profile)
        return touch_of_curve(i, j.point, profile).distance

    @staticmethod
    def slip(i: FormMarker, j: FormMarker, profile: Any, follower: str) -> list[sp.Expr]:
        if follower == "flat":
            h = _support(i, j, profile)
            contact, directions = i.point + h * j.y_axis - h.fdiff(3) * j.x_axis, (j.x_axis, *i.axes[2:])
        else:
            contact, directions = j.point, tuple(touch_of_curve(i, j.point, profile).tangents)
        velocity = j.velocity_at(contact) - i.velocity_at(contact)
        return [direction.dot(velocity) for direction in directions]


def _support(i: FormMarker, j: FormMarker, profile: Any) -> sp.Expr:
    return profile(the.turn(i, j) + sp.pi / 2)


UNILATERAL: dict[Any, dict[Any, type[ContactElement]]] = {
    Distance: {"rope": Rope, "strut": Strut},
    CamFollower: {True: CamContact},
}
"""The contact classes of joints that restrict one side only, by joint class and side."""


def unilateral(joint: type[Joint], side: Any) -> type[ContactElement]:
    """Return the class of contact of a joint with ``unilateral=side``."""
    if joint not in UNILATERAL:
        there = ", ".join(f"{cls.__name__}(unilateral={next(iter(ways))!r})" for cls, ways in UNILATERAL.items())
        raise ModelError(
            f"{joint.__name__} holds to both sides; there is {there}, mbs.Stop, and mbs.Contact", code="not-one-sided"
        )
    ways = UNILATERAL[joint]
    return ways[check_choice(side, tuple(ways), f"unilateral of {joint.__name__}")]
