"""A Delta robot: three motors lift a platform that never tilts. Three degrees of freedom, all translations.

Each motor turns an upper arm a; from its elbow a parallelogram of two rods b leads to the platform. The two rods stay
parallel, so the elbow's bar and the platform's stay parallel, too; three such pairs leave the platform no rotation.

In the axes of an arm (x outwards, z up) with (x, y, z) = p + (r - R, 0, 0), where p is the platform's centre, R and r
the radii of motors and wrists, the two rods act as one from elbow to wrist:

    E cos θ + F sin θ = G,   E = 2 a x,   F = -2 a z,   G = x² + y² + z² + a² - b²
    θ = atan2(F, E) - acos(G/√(E² + F²)),

θ downwards from the horizontal. Of the two answers this one has the elbow outside.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 101)  # s: one round


def circle(t):
    """The tool goes round in a slanted circle, one round a second."""
    a = 2 * sp.pi * t
    return 0.1 * sp.cos(a), 0.1 * sp.sin(a), -0.5 + 0.03 * sp.sin(a)


def motor_angle(p, turned, R, r, a, b):
    """θ of the arm that stands at this angle about z, for the platform at p."""
    c, s = sp.cos(turned), sp.sin(turned)
    x, y, z = c * p[0] + s * p[1] + r - R, c * p[1] - s * p[0], p[2]
    E, F, G = 2 * a * x, -2 * a * z, x**2 + y**2 + z**2 + a**2 - b**2
    return sp.atan2(F, E) - sp.acos(G / sp.sqrt(E**2 + F**2))


def build(
    R=0.20,  # m: the motors, from the centre of the base
    r=0.05,  # m: the wrists, from the centre of the platform
    a=0.25,  # m: upper arm
    b=0.55,  # m: rod
    half=0.04,  # m: half the distance of the two rods of a pair
    arm_mass=0.4,  # kg
    rod_mass=0.05,  # kg: of each of the six
    load=1.0,  # kg: platform and tool
    drive="motors",  # or "platform" (a hand that leads it), or None
    path=circle,  # of time: the place of the platform
) -> mbs.SpatialModel:
    # Where everything is in the beginning, in numbers.
    start = np.array([float(sp.sympify(x).subs(mbs.t, 0)) for x in path(mbs.t)])
    sizes = R, r, a, b
    turns = [k * 2 * np.pi / 3 for k in range(3)]
    angles = [float(motor_angle(start, turn, *sizes)) for turn in turns]

    model = mbs.SpatialModel("Delta robot", gravity=(0, 0, -9.81))
    lengths = {"R": R, "r": r, "a": a, "b": b, "half": half}
    R, r, a, b, half = (model.parameter(name, x, unit="m") for name, x in lengths.items())
    masses = {"arm_mass": arm_mass, "rod_mass": rod_mass, "load": load}
    arm_mass, rod_mass, load = (model.parameter(name, x, unit="kg") for name, x in masses.items())

    platform = model.body("platform", load, load * r**2 * np.array([0.25, 0.25, 0.5]), position=start)
    for k, (turn, angle) in enumerate(zip(turns, angles, strict=True), start=1):
        # Seen from the arm: its x axis outwards and its y axis, that of the motor, across.
        axes = mbs.rotations.about_z(turn)
        across = axes[:, 1]
        shoulder = axes @ [lengths["R"], 0, 0]
        elbow = shoulder + lengths["a"] * axes @ [np.cos(angle), 0, -np.sin(angle)]
        wrist = start + axes @ [lengths["r"], 0, 0]

        arm = model.link(f"arm{k}", shoulder, elbow, arm_mass, length=a, radius=0.01, z_axis=across)
        outwards = (sp.cos(turn), sp.sin(turn), 0)
        motor = mbs.Revolute(
            f"motor{k}",
            model.ground.at(R * outwards[0], R * outwards[1], 0, axis=across, x_axis=axes[:, 0]),
            arm.tail,
        )  # its angle is θ: the axis across turns the arm downwards
        model.add(motor)
        for side, sign in (("left", 1), ("right", -1)):
            shift = sign * lengths["half"] * across
            rod = model.link(f"rod{k} {side}", elbow + shift, wrist + shift, rod_mass, length=b, z_axis=across)
            at = (r * outwards[0] - sign * half * outwards[1], r * outwards[1] + sign * half * outwards[0], 0)
            # The first pin is along the elbow's bar, the arm's z axis; a rod cannot spin about itself.
            bar = arm.at(a / 2, 0, sign * half, axis=(1, 0, 0), x_axis=(0, 0, 1))
            model.add(
                mbs.Universal(f"elbow{k} {side}", bar, rod.tail),
                mbs.Spherical(f"wrist{k} {side}", rod.head, platform.at(*at)),
            )
        if drive == "motors":
            model.add(mbs.Driver(f"drive{k}", mbs.angle(motor), motor_angle(path(mbs.t), turn, R, r, a, b)))
    if drive == "platform":
        model.add(mbs.PoseDriver("hand", platform, position=path(mbs.t)))
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "motor1.angle", "platform.z", efforts=("drive1", "drive2", "drive3"))
