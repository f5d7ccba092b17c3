"""The nearest point that obeys inequalities, by non-negative least squares (Lawson and Hanson)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

NOTHING = 1e-13


def least_distance(A: np.ndarray, h: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the least u with A u ≥ h, and its multipliers w ≥ 0, u = Aᵀ w. If there is no such u, return None and a
    proof w: w ≥ 0, Aᵀ w = 0, h·w = 1 (Farkas).

    For the w ≥ 0 with the least |Aᵀ w|² + (h·w - 1)², the residual r = (Aᵀ w, h·w - 1) is proportional to u: both
    problems have the same optimality conditions, and |r|² = 1 - h·w = 1/(1 + |u|²)."""
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    size = float(np.abs(h / lengths).max(initial=0.0))
    if not (h > 0.0).any():
        return np.zeros(A.shape[1]), np.zeros(len(A))
    rows = np.vstack([(A / lengths[:, None]).T, h / lengths / size])
    w, left = nnls(rows, np.append(np.zeros(A.shape[1]), 1.0), maxiter=30 * len(A))
    if left <= NOTHING * (1.0 + float(w.sum())):
        return None, w / lengths / size
    reached = w > 0.0
    u = np.linalg.lstsq(A[reached] / lengths[reached, None], (h / lengths)[reached], rcond=None)[0]
    return u, w * size / left**2 / lengths


def pushed(A: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the f ≥ 0 with the least |r + Aᵀ f|."""
    if not A.size:
        return np.zeros(len(A))
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    return nnls((A / lengths[:, None]).T, -r)[0] / lengths
