"""A disk that rolls on a table without slipping. Five coordinates, but three degrees of freedom: it may get anywhere,
in any attitude, by rolling only.

θ is its inclination (upright at 90°), Ω its precession about the vertical, ω₃ its rate about its own axis. With
I₁ = m R²/4 and I₃ = m R²/2 it rolls steadily on a circle of radius ρ = R ω₃/Ω where

    (I₃ + m R²) Ω ω₃ sin θ = I₁ Ω² sin θ cos θ - m g R cos θ,

and upright rolling is stable for ω₃² > g/(3R). Here it is pushed too fast for its inclination: it wobbles.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 3, 601)  # s
INITIAL = {"disk.wx": 0.0, "disk.wy": -5.0, "disk.wz": -2.5}  # rad/s


def build(
    m=1.0,  # kg
    R=0.5,  # m
    theta=1.2,  # rad: the inclination at t = 0, towards y
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("rolling disk", gravity=(0.0, 0.0, -9.81))
    m = model.parameter("m", m, unit="kg")
    R = model.parameter("R", R, unit="m")
    theta = model.parameter("theta", theta, unit="rad")

    s, c = sp.sin(theta), sp.cos(theta)
    attitude = sp.Matrix([[-1, 0, 0], [0, -c, s], [0, s, c]])  # its z axis is the axis of the disk; y climbs to the top
    across = m * R**2 / 4
    disk = model.body("disk", m, (across, across, 2 * across), position=(0, -R * c, R * s), rotation=attitude)
    disk.marker("rim", 0, R, 0)
    model.add(mbs.RollingDisk("contact", model.ground, disk, radius=R))
    return model


if __name__ == "__main__":
    from _show import show_motion

    names = "disk.x", "disk.y", "disk.z"
    show_motion(build(), TIMES, *names, initial=INITIAL, paths=("disk", "disk.rim"), method="DP8")
