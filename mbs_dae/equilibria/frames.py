"""Small motions in axes that turn with a steady motion.

A velocity, and a small motion, of a body in space has an angular part in body axes; P writes it in world axes. There a
steady motion is one in which all velocities turn with one angular velocity Ω,

    ẇ = Ω × w,        w = P v,

so in axes that turn with Ω, and coincide with the world's now, the velocities are constant. For a small motion ζ and a
change of velocities in these axes, with δv and δa their values in coordinates,

    P δv = ζ̇ + G ζ,        P δa = (P δv)˙ + (G - B) P δv,        G = Ω × , B = ω × for angular parts,

the first because (δω)_body = (δθ)˙ + ω × δθ. In the plane G turns the components of points alone; B = 0.

The candidates for Ω: first the smallest one that fits all velocities, including those of mass centres, so that the
place of a body's frame does not matter. A body that is no body of revolution about its axis of spin is fixed in its own
axes only, so its ω is tried as well. A body of revolution keeps its axis u, ω × u = Ω × u, so that Ω = ω + s u with the
s for which Ω × ω = α (a free body that wobbles has its angular momentum through its transverse moment of inertia); this
is tried, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..rotations import from_quaternion, from_rotation_vector, quaternion
from ..tolerances import TURNING_ERROR
from .balance import Balance


def cross(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@dataclass(frozen=True, eq=False)
class RotatingFrame:
    """The matrices of one state, and Ω, shape (3,); in the plane Ω has a z component alone."""

    P: np.ndarray
    G: np.ndarray
    B: np.ndarray
    turning: np.ndarray


def at_rest(system: System) -> RotatingFrame:
    """Return the frame of a state without velocities, in all coordinates (angular parts stay in body axes)."""
    none = np.zeros((system.nv, system.nv))
    return RotatingFrame(np.eye(system.nv), none, none, np.zeros(3))


def frame_of(balance: Balance, turning: np.ndarray) -> RotatingFrame:
    system, n = balance.system, balance.system.nv
    P, B = np.eye(n), np.zeros((n, n))
    for body in system.bodies if system.model.dimension == 3 else ():
        columns = list(system.layout.v[body])[3:]
        A = from_quaternion(balance.q[list(system.layout.q[body])[3:7]])
        P[np.ix_(columns, columns)] = A
        B[np.ix_(columns, columns)] = cross(A @ balance.v[columns])
    G = turned_parts(system, cross(turning))
    return RotatingFrame(P, G, B, turning)


def turnings(balance: Balance, a: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the candidates for Ω, if the velocities turn as those of a steady motion do."""
    system = balance.system
    still = frame_of(balance, np.zeros(3))
    w, rate = still.P @ balance.v[: system.nv], still.P @ a
    units = np.eye(3) if system.model.dimension == 3 else np.eye(3)[2:]
    centres, centre_rates, weights = _mass_centres(balance, w, rate)
    root = np.sqrt(np.concatenate([system.weight, np.repeat(weights, 3)]))
    rates = np.concatenate([rate, centre_rates.ravel()])

    def turned(turning: np.ndarray) -> np.ndarray:
        """Return Ω × w of all velocities, those of mass centres last."""
        return np.concatenate([frame_of(balance, turning).G @ w, np.cross(turning, centres).ravel()])

    by_units = np.stack([turned(unit) for unit in units], axis=1)
    least = np.linalg.lstsq(root[:, None] * by_units, root * rates, rcond=1e-9)[0] @ units
    seen: list[np.ndarray] = []
    for turning in (least, *_spins(balance), *_precession_rates(balance, w, rate)):
        fits = (
            np.linalg.norm(root * (turned(turning) - rates)) <= acceleration_scale(balance, w, turning) * TURNING_ERROR
        )
        if fits and not any(np.allclose(turning, other, rtol=1e-9, atol=1e-12) for other in seen):
            seen.append(turning)
            yield turning


def _mass_centres(balance: Balance, w: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the velocities v + ω × c and accelerations a + α × c + ω × (ω × c) of the mass centres of all bodies in
    world axes, shape (bodies, 3), and their weights, shape (bodies,)."""
    system, number = balance.system, balance.system.evaluator
    velocities, accelerations, weights = [], [], []
    for body in system.bodies:
        columns, com = list(system.layout.v[body]), np.array([number(x) for x in body.com])
        weights.append(system.weight[columns[0]])
        if system.model.dimension == 3:
            c = from_quaternion(balance.q[list(system.layout.q[body])[3:7]]) @ com
            v, omega, a, alpha = w[columns[:3]], w[columns[3:]], rate[columns[:3]], rate[columns[3:]]
        else:
            angle = balance.q[list(system.layout.q[body])[2]]
            c = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)], [0.0, 0.0]]) @ com
            (v, omega), (a, alpha) = (
                (np.array([*x[columns[:2]], 0.0]), np.array([0.0, 0.0, x[columns[2]]])) for x in (w, rate)
            )
        velocities.append(v + np.cross(omega, c))
        accelerations.append(a + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c)))
    return np.reshape(velocities, (-1, 3)), np.reshape(accelerations, (-1, 3)), np.array(weights)


def _precession_rates(balance: Balance, w: np.ndarray, rate: np.ndarray) -> Iterator[np.ndarray]:
    """Yield, for each spinning body of revolution, the angular velocity Ω of a frame in which ω stands still, as in a
    steady precession, ω̇ = Ω × ω: it differs from ω by a spin s about the axis u of the body, Ω = ω + s u."""
    system, number = balance.system, balance.system.evaluator
    for body in system.bodies if system.model.dimension == 3 else ():
        moments, axes = np.linalg.eigh([[number(x) for x in row] for row in body.inertia])
        equal_moments = np.isclose(moments[1:], moments[:-1], rtol=1e-9, atol=0.0)
        if equal_moments.sum() != 1:
            continue
        columns = list(system.layout.v[body])[3:]
        u = from_quaternion(balance.q[list(system.layout.q[body])[3:7]]) @ axes[:, 0 if equal_moments[1] else 2]
        across = np.cross(u, w[columns])
        if np.linalg.norm(across) > TURNING_ERROR * np.linalg.norm(w[columns]):
            yield w[columns] + u * float(across @ rate[columns]) / float(across @ across)


def acceleration_scale(balance: Balance, w: np.ndarray, turning: np.ndarray) -> float:
    """Return the scale of accelerations, speed times rate: |w| max(|Ω|, |w|/length)."""
    speed = float(np.linalg.norm(np.sqrt(balance.system.weight) * w))
    return speed * max(float(np.linalg.norm(turning)), speed / balance.system.length)


def _spins(balance: Balance) -> Iterator[np.ndarray]:
    system = balance.system
    for body in system.bodies:
        v = balance.v[list(system.layout.v[body])]
        if system.model.dimension == 2:
            yield np.array([0.0, 0.0, v[2]])
        else:
            yield from_quaternion(balance.q[list(system.layout.q[body])[3:7]]) @ v[3:]


def later(balance: Balance, turning: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q and v at a time τ later if the motion is steady, and the rotation R = exp(Ω τ): places move by ∫ R dt of
    their velocities, attitudes to R A exp((ω - Ω) τ) in body axes."""
    system, q, v = balance.system, balance.q.copy(), balance.v.copy()
    turn, integral = _turn(turning, tau)
    for body in system.bodies:
        places, columns = list(system.layout.q[body]), list(system.layout.v[body])
        if system.model.dimension == 2:
            q[places] += [*(integral[:2, :2] @ v[columns[:2]]), tau * v[columns[2]]]
            v[columns[:2]] = turn[:2, :2] @ v[columns[:2]]
            continue
        A, omega = from_quaternion(q[places[3:7]]), v[columns[3:]]
        q[places[:3]] += integral @ v[columns[:3]]
        new = turn @ A @ from_rotation_vector(tau * (omega - A.T @ turning))
        e = quaternion(new)
        q[places[3:7]] = e if e @ q[places[3:7]] >= 0.0 else -e
        q[places[7:]] += tau * omega
        v[columns[:3]] = turn @ v[columns[:3]]
        v[columns[3:]] = new.T @ turn @ A @ omega
    return q, v, turn


def _turn(turning: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray]:
    """Return exp(Ω τ) and the integral of exp(Ω t) from 0 to τ."""
    rate = float(np.linalg.norm(turning))
    R, W = from_rotation_vector(tau * turning), cross(turning)
    if rate * tau < 1e-6:
        return R, tau * np.eye(3) + tau**2 / 2 * W
    first, second = (1 - np.cos(rate * tau)) / rate**2, (tau - np.sin(rate * tau) / rate) / rate**2
    return R, tau * np.eye(3) + first * W + second * W @ W


def turned_parts(system: System, turn: np.ndarray) -> np.ndarray:
    """Return the matrix that applies `turn` to all vectors among velocities; in the plane (x, y, angle) is one vector,
    turned about z."""
    out = np.zeros((system.nv, system.nv))
    for k in range(0, system.nv, 3):
        out[k : k + 3, k : k + 3] = turn
    return out
