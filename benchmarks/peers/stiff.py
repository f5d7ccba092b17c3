"""Stiff mechanisms as equations that a person writes by hand, y' = f(t, y) in the fewest coordinates, for scipy.

y = (coordinates, velocities). The references follow from these equations, too: linear ones have the exponential of
their matrix, others are solved at a tolerance of 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81


@dataclass(frozen=True)
class Stiff:
    """Some seconds of a stiff mechanism."""

    seconds: float
    start: np.ndarray
    rates: Callable[[float, np.ndarray], np.ndarray]
    positions: int
    """How many of what is compared are positions; velocities come after them."""
    jacobian: np.ndarray | None = None
    """∂f/∂y where it is a constant."""
    read: Callable[[np.ndarray], np.ndarray] = lambda y: y
    """What is compared."""

    @cached_property
    def reference(self) -> np.ndarray:
        if self.jacobian is None:
            return self.read(self.solve(1e-12, 1e-14).y[:, -1])
        n = len(self.start)
        flow = np.zeros((n + 1, n + 1))
        flow[:n, :n], flow[:n, n] = self.jacobian, self.rates(0.0, np.zeros(n))
        return (exponential(self.seconds * flow) @ [*self.start, 1.0])[:n].astype(float)

    def error(self, end: np.ndarray) -> float:
        """The largest error of positions relative to the largest of them; or that of velocities, if that is worse."""
        own, other = (np.split(x, [self.positions]) for x in (self.reference, end))
        return float(max(np.abs(a - b).max() / np.abs(a).max() for a, b in zip(own, other, strict=True)))

    def solve(self, rtol: float, atol: float | None = None):
        """By scipy's Radau."""
        path = solve_ivp(
            self.rates, (0, self.seconds), self.start, "Radau", rtol=rtol, atol=atol or rtol, jac=self.jacobian
        )
        if not path.success:
            raise ArithmeticError(path.message)
        return path


def exponential(A: np.ndarray) -> np.ndarray:
    """Of a stiff matrix: a power series, squared again and again, in long numbers, for squaring doubles errors."""
    squarings = max(0, int(np.ceil(np.log2(np.abs(A).sum(axis=1).max()))) + 1)
    part = A.astype(np.longdouble) / np.longdouble(2.0) ** squarings
    term = total = np.eye(len(A), dtype=np.longdouble)
    for k in range(1, 30):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total


def linear(M: np.ndarray, C: np.ndarray, K: np.ndarray, f: np.ndarray, start: np.ndarray, seconds: float) -> Stiff:
    """M ẍ + C ẋ + K x = f, from x = `start` at rest; M is diagonal."""
    n, mass = len(f), np.diag(M)[:, None]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / mass, -C / mass]])
    b = np.concatenate([np.zeros(n), f / mass[:, 0]])
    return Stiff(seconds, np.concatenate([start, np.zeros(n)]), lambda t, y: A @ y + b, n, A)


# --- a ball on a stiff spring, let go sideways; 2 s -------------------------------------------------------------------

PENDULUM_DAMPING = 0.1      # of the critical one


def pendulum_damper(k: float) -> float:
    return 2.0 * PENDULUM_DAMPING * np.sqrt(k)


def pendulum(k: float) -> Stiff:
    """1 kg, 1 m; the extension s of the rod and the angle from the downward vertical."""
    c = pendulum_damper(k)

    def rates(_, y):
        s, angle, s1, omega = y
        r = 1.0 + s
        return np.array(
            [s1, omega, r * omega**2 + G * np.cos(angle) - k * s - c * s1, -(G * np.sin(angle) + 2.0 * s1 * omega) / r]
        )

    def read(y):
        s, angle, s1, omega = y
        r, along, across = 1.0 + s, np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
        return np.concatenate([r * along, s1 * along + r * omega * across])

    return Stiff(2.0, np.array([0.0, np.pi / 2, 0.0, 0.0]), rates, 2, read=read)


# --- a drive that runs up; 1 s ----------------------------------------------------------------------------------------

SHAFT = {"n": 6, "J_motor": 0.02, "J_disk": 0.01, "J_load": 0.05, "k": 1e6, "c": 20.0, "M0": 20.0, "D": 0.1, "B": 0.1}
SHAFT_DISTANCE = 0.1    # m, from one inertia to the next


def shaft_matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K and the torques at rest, in the angles of all inertias."""
    p = SHAFT
    inertias = [p["J_motor"], *[p["J_disk"]] * int(p["n"]), p["J_load"]]
    pieces = np.diff(np.eye(len(inertias)), axis=0)
    ends, f = np.zeros(len(inertias)), np.zeros(len(inertias))
    ends[[0, -1]], f[0] = (p["D"], p["B"]), p["M0"]
    L = pieces.T @ pieces
    return np.diag(inertias), p["c"] * L + np.diag(ends), p["k"] * L, f


def shaft() -> Stiff:
    matrices = shaft_matrices()
    return linear(*matrices, np.zeros(len(matrices[3])), 1.0)


# --- a slider-crank behind a stiff coupling; 1 s ----------------------------------------------------------------------

CRANK = {"r": 0.1, "l": 0.3, "m1": 2.0, "m2": 1.5, "m3": 1.0, "J": 0.05, "k": 1e7, "c": 50.0, "T0": 5.0, "T1": 0.2}
CRANK_START, CRANK_SPEED = 0.3, 10.0    # rad, rad/s


def crank() -> Stiff:
    """Uniform bars r, l and a slider on the x axis in gravity; the torque of the motor, J, falls with its speed.
    The angle of the crank and the twist of the coupling."""
    r, l, m1, m2, m3, J, k, c, T0, T1 = CRANK.values()

    def shape(a):
        """How far from the crank's foot the slider is, x; d/da of x and of the rod's angle; their derivatives."""
        sine, cosine = np.sin(a), np.cos(a)
        w = np.sqrt(l**2 - (r * sine) ** 2)
        turn = -r * cosine / w
        turn1 = r * sine / w + r * cosine * -(r**2) * sine * cosine / w**3
        x1 = -r * sine - r**2 * sine * cosine / w
        x2 = -r * cosine - r**2 * (cosine**2 - sine**2) / w - (r**2 * sine * cosine) ** 2 / w**3
        return sine, cosine, turn, turn1, x1, x2

    def rates(_, y):
        a, twist, omega, twist1 = y
        sine, cosine, turn, turn1, x1, x2 = shape(a)
        # the middle of the rod: x' = (-r sin a + x')/2, y' = r cos a / 2
        u, u1 = (x1 - r * sine) / 2, (x2 - r * cosine) / 2
        w, w1 = r * cosine / 2, -r * sine / 2
        I = m1 * r**2 / 3 + m2 * (u**2 + w**2 + l**2 * turn**2 / 12) + m3 * x1**2
        I1 = 2 * m2 * (u * u1 + w * w1 + l**2 * turn * turn1 / 12) + 2 * m3 * x1 * x2
        weight = G * r * cosine * (m1 + m2) / 2
        torque = k * twist + c * twist1
        acceleration = (torque - weight - I1 * omega**2 / 2) / I
        motor = (T0 - T1 * (omega + twist1) - torque) / J
        return np.array([omega, twist1, acceleration, motor - acceleration])

    def read(y):
        return np.array([y[0], y[0] + y[1], y[2], y[2] + y[3]])

    return Stiff(1.0, np.array([CRANK_START, 0.0, CRANK_SPEED, 0.0]), rates, 2, read=read)


# --- twenty masses between springs over six decades; 2 s --------------------------------------------------------------

CHAIN_K = 100.0 * 10.0 ** (6.0 * np.arange(20) / 19)    # N/m, the first at the wall
CHAIN_DAMPING = 1e-4    # s: damping matrix over stiffness matrix
CHAIN_PULL = 10.0       # N: let go at t = 0


def chain_matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    springs = np.eye(20) - np.eye(20, k=-1)
    K = springs.T @ (CHAIN_K[:, None] * springs)
    return np.eye(20), CHAIN_DAMPING * K, K, np.zeros(20)


def chain_start() -> np.ndarray:
    """Where the pull on the last mass holds all of them."""
    return np.cumsum(CHAIN_PULL / CHAIN_K)


def chain() -> Stiff:
    return linear(*chain_matrices(), chain_start(), 2.0)


# --- a flyball governor whose rods are springs; 4 s -------------------------------------------------------------------

GOVERNOR = {"l": 1.0, "e": 0.05, "a": 0.5, "m": 5.0, "m_arm": 0.3, "M": 3.0, "shaft": 0.01}
GOVERNOR_START, GOVERNOR_SPEED = np.pi / 6, 2 * np.pi   # rad, rad/s


def governor(k: float, c: float) -> Stiff:
    """The arms' angle α from the downward vertical, the sleeve's height z over the hinges."""
    l, e, a, m, m_arm, M, shaft = GOVERNOR.values()

    def rates(_, y):
        alpha, z, rate, z1, omega = y
        sine, cosine = np.sin(alpha), np.cos(alpha)
        x = l * sine
        J = shaft + 2 * m * (e + x) ** 2 + 2 * m_arm * (e**2 + e * x + x**2 / 3)
        J1 = (4 * m * (e + x) + 2 * m_arm * (e + 2 * x / 3)) * l * cosine
        length = np.hypot(a * sine, z + a * cosine)
        of_alpha, of_z = -z * a * sine / length, (z + a * cosine) / length
        force = k * (length - a) + c * (of_alpha * rate + of_z * z1)
        swing = (J1 * omega**2 / 2 - (2 * m + m_arm) * G * x - 2 * force * of_alpha) / (2 * (m + m_arm / 3) * l**2)
        return np.array([rate, z1, swing, -G - 2 * force * of_z / M, -J1 * rate * omega / J])

    start = np.array([GOVERNOR_START, -2 * a * np.cos(GOVERNOR_START), 0.0, 0.0, GOVERNOR_SPEED])
    return Stiff(4.0, start, rates, 2)
