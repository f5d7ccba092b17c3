"""A simple pendulum: a point of mass m on a massless rod of length L. One degree of freedom.

The rod makes the angle φ with the x axis; from the downward vertical it is θ = φ + π/2. Let go at rest at θ₀, it swings
as an elliptic function says:

    θ̈ = -(g/L) sin θ,    sin(θ/2) = k sn(√(g/L) t + K(k), k),    k = sin(θ₀/2),    period 4 K(k) √(L/g).

As it stands here it is the benchmark A01 of the IFToMM library: let go from (-1, 0). The body has no inertia about its
centre of mass: its frame sits at the point, and the pin holds it a length L away.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 10, 501)  # s
INITIAL = {"bob.omega": 0.0}  # where it is placed, at rest


def build(
    L=1.0,  # m: rod
    m=1.0,  # kg: the point
    phi=np.pi,  # rad: the rod at t = 0
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("simple pendulum", gravity=(0.0, -9.81))
    L = model.parameter("L", L, unit="m")
    m = model.parameter("m", m, unit="kg")
    phi = model.parameter("phi", phi, unit="rad")

    bob = model.body("bob", mass=m, inertia=0, position=(L * sp.cos(phi), L * sp.sin(phi)), angle=phi)
    model.add(mbs.Revolute("pin", model.ground, bob.at(-L, 0)))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "bob.x", "bob.y", initial=INITIAL, paths=("bob",))
