"""Composite joints: a massless link or cross between two joints, a guided point, shafts at an angle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import sympy as sp

from ...errors import ModelError
from ...symbolic.markers import FormMarker
from ...symbolic.markers import primitives as the
from ...tolerances import JOINT_ALIGNMENT
from ..bodies.body import Vector, components_of, coordinates_of
from ..fields import scalar
from ..measures import Measure, angle, displacement, joint_angles
from .base import Joint
from .motions import Ball, Slide, Turn


class Distance(Joint):
    """A massless rod with a pin at either end (revolute-revolute), in space with a ball at either end
    (spherical-spherical).

    Φ = d·d - length², d from the first point to the second: smooth also for short d. The length, in m, defaults to that
    of the reference placement.

    With ``unilateral="rope"`` it only pulls, with ``"strut"`` it only pushes: a contact, which takes ``restitution`` as
    well.

    >>> model = mbs.PlanarModel("lamp", gravity=(0, -10))
    >>> lamp = model.body("lamp", mass=3.0, inertia=0.1, position=(0.6, -0.8))
    >>> model.add(mbs.Distance("rod", model.ground, lamp))  # 1 m long, as placed
    <Distance rod>
    >>> rest = mbs.equilibrium(model)
    >>> print(round(rest["lamp.y"], 6), round(rest["rod.Fy"], 6))
    -1.0 30.0
    >>> mbs.SphericalSpherical is mbs.Distance
    True
    """

    unit = "m²"
    sketch = "link"
    measured = ("distance",)
    length = scalar("m", default=the.distance, positive=True)

    def __init__(self, name: str, *args: Any, unilateral: Literal["rope", "strut"] | None = None, **constants: Any):
        super().__init__(name, *args, **constants)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, length: sp.Expr) -> list[sp.Expr]:
        d = j.point - i.point
        return [d.dot(d) - length**2]


SphericalSpherical = Distance
"""Another name of `Distance`, for links in space."""


class RevoluteSpherical(Joint):
    """A massless rod, pinned to the first body about the axis of its marker, with a ball at the second body, normal to
    the pin. The length is in m.

    Φ = (d·d - length², z_i · d).

    >>> model = mbs.SpatialModel("suspension")
    >>> hub = model.body("hub", position=(1, 0, 0))
    >>> model.add(mbs.RevoluteSpherical("arm", model.ground, hub))  # the pin is along z
    <RevoluteSpherical arm>
    >>> mbs.diagnose(model).degrees_of_freedom
    4
    >>> turned = mbs.assemble(model, fix={"hub.y": 0.8})
    >>> print(round(turned["hub.x"], 6))
    0.6
    """

    dimensions = (3,)
    elsewhere = "take a Distance"
    unit = ("m²", "m")
    sketch = "link"
    length = scalar("m", default=the.distance, positive=True)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, length: sp.Expr) -> list[sp.Expr]:
        d = j.point - i.point
        return [d.dot(d) - length**2, i.axis.dot(d)]


class PinInSlot(Joint):
    """A pin (second marker) in a straight slot along the x axis of the first (revolute-translational): it may slide and
    turn. In space, a ball in a straight guide along the first marker's axis.

    >>> model = mbs.PlanarModel("slot")
    >>> arm = model.link("arm", (0, 0), (2, 0))
    >>> slot = model.ground.at(0, 1, np.pi / 2)  # along the y axis
    >>> model.add(mbs.PinInSlot("pin", slot, arm.head))
    <PinInSlot pin>
    >>> mbs.diagnose(model).degrees_of_freedom
    2
    >>> up = mbs.assemble(model, fix={"pin.displacement": 0.5, "arm.angle": 0.0})
    >>> print(round(up["arm.x"], 6), round(up["arm.y"], 6))
    -1.0 1.5
    >>> mbs.PointOnLine is mbs.PinInSlot
    True
    """

    sketch = "slot"
    motions = {2: (Slide(0), Turn(2)), 3: (Slide(2), Ball())}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return the.on_line(i, j)

    def measures(self) -> dict[str, Measure]:
        measures = {"displacement": displacement(*self.markers)}
        return measures | {"angle": angle(*self.markers)} if self.dimension == 2 else measures


PointOnLine = PinInSlot
"""Another name of `PinInSlot`, for guides in space."""


class Universal(Joint):
    """A Cardan joint: two shafts meet in a cross. The first carries the cross's pin along the x axis of its marker, the
    second carries the pin along the y axis of its own marker.

    Φ = (r_i - r_j, x_i · y_j): the pins stay orthogonal.

    With ``at=`` the pins may be given: ``pins=((0, 0, 1), (0, 1, 0))`` are the directions in the world of the first
    shaft's pin and of the second's, in the reference placement. Behind a bend of 60° the second shaft turns between cos
    60° and 1/cos 60° as fast as the first:

    >>> model = mbs.SpatialModel("cardan shaft")
    >>> first, second = model.body("first"), model.body("second")
    >>> along, bent = (1, 0, 0), (0.5, np.sqrt(0.75), 0)
    >>> A = model.add(mbs.Revolute("A", model.ground, first, at=(0, 0, 0), axis=along))
    >>> B = model.add(mbs.Revolute("B", model.ground, second, at=(0, 0, 0), axis=bent))
    >>> cross = mbs.Universal("cross", first, second, at=(0, 0, 0), pins=((0, 1, 0), (0, 0, 1)))
    >>> engine = mbs.Driver("engine", mbs.angle(A), mbs.t)
    >>> turned = mbs.kinematics(model.plus(cross, engine), np.linspace(0, np.pi, 181))
    >>> print(turned["B.omega"].min().round(6), turned["B.omega"].max().round(6))
    0.5 2.0

    Results name the rotation of the cross about the first shaft's pin "cross.angle_1", and the rotation of the second
    shaft about its pin in the cross "cross.angle_2", in rad, from -π to π, with "cross.angle_1_rate" and
    "cross.angle_1_acceleration"; both are 0 where the frames of the markers are parallel. Drivers, springs and stops
    take one of them as ``mbs.angle(cross, 1)``.

    >>> print(np.degrees(turned["cross.angle_1"]).max().round(6))  # the bend, when its pin is upright on it
    60.0
    """

    dimensions = (3,)
    unit = ("m",) * 3 + ("rad",)
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "cross"
    motions = {3: (Turn(0), Turn(1))}  # about the first pin, then about the second

    def __init__(
        self, name: str, *args: Any, at: Vector | None = None, axis: Vector | None = None,
        x_axis: Vector | None = None, pins: Sequence[Vector] | None = None, **places: Any,
    ):  # fmt: skip
        if pins is not None:
            who = f"Universal {name!r}"
            if at is None or axis is not None or x_axis is not None:
                raise ModelError(
                    f"{who} takes pins= with at= and bodies; leave out axis= and x_axis=, which pins give",
                    code="contradictory-arguments", name=name,
                )  # fmt: skip
            axis, x_axis = _across(pins, who)
        super().__init__(name, *args, at=at, axis=axis, x_axis=x_axis, **places)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.coincident(i, j), *the.perpendicular(i.x_axis, j.y_axis)]

    def measures(self) -> dict[str, Measure]:
        """Return the angles of R = R_x(angle_1) R_y(angle_2), the rotation from the first frame to the second, R_kl =
        e_k · e_l."""
        return joint_angles(self.markers, (_about_first_pin, _about_second_pin))


def _about_first_pin(i: FormMarker, j: FormMarker) -> sp.Expr:
    return sp.atan2(i.z_axis.dot(j.y_axis), i.y_axis.dot(j.y_axis))


def _about_second_pin(i: FormMarker, j: FormMarker) -> sp.Expr:
    return sp.atan2(i.x_axis.dot(j.z_axis), i.x_axis.dot(j.x_axis))


def _across(pins: Any, who: str) -> tuple[Vector, Vector]:
    """Return the z and x axes of the frame whose x and y axes are these pins."""
    pair = components_of(pins, f"pins= of {who}", ("first", "second"))
    x, y = (sp.Matrix(coordinates_of(pin, f"pin of {who}", 3)) for pin in pair)
    size = sp.sqrt(x.dot(x) * y.dot(y))
    if size == 0:
        raise ModelError(
            f"a pin of {who} has no direction; give e.g. pins=((1, 0, 0), (0, 1, 0))", code="zero-vector", subject=who
        )
    cosine = sp.simplify(x.dot(y) / size)
    if cosine.free_symbols or abs(float(cosine)) > JOINT_ALIGNMENT:
        angle = f"the cosine between them is {cosine}"
        if not cosine.free_symbols:
            angle = f"they make {float(sp.deg(sp.acos(cosine))):.6g}°"
        problem = f"the pins of {who} must be at right angles, as those of a cross are; {angle}"
        remedy = "take for the second one what is at right angles to its own shaft and to the first"
        raise ModelError(f"{problem}; {remedy}", code="pins-not-perpendicular", subject=who)
    return tuple(x.cross(y)), tuple(x)


class ConstantVelocity(Joint):
    """A homokinetic joint: two shafts, along the axes of their markers, meet in a point and turn equally fast.

    The shafts bend against each other about an axis normal to both, and do not twist: with R the rotation from the
    first frame to the second, a rotation about an axis n without component along z has R_xy = R_yx::

        Φ = (r_i - r_j, x_i · y_j - y_i · x_j).

    >>> model = mbs.SpatialModel("drive shaft")
    >>> first, second = model.body("first"), model.body("second")
    >>> along, bent = (1, 0, 0), (0.8, 0.6, 0)
    >>> A = model.add(mbs.Revolute("A", model.ground, first, at=(0, 0, 0), axis=along))
    >>> B = model.add(mbs.Revolute("B", model.ground, second, at=(0, 0, 0), axis=bent))
    >>> joint = mbs.ConstantVelocity("joint", first.at(0, 0, 0, axis=along), second.at(0, 0, 0, axis=bent))
    >>> engine = mbs.Driver("engine", mbs.angle(A), mbs.t)
    >>> turned = mbs.kinematics(model.plus(joint, engine), np.linspace(0, np.pi, 181))
    >>> print(turned["B.omega"].min().round(6), turned["B.omega"].max().round(6))
    1.0 1.0
    """

    dimensions = (3,)
    unit = ("m",) * 3 + ("rad",)
    facing = "twist"  # R_xy = R_yx also where the shaft is twisted by half a turn
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "cross"

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.coincident(i, j), i.x_axis.dot(j.y_axis) - i.y_axis.dot(j.x_axis)]
