"""A five-bar: two cranks on a base move a hand by two legs, a planar robot with both motors on the ground.

The cranks stand in A = (0, 0) and E = (d, 0), both of length a, the legs have length b. With the elbows

    B = a e^{iq₁},    C = d + a e^{iq₂},    w = |C - B|,

the hand is on the middle of BC, at right angles to it: P = (B + C)/2 + i (C - B)/w √(b² - w²/4), or on the other side.
Both are one where w = 2b, the legs in line: a parallel singularity, in which the motors have lost their hold. Where a
crank is in line with its leg the hand cannot move along both, a serial singularity: |P - A| or |P - E| is a + b, or
|a - b|. So the workspace is the lens of two circles of radius a + b, less those of radius |a - b|.

    mbs.workspace(build(), {"leg1.P.x": (-0.3, 0.6), "leg1.P.y": (-0.5, 0.5)}, inputs=("A.angle", "E.angle")).plot()
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 241)  # s: one period at the default speed
BAR = 0.6  # kg/m: aluminium tube


def build(
    a=0.18,  # m: cranks
    b=0.27,  # m: legs
    d=0.30,  # m: base
    q1=2.0,  # rad: cranks at t = 0
    q2=1.3,  # rad
    swing=0.25,  # rad: to both sides
    omega=1.0,  # rad/s
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("five-bar", gravity=(0.0, -9.81))
    a, b, d = (model.parameter(name, value, unit="m") for name, value in (("a", a), ("b", b), ("d", d)))
    q1, q2, swing = (model.parameter(n, x, unit="rad") for n, x in (("q1", q1), ("q2", q2), ("swing", swing)))
    omega = model.parameter("omega", omega, unit="rad/s")

    E = sp.Matrix([d, 0])
    B = a * sp.Matrix([sp.cos(q1), sp.sin(q1)])
    C = E + a * sp.Matrix([sp.cos(q2), sp.sin(q2)])
    way = C - B
    w = sp.sqrt(way.dot(way))
    P = (B + C) / 2 + sp.Matrix([-way[1], way[0]]) / w * sp.sqrt(b**2 - w**2 / 4)

    def bar(name: str, length: sp.Expr, X: sp.Matrix, Y: sp.Matrix, ends: str) -> mbs.Body:
        """A uniform bar, placed with its tail at X and its head towards Y."""
        along = Y - X
        angle = sp.atan2(along[1], along[0])
        body = model.body(name, BAR * length, BAR * length**3 / 12, position=(X + Y) / 2, angle=angle)
        body.marker(ends[0], -length / 2, 0)
        body.marker(ends[1], length / 2, 0)
        return body

    crank1, leg1 = bar("crank1", a, sp.zeros(2, 1), B, "AB"), bar("leg1", b, B, P, "BP")
    crank2, leg2 = bar("crank2", a, E, C, "EC"), bar("leg2", b, C, P, "CP")
    at = {body: body.markers for body in (crank1, leg1, crank2, leg2)}
    joints = model.add(
        mbs.Revolute("A", model.ground.at(0, 0), at[crank1]["A"]),
        mbs.Revolute("E", model.ground.at(d, 0), at[crank2]["E"]),
        mbs.Revolute("B", at[crank1]["B"], at[leg1]["B"]),
        mbs.Revolute("C", at[crank2]["C"], at[leg2]["C"]),
        mbs.Revolute("P", at[leg1]["P"], at[leg2]["P"]),
    )
    model.add(
        mbs.Driver("motor1", mbs.angle(joints[0]), q1 + swing * sp.sin(omega * mbs.t)),
        mbs.Driver("motor2", mbs.angle(joints[1]), q2 + swing * sp.sin(2 * omega * mbs.t)),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "leg1.P.x", "leg1.P.y", efforts=("motor1", "motor2"), paths=("leg1.P",))
