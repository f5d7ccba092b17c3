"""A serial arm of six revolutes: three that reach (z, y, y), and three that meet in the wrist (x, y, x).

Link i turns by qᵢ against link i - 1 about its axis; where all angles are zero, the axes of all links are those of the
world. Driven joints give the forward kinematics, R = Rot(n₁, q₁) ... Rot(n₆, q₆), and with masses the torques of the
motors. Without the motors it has six degrees of freedom and falls: ``model.without(*MOTORS)``.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 201)  # s: once there and back
MOTORS = tuple(f"motor{k}" for k in range(1, 7))

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
AXES = (Z, Y, Y, X, Y, X)
JOINTS = (  # m: each joint from the joint before
    (0, 0, 0.10), (0.05, 0, 0.30), (0, 0, 0.45), (0.20, 0, 0.05), (0.25, 0, 0), (0.08, 0, 0),
)  # fmt: skip
MASSES = (12.0, 9.0, 6.0, 3.0, 1.5, 0.6)  # kg
CENTRES = (  # m: centres of mass from the joints
    (0.02, 0.01, 0.15), (0.01, -0.03, 0.22), (0.09, 0.02, 0.03), (0.12, 0, 0.01), (0.04, 0.01, 0), (0.05, 0, 0),
)  # fmt: skip
SIZES = (  # m: the links as boxes
    (0.2, 0.2, 0.3), (0.1, 0.12, 0.5), (0.3, 0.1, 0.1), (0.25, 0.08, 0.09), (0.1, 0.06, 0.05), (0.1, 0.03, 0.04),
)  # fmt: skip
TOOL = (0.12, 0, 0)  # m: from the last joint
REACH = (1.5, 0.8, 0.4, 0.8, 1.0, -1.5)  # rad: how far each joint turns


def box(mass, size):
    """Moments of inertia of a homogeneous box."""
    x, y, z = (s**2 for s in size)
    return tuple(mass / 12 * total for total in (y + z, z + x, x + y))


INERTIAS = tuple(box(m, size) for m, size in zip(MASSES, SIZES, strict=True))  # kg m²


def build(
    cycle=2.0,  # s: there and back
    swing=1.0,  # how far of REACH
    inertias=INERTIAS,
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("6R arm", gravity=(0.0, 0.0, -9.81))
    cycle = model.parameter("cycle", cycle, unit="s")
    swing = model.parameter("swing", swing)

    way = swing * (1 - sp.cos(2 * sp.pi * mbs.t / cycle)) / 2  # from 0 to `swing` and back
    place, before = np.zeros(3), model.ground
    for k in range(6):
        place = place + JOINTS[k]
        link = model.body(f"link{k + 1}", MASSES[k], inertias[k], com=CENTRES[k], position=tuple(place))
        axis = mbs.Revolute(f"axis{k + 1}", before, link, at=tuple(place), axis=AXES[k])
        model.add(axis, mbs.Driver(MOTORS[k], mbs.angle(axis), REACH[k] * way))
        before = link
    before.marker("tool", *TOOL)
    return model


if __name__ == "__main__":
    from _show import show_efforts

    names = "link6.tool.x", "link6.tool.y", "link6.tool.z"
    show_efforts(build(), TIMES, *names, efforts=MOTORS, paths=("link6.tool",))
