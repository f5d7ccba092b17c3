"""Find the limits that hold an optimum, and the derivatives of the optimum by them.

At an optimum the slope of the objective is a sum of slopes of active bounds and limits, with factors that are not
negative (Karush, Kuhn, Tucker): g = Σ λ_i ∇h_i, where h_i >= 0 is the i-th margin. If the i-th limit gives way by one
unit, the optimum falls by λ_i. The factors are those of least squares; the residual of g shows how far the design is
from an optimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from ..tolerances import LARGEST_ENTRIES, LIMIT_TOLERANCE
from .runs import DesignRuns, Evaluation
from .search import LimitMargins, ScaledBox, objective_slope


@dataclass(frozen=True, eq=False)
class Multipliers:
    """The derivatives of the optimum by each bound and limit, in SI units."""

    by_lower: np.ndarray
    """By the lower bound of each number; 0 if the bound is not active."""
    by_upper: np.ndarray
    """By the upper bound of each number; 0 if the bound is not active."""
    by_limit_lower: np.ndarray
    """By the lower side of each limit."""
    by_limit_upper: np.ndarray
    """By the upper side of each limit."""
    active: np.ndarray
    """Whether each limit is active."""
    residual: float
    """The norm of the residual slope, in u (where bounds are 0 and 1): 0 at an optimum."""
    steepest: float
    """The norm of the slope itself, in the same unit."""


def multipliers_of(
    runs: DesignRuns, sides: LimitMargins, box: ScaledBox, evaluation: Evaluation, kind: str
) -> Multipliers:
    n, u = evaluation.row.size, box.u(evaluation.row)
    low, high = np.flatnonzero(u <= LIMIT_TOLERANCE), np.flatnonzero(u >= 1.0 - LIMIT_TOLERANCE)
    margins, slopes = sides.margins(evaluation), sides.slopes(evaluation) * box.width
    at = np.flatnonzero((np.abs(margins) <= LIMIT_TOLERANCE) | sides.equation)
    turned = np.flatnonzero(sides.equation[at])
    rows = np.concatenate([np.eye(n)[low], -np.eye(n)[high], slopes[at], -slopes[at][turned]])
    g = objective_slope(evaluation, kind) * box.width
    if kind == "minimax":
        value = evaluation.objective.value
        top = np.flatnonzero(value >= value.max() - LARGEST_ENTRIES * np.abs(value).max())
        # the slopes of all entries that share the largest value, shape (entries, names); the slope of this value is any
        # mean of them, Σ μ_k ∇f_k with Σ μ_k = 1: this equation is an additional component with a large weight
        tops = (evaluation.objective.slope[:, top] * box.width[:, None]).T
        weight = 1e4 * max(float(np.abs(tops).max(initial=0.0)), 1e-300)
        wide = [np.pad(rows, ((0, 0), (0, 1))), np.pad(-tops, ((0, 0), (0, 1)), constant_values=weight)]
        factors, residual = _factors(np.concatenate(wide), np.append(np.zeros(n), weight))
        factors = factors[: len(rows)]
    else:
        factors, residual = _factors(rows, g)
    by_low, by_high = np.zeros(n), np.zeros(n)
    by_low[low] = factors[: low.size] / box.width[low]
    by_high[high] = -factors[low.size : low.size + high.size] / box.width[high]
    of_sides = factors[low.size + high.size :][: at.size]
    of_sides[turned] -= factors[factors.size - turned.size :]
    by_limits, active = np.zeros((2, len(runs.limits))), np.zeros(len(runs.limits), dtype=bool)
    for k, factor in zip(at, of_sides, strict=True):
        upper = int(sides.sign[k] < 0)
        by_limits[upper, sides.limit[k]] += (-factor if upper else factor) / sides.size[k]
        active[sides.limit[k]] = True
    return Multipliers(by_low, by_high, by_limits[0], by_limits[1], active, residual, float(np.linalg.norm(g)))


def _factors(rows: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the factors, none negative, of the sum of rows nearest to g, and the norm of the residual. Equations may
    push to either side, so their rows appear twice, with both signs."""
    if not len(rows):
        return np.zeros(0), float(np.linalg.norm(g))
    size = np.linalg.norm(rows, axis=1)
    size[size == 0.0] = 1.0
    factors, residual = nnls((rows / size[:, None]).T, g)
    return factors / size, float(residual)
