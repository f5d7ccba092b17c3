"""The three problems: their data, their energy and what the right answers are.

Points of the plane are complex numbers, x + iy: turning is then a product, and a row of bars one array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81

# N four-bars: N + 1 cranks on the ground at (i, 0), N couplers between their tips; slender bars of 1 m and 1 kg.
# They start upright with every crank at -1 rad/s. Tip of the first crank after 10 s, IFToMM benchmark A02, exact
# reduction to one pendulum.
FOUR_BAR_AFTER_10_S = {
    1: (0.47838505776097055901, 0.87815017879120930116),
    40: (0.1805122266867283901, 0.98357274058231157488),
}

# Slider-crank without gravity: crank along the x axis at the start, turning at 10 rad/s.
CRANK, ROD = 1.0, 3.0
CRANK_MASS, ROD_MASS, SLIDER_MASS = 1.0, 3.0, 1.0
CRANK_SPEED = 10.0


def four_bar_tip(n: int, t: float) -> np.ndarray:
    """Tip (x, y) of the first of n + 1 cranks: while the bars stay parallel, they are one pendulum."""
    rate = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    path = solve_ivp(lambda _, y: (y[1], rate * np.sin(y[0])), (0.0, t), (0.0, 1.0), "DOP853", rtol=1e-13, atol=1e-14)
    lean = path.y[0, -1]
    return np.array([np.sin(lean), np.cos(lean)])


def four_bar_points(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tips of the cranks and right ends of the couplers with their velocities, from the angles of the open tree.

    The tree has every coupler hanging on the crank to its left: q = crank 0, coupler 0 relative to it, crank 1, ...,
    all zero at the start. The loops are closed where ends[k] meets tips[k + 1].
    """
    crank, omega = q[..., 0::2], v[..., 0::2]
    arm = 1j * np.exp(1j * crank)
    bar = np.exp(1j * (crank[..., :-1] + q[..., 1::2]))
    tips, tip_rates = arm + np.arange(crank.shape[-1]), 1j * omega * arm
    ends = tips[..., :-1] + bar
    end_rates = tip_rates[..., :-1] + 1j * (omega[..., :-1] + v[..., 1::2]) * bar
    return tips, tip_rates, ends, end_rates


def four_bar_energy(tips: np.ndarray, tip_rates: np.ndarray, ends: np.ndarray, end_rates: np.ndarray) -> np.ndarray:
    """Kinetic and potential energy; a slender bar with end velocities a, b has m (a·a + a·b + b·b) / 6."""
    left = tip_rates[..., :-1]
    kinetic = np.sum(np.abs(tip_rates) ** 2, -1) / 6
    kinetic += np.sum(np.abs(left) ** 2 + np.real(left * end_rates.conj()) + np.abs(end_rates) ** 2, -1) / 6
    height = np.sum(tips.imag, -1) / 2 + np.sum(tips[..., :-1].imag + ends.imag, -1) / 2
    return kinetic + G * height


def slider_crank_angle(t: float) -> float:
    """Crank angle at time t, unwrapped."""
    return float(slider_crank_angles(np.array([t]))[0])


def slider_crank_angles(t: np.ndarray) -> np.ndarray:
    """Crank angles at these times.

    The crank angle a is the only coordinate, the kinetic energy I(a) a'² / 2 the Lagrangian; nothing else acts, so
    the energy is the first integral and a' = a'(0) sqrt(I(0) / I(a)) all that is left to solve.
    """

    def inertia(a: float) -> float:
        reach = np.sqrt(ROD**2 - (CRANK * np.sin(a)) ** 2)
        pin = CRANK * np.array([-np.sin(a), np.cos(a)])
        slider = -CRANK * np.sin(a) * (1 + CRANK * np.cos(a) / reach)
        rod = ROD_MASS / 3 * (pin @ pin + pin[0] * slider + slider**2)
        return CRANK_MASS / 3 * CRANK**2 + rod + SLIDER_MASS * slider**2

    start = inertia(0.0)
    def rate(_: float, a: np.ndarray) -> list[float]:
        return [CRANK_SPEED * np.sqrt(start / inertia(a[0]))]

    whole = 0.0, float(np.max(t))
    path = solve_ivp(rate, whole, [0.0], "DOP853", dense_output=len(t) > 1, rtol=1e-13, atol=1e-13)
    return path.sol(t)[0] if path.sol else path.y[0, -1:]


@dataclass(frozen=True)
class Bar:
    """A body of Andrews' mechanism: its mass, inertia about its centre, and points in a frame of its own.

    The frame has its origin in the first joint of the body and turns by the angle of the body.
    """

    mass: float
    inertia: float
    origin: complex
    angle: float
    centre: complex
    points: dict[str, complex]


# Andrews' squeezing mechanism with the data of the IVP test set: angles at the start and, recomputed in extended
# precision, at the end (beta, Theta, gamma, Phi, delta, Omega, epsilon).
ANDREWS_SECONDS = 0.03
ANDREWS_TORQUE = 0.033
ANDREWS_SPRING, ANDREWS_SPRING_LENGTH, ANDREWS_SPRING_FOOT = 4530.0, 0.07785, 0.014 + 0.072j
ANDREWS_START = np.array([
    -0.0617138900142764496358948458001,
    0.0,
    0.455279819163070380255912382449,
    0.222668390165885884674473185609,
    0.487364979543842550225598953530,
    -0.222668390165885884674473185609,
    1.23054744454982119249735015568,
])  # fmt: skip
ANDREWS_END = np.array([
    15.81077119515370555,
    -15.75637105841183683,
    0.04082224011964628169,
    -0.5347301163420786763,
    0.5244099658799540320,
    0.5347301163420783432,
    1.048080741041938158,
])  # fmt: skip


def andrews_bars() -> dict[str, Bar]:
    """The seven bodies where they start; every body carries the points at which it meets others by name."""
    beta, theta, gamma, phi, delta, omega, epsilon = ANDREWS_START
    a, b = -0.06934 - 0.00227j, -0.03635 + 0.03273j
    f = 0.007 * np.exp(1j * beta)
    g = a + 0.04 * np.exp(1j * delta)
    h = a - 0.04j * np.exp(1j * epsilon)
    return {
        "K1": Bar(0.04325, 2.194e-06, 0j, beta, 0.00092 + 0j, {"O": 0j, "F": 0.007 + 0j}),
        "K2": Bar(0.00365, 4.41e-07, f, beta + theta, -0.0115 + 0j, {"F": 0j, "E": -0.028 + 0j}),
        "K3": Bar(
            0.02373, 5.255e-06, b, gamma, 0.01043 - 0.01874j, {"B": 0j, "E": -0.035j, "D": 0.02 - 0.018j}
        ),
        "K4": Bar(0.00706, 5.667e-07, g, phi + delta, (0.01421 - 0.02) * 1j, {"G": 0j, "E": -0.02j}),
        "K5": Bar(0.0705, 1.169e-05, a, delta, 0.02308 + 0.00916j, {"A": 0j, "G": 0.04 + 0j}),
        "K6": Bar(0.00706, 5.667e-07, h, omega + epsilon, 0.02 - 0.01421 + 0j, {"H": 0j, "E": 0.02 + 0j}),
        "K7": Bar(0.05498, 1.912e-05, a, epsilon, -0.00449 - 0.01228j, {"A": 0j, "H": -0.04j}),
    }


# Which bodies meet where; "" is the ground.
ANDREWS_JOINTS = (
    ("", "K1", "O"), ("K1", "K2", "F"), ("K2", "K3", "E"), ("", "K3", "B"), ("K3", "K4", "E"),
    ("K4", "K5", "G"), ("", "K5", "A"), ("K3", "K6", "E"), ("K6", "K7", "H"), ("", "K7", "A"),
)  # fmt: skip


def andrews_relative(angles: np.ndarray) -> np.ndarray:
    """The angles of the test set, which measures K2, K4 and K6 against a neighbour, from those of the seven bodies."""
    k1, k2, k3, k4, k5, k6, k7 = np.moveaxis(angles, -1, 0)
    return np.stack([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7], -1)
