"""Bricard's linkage: six bars along edges of a cube, six hinges. It should be a rigid frame, and yet it moves.

Five bars move, on six hinges: 5 · 6 - 6 · 5 = 0 degrees of freedom by counting. But each hinge is at right angles to
the next, and then one of the thirty equations follows from the others, in every pose: one degree of freedom remains.
(Which equation is a matter of taste, so no hinge can be blamed alone.)

Opposite hinges open alike, three by θ and three by φ (0: the bars continue each other), and

    (1 + cos θ)(1 + cos φ) = 1.

The bars fall from rest, all hinges at 90°; gravity is along -y: the mechanism A04 of the IFToMM benchmark library.
"""

import numpy as np

import mbs_dae as mbs

CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))  # in lengths of a bar
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))  # of the hinges at the corners

TIMES = np.linspace(0, 5, 126)  # s
INITIAL = {"hinge1.omega": 0.0}


def build(
    l=1.0,  # m: a bar
    mass=1.0,  # kg: of a bar
    width=0.1,  # m: of its square section
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("Bricard", gravity=(0, -9.81, 0))
    l, width = model.parameter("l", l, unit="m"), model.parameter("width", width, unit="m")
    mass = model.parameter("mass", mass, unit="kg")

    corners = [tuple(l * x for x in corner) for corner in CORNERS]
    # A square bar has the moments of a round one with radius² = width²/3 about all axes.
    bars = [
        model.link(f"bar{k + 1}", corners[k], corners[k + 1], mass, length=l, radius=width / 3**0.5) for k in range(5)
    ]
    chain = [model.ground, *bars, model.ground]  # the sixth bar is fixed
    for k in range(6):
        model.add(mbs.Revolute(f"hinge{k + 1}", chain[k], chain[k + 1], at=corners[k], axis=AXES[k]))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "hinge1.angle", "bar3.x", initial=INITIAL)
