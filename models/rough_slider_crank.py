"""A slider-crank whose slider rubs in its guide and hits a stop.

Friction in the guide is -μ |N| sign(ẋ) with the guide's own force N, which depends on the friction: rod and guide share
the load. With the angle ψ of the rod and the force S in it, the slider's balance is

    m ẍ = -S cos ψ - μ |N| sign(ẋ),      N = m g - S sin ψ

(for a massless rod): where tan ψ comes near 1/μ it locks. At the stop, all impulses of the pins follow with that of the
stop; in ``run.impacts``.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1.5, 301)  # s
INITIAL = {"crank.omega": 0.0}


def build(
    r=0.3,  # m: crank
    l=0.8,  # m: connecting rod
    m1=1.0,  # kg: crank
    m2=1.5,  # kg: rod
    m3=2.0,  # kg: slider
    theta=1.3,  # rad: the crank at t = 0
    reach=1.07,  # m: where the stop is
    e=0.3,  # restitution
    mu=0.1,  # friction of the guide
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("rough slider-crank", gravity=(0.0, -9.81))
    r = model.parameter("r", r, unit="m")
    l = model.parameter("l", l, unit="m")
    m1 = model.parameter("m1", m1, unit="kg")
    m2 = model.parameter("m2", m2, unit="kg")
    m3 = model.parameter("m3", m3, unit="kg")
    theta = model.parameter("theta", theta, unit="rad")
    reach = model.parameter("reach", reach, unit="m")
    e = model.parameter("e", e)
    mu = model.parameter("mu", mu)

    pin = r * sp.cos(theta), r * sp.sin(theta)
    tilt = -sp.asin(r * sp.sin(theta) / l)
    crank = model.body("crank", mass=m1, inertia=m1 * r**2 / 12, com=(r / 2, 0), angle=theta)
    rod = model.body("rod", mass=m2, inertia=m2 * l**2 / 12, com=(l / 2, 0), position=pin, angle=tilt)
    slider = model.body("slider", mass=m3, inertia=m3 * r**2 / 100, position=(pin[0] + l * sp.cos(tilt), 0))
    guide = mbs.Translational("guide", model.ground, slider)
    model.add(
        mbs.Revolute("O", model.ground, crank),
        mbs.Revolute("A", crank.at(r, 0), rod),
        mbs.Revolute("B", rod.at(l, 0), slider),
        guide,
        mbs.Friction("rub", guide, mu=mu),
        mbs.Stop("stop", mbs.x(slider), upper=reach, restitution=e),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "slider.x", "crank.angle", initial=INITIAL)
    for hit in run.impacts[:3]:
        stop, pin = hit.impulses["stop"][0], np.hypot(*hit.impulses["A"][:2])
        print(f"t = {hit.t:.6f} s: stop {stop:.4f} N s, crank pin {pin:.4f} N s, {hit.energy_lost:.4f} J lost")
