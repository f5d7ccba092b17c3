"""Which equations depend on which: rank, and the minimal groups of rows of Φ_v that determine each other.

All of it by the sparse KKT matrix, so that size does not matter. A row whose `independence` is nil lies in the span of
the others. Which others? With the dependent rows left out, solve

    [W Jᵀ; J 0] [x; c] = [row; 0].

If `row` is in the span of J's rows, then x = 0 and Jᵀ c = row: the rows with c ≠ 0 and `row` itself are a minimal
dependent group (a circuit), since c is unique.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from ..compiled import System
from ..linear import kkt
from . import newton

WEAK = 1e-4
"""`independence` below which the order of elimination may matter to the rank."""
SMALL = 400
"""Rows up to which a full factorisation with pivoting is affordable."""
SHARE = 1e-6
"""A row belongs to a circuit if its part in it, relative to the dependent row's length, is larger than this."""


@dataclass(frozen=True)
class Circuit:
    """row `dependent` of Φ_v = Σ coefficients · rows `others`."""

    dependent: int
    others: np.ndarray
    coefficients: np.ndarray

    @property
    def rows(self) -> tuple[int, ...]:
        return (*map(int, self.others), self.dependent)


class PoseRank:
    """The rows of Φ_v at one pose, any of which can be left out."""

    def __init__(self, system: System, t: float, q: np.ndarray):
        self.system = system
        self.machine = system.machine()
        self.machine.factor.truncation[0] = newton.DEPENDENT
        newton.evaluate_and_factorise(self.machine, t, q, system.still, False)
        self.jacobian = self.machine.factor.jacobian.copy()
        self.kept = np.ones(len(system.rows), dtype=bool)

    def keep_only(self, rows: Iterable[int]) -> None:
        """Factorise with these rows alone."""
        kept = np.zeros(len(self.system.rows), dtype=bool)
        kept[list(rows)] = True
        self.machine.factor.jacobian[:] = np.where(kept[self.system.pattern.jac_row], self.jacobian, 0.0)
        kkt.factorise(self.machine.pattern, self.machine.factor)
        self.kept = kept

    def dependent(self, rows: Iterable[int]) -> list[int]:
        """Those of these rows that the other ones determine; what remains is independent."""
        self.keep_only(rows)
        independence = self.machine.factor.independence
        found = (independence < newton.DEPENDENT) & self.kept
        if self.kept.sum() <= SMALL and (independence[self.kept & ~found] < WEAK).any():
            return self._dependent_by_pivoting()
        return [int(k) for k in np.flatnonzero(found)]

    def _dependent_by_pivoting(self) -> list[int]:
        """The same with the rows in the best order, the most independent first: where two rows are nearly parallel,
        those that depend on both are found only so."""
        pattern, rows = self.machine.pattern, np.flatnonzero(self.kept)
        matrix = np.zeros((pattern.m, pattern.n))
        np.add.at(matrix, (pattern.jac_row, pattern.jac_column), self.jacobian)
        matrix = matrix[rows] / np.sqrt(self.machine.factor.weight)
        lengths = np.sqrt((matrix**2).sum(axis=1))
        triangle, order = qr((matrix / np.where(lengths > 0.0, lengths, 1.0)[:, None]).T, mode="r", pivoting=True)
        rank = int((np.abs(np.diag(triangle)) ** 2 >= newton.DEPENDENT).sum())
        return sorted(int(rows[k]) for k in order[rank:])

    def circuits(self, rows: Iterable[int]) -> list[Circuit]:
        """One minimal group for each dependent one of these rows."""
        rows = list(rows)
        dependent = self.dependent(rows)
        self.keep_only(set(rows) - set(dependent))
        return [self.circuit(k) for k in dependent]

    def independence(self, row: np.ndarray) -> float:
        """Of a further row over the velocities, how much the kept rows do not determine: 0 nothing, 1 all (squared)."""
        machine, pattern = self.machine, self.machine.pattern
        x, c = np.zeros(pattern.n), np.zeros(pattern.m)
        kkt.solve(pattern, machine.factor, row.copy(), np.zeros(pattern.m), x, c, 3)
        length = float((row**2 / machine.factor.weight).sum())
        return float(machine.factor.weight @ x**2) / length if length > 0.0 else 0.0

    def circuit(self, row: int) -> Circuit:
        """The kept rows that make up this row (or come nearest to it)."""
        machine, pattern = self.machine, self.machine.pattern
        own = pattern.jac_row == row
        f = np.zeros(pattern.n)
        np.add.at(f, pattern.jac_column[own], self.jacobian[own])
        x, c = np.zeros(pattern.n), np.zeros(pattern.m)
        kkt.solve(pattern, machine.factor, f, np.zeros(pattern.m), x, c, 3)
        length = float(np.sqrt((f**2 / machine.factor.weight).sum())) or 1.0
        share = np.abs(c) * np.sqrt(machine.factor.row_square) / length
        others = np.flatnonzero((share > SHARE) & self.kept)
        return Circuit(row, others, c[others])

    def tangent(self, direction: np.ndarray) -> np.ndarray:
        """The part of a motion that the kept rows allow."""
        machine, pattern = self.machine, self.machine.pattern
        x, c = np.zeros(pattern.n), np.zeros(pattern.m)
        kkt.solve(pattern, machine.factor, machine.factor.weight * direction, np.zeros(pattern.m), x, c, 3)
        return x


def elements_of(system: System, rows: Iterable[int]) -> tuple[str, ...]:
    """The elements that own these rows, in the model's order."""
    owners = {system.rows[k].element for k in rows}
    return tuple(name for name in system.model.elements if name in owners)


def joints_at_fault(system: System, t: float, q: np.ndarray) -> tuple[str, ...]:
    """The elements whose equations come nearest to depending on each other at a pose."""
    pose = PoseRank(system, t, q)
    independence = pose.machine.factor.independence.copy()
    if not independence.size:
        return ()
    row = int(np.argmin(independence))
    pose.keep_only(set(range(len(system.rows))) - {row})
    return elements_of(system, pose.circuit(row).rows)


def agrees(system: System, t: float, q: np.ndarray, circuit: Circuit) -> bool:
    """Whether Φ, ν and γ of the dependent row are what its group makes of them (at v = 0)."""
    still = system.still[None]
    for level in system.read_constraints(np.array([t]), q[None], still, still):
        parts = circuit.coefficients * level[0, circuit.others]
        own = level[0, circuit.dependent]
        if abs(own - parts.sum()) > 1e-8 * (np.abs(parts).max(initial=0.0) + abs(own) + system.length):
            return False
    return True
