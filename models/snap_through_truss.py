"""Von Mises' truss: two bars, elastic along their length, meet in a flat apex that a load presses down.

Each bar (stiffness k) reaches from (∓a, 0) to the apex (0, y), and is free of force at y = h: with l = √(a² + y²) and
l₀ = √(a² + h²) the apex is in balance under the load

    P(y) = 2 k (l₀ - l) y / l.

With α the bars' inclination, P is largest where cos³ α = cos α₀: there, at the limit load, the truss snaps through, and
on the way back at the opposite one. Without a load and without damping the apex, pushed down with the speed v, snaps
through where its energy is enough to press both bars flat: ½ m v² > k (l₀ - a)².
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 0.3, 301)  # s
INITIAL = {"apex.vx": 0.0, "apex.vy": -3.0}  # m/s: more than the 2.8 that it needs


def build(
    a=1.0,  # m: half the span
    h=0.2,  # m: height of the apex without a load
    k=1e4,  # N/m: of each bar
    m=1.0,  # kg: at the apex
    P=0.0,  # N: the load, downwards
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("snap-through truss")
    a, h = model.parameter("a", a, unit="m"), model.parameter("h", h, unit="m")
    k, m = model.parameter("k", k, unit="N/m"), model.parameter("m", m, unit="kg")
    P = model.parameter("P", P, unit="N")
    apex = model.body("apex", mass=m, position=(0, h))
    model.add(mbs.CoordinateFix("upright", apex, "angle"), mbs.Force("load", apex, (0, -P)))
    for name, x in (("left", -a), ("right", a)):
        model.add(mbs.Spring(name, model.ground.at(x, 0), apex, stiffness=k, length=(a**2 + h**2) ** 0.5))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "apex.y", initial=INITIAL, paths=("apex",))
