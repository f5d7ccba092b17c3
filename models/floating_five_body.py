"""Five bodies afloat: a base with an arm of three and an arm of one, far from any gravity. Ten degrees of freedom.

The base (1) hangs on nothing; one arm is revolute, revolute, prismatic (R2, R3, P4: bodies 2, 3, 4), the other revolute
(R7: body 5). In a graph it needs a root all the same: an edge from the ground to the base, which holds nothing. What
moves is the six velocities of the base and the four of the joints,

    ω₂ = ω₁ + u₂ θ̇₂,   ω₃ = ω₂ + u₃ θ̇₃,   ω₄ = ω₃,   ω₅ = ω₁ + u₇ θ̇₇.

No force comes from outside: the centre of mass of all goes straight on, and the momentum and the moment of momentum
are kept. A base at rest does not stay so when its arms move: so a cat lands on its feet, and a satellite with a robot
arm loses its attitude. The prismatic joint is held by a spring, the second arm by a torsion spring.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 3, 301)  # s
INITIAL = {
    **{f"base.{velocity}": 0.0 for velocity in ("vx", "vy", "vz", "wx", "wy", "wz")},
    "R2.omega": 1.5,  # rad/s
    "R3.omega": -2.5,
    "P4.velocity": 0.3,  # m/s
    "R7.omega": 2.0,
}

BODIES = {  # position (m), mass (kg), moments of inertia (kg m²)
    "base": ((0.0, 0.0, 0.0), 20.0, (0.9, 0.7, 1.1)),
    "upper": ((0.6, 0.1, 0.0), 3.0, (0.01, 0.08, 0.08)),
    "fore": ((1.1, 0.1, 0.2), 2.0, (0.01, 0.05, 0.05)),
    "hand": ((1.5, 0.1, 0.3), 1.0, (0.004, 0.01, 0.01)),
    "panel": ((-0.9, 0.0, 0.0), 4.0, (0.2, 0.3, 0.5)),
}
JOINTS = {  # kind, first and second body, point (m) and axis in world axes
    "R2": (mbs.Revolute, "base", "upper", (0.3, 0.1, 0.0), (0.0, 1.0, 0.2)),
    "R3": (mbs.Revolute, "upper", "fore", (0.9, 0.1, 0.1), (0.1, 0.3, 1.0)),
    "P4": (mbs.Prismatic, "fore", "hand", (1.3, 0.1, 0.2), (1.0, 0.0, 0.3)),
    "R7": (mbs.Revolute, "base", "panel", (-0.3, 0.0, 0.0), (1.0, 0.2, 0.0)),
}


def build(
    stiffness=80.0,  # N/m: along the prismatic joint
    free=0.25,  # m: length of its spring without load
    torsion=3.0,  # N m/rad: of the second arm
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("floating five bodies")
    stiffness = model.parameter("stiffness", stiffness, unit="N/m")
    free = model.parameter("free", free, unit="m")
    torsion = model.parameter("torsion", torsion, unit="N m/rad")

    bodies = {
        name: model.body(name, mass, moments, position=place) for name, (place, mass, moments) in BODIES.items()
    }
    for name, (kind, first, second, place, axis) in JOINTS.items():
        model.add(kind(name, bodies[first], bodies[second], at=place, axis=axis))
    guide = np.array(JOINTS["P4"][4]) / np.linalg.norm(JOINTS["P4"][4])
    hand = np.array(BODIES["hand"][0])
    seat = hand - 0.3 * guide - BODIES["fore"][0]  # so that the spring lies along the guide
    model.add(
        mbs.Spring("spring", bodies["fore"].at(*seat), bodies["hand"], stiffness, free),
        mbs.TorsionSpring("hinge spring", model.elements["R7"], torsion),
    )
    bodies["hand"].marker("tip", 0.2, 0.0, 0.0)
    return model


if __name__ == "__main__":
    from _show import show_motion

    model = build()
    print(mbs.topology(model), end="\n\n")
    show_motion(model, TIMES, "hand.tip.x", "R2.angle", "base.x", initial=INITIAL, paths=("hand.tip", "base"))
