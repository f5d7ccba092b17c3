"""Newton's cradle: as many balls fly off as have come.

Equal balls on threads of length L hang side by side, a little apart. Two balls that are alike exchange their velocities
in an impact that loses nothing. So the velocity of the first goes through the row from ball to ball, the last one flies
off, comes back, and so on, with the period 4 K(sin φ/2) √(L/g) of a single pendulum.

In a row without gaps all impacts are one. Momentum and energy are two equations for the velocities of all balls behind
it: for three balls and more they have many solutions, and which of them comes about is up to the law of impacts.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s
INITIAL = {f"pin{k}.omega": 0.0 for k in range(1, 6)}


def build(
    L=0.2,  # m: threads
    R=0.02,  # m: balls
    m=0.1,  # kg
    gap=1e-5,  # m: between balls that hang
    phi=0.5,  # rad: of the balls that are lifted
    e=1.0,  # restitution
    balls=5,
    lifted=1,  # how many of them
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("Newton's cradle", gravity=(0.0, -9.81))
    L = model.parameter("L", L, unit="m")
    R = model.parameter("R", R, unit="m")
    m = model.parameter("m", m, unit="kg")
    gap = model.parameter("gap", gap, unit="m")
    phi = model.parameter("phi", phi, unit="rad")
    e = model.parameter("e", e)

    before = None
    for k in range(balls):
        foot, angle = k * (2 * R + gap), -phi if k < lifted else 0
        ball = model.body(f"ball{k + 1}", mass=m, inertia=0, com=(0, -L), position=(foot, 0), angle=angle)
        model.add(mbs.Revolute(f"pin{k + 1}", model.ground.at(foot, 0), ball))
        middle = ball.marker("middle", 0, -L)
        if before is not None:
            model.add(mbs.Contact(f"hit{k}", mbs.Disk(before, R), mbs.Disk(middle, R), restitution=e))
        before = middle
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "pin1.angle", "pin5.angle", initial=INITIAL)
    print("the first impacts:", *(f"{hit.contacts[0]} at {hit.t:.6f} s" for hit in run.impacts[:4]), sep="\n  ")
