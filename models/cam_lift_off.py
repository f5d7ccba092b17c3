"""A cam from which its follower lifts off where it turns too fast.

An eccentric disk under a flat face lifts the follower by y = a (1 - cos ωt), whatever its radius. A spring of stiffness
k, pressed by δ, keeps them together: the cam has to push with

    N = m ÿ + k (y + δ) + m g,      least where y = 2a:      N = 0 there at      ω_c² = (2 k a + k δ + m g)/(m a).

Faster than that the follower leaves where N vanishes, cos ωt = -(k a + k δ + m g)/(a (m ω² - k)), swings freely on its
spring, and comes down on the cam's other side.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 0.1, 401)  # s
INITIAL = {"follower.vy": 0.0}


def build(
    R=0.03,  # m: disk
    a=0.01,  # m: eccentricity
    m=0.5,  # kg: follower
    k=2000.0,  # N/m
    delta=0.01,  # m: by which the spring is pressed below
    omega=136.721029838,  # rad/s: 1.2 times as fast as the follower can
    e=0.0,  # restitution
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("cam that is too fast", gravity=(0.0, -9.81))
    R = model.parameter("R", R, unit="m")
    a = model.parameter("a", a, unit="m")
    m = model.parameter("m", m, unit="kg")
    k = model.parameter("k", k, unit="N/m")
    delta = model.parameter("delta", delta, unit="m")
    omega = model.parameter("omega", omega, unit="rad/s")
    e = model.parameter("e", e)

    cam = model.body("cam", mass=1.0, inertia=R**2 / 2)
    follower = model.body("follower", mass=m, inertia=m * R**2, position=(0, R - a))
    upwards = sp.pi / 2
    model.add(
        mbs.Revolute("bearing", model.ground, cam),
        mbs.Translational("guide", model.ground.at(0, 0, angle=upwards), follower.at(0, 0, angle=upwards)),
        mbs.CamFollower(
            "contact", cam, follower, profile=lambda theta: R - a * sp.sin(theta), follower="flat",
            unilateral=True, restitution=e,
        ),
        mbs.Force("spring", follower, (0, -k * (model["follower.y"] - (R - a) + delta))),
        mbs.Driver("motor", mbs.angle(model.ground, cam), omega * mbs.t),
    )  # fmt: skip
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "follower.y", initial=INITIAL)
    open_ = run.t[run.modes["contact"] == "open"]
    print(f"it lifts off by t = {open_[0]:.5f} s, comes back at {run.impacts[0].t:.6f} s")
