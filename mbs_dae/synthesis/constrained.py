"""Minimise sums of squares from many starts at once, subject to g(x) ≤ 0, by the multipliers of Hestenes and Powell.

With multipliers μ ≥ 0 and a weight w, the sum |r|² + w Σ max(0, g + μ/w)² is minimised, which is again a least squares
problem; then μ becomes max(0, μ + w g), and w grows. Starts need not satisfy the inequalities: a linkage that is laid
onto a path closes there first, and then moves inside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .marquardt import Ends, Residuals, least_squares

WEIGHT, GROWTH = 10.0, 5.0
SATISFIED = 1e-12

Excess = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function from unknowns (starts, unknowns) to g (starts, inequalities) and its derivatives."""


def constrained_least_squares(
    residuals: Residuals, excess: Excess, x: np.ndarray, steps: int, enough: float, rounds: int
) -> Ends:
    """Return the ends of the search from all starts; sums of squares are those of the residuals alone."""
    weight, multipliers = WEIGHT, np.zeros_like(excess(x)[0])
    for _ in range(rounds):

        def both(trial: np.ndarray, rows: np.ndarray, w: float = weight) -> tuple[np.ndarray, np.ndarray]:
            (value, slope), (g, by) = residuals(trial, rows), excess(trial)
            push = g + multipliers[rows] / w  # noqa: B023 (called in this round only)
            on = push > 0
            root = np.sqrt(w)
            return (
                np.concatenate([value, root * np.where(on, push, 0.0)], axis=1),
                np.concatenate([slope, root * on[..., None] * by], axis=1),
            )

        x = least_squares(both, x, steps, enough).x
        g, _ = excess(x)
        if (g < SATISFIED).all():
            break
        multipliers = np.maximum(0.0, multipliers + weight * g)
        weight *= GROWTH
    value, _ = residuals(x, np.arange(len(x)))
    cost = np.einsum("ij,ij->i", value, value)
    return Ends(x, np.where(np.isfinite(cost), cost, np.inf))
