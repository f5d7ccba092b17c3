"""The rectangular Bricard 6R linkage of the IFToMM benchmark A04, reduced to one coordinate in closed form.

Six unit bars, revolutes where they meet; the two axes of a bar are perpendicular to the bar and to each other. Bar 6,
from P6 to P1, is the ground. Initial corners and axes (P1…P6): see CORNERS, AXES; gravity 9.81 along −y; bars of 1
kg.

Let θᵢ be the angle at joint i between the bars that meet there (0: one bar continues the other). The linkage has a
threefold symmetry, θ₁ = θ₃ = θ₅ = θ and θ₂ = θ₄ = θ₆ = φ (magnitudes, in the initial pose all 90°). Its closure is
cos θ + cos φ + cos θ cos φ = 0 (Chen, You and Tarnai 2005, with twist 90°), that is (1 + cos θ)(1 + cos φ) = 1 or

    cos(θ/2) cos(φ/2) = 1/2:

the legs θ/2, φ/2 of a right spherical triangle whose hypotenuse is 60°. With σ its angle at the end of θ/2,

    tan(θ/2) = tan 60° cos σ,     sin(φ/2) = sin 60° sin σ

runs smoothly once round all poses. The initial pose has cos σ = 1/√3, sin σ = √(2/3); no joint opens beyond 120°.

With all bars' velocities proportional to σ', the motion is that of one coordinate: ½ J(σ) σ'² + V(σ) = E.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from .quadrature import integrate
from .rotations import rotation

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)
SIGMA0 = np.arctan2(np.sqrt(2.0 / 3.0), 1.0 / np.sqrt(3.0))
GRAVITY = np.array([0.0, -9.81, 0.0])
MASS = 1.0


def opening(sigma):
    """θ, φ: the angles of the joints 1, 3, 5 and of the joints 2, 4, 6."""
    return 2 * np.arctan(np.sqrt(3.0) * np.cos(sigma)), 2 * np.arcsin(np.sqrt(0.75) * np.sin(sigma))


def opening_rates(sigma):
    """dθ/dσ, dφ/dσ."""
    c, s = np.cos(sigma), np.sin(sigma)
    return -2 * np.sqrt(3.0) * s / (1 + 3 * c**2), 2 * np.sqrt(0.75) * c / np.sqrt(1 - 0.75 * s**2)


def _signs():
    """How joint i's opening turns bar i against bar i − 1 about AXES[i], in the initial pose (±1)."""
    bars = np.roll(CORNERS, -1, axis=0) - CORNERS
    return np.array([np.cross(bars[i - 1], bars[i]) @ AXES[i] for i in range(6)])


SIGNS = _signs()


class Motion(NamedTuple):
    """Rows are the bars P1P2 … P5P6: tail, rotation from the initial pose, and both velocities per σ'."""

    tail: np.ndarray
    R: np.ndarray
    omega: np.ndarray
    centre: np.ndarray
    centre_rate: np.ndarray
    head: np.ndarray


def pose(sigma):
    """All bars by forward kinematics from the ground; head[4] is P6 again if the closure holds."""
    angles, rates = np.tile(opening(sigma), 3), np.tile(opening_rates(sigma), 3)
    turns = SIGNS * (angles - np.pi / 2)
    point, point_rate, R, omega = CORNERS[0], np.zeros(3), np.eye(3), np.zeros(3)
    rows = []
    for i in range(5):
        axis = R @ AXES[i]
        R = R @ rotation(AXES[i], turns[i])
        omega = omega + SIGNS[i] * rates[i] * axis
        bar = R @ (CORNERS[i + 1] - CORNERS[i])
        bar_rate = np.cross(omega, bar)
        rows.append((point, R, omega, point + bar / 2, point_rate + bar_rate / 2, point + bar))
        point, point_rate = point + bar, point_rate + bar_rate
    return Motion(*(np.array(column) for column in zip(*rows, strict=True)))


def bar_inertia(index, width=0.0):
    """Inertia of bar `index` (0: P1P2) about its centre, axes of the initial pose; square section of side width."""
    u = CORNERS[index + 1] - CORNERS[index]
    along, across = MASS * width**2 / 6, MASS * (1 + width**2) / 12
    return across * np.eye(3) + (along - across) * np.outer(u, u)


def reduced_inertia(sigma, width=0.0):
    """J(σ): twice the kinetic energy at σ' = 1."""
    now = pose(sigma)
    total = MASS * np.sum(now.centre_rate**2)
    for i in range(5):
        body = now.R[i].T @ now.omega[i]
        total += body @ bar_inertia(i, width) @ body
    return total


def potential(sigma):
    """Energy of the weights, zero at the height of P1."""
    return -MASS * np.sum(pose(sigma).centre @ GRAVITY)


def potential_slope(sigma):
    """dV/dσ, exact: the power of the weights at σ' = −1."""
    return -MASS * np.sum(pose(sigma).centre_rate @ GRAVITY)


def simulate(times, width=0.0, sigma_rate=0.0, count=160):
    """σ and σ' from the initial pose: J σ'' + ½ J' σ'² + V' = 0.

    J and V' come round with σ. They are the trigonometric polynomials through `count` of their values: their poles are
    0.55 off the real axis, so that waves fade as exp(-0.55 n)."""
    values = [(reduced_inertia(s, width), potential_slope(s)) for s in 2 * np.pi * np.arange(count) / count]
    order = np.arange(count // 2)
    waves = np.fft.rfft(values, axis=0)[: len(order)] * np.where(order > 0, 2, 1)[:, None] / count

    def rhs(_, y):
        s, rate = y
        turned = np.exp(1j * order * s)[:, None] * waves
        inertia, slope = turned.sum(axis=0).real
        return [rate, -(0.5 * (1j * order @ turned[:, 0]).real * rate**2 + slope) / inertia]

    run = solve_ivp(rhs, (0, times[-1]), [SIGMA0, sigma_rate], "DOP853", times, rtol=1e-11, atol=1e-12)
    return run.y


def screws(sigma):
    """The six joint screws (axis, point×axis) in a pose, as columns: rank 5 means one degree of freedom."""
    now = pose(sigma)
    axes = [now.R[i] @ AXES[i] for i in range(5)] + [AXES[5]]
    points = [*now.tail, CORNERS[5]]
    return np.array([np.concatenate([a, np.cross(p, a)]) for a, p in zip(axes, points, strict=True)]).T


def period(width=0.0, panels=8):
    """Period of the swing from rest in the initial pose to its mirror image σ = π − σ₀ and back.

    t = ∫ √(J/(2 (E − V))) dσ over σ = π/2 + (SIGMA0 − π/2) cos u, which takes the root's poles at both ends away.
    """
    reach = np.pi / 2 - SIGMA0
    rest = potential(SIGMA0)

    def slowness(angles):
        sigmas = np.pi / 2 - reach * np.cos(angles)
        return np.array(
            [
                reach * np.sin(u) * np.sqrt(reduced_inertia(s, width) / (2 * (rest - potential(s))))
                for u, s in zip(angles, sigmas, strict=True)
            ]
        )

    return 2 * integrate(slowness, np.pi, panels)
