"""The equations of a mechanism in which some values p are left open, as dense and dimensionless matrices.

    Φ(x, p) = 0

p are values of held quantities (Φ_k = measure - p_k) or parameters of the model. Small motions x are scaled as in the
norm of the model, by its length L; a row is divided by 1, L or L², depending on its unit; a value by L if it is a
length, by 1 if it is an angle. So a model that is a thousand times as large has equal numbers here. Rows that depend on
others everywhere are left out. Rows that are held `apart` belong to Φ, but their rank is not tested: they choose a
section.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
import sympy as sp

from ...compiled import System
from ...compiled.derivatives import POSITIONS, PUSHES, builder_of
from ...compiled.machine import Machine
from ...compiled.poses import differ_poses, move_poses
from ...compiled.reading import read_outputs
from ...kernels.blocks import block
from ...poses.arcs.track import angles_of
from ...poses.corrector import PoseEquations, move_point, observe_pose, step_between
from ...poses.dependence import PoseRank
from ...poses.reach.solutions import SolutionSearch

NO_PERIODS = np.zeros(0)
"""A value of `turns` with which whole turns are not subtracted."""


class PosePoint(NamedTuple):
    """A pose, the open values, and multipliers, if there are any."""

    q: np.ndarray
    p: np.ndarray
    u: np.ndarray


class EquationTerms(NamedTuple):
    """Φ, its derivatives J by x and P by p, and the derivatives H, K of Jᵀ u by x and p, which are empty without
    multipliers u."""

    phi: np.ndarray
    J: np.ndarray
    P: np.ndarray
    H: np.ndarray
    K: np.ndarray


class PlaneEquations:
    """The equations of a system; row `held[k]` holds the value k, or parameter `symbols[k]` is this value."""

    def __init__(
        self, system: System, t: float, held: Sequence[int | None], symbols: Sequence[sp.Symbol | None],
        scale: np.ndarray, apart: Sequence[int] = (), places: Sequence[str] = (),
    ):  # fmt: skip
        self.system, self.t, self.scale, self.apart = system, t, scale, frozenset(apart)
        self.held = [(row, k) for k, row in enumerate(held) if row is not None]
        self.symbols = [(symbol, k) for k, symbol in enumerate(symbols) if symbol is not None]
        self.places = tuple(places)
        """The name of the parameter of the system's model that has each value."""
        self.joints: SolutionSearch | None = None
        """The search for joints with which loops close, once it was needed."""
        self.unit = system.length / np.sqrt(system.weight[: system.nv])
        self.sizes = system.nv, scale.size
        self.select_rows(np.arange(len(system.rows)))

    @cached_property
    def places_of_bodies(self) -> tuple[list[int], np.ndarray]:
        """The numbers of the coordinates of places in q, and the change of each in a small motion of length 1."""
        layout, dimension = self.system.layout, self.system.model.dimension
        pairs = [(layout.q[b][k], layout.v[b][k]) for b in self.system.bodies for k in range(dimension)]
        return [q for q, _ in pairs], self.unit[[v for _, v in pairs]]

    def select_rows(self, rows: np.ndarray) -> None:
        """Use these rows, and leave out all others."""
        self.rows = rows
        self.ranked = np.array([row not in self.apart for row in rows.tolist()], dtype=bool)
        """A mask of the rows whose rank is tested, (rows,)."""
        for made in ("compiled", "_entries"):
            self.__dict__.pop(made, None)

    @cached_property
    def compiled(self) -> PoseEquations:
        """The record of these equations of poses that compiled functions read."""
        system, machine, (n, values), count = self.system, self._machine, self.sizes, len(self.system.rows)
        builder = builder_of(system.structure, (POSITIONS, PUSHES), bool(self.symbols))
        slopes = builder.fill(machine.program.batch, builder.dynamics.fill(system.evaluator).batch)
        place, multiplier, asked = np.full(count, -1), np.full(count, -1), self.rows[self.ranked]
        place[self.rows], multiplier[asked] = np.arange(len(self.rows)), np.arange(len(asked))
        slots = system.structure.program.batch.room if self.symbols else 0  # of parameters in the program of Φ
        none = np.zeros(values), np.zeros(0), np.zeros((values, slots))
        start, numbers, number_slopes = (self._straight or none) if self.symbols else none
        record = PoseEquations(
            machine, slopes, float(self.t), int(self._is_plain), int(self.is_linear), start, numbers,
            number_slopes, self.rows.astype(np.int64), place, multiplier,
            np.array(self.held, dtype=np.int64).reshape(-1, 2), self._per_row, self.unit, self.scale, self.angles,
            system.still,
        )  # fmt: skip
        return block(record, used=len(self.rows), motions=n, values=values, rows=count)

    @cached_property
    def _machine(self) -> Machine:
        return self.system.machine()

    @cached_property
    def _per_row(self) -> np.ndarray:
        return np.asarray(1.0 / self.system.row_units)

    @cached_property
    def angles(self) -> np.ndarray:
        """The change of each small motion by a whole turn of a body; 0 for other motions."""
        return self.system.structure.once(angles_of) * 2.0 * np.pi / self.unit

    def independent_at(self, q: np.ndarray, p: np.ndarray) -> None:
        """Leave out the rows that depend on others in this pose, which must be in general position."""
        self.put(p)
        rank = PoseRank(self.system, self.t, q, machine=self._machine)
        every = range(len(self.system.rows))
        asked = [k for k in every if k not in self.apart]
        lost = rank.dependent(asked)
        self.select_rows(np.array([k for k in every if k not in lost], dtype=int))

    @property
    def is_linear(self) -> bool:
        """Whether the numbers of the program are linear in p; then compiled functions set them."""
        return not self.symbols or self._straight is not None

    def put(self, p: np.ndarray) -> None:
        """Set the numbers of the program at p, and their slopes by p if these are not constant."""
        if self.symbols:
            self._machine.program.batch.parameters[:], slopes = self._numbers(p)
            if not self.is_linear:
                self.compiled.number_slopes[...] = slopes

    def _numbers(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers in the slots at p, and their derivatives by p."""
        own, batch = self.system.evaluator, self.system.structure.program.batch
        for symbol, k in self.symbols:
            own = own.at(symbol, float(p[k]))
        slopes = np.zeros((self.scale.size, batch.room))
        for row, (_, k) in zip(batch.slopes(own, [symbol for symbol, _ in self.symbols]), self.symbols, strict=True):
            slopes[k, : row.size] = row
        return batch.numbers(own), slopes

    @cached_property
    def _straight(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Values, numbers and their derivatives if the derivatives are constant, so that expressions are evaluated
        once; else None."""
        p0 = np.zeros(self.scale.size)
        for symbol, k in self.symbols:
            p0[k] = self.system.evaluator(symbol)
        seen = [self._numbers(p0 * part)[1] for part in (1.0, 1.09, 1.31)]
        return (p0, *self._numbers(p0)) if all(np.array_equal(seen[0], other) for other in seen) else None

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the rows of the system itself give J and P: no parameter is open, and there are no joint
        coordinates."""
        return not self.symbols and self._machine.transformation.edges == 0

    @cached_property
    def _entries(self) -> tuple[np.ndarray, sps.csr_matrix, np.ndarray]:
        """The places of the entries of J that are not zero everywhere, row by row, (entries,); the matrix that adds
        outputs of the program to them, (entries, outputs); and their scales, of motions and of rows, (2, entries)."""
        program, n = self.system.program, self.system.nv
        row, column = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
        place = np.full(program.rows, -1)
        place[self.rows] = np.arange(len(self.rows))
        own = (column < n) & (place[row] >= 0)
        places, entry = np.unique(place[row[own]] * n + column[own], return_inverse=True)
        shape = len(places), program.batch.out_size
        adds = sps.csr_matrix((np.ones(len(entry)), (entry, program.jac_from[own])), shape)
        return places, adds, np.array([self.unit[places % n], self._per_row[self.rows[places // n]]])

    def linear(self, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return Φ, J and P in poses side by side, a row of q and p each: (poses, rows), (poses, rows, motions) and
        (poses, rows, values)."""
        if not self._is_plain:
            alone = [self.at(PosePoint(*one, np.zeros(0))) for one in zip(q, p, strict=True)]
            phi, J, P = (np.array([terms[k] for terms in alone]) for k in range(3))
            return phi, J, P
        program, count = self.system.program, len(q)
        still = np.zeros((count, self.system.still.size))
        out = read_outputs(program.batch, np.full(count, self.t), np.ascontiguousarray(q), still)
        places, adds, (motions, rows) = self._entries
        J = np.zeros((count, len(self.rows) * self.system.nv))
        J[:, places] = (adds @ out.T).T * motions * rows
        J = J.reshape(count, len(self.rows), -1)
        phi, P = out[:, program.phi_from], np.zeros((len(self.system.rows), self.scale.size))
        for row, k in self.held:
            phi[:, row] -= p[:, k]
            P[row, k] = -self.scale[k] * self._per_row[row]
        P = np.broadcast_to(P[self.rows], (count, len(self.rows), self.scale.size))
        return phi[:, self.rows] * self._per_row[self.rows], J, P

    def at(self, point: PosePoint) -> EquationTerms:
        if not self.is_linear:
            self.put(point.p)
        record = self.compiled
        observe_pose(record, point.q, point.p, point.u)
        if point.u.size:
            return EquationTerms(record.phi.copy(), record.J.copy(), record.P.copy(), record.H.copy(), record.K.copy())
        return EquationTerms(record.phi.copy(), record.J.copy(), record.P.copy(), np.zeros((0, 0)), np.zeros((0, 0)))

    # --- moving about -------------------------------------------------------------------------------------------------

    def moved(self, point: PosePoint, step: np.ndarray) -> PosePoint:
        there = PosePoint(point.q.copy(), point.p.astype(float), point.u.copy())
        move_point(self.compiled, *there, step)
        return there

    def moved_poses(self, q: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return poses, a row each, moved by small steps, (poses, motions)."""
        found = q.copy()
        move_poses(self._machine.manifold, found, np.ascontiguousarray(steps * self.unit))
        return found

    def between_poses(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the small steps from poses to others, a row each, (poses, motions)."""
        steps = np.zeros((len(one), self.system.nv))
        differ_poses(self._machine.manifold, *(np.ascontiguousarray(poses) for poses in (one, other)), steps)
        return steps / self.unit

    def steps_between(
        self, q0: np.ndarray, p0: np.ndarray, q: np.ndarray, p: np.ndarray, turns: np.ndarray
    ) -> np.ndarray:
        """Return the small steps from points to others, a row of q and p each, up to whole turns of bodies and values:
        (points, motions + values)."""
        return np.hstack(
            [without_turns(self.between_poses(q0, q), self.angles), without_turns(p - p0, turns) / self.scale]
        )

    def between(self, one: PosePoint, other: PosePoint, turns: np.ndarray = NO_PERIODS) -> np.ndarray:
        """Return the small step from a point to another; with `turns` (the period of each value) up to whole turns of
        bodies and values."""
        step = np.zeros(sum(self.sizes))
        step_between(self.compiled, one.q, one.p, other.q, other.p, turns, step)
        return step


def without_turns(steps: np.ndarray, periods: np.ndarray) -> np.ndarray:
    """Return differences reduced by whole periods; those with a period of 0 do not repeat."""
    whole = np.where(periods > 0.0, periods, 1.0)
    return np.where(periods > 0.0, steps - whole * np.rint(steps / whole), steps)
