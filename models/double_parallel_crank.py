"""Parallel cranks of equal length under one coupler: the locomotive's side rod.

The coupler keeps its direction; all its points go on circles of radius L. Two cranks decide that already: each further
one repeats it, so that Gruebler's count is too small by one for every crank beyond the second, while the mechanism
moves with one degree of freedom. Where cranks and coupler lie in one line (φ = 0, π) the rank drops once more. With two
cranks the linkage could change over to the antiparallel one there; a third one forbids it, to second order.

Bodies: the cranks from left to right, then the coupler.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 181)  # s: one turn at the default speed


def build(
    L=1.0,  # m: cranks
    D=1.0,  # m: distance of neighbouring pivots
    m=1.0,  # kg: each bar
    phi=1.0,  # rad: the cranks at t = 0
    omega=1.0,  # rad/s: speed of the cranks
    cranks=3,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel(f"{cranks} parallel cranks", gravity=(0.0, -9.81))
    L = model.parameter("L", L, unit="m")
    D = model.parameter("D", D, unit="m")
    m = model.parameter("m", m, unit="kg")
    phi = model.parameter("phi", phi, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    x, y, width = L * sp.cos(phi), L * sp.sin(phi), (cranks - 1) * D
    bars = [
        model.body(f"crank{k + 1}", mass=m, inertia=m * L**2 / 12, position=(k * D + x / 2, y / 2), angle=phi)
        for k in range(cranks)
    ]
    coupler = model.body("coupler", mass=m, inertia=m * width**2 / 12, position=(x + width / 2, y))
    for k, bar in enumerate(bars):
        model.add(
            mbs.Revolute(f"A{k + 1}", model.ground.at(k * D, 0), bar.at(-L / 2, 0)),
            mbs.Revolute(f"B{k + 1}", bar.at(L / 2, 0), coupler.at(k * D - width / 2, 0)),
        )
    model.add(mbs.Driver("motor", mbs.angle(model.ground, bars[0]), phi + omega * mbs.t))
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "coupler.x", "coupler.angle", paths=("coupler",))
