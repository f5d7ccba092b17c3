"""The planar arm of two links, with which robotics begins: a shoulder at the origin, an elbow, and the hand e.

Frame {1} stands in the shoulder and turns with link 1 by q₁, frame {2} in the elbow and turns with link 2 by q₂ against
it; their x axes lie along the links. Forward, the hand is at

    x = l₁ cos q₁ + l₂ cos(q₁ + q₂),    y = l₁ sin q₁ + l₂ sin(q₁ + q₂),

and inverse, with r² = x² + y²,

    cos q₂ = (r² - l₁² - l₂²) / 2 l₁ l₂,    q₁ = atan2(y, x) - atan2(l₂ sin q₂, l₁ + l₂ cos q₂).

Two signs of sin q₂ are two solutions: the elbow to the right of the way from shoulder to hand (q₂ > 0, "down") or to
the left ("up"). On the circles r = l₁ + l₂ and r = |l₁ - l₂| there is one, beyond them none; and if l₁ = l₂, the hand
is at the shoulder whatever q₁ is. det J = l₁ l₂ sin q₂.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 241)  # s: one turn of the shoulder at the default speed
BAR = 2.0  # kg/m: aluminium tube


def build(
    l1=0.40,  # m
    l2=0.30,  # m
    q1=0.5,  # rad: where it is placed
    q2=0.8,  # rad
    omega1=1.0,  # rad/s: speeds of the motors
    omega2=2.0,  # rad/s
    driven=True,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("two-link arm", gravity=(0.0, -9.81))
    l1 = model.parameter("l1", l1, unit="m")
    l2 = model.parameter("l2", l2, unit="m")
    q1 = model.parameter("q1", q1, unit="rad")
    q2 = model.parameter("q2", q2, unit="rad")
    elbow = l1 * sp.cos(q1), l1 * sp.sin(q1)
    link1 = model.body("link1", BAR * l1, BAR * l1**3 / 12, com=(l1 / 2, 0), position=(0, 0), angle=q1)
    link2 = model.body("link2", BAR * l2, BAR * l2**3 / 12, com=(l2 / 2, 0), position=elbow, angle=q1 + q2)
    link2.marker("e", l2, 0)
    joint1, joint2 = model.add(
        mbs.Revolute("joint1", model.ground, link1),
        mbs.Revolute("joint2", link1.at(l1, 0), link2),
    )
    if driven:
        omega1 = model.parameter("omega1", omega1, unit="rad/s")
        omega2 = model.parameter("omega2", omega2, unit="rad/s")
        model.add(
            mbs.Driver("motor1", mbs.angle(joint1), q1 + omega1 * mbs.t),
            mbs.Driver("motor2", mbs.angle(joint2), q2 + omega2 * mbs.t),
        )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "link2.e.x", "link2.e.y", efforts=("motor1", "motor2"), paths=("link2.e",))
