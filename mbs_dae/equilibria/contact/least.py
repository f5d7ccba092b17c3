"""The nearest point that obeys inequalities, by non-negative least squares (Lawson and Hanson)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import nnls

from ...tolerances import RANK

NOTHING = 1e-14


def least_distance(A: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The least u with A u ≥ h, and its multipliers w ≥ 0, u = Aᵀ w; None where there is no such u.

    Of w ≥ 0 with the least |Aᵀ w|² + (hᵀ w - 1)² the residual r = (Aᵀ w, hᵀ w - 1) is u up to a factor: the conditions
    of that minimum are those of this one, and |r|² = 1/(1 + |u|²)."""
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    size = float(np.abs(h / lengths).max(initial=0.0))
    if not (h > 0.0).any():
        return np.zeros(A.shape[1]), np.zeros(len(A))
    w = nnls(np.vstack([(A / lengths[:, None]).T, h / lengths / size]), np.append(np.zeros(A.shape[1]), 1.0))[0]
    left = 1.0 - h / lengths / size @ w
    if left <= NOTHING:
        return None
    w *= size / left / lengths
    return A.T @ w, w


def pushed(A: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The f ≥ 0 that leaves least of r + Aᵀ f."""
    if not A.size:
        return np.zeros(len(A))
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    return nnls((A / lengths[:, None]).T, -r)[0] / lengths


def least_pushed(A: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The least of all f ≥ 0 that do the same, Aᵀ f, as these: the least of any sign, and the least beside it that Aᵀ
    does not feel."""
    N = null_space(A.T, rcond=RANK)
    least = f - N @ (N.T @ f)
    found = least_distance(N, -least)
    return f if found is None else np.maximum(least + N @ found[0], 0.0)
