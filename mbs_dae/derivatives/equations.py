"""The equations of one pose differentiated by parameters, and linear systems of their shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import splu

from ..compiled import System
from ..compiled.derivatives import FORCES, MOMENTA, builder_of, differentiate, filled
from ..compiled.masses import mass_matrix
from ..compiled.program import tells_positions
from ..model.parameters import Parameter
from ..motion.derivative import evaluate
from ..motion.mechanism import mechanism

EXTRA = 1e-11
"""What is given to the diagonal, so that redundant rows do no harm, nor motions that H does not hold; the refinements
take it away."""
REFINEMENTS = 3
CONSISTENT = 1e-7
"""Equations that are missed by more than this part of what they are asked for have no solution."""


class Slopes(NamedTuple):
    """The partial derivatives of some equations: by small motions x, by velocities, and by parameters; accelerations,
    multipliers, and the velocities that Φ_v is a factor of are held."""

    x: sps.csr_matrix
    v: sps.csr_matrix
    given: np.ndarray
    """(rows, parameters)."""

    def along(self, x: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        """The derivatives by parameters where x and v vary with them, a row for each: (rows, parameters)."""
        found: np.ndarray = self.given + self.x @ x.T
        return found if v is None else found + self.v @ v.T


@dataclass(frozen=True, eq=False)
class Instant:
    """A state of a system in the coordinates of kernels, and by what its equations are differentiated."""

    system: System
    symbols: tuple[Parameter, ...]
    t: float
    q: np.ndarray
    v: np.ndarray

    def slopes(self, wanted: tuple[str, ...], a: np.ndarray, multipliers: np.ndarray) -> Mapping[str, Slopes]:
        """Of the equations that are wanted (`compiled.derivatives`), with these accelerations and multipliers."""
        builder = builder_of(self.system.structure, wanted, True)
        to = filled(builder, self.system)
        differentiate(
            to, float(self.t), *(np.ascontiguousarray(x, dtype=float) for x in (self.q, self.v, a, multipliers))
        )
        matrix, n = sps.csr_matrix((to.values, (to.row, to.column)), builder.shape), builder.columns
        numbers = self._numbers if {FORCES, MOMENTA} & {*wanted} else self._of_constraints
        ends = [*builder.first.values(), builder.shape[0]]
        parts = [matrix[start:end] for start, end in zip(ends, ends[1:], strict=False)]
        given = (part[:, 2 * n + 1 :][:, : numbers.shape[1]] @ numbers.T for part in parts)
        return {
            what: Slopes(part[:, :n], part[:, n : 2 * n], by)
            for what, part, by in zip(wanted, parts, given, strict=True)
        }

    @cached_property
    def _of_constraints(self) -> np.ndarray:
        """How what stands in the slots of constraints changes: (parameters, slots)."""
        return self.system.structure.program.batch.slopes(self.system.evaluator, self.symbols)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """And in those of forces behind it."""
        forces = self.system.structure.dynamics.batch.slopes(self.system.evaluator, self.symbols)
        return np.concatenate([self._of_constraints, forces], axis=1)

    @cached_property
    def rows(self) -> sps.csr_matrix:
        """Φ_v."""
        return self.system.jacobian(self.t, self.q)

    @cached_property
    def position_rows(self) -> sps.csr_matrix:
        """The same with nothing in rows that restrict velocities only."""
        return sps.csr_matrix(diagonal(1.0 * tells_positions(self.system.program)) @ self.rows)

    @cached_property
    def terms(self) -> tuple[sps.csr_matrix, np.ndarray, np.ndarray]:
        """M, Q and γ."""
        run = mechanism(self.system)
        evaluate(run, self.t, self.q.copy(), self.v)
        return mass_matrix(self.system, run.machine), run.machine.f.copy(), run.machine.gamma.copy()


class Solved(NamedTuple):
    x: np.ndarray
    """A column for each right side; nan where it has no solution."""
    multipliers: np.ndarray


def solve_bordered(H: sps.csr_matrix, J: sps.csr_matrix, f: np.ndarray, g: np.ndarray, weight: np.ndarray) -> Solved:
    """[H Jᵀ; J 0] [x; μ] = [f; g], for columns of right sides; of redundant rows any μ, of what neither holds the
    least x. H need not be symmetric."""
    n, m = H.shape[0], J.shape[0]
    unit = 1.0 / np.sqrt(weight)
    lengths = np.sqrt(np.asarray(J.multiply(J) @ unit**2).ravel())
    rows = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    H = sps.csr_matrix(diagonal(unit) @ H @ diagonal(unit))
    size, scaled = abs(H).max() or 1.0, diagonal(rows) @ J @ diagonal(unit)
    matrix = sps.bmat([[H / size, scaled.T], [scaled, sps.csr_matrix((m, m))]], format="csc")
    right = np.concatenate([unit[:, None] * f / size, rows[:, None] * g])
    try:
        factor = splu(sps.csc_matrix(matrix + EXTRA * diagonal(np.append(np.ones(n), -np.ones(m)))))
    except RuntimeError:  # singular to the last bit
        return Solved(np.full_like(f, np.nan), np.full_like(g, np.nan))
    found = factor.solve(right)
    for _ in range(REFINEMENTS):
        found += factor.solve(right - matrix @ found)
    missed = np.abs(right - matrix @ found).max(axis=0, initial=0.0)
    asked = np.abs(right).max(axis=0, initial=0.0) + np.abs(found[:n]).max(axis=0, initial=0.0)
    found[:, ~(missed <= CONSISTENT * asked)] = np.nan
    return Solved(unit[:, None] * found[:n], size * rows[:, None] * found[n:])


def diagonal(weight: np.ndarray) -> sps.csr_matrix:
    return sps.csr_matrix(sps.diags(weight))
