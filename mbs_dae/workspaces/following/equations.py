"""The equations of a mechanism in which some values p are left open, dense and without units.

    Φ(x, p) = 0

p are values of held quantities (Φ_k = measure - p_k) or parameters of the model. Small motions x count as in the norm
of the model, by its length L; a row is divided by 1, L or L², by its unit; a value by L if it is a length, an angle as
it is. So a model that is a thousand times as large has the same numbers here. Rows that depend on others everywhere are
left out. Rows that are held `apart` belong to Φ, but not to those whose rank is asked for: they choose a section.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
import sympy as sp

from ...compiled import System
from ...compiled.derivatives import POSITIONS, PUSHES, DerivativeBuilder, Derivatives, builder_of, differentiate
from ...compiled.machine import Machine, observe
from ...compiled.manifold import difference, move
from ...compiled.poses import differ_poses, move_poses
from ...compiled.reading import read_outputs
from ...poses.arcs.track import angles_of
from ...poses.dependence import PoseRank

TIGHT, LOOSE = 1e-13, 1e-10
"""Residuals that count as none; and those that do where Newton gains nothing any more."""


class Point(NamedTuple):
    """A pose, the open values, and multipliers, if there are any."""

    q: np.ndarray
    p: np.ndarray
    u: np.ndarray


class Terms(NamedTuple):
    """Φ, its derivatives J by x and P by p, and those of Jᵀ u by x and p: of no size without multipliers u."""

    phi: np.ndarray
    J: np.ndarray
    P: np.ndarray
    H: np.ndarray
    K: np.ndarray


class Equations:
    """Those of a system; row `held[k]` holds the value k, or parameter `symbols[k]` is it."""

    def __init__(
        self, system: System, t: float, held: Sequence[int | None], symbols: Sequence[sp.Symbol | None],
        scale: np.ndarray, apart: Sequence[int] = (),
    ):  # fmt: skip
        self.system, self.t, self.scale, self.apart = system, t, scale, frozenset(apart)
        self.held = [(row, k) for k, row in enumerate(held) if row is not None]
        self.symbols = [(symbol, k) for k, symbol in enumerate(symbols) if symbol is not None]
        self.unit = system.length / np.sqrt(system.weight[: system.nv])
        self.rows = np.arange(len(system.rows))
        self.sizes = system.nv, scale.size

    @cached_property
    def _machine(self) -> Machine:
        return self.system.machine()

    @cached_property
    def _slopes(self) -> Derivatives:
        builder = self._builder
        return builder.fill(self._machine.program.batch, builder.dynamics.fill(self.system.evaluator).batch)

    @cached_property
    def _builder(self) -> DerivativeBuilder:
        return builder_of(self.system.structure, (POSITIONS, PUSHES), bool(self.symbols))

    @cached_property
    def _shape(self) -> tuple[int, int]:
        return self._builder.shape

    @cached_property
    def _per_row(self) -> np.ndarray:
        return np.asarray(1.0 / self.system.row_units)

    @property
    def ranked(self) -> np.ndarray:
        """Which of the rows are asked for their rank."""
        return np.array([row not in self.apart for row in self.rows.tolist()], dtype=bool)

    @cached_property
    def angles(self) -> np.ndarray:
        """For each small motion what a whole turn of a body is; 0 for other motions."""
        return self.system.structure.once(angles_of) * 2.0 * np.pi / self.unit

    @cached_property
    def _turning(self) -> bool:
        return bool(self.angles.any())

    def independent_at(self, q: np.ndarray, p: np.ndarray) -> None:
        """Leave out the rows that depend on others in this pose, which is to be in general position."""
        self.put(p)
        rank = PoseRank(self.system, self.t, q, machine=self._machine)
        every = range(len(self.system.rows))
        asked = [k for k in every if k not in self.apart]
        lost = rank.dependent(asked)
        self.rows = np.array([k for k in every if k not in lost], dtype=int)

    def put(self, p: np.ndarray) -> np.ndarray:
        """Put parameters in; how the numbers in the slots change with p, (values, slots)."""
        if not self.symbols:
            return np.zeros((self.scale.size, 0))
        if self._straight is None:
            numbers, slopes = self._numbers(p)
        else:
            p0, numbers, slopes = self._straight
            numbers = numbers + ((p - p0) @ slopes)[: numbers.size]
        self._machine.program.batch.parameters[:] = numbers
        return slopes

    def _numbers(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What stands in the slots, and how it changes."""
        own, batch = self.system.evaluator, self.system.structure.program.batch
        for symbol, k in self.symbols:
            own = own.at(symbol, float(p[k]))
        slopes = np.zeros((self.scale.size, batch.room))
        for row, (_, k) in zip(batch.slopes(own, [symbol for symbol, _ in self.symbols]), self.symbols, strict=True):
            slopes[k, : row.size] = row
        return batch.numbers(own), slopes

    @cached_property
    def _straight(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Values, numbers and their slopes, where these are the same everywhere: then expressions are seen once."""
        p0 = np.zeros(self.scale.size)
        for symbol, k in self.symbols:
            p0[k] = self.system.evaluator(symbol)
        seen = [self._numbers(p0 * part)[1] for part in (1.0, 1.09, 1.31)]
        return (p0, *self._numbers(p0)) if all(np.array_equal(seen[0], other) for other in seen) else None

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the rows of the system itself tell J and P: no parameter is open, and no coordinates are those of
        joints."""
        return not self.symbols and self._machine.transformation.edges == 0

    @cached_property
    def _entries(self) -> sps.csr_matrix:
        """Add the outputs of the program to the entries of J, all rows one behind the other: (rows x motions,
        outputs)."""
        program, n = self.system.program, self.system.nv
        row, column = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
        own = column < n
        shape = program.rows * n, program.batch.out_size
        return sps.csr_matrix((np.ones(own.sum()), (row[own] * n + column[own], program.jac_from[own])), shape)

    def linear(self, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return Φ, J and P in poses side by side, a row of q and p each: (poses, rows), (poses, rows, motions) and
        (poses, rows, values)."""
        if not self._is_plain:
            alone = [self.at(Point(*one, np.zeros(0))) for one in zip(q, p, strict=True)]
            phi, J, P = (np.array([terms[k] for terms in alone]) for k in range(3))
            return phi, J, P
        program, count = self.system.program, len(q)
        still = np.zeros((count, self.system.still.size))
        out = read_outputs(program.batch, np.full(count, self.t), np.ascontiguousarray(q), still)
        J = (self._entries @ out.T).T.reshape(count, program.rows, -1)[:, self.rows]
        phi, P = out[:, program.phi_from], self._by_values
        for row, k in self.held:
            phi[:, row] -= p[:, k]
        per_row = self._per_row[self.rows]
        return phi[:, self.rows] * per_row, J * self.unit * per_row[:, None], np.broadcast_to(P, (count, *P.shape))

    @property
    def _by_values(self) -> np.ndarray:
        """P where all values are held."""
        P = np.zeros((len(self.system.rows), self.scale.size))
        for row, k in self.held:
            P[row, k] = -self.scale[k] * self._per_row[row]
        return P[self.rows]

    @cached_property
    def _own_entries(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the slopes by motions among all slopes, and their places in the matrix, row by row."""
        to, n = self._slopes, self.system.nv
        entries = np.flatnonzero(to.column < n)
        return entries, to.row[entries] * n + to.column[entries]

    def at(self, point: Point) -> Terms:
        system, n, m = self.system, self.system.nv, len(self.system.rows)
        numbers = self.put(point.p)
        observe(self._machine, self.t, point.q, system.still)
        phi = self._machine.phi.copy()
        per_row = self._per_row
        if not point.u.size and self._is_plain:
            J = np.zeros((m, system.structure.columns))
            J[system.pattern.jac_row, system.pattern.jac_column] = self._machine.factor.jacobian
            for row, k in self.held:
                phi[row] -= point.p[k]
            mine, none = per_row[self.rows], np.zeros((0, 0))
            return Terms(
                phi[self.rows] * mine, J[self.rows, :n] * self.unit * mine[:, None], self._by_values, none, none
            )
        multipliers = np.zeros(m)
        if point.u.size:
            ranked = self.rows[self.ranked]
            multipliers[ranked] = point.u * per_row[ranked]
        to = self._slopes
        differentiate(to, self.t, point.q, system.still, system.still, multipliers)
        for row, k in self.held:
            phi[row] -= point.p[k]
        own, mine = self.rows, per_row[self.rows][:, None]
        if not self.symbols:  # slopes by velocities, accelerations and parameters are of no use
            entries, places = self._own_entries
            by_x = np.zeros((m + n, n))
            by_x.flat[places] = to.values[entries]
            J, H = by_x[own] * (self.unit * mine), by_x[m:] * (self.unit * self.unit[:, None])
            return Terms(phi[own] * mine[:, 0], J, self._by_values, H, np.zeros((n, self.scale.size)))
        matrix = np.zeros(self._shape)
        matrix[to.row, to.column] = to.values
        by_p = matrix[:, 2 * n + 1 :][:, : numbers.shape[1]] @ numbers.T
        for row, k in self.held:
            by_p[row, k] -= 1.0
        by_x, by_p = matrix[:, :n] * self.unit, by_p * self.scale
        return Terms(
            phi[own] * mine[:, 0],
            by_x[own] * mine,
            by_p[own] * mine,
            by_x[m:] * self.unit[:, None],
            by_p[m:] * self.unit[:, None],
        )

    # --- moving about -------------------------------------------------------------------------------------------------

    def moved(self, point: Point, step: np.ndarray) -> Point:
        n, k = self.sizes
        q = point.q.copy()
        move(self._machine.manifold, q, step[:n] * self.unit)
        return Point(q, point.p + step[n : n + k] * self.scale, point.u + step[n + k :])

    def moved_poses(self, q: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return poses, a row each, moved by small steps, (poses, motions)."""
        found = q.copy()
        move_poses(self._machine.manifold, found, np.ascontiguousarray(steps * self.unit))
        return found

    def between_poses(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the small steps from poses to others, a row each, (poses, motions)."""
        ways = np.zeros((len(one), self.system.nv))
        differ_poses(self._machine.manifold, *(np.ascontiguousarray(poses) for poses in (one, other)), ways)
        return ways / self.unit

    def ways(self, one: Point, q: np.ndarray, p: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Return the small steps from a point to others, a row of q and p each, but for whole turns of bodies and
        values: (points, motions + values)."""
        way = self.between_poses(np.repeat(one.q[None], len(q), axis=0), q)
        return np.hstack([_rest(way, self.angles), _rest(p - one.p, turns) / self.scale])

    def between(self, one: Point, other: Point, turns: np.ndarray | None = None) -> np.ndarray:
        """The small step from a point to another; with `turns` (what a whole turn adds to each value) but for whole
        turns of bodies and values."""
        way = np.zeros(self.system.nv)
        difference(self._machine.manifold, one.q, other.q, way)
        way /= self.unit
        values = other.p - one.p
        if turns is not None:
            way = _rest(way, self.angles) if self._turning else way
            values = _rest(values, turns) if turns.any() else values
        return np.concatenate([way, values / self.scale])


def _rest(way: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """What is left but for whole turns."""
    whole = np.where(turn > 0.0, turn, 1.0)
    return np.where(turn > 0.0, way - whole * np.rint(way / whole), way)
