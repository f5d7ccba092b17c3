"""An arm of two links whose hand is tied to a slide: four links, four revolute joints, one prismatic joint.

The joint in front of each link leaves it one freedom, and the last link is held by a second joint: 4 (3 - 2) - 2 = 2
degrees of freedom, the shoulder q₁ and the elbow q₂. As for the free arm, the hand stands at

    x = l₁ cos q₁ + l₂ cos(q₁ + q₂),    y = l₁ sin q₁ + l₂ sin(q₁ + q₂),

and the slide, on the x axis behind a bar of length l₃, at x + √(l₃² - y²). With l₃ > l₁ + l₂ both joints turn freely;
by default the elbow turns twice forward against each turn of the shoulder back.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 361)  # s: one turn of the shoulder at the default speeds
BAR = 2.0  # kg/m: aluminium tube


def build(
    l1=0.40,  # m: upper arm
    l2=0.25,  # m: forearm
    l3=0.80,  # m: bar from the hand to the slide
    q1=0.5,  # rad: shoulder at t = 0
    q2=0.8,  # rad: elbow at t = 0
    omega1=-1.0,  # rad/s: speed of the shoulder
    omega2=3.0,  # rad/s: speed of the elbow
    driven=True,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("4R1P arm", gravity=(0.0, -9.81))
    l1 = model.parameter("l1", l1, unit="m")
    l2 = model.parameter("l2", l2, unit="m")
    l3 = model.parameter("l3", l3, unit="m")
    q1 = model.parameter("q1", q1, unit="rad")
    q2 = model.parameter("q2", q2, unit="rad")
    omega1 = model.parameter("omega1", omega1, unit="rad/s")
    omega2 = model.parameter("omega2", omega2, unit="rad/s")

    x1, y1 = l1 * sp.cos(q1), l1 * sp.sin(q1)  # elbow
    x2, y2 = x1 + l2 * sp.cos(q1 + q2), y1 + l2 * sp.sin(q1 + q2)  # hand
    x3 = x2 + sp.sqrt(l3**2 - y2**2)  # slide
    upper = model.body("upper", BAR * l1, BAR * l1**3 / 12, position=(x1 / 2, y1 / 2), angle=q1)
    fore = model.body("fore", BAR * l2, BAR * l2**3 / 12, position=((x1 + x2) / 2, (y1 + y2) / 2), angle=q1 + q2)
    bar = model.body("bar", BAR * l3, BAR * l3**3 / 12, position=((x2 + x3) / 2, y2 / 2), angle=-sp.asin(y2 / l3))
    slide = model.body("slide", mass=1.0, inertia=2e-3, position=(x3, 0))
    upper.marker("elbow", l1 / 2, 0)
    fore.marker("hand", l2 / 2, 0)
    model.add(
        mbs.Revolute("shoulder", model.ground, upper.at(-l1 / 2, 0)),
        mbs.Revolute("elbow", upper.elbow, fore.at(-l2 / 2, 0)),
        mbs.Revolute("wrist", fore.hand, bar.at(-l3 / 2, 0)),
        mbs.Revolute("hitch", bar.at(l3 / 2, 0), slide),
        mbs.Translational("rail", model.ground, slide),
    )
    if driven:
        model.add(
            mbs.Driver("shoulder motor", mbs.angle(model.ground, upper), q1 + omega1 * mbs.t),
            mbs.Driver("elbow motor", mbs.angle(upper, fore), q2 + omega2 * mbs.t),
        )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "fore.hand.x", "fore.hand.y", "slide.x", paths=("fore.hand", "upper.elbow"))
