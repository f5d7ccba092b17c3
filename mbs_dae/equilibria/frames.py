"""Small motions in axes that go with a steady motion.

A velocity, and a small motion, of a body in space has an angular part in body axes; P writes it in world axes. There a
steady motion is one in which all velocities turn with one angular velocity Ω,

    ẇ = Ω × w,        w = P v,

so in axes that turn with Ω, and coincide with the world's now, they are constant. For a small motion ζ and a change of
velocities in these axes, with δv and δa what they are in coordinates,

    P δv = ζ̇ + G ζ,        P δa = (P δv)˙ + (G - B) P δv,        G = Ω × , B = ω × for angular parts,

the first because (δω)_body = (δθ)˙ + ω × δθ. In the plane G turns the parts of points alone; there are no B.

Which Ω? The smallest one that all velocities ask for; a body that is no body of revolution about the axis that it spins
about stands still in its own axes only, so its ω is tried as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..rotations import from_quaternion, from_rotation_vector, quaternion
from .balance import Balance

CLOSE = 1e-6
"""Velocities that turn with Ω do so to this part of them."""


def cross(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@dataclass(frozen=True, eq=False)
class Frame:
    """The matrices of one state, and Ω (a vector, in the plane with its z part alone)."""

    P: np.ndarray
    G: np.ndarray
    B: np.ndarray
    turning: np.ndarray


def at_rest(system: System) -> Frame:
    """Of a state without velocities, in all coordinates (angular parts stay in body axes)."""
    none = np.zeros((system.nv, system.nv))
    return Frame(np.eye(system.nv), none, none, np.zeros(3))


def frame_of(balance: Balance, turning: np.ndarray) -> Frame:
    system, n = balance.system, balance.system.nv
    P, B = np.eye(n), np.zeros((n, n))
    for body in system.bodies if system.model.dimension == 3 else ():
        columns = list(system.layout.v[body])[3:]
        A = from_quaternion(balance.q[list(system.layout.q[body])[3:7]])
        P[np.ix_(columns, columns)] = A
        B[np.ix_(columns, columns)] = cross(A @ balance.v[columns])
    G = turned_parts(system, cross(turning))
    return Frame(P, G, B, turning)


def turnings(balance: Balance, a: np.ndarray) -> Iterator[np.ndarray]:
    """The Ω that come into question where velocities turn at all as those of a steady motion do."""
    still = frame_of(balance, np.zeros(3))
    w, rate = still.P @ balance.v[: balance.system.nv], still.P @ a
    spatial = balance.system.model.dimension == 3
    units = np.eye(3) if spatial else np.eye(3)[2:]
    turned = np.stack([frame_of(balance, unit).G @ w for unit in units], axis=1)
    root = np.sqrt(balance.system.weight)
    least = np.linalg.lstsq(root[:, None] * turned, root * rate, rcond=1e-9)[0] @ units
    seen: list[np.ndarray] = []
    for turning in (least, *_spins(balance)):
        fits = np.linalg.norm(root * (frame_of(balance, turning).G @ w - rate)) <= _size(balance, w, turning) * CLOSE
        if fits and not any(np.allclose(turning, other, rtol=1e-9, atol=1e-12) for other in seen):
            seen.append(turning)
            yield turning


def _size(balance: Balance, w: np.ndarray, turning: np.ndarray) -> float:
    """What accelerations are compared with: v²/length."""
    root = np.sqrt(balance.system.weight)
    fast = float(np.linalg.norm(root * w))
    return fast * max(float(np.linalg.norm(turning)), fast / balance.system.length)


def _spins(balance: Balance) -> Iterator[np.ndarray]:
    system = balance.system
    for body in system.bodies:
        own = balance.v[list(system.layout.v[body])]
        if system.model.dimension == 2:
            yield np.array([0.0, 0.0, own[2]])
        else:
            yield from_quaternion(balance.q[list(system.layout.q[body])[3:7]]) @ own[3:]


def later(balance: Balance, turning: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q and v a time τ on where the motion is steady, and the turn R = exp(Ω τ) up to then: places move by ∫ R dt of
    their velocities, attitudes to R A exp((ω - Ω) τ) in body axes."""
    system, q, v = balance.system, balance.q.copy(), balance.v.copy()
    turn, way = _turn(turning, tau)
    for body in system.bodies:
        places, columns = list(system.layout.q[body]), list(system.layout.v[body])
        if system.model.dimension == 2:
            q[places] += [*(way[:2, :2] @ v[columns[:2]]), tau * v[columns[2]]]
            v[columns[:2]] = turn[:2, :2] @ v[columns[:2]]
            continue
        A, omega = from_quaternion(q[places[3:7]]), v[columns[3:]]
        q[places[:3]] += way @ v[columns[:3]]
        new = turn @ A @ from_rotation_vector(tau * (omega - A.T @ turning))
        e = quaternion(new)
        q[places[3:7]] = e if e @ q[places[3:7]] >= 0.0 else -e
        q[places[7:]] += tau * omega
        v[columns[:3]] = turn @ v[columns[:3]]
        v[columns[3:]] = new.T @ turn @ A @ omega
    return q, v, turn


def _turn(turning: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray]:
    """exp(Ω t) at τ and its integral up to there."""
    rate = float(np.linalg.norm(turning))
    R, W = from_rotation_vector(tau * turning), cross(turning)
    if rate * tau < 1e-6:
        return R, tau * np.eye(3) + tau**2 / 2 * W
    first, second = (1 - np.cos(rate * tau)) / rate**2, (tau - np.sin(rate * tau) / rate) / rate**2
    return R, tau * np.eye(3) + first * W + second * W @ W


def turned_parts(system: System, turn: np.ndarray) -> np.ndarray:
    """A matrix for all vectors among velocities; in the plane (x, y, angle) counts as one, which turns about z."""
    out = np.zeros((system.nv, system.nv))
    for k in range(0, system.nv, 3):
        out[k : k + 3, k : k + 3] = turn
    return out
