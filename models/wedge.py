"""A load on a wedge: does it drive the wedge out?

The load hangs in a smooth upright guide and stands on the wedge's face, of slope α; the wedge slides along the floor.
Face and floor rub with μ = tan ρ. The force on the face leans by ρ from its normal at most, that on the floor by ρ from
the vertical. So a wedge of no weight is held as long as

    α <= 2ρ,

however heavy the load: it locks itself. Its own mass w helps a little beside that of the load l, up to
l tan(α - ρ) = (l + w) tan ρ. Beyond, with N on the face, C = cos α + μ sin α and S = sin α - μ cos α, it goes out with
the acceleration a of

    N C - l g = -l a tan α,      N S - μ (N C + w g) = w a.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 0.2, 201)  # s
INITIAL = {"wedge.vx": 0.0, "load.vy": 0.0}


def build(
    alpha=0.45,  # rad: slope of the face
    mu=0.2,  # friction of face and floor
    load=20.0,  # kg
    wedge=0.5,  # kg
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("wedge", gravity=(0.0, -9.81))
    alpha = model.parameter("alpha", alpha, unit="rad")
    mu = model.parameter("mu", mu)
    load = model.parameter("load", load, unit="kg")
    wedge = model.parameter("wedge", wedge, unit="kg")

    under = model.body("wedge", mass=wedge, inertia=0.01)
    for name, x in (("edge", 0.1 / sp.tan(alpha)), ("back", -0.2)):
        under.marker(name, x, 0)
    under.marker("top", -0.2, 0.1 + 0.2 * sp.tan(alpha))
    above = model.body("load", mass=load, inertia=0.1, position=(0, 0.1))
    up = sp.pi / 2
    floor = mbs.Translational("floor", model.ground, under)
    model.add(
        floor,
        mbs.Translational("guide", model.ground.at(0, 0, angle=up), above.at(0, 0, angle=up)),
        mbs.Friction("rub", floor, mu=mu),
        mbs.Contact("face", mbs.Line(under.at(0, 0.1, angle=-alpha)), mbs.Point(above), friction=mu),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "wedge.x", "load.y", initial=INITIAL)
    print(f"wedge: {run.modes['rub'][-1]}, load: {run.modes['face'][-1]}")
