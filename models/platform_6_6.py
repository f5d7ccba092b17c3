"""A general platform on six legs (6-6): no two of its pins coincide, and neither those of the base nor those of the
platform lie in a plane. The platform is the only body; a leg is the distance of its two points, set by a motor.

From the pose (r, R) to the legs it is a closed form, l = |r + R B - A|. From six lengths to the pose there are forty
solutions in complex numbers (Ronga and Vust, 1992), and there are lengths for which all forty are real (Dietmaier,
1998). For those of the first pose here eight are.

    modes = mbs.assembly_modes(build())
    modes.complex, modes.complete, len(modes)                   (40, True, 8)

`stewart_platform` has legs with masses, whose points lie in planes.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 121)  # s: one period

BASE = (  # m: the ends of the legs on the ground
    *((1.00, 0.31, 0.22), (0.72, 1.35, -0.36), (-0.69, 0.47, -0.03)),
    *((-0.70, -0.01, 0.15), (-1.07, -0.82, -0.27), (1.03, -0.60, 0.28)),
)
JOINTS = (  # m: those on the platform, in its axes; its mass centre is their origin
    *((0.59, 0.12, 0.13), (0.23, 0.42, -0.02), (-0.42, 0.40, -0.06)),
    *((-0.75, 0.15, -0.32), (-0.14, -0.64, -0.11), (0.03, -0.55, -0.05)),
)
HEIGHT = 1.2  # m: where the platform stands in the beginning


def sway(t):
    """The platform goes round an ellipse and turns to and fro about the vertical."""
    return (0.1 * sp.sin(t), 0.1 * (1 - sp.cos(t)), HEIGHT), mbs.rotations.about_z(0.2 * sp.sin(t))


def build(
    mass=20.0,  # kg: platform
    inertia=2.0,  # kg m²: the same about all axes
    base=BASE,
    joints=JOINTS,
    motion=sway,  # of time: position and rotation of the platform
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("6-6 platform", gravity=(0, 0, -9.81))
    mass, inertia = model.parameter("mass", mass, unit="kg"), model.parameter("inertia", inertia, unit="kg m²")

    position, rotation = motion(mbs.t)
    start, turned = (np.array(sp.Matrix(x).subs(mbs.t, 0), dtype=float) for x in (position, rotation))
    platform = model.body("platform", mass, inertia, position=start[:, 0], rotation=turned)
    for k, (A, B) in enumerate(zip(base, joints, strict=True), start=1):
        s = sp.Matrix(position) + rotation * sp.Matrix(B) - sp.Matrix(A)
        leg = mbs.distance(model.ground.marker(f"A{k}", *A), platform.marker(f"B{k}", *B))
        model.add(mbs.Driver(f"leg{k}", leg, sp.sqrt(s.dot(s))))
    return model


if __name__ == "__main__":
    from _show import show_efforts

    legs = [f"leg{k}" for k in range(1, 7)]
    show_efforts(build(), TIMES, "platform.x", "platform.z", efforts=legs)
