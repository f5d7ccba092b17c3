"""The flyball governor with rigid links: steady speed and small oscillation.

A vertical shaft carries two arms of length l, hinged at the distance e from its axis; a ball of mass m at each arm's
end. α is the arm's angle from the downward vertical. Links of length a (massless), hinged to the arms at the distance
a from the arm's hinge and to the sleeve at the distance e from the axis, make a rhombus: the sleeve (mass M) hangs 2
a cos α below the hinges. An arm may be a uniform slender rod of mass m_arm. With x = l sin α

    J(α) = J₀ + 2 m (e + x)² + 2 m_arm (e² + e x + x²/3)                         about the shaft
    A(α) = 2 m l² + 2 m_arm l²/3 + M (2 a sin α)²                                 for the arms' motion
    V(α) = −(2 m + m_arm) g l cos α − 2 M g a cos α

    T = ½ J ω² + ½ A α̇²,     A α̈ + ½ A' α̇² − ½ J' ω² + V' = 0.

Steady: ω² = 2 V'/J'. Small oscillation about it: with the speed held, λ² = (V'' − ½ J'' ω²)/A; with the shaft free
(H = J ω kept, effective potential V + H²/2J), λ² = (V'' − ½ J'' ω² + J'² ω²/J)/A.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Governor:
    """Lengths and masses; `shaft` is the inertia J₀ of shaft and sleeve about the axis."""

    l: float = 1.0
    e: float = 0.05
    a: float = 0.5
    m: float = 5.0
    m_arm: float = 0.3
    M: float = 3.0
    shaft: float = 0.01
    g: float = 9.81


def inertia(governor, alpha):
    """J, J', J''."""
    p, x, x1 = governor, governor.l * np.sin(alpha), governor.l * np.cos(alpha)
    J = p.shaft + 2 * p.m * (p.e + x) ** 2 + 2 * p.m_arm * (p.e**2 + p.e * x + x**2 / 3)
    slope = 4 * p.m * (p.e + x) + 2 * p.m_arm * (p.e + 2 * x / 3)
    bend = 4 * p.m + 4 * p.m_arm / 3
    return J, slope * x1, bend * x1**2 - slope * x


def arm_inertia(governor, alpha):
    """A, A'."""
    p = governor
    A = 2 * p.m * p.l**2 + 2 * p.m_arm * p.l**2 / 3 + p.M * (2 * p.a * np.sin(alpha)) ** 2
    return A, 4 * p.M * p.a**2 * np.sin(2 * alpha)


def potential(governor, alpha):
    """V, V', V''."""
    p = governor
    weight = (2 * p.m + p.m_arm) * p.g * p.l + 2 * p.M * p.g * p.a
    return -weight * np.cos(alpha), weight * np.sin(alpha), weight * np.cos(alpha)


def steady_speed(governor, alpha):
    """The shaft speed at which the arms stand at α."""
    return np.sqrt(2 * potential(governor, alpha)[1] / inertia(governor, alpha)[1])


def small_oscillation(governor, alpha, held):
    """Circular frequency about the steady state at α; `held`: the shaft's speed is kept by a drive, else it is free."""
    J, J1, J2 = inertia(governor, alpha)
    omega2 = steady_speed(governor, alpha) ** 2
    stiffness = potential(governor, alpha)[2] - J2 * omega2 / 2 + (0.0 if held else J1**2 * omega2 / J)
    return np.sqrt(stiffness / arm_inertia(governor, alpha)[0])


def rates(governor, state, held):
    """d(α, α̇, ω)/dt of the full equations."""
    alpha, rate, omega = state
    J, J1, _ = inertia(governor, alpha)
    A, A1 = arm_inertia(governor, alpha)
    acceleration = (J1 * omega**2 / 2 - potential(governor, alpha)[1] - A1 * rate**2 / 2) / A
    return np.array([rate, acceleration, 0.0 if held else -J1 * rate * omega / J])


def energy(governor, state):
    """Kinetic and potential energy."""
    alpha, rate, omega = state
    kinetic = (inertia(governor, alpha)[0] * omega**2 + arm_inertia(governor, alpha)[0] * rate**2) / 2
    return kinetic + potential(governor, alpha)[0]
