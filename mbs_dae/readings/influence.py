"""Influence lines: the loads caused by a force on each velocity, at given poses.

A load is a sum p · λ of multipliers. Forces f on the velocities, at a motion with given accelerations, change
accelerations by x and multipliers by λ with

    K [x; λ] = [f; 0],        K = [M Φ_vᵀ; Φ_v 0].

If all freedom is prescribed, x = 0, and λ are the reactions to the force. If freedom is left, a single force has no λ
with Φ_vᵀ λ = f: it would accelerate the mechanism, and λ are the reactions during that motion, by the principle of
least constraint the part of f in the range of Φ_vᵀ in the metric of M⁻¹. Forces that together do not change the given
accelerations have Σ x = 0, and their shares of λ add up to all of it, with freedom or without.

K is symmetric, so that a load needs one solution, whatever the number of forces: p · λ = y · f with K [y; μ] = [0; p].

If equations are redundant, λ is the least of all equivalent ones, orthogonal to the null vectors Z of Φ_vᵀ: the λ of K
with -Z Zᵀ in place of its zero (the rows of Zᵀ Φ_v x = 0 are trivial, and leave Zᵀ Z Zᵀ λ = 0).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import splu

from ..compiled import System
from ..compiled.reading import Trajectory, read_outputs
from .ranks import LARGE, null_vectors
from .sources import Masses

ENTRIES = 4_000_000  # greatest number of matrix entries in a group
REFINEMENTS = 2


class RowScales(NamedTuple):
    """Factors that give rows unit length, with rotations measured over the model's length, so that pivots are
    comparable."""

    columns: np.ndarray
    """Shape (columns,)."""
    rows: np.ndarray
    """Shape (times, rows)."""
    mass: float


def influence(
    system: System, motion: Trajectory, masses: Masses, loads: np.ndarray, redundant: int, determined: np.ndarray
) -> np.ndarray:
    """Return y of each load p, `loads` being (times, rows, loads): shape (times, columns, loads); nan if y does not
    exist, at times that are not `determined` and in exactly singular poses."""
    n, m = system.structure.columns, len(system.rows)
    lines = np.full((len(motion.t), n, loads.shape[2]), np.nan)
    for times in pieces(np.flatnonzero(determined), n + m):
        jacobian = jacobians(system, motion, times)
        unit = 1.0 / np.sqrt(system.column_weight)
        lengths = np.linalg.norm(jacobian * unit, axis=2)
        scales = RowScales(unit, 1.0 / np.where(lengths > 0.0, lengths, 1.0), system.heaviest or 1.0)
        # -Z Zᵀ for the least λ: those without a component along null vectors, with moments divided by the length.
        least = np.zeros((len(times), m, m))
        units = system.row_units / system.length
        for k, time in enumerate(times if redundant else ()):
            null = null_vectors(system, motion.t[time], motion.q[time], redundant)
            along = (scales.rows[k] * units**2)[:, None] * null
            along = along / np.linalg.norm(along, axis=0)
            least[k] = -along @ along.T
        matrix = _matrix(Masses(masses.rows, masses.columns, masses.values[times]), jacobian, least, scales)
        right = np.concatenate([np.zeros_like(lines[times]), scales.rows[:, :, None] * loads[times]], axis=1)
        lines[times] = scales.columns[:, None] * _solution(matrix, right)[:, :n]
    return lines


def pieces(times: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Yield times in groups, so that matrices of this size at all times of a group fit in memory."""
    count = max(1, ENTRIES // max(size * size, 1))
    for first in range(0, len(times), count):
        yield times[first : first + count]


def jacobians(system: System, motion: Trajectory, times: np.ndarray) -> np.ndarray:
    """Return Φ_v at these times, shape (times, rows, columns)."""
    program = system.program
    out = read_outputs(program.batch, motion.t[times], motion.q[times], np.zeros_like(motion.v[times]))
    jacobian = np.zeros((len(times), len(system.rows), system.structure.columns))
    places: Any = slice(None), program.jac_row[program.jac_to], program.jac_column[program.jac_to]
    np.add.at(jacobian, places, out[:, program.jac_from])
    return jacobian


def _matrix(masses: Masses, jacobian: np.ndarray, least: np.ndarray, scales: RowScales) -> np.ndarray:
    """Return K in these scales, shape (times, columns + rows, columns + rows), with `least` in its corner."""
    times, m, n = jacobian.shape
    matrix = np.zeros((times, n + m, n + m))
    entries = masses.values * (scales.columns[masses.rows] * scales.columns[masses.columns] / scales.mass)
    places: Any = slice(None), masses.rows, masses.columns
    np.add.at(matrix, places, entries)
    matrix[:, n:, :n] = scales.rows[:, :, None] * jacobian * scales.columns
    matrix[:, :n, n:] = matrix[:, n:, :n].transpose(0, 2, 1)
    matrix[:, n:, n:] = least
    return matrix


def _solution(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve by elimination with pivots, with corrections against the matrix."""
    try:
        if matrix.shape[1] > 2 * LARGE:
            return np.stack([_sparse_solution(*equations) for equations in zip(matrix, right, strict=True)])
        inverse = np.linalg.inv(matrix)
    except (np.linalg.LinAlgError, RuntimeError):  # one of them is exactly singular
        if len(matrix) == 1:
            return np.full_like(right, np.nan)
        return np.concatenate([_solution(matrix[k : k + 1], right[k : k + 1]) for k in range(len(matrix))])
    solution = inverse @ right
    for _ in range(REFINEMENTS):
        solution += inverse @ (right - matrix @ solution)
    return solution


def _sparse_solution(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    sparse = sps.csc_matrix(matrix)
    factor = splu(sparse)
    solution: np.ndarray = factor.solve(right)
    for _ in range(REFINEMENTS):
        solution += factor.solve(right - sparse @ solution)
    return solution
