"""N four-bars in a row: N + 1 equal cranks, each joined to the next by a coupler. One degree of freedom.

All bars are uniform and of length L, and the pivots are as far apart: every loop is a parallelogram. The couplers only
translate, so that the whole is a pendulum in the cranks' angle ψ from the downward vertical:

    ψ̈ = -(g/L) (½(N + 1) + N) / (⅓(N + 1) + N) sin ψ.

Started upright with the tip of the first crank at L |omega| to the right, it passes twice in every turn the pose where
all bars lie in one line. There every loop could change over to its antiparallel form; the freedom rises from 1 to N + 1
and the constraints lose as many ranks. A solver has to come through on the branch on which it came in.

This is the benchmark A02 of the IFToMM library (there with N = 40).
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 10, 501)  # s
INITIAL = {"crank0.omega": -1.0}  # upright, the tips moving to the right


def build(
    n=1,  # loops
    L=1.0,  # m: each bar
    m=1.0,  # kg: each bar
) -> mbs.PlanarModel:
    model = mbs.PlanarModel(f"{n} four-bar{'s' * (n > 1)} in a row", gravity=(0.0, -9.81))
    L = model.parameter("L", L, unit="m")
    m = model.parameter("m", m, unit="kg")

    cranks = [model.link(f"crank{k}", (k * L, 0), (k * L, L), mass=m, length=L) for k in range(n + 1)]
    couplers = [model.link(f"coupler{k}", (k * L, L), (k * L + L, L), mass=m, length=L) for k in range(n)]
    for k, crank in enumerate(cranks):
        model.add(mbs.Revolute(f"A{k}", model.ground.at(k * L, 0), crank.tail))
    for k, coupler in enumerate(couplers):
        model.add(
            mbs.Revolute(f"left{k}", cranks[k].head, coupler.tail),
            mbs.Revolute(f"right{k}", coupler.head, cranks[k + 1].head),
        )
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "crank0.head.x", "crank0.head.y", initial=INITIAL, paths=("crank0.head",))
