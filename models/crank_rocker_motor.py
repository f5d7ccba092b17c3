"""A motor runs up a crank-rocker against friction in its pins.

The motor is a direct-current one: its torque falls in a line from M₀ at standstill to nothing at ω₀, without load,

    M = M₀ (1 - ω/ω₀).

A flywheel sits on the crank. Power goes from the motor into kinetic energy and, more and more, into the four pins; when
it has run up, what the motor gives in a turn is what the pins take,

    ∮ M ω dt = Σ ∮ c ω_rel² dt,

while within a turn the speed still swings, as the linkage takes up energy and gives it back.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 6, 1201)  # s
INITIAL = {"crank.omega": 0.0}  # where it is placed, at rest


def build(
    a=0.10,  # m: crank
    b=0.30,  # m: coupler
    c=0.20,  # m: rocker
    d=0.30,  # m: ground
    theta0=1.0,  # rad: the crank at t = 0
    bar=2.0,  # kg/m
    flywheel=0.02,  # kg m²
    stall=0.8,  # N m: torque at standstill
    no_load=30.0,  # rad/s: speed without load
    friction=0.004,  # N m s/rad: in each pin
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("crank-rocker with motor", gravity=(0.0, -9.81))
    a, b, c, d = (model.parameter(name, value, unit="m") for name, value in zip("abcd", (a, b, c, d), strict=True))
    theta0 = model.parameter("theta0", theta0, unit="rad")
    bar = model.parameter("bar", bar, unit="kg/m")
    flywheel = model.parameter("flywheel", flywheel, unit="kg m²")
    stall = model.parameter("stall", stall, unit="N m")
    no_load = model.parameter("no_load", no_load, unit="rad/s")
    friction = model.parameter("friction", friction, unit="N m s/rad")

    A = sp.Matrix([a * sp.cos(theta0), a * sp.sin(theta0)])
    e = sp.Matrix([d, 0]) - A  # the triangle of A, the rocker's pivot D, and B above them
    theta3 = sp.atan2(e[1], e[0]) + sp.acos((e.dot(e) + b**2 - c**2) / (2 * b * e.norm()))
    B = A + b * sp.Matrix([sp.cos(theta3), sp.sin(theta3)])

    crank = model.body("crank", mass=bar * a, inertia=bar * a**3 / 12 + flywheel, position=A / 2, angle=theta0)
    coupler = model.link("coupler", A, B, mass=bar * b, length=b)
    rocker = model.link("rocker", (d, 0), B, mass=bar * c, length=c)
    pins = (
        mbs.Revolute("O", model.ground.at(0, 0), crank.at(-a / 2, 0)),
        mbs.Revolute("A", crank.at(a / 2, 0), coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(d, 0), rocker.tail),
    )
    model.add(*pins, *(mbs.ViscousFriction(f"friction_{pin.name}", pin, coefficient=friction) for pin in pins))
    model.add(mbs.Motor("motor", pins[0], torque=stall * (1 - mbs.speed / no_load)))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "crank.omega", "rocker.angle", initial=INITIAL, paths=("coupler",))
