"""Rank along a motion: the smallest singular value, and what redundant constraints leave open.

Rows of Φ_v are taken with unit length, in the norm in which a turn counts as the way of a point at the model's length.
Multipliers times the units of their rows over this length are forces: λ of an angle is a moment, λ of a squared length
a force a length. Small systems by singular values; large ones (where only the ends of the spectrum can be afforded) by
sparse solves.
"""

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import eigsh, lsqr

from ..compiled import System
from ..compiled.reading import Trajectory
from ..tolerances import RANK

LARGE = 200  # rows from which on a system is large


def scaled_jacobian(system: System, t: float, q: np.ndarray) -> tuple[sps.csr_matrix, np.ndarray]:
    """Φ_v with rows of unit length, and their lengths."""
    jacobian = system.jacobian(t, q) @ sps.diags(1.0 / np.sqrt(system.weight))
    lengths = np.sqrt(np.asarray(jacobian.multiply(jacobian).sum(axis=1)).ravel())
    lengths[lengths == 0.0] = 1.0
    return (sps.diags(1.0 / lengths) @ jacobian).tocsr(), lengths


def smallest_singular_values(system: System, motion: Trajectory, redundant: int) -> np.ndarray:
    """Per time, the smallest singular value but for the redundant rows."""
    if not system.rows or not len(motion.t):
        return np.ones(len(motion.t))
    matrices = [scaled_jacobian(system, *pose)[0] for pose in zip(motion.t, motion.q, strict=True)]
    return np.array([_smallest(matrix, redundant) for matrix in matrices])


def _smallest(matrix: sps.csr_matrix, redundant: int) -> float:
    """The smallest singular value but for so many."""
    rows = matrix.shape[0]
    if rows <= LARGE:
        sines = np.linalg.svd(matrix.toarray(), compute_uv=False)
        return float(sines[rows - 1 - redundant]) if rows - redundant <= sines.size else 0.0
    gram = (matrix @ matrix.T).tocsc()
    start = np.random.default_rng(0).standard_normal(rows)
    squares = eigsh(gram, k=redundant + 1, sigma=-1e-8, return_eigenvectors=False, v0=start)
    return float(np.sqrt(max(squares.max(), 0.0)))


def null_vectors(system: System, t: float, q: np.ndarray, redundant: int) -> np.ndarray:
    """All z with Φ_vᵀ z = 0 at a pose, as columns: orthonormal when a moment counts over the model's length.

    There are at least as many as rows are redundant, even where drift hides that."""
    matrix, lengths = scaled_jacobian(system, t, q)
    u, sines, _ = np.linalg.svd(matrix.toarray(), full_matrices=True)
    rank = min(int((sines > RANK * sines.max(initial=0.0)).sum()), matrix.shape[0] - redundant)
    units = (system.row_units / system.length)[:, None]
    null = u[:, rank:] / lengths[:, None] * units
    return (np.linalg.qr(null)[0] if null.shape[1] else null) / units


def least(system: System, motion: Trajectory, multipliers: np.ndarray, redundant: int) -> np.ndarray:
    """The multipliers without what redundant constraints leave open: of all that do the same, the least."""
    units = system.row_units / system.length
    out = multipliers.copy()
    for k, pose in enumerate(zip(motion.t, motion.q, strict=True)):
        if len(units) <= LARGE:
            null = null_vectors(system, *pose, redundant) * units[:, None]
            out[k] -= (null @ (null.T @ (units * multipliers[k]))) / units
        else:
            does = system.jacobian(*pose).T @ sps.diags(1.0 / units)
            out[k] = lsqr(does, does @ (units * multipliers[k]), atol=1e-14, btol=1e-14)[0] / units
    return out
