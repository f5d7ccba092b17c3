"""Dependent equations: rank, and the minimal groups of rows of Φ_v that determine each other.

All computations use the sparse KKT matrix, so that size does not matter. A row whose `independence` is zero lies in the
span of others. To find these others, leave the dependent rows out, and solve

    [W Jᵀ; J 0] [x; c] = [row; 0].

If `row` is in the span of J's rows, then x = 0 and Jᵀ c = row: the rows with c ≠ 0 and `row` itself are a minimal
dependent group (a circuit), since c is unique.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sps
from scipy.linalg import qr
from scipy.sparse.linalg import splu

from ..compiled import System
from ..compiled.machine import Machine
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from ..linear import kkt
from ..tolerances import (
    DIAGONAL_SHIFT,
    GROUP_SHARE,
    LOCK_SHARE,
    NULL_RIGHT_SIDE,
    NULL_VECTOR,
    ROW_DEPENDENCE,
    SPAN_DEPENDENCE,
)
from .newton import evaluate_and_factorise

ITERATIONS = 4
"""Number of steps of the inverse iteration for the smallest singular direction: a ratio of ten in the squares leaves
1e-4 of the others."""


@compiled_apart
def may_hide(factor: kkt.Factor) -> bool:
    """Return whether the rows in use could hide a dependence. S = J W⁻¹ Jᵀ of m rows of unit length has trace m, so
    m - 1 of its eigenvalues have a product below e, and the smallest one is more than det S / e. The product of the
    pivots is det S."""
    total = 0.0
    for row in range(factor.kept.size):
        if factor.kept[row] > 0.0:
            total += np.log(factor.independence[row])
    return total < np.log(SPAN_DEPENDENCE) + 1.0


@compiled_apart
def is_regular(machine: Machine, t: float, q: Vector, still: Vector) -> bool:
    """Return whether certainly no row depends on others at a pose, judged by pivots alone."""
    factor = machine.factor
    factor.kept[:], factor.truncation[0] = 1.0, ROW_DEPENDENCE
    evaluate_and_factorise(machine, t, q, still, False)
    for row in range(factor.kept.size):
        if not factor.independence[row] >= ROW_DEPENDENCE:
            return False
    return not may_hide(factor)


@dataclass(frozen=True)
class DependentGroup:
    """A minimal dependent group: row `dependent` of Φ_v = Σ coefficients · rows `others`."""

    dependent: int
    others: np.ndarray
    coefficients: np.ndarray

    @property
    def rows(self) -> tuple[int, ...]:
        return (*map(int, self.others), self.dependent)


class PoseRank:
    """The rows of Φ_v at one pose, any of which can be left out. A row whose `independence` is less than the threshold
    counts as dependent."""

    def __init__(
        self, system: System, t: float, q: np.ndarray, threshold: float | None = None, machine: Machine | None = None
    ):
        self.system, self.threshold = system, ROW_DEPENDENCE if threshold is None else threshold
        self.machine = system.machine() if machine is None else machine
        self.stand_at(t, q)

    def stand_at(self, t: float, q: np.ndarray) -> None:
        """Take another pose, with all rows."""
        self.active = np.ones(len(self.system.rows), dtype=bool)
        """A mask of the rows in use."""
        self.machine.factor.kept[:], self.machine.factor.truncation[0] = 1.0, self.threshold
        evaluate_and_factorise(self.machine, t, q, self.system.still, False)

    def restrict(self, rows: Iterable[int]) -> None:
        """Factorise with these rows alone."""
        self.active = np.isin(np.arange(self.active.size), list(rows))
        self.machine.factor.kept[:] = self.active
        kkt.factorise(self.machine.pattern, self.machine.factor)

    def dependent(self, rows: Iterable[int]) -> list[int]:
        """Return the rows that the others of these rows determine; the rest is independent and stays factorised.

        A pivot compares a row with those eliminated before it only, and moderate pivots can hide a small singular value
        (as in a Kahan matrix). So the smallest singular direction u of S = J W⁻¹ Jᵀ of the remaining rows is computed
        by inverse iteration, and the row k with the largest weight there is left out if the others determine it: the
        squared sine of its angle to their span is 1 / (S⁻¹)_kk. (S is positive definite, so where its inverse seems not
        to be, this sine is roundoff.) Pivots after a hidden dependence are roundoff, so they are computed again.
        """
        factor, hidden = self.machine.factor, list[int]()
        all_rows = self.active.all() and len(set(rows)) == self.active.size
        while True:
            if hidden or not all_rows:
                self.restrict(set(rows) - set(hidden))
            dependent = np.flatnonzero(self.active & (factor.independence < self.threshold)).tolist()
            if dependent:
                self.restrict(set(rows) - {*hidden, *dependent})
            if not may_hide(factor):
                return sorted([*hidden, *dependent])
            u = np.cos(np.arange(1.0, self.active.size + 1.0)) * self.active
            for _ in range(ITERATIONS):
                u = self._multipliers(u * (NULL_RIGHT_SIDE / (np.abs(u).max() or 1.0)))
            k = int(np.argmax(np.abs(u) * self.active))
            e = np.zeros(self.active.size)
            e[k] = NULL_RIGHT_SIDE
            reciprocal = self._multipliers(e)[k]
            sine_squared = (
                float(factor.share[k] * NULL_RIGHT_SIDE / max(reciprocal, NULL_RIGHT_SIDE)) if reciprocal > 0.0 else 0.0
            )
            if sine_squared >= SPAN_DEPENDENCE:
                return sorted([*hidden, *dependent])
            hidden.append(k)

    def _multipliers(self, g: np.ndarray) -> np.ndarray:
        """Return S⁻¹ g with S = J W⁻¹ Jᵀ, of rows J of unit length."""
        length = np.sqrt(self.machine.factor.row_square)
        return -length * self._solve(np.zeros(self.machine.pattern.n), np.where(self.active, length * g, 0.0), 1)[1]

    def circuits(self, rows: Iterable[int]) -> list[DependentGroup]:
        """Return one minimal group for each dependent one of these rows."""
        return [self.circuit(k) for k in self.dependent(rows)]

    def independence(self, row: np.ndarray) -> float:
        """Return the squared part of a further row over the velocities that the rows in use do not determine: 0 none, 1
        all."""
        weight = self.machine.factor.weight
        length = float((row**2 / weight).sum())
        return float(weight @ self._parts(row)[0] ** 2) / length if length > 0.0 else 0.0

    def further(self, rows: np.ndarray) -> int:
        """Return the number of further rows over the velocities that are independent of the rows in use and of each
        other."""
        root = np.sqrt(self.machine.factor.weight)
        parts = [root * self._parts(row)[0] / (np.linalg.norm(row / root) or 1.0) for row in rows]
        triangle = qr(np.reshape(parts, (-1, root.size)).T, mode="r", pivoting=True)[0]
        return int((np.diag(triangle) ** 2 >= self.threshold).sum())

    def circuit(self, row: int) -> DependentGroup:
        """Return the group of rows in use that combine to this row (or come nearest to it)."""
        machine, pattern = self.machine, self.machine.pattern
        entries = pattern.jac_row == row
        f = np.zeros(pattern.n)
        np.add.at(f, pattern.jac_column[entries], machine.factor.jacobian[entries])
        _, c = self._parts(f)
        length = float(np.sqrt((f**2 / machine.factor.weight).sum())) or 1.0
        share = np.abs(c) * np.sqrt(machine.factor.row_square) / length
        others = np.flatnonzero((share > GROUP_SHARE) & self.active)
        return DependentGroup(row, others, c[others])

    def tangent(self, direction: np.ndarray) -> np.ndarray:
        """Return the part of a motion that the rows in use allow."""
        return self._parts(self.machine.factor.weight * direction)[0]

    def _parts(self, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return W⁻¹ times the part of a row outside the span of the rows in use, and the coefficients of the part
        inside."""
        return self._solve(row, np.zeros(self.machine.pattern.m), 3)

    def _solve(self, f: np.ndarray, g: np.ndarray, refinements: int) -> tuple[np.ndarray, np.ndarray]:
        x, c = np.zeros(f.size), np.zeros(g.size)
        kkt.solve(self.machine.pattern, self.machine.factor, f, g, x, c, refinements)
        return x, c


def elements_of(system: System, rows: Iterable[int]) -> tuple[str, ...]:
    """Return the elements that own these rows, in the model's order."""
    owners = {system.rows[k].element for k in rows}
    return tuple(name for name in system.model.elements if name in owners)


def joints_at_fault(system: System, t: float, q: np.ndarray) -> tuple[str, ...]:
    """Return the elements that lock a pose: those of the null vector u, Jᵀ u = 0, along which drivers move.

    With rows J of unit length, S = J W⁻¹ Jᵀ = Σ σ² u uᵀ, the multipliers (S + ε)⁻¹ ν grow as (u·ν) / (σ² + ε) along a
    null vector with u·ν ≠ 0 for prescribed velocities ν, and stay small along those of rows that are redundant
    everywhere, with which ν agrees. If drivers stand still, or there is no such null vector (a change point), the rows
    are those that combine to the row of the least pivot.
    """
    pose = PoseRank(system, t, q)
    factor, pattern = pose.machine.factor, pose.machine.pattern
    independence = factor.independence.copy()
    if not independence.size:
        return ()
    n, m = pattern.n, pattern.m
    lengths = np.sqrt(np.where(factor.row_square > 0.0, factor.row_square, 1.0))
    entries = factor.jacobian / (lengths[pattern.jac_row] * np.sqrt(factor.weight)[pattern.jac_column])
    J = sps.csc_matrix((entries, (pattern.jac_row, pattern.jac_column)), (m, n))
    nu = -system.read_constraints(np.array([t]), q[None], system.still[None], system.still[None])[1][0] / lengths
    matrix = sps.block_array([[sps.identity(n), J.T], [J, -DIAGONAL_SHIFT * sps.identity(m)]], format="csc")
    u = splu(matrix).solve(np.concatenate([np.zeros(n), -nu]))[n:]
    if nu.any() and np.linalg.norm(J.T @ u) <= NULL_VECTOR * np.linalg.norm(u):
        return elements_of(system, np.flatnonzero(np.abs(u) > LOCK_SHARE * np.abs(u).max()))
    row = int(np.argmin(independence))
    pose.restrict(set(range(len(system.rows))) - {row})
    circuit = pose.circuit(row)
    share = np.abs(circuit.coefficients) * lengths[circuit.others] / lengths[row]
    return elements_of(system, [row, *circuit.others[share > LOCK_SHARE * share.max(initial=0.0)]])


def agrees(system: System, t: float, q: np.ndarray, circuit: DependentGroup, drifted: bool = False) -> bool:
    """Return whether Φ, ν and γ of the dependent row are the combination of its group (at v = 0). In a pose that has
    drifted from the constraints Φ is not tested, and the tolerance is relative to the others alone."""
    still = system.still[None]
    near, scale = (1e-6, 0.0) if drifted else (1e-8, system.length)
    for level in system.read_constraints(np.array([t]), q[None], still, still)[int(drifted) :]:
        terms = circuit.coefficients * level[0, circuit.others]
        value = level[0, circuit.dependent]
        if abs(value - terms.sum()) > near * (np.abs(terms).max(initial=0.0) + abs(value) + scale):
            return False
    return True
