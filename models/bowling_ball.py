"""A ball that is thrown flat: it slides first, and then rolls.

While it slides, friction μ m g brakes it and turns it, until its lowest point is at rest. With I = β m R² and the spin
ω₀ it has at first (positive as it will roll),

    v = v₀ - μ g t,      R ω = R ω₀ + μ g t/β,      t_r = β/(1 + β) · (v₀ - R ω₀)/(μ g),
    v_r = (v₀ + β R ω₀)/(1 + β).

How fast it rolls at last does not depend on μ: 5/7 v₀ for a ball (β = 2/5), 2/3 v₀ for a disk, 1/2 v₀ for a hoop. The
reason is that friction has no moment about a point of the lane. With backspin, R ω₀ < -v₀/β, it comes back.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 3, 301)  # s
INITIAL = {"ball.vx": 7.0, "ball.vy": 0.0, "ball.omega": 0.0}  # m/s; it rolls to the right with omega < 0


def build(
    m=6.0,  # kg
    R=0.108,  # m
    beta=0.4,  # inertia over m R²
    mu=0.12,  # friction of the lane
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("bowling ball", gravity=(0.0, -9.81))
    m = model.parameter("m", m, unit="kg")
    R = model.parameter("R", R, unit="m")
    beta = model.parameter("beta", beta)
    mu = model.parameter("mu", mu)

    ball = model.body("ball", mass=m, inertia=beta * m * R**2, position=(0, R))
    ball.marker("rim", 0, R)
    model.add(mbs.Contact("lane", mbs.Line(model.ground), mbs.Disk(ball, R), friction=mu))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "ball.x", "ball.angle", initial=INITIAL, paths=("ball.rim",))
    rolls = run.t[run.modes["lane"] == "sticks"][0]
    print(f"it rolls by t = {rolls:.2f} s, with {run['ball.vx'][-1]:.6f} m/s")
