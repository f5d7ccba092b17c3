"""A plate cam that lifts a follower in a guide: rise, dwell, return, dwell in each turn.

The follower stands on the y axis, at height base + s(φ) when the cam has turned by φ; s is the motion law.

    follower="point"   a roller: its centre goes on the pitch curve, of radius base + s in the direction π/2 - φ of
                       the cam's axes;
    follower="flat"    a flat face: the tangent with normal in the direction π/2 - φ of the cam's axes is base + s
                       from its centre. The cam stays convex as long as base + s + s'' > 0.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 181)  # s: one turn at the default speed


def law(lift) -> mbs.Motion:
    """Up in 120° of the cam, 30° above, down in 120°, 90° below; the acceleration has no jump and no corner."""
    up = mbs.Motion().rise(lift, over=2 * sp.pi / 3, law="4-5-6-7").dwell(sp.pi / 6)
    return up.return_(over=2 * sp.pi / 3, law="4-5-6-7").dwell(sp.pi / 2).repeat()


def build(
    base=0.050,  # m: from the cam's centre to the follower at rest (to the roller's centre, or to the face)
    lift=0.020,  # m
    omega=2 * np.pi,  # rad/s: speed of the cam
    follower="point",
) -> mbs.PlanarModel:
    model = mbs.PlanarModel(f"cam and {'roller' if follower == 'point' else 'flat'} follower", gravity=(0.0, -9.81))
    base = model.parameter("base", base, unit="m")
    lift = model.parameter("lift", lift, unit="m")
    omega = model.parameter("omega", omega, unit="rad/s")

    s = law(lift)
    ground = model.ground
    cam = model.body("cam", mass=1.2, inertia=1.2 * base**2 / 2)
    stem = model.body("follower", mass=0.3, inertia=3e-4, position=(0, base))
    upwards = sp.pi / 2
    model.add(
        mbs.Revolute("bearing", ground, cam),
        mbs.Translational("guide", ground.at(0, 0, angle=upwards), stem.at(0, 0, angle=upwards)),
        mbs.CamFollower("contact", cam, stem, profile=lambda theta: base + s(upwards - theta), follower=follower),
        mbs.Driver("motor", mbs.angle(ground, cam), omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "follower.y")
