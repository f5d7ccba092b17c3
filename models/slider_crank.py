"""A slider-crank: crank r, connecting rod l, the slider on the x axis. One degree of freedom.

With the crank at θ the slider stands at

    x = r cos θ + √(l² - r² sin² θ),

so its stroke is 2r.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 10, 181)  # s: one turn at the default speed


def build(
    r=0.10,  # m: crank
    l=0.30,  # m: connecting rod
    theta0=0.6,  # rad: the crank at t = 0
    omega=10.0,  # rad/s: speed of the crank
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("slider-crank", gravity=(0.0, -9.81))
    r = model.parameter("r", r, unit="m")
    l = model.parameter("l", l, unit="m")
    theta0 = model.parameter("theta0", theta0, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    x, y = r * sp.cos(theta0), r * sp.sin(theta0)  # the crank pin B; the placement of the rod is a first guess
    ground = model.ground
    crank = model.body("crank", mass=1.0, inertia=1.0 * r**2 / 12, position=(x / 2, y / 2), angle=theta0)
    rod = model.body("rod", mass=2.0, inertia=2.0 * l**2 / 12, position=(x + l / 2, y / 2), angle=-y / l)
    slider = model.body("slider", mass=0.5, inertia=1e-3, position=(x + l, 0))
    crank.marker("B", r / 2, 0)
    rod.marker("middle", 0, 0)
    rod.marker("C", l / 2, 0)
    model.add(
        mbs.Revolute("A", ground.at(0, 0), crank.at(-r / 2, 0)),
        mbs.Revolute("B", crank.B, rod.at(-l / 2, 0)),
        mbs.Revolute("C", rod.C, slider.at(0, 0)),
        mbs.Translational("guide", ground.at(0, 0), slider.at(0, 0)),  # along the x axis of the first marker
        mbs.Driver("motor", mbs.angle(ground, crank), theta0 + omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "slider.x", "rod.angle", paths=("crank.B", "rod.middle", "rod.C"))
