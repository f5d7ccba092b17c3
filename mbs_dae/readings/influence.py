"""Influence lines: the loads that a force on each velocity makes, at given poses.

A load is a sum p · λ of multipliers. With forces f on the velocities, at a motion whose accelerations are given, what
is added to these and to the multipliers solves

    K [x; λ] = [f; 0],        K = [M Φ_vᵀ; Φ_v 0].

Where all freedom is prescribed x = 0, and λ is what the force asks of the joints. Where freedom is left a single force
has no λ with Φ_vᵀ λ = f: it would move the mechanism, and λ is what the joints carry while it does, by the principle of
least constraint the part of f that is in the range of Φ_vᵀ in the metric of M⁻¹. Forces that together leave the given
accelerations as they are have Σ x = 0, and their shares of λ add up to all of it, with freedom or without.

K is symmetric, so that a load needs one solution, whatever the number of forces: p · λ = y · f with K [y; μ] = [0; p].

Where equations are redundant λ is the least of all that do the same, orthogonal to the null vectors Z of Φ_vᵀ; that is
the λ of K with -Z Zᵀ in place of its zero (the rows of Zᵀ Φ_v x = 0 say nothing, and leave Zᵀ Z Zᵀ λ = 0).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import splu

from ..compiled import System
from ..compiled.reading import Trajectory, read_outputs
from .reactions import LARGE, null_vectors
from .sources import Masses

ROOM = 4_000_000  # so many numbers of matrices at a time
REFINEMENTS = 2


class Scales(NamedTuple):
    """Rows are made of unit length, and turns count over the model's length: then pivots compare like with like."""

    columns: np.ndarray
    """(columns)"""
    rows: np.ndarray
    """(times, rows)"""
    mass: float


def influence(
    system: System, motion: Trajectory, masses: Masses, loads: np.ndarray, redundant: int, known: np.ndarray
) -> np.ndarray:
    """y of each load p, `loads` being (times, rows, loads): (times, columns, loads); nan where it has none, at times
    that are not `known` and in poses that are singular to the last bit."""
    n, m = system.structure.columns, len(system.rows)
    found = np.full((len(motion.t), n, loads.shape[2]), np.nan)
    for times in pieces(np.flatnonzero(known), n + m):
        jacobian = jacobians(system, motion, times)
        scales = _scales(system, jacobian)
        here = Masses(masses.rows, masses.columns, masses.values[times])
        least = np.zeros((len(times), m, m))
        for k, time in enumerate(times if redundant else ()):
            least[k] = _least(system, null_vectors(system, motion.t[time], motion.q[time], redundant), scales.rows[k])
        matrix = _matrix(here, jacobian, least, scales)
        right = np.concatenate([np.zeros_like(found[times]), scales.rows[:, :, None] * loads[times]], axis=1)
        found[times] = scales.columns[:, None] * _solved(matrix, right)[:, :n]
    return found


def pieces(times: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Times in groups, so that there is room for a matrix of this size at each."""
    count = max(1, ROOM // max(size * size, 1))
    for first in range(0, len(times), count):
        yield times[first : first + count]


def jacobians(system: System, motion: Trajectory, times: np.ndarray) -> np.ndarray:
    """Φ_v at these times, (times, rows, columns)."""
    program = system.program
    out = read_outputs(program.batch, motion.t[times], motion.q[times], np.zeros_like(motion.v[times]))
    found = np.zeros((len(times), len(system.rows), system.structure.columns))
    places: Any = slice(None), program.jac_row[program.jac_to], program.jac_column[program.jac_to]
    np.add.at(found, places, out[:, program.jac_from])
    return found


def _scales(system: System, jacobian: np.ndarray) -> Scales:
    unit = 1.0 / np.sqrt(system.column_weight)
    lengths = np.linalg.norm(jacobian * unit, axis=2)
    return Scales(unit, 1.0 / np.where(lengths > 0.0, lengths, 1.0), system.heaviest or 1.0)


def _least(system: System, null: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """-B with B λ = 0 for the least λ: those without a part along null vectors, where a moment counts over the model's
    length."""
    units = system.row_units / system.length
    along = (rows * units**2)[:, None] * null
    along = along / np.linalg.norm(along, axis=0)
    return np.asarray(-along @ along.T)


def _matrix(masses: Masses, jacobian: np.ndarray, least: np.ndarray, scales: Scales) -> np.ndarray:
    times, m, n = jacobian.shape
    found = np.zeros((times, n + m, n + m))
    entries = masses.values * (scales.columns[masses.rows] * scales.columns[masses.columns] / scales.mass)
    places: Any = slice(None), masses.rows, masses.columns
    np.add.at(found, places, entries)
    found[:, n:, :n] = scales.rows[:, :, None] * jacobian * scales.columns
    found[:, :n, n:] = found[:, n:, :n].transpose(0, 2, 1)
    found[:, n:, n:] = least
    return found


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """By elimination with pivots, corrected against the matrix."""
    try:
        if matrix.shape[1] > 2 * LARGE:
            return np.stack([_sparse(one, r) for one, r in zip(matrix, right, strict=True)])
        inverse = np.linalg.inv(matrix)
    except (np.linalg.LinAlgError, RuntimeError):  # one of them is singular to the last bit
        if len(matrix) == 1:
            return np.full_like(right, np.nan)
        return np.concatenate([_solved(matrix[k : k + 1], right[k : k + 1]) for k in range(len(matrix))])
    found = inverse @ right
    for _ in range(REFINEMENTS):
        found += inverse @ (right - matrix @ found)
    return found


def _sparse(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    held = sps.csc_matrix(matrix)
    factor = splu(held)
    found: np.ndarray = factor.solve(right)
    for _ in range(REFINEMENTS):
        found += factor.solve(right - held @ found)
    return found
