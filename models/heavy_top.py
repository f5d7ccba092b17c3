"""A heavy top: a body of revolution whose tip is held. Three degrees of freedom.

With θ the angle of the axis from the vertical, φ the precession, ω₃ the spin about the axis, I₁ the inertia across the
axis about the tip and μ = m g l, three quantities are kept:

    I₃ω₃,    L_z = I₁ φ̇ sin²θ + I₃ω₃ cos θ,    E = (I₁ (θ̇² + φ̇² sin²θ) + I₃ω₃²)/2 + μ cos θ.

So cos θ nods between two values as an elliptic function, and the axis goes round; steadily where
I₁ φ̇² cos θ - I₃ω₃ φ̇ + μ = 0.

As it stands here it is a benchmark for integrators of rotations (Géradin, Cardona, Flexible Multibody Dynamics, 2001):
the axis is level at first, the spin fast, and the start is not that of steady precession.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s
INITIAL = {"top.wx": 150.0, "top.wy": 0.0, "top.wz": -4.61538}  # rad/s: the axis lies along x


def build(
    m=15.0,  # kg
    l=1.0,  # m: from the tip to the centre of mass
    across=0.234375,  # kg m²: inertia across the axis, about the centre of mass
    along=0.46875,  # kg m²: about the axis
    theta=np.pi / 2,  # rad: the axis at t = 0, from the vertical towards x
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("heavy top", gravity=(0.0, 0.0, -9.81))
    m = model.parameter("m", m, unit="kg")
    l = model.parameter("l", l, unit="m")
    across = model.parameter("across", across, unit="kg m²")
    along = model.parameter("along", along, unit="kg m²")
    theta = model.parameter("theta", theta, unit="rad")

    tilt = mbs.rotations.about_y(theta)
    top = model.body("top", m, (across, across, along), com=(0, 0, l), rotation=tilt)  # its frame stands in the tip
    top.marker("centre", 0, 0, l)
    model.add(mbs.Spherical("tip", model.ground.at(0, 0, 0, rotation=tilt), top))  # its three angles begin at zero
    return model


if __name__ == "__main__":
    from _show import show_motion

    names = "top.centre.x", "top.centre.y", "top.centre.z"
    show_motion(build(), TIMES, *names, initial=INITIAL, paths=("top.centre",), method="DP8")
