"""A quick-return mechanism (crank-shaper): a crank pin slides in the slot of a rocker, a short link moves the ram.

The crank r turns about (0, d), the slotted rocker of length L swings about the origin. With the crank at θ

    φ = atan2(d + r sin θ, r cos θ)                       the rocker,
    x = L cos φ + √(s² - (h - L sin φ)²)                  the ram, on a guide at height h, by a link of length s.

The rocker turns back where it is tangent to the crank circle, at θ = -α and θ = π + α with sin α = r/d: the ram goes
slowly during π + 2α of the crank's turn and quickly during π - 2α.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 5, 181)  # s: one turn at the default speed
BAR = 2.5  # kg/m: flat steel, 40 mm x 8 mm


def build(
    r=0.08,  # m: crank
    d=0.20,  # m: distance of the pivots
    L=0.45,  # m: rocker
    s=0.15,  # m: link to the ram
    h=0.42,  # m: height of the ram's guide
    theta0=0.3,  # rad: the crank at t = 0
    omega=5.0,  # rad/s: speed of the crank
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("quick-return", gravity=(0.0, -9.81))
    r = model.parameter("r", r, unit="m")
    d = model.parameter("d", d, unit="m")
    L = model.parameter("L", L, unit="m")
    s = model.parameter("s", s, unit="m")
    h = model.parameter("h", h, unit="m")
    theta0 = model.parameter("theta0", theta0, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    pin = sp.Matrix([r * sp.cos(theta0), d + r * sp.sin(theta0)])
    tip = L * pin / pin.norm()
    phi = sp.atan2(pin[1], pin[0])
    middle = pin[0] / 2, (d + pin[1]) / 2  # of the crank
    ground = model.ground
    crank = model.body("crank", mass=BAR * r, inertia=BAR * r**3 / 12, position=middle, angle=theta0)
    rocker = model.body("rocker", mass=BAR * L, inertia=BAR * L**3 / 12, position=tip / 2, angle=phi)
    short = model.body("short", mass=BAR * s, inertia=BAR * s**3 / 12, position=(tip[0] + s / 2, h))
    ram = model.body("ram", mass=6.0, inertia=0.05, position=(tip[0] + s, h))
    crank.marker("pin", r / 2, 0)
    rocker.marker("tip", L / 2, 0)
    model.add(
        mbs.Revolute("crank pivot", ground.at(0, d), crank.at(-r / 2, 0)),
        mbs.Revolute("rocker pivot", ground.at(0, 0), rocker.at(-L / 2, 0)),
        mbs.PinInSlot("slot", rocker, crank.pin),
        mbs.Revolute("tip", rocker.tip, short.at(-s / 2, 0)),
        mbs.Revolute("ram pin", short.at(s / 2, 0), ram),
        mbs.Translational("guide", ground.at(0, h), ram),
        mbs.Driver("motor", mbs.angle(ground, crank), theta0 + omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "ram.x", "rocker.angle", paths=("crank.pin", "rocker.tip"))
