"""A four-bar whose rocker is held by a spring: let go at rest, it swings. One degree of freedom, no driver.

Crank, coupler and rocker are uniform bars under gravity. The spring leads from the middle of the rocker to a point of
the ground. What the motion keeps is the energy

    ½ J(θ) ω² + m_a g y_a + m_b g y_b + m_c g y_c + ½ k (s - s₀)²,

with J(θ) the inertia of all bars as the crank feels it and s the length of the spring: all are functions of the crank's
angle θ alone, so that ω follows from θ.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s
INITIAL = {"crank.omega": 0.0}  # where it is placed, at rest


def build(
    a=0.20,  # m: crank
    b=0.40,  # m: coupler
    c=0.30,  # m: rocker
    d=0.40,  # m: ground
    theta0=1.0,  # rad: the crank at t = 0
    bar=1.2,  # kg/m
    k=60.0,  # N/m: spring
    s0=0.15,  # m: its free length
    xs=0.65,  # m: where it hangs, along the ground
    ys=0.25,  # m: and above it
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("four-bar with spring", gravity=(0.0, -9.81))
    a, b, c, d = (model.parameter(name, value, unit="m") for name, value in zip("abcd", (a, b, c, d), strict=True))
    theta0 = model.parameter("theta0", theta0, unit="rad")
    bar = model.parameter("bar", bar, unit="kg/m")
    k = model.parameter("k", k, unit="N/m")
    s0 = model.parameter("s0", s0, unit="m")
    xs = model.parameter("xs", xs, unit="m")
    ys = model.parameter("ys", ys, unit="m")

    A = sp.Matrix([a * sp.cos(theta0), a * sp.sin(theta0)])
    e = sp.Matrix([d, 0]) - A  # the triangle of A, the rocker's pivot D, and B above them
    theta3 = sp.atan2(e[1], e[0]) + sp.acos((e.dot(e) + b**2 - c**2) / (2 * b * e.norm()))
    B = A + b * sp.Matrix([sp.cos(theta3), sp.sin(theta3)])

    ground = model.ground
    crank = model.link("crank", (0, 0), A, mass=bar * a, length=a)
    coupler = model.link("coupler", A, B, mass=bar * b, length=b)
    rocker = model.link("rocker", (d, 0), B, mass=bar * c, length=c)
    model.add(
        mbs.Revolute("O", ground.at(0, 0), crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("D", ground.at(d, 0), rocker.tail),
        mbs.Spring("spring", ground.at(xs, ys), rocker, stiffness=k, length=s0),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "crank.angle", "rocker.angle", initial=INITIAL, paths=("coupler",))
