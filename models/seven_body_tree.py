"""Two arms on a turntable: seven bodies in an open tree, each on one joint. Seven degrees of freedom.

Body i hangs on body C_i by joint i, and the list of these numbers says how the bodies are connected:

    C = (0, 1, 2, 1, 4, 4, 2)           0 is the ground

A turntable (1) carries two arms. On the first arm (2) a rod slides (3) and a hook swings (7); on the second (4) a
finger turns (5) and a rod slides (6). Joints 3 and 6 are prismatic, the others revolute. Either kind has five
equations: 7 · 6 - 7 · 5 = 7. No joint closes a loop, so the seven coordinates of the joints are free of each other, and
no equation is left between them.

The rods are held by springs. The turntable's axis is vertical and nothing brakes it: gravity has no moment about it, so
the total moment of momentum about this axis is kept, as is the energy.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 201)  # s
INITIAL = {
    "J1.omega": 1.5,  # rad/s
    "J2.omega": 0.0,
    "J3.velocity": 0.0,  # m/s
    "J4.omega": 0.0,
    "J5.omega": 2.0,
    "J6.velocity": 0.0,
    "J7.omega": -1.0,
}

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LINKS = (  # parent, kind, joint (m, world axes), its axis, centre of mass (m, from the joint), mass (kg), size (m)
    (0, mbs.Revolute, (0.00, 0.00, 0.00), Z, (0.00, 0.00, 0.25), 8.0, (0.30, 0.30, 0.50)),
    (1, mbs.Revolute, (0.15, 0.00, 0.45), Y, (0.20, 0.00, 0.05), 4.0, (0.40, 0.10, 0.10)),
    (2, mbs.Prismatic, (0.55, 0.00, 0.55), X, (0.10, 0.00, 0.02), 1.5, (0.30, 0.05, 0.05)),
    (1, mbs.Revolute, (-0.15, 0.00, 0.45), Y, (-0.15, 0.02, 0.08), 3.5, (0.35, 0.10, 0.12)),
    (4, mbs.Revolute, (-0.40, 0.05, 0.55), Z, (-0.08, 0.06, 0.00), 0.8, (0.16, 0.12, 0.04)),
    (4, mbs.Prismatic, (-0.35, 0.00, 0.60), (-1, 0, 2), (-0.05, 0.00, 0.10), 1.2, (0.05, 0.05, 0.24)),
    (2, mbs.Revolute, (0.35, 0.05, 0.50), X, (0.02, 0.03, -0.12), 1.0, (0.06, 0.06, 0.24)),
)


def build(
    stiffness=900.0,  # N/m: of the springs that hold the rods
    reach=0.30,  # m: from the seat of a spring to its rod, in the reference placement
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("seven-body tree", gravity=(0.0, 0.0, -9.81))
    stiffness = model.parameter("stiffness", stiffness, unit="N/m")
    reach = model.parameter("reach", reach, unit="m")

    bodies = [model.ground]
    for k, (parent, kind, place, axis, com, mass, size) in enumerate(LINKS, start=1):
        body = model.body(f"B{k}", mass, box(mass, size), com=com, position=place)
        joint = kind(f"J{k}", bodies[parent], body, at=place, axis=axis)
        model.add(joint)
        bodies.append(body)
        if kind is mbs.Prismatic:  # a spring along the guide, from a seat behind it
            way = np.array(axis) / np.linalg.norm(axis)
            behind = [p - reach * n for p, n in zip(place, way, strict=True)]
            seat = bodies[parent].at(*(b - p for b, p in zip(behind, LINKS[parent - 1][2], strict=True)))
            model.add(mbs.Spring(f"spring{k}", seat, body.at(0, 0, 0), stiffness, reach))
    bodies[3].marker("tip", 0.25, 0, 0.02)
    bodies[5].marker("tip", -0.16, 0.12, 0)
    return model


def box(mass, size):
    """Moments of inertia of a homogeneous box."""
    x, y, z = (s**2 for s in size)
    return tuple(mass / 12 * total for total in (y + z, z + x, x + y))


if __name__ == "__main__":
    from _show import show_motion

    model = build()
    print(mbs.topology(model), end="\n\n")
    show_motion(model, TIMES, "B3.tip.x", "B3.tip.z", "J1.angle", initial=INITIAL, paths=("B3.tip", "B5.tip"))
