"""The slider-crank as the textbook writes it: the ground is body 1, and twelve equations hold twelve coordinates.

Lengths are in the book's units (mm); q = (x_1, y_1, phi_1, ..., x_4, y_4, phi_4) with the bodies 1 frame, 2 crank,
3 rod, 4 slider. The equations come out in the book's order and signs (first marker minus second):

    Φ1-Φ3     the ground: x_1, y_1, phi_1
    Φ4, Φ5    pin A, slider and rod          Φ6, Φ7    pin B, rod and crank
    Φ8, Φ9    pin O, crank and frame         Φ10, Φ11  guide, slider on frame
    Φ12       motor: phi_2 - 5.76 + 1.2 t

The book writes Φ10 with an axis vector of length 100, here it is a unit vector: its Φ10 is 100 times ours. On the frame
the guide's point lies 100 out from O. Any place along the guide would do: it changes Φ10 by a multiple of
sin(phi_4 - phi_1), which Φ11 makes zero.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 5, 181)  # s: nearly a turn


def build(**values: float) -> mbs.PlanarModel:
    """The book's numbers are fixed: there are no parameters to set, and ``values`` names none."""
    model = mbs.PlanarModel("slider-crank of the textbook")
    frame = model.body("frame")
    crank = model.body("crank", position=(-87, 50), angle=5.76)
    rod = model.body("rod", position=(-467, 40), angle=0.2)
    slider = model.body("slider", position=(-663, 0))
    model.add(
        mbs.CoordinateFix("x1", frame, "x", 0),
        mbs.CoordinateFix("y1", frame, "y", 0),
        mbs.CoordinateFix("phi1", frame, "angle", 0),
        mbs.Revolute("A", slider.at(0, 0), rod.at(-200, 0)),
        mbs.Revolute("B", rod.at(300, 0), crank.at(-100, 0)),
        mbs.Revolute("O", crank.at(100, 0), frame.at(0, 0)),
        mbs.Translational("guide", slider.at(0, 0), frame.at(100, 0)),
        mbs.Driver("motor", mbs.angle(crank), 5.76 - 1.2 * mbs.t),
    )
    return model.with_parameters(**values)


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "slider.x", "rod.angle")
    print(f"\n{mbs.equations(build())}")
