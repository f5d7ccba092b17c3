"""Attitudes and screws of a result: rotations and twists of its bodies, and wrenches on them, as six-vectors."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..provided import provided
from .frames import coordinates, of_coordinates
from .sketch import Sketch


class Attitudes:
    """The readings of a `Result` about attitudes, twists and wrenches."""

    q: np.ndarray
    coordinate_names: tuple[str, ...]
    sketch: Sketch

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
            raise ModelError(f"body {body!r} is in the plane, and has no quaternion; read its angle")
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
