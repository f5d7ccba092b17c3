"""A four-bar linkage: crank a, coupler b, rocker c, ground d along the x axis. One degree of freedom.

With the crank at θ₂ its pin A is f away from the rocker's pivot D, seen under the angle ε. The coupler closes the
triangle of sides f, b, c on one side (the open branch) or on the other (the crossed branch):

    θ₃ = ε ± acos((f² + b² - c²) / 2fb),    c e^{iθ₄} = a e^{iθ₂} + b e^{iθ₃} - d.

A crank that can turn is turned, from `theta0` on; one that cannot swings through 95 % of what it can reach.
"""

from math import acos, isclose, pi

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 181)  # s: one turn at the default speed
BAR = 1.2  # kg/m: flat steel, 25 mm x 6 mm


def grashof(a: float, b: float, c: float, d: float) -> str:
    """The class of a linkage: if shortest + longest < the other two, the shortest link turns against all others."""
    shortest, p, q, longest = sorted((a, b, c, d))
    if isclose(shortest + longest, p + q):
        return "change point"
    if shortest + longest > p + q:
        return "triple-rocker"
    return {a: "crank-rocker", b: "double-rocker", c: "rocker-crank", d: "double-crank"}[shortest]


def reach(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """Between which angles the crank can move: where its pin is neither nearer than |b - c| nor farther than b + c."""
    near, far = (min(1.0, max(-1.0, (a**2 + d**2 - f**2) / (2 * a * d))) for f in (b - c, b + c))
    low, high = acos(near), acos(far)
    if low == 0:
        return -high, high
    return low, high if high < pi else 2 * pi - low


def build(
    a=0.040,  # m: crank
    b=0.120,  # m: coupler
    c=0.080,  # m: rocker
    d=0.100,  # m: ground
    theta0=0.0,  # rad: the crank at t = 0
    omega=1.0,  # rad/s: speed of the crank
    along=0.060,  # m: the coupler point P, from A along the coupler
    across=0.040,  # m: and across it
    branch="open",
) -> mbs.PlanarModel:
    low, high = reach(a, b, c, d)
    turns = high - low == 2 * pi
    model = mbs.PlanarModel("four-bar", gravity=(0.0, -9.81))
    a, b, c, d = (model.parameter(name, value, unit="m") for name, value in zip("abcd", (a, b, c, d), strict=True))
    theta0 = model.parameter("theta0", theta0 if turns else (low + high) / 2, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")
    along = model.parameter("along", along, unit="m")
    across = model.parameter("across", across, unit="m")

    A = sp.Matrix([a * sp.cos(theta0), a * sp.sin(theta0)])
    D = sp.Matrix([d, 0])
    e, side = D - A, {"open": 1, "crossed": -1}[branch]
    theta3 = sp.atan2(e[1], e[0]) + side * sp.acos((e.dot(e) + b**2 - c**2) / (2 * b * e.norm()))
    B = A + b * sp.Matrix([sp.cos(theta3), sp.sin(theta3)])
    theta4 = sp.atan2(B[1], B[0] - d)

    crank = model.body("crank", mass=BAR * a, inertia=BAR * a**3 / 12, position=A / 2, angle=theta0)
    coupler = model.body("coupler", mass=BAR * b, inertia=BAR * b**3 / 12, position=(A + B) / 2, angle=theta3)
    rocker = model.body("rocker", mass=BAR * c, inertia=BAR * c**3 / 12, position=(B + D) / 2, angle=theta4)
    coupler.marker("P", along - b / 2, across)
    model.add(
        mbs.Revolute("O", model.ground.at(0, 0), crank.at(-a / 2, 0)),
        mbs.Revolute("A", crank.at(a / 2, 0), coupler.at(-b / 2, 0)),
        mbs.Revolute("B", coupler.at(b / 2, 0), rocker.at(c / 2, 0)),
        mbs.Revolute("D", model.ground.at(d, 0), rocker.at(-c / 2, 0)),
        mbs.Driver(
            "motor",
            mbs.angle(model.ground, crank),
            theta0 + (omega * mbs.t if turns else 0.475 * (high - low) * sp.sin(omega * mbs.t)),
        ),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "coupler.angle", "rocker.angle", paths=("coupler.P",))
