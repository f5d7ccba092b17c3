"""The equations of one pose differentiated by parameters, and linear systems of their shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

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
from ..symbolic.markers import t as time
from ..tolerances import CONSISTENCY, REGULARISATION

REFINEMENTS = 3


class Slopes(NamedTuple):
    """The partial derivatives of some equations: by small motions x, by velocities, and by parameters; accelerations,
    multipliers, and the velocities that Φ_v is a factor of are held."""

    x: sps.csr_matrix
    v: sps.csr_matrix
    given: np.ndarray
    """(rows, parameters)."""

    def along(self, x: np.ndarray | None = None, v: np.ndarray | None = None) -> np.ndarray:
        """The derivatives by parameters where x and v vary with them, a row for each: (rows, parameters)."""
        found = self.given
        for matrix, own in ((self.x, x), (self.v, v)):
            found = found if own is None else found + matrix @ own.T
        return found

    def plus(self, given: np.ndarray) -> Slopes:
        """Return the slopes with `given` added to those by parameters."""
        return self._replace(given=self.given + given)

    def summed(self, factors: np.ndarray) -> Slopes:
        """Return the slopes by one parameter, with which the others change in the proportions `factors`."""
        return self._replace(given=(self.given @ factors)[:, None])


@dataclass(frozen=True, eq=False)
class KernelState:
    """A state of a system in the coordinates of kernels, and the parameters by which equations are differentiated."""

    system: System
    symbols: tuple[Parameter, ...]
    t: float
    q: np.ndarray
    v: np.ndarray

    def slopes(self, wanted: tuple[str, ...], a: np.ndarray, multipliers: np.ndarray) -> Mapping[str, Slopes]:
        """Return the slopes of the wanted equations (`compiled.derivatives`), at accelerations a and multipliers. Time
        may be one of the symbols."""
        builder = builder_of(self.system.structure, wanted, True)
        to = filled(builder, self.system)
        differentiate(
            to, float(self.t), *(np.ascontiguousarray(x, dtype=float) for x in (self.q, self.v, a, multipliers))
        )
        matrix, n = sps.csr_matrix((to.values, (to.row, to.column)), builder.shape), builder.columns
        numbers = self._numbers if {FORCES, MOMENTA} & {*wanted} else self._of_constraints
        ends = [*builder.first.values(), builder.shape[0]]
        parts = [matrix[start:end] for start, end in zip(ends, ends[1:], strict=False)]
        along = np.array([[1.0 * (symbol == time) for symbol in self.symbols]])
        given = (
            part[:, 2 * n + 1 :][:, : numbers.shape[1]] @ numbers.T + part[:, 2 * n].toarray() @ along for part in parts
        )
        return {
            what: Slopes(part[:, :n], part[:, n : 2 * n], by)
            for what, part, by in zip(wanted, parts, given, strict=True)
        }

    @cached_property
    def _of_constraints(self) -> np.ndarray:
        """Return how the numbers in the slots of constraints change, (parameters, slots)."""
        return self.system.structure.program.batch.slopes(self.system.evaluator, self.symbols)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """Return how the numbers in the slots of constraints, then of forces, change, (parameters, slots)."""
        forces = self.system.structure.dynamics.batch.slopes(self.system.evaluator, self.symbols)
        return np.concatenate([self._of_constraints, forces], axis=1)

    @cached_property
    def rows(self) -> sps.csr_matrix:
        """Return Φ_v."""
        return self.system.jacobian(self.t, self.q)

    @cached_property
    def position_rows(self) -> sps.csr_matrix:
        """Return Φ_v with zeros in rows that restrict velocities only."""
        return sps.csr_matrix(diagonal(1.0 * tells_positions(self.system.program)) @ self.rows)

    @cached_property
    def terms(self) -> tuple[sps.csr_matrix, np.ndarray, np.ndarray]:
        """Return M, Q and γ."""
        run = mechanism(self.system)
        evaluate(run, self.t, self.q.copy(), self.v)
        return mass_matrix(self.system, run.machine), run.machine.f.copy(), run.machine.gamma.copy()


class Solved(NamedTuple):
    x: np.ndarray
    """A column for each right side; nan where it has no solution."""
    multipliers: np.ndarray


@dataclass(frozen=True, eq=False)
class Bordered:
    """[H Jᵀ; J 0], factorised once. H need not be symmetric."""

    H: sps.csr_matrix
    J: sps.csr_matrix
    weight: np.ndarray

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes its factor again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def _scales(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return units of x, the reciprocal lengths of the rows of J in these, and the size of H."""
        unit = 1.0 / np.sqrt(self.weight)
        lengths = np.sqrt(np.asarray(self.J.multiply(self.J) @ unit**2).ravel())
        return unit, 1.0 / np.where(lengths > 0.0, lengths, 1.0), float(abs(self._in_units(unit)).max() or 1.0)

    def _in_units(self, unit: np.ndarray) -> sps.csr_matrix:
        return sps.csr_matrix(diagonal(unit) @ self.H @ diagonal(unit))

    @cached_property
    def _matrix(self) -> sps.csc_matrix:
        unit, rows, size = self._scales
        scaled = diagonal(rows) @ self.J @ diagonal(unit)
        none = sps.csr_matrix((rows.size, rows.size))
        return sps.bmat([[self._in_units(unit) / size, scaled.T], [scaled, none]], format="csc")

    @cached_property
    def _factor(self) -> Any:
        """Return the factor of the matrix; None where it is singular to the last bit."""
        unit, rows, _ = self._scales
        extra = diagonal(np.append(np.ones(unit.size), -np.ones(rows.size)))
        try:
            return splu(sps.csc_matrix(self._matrix + REGULARISATION * extra))
        except RuntimeError:
            return None

    def solve(self, f: np.ndarray, g: np.ndarray, transposed: bool = False) -> Solved:
        """Solve [H Jᵀ; J 0] [x; μ] = [f; g], for columns of right sides, or the transposed system; with any μ of
        redundant rows, and the least x where neither H nor J holds x."""
        unit, rows, size = self._scales
        if self._factor is None:
            return Solved(np.full_like(f, np.nan), np.full_like(g, np.nan))
        matrix, way = (self._matrix.T, "T") if transposed else (self._matrix, "N")
        right = np.concatenate([unit[:, None] * f / size, rows[:, None] * g])
        found = self._factor.solve(right, way)
        for _ in range(REFINEMENTS):
            found += self._factor.solve(right - matrix @ found, way)
        missed = np.abs(right - matrix @ found).max(axis=0, initial=0.0)
        asked = np.abs(right).max(axis=0, initial=0.0) + np.abs(found[: unit.size]).max(axis=0, initial=0.0)
        found[:, ~(missed <= CONSISTENCY * asked)] = np.nan
        return Solved(unit[:, None] * found[: unit.size], size * rows[:, None] * found[unit.size :])


def solve_bordered(H: sps.csr_matrix, J: sps.csr_matrix, f: np.ndarray, g: np.ndarray, weight: np.ndarray) -> Solved:
    """Solve [H Jᵀ; J 0] [x; μ] = [f; g] with a factor that is used once."""
    return Bordered(H, J, weight).solve(f, g)


@dataclass(frozen=True, eq=False)
class Response:
    """The change of y by parameters, and by places x and velocities v that vary with them: H dy + Jᵀ dμ + df = 0 and
    J dy + dg = 0, with the slopes of f and g."""

    by: Bordered
    f: Slopes
    g: Slopes

    def ahead(self, x: np.ndarray | None = None, v: np.ndarray | None = None) -> np.ndarray:
        """Return dy, a row for each parameter."""
        return self.by.solve(-self.f.along(x, v), -self.g.along(x, v)).x.T

    def back(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of parameters, and of x, from weights of y, in rows: one solution for each row, whatever
        the number of parameters."""
        f, g = self.by.solve(-weights.T, np.zeros((self.by.J.shape[0], len(weights))), transposed=True)
        return (self.f.given.T @ f + self.g.given.T @ g).T, (self.f.x.T @ f + self.g.x.T @ g).T

    def sizes(self) -> np.ndarray:
        """Return the largest right side by each parameter, (parameters,)."""
        return np.maximum(*(np.abs(one.given).max(axis=0, initial=0.0) for one in (self.f, self.g)))

    def summed(self, factors: np.ndarray) -> Response:
        """Return the response to one parameter, with which the others change in the proportions `factors`."""
        return replace(self, f=self.f.summed(factors), g=self.g.summed(factors))


def diagonal(weight: np.ndarray) -> sps.csr_matrix:
    return sps.csr_matrix(sps.diags(weight))
