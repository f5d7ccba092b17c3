"""Stick and slip: a block on a belt, held by a spring.

The belt takes the block along until the spring pulls harder than rest can hold, at x_s = μ_s m g/k. It slips back with
less friction, which alone would hold the spring at x_k = μ m g/k: in the phase plane (x, ẋ/ω), ω² = k/m, it goes along
a circle about (x_k, 0), until it has the speed v of the belt again, at 2 x_k - x_s. So it goes for ever,

    sticking for 2 (x_s - x_k)/v,      slipping for (2π - 2 atan((x_s - x_k) ω/v))/ω.

What begins outside this circle ends on it, caught once by the belt. Inside the circle of radius v/ω about (x_k, 0) the
block never has the speed of the belt: there friction is constant, and it swings as it began.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 3, 601)  # s
INITIAL = {"block.vx": 0.1, "block.vy": 0.0, "block.omega": 0.0}  # with the belt


def build(
    m=1.0,  # kg
    k=100.0,  # N/m
    v=0.1,  # m/s: the belt
    mu=0.3,  # friction that slides
    mu_s=0.45,  # friction of rest
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("block on a belt", gravity=(0.0, -9.81))
    m = model.parameter("m", m, unit="kg")
    k = model.parameter("k", k, unit="N/m")
    v = model.parameter("v", v, unit="m/s")
    mu = model.parameter("mu", mu)
    mu_s = model.parameter("mu_s", mu_s)

    belt = model.body("belt", mass=1.0, inertia=1.0)
    block = model.body("block", mass=m, inertia=m / 1000)
    model.add(
        mbs.Translational("rollers", model.ground, belt),
        mbs.Driver("motor", mbs.x(belt), v * mbs.t),
        mbs.Contact("rub", mbs.Line(belt), mbs.Point(block), friction=mu, static_friction=mu_s),
        mbs.Force("spring", block, (-k * model["block.x"], 0)),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "block.x", initial=INITIAL)
    print(f"it slips for {np.mean(run.modes['rub'] == 'slips'):.0%} of the time")
