"""A Stephenson six-bar that is driven where it is hard, at its dyad: six assembly modes for an angle of its crank.

A four-bar O A B C has a point P on its coupler, u along AB from A and v across. A rod e leads from P to the pin Q of
the driven crank, Q = E + q e^{iφ}. For a given φ the pin stands still, and P is where its coupler curve meets the
circle of radius e about Q. The curve has degree six, so they have twelve points in common. But it goes three times
through each of the two circular points at infinity, where all circles meet it, and six points are left. Six modes at
most: the roots of a polynomial of degree six, for which there is no formula. (Driven at A instead, it is two dyads one
after the other: four modes, by square roots.)

With these lengths all six are real, at the first angle and over the whole swing.

    mbs.assembly_modes(build()).plot()
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 121)  # s: one swing to and fro at the default speed
BAR = 0.6  # kg/m: aluminium tube

SKETCH = {  # m: one of the six modes, as it is placed
    **{"O": (0.0, 0.0), "C": (1.0, 0.0), "E": (-0.26, -1.02)},
    **{"A": (-0.04, 0.40), "B": (0.16, 0.94), "P": (-0.49, 0.24), "Q": (-0.21, -0.83)},
}


def build(
    a=0.40,  # m: crank of the four-bar, which nothing drives
    b=0.58,  # m: coupler
    c=1.26,  # m: rocker
    d=1.00,  # m: ground
    u=-0.31,  # m: P on the coupler, along AB from A
    v=0.37,  # m: and across
    e=1.10,  # m: rod from P
    q=0.20,  # m: driven crank
    ex=-0.26,  # m: its pivot E
    ey=-1.02,  # m
    phi=1.3,  # rad: driven crank at t = 0
    swing=1.0,  # rad: to both sides
    omega=1.0,  # rad/s
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("Stephenson six-bar", gravity=(0.0, -9.81))
    lengths = {"a": a, "b": b, "c": c, "d": d, "u": u, "v": v, "e": e, "q": q, "ex": ex, "ey": ey}
    a, b, c, d, u, v, e, q, ex, ey = (model.parameter(name, value, unit="m") for name, value in lengths.items())
    phi, swing = model.parameter("phi", phi, unit="rad"), model.parameter("swing", swing, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    def bar(name: str, ends: str, length) -> mbs.Body:
        """A uniform bar, placed as it is sketched."""
        return model.link(name, SKETCH[ends[0]], SKETCH[ends[1]], BAR * length, length=length)

    ground = model.ground
    crank, coupler, rocker = bar("crank", "OA", a), bar("coupler", "AB", b), bar("rocker", "CB", c)
    rod, drive = bar("rod", "PQ", e), bar("drive", "EQ", q)
    model.add(
        mbs.Revolute("O", ground.at(0, 0), crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("C", ground.at(d, 0), rocker.tail),
        mbs.Revolute("P", coupler.marker("P", u - b / 2, v), rod.tail),
        mbs.Revolute("Q", rod.head, drive.head),
        mbs.Revolute("E", ground.at(ex, ey), drive.tail),
        mbs.Driver("motor", mbs.angle(ground, drive), phi + swing * sp.sin(omega * mbs.t)),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "coupler.P.x", "rocker.angle", efforts=("motor",), paths=("coupler.P",))
