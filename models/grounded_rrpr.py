"""An arm in space on skew axes: revolute, revolute, prismatic, revolute (R-R-P-R). Four degrees of freedom.

Four bodies in a row, the first on the ground. With u₁, u₂, u₃, u₅ the axes of the joints and r_i the points where they
attach, the velocity of a point r behind all of them is the sum of what each joint does,

    ṙ = θ̇₁ u₁ × (r - r₁) + θ̇₂ u₂ × (r - r₂) + θ̇₃ u₃ + θ̇₅ u₅ × (r - r₅),    ω₄ = θ̇₁ u₁ + θ̇₂ u₂ + θ̇₅ u₅,

and each axis turns with the body that carries it: u̇₂ = ω₁ × u₂, u̇₃ = ω₂ × u₃, u̇₅ = ω₃ × u₅. The joints are named
after these: R1, R2, P3, R5. A body further out feels one joint more, so the way from the ground to body i leads over
edges 1 to i, which the path matrices say (``mbs.topology(model).secondary_path_matrix``).

The arm falls under gravity, its prismatic joint held by a spring.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 1.5, 301)  # s
INITIAL = {"R1.omega": 1.0, "R2.omega": -0.5, "P3.velocity": 0.2, "R5.omega": 3.0}  # rad/s, m/s

JOINTS = {  # m: the point and the axis of each, in world axes
    "R1": (mbs.Revolute, (0.0, 0.0, 0.3), (0.0, 0.3, 1.0)),
    "R2": (mbs.Revolute, (0.4, 0.0, 0.5), (0.2, 1.0, 0.1)),
    "P3": (mbs.Prismatic, (0.9, 0.1, 0.5), (1.0, 0.2, -0.1)),
    "R5": (mbs.Revolute, (1.2, 0.2, 0.4), (0.3, -0.2, 1.0)),
}
CENTRES = ((0.20, 0.02, 0.10), (0.25, 0.05, 0.02), (0.15, 0.05, -0.05), (0.18, 0.03, 0.02))  # m: from the joints
MASSES = (6.0, 4.0, 2.0, 1.0)  # kg
MOMENTS = ((0.03, 0.12, 0.12), (0.02, 0.09, 0.09), (0.005, 0.03, 0.03), (0.002, 0.012, 0.012))  # kg m²


def build(
    stiffness=600.0,  # N/m: of the spring along the prismatic joint
    free=0.45,  # m: its length without load
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("grounded R-R-P-R", gravity=(0.0, 0.0, -9.81))
    stiffness = model.parameter("stiffness", stiffness, unit="N/m")
    free = model.parameter("free", free, unit="m")

    before = model.ground
    for k, (name, (kind, place, axis)) in enumerate(JOINTS.items()):
        body = model.body(f"link{k + 1}", MASSES[k], MOMENTS[k], com=CENTRES[k], position=place)
        model.add(kind(name, before, body, at=place, axis=axis))
        if kind is mbs.Prismatic:  # the spring lies along the guide: its seat is behind it, on the link before
            way = np.array(axis) / np.linalg.norm(axis)
            seat = np.array(place) - 0.45 * way - before.position
            model.add(mbs.Spring("spring", before.at(*seat), body, stiffness, free))
        before = body
    before.marker("tip", 0.4, 0.1, 0.0)
    return model


if __name__ == "__main__":
    from _show import show_motion

    model = build()
    print(mbs.topology(model), end="\n\n")
    names = "link4.tip.x", "link4.tip.y", "link4.tip.z", "P3.displacement"
    show_motion(model, TIMES, *names, initial=INITIAL, paths=("link4.tip",))
