"""A Gough-Stewart platform on six legs, each with a universal joint, a slide and a ball. Six degrees of freedom.

From the base point A of a leg to the platform's point B (platform axes) runs the vector s = r + R B - A. Its length is
the way of the leg's slide, l = |s|; the pose (r, R) is given, so all lengths are known at once: inverse kinematics in
closed form. The other way round, from six lengths to the pose, has up to 40 answers and takes an iteration.

The points, masses and motions are those of L.-W. Tsai, "Solving the inverse dynamics of a Stewart-Gough manipulator by
the principle of virtual work", Journal of Mechanical Design 122 (2000).
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 3, 121)  # s: one period

BASE = (  # m: the universal joints, in world axes
    *((-2.12, 1.374, 0.0), (-2.38, 1.224, 0.0), (-2.38, -1.224, 0.0)),
    *((-2.12, -1.374, 0.0), (0.0, -0.15, 0.0), (0.0, 0.15, 0.0)),
)
JOINTS = (  # m: the balls, in the platform's axes; its mass centre is their origin
    *((0.17, 0.595, -0.4), (-0.6, 0.15, -0.4), (-0.6, -0.15, -0.4)),
    *((0.17, -0.595, -0.4), (0.43, -0.445, -0.4), (0.43, 0.445, -0.4)),
)
HOME = (-1.5, 0.0, 1.0)  # m: where the platform stands in the middle of its motions


def diagonal(t, w=3.0):
    """The platform swings along the space diagonal and does not turn."""
    return [x + 0.2 * sp.sin(w * t) for x in HOME], sp.eye(3)


def yaw(t, w=3.0):
    """The platform turns to and fro about the vertical."""
    return list(HOME), mbs.rotations.about_z(sp.pi / 6 * sp.sin(w * t))


def build(
    base=BASE,
    joints=JOINTS,
    mass=1.5,  # kg: the platform
    inertia=0.08,  # kg m²: of the platform, the same about all axes
    m1=0.1,  # kg: lower part of a leg
    e1=0.5,  # m: its mass centre from the universal joint
    i1=1 / 160,  # kg m²: across the leg; along it there is none
    m2=0.1,  # kg: upper part of a leg
    e2=0.5,  # m: its mass centre from the ball
    i2=1 / 160,  # kg m²
    drive="legs",  # which motors there are: "legs", "pose" (a hand that leads the platform), or None
    motion=diagonal,  # of time: position and rotation of the platform
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("Stewart platform", gravity=(0, 0, -9.80665))
    mass, m1, m2 = (model.parameter(name, x, unit="kg") for name, x in (("mass", mass), ("m1", m1), ("m2", m2)))
    e1, e2 = (model.parameter(name, x, unit="m") for name, x in (("e1", e1), ("e2", e2)))
    inertia, i1, i2 = (
        model.parameter(name, x, unit="kg m²") for name, x in (("inertia", inertia), ("i1", i1), ("i2", i2))
    )

    position, rotation = motion(mbs.t)
    start, turned = (np.array(sp.Matrix(x).subs(mbs.t, 0), dtype=float) for x in (position, rotation))
    platform = model.body("platform", mass, inertia, position=start[:, 0], rotation=turned)

    for k, (A, B) in enumerate(zip(base, joints, strict=True), start=1):
        top = start[:, 0] + turned @ B
        # Both parts have their z axis along the leg. Their y axis, the leg's pin of the universal joint, is across the
        # pin of the base, which lies along x. No inertia about z: the joint holds the leg against turning about itself.
        along = mbs.rotations.frame(top - A, x_axis=(1, 0, 0))
        lower = model.body(f"lower{k}", m1, (i1, i1, 0), com=(0, 0, e1), position=A, rotation=along)
        upper = model.body(f"upper{k}", m2, (i2, i2, 0), com=(0, 0, -e2), position=top, rotation=along)
        slide = mbs.Prismatic(f"slide{k}", lower.at(0, 0, 0), upper.at(0, 0, 0))  # its displacement is the leg's length
        model.add(
            mbs.Universal(f"U{k}", model.ground.at(*A), lower.at(0, 0, 0)),
            slide,
            mbs.Spherical(f"S{k}", upper.at(0, 0, 0), platform.at(*B)),
        )
        if drive == "legs":
            s = sp.Matrix(position) + rotation * sp.Matrix(B) - sp.Matrix(A)
            model.add(mbs.Driver(f"leg{k}", mbs.displacement(slide), sp.sqrt(s.dot(s))))
    if drive == "pose":
        model.add(mbs.PoseDriver("pose", platform, position=position, rotation=rotation))
    return model


if __name__ == "__main__":
    from _show import show_efforts

    legs = [f"leg{k}" for k in range(1, 7)]
    show_efforts(build(), TIMES, "slide1.displacement", "platform.z", efforts=legs)
