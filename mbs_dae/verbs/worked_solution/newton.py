"""Newton's method as done by hand: the whole Jacobian anew at each pose, full steps, no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

MOST = 40
"""Greatest number of steps."""
CLOSED, NEARLY = 1e-12, 1e-9
"""Residuals, relative to the model's length: below the first value an iterate is a solution; below the second it is one
if the residual no longer halves, as roundoff causes."""


class Iterate(NamedTuple):
    """An iterate: a pose, and the residual of its equations."""

    q: np.ndarray
    turns: np.ndarray
    residual: np.ndarray

    @property
    def size(self) -> float:
        """Φ|: the largest residual."""
        return float(np.abs(self.residual).max(initial=0.0))


Equations = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function of q and turns that returns Φ and Φ_q."""


def newton(equations: Equations, q: np.ndarray, turns: np.ndarray, length: float) -> tuple[list[Iterate], bool]:
    """Return all iterates from q on, and whether the last one is a solution."""
    iterates: list[Iterate] = []
    for _ in range(MOST + 1):
        phi, jacobian = equations(q, turns)
        iterates.append(Iterate(q, turns, phi))
        size = iterates[-1].size
        if not np.isfinite(size):
            return iterates, False
        if size <= CLOSED * length or (
            size <= NEARLY * length and len(iterates) > 1 and size > 0.5 * iterates[-2].size
        ):
            return iterates, True
        try:
            step = np.linalg.solve(jacobian, -phi)
        except np.linalg.LinAlgError:
            return iterates, False
        q, turns = moved(q, turns, step)
    return iterates, False


def moved(q: np.ndarray, turns: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return q + Δq in the plane. In space a step is Δr and a small rotation δ in body axes, which takes an attitude e
    to e + ½ e ∘ (0, δ), normalised to a unit quaternion."""
    if q.size == step.size:
        return q + step, turns
    places, steps = q.reshape(-1, 7), step.reshape(-1, 6)
    e, delta = places[:, 3:], steps[:, 3:]
    scalar = -np.einsum("ij,ij->i", e[:, 1:], delta)
    vector = e[:, :1] * delta + np.cross(e[:, 1:], delta)
    attitudes = e + 0.5 * np.column_stack([scalar, vector])
    attitudes /= np.linalg.norm(attitudes, axis=1, keepdims=True)
    return np.hstack([places[:, :3] + steps[:, :3], attitudes]).ravel(), turns + delta.ravel()


def apart(q: np.ndarray, other: np.ndarray, plane: bool) -> float:
    """Return the distance of two poses, the largest difference of coordinates; e and -e are the same attitude."""
    if plane:
        return float(np.abs(q - other).max(initial=0.0))
    a, b = q.reshape(-1, 7), other.reshape(-1, 7)
    signs = np.where(np.einsum("ij,ij->i", a[:, 3:], b[:, 3:]) < 0, -1.0, 1.0)[:, None]
    return float(np.abs(np.hstack([a[:, :3] - b[:, :3], a[:, 3:] - signs * b[:, 3:]])).max(initial=0.0))
