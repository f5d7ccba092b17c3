"""Least squares from many starts at once: the damped method of Gauss and Newton, as Levenberg and Marquardt damp it.

Residuals r(x) of one start are a row; those of all starts are made together, and so are the solutions of

    (JᵀJ + μ diag(JᵀJ)) s = -Jᵀ r,

so that a hundred small problems take the time of a few. A step that makes the sum of squares smaller is taken, and μ
shrinks; one that does not, or where the residuals are not finite (a linkage that does not close), is not, and μ grows.

Unknowns may have bounds. One that stands on a bound, and would go beyond it to make the sum smaller, is held there and
left out of the equations; steps of the others end at their bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Residuals = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From unknowns (starts, unknowns) and the numbers of these starts to residuals (starts, equations) and their
derivatives (starts, equations, unknowns)."""

SMALLEST, LARGEST = 1e-14, 1e8
"""Damping: below the one it is no more, above the other there is no better place."""
LITTLE = 1e-10
"""Added to the diagonal, relative to its largest entry, so that no unknown is without any."""


Box = tuple[np.ndarray, np.ndarray]
"""The least values of the unknowns, and the greatest; infinite where there are none."""


class Ends(NamedTuple):
    """Where the starts led to."""

    x: np.ndarray
    cost: np.ndarray
    """Sums of squares."""


def least_squares(
    residuals: Residuals, x: np.ndarray, steps: int = 200, enough: float = 0.0, box: Box | None = None
) -> Ends:
    """From each row of `x` to a place of least squares nearby, inside of a box. A start is done where its steps change
    nothing more, or where its sum of squares is below `enough`."""
    low, high = (-np.inf, np.inf) if box is None else box
    x = np.clip(np.array(x, dtype=float), low, high)
    value, slope = residuals(x, np.arange(len(x)))
    cost = _cost(value)
    damping = np.full(len(x), 1e-2)
    going = np.isfinite(cost)
    for _ in range(steps):
        rows = np.flatnonzero(going)
        if not len(rows):
            break
        right = -np.einsum("kij,ki->kj", slope[rows], value[rows])
        held = ((x[rows] <= low) & (right < 0)) | ((x[rows] >= high) & (right > 0))
        trial = np.clip(
            x[rows] + _step(np.where(held[:, None], 0.0, slope[rows]), right * ~held, damping[rows]), low, high
        )
        step = trial - x[rows]
        new_value, new_slope = residuals(trial, rows)
        new_cost = _cost(new_value)
        better = new_cost < cost[rows]
        small = np.abs(step).max(axis=1) <= 1e-15 * (1.0 + np.abs(trial).max(axis=1))
        taken = rows[better]
        x[taken], value[taken], slope[taken] = trial[better], new_value[better], new_slope[better]
        cost[taken] = new_cost[better]
        damping[rows] = np.where(better, np.maximum(damping[rows] / 5, SMALLEST), damping[rows] * 4)
        going[rows] = (damping[rows] < LARGEST) & ~small & (cost[rows] > enough)
    return Ends(x, cost)


def _cost(value: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        cost = np.einsum("ij,ij->i", value, value)
    return np.where(np.isfinite(cost), cost, np.inf)


def _step(slope: np.ndarray, right: np.ndarray, damping: np.ndarray) -> np.ndarray:
    normal = np.einsum("kij,kil->kjl", slope, slope)
    place = np.arange(normal.shape[1])
    diagonal = normal[:, place, place]
    largest = diagonal.max(axis=1, keepdims=True)
    normal[:, place, place] += damping[:, None] * np.maximum(diagonal, LITTLE * largest) + 1e-300
    try:
        return np.linalg.solve(normal, right[..., None])[..., 0]
    except np.linalg.LinAlgError:  # one of them is singular to the last bit: all by their least solutions
        return (np.linalg.pinv(normal) @ right[..., None])[..., 0]
