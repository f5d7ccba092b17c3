"""A ball that bounces until it lies still.

Let go from a height h it arrives with v = √(2 g h); each impact leaves e of the speed, and so the flights last

    T_n = 2 e^n v/g,      together      Σ T_n = 2 v/g · e/(1 - e):

infinitely many impacts in a finite time. All is over at √(2h/g) (1 + e)/(1 - e), and from there on the floor carries
the weight. The n-th impact takes m v² e^(2n) (1 - e²)/2 of the energy, all of them together m g h.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 4, 401)  # s
INITIAL = {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}


def build(
    h=1.0,  # m: under the ball
    m=0.5,  # kg
    R=0.05,  # m
    e=0.75,  # restitution
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("bouncing ball", gravity=(0.0, -9.81))
    h = model.parameter("h", h, unit="m")
    m = model.parameter("m", m, unit="kg")
    R = model.parameter("R", R, unit="m")
    e = model.parameter("e", e)

    ball = model.body("ball", mass=m, inertia=2 * m * R**2 / 5, position=(0, h + R))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, R), restitution=e))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "ball.y", initial=INITIAL, paths=("ball",))
    print(f"{len(run.impacts)} impacts; it rests from t = {run.impacts[-1].rests:.6f} s on")
