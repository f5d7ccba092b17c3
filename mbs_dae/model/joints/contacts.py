"""Bodies in contact: a pinion on its rack, a cam and its follower, a point on a plane, rolling and cutting bodies.

A rolling or cutting body may reach any place, but not in every direction: its equations restrict velocities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading
from ...symbolic.functions import Unwound
from ...symbolic.markers import FormMarker, marker_symbols
from ...symbolic.markers import primitives as the
from ...tolerances import GEAR_DISTANCE
from ..element import Declared
from ..fields import choice, function, scalar
from ..parameters import Evaluator, Number
from ..tables import check_closed, check_radius
from .base import Joint
from .motions import Ball, Slide


def _slip(i: FormMarker, j: FormMarker, *, radius: sp.Expr, side: str) -> sp.Expr:
    shift = j.x_axis.dot(i.point - j.point)
    roll = radius * the.turn(j, i)
    return shift + roll if side == "above" else shift - roll


class RackAndPinion(Joint):
    """A pinion (first marker: its centre) rolling on a rack (second marker: its x axis is the pitch line).

    With the pinion on the rack's +y side, rolling forward turns it clockwise: u = -radius * rotation, where u is the
    pinion's displacement along the rack. On the -y side (``side="below"``) the sign is reversed. In space both markers
    have their axes along that of the pinion. Other joints hold the centre at the distance `radius`, in m, from the
    pitch line; motions in which they do not are refused.

    Under a pinion that turns clockwise in its bearing the rack moves to the left:

    >>> model = mbs.PlanarModel("steering")
    >>> pinion, rack = model.body("pinion", position=(0, 0.02)), model.body("rack")
    >>> A = model.add(mbs.Revolute("A", model.ground, pinion, at=(0, 0.02)))
    >>> guide = model.add(mbs.Translational("guide", model.ground, rack))
    >>> mesh = model.add(mbs.RackAndPinion("mesh", pinion, rack, radius=0.02))
    >>> turned = mbs.assemble(model, fix={"pinion.angle": -1.0})
    >>> print(round(turned["rack.x"], 6))
    -0.02
    """

    sketch = "mesh"
    radius = scalar("m", positive=True)
    side = choice("above", "below", default="above")
    phase = scalar("m", default=_slip)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, radius: sp.Expr, side: str, phase: sp.Expr) -> list[sp.Expr]:
        return [_slip(i, j, radius=radius, side=side) - phase]

    @property
    def pitch(self) -> Reading:
        """The signed distance of the pinion's centre from the pitch line, positive on the +y side, in m, and the cosine
        between the axes."""
        i, j = marker_symbols(2, self.dimension)
        aligned = sp.S.One if self.dimension == 2 else i.axis.dot(j.axis)
        return Reading((i, j), (j.y_axis.dot(i.point - j.point), aligned))

    def check_mesh(self, number: Evaluator, t: np.ndarray, place: np.ndarray, aligned: np.ndarray) -> None:
        """Check that the pitch circle touches the pitch line along a motion. `place` and `aligned` are the values of
        `pitch`, arrays over the times t."""
        radius, above = number(self.values["radius"]), self.values["side"] == "above"
        distance = place if above else -place
        off = np.maximum(np.abs(distance - radius) / radius, np.abs(aligned - 1.0))
        if not (off > GEAR_DISTANCE).any():
            return
        k = int(np.argmax(off > GEAR_DISTANCE))
        when = f"at t = {t[k]:.6g}"
        if abs(aligned[k] - 1.0) > GEAR_DISTANCE:
            what = f"the axes of pinion and rack of {self.who} are not parallel and in the same sense {when}"
            raise ModelError(
                f"{what}; correct the markers: both have their axes along that of the pinion",
                code="axes-not-parallel", element=self.name, time=float(t[k]),
            )  # fmt: skip
        side = f'{"above" if place[k] >= 0.0 else "below"} it, while side="{self.values["side"]}"'
        what = f"the centre of the pinion of {self.who} is {abs(distance[k]):.6g} m from the pitch line {when}, {side}"
        problem = f"{what}, and its radius is {radius:.6g} m: pitch circle and pitch line touch at {radius:.6g} m"
        raise ModelError(
            f"{problem}; correct the radius, side= or the places of pinion and rack",
            code="wheels-do-not-mesh", radius=radius,
        )  # fmt: skip


class CamFollower(Joint):
    """A follower (second marker) on a cam (first marker: its centre).

    ``follower="point"`` (a knife edge, or the centre of a roller): ``profile`` is the radius, in m, of the curve that
    this point follows on the cam - for a roller the pitch curve - as a function of the polar angle in cam axes::

        Φ = |d| - profile(polar angle of d),       d from the cam's centre to the point, in cam axes.

    ``follower="flat"``: the face is the x axis of the follower marker, its y axis points away from the cam; `profile`
    is the distance of the tangent from the cam's centre, in m, as a function of its normal's direction in cam axes::

        Φ = y_j · (r_j - r_i) - profile(θ_j + π/2 - θ_i).

    In space both markers have their axes along the camshaft, and only components normal to it matter.

    The profile is a sympy expression of ``mbs.theta``, a periodic `Table`, or a `Motion`.

    With ``unilateral=True`` the follower may lift off: a contact, which takes ``restitution`` and ``friction`` as well.

    >>> import sympy as sp
    >>> model = mbs.PlanarModel("cam")
    >>> cam, follower = model.body("cam"), model.body("follower", position=(0, 0.1))
    >>> A = model.add(mbs.Revolute("A", model.ground, cam, at=(0, 0)))
    >>> guide = model.add(mbs.Translational("guide", model.ground, follower, at=(0, 0), axis=(0, 1)))
    >>> lift = model.add(mbs.CamFollower("lift", cam, follower, profile=0.1 + 0.02 * sp.cos(mbs.theta)))
    >>> top = mbs.assemble(model, fix={"cam.angle": np.pi / 2})  # the nose of the cam points up
    >>> print(round(top["follower.y"], 6))
    0.12
    """

    sketch = "contact"
    profile = function("m", jumps=False)
    follower = choice("point", "flat", default="point")

    def __init__(self, name: str, *args: Any, unilateral: bool = False, **constants: Any):
        super().__init__(name, *args, **constants)
        check_closed(self.values["profile"].given, f"profile of {self.who}")

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        check_cam(self, number)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, profile: Any, follower: str) -> list[sp.Expr]:
        d = j.point - i.point
        if follower == "flat":
            return [j.y_axis.dot(d) - profile(the.turn(i, j) + sp.pi / 2)]
        x, y = i.x_axis.dot(d), i.y_axis.dot(d)
        polar = Unwound(sp.atan2(y, x), sp.S.Zero)  # profiles are closed: no jump at ±π
        return [sp.sqrt(x**2 + y**2) - profile(polar)]


def check_cam(cam: Declared, number: Callable[[Number], float]) -> None:
    """Check that the profile of a cam is closed and, under a point, nowhere runs into the centre."""
    given, what = cam.values["profile"].given, f"the profile of {cam.who}"
    check_closed(given, what, number)
    if cam.values["follower"] == "point":
        check_radius(given, what, number)


class PointInPlane(Joint):
    """A point of the second body stays in the plane through the first marker, normal to its axis.

    >>> model = mbs.SpatialModel("table")
    >>> table = model.body("table", position=(0, 0, 1))
    >>> model.add(mbs.PointInPlane("foot", model.ground, table.at(0.5, 0, -1)))
    <PointInPlane foot>
    >>> mbs.diagnose(model).degrees_of_freedom
    5
    """

    dimensions = (3,)
    elsewhere = "take a PinInSlot"
    sketch = "face"
    motions = {3: (Slide(0), Slide(1), Ball())}

    @staticmethod
    def phi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return the.in_plane(i, j)


def _against(i: FormMarker, j: FormMarker, point: sp.Matrix) -> sp.Matrix:
    """Return the velocity of the second body's material at a point, relative to that of the first body."""
    return j.velocity_at(point) - i.velocity_at(point)


class KnifeEdge(Joint):
    """The runner of a sleigh: the second marker's point moves along its own x axis over the first body, never along its
    y axis.

    Ψ = y_j · (velocity of the point relative to the first body).

    >>> model = mbs.PlanarModel("sleigh")
    >>> sleigh = model.body("sleigh", mass=1.0, inertia=0.1, angle=np.arctan2(3, 4))
    >>> model.add(mbs.KnifeEdge("runner", model.ground, sleigh))
    <KnifeEdge runner>
    >>> gliding = mbs.simulate(model, [0, 1], initial={"sleigh.vx": 4.0, "sleigh.omega": 0.0})
    >>> print(gliding["sleigh.x"][-1].round(6), gliding["sleigh.y"][-1].round(6))  # straight on
    4.0 3.0
    """

    unit = "m/s"
    sketch = "runner"

    @staticmethod
    def psi(i: FormMarker, j: FormMarker) -> list[sp.Expr]:
        return [-j.y_axis.dot(_against(i, j, j.point))]


class RollingDisk(Joint):
    """A thin disk (second marker: its centre and its axis) that rolls without slip on the plane through the first
    marker normal to its axis.

    The lowest point of the rim lies at c = r_j - radius e, where e is the direction of steepest ascent in the disk's
    own plane: e ∝ n - (n·z_j) z_j, with n the normal of the plane::

        Φ = n · (r_i - c) = 0                contact
        Ψ = (x_i, y_i) · ċ = 0               no slip: ċ is the velocity of the disk's material at c

    >>> model = mbs.SpatialModel("coin")
    >>> coin = model.body("coin", mass=0.01, inertia=(1e-6, 1e-6, 2e-6), position=(0, 0, 0.02),
    ...                   rotation=mbs.rotations.about((1, 0, 0), np.pi / 2))  # on edge, its axis along -y
    >>> model.add(mbs.RollingDisk("rim", model.ground, coin, radius=0.02))
    <RollingDisk rim>
    >>> rolls = mbs.assemble(model, fix={"coin.wy": 5.0, "coin.wx": 0.0, "coin.wz": 0.0})
    >>> print(round(rolls["coin.vx"], 6))  # ω r
    0.1
    """

    dimensions = (3,)
    unit = ("m", "m/s", "m/s")
    sketch = "disk"
    radius = scalar("m", positive=True)

    @staticmethod
    def phi(i: FormMarker, j: FormMarker, radius: sp.Expr) -> list[sp.Expr]:
        return [i.axis.dot(i.point - _contact(i, j, radius))]

    @staticmethod
    def psi(i: FormMarker, j: FormMarker, radius: sp.Expr) -> list[sp.Expr]:
        slip = _against(i, j, _contact(i, j, radius))
        return [-direction.dot(slip) for direction in i.across]


def _contact(i: FormMarker, j: FormMarker, radius: sp.Expr) -> sp.Matrix:
    n, z = i.axis, j.axis
    lean = n.dot(z)
    return j.point - radius * (n - lean * z) / sp.sqrt(1 - lean**2)
