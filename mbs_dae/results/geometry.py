"""Readings of a result about the mechanism's geometry: vectors in any axes, angles that say how well a force drives,
angles of wheels and of what steers them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from ..provided import provided

Direction = Sequence[float] | np.ndarray
FORWARD = (1.0, 0.0, 0.0)
CALLS = {
    "transmission_angle": "transmission_angle('B', 'C', 'D')",
    "pressure_angle": "pressure_angle('B', 'C', 'D')",
    **{word: f"{word}('upright.hub')" for word in ("camber", "toe")},
    **{word: f"{word}('upright.lower', 'upright.upper')" for word in ("caster", "kingpin")},
}
"""What needs more than a name, and is written as a call: for who asks for it by name."""
CALL = re.compile(r"(\w+)\((.*)\)")


def call_of(name: object) -> tuple[str, tuple[str, ...]] | None:
    """Split a name such as "transmission_angle(B, C, D)" into its function and arguments; None for any other name."""
    found = CALL.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None or found[1] not in CALLS:
        return None
    return found[1], tuple(part.strip().strip("'\"") for part in found[2].split(","))


def calls_like(name: str) -> list[str]:
    """Return the call that a misspelt one, such as "transmision_angle(B, C, D)", means, with its arguments; without
    parentheses, with an example's; none if no function is spelt alike."""
    word, opening, rest = name.strip().partition("(")
    near = get_close_matches(word.strip(), CALLS, n=1, cutoff=0.75)
    return [f"{one}({rest}" if opening else CALLS[one].replace("'", "") for one in near]


class Geometry:
    """A part of `Result`. All of it is read off places and axes, so a result from a file knows it, too."""

    def vector(self, name: str, axes: str = "world") -> np.ndarray:
        """A vector by its components along other axes: of a body or a marker, ``vector("rod.tip.a", axes="rod")``; of
        a reaction also of the joint's "first" or "second" body. It is the same vector, nothing is taken from it: a
        velocity is that against the world, a place counts from the world's origin.

        >>> model = mbs.PlanarModel("turning rod")
        >>> rod = model.link("rod", (0, 0), (2, 0))
        >>> A = mbs.Revolute("A", model.ground, rod.tail)
        >>> _ = model.add(A, mbs.Driver("motor", mbs.angle(A), 3 * mbs.t))
        >>> turning = mbs.kinematics(model, np.linspace(0, 1, 5))
        >>> bool(np.allclose(turning.vector("rod.head.a", axes="rod"), (-18, 0)))  # towards A, at every angle
        True
        """
        return provided("Result.vector")(self, name, axes)

    # --- how well a force drives ---

    def transmission_angle(self, *joints: str) -> np.ndarray:
        """μ = π/2 - α over time, from 0 (a dead point) to π/2 (best), α the `pressure_angle`.

        ``transmission_angle("B", "C", "D")``: the coupler from B to C drives a body that is guided by D. Of a four-bar
        it is the acute angle between coupler and rocker; of a slider-crank, with its guide for D, what the angle of the
        rod against the guide lacks of a right one. It is known at dead points, too.

        >>> points = {"A": (0, 0), "B": (0, 1), "C": (3, 3), "D": (4, 0)}
        >>> rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
        >>> model = mbs.PlanarModel.from_points(points, rods, fixed="AD")
        >>> _ = model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), np.pi / 2 - mbs.t))
        >>> result = mbs.kinematics(model, np.linspace(0, np.pi / 2, 3))
        >>> mu = result.transmission_angle("B", "C", "D")[-1]  # B lies on AD: |BD| = 4 - 1
        >>> bool(np.isclose(np.cos(mu), (13 + 10 - 3**2) / (2 * np.sqrt(13 * 10))))  # the law of cosines
        True
        """
        return provided("Result.transmission_angle")(self, joints)

    def pressure_angle(self, *joints: str) -> np.ndarray:
        """α over time, from 0 (best) to π/2: between the line along which a member pushes, and the way on which a guide
        lets go the point where it pushes. Across a Revolute guide this way is at right angles to the arm; along a
        Translational one it is the guide's.

        The member is a coupler, named by the joints at both its ends, ``pressure_angle("B", "C", "D")``, with no other
        load on it; or a massless one of a single equation, which pushes along one line: a cam, a Distance, a pin in a
        slot, ``pressure_angle("cam", "guide")``. (The latter is read of one run in memory.)

        >>> model = mbs.PlanarModel("slider-crank")
        >>> crank, slider = model.link("crank", (0, 0), (1, 0)), model.body("slider", position=(3, 0))
        >>> shaft = mbs.Revolute("shaft", model.ground, crank.tail)
        >>> _ = model.add(shaft, mbs.Translational("guide", model.ground, slider))
        >>> _ = model.add(mbs.Driver("motor", mbs.angle(shaft), mbs.t))
        >>> _ = model.add(mbs.Distance("rod", crank.head, slider, length=2))
        >>> result = mbs.kinematics(model, [0, np.pi / 2])
        >>> np.degrees(result.pressure_angle("rod", "guide")).round(6)  # sin α = sin(t) / 2
        array([ 0., 30.])
        """
        return provided("Result.pressure_angle")(self, joints)

    # --- wheels ---

    def camber(
        self, wheel: str, side: str | None = None, *, axes: str = "world", forward: Direction = FORWARD,
        vertical: Direction | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The angle of a wheel's plane with the vertical over time (ISO 8855): positive where its top leans outward,
        away from the centre plane of the vehicle.

        `wheel` is a joint that the wheel spins in, or a marker whose z axis is the wheel's axis, "upright.hub".

        ``axes`` are those of the vehicle: the world's, or those of a body or a marker. Along them are said the
        `vertical` (if not, it is against gravity; where there is none, and in axes of a body, it is z) and `forward`,
        which counts as far as it is horizontal. The `side` is "left" or "right"; if it is not said, it is where the
        wheel is at first, seen from the origin of the axes.

        A left wheel that turns about x by 0.1 leans inward:

        >>> model = mbs.SpatialModel("leaning wheel")
        >>> upright = model.body("upright", position=(0, 0.8, 0.3))
        >>> hub = upright.marker("hub", 0, 0, 0, axis=(0, 1, 0))
        >>> lean = mbs.Revolute("lean", model.ground, upright, at=(0, 0.8, 0), axis=(1, 0, 0))
        >>> _ = model.add(lean, mbs.Driver("tilt", mbs.angle(lean), mbs.t))
        >>> mbs.kinematics(model, [0, 0.1]).camber("upright.hub").round(9)
        array([ 0. , -0.1])
        """
        return provided("Result.camber")(self, wheel, side, axes, forward, vertical)

    def toe(
        self, wheel: str, side: str | None = None, *, axes: str = "world", forward: Direction = FORWARD,
        vertical: Direction | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The angle of a wheel's plane with the forward direction over time, seen from above (ISO 8855): positive,
        toe-in, where the front of the wheel points to the centre plane of the vehicle. So it is the steer angle of a
        right wheel, and minus that of a left one. All arguments are those of `camber`.

        A left wheel that steers to the left by 0.1 toes out:

        >>> model = mbs.SpatialModel("steered wheel")
        >>> upright = model.body("upright", position=(0, 0.8, 0.3))
        >>> hub = upright.marker("hub", 0, 0, 0, axis=(0, 1, 0))
        >>> pin = mbs.Revolute("pin", model.ground, upright, at=(0, 0.7, 0.3), axis=(0, 0, 1))
        >>> _ = model.add(pin, mbs.Driver("steer", mbs.angle(pin), mbs.t))
        >>> mbs.kinematics(model, [0, 0.1]).toe("upright.hub").round(9)
        array([ 0. , -0.1])
        """
        return provided("Result.toe")(self, wheel, side, axes, forward, vertical)

    def caster(
        self, lower: str, upper: str, *, axes: str = "world", forward: Direction = FORWARD,
        vertical: Direction | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The angle of the steering axis with the vertical over time, seen from the side (ISO 8855): positive where its
        top is inclined to the rear. The axis goes from a lower to an upper joint or marker; the other
        arguments are those of `camber`.

        >>> model = mbs.SpatialModel("strut")
        >>> lower, upper = model.ground.marker("lower", 0, 0.7, 0.2), model.ground.marker("upper", -0.05, 0.6, 0.7)
        >>> upright = model.body("upright")
        >>> result = mbs.assemble(model.plus(mbs.Fixed("weld", model.ground, upright))).result
        >>> bool(np.isclose(np.tan(result.caster("ground.lower", "ground.upper")[0]), 0.05 / 0.5))
        True
        """
        return provided("Result.caster")(self, lower, upper, axes, forward, vertical)

    def kingpin(
        self, lower: str, upper: str, side: str | None = None, *, axes: str = "world", forward: Direction = FORWARD,
        vertical: Direction | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The angle of the steering axis with the vertical over time, seen from the front (ISO 8855): the inclination
        of the kingpin, positive where its top is inclined inward. The arguments are those of `caster` and `camber`.

        >>> model = mbs.SpatialModel("strut")
        >>> lower, upper = model.ground.marker("lower", 0, 0.7, 0.2), model.ground.marker("upper", -0.05, 0.6, 0.7)
        >>> upright = model.body("upright")
        >>> result = mbs.assemble(model.plus(mbs.Fixed("weld", model.ground, upright))).result
        >>> bool(np.isclose(np.tan(result.kingpin("ground.lower", "ground.upper")[0]), 0.1 / 0.5))
        True
        """
        return provided("Result.kingpin")(self, lower, upper, side, axes, forward, vertical)
