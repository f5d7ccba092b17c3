"""A Geneva drive: a pin that goes round turns a wheel by a quarter, and lets it rest for the other three.

The pin goes into a slot of the wheel along the slot, without an impact, if the axes are √2 a apart, with the crank a.
From -45° to 45° of the crank angle θ (from the line between the axes) it leads the wheel, in a slot without play by

    φ = -atan(sin θ/(√2 - cos θ)),      φ̇/θ̇ = -(√2 cos θ - 1)/(3 - 2 √2 cos θ),

2.4 times as fast as the crank in the middle. Up to there one side of the slot pushes; then the other one holds it back,
and the pin crosses its play in between. While the pin is outside, a brake holds the wheel.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s: two turns
INITIAL = {"wheel.omega": 0.0}
OPTIONS = {"method": "Moreau", "step": 2e-4}  # many sides that open and close: steps over all of it


def build(
    a=0.05,  # m: crank
    play=1e-4,  # m: between the pin and either side of the slot
    pin=0.004,  # m: radius of the pin
    J=2e-5,  # kg m²: wheel
    brake=0.002,  # N m
    omega=2 * np.pi,  # rad/s: crank
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("Geneva drive")
    a = model.parameter("a", a, unit="m")
    play = model.parameter("play", play, unit="m")
    pin = model.parameter("pin", pin, unit="m")
    J = model.parameter("J", J, unit="kg m²")
    brake = model.parameter("brake", brake, unit="N m")
    omega = model.parameter("omega", omega, unit="rad/s")

    crank = model.body("crank", mass=1.0, inertia=1e-4, angle=-sp.pi / 2)
    wheel = model.body("wheel", mass=0.2, inertia=J, position=(sp.sqrt(2) * a, 0))
    axle = mbs.Revolute("axle", model.ground.at(sp.sqrt(2) * a, 0), wheel)
    model.add(
        mbs.Revolute("shaft", model.ground, crank),
        mbs.Driver("motor", mbs.angle(model.ground, crank), -sp.pi / 2 + omega * mbs.t),
        axle,
        mbs.DryFriction("brake", mbs.angle(axle), force=brake),
    )
    side = a / 50  # half as thick as the sides of the slots
    for k in range(4):
        way = sp.pi / 4 + k * sp.pi / 2
        along, across = sp.Matrix([sp.cos(way), sp.sin(way)]), sp.Matrix([-sp.sin(way), sp.cos(way)])
        for name, sign in (("left", 1), ("right", -1)):
            middle = 0.68 * a * along + sign * (pin + play + side) * across
            edge = wheel.marker(f"{name}{k}", *middle, angle=way)
            model.add(mbs.Contact(f"{name}{k}", mbs.Capsule(edge, 0.64 * a, side), mbs.Disk(crank.at(a, 0), pin)))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "wheel.angle", initial=INITIAL, **OPTIONS)
