"""Readings of a result about the mechanism's geometry: attitudes, twists and wrenches, transmission and
pressure angles, angles of wheels and of their steering axes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from ..errors import ModelError
from ..provided import provided
from .frames import coordinates, of_coordinates
from .sketch import Sketch

Direction = Sequence[float] | np.ndarray
FORWARD = (1.0, 0.0, 0.0)
CALLS = {
    "transmission_angle": "transmission_angle('B', 'C', 'D')",
    "pressure_angle": "pressure_angle('B', 'C', 'D')",
    **{word: f"{word}('upright.hub')" for word in ("camber", "toe")},
    **{word: f"{word}('upright.lower', 'upright.upper')" for word in ("caster", "kingpin")},
}
"""Examples of calls, for readings that need more than a name."""
CALL = re.compile(r"(\w+)\((.*)\)")


def call_of(name: object) -> tuple[str, tuple[str, ...]] | None:
    """Split a name such as "transmission_angle(B, C, D)" into its function and arguments; return None for any other
    name."""
    found = CALL.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None or found[1] not in CALLS:
        return None
    return found[1], tuple(part.strip().strip("'\"") for part in found[2].split(","))


def calls_like(name: str) -> list[str]:
    """Return the probable call for a misspelt one, such as "transmision_angle(B, C, D)", with its arguments; without
    parentheses, with the arguments of an example; an empty list if no function has a similar name."""
    word, opening, rest = name.strip().partition("(")
    near = get_close_matches(word.strip(), CALLS, n=1, cutoff=0.75)
    return [f"{one}({rest}" if opening else CALLS[one].replace("'", "") for one in near]


class Geometry:
    """A part of `Result`. Its readings follow from positions and axes, so a result from a file has them, too."""

    q: np.ndarray
    coordinate_names: tuple[str, ...]
    sketch: Sketch

    # --- attitudes and screws ---

    def rotation(self, body: str) -> np.ndarray:
        """Return the rotation matrix from the axes of a body to those of the world over time: (len(t), 3, 3); in the
        plane 2 x 2.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), np.pi / 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 1]).rotation("rod")[1].round(6) @ [1, 0]  # its x axis after a quarter turn
        array([0., 1.])
        """
        size = self.sketch.dimension
        return of_coordinates(coordinates(self, body)).axes[:, :size, :size]

    def quaternion(self, body: str) -> np.ndarray:
        """Return the attitude of a body in space over time, as unit quaternions (scalar first): (len(t), 4).

        >>> model = mbs.SpatialModel("arm")
        >>> arm = model.link("arm", (0, 0, 0), (1, 0, 0))
        >>> hinge = model.add(mbs.Revolute("A", model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1)))
        >>> motor = model.add(mbs.Driver("motor", mbs.angle(hinge), np.pi / 2 * mbs.t))
        >>> mbs.kinematics(model, [0, 1]).quaternion("arm")[1, [0, 3]].round(3)  # a quarter turn: cos 45°, sin 45°
        array([0.707, 0.707])
        """
        own = coordinates(self, body)
        if self.sketch.dimension == 2:
            raise ModelError(
                f"body {body!r} is in the plane, and has no quaternion; read its angle",
                code="not-spatial", argument="body", body=body,
            )  # fmt: skip
        return own[:, 3:].copy()

    def twist(self, body: str) -> np.ndarray:
        """Return the twist (ω, v_O) of a body over time, in rad/s and m/s, in world axes: (len(t), 6), with v_O the
        velocity of the body's material that passes through the world's origin (`mbs.screws`).

        >>> model = mbs.SpatialModel("arm")
        >>> arm = model.link("arm", (1, 0, 0), (2, 0, 0))
        >>> hinge = model.add(mbs.Revolute("A", model.ground, arm, at=(1, 0, 0), axis=(0, 0, 1)))
        >>> motor = model.add(mbs.Driver("motor", mbs.angle(hinge), 3 * mbs.t))
        >>> mbs.kinematics(model, [0, 1]).twist("arm")[0, [2, 4]].round(6)  # ωz, and vy of what passes the origin
        array([ 3., -3.])
        """
        return provided("Result.twist")(self, body)

    def wrench(self, name: str) -> np.ndarray:
        """Return the wrench (M_O, F) of a joint, driver or force on its second body over time, in N m and N, about the
        world's origin: (len(t), 6).

        >>> model = mbs.SpatialModel("arm", gravity=(0, 0, -10))
        >>> arm = model.link("arm", (1, 0, 0), (2, 0, 0), mass=2)
        >>> wall = model.add(mbs.Fixed("wall", model.ground, arm, at=(1, 0, 0)))
        >>> mbs.inverse_dynamics(model, [0]).wrench("wall")[0, [1, 5]].round(6)  # My and Fz: 20 N at x = 1.5
        array([-30.,  20.])
        """
        return provided("Result.wrench")(self, name)

    def screw(self, joint: str) -> np.ndarray:
        """Return the unit screw about which the second body of a joint may move, over time: (len(t), 6).

        >>> model = mbs.SpatialModel("arm")
        >>> arm = model.link("arm", (1, 0, 0), (2, 0, 0))
        >>> hinge = model.add(mbs.Revolute("A", model.ground, arm, at=(1, 0, 0), axis=(0, 0, 1)))
        >>> motor = model.add(mbs.Driver("motor", mbs.angle(hinge), 3 * mbs.t))
        >>> mbs.kinematics(model, [0, 1]).screw("A")[0, [2, 4]].round(6)  # about z, through x = 1
        array([ 1., -1.])
        """
        return provided("Result.screw")(self, joint)

    # --- transmission and pressure angles ---

    def transmission_angle(self, *joints: str) -> np.ndarray:
        """Return the transmission angle μ = π/2 - α over time, in rad, shape (len(t),), from 0 (a dead point) to π/2
        (best), with α the `pressure_angle`.

        ``transmission_angle("B", "C", "D")``: the coupler from B to C drives a body that D guides. In a four-bar μ is
        the acute angle between coupler and rocker; in a slider-crank, with its guide for D, π/2 minus the angle of the
        rod against the guide. The angle is defined at dead points, too.

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
        """Return the pressure angle α over time, in rad, shape (len(t),), from 0 (best) to π/2: between the line along
        which a member pushes, and the direction in which a guide lets the pushed point move. For a Revolute guide this
        direction is normal to the arm; for a Translational one it is the guide's.

        The member is a coupler, named by the joints at both its ends, ``pressure_angle("B", "C", "D")``, with no other
        load on it; or a massless one with a single equation, which pushes along one line: a cam, a Distance, a pin in a
        slot, ``pressure_angle("cam", "guide")``. (The latter needs a single run in memory.)

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
        """Return the camber angle of a wheel over time, in rad, shape (len(t),): between the wheel's plane and the
        vertical (ISO 8855), positive if its top leans outward, away from the centre plane of the vehicle.

        `wheel` is a joint in which the wheel spins, or a marker whose z axis is the wheel's axis, "upright.hub".

        ``axes`` are those of the vehicle: the world's, or those of a body or a marker. `vertical` and `forward` are
        directions along them; by default `vertical` is against gravity (without gravity, and in axes of a body, z), and
        the horizontal part of `forward` counts. `side` is "left" or "right"; by default the side on which the wheel is
        at first, seen from the origin of the axes.

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
        """Return the toe angle of a wheel over time, in rad, shape (len(t),): between the wheel's plane and the forward
        direction, seen from above (ISO 8855), positive (toe-in) if the front of the wheel points to the centre plane of
        the vehicle. Toe is the steer angle of a right wheel, and minus that of a left one. All arguments are those of
        `camber`.

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
        """Return the caster angle over time, in rad, shape (len(t),): between the steering axis and the vertical, seen
        from the side (ISO 8855), positive if its top is inclined to the rear. The axis goes from a lower to an upper
        joint or marker; the other arguments are those of `camber`.

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
        """Return the kingpin inclination over time, in rad, shape (len(t),): between the steering axis and the
        vertical, seen from the front (ISO 8855), positive if its top is inclined inward. The arguments are those of
        `caster` and `camber`.

        >>> model = mbs.SpatialModel("strut")
        >>> lower, upper = model.ground.marker("lower", 0, 0.7, 0.2), model.ground.marker("upper", -0.05, 0.6, 0.7)
        >>> upright = model.body("upright")
        >>> result = mbs.assemble(model.plus(mbs.Fixed("weld", model.ground, upright))).result
        >>> bool(np.isclose(np.tan(result.kingpin("ground.lower", "ground.upper")[0]), 0.1 / 0.5))
        True
        """
        return provided("Result.kingpin")(self, lower, upper, side, axes, forward, vertical)
