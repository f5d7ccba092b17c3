"""Exact derivatives of what kernels compute: along one direction, and by all coordinates.

The kernels of the tangents (`symbolic.tangents`) are called as those of the values are, with the same parameters, and
write the tangent of each output where its value would stand: all maps of outputs serve both. Directions stand behind
the velocities, so a kernel is handed one longer array in place of v:

    directed = (v | δx | δv | δt | seeds)

δx is a small motion, given like a velocity. Two sets of index maps lead there.

*Along one direction* every instance reads its part of δx, δv, δt. One evaluation gives δΦ, δΦ_v, δν, δγ, δM, δQ.

*By all coordinates* every instance reads the seeds: the k-th one is its own k-th local direction. With one seed set to
1, a call gives that column of the small dense Jacobian of every instance of a kernel at once. `Derivatives` adds them
up in a sparse matrix, by (x | v | t), of

    F = M a + Φ_vᵀ λ - Q,      C' = Φ_v v - ν,      C'' = Φ_v a - γ

with the factors a, λ and v that are written here held: by these the derivatives are M, Φ_vᵀ and Φ_v.

An implicit method needs the first: K = ∂F/∂x and D = ∂F/∂v at (q, v, a, λ) make Newton's matrix

    [M + c₁ h D + c₂ h² K    Φ_vᵀ]
    [Φ_v                     0   ]

with the method's numbers c₁ = ∂v/(h ∂a), c₂ = ∂x/(h² ∂a). Ask for `derivatives(system, FORCES)` once, keep its
prototype in an `Image` (parameters are shared with the batches of values), call `differentiate` in compiled code; the
entries are `row`, `column`, `values`, of which columns below n are K, those from n to 2n are D and column 2n is ∂F/∂t.

All this is in the coordinates of kernels. Joint coordinates have no kernels but a transformation u = R(x) ẋ: there
F_x = Rᵀ F, so its derivative is Rᵀ K R + Rᵀ D ∂u/∂x and what the change of R adds: (∂R/∂x)ᵀ F, which is small where the
bodies by themselves are in equilibrium nearly, and 0 where they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ..kernels import cache
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..linear.vectors import copy
from ..symbolic.codegen import kernel_module
from ..symbolic.tangents import tangents
from .batch import VALUE, Batch, BatchBuilder, Group, Place, call_one
from .structure import Structure
from .system import System

FORCES, RATES, ACCELERATIONS = "forces", "rates", "accelerations"
"""F, C' and C''."""
ONE, MINUS, STATES = range(3)
"""Where factors stand: 1, -1, then v, a and λ."""


class TangentBuilder:
    """Derives (or fetches) the kernels of the tangents of a batch, once. `along` and `by_seeds` are batches of them
    that share the parameters of the batch of values."""

    def __init__(self, values: BatchBuilder):
        self.values = values
        self.size = values.layout.v_size
        self.kernels = [self._kernel(group) for group in values.groups]
        self.widths = [len(self._columns(group)) for group in values.groups]
        """How many local velocities there are."""
        self.directed = 3 * self.size + 1 + 2 * max(self.widths, default=0) + 1
        """The length of the array of velocities and directions."""
        self._along, self._by_seeds = self._gathered(seeds=False), self._gathered(seeds=True)

    def along(self, values: Batch) -> Batch:
        return self._filled(values, self._along)

    def by_seeds(self, values: Batch) -> Batch:
        return self._filled(values, self._by_seeds)

    def seed(self, k: int) -> int:
        """Where the k-th local direction stands."""
        return 3 * self.size + 1 + k

    def _columns(self, group: Group) -> tuple[int, ...]:
        return self.values.local(group.members[0], self.values.layout.v)

    def _kernel(self, group: Group) -> cache.Kernel:
        instance, like = self.values.instances[group.members[0]], group.kernel.layout
        if instance.tangents is not None:
            return instance.tangents()
        title = f"Tangents of {instance.meaning.split(' ')[0]}"
        meaning = f"{self.values.coordinates.name} {instance.meaning} tangents"
        return cache.kernel(meaning, lambda: kernel_module(tangents(instance.compose()), title, like))

    def _gathered(self, seeds: bool) -> dict[str, Any]:
        values, size = self.values, self.size
        gather: list[int] = []
        begins = []
        for group, width in zip(values.groups, self.widths, strict=True):
            begins.append(len(gather))
            for member in group.members:
                q, v = values.local(member, values.layout.q), values.local(member, values.layout.v)
                own = [*(size + k for k in v), *(2 * size + k for k in v), 3 * size]
                gather += [*q, *v, *(map(self.seed, range(2 * width + 1)) if seeds else own)]
        kernels = np.array([[kernel.address for kernel in self.kernels]], dtype=np.int64)
        at = np.array(begins, dtype=np.int64)
        return {"kernels": kernels, "gather": np.array([*gather, 0], dtype=np.int64), "gather_at": at}

    @staticmethod
    def _filled(values: Batch, own: dict[str, Any]) -> Batch:
        return block(Batch(**{name: getattr(values, name) for name in Batch._fields} | own))


class Slopes(NamedTuple):
    """The calls of the kernels of a batch, and where the tangents of each go."""

    batch: Batch
    kernel: Integers
    """Call c is of this kernel,"""
    seed: Integers
    """with this item of `directed` being 1,"""
    term_at: Integers
    """and has the terms term_at[c] : term_at[c + 1]:"""
    term_from: Integers
    term_factor: Integers
    term_to: Integers
    """entry[term_to] += factor[term_factor] * out[term_from]."""


class Derivatives(NamedTuple):
    """A sparse matrix of derivatives, and work space for it."""

    constraints: Slopes
    dynamics: Slopes
    row: Integers
    column: Integers
    """Of each entry."""
    values: Work[Vector] = zeros("entries")
    directed: Work[Vector] = zeros("directed")
    factors: Work[Vector] = zeros("factors")
    out: Work[Vector] = zeros("outputs")


@compiled_apart
def differentiate(to: Derivatives, t: float, q: Vector, v: Vector, a: Vector, multipliers: Vector):
    """The entries of the matrix at a state and its accelerations, the ground's included, and multipliers."""
    size = v.size
    to.directed[:] = 0.0
    copy(v, to.directed[:size])
    to.factors[ONE] = 1.0
    to.factors[MINUS] = -1.0
    copy(v, to.factors[STATES : STATES + size])
    copy(a, to.factors[STATES + size : STATES + 2 * size])
    copy(multipliers, to.factors[STATES + 2 * size :])
    to.values[:] = 0.0
    add_slopes(to.constraints, t, q, to.directed, to.factors, to.out, to.values)
    add_slopes(to.dynamics, t, q, to.directed, to.factors, to.out, to.values)


@compiled_apart
def add_slopes(slopes: Slopes, t: float, q: Vector, directed: Vector, factors: Vector, out: Vector, values: Vector):
    for c in range(slopes.kernel.size):
        directed[slopes.seed[c]] = 1.0
        call_one(slopes.batch, VALUE, slopes.kernel[c], t, q, directed, out)
        directed[slopes.seed[c]] = 0.0
        for k in range(slopes.term_at[c], slopes.term_at[c + 1]):
            values[slopes.term_to[k]] += factors[slopes.term_factor[k]] * out[slopes.term_from[k]]


# --- where they belong ------------------------------------------------------------------------------------------------

Term = tuple[int, int, int]
"""(output of an instance, its factor, the row it goes to)."""


@dataclass(frozen=True)
class _Terms:
    """All terms of the calls of one batch, call by call."""

    calls: list[tuple[int, int]]
    """(kernel, seed)."""
    terms: list[np.ndarray]
    """Of each call: one row (from, factor, row, column) for each term."""

    @property
    def table(self) -> np.ndarray:
        return np.concatenate([np.zeros((0, 4), dtype=np.int64), *self.terms])

    def slopes(self, batch: Batch, to: np.ndarray) -> Slopes:
        kernel, seed = np.array(self.calls, dtype=np.int64).reshape(-1, 2).T.copy()
        term_at = np.cumsum([0, *map(len, self.terms)]).astype(np.int64)
        source, factor, *_ = self.table.T.copy()
        return block(Slopes(batch, kernel, seed, term_at, source, factor, to))


def _terms(builder: TangentBuilder, said: Callable[[Place], Sequence[Term]], moving: int) -> _Terms:
    """What the tangents of each instance go to; `moving` velocities have columns."""
    found, places = _Terms([], []), builder.values.places()
    for g, (group, kernel, width) in enumerate(
        zip(builder.values.groups, builder.kernels, builder.widths, strict=True)
    ):
        own = [next(places) for _ in group.members]
        table = np.array([said(place) for place in own], dtype=np.int64).reshape(len(own), -1, 3)
        starts = np.array([[place.out] for place in own])
        columns = np.array([place.columns for place in own]).reshape(len(own), width)
        depends = kernel.layout["depends"]
        for k in range(2 * width + 1):
            some = [i for i in range(table.shape[1]) if k in depends[table[0, i, 0]]]
            local = columns[:, [k % width]] if k < 2 * width else np.zeros((len(own), 1), dtype=np.int64)
            column = local + moving * (k // width if k < 2 * width else 2)
            kept = (local < moving) & (table[:, some, 2] >= 0)
            if kept.any():
                out, column = starts + table[:, some, 0], column + 0 * table[:, some, 0]
                found.calls.append((g, builder.seed(k)))
                found.terms.append(np.stack([out, table[:, some, 1], table[:, some, 2], column], axis=-1)[kept])
    return found


@dataclass(frozen=True, eq=False)
class DerivativeBuilder:
    """The index maps of `Derivatives`, laid out once for a structure; rows are those of F, C' and C'', of which the
    wanted have entries. `fill` needs the batches of values."""

    structure: Structure
    wanted: tuple[str, ...]

    @property
    def columns(self) -> int:
        return self.structure.coordinates.kernels.layout.nv

    @property
    def shape(self) -> tuple[int, int]:
        return self.columns + 2 * len(self.structure.rows), 2 * self.columns + 1

    @property
    def builders(self) -> tuple[TangentBuilder, TangentBuilder]:
        own = self.structure
        return tangents_in(own, own.program.batch), tangents_in(own, own.dynamics.batch)

    def fill(self, constraints: Batch, dynamics: Batch) -> Derivatives:
        builders, (terms, row, column, to) = self.builders, self._laid_out
        first, second = (
            own.slopes(builder.by_seeds(batch), part)
            for own, builder, batch, part in zip(terms, builders, (constraints, dynamics), to, strict=True)
        )
        sizes = {
            "entries": row.size,
            "directed": max(builder.directed for builder in builders),
            "factors": STATES + 2 * builders[0].size + len(self.structure.rows),
            "outputs": max(constraints.out_size, dynamics.out_size) + 1,
        }
        return block(Derivatives(first, second, row, column), **sizes)

    @cached_property
    def _laid_out(self) -> tuple[list[_Terms], np.ndarray, np.ndarray, list[np.ndarray]]:
        """The terms of both batches; then the row and column of each entry, and the entry of each term."""
        constraints, dynamics = self.builders
        both = [
            _terms(constraints, self._of_constraints, self.columns),
            _terms(dynamics, self._of_dynamics, self.columns),
        ]
        tables = [own.table for own in both]
        entry = np.concatenate([table[:, 2] * self.shape[1] + table[:, 3] for table in tables])
        entries, to = np.unique(entry, return_inverse=True)
        row, column = np.divmod(entries, self.shape[1])
        return both, row, column, np.split(to.astype(np.int64), [len(tables[0])])

    @cached_property
    def _first_row(self) -> dict[int, int]:
        """Of each element with equations, by its number in the batch."""
        places = sorted(self.structure.program.batch.places(), key=lambda place: place.member)
        ends = np.cumsum([0, *(place.layout["rows"] for place in places)])
        return {place.member: int(end) for place, end in zip(places, ends, strict=False)}

    def _of_constraints(self, place: Place) -> list[Term]:
        """Φ_vᵀ λ to F; Φ_v v - ν to C'; Φ_v a - γ to C''."""
        first, entries, size = self._first_row[place.member], place.layout["jacobian"], self._size
        phi, rows = place.layout["phi"], place.layout["rows"]
        terms: list[tuple[int, int, str, int]] = []
        for k, (row, column) in enumerate(entries, phi):
            at = place.columns[column]
            terms.append((k, STATES + 2 * size + first + row, FORCES, at))
            terms.append((k, STATES + at, RATES, first + row))
            terms.append((k, STATES + size + at, ACCELERATIONS, first + row))
        for k in range(rows):
            terms.append((phi + len(entries) + k, MINUS, RATES, first + k))
            terms.append((phi + len(entries) + rows + k, MINUS, ACCELERATIONS, first + k))
        return self._wanted(terms)

    def _of_dynamics(self, place: Place) -> list[Term]:
        """M a - Q to F."""
        masses, terms = place.layout.get("mass", ()), []
        for k, local in enumerate(masses):
            row, column = (place.columns[c] for c in local)
            terms.append((k, STATES + self._size + column, FORCES, row))
            if row != column:
                terms.append((k, STATES + self._size + row, FORCES, column))
        terms += [(k, MINUS, FORCES, place.columns[c]) for k, c in enumerate(place.layout["forces"], len(masses))]
        return self._wanted(terms)

    def _wanted(self, terms: Sequence[tuple[int, int, str, int]]) -> list[Term]:
        """With rows of the matrix in place of (which equations, which one of them)."""
        n, m = self.columns, len(self.structure.rows)
        first = {FORCES: 0, RATES: n, ACCELERATIONS: n + m}
        return [
            (k, factor, first[what] + row if what != FORCES or row < n else -1)
            for k, factor, what, row in terms
            if what in self.wanted
        ]

    @property
    def _size(self) -> int:
        return self.structure.coordinates.kernels.layout.v_size


def tangents_in(structure: Structure, batch: BatchBuilder) -> TangentBuilder:
    """Derived when first asked for."""
    return structure.kept((TangentBuilder, batch), lambda: TangentBuilder(batch))


def derivatives(system: System, *wanted: str) -> Derivatives:
    """Of these equations of a system, ready for `differentiate`."""
    builder = system.structure.once(DerivativeBuilder, wanted)
    return builder.fill(system.program.batch, system.dynamics.batch)


def derivative_matrix(
    system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray,
    wanted: tuple[str, ...] = (FORCES, RATES, ACCELERATIONS),
) -> sps.csr_matrix:  # fmt: skip
    """The matrix with the rows of F, C' and C'' and the columns (x | v | t), in the coordinates of kernels."""
    builder = system.structure.once(DerivativeBuilder, wanted)
    to = builder.fill(system.program.batch, system.dynamics.batch)
    differentiate(to, float(t), *(np.ascontiguousarray(x, dtype=float) for x in (q, v, a, multipliers)))
    return sps.csr_matrix((to.values.copy(), (to.row, to.column)), builder.shape)
