"""Which equations depend on which: rank, null space and minimal groups of the rows of Φ_v.

Rows are brought to unit length and columns to the norm W first, so that "dependent" does not hinge on units.
"""

from __future__ import annotations

import numpy as np

from ..system import System, poses

RANK = 1e-7
"""Singular values below this (of rows of unit length) count as zero."""


def scaled_jacobian(system: System, t: float, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
    """Φ_v at a pose as a dense matrix, rows of unit length in the norm W⁻¹ (rows that vanish stay zero)."""
    machine = system.machine()
    poses.evaluate_and_factorise(machine, t, q, np.zeros_like(q) if v is None else v, False)
    J = np.zeros((len(system.rows), system.nv))
    np.add.at(J, (system.pattern.jac_row, system.pattern.jac_column), machine.factor.jacobian)
    J /= np.sqrt(system.weight)
    lengths = np.linalg.norm(J, axis=1)
    largest = lengths.max(initial=0.0)
    return J / np.where(lengths > 1e-12 * largest, lengths, np.inf)[:, None]


def rank_of(J: np.ndarray) -> int:
    return int((np.linalg.svd(J, compute_uv=False) > RANK).sum()) if J.size else 0


def joints_at_fault(system: System, t: float, q: np.ndarray) -> tuple[str, ...]:
    """The elements whose equations are nearest to depending on each other: the smallest left singular vector."""
    J = scaled_jacobian(system, t, q)
    u, s, _ = np.linalg.svd(J)
    share = np.abs(u[:, len(s) - 1]) if len(s) else np.zeros(0)
    involved = {row.element for row, x in zip(system.rows, share, strict=True) if x > 0.05 * share.max()}
    return tuple(name for name in system.model.elements if name in involved)
