"""A double pendulum: two uniform rods, one hanging on the other. Two degrees of freedom.

With φ₁ and φ₂ the angles of the rods against the x axis, Lagrange's equations are

    (m₁/3 + m₂) l₁² φ̈₁ + m₂ l₁ l₂/2 (φ̈₂ cos δ + φ̇₂² sin δ) + (m₁/2 + m₂) g l₁ cos φ₁ = 0,
    m₂ l₂²/3 φ̈₂        + m₂ l₁ l₂/2 (φ̈₁ cos δ - φ̇₁² sin δ) + m₂ g l₂/2 cos φ₂         = 0,    δ = φ₁ - φ₂.

Let go like this it soon turns over, and a small change of its start grows about e-fold in a third of a second.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 5, 501)  # s
INITIAL = {"upper.omega": 0.0, "lower.omega": 0.0}  # where they are placed, at rest


def build(
    l1=0.5,  # m: upper rod
    l2=0.4,  # m: lower rod
    m1=1.0,  # kg: upper rod
    m2=0.8,  # kg: lower rod
    phi1=0.0,  # rad: upper rod at t = 0
    phi2=0.5,  # rad: lower rod at t = 0
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("double pendulum", gravity=(0.0, -9.81))
    l1 = model.parameter("l1", l1, unit="m")
    l2 = model.parameter("l2", l2, unit="m")
    m1 = model.parameter("m1", m1, unit="kg")
    m2 = model.parameter("m2", m2, unit="kg")
    phi1 = model.parameter("phi1", phi1, unit="rad")
    phi2 = model.parameter("phi2", phi2, unit="rad")

    elbow = sp.Matrix([l1 * sp.cos(phi1), l1 * sp.sin(phi1)])
    middle = elbow + l2 / 2 * sp.Matrix([sp.cos(phi2), sp.sin(phi2)])
    upper = model.body("upper", mass=m1, inertia=m1 * l1**2 / 12, position=elbow / 2, angle=phi1)
    lower = model.body("lower", mass=m2, inertia=m2 * l2**2 / 12, position=middle, angle=phi2)
    lower.marker("tip", l2 / 2, 0)
    model.add(
        mbs.Revolute("A", model.ground, upper.at(-l1 / 2, 0)),
        mbs.Revolute("B", upper.at(l1 / 2, 0), lower.at(-l2 / 2, 0)),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "upper.angle", "lower.angle", initial=INITIAL, paths=("lower.tip",))
