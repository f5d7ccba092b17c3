"""Andrews' squeezer: seven bodies, three loops closed in one point, moved by a motor against a spring.

The mechanism of the test set for initial value problems (W. Schiehlen, Multibody Systems Handbook, 1990; E. Hairer,
G. Wanner, Solving Ordinary Differential Equations II, VI.9). In 0.03 s the motor's crank K1 turns two and a half times.

    K1  crank        from O, where the motor is, to F
    K2  rod          from F to E, where three levers are pinned on
    K3  swing arm    from B to E; the spring pulls at its corner D towards the ground's C
    K4  link         from G to E        K5  bell crank  from A to G
    K6  link         from H to E        K7  bell crank  from A to H

The test set describes K2, K4 and K6 by relative angles: Theta = K2 - K1, Phi = K4 - K5, Omega = K6 - K7. Its six
constraints are those of E, K2 against K3, K4 and K6; they are the equations of the pins E3, E4, E6 here, with the same
multipliers. Gravity is left out.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 0.03, 301)  # s
INITIAL = {"K1.omega": 0.0}  # where they are placed, at rest

A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m: points of the ground; O is (0, 0)
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)  # kg
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # kg m², about the centres of mass

# The pose at t = 0. Of the seven angles Theta = 0 is given; the others close the loops, and Phi = -Omega.
BETA = -0.061713890014276450
GAMMA = 0.455279819163070380
PHI = 0.222668390165885885
DELTA = 0.487364979543842550
EPSILON = 1.230547444549821192


def build(
    torque=0.033,  # N m: of the motor
    stiffness=4530.0,  # N/m: of the spring
    length=0.07785,  # m: of the spring without load
    rr=0.007,  # m: K1, from O to F
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("Andrews squeezer")
    torque = model.parameter("torque", torque, unit="N m")
    stiffness = model.parameter("stiffness", stiffness, unit="N/m")
    length = model.parameter("length", length, unit="m")
    rr = model.parameter("rr", rr, unit="m")

    def bar(number, pivot, angle, com):
        """A body whose frame stands in its pivot."""
        inertias = {"mass": MASS[number - 1], "inertia": INERTIA[number - 1], "com": com}
        return model.body(f"K{number}", **inertias, position=pivot, angle=angle)

    def beyond(pivot, angle, x, y):
        """Where the point (x, y) of a body stands."""
        c, s = sp.cos(angle), sp.sin(angle)
        return pivot[0] + c * x - s * y, pivot[1] + s * x + c * y

    F = beyond((0, 0), BETA, rr, 0)
    G = beyond(A, DELTA, 0.04, 0)
    H = beyond(A, EPSILON, 0, -0.04)
    K1 = bar(1, (0, 0), BETA, com=(0.00092, 0))
    K2 = bar(2, F, BETA, com=(-0.0115, 0))
    K3 = bar(3, B, GAMMA, com=(0.01043, -0.01874))
    K4 = bar(4, G, PHI + DELTA, com=(0, -(0.02 - 0.01421)))
    K5 = bar(5, A, DELTA, com=(0.02308, 0.00916))
    K6 = bar(6, H, EPSILON - PHI, com=(0.02 - 0.01421, 0))
    K7 = bar(7, A, EPSILON, com=(-0.00449, -0.01228))

    ground = model.ground
    E = K2.marker("E", -0.028, 0)
    D = K3.marker("D", 0.02, -0.018)
    model.add(
        mbs.Revolute("O", ground, K1),
        mbs.Revolute("F", K1.at(rr, 0), K2),
        mbs.Revolute("B", ground.at(*B), K3),
        mbs.Revolute("A5", ground.at(*A), K5),
        mbs.Revolute("G", K5.at(0.04, 0), K4),
        mbs.Revolute("A7", ground.at(*A), K7),
        mbs.Revolute("H", K7.at(0, -0.04), K6),
        mbs.Revolute("E3", E, K3.at(0, -0.035)),
        mbs.Revolute("E4", E, K4.at(0, -0.02)),
        mbs.Revolute("E6", E, K6.at(0.02, 0)),
        mbs.Spring("spring", ground.at(*C), D, stiffness=stiffness, length=length),
        mbs.Torque("motor", K1, torque),
    )
    return model


def angles(result: mbs.Result, level: str = "angle") -> np.ndarray:
    """beta, Theta, gamma, Phi, delta, Omega, epsilon of the test set (or their rates: "omega", "alpha") over time."""
    K1, K2, K3, K4, K5, K6, K7 = (result[f"K{k}.{level}"] for k in range(1, 8))
    return np.stack([K1, K2 - K1, K3, K4 - K5, K5, K6 - K7, K7], axis=1)


if __name__ == "__main__":
    from _show import show_motion

    result = show_motion(build(), TIMES, "K1.angle", "K3.angle", initial=INITIAL, paths=("K2.E",))
    print(f"\nthe seven angles of the test set at the end:\n{angles(result)[-1]}")
