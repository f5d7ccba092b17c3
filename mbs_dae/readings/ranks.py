"""Ranks of the rows of joints along a motion, and the loads that redundant rows leave undetermined.

Ranks are those of rows of Φ_v of unit length, in the norm in which a rotation counts as the displacement of a point at
the model's length. Multipliers times the units of their rows over this length are forces: λ of an angle is a moment, λ
of a squared length a force per length. Small systems use singular values; large ones (where only the ends of the
spectrum are affordable) use sparse solves.
"""

import numpy as np
import scipy.sparse as sps
from scipy.linalg import qr
from scipy.sparse.linalg import eigsh, lsqr

from ..compiled import System
from ..compiled.reading import Trajectory
from ..tolerances import NULL_ENTRY, RANK_TOLERANCE

LARGE = 200  # a system with more rows is large


def scaled_jacobian(system: System, t: float, q: np.ndarray) -> tuple[sps.csr_matrix, np.ndarray]:
    """Return Φ_v with rows of unit length, and their lengths."""
    jacobian = system.jacobian(t, q) @ sps.diags(1.0 / np.sqrt(system.weight))
    lengths = np.sqrt(np.asarray(jacobian.multiply(jacobian).sum(axis=1)).ravel())
    lengths[lengths == 0.0] = 1.0
    return (sps.diags(1.0 / lengths) @ jacobian).tocsr(), lengths


def smallest_sine(matrix: sps.csr_matrix, redundant: int) -> float:
    """Return the smallest singular value without the `redundant` ones."""
    rows = matrix.shape[0]
    if rows <= LARGE:
        sines = np.linalg.svd(matrix.toarray(), compute_uv=False)
        return float(sines[rows - 1 - redundant]) if rows - redundant <= sines.size else 0.0
    gram = (matrix @ matrix.T).tocsc()
    start = np.random.default_rng(0).standard_normal(rows)
    squares = eigsh(gram, k=redundant + 1, sigma=-1e-8, return_eigenvectors=False, v0=start)
    return float(np.sqrt(max(squares.max(), 0.0)))


def null_vectors(
    system: System, t: float, q: np.ndarray, redundant: int, acting: sps.csr_matrix | None = None,
    bearings: sps.csr_matrix | None = None,
) -> np.ndarray:  # fmt: skip
    """Return all z with Φ_vᵀ z = 0 at a pose, as columns: orthonormal when moments are divided by the model's length.
    The combinations `acting` of rows of contacts, shape (combinations, rows), follow the rows of joints, and the rows
    of `bearings` follow these.

    The number of columns is at least the number of redundant rows, even if drift hides the dependence.
    """
    matrix, lengths = scaled_jacobian(system, t, q)
    units = (system.row_units / system.length)[:, None]
    contacts, further = system.structure.contacts.program, list[sps.csr_matrix]()
    if acting is not None and acting.shape[0]:
        further.append(acting @ system.reader_by(contacts).jacobian(t, q))
    further += [] if bearings is None else [bearings]
    for rows in further:
        normals = rows @ sps.diags(1.0 / np.sqrt(system.weight))
        sizes = np.maximum(sps.linalg.norm(normals, axis=1), 1e-300)
        matrix, lengths = sps.vstack([matrix, sps.diags(1.0 / sizes) @ normals]), np.append(lengths, sizes)
        units = np.concatenate([units, np.ones((rows.shape[0], 1))])
    u, sines, _ = np.linalg.svd(matrix.toarray(), full_matrices=True)
    rank = min(int((sines > RANK_TOLERANCE * sines.max(initial=0.0)).sum()), matrix.shape[0] - redundant)
    null = u[:, rank:] / lengths[:, None] * units
    return (np.linalg.qr(null)[0] if null.shape[1] else null) / units


def least(system: System, motion: Trajectory, multipliers: np.ndarray, redundant: int) -> np.ndarray:
    """Return the least of all equivalent multipliers, without the components that redundant constraints leave
    undetermined."""
    units = system.row_units / system.length
    out = multipliers.copy()
    for k, pose in enumerate(zip(motion.t, motion.q, strict=True)):
        if len(units) <= LARGE:
            basis = null_vectors(system, *pose, redundant) * units[:, None]
            # A basis of the same space in which each vector alone has a component in some row: so joints that share no
            # redundancy are in different vectors. Roundoff, by which large loads would enter small ones, is set to 0.
            rows = qr(basis.T, pivoting=True, mode="r")[1][: basis.shape[1]]
            null = basis @ np.linalg.inv(basis[rows])
            null[np.abs(null) <= NULL_ENTRY * np.abs(null).max(axis=0, initial=0.0)] = 0.0
            out[k] -= (null @ np.linalg.solve(null.T @ null, null.T @ (units * multipliers[k]))) / units
        else:
            does = system.jacobian(*pose).T @ sps.diags(1.0 / units)
            out[k] = lsqr(does, does @ (units * multipliers[k]), atol=1e-14, btol=1e-14)[0] / units
    return out
