"""A slider-crank in space: the crank turns about x, the slider's guide is skew to its axis. One degree of freedom.

The crank pin B = A + r (0, cos φ, sin φ) and the slider's ball C = s d are l apart. With w = B (the guide runs through
the origin, |d| = 1) this is a quadratic equation for the way s of the slider:

    s = d·w + √(l² - |w|² + (d·w)²).

The rod has a ball at the crank and a universal joint at the slider, whose pin stands across the guide: so it cannot
spin about itself. With balls at both ends it could, a second degree of freedom that nobody sees.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 10, 121)  # s: one turn at the default speed


def build(
    r=0.08,  # m: crank
    l=0.30,  # m: connecting rod
    side=0.10,  # m: the axis of the crank passes the origin at this distance along y
    height=0.12,  # m: and at this one along z
    slope=0.28379410920832787,  # rad: the guide against the x axis, in the x-y plane; sin = 0.28
    omega=10.0,  # rad/s: speed of the crank
) -> mbs.SpatialModel:
    d = np.array([np.cos(slope), np.sin(slope), 0])  # the placement at φ = 0, in numbers
    A, B = np.array([0, side, height]), np.array([0, side + r, height])
    C = (d @ B + np.sqrt(l**2 - B @ B + (d @ B) ** 2)) * d

    model = mbs.SpatialModel("spatial slider-crank", gravity=(0, 0, -9.81))
    r, l, side, height = (
        model.parameter(name, x, unit="m") for name, x in (("r", r), ("l", l), ("side", side), ("height", height))
    )
    slope = model.parameter("slope", slope, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    ground = model.ground
    crank = model.link("crank", A, B, mass=1.0, length=r, radius=0.01, z_axis=(1, 0, 0))
    rod = model.link("rod", B, C, mass=0.5, length=l, radius=0.005, z_axis=(0, 0, 1))
    slider = model.body("slider", mass=0.8, inertia=1e-3, position=C)
    guide = {"axis": (sp.cos(slope), sp.sin(slope), 0), "x_axis": (0, 0, 1)}
    # The axis of the crank is its link's z axis, and its angle is counted from the world's y axis.
    pin = mbs.Revolute("A", ground.at(0, side, height, axis=(1, 0, 0), x_axis=(0, 1, 0)), crank.tail)
    model.add(
        pin,
        mbs.Spherical("B", crank.head, rod.tail),
        # The first pin is the slider's, along z; the second one is the rod's y axis.
        mbs.Universal("C", slider.at(0, 0, 0, axis=(1, 0, 0), x_axis=(0, 0, 1)), rod.head),
        mbs.Prismatic("guide", ground.at(0, 0, 0, **guide), slider.at(0, 0, 0, **guide)),
        mbs.Driver("motor", mbs.angle(pin), omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "guide.displacement", "A.angle", efforts=("motor",))
