"""A six-bar dwell mechanism (Stephenson III): a four-bar whose coupler point P moves a lever by a strut.

First loop: crank a, coupler and rocker of length b, ground d. The coupler goes on straight beyond its pin B, to P with
AB = BP = b:

    A = a e^{iθ},  f = |d - A|,  θ₃ = arg(d - A) + acos(f / 2b),  P = A + 2b e^{iθ₃}.

Second loop: a strut R from P to the pin Q of a lever s, which turns about F = (d + s, h):

    g = |P - F|,  ψ (the lever) = arg(P - F) - acos((g² + s² - R²) / 2gs).

While the crank turns from 110° to 250°, P goes along an arc whose radius is R, whose centre is Q: the lever rests, to
within 0.05°. In the remaining turn it swings by 32.7° up and down.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 5, 181)  # s: one turn at the default speed
BAR = 1.2  # kg/m: flat steel, 25 mm x 6 mm


def build(
    a=0.0400,  # m: crank
    b=0.1360,  # m: rocker, and half of the coupler
    d=0.1280,  # m: ground
    R=0.2343,  # m: strut
    s=0.0800,  # m: lever
    h=0.4483,  # m: height of the lever's pivot
    theta0=0.0,  # rad: the crank at t = 0
    omega=5.0,  # rad/s: speed of the crank
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("six-bar", gravity=(0.0, -9.81))
    lengths = {"a": a, "b": b, "d": d, "R": R, "s": s, "h": h}
    a, b, d, R, s, h = (model.parameter(name, value, unit="m") for name, value in lengths.items())
    theta0 = model.parameter("theta0", theta0, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    D, F = sp.Matrix([d, 0]), sp.Matrix([d + s, h])
    A = a * sp.Matrix([sp.cos(theta0), sp.sin(theta0)])
    B = left_of(A, D, b, b)
    P = 2 * B - A
    Q = left_of(P, F, R, s)

    def bar(name: str, length: sp.Expr, X: sp.Matrix, Y: sp.Matrix) -> mbs.Body:
        """A uniform bar, placed with its tail at X and its head towards Y."""
        way = Y - X
        mass, inertia = BAR * length, BAR * length**3 / 12
        body = model.body(name, mass, inertia, position=(X + Y) / 2, angle=sp.atan2(way[1], way[0]))
        body.marker("tail", -length / 2, 0)
        body.marker("head", length / 2, 0)
        return body

    ground = model.ground
    crank = bar("crank", a, sp.zeros(2, 1), A)
    coupler = bar("coupler", 2 * b, A, P)
    rocker = bar("rocker", b, D, B)
    strut = bar("strut", R, P, Q)
    lever = bar("lever", s, F, Q)
    model.add(
        mbs.Revolute("O", ground.at(0, 0), crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler, rocker.head),
        mbs.Revolute("D", ground.at(d, 0), rocker.tail),
        mbs.Revolute("P", coupler.head, strut.tail),
        mbs.Revolute("Q", strut.head, lever.head),
        mbs.Revolute("F", ground.at(d + s, h), lever.tail),
        mbs.Driver("motor", mbs.angle(ground, crank), theta0 + omega * mbs.t),
    )
    return model


def left_of(X: sp.Matrix, Y: sp.Matrix, x: sp.Expr, y: sp.Expr) -> sp.Matrix:
    """The corner of a triangle that is x from X and y from Y, to the left of the way from X to Y."""
    e = Y - X
    angle = sp.atan2(e[1], e[0]) + sp.acos((e.dot(e) + x**2 - y**2) / (2 * x * e.norm()))
    return X + x * sp.Matrix([sp.cos(angle), sp.sin(angle)])


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "lever.angle", "rocker.angle", paths=("coupler.head", "strut.head"))
