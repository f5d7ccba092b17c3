"""Minimise sums of squares from many starts at once by the method of Levenberg and Marquardt.

Residuals r(x) of one start are a row; all starts are evaluated together, and so are the solutions of

    (JᵀJ + μ diag(JᵀJ)) s = -Jᵀ r,

so that a hundred small problems take the time of a few. A step that lowers the sum of squares is accepted, and μ
shrinks; a step that does not, or leads to residuals that are not finite (a linkage that does not close), is rejected,
and μ grows.

Unknowns may have bounds. An unknown on a bound that would go beyond to lower the sum is held there and left out of the
equations; steps of the others end at their bounds.

Inequalities g(x) ≤ 0 are treated by the multipliers of Hestenes and Powell: with multipliers μ ≥ 0 and a weight w, the
sum |r|² + w Σ max(0, g + μ/w)² is minimised, which is again a least squares problem; then μ becomes max(0, μ + w g),
and w grows. Starts need not satisfy the inequalities: a linkage that is laid onto a path closes there first, and then
moves inside.

Where the angles of the crank in all positions are unknowns, too, `with_angles` joins their derivatives to the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..tolerances import DIAGONAL_FLOOR, INEQUALITY_EXCESS, MARQUARDT_FLOOR, MARQUARDT_LIMIT

Residuals = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function from unknowns (starts, unknowns) and the indices of these starts to residuals (starts, equations) and
their derivatives (starts, equations, unknowns)."""



Box = tuple[np.ndarray, np.ndarray]
"""The lower and upper bounds of the unknowns; infinite where there are none."""


class SearchEnds(NamedTuple):
    """The ends of the search from all starts."""

    x: np.ndarray
    cost: np.ndarray
    """The sums of squares."""


def least_squares(
    residuals: Residuals, x: np.ndarray, steps: int = 200, enough: float = 0.0, box: Box | None = None
) -> SearchEnds:
    """Minimise the sum of squares from each row of `x`, within a box. A start ends if its steps no longer change
    anything, or if its sum of squares is below `enough`."""
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
        at_bound = ((x[rows] <= low) & (right < 0)) | ((x[rows] >= high) & (right > 0))
        trial = np.clip(
            x[rows] + _step(np.where(at_bound[:, None], 0.0, slope[rows]), right * ~at_bound, damping[rows]), low, high
        )
        step = trial - x[rows]
        new_value, new_slope = residuals(trial, rows)
        new_cost = _cost(new_value)
        better = new_cost < cost[rows]
        small = np.abs(step).max(axis=1) <= 1e-15 * (1.0 + np.abs(trial).max(axis=1))
        taken = rows[better]
        x[taken], value[taken], slope[taken] = trial[better], new_value[better], new_slope[better]
        cost[taken] = new_cost[better]
        damping[rows] = np.where(better, np.maximum(damping[rows] / 5, MARQUARDT_FLOOR), damping[rows] * 4)
        going[rows] = (damping[rows] < MARQUARDT_LIMIT) & ~small & (cost[rows] > enough)
    return SearchEnds(x, cost)


def _cost(value: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        cost = np.einsum("ij,ij->i", value, value)
    return np.where(np.isfinite(cost), cost, np.inf)


def _step(slope: np.ndarray, right: np.ndarray, damping: np.ndarray) -> np.ndarray:
    normal = np.einsum("kij,kil->kjl", slope, slope)
    place = np.arange(normal.shape[1])
    diagonal = normal[:, place, place]
    largest = diagonal.max(axis=1, keepdims=True)
    normal[:, place, place] += damping[:, None] * np.maximum(diagonal, DIAGONAL_FLOOR * largest) + 1e-300
    try:
        return np.linalg.solve(normal, right[..., None])[..., 0]
    except np.linalg.LinAlgError:  # one of them is singular to the last bit: use least-norm solutions for all
        return (np.linalg.pinv(normal) @ right[..., None])[..., 0]


# --- inequalities ---

WEIGHT, GROWTH = 10.0, 5.0
"""The first weight of inequalities, and its growth from round to round."""
Excess = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function from unknowns (starts, unknowns) to g (starts, inequalities) and its derivatives."""


def constrained_least_squares(
    residuals: Residuals, excess: Excess, x: np.ndarray, steps: int, enough: float, rounds: int
) -> SearchEnds:
    """Return the ends of the search from all starts; sums of squares are those of the residuals alone."""
    weight, multipliers = WEIGHT, np.zeros_like(excess(x)[0])
    for _ in range(rounds):

        def both(trial: np.ndarray, rows: np.ndarray, w: float = weight) -> tuple[np.ndarray, np.ndarray]:
            (value, slope), (g, slope_of_g) = residuals(trial, rows), excess(trial)
            push = g + multipliers[rows] / w  # noqa: B023 (called in this round only)
            on = push > 0
            root = np.sqrt(w)
            return (
                np.concatenate([value, root * np.where(on, push, 0.0)], axis=1),
                np.concatenate([slope, root * on[..., None] * slope_of_g], axis=1),
            )

        x = least_squares(both, x, steps, enough).x
        g, _ = excess(x)
        if (g < INEQUALITY_EXCESS).all():
            break
        multipliers = np.maximum(0.0, multipliers + weight * g)
        weight *= GROWTH
    value, _ = residuals(x, np.arange(len(x)))
    cost = np.einsum("ij,ij->i", value, value)
    return SearchEnds(x, np.where(np.isfinite(cost), cost, np.inf))


# --- angles of the crank (values of the driver) as unknowns ---


def with_angles(by_numbers: np.ndarray, by_angle: np.ndarray, timed: bool) -> np.ndarray:
    """Return derivatives by the numbers followed by those by the angles, shape (..., positions, unknowns): an angle
    moves its own position only; if `timed`, angles are given from an arbitrary zero, and the first one moves all
    positions."""
    if timed:
        return np.concatenate([by_numbers, by_angle[..., None]], axis=-1)
    each = np.arange(by_angle.shape[-1])
    by_each_angle = np.zeros((*by_angle.shape, by_angle.shape[-1]), dtype=by_angle.dtype)
    by_each_angle[..., each, each] = by_angle
    return np.concatenate([by_numbers, by_each_angle], axis=-1)
