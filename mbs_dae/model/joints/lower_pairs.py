"""Lower pairs: surfaces in contact."""

from __future__ import annotations

import sympy as sp

from ...symbolic.markers import FormMarker
from ...symbolic.markers import primitives as the
from ..fields import scalar
from ..measures import Measure, joint_angles
from .base import Joint
from .motions import Ball, Helix, Slide, Turn


class Revolute(Joint):
    """A pin: the two points coincide; in space the axes are parallel, too.

    The pin joins two markers; or two bodies in their placement, ``Revolute("A", ground, arm, at=(0, 0))``, in space
    with the direction ``axis=`` of the pin. Results name its angle "A.angle" and "A.omega", and its reaction on the
    second body "A.Fx", "A.Fy", in space also "A.Fz" and the moments.

    Φ = r_i - r_j: its multiplier is the force on the second body, in world axes.

    >>> model = mbs.PlanarModel("arm")
    >>> arm = model.link("arm", (0, 0), (2, 0))
    >>> pin = model.add(mbs.Revolute("A", model.ground, arm.tail))
    >>> mbs.diagnose(model).degrees_of_freedom
    1
    >>> raised = mbs.assemble(model, fix={"A.angle": np.pi / 6})
    >>> print(round(raised["arm.head.y"], 6))  # 2 sin 30°
    1.0
    """

    unit = {2: ("m",) * 2, 3: ("m",) * 3 + ("rad",) * 2}
    facing = "axis"
    shares = {2: (("point", (0, 1)),), 3: (("point", (0, 1, 2)), ("z", (3, 4)))}
    sketch = "pin"
    measured = ("angle",)
    motions = {2: (Turn(2),), 3: (Turn(2),)}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.coincident(i, j), *the.parallel(i, j)]


class Translational(Joint):
    """A straight guide: the second marker slides along the first, and does not turn relative to it. In the plane it
    slides along the x axis of the first marker, in space along its axis.

    The guide joins two markers; or two bodies in their placement, ``Translational("guide", ground, block, at=(0, 0),
    axis=(0, 1))``, which slide along `axis`. Results name its displacement "guide.displacement" and its velocity
    "guide.velocity".

    >>> model = mbs.PlanarModel("ramp")
    >>> block = model.body("block")
    >>> ramp = model.ground.at(0, 0, np.pi / 6)  # its x axis climbs by 30°
    >>> model.add(mbs.Translational("guide", ramp, block.at(0, 0, np.pi / 6)))
    <Translational guide>
    >>> high = mbs.assemble(model, fix={"guide.displacement": 3.0})
    >>> print(round(high["block.y"], 6))
    1.5
    >>> mbs.Prismatic is mbs.Translational
    True
    """

    unit = {2: ("m", "rad"), 3: ("m",) * 2 + ("rad",) * 3}
    facing = "frame"
    shares = {2: (("x", (1,)),), 3: (("zx", (2, 3, 4)),)}
    sketch = "slider"
    measured = ("displacement",)
    motions = {2: (Slide(0),), 3: (Slide(2),)}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.on_line(i, j), *the.unturned(i, j)]


Prismatic = Translational
"""Another name of `Translational`."""


class Fixed(Joint):
    """A weld: points and axes of the two markers coincide.

    The reaction at the wall on a clamped beam, whose weight of 20 N acts half a metre away:

    >>> model = mbs.PlanarModel("cantilever", gravity=(0, -10))
    >>> beam = model.link("beam", (0, 0), (1, 0), mass=2.0)
    >>> model.add(mbs.Fixed("wall", model.ground, beam.tail))
    <Fixed wall>
    >>> held = mbs.inverse_dynamics(model, [0.0])
    >>> print(held["wall.Fy"], held["wall.M"])
    [20.] [10.]
    """

    unit = {2: ("m", "m", "rad"), 3: ("m",) * 3 + ("rad",) * 3}
    facing = "frame"
    shares = {2: (("point", (0, 1)), ("x", (2,))), 3: (("point", (0, 1, 2)), ("zx", (3, 4, 5)))}
    sketch = "weld"
    motions = {2: (), 3: ()}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.coincident(i, j), *the.unturned(i, j)]


class Cylindrical(Joint):
    """A shaft in a sleeve: it turns about the axis of the first marker and slides along it.

    >>> model = mbs.SpatialModel("drill")
    >>> spindle = model.body("spindle")
    >>> model.add(mbs.Cylindrical("sleeve", model.ground, spindle))  # about and along z
    <Cylindrical sleeve>
    >>> mbs.diagnose(model).degrees_of_freedom
    2
    >>> deep = mbs.assemble(model, fix={"sleeve.displacement": -0.1, "sleeve.angle": 0.5})
    >>> print(round(deep["spindle.z"], 6))
    -0.1
    """

    dimensions = (3,)
    elsewhere = "a PinInSlot turns and slides there"
    unit = ("m",) * 2 + ("rad",) * 2
    facing = "axis"
    shares = {3: (("z", (2, 3)),)}
    sketch = "sleeve"
    measured = ("angle", "displacement")
    motions = {3: (Slide(2), Turn(2))}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.on_line(i, j), *the.parallel(i, j)]


def _thread(i: FormMarker, j: FormMarker, *, pitch: sp.Expr) -> sp.Expr:
    return the.displacement(i, j) - pitch * the.turn(i, j) / (2 * sp.pi)


class Screw(Joint):
    """A nut on a thread: a cylindrical joint that advances by `pitch`, in m, with every turn (right-handed if
    positive). `phase` is its displacement at angle 0, in m; it defaults to that of the reference placement.

    >>> model = mbs.SpatialModel("vice")
    >>> jaw = model.body("jaw")
    >>> thread = model.add(mbs.Screw("thread", model.ground, jaw, pitch=0.004))
    >>> model.add(mbs.Driver("hand", mbs.angle(thread), mbs.t))
    <Driver hand>
    >>> closing = mbs.kinematics(model, [2 * np.pi, 4 * np.pi])  # after one turn, and after two
    >>> print(closing["jaw.z"].round(6))
    [0.004 0.008]
    """

    dimensions = (3,)
    unit = ("m",) * 2 + ("rad",) * 2 + ("m",)
    facing = "axis"
    shares = {3: (("z", (2, 3)),)}
    sketch = "sleeve"
    measured = ("angle", "displacement")
    motions = {3: (Helix(2),)}
    pitch = scalar("m")
    phase = scalar("m", default=_thread)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, pitch: sp.Expr, phase: sp.Expr) -> list[sp.Expr]:
        return [*the.on_line(i, j), *the.parallel(i, j), _thread(i, j, pitch=pitch) - phase]


class Spherical(Joint):
    """A ball and socket: the points of both markers coincide.

    >>> model = mbs.SpatialModel("pendulum in space", gravity=(0, 0, -10))
    >>> rod = model.link("rod", (0, 0, 0), (1, 1, 0), mass=3.0, radius=0.01)
    >>> model.add(mbs.Spherical("A", model.ground, rod.tail))
    <Spherical A>
    >>> mbs.diagnose(model).degrees_of_freedom
    3
    >>> rest = mbs.equilibrium(model)
    >>> print(round(rest["rod.head.z"], 6), round(rest["A.Fz"], 6))  # it hangs, √2 long, from its weight
    -1.414214 30.0

    Results have three angles of the second marker relative to the first, in rad, with "A.angle_1_rate" and
    "A.angle_1_acceleration". The second marker is turned about the x axis of the first by "A.angle_1" (from -π to π),
    then about its new y axis by "A.angle_2" (from -π/2 to π/2), then about its own z axis by "A.angle_3" (the twist;
    from -π to π). Drivers, springs and stops take one of them as ``mbs.angle(A, 2)``. At angle_2 = ±π/2 the first and
    the last axis coincide: the other two angles have no value there, and reading them is refused.

    >>> aside = mbs.assemble(model, fix={"A.angle_1": 0.3, "A.angle_2": 0.5, "A.angle_3": 0.0})
    >>> print(round(aside["A.angle_2"], 6))
    0.5
    """

    dimensions = (3,)
    elsewhere = "take a Revolute"
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "ball"
    motions = {3: (Ball(),)}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return the.coincident(i, j)

    def measures(self) -> dict[str, Measure]:
        """Return the angles of R = R_x(angle_1) R_y(angle_2) R_z(angle_3), the rotation from the first frame to the
        second."""
        return joint_angles(self.markers, (_first_angle, _second_angle, _third_angle))


def _first_angle(i: FormMarker, j: FormMarker) -> sp.Expr:
    return sp.atan2(-i.y_axis.dot(j.z_axis), i.z_axis.dot(j.z_axis))


def _second_angle(i: FormMarker, j: FormMarker) -> sp.Expr:
    across = sp.sqrt(i.y_axis.dot(j.z_axis) ** 2 + i.z_axis.dot(j.z_axis) ** 2)
    return sp.atan2(i.x_axis.dot(j.z_axis), across)


def _third_angle(i: FormMarker, j: FormMarker) -> sp.Expr:
    return sp.atan2(-i.x_axis.dot(j.y_axis), i.x_axis.dot(j.x_axis))


class Planar(Joint):
    """Two faces on each other: the second body slides and turns in the plane normal to the first's axis.

    >>> model = mbs.SpatialModel("puck")
    >>> puck = model.body("puck", position=(0, 0, 0.1))
    >>> model.add(mbs.Planar("table", model.ground.at(0, 0, 0.1), puck))
    <Planar table>
    >>> mbs.diagnose(model).degrees_of_freedom
    3
    >>> moved = mbs.assemble(model, fix={"puck.x": 2.0, "puck.y": 1.0, "table.angle": 0.5})
    >>> print(round(moved["puck.z"], 6))
    0.1
    """

    dimensions = (3,)
    elsewhere = "bodies move in the plane without it"
    unit = ("m",) + ("rad",) * 2
    facing = "axis"
    shares = {3: (("z", (1, 2)),)}
    sketch = "face"
    measured = ("angle",)
    motions = {3: (Slide(0), Slide(1), Turn(2))}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [*the.in_plane(i, j), *the.parallel(i, j)]
