"""Exact derivatives of the equations of a system.

`Derivatives` adds up the slopes of all kernels (`slopes`) in a sparse matrix, by (x | v | t | numbers | z), of

    Φ,      C' = Φ_v v - ν,      C'' = Φ_v a - γ,      F = M a + Φ_vᵀ λ - Q,      M a + Φ_vᵀ λ,      Φ_vᵀ λ

and of -ẇ, the rates of works with their signs turned (`motion.derivative.put_powers`). The factors a, λ and v written
here are held constant: the derivatives by them are M, Φ_vᵀ and Φ_v, and the derivative of -ẇ by λ is ν. x is a small
motion, given like a velocity. `numbers` are the numbers in the slots of all kernels, of constraints and then of forces;
sympy gives their derivatives by parameters of the model (`BatchBuilder.slopes`). z are the signals, if equations of
signals are wanted.

An implicit method needs K = ∂F/∂x and D = ∂F/∂v at (q, v, a, λ) for Newton's matrix

    [M + c₁ h D + c₂ h² K    Φ_vᵀ]
    [Φ_v                     0   ]

with the method's numbers c₁ = ∂v/(h ∂a), c₂ = ∂x/(h² ∂a). Call `derivatives(system, FORCES)` once, hold its prototype
in an `Image` (parameters are shared with the batches of values), call `differentiate` in compiled code; the entries are
`row`, `column`, `values`: columns below n are K, columns from n to 2n are D and column 2n is ∂F/∂t.

All derivatives are in the coordinates of kernels. Joint coordinates have no kernels but a transformation u = R(x) ẋ:
there F_x = Rᵀ F, with the derivative Rᵀ K R + Rᵀ D ∂u/∂x + (∂R/∂x)ᵀ F. The last term, from the change of R, is small
where the bodies by themselves are nearly in equilibrium, and 0 where they are in equilibrium.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ..kernels.abi import compiled_apart
from ..kernels.blocks import INDEX, Indices, Integers, Vector, Work, block, nothing, zeros
from ..linear.vectors import copy
from ..symbolic.loads import SUPPLIED, WORKS
from ..symbolic.slopes import Selection
from .batch import VALUE, Batch, BatchBuilder, Place, evaluate
from .dynamics import DynamicsBuilder
from .program import ProgramBuilder
from .slopes import SlopesBuilder, entries_of, slopes_in, ways_of
from .structure import Structure
from .system import System

POSITIONS, RATES, ACCELERATIONS, FORCES, POWERS = "positions", "rates", "accelerations", "forces", "powers"
"""Φ, C', C'', F and -ẇ."""
SURFACES = "surfaces"
"""The switching functions (sign or integer part) of the branches of laws: of constraints, of forces, and with the
equations of contacts of the readings that bound friction, and of gaps and slips."""
MOMENTA, PUSHES = "momenta", "pushes"
"""F without Q, and F without Q and M a: their zeros are minimal velocities and nearest poses."""
GAPS, SLIPS, BENDS, SIZES = TOUCHING = "gaps", "slips", "bends", "sizes"
"""The equations of contacts: gaps, rates G v - ν of gaps and slips, their accelerations G v̇ - γ, and the readings that
bound friction (`contacts.normals.readings`). With these equations, F and the momenta include -Gᵀ f of contacts, too."""
STATE_RATES, INPUTS, REACTIONS = OF_SIGNALS = "state rates", "inputs", "reactions"
"""ż of each signal that is a state, the laws of inputs, and each signal that is a reaction, Σ c λ with λ held. With
these equations the matrix has columns for signals z."""
EQUATIONS = (RATES, ACCELERATIONS, FORCES)
ALONG = (FORCES, MOMENTA, PUSHES)
"""Equations with one row for each velocity; all others have one row for each constraint or row of contacts."""
ONE, MINUS, STATES = range(3)
"""The places of the factors: 1, -1, then v, a and λ."""


class Terms(NamedTuple):
    """Sums of slopes: values[to] += factors[factor] * out[source]."""

    batch: Batch
    source: Indices
    factor: Indices
    to: Indices


class Derivatives(NamedTuple):
    """A sparse matrix of derivatives, and work space for it."""

    constraints: Terms
    dynamics: Terms
    contacts: Terms
    bounds: Terms
    inputs: Terms
    late: Terms
    """The rates of states that read reactions."""
    reactions: Terms
    row: Integers
    column: Integers
    """The row and the column of each entry."""
    values: Work[Vector] = zeros("entries")
    factors: Work[Vector] = zeros("factors")
    out: Work[Vector] = zeros("outputs")


@compiled_apart
def differentiate(to: Derivatives, t: float, q: Vector, v: Vector, a: Vector, multipliers: Vector) -> None:
    """Evaluate the entries of the matrix at a state, its accelerations (both with those of the ground) and
    multipliers."""
    size = v.size
    to.factors[ONE] = 1.0
    to.factors[MINUS] = -1.0
    copy(v, to.factors[STATES : STATES + size])
    copy(a, to.factors[STATES + size : STATES + 2 * size])
    copy(multipliers, to.factors[STATES + 2 * size :])
    to.values[:] = 0.0
    add_terms(to.constraints, t, q, v, to.factors, to.out, to.values)
    add_terms(to.dynamics, t, q, v, to.factors, to.out, to.values)
    for terms in (to.inputs, to.late, to.reactions):
        if terms.source.size > 0:
            add_terms(terms, t, q, v, to.factors, to.out, to.values)


@compiled_apart
def differentiate_contacts(to: Derivatives, t: float, q: Vector, v: Vector, forces: Vector) -> None:
    """Add the entries of contacts to those of `differentiate` at the same state, with these forces along their rows."""
    first = to.factors.size - forces.size
    for row in range(forces.size):
        to.factors[first + row] = -forces[row]
    add_terms(to.contacts, t, q, v, to.factors, to.out, to.values)
    add_terms(to.bounds, t, q, v, to.factors, to.out, to.values)


@compiled_apart
def add_terms(terms: Terms, t: float, q: Vector, v: Vector, factors: Vector, out: Vector, values: Vector) -> None:
    evaluate(terms.batch, VALUE, t, q, v, out)
    for k in range(terms.source.size):
        values[terms.to[k]] += factors[terms.factor[k]] * out[terms.source[k]]


# --- index maps
# --------------------------------------------------------------------------------------------------------

Term = tuple[int, int, int]
"""(output of an instance, its factor, the row to which it is added; -1 for an output without a row)."""


def _chosen(values: BatchBuilder, said: Callable[[Place], Sequence[Term]], column: np.ndarray) -> list[Selection]:
    """Return, for each group of instances, the outputs that have rows and the directions that have columns."""
    found = []
    for members in ways_of(values):
        outputs = {output for place, _ in members for output, _, row in said(place) if row >= 0}
        directions = {k for _, ways in members for k, way in enumerate(ways) if column[way] >= 0}
        found.append(Selection(tuple(sorted(outputs)), tuple(sorted(directions))))
    return found


def _table(builder: SlopesBuilder, said: Callable[[Place], Sequence[Term]], column: np.ndarray) -> np.ndarray:
    """Return the terms of the slopes, a row (source, factor, row, column) for each slope whose direction has a `column`
    (-1: none)."""
    found = [np.zeros((0, 4), dtype=np.int64)]
    for place, entries in entries_of(builder):
        to: dict[int, list[tuple[int, int]]] = {}
        for output, factor, row in said(place):
            if row >= 0:
                to.setdefault(place.out + output, []).append((factor, row))
        terms = [
            (e.source, factor, row, column[e.by])
            for e in entries if column[e.by] >= 0
            for factor, row in to.get(e.output, ())
        ]  # fmt: skip
        found.append(np.array(terms, dtype=np.int64).reshape(-1, 4))
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class DerivativeBuilder:
    """Lay out the index maps of `Derivatives` once, for the rows and forces of a structure in its coordinates. The rows
    of the matrix are the wanted equations, one kind after the other. `fill` needs the batches of values."""

    structure: Structure
    program: ProgramBuilder
    dynamics: DynamicsBuilder
    wanted: tuple[str, ...]
    by_numbers: bool = False
    """Whether the matrix has columns for the numbers in slots."""
    changing: bytes | None = None
    """One byte for each number: whether its column is filled. Kernels then omit what has no place in the matrix. Bytes
    behind those of all numbers belong to the places of what stands still, which count as numbers then."""
    by_time: bool = True
    """Whether the column of time is filled."""

    @property
    def columns(self) -> int:
        return self.structure.coordinates.kernels.layout.nv

    @property
    def rows(self) -> int:
        return self.program.layout["rows"]

    @cached_property
    def first(self) -> dict[str, int]:
        """The first row of each kind of wanted equations."""
        return dict(zip(self.wanted, np.cumsum([0, *self.sizes]).tolist(), strict=False))

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each kind of wanted equations."""
        contacts = self.structure.contacts
        own = {what: self.columns for what in ALONG} | {POWERS: len(WORKS)}
        own[SURFACES] = sum(len(batch.switching) for batch in self._deciding)
        own |= dict.fromkeys(TOUCHING, contacts.rows) | {SIZES: contacts.bounds.out_size}
        own |= {STATE_RATES: self.signals, INPUTS: len(self.structure.model.inputs), REACTIONS: self.signals}
        return [own.get(what, self.rows) for what in self.wanted]

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.sizes), self.first_signal + self.signals

    @property
    def first_signal(self) -> int:
        """The column of the first signal."""
        return 2 * self.columns + 1 + sum(self.numbers) + self.still

    @property
    def still(self) -> int:
        """The number of places of what stands still that have columns, behind those of numbers."""
        return max(len(self.changing or b"") - sum(self.numbers), 0)

    @property
    def signals(self) -> int:
        """The number of signals that have columns."""
        return len(self.structure.layout.signals) if STATE_RATES in self.wanted else 0

    @property
    def has_inputs(self) -> bool:
        return INPUTS in self.wanted

    @property
    def has_reactions(self) -> bool:
        """Whether states have rates that read reactions."""
        return REACTIONS in self.wanted and self.structure.signals.reactions.target.size > 0

    @property
    def has_contacts(self) -> bool:
        return any(what in TOUCHING for what in self.wanted)

    @cached_property
    def parts(self) -> Sequence[tuple[BatchBuilder, Callable[[Place], Sequence[Term]]]]:
        """The batches of constraints, forces, contacts, bounds of friction, inputs, late rates and reactions, each with
        the function that returns the terms of an instance."""
        found = [(self.program.batch, self._of_constraints), (self.dynamics.batch, self._of_dynamics)]
        contacts, signals = self.structure.contacts, self.structure.signals
        more = [(contacts.program.batch, self._of_contacts), (contacts.bounds, self._of_bounds)]
        inputs = [(signals.inputs.batch, self._of_inputs)]
        loads = [(signals.late.batch, self._of_late), (signals.reactions.batch, self._of_reactions)]
        return found + more * self.has_contacts + inputs * self.has_inputs + loads * self.has_reactions

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of numbers of each part that have columns."""
        return tuple(batch.room if self.by_numbers else 0 for batch, _ in self.parts)

    @cached_property
    def builders(self) -> tuple[SlopesBuilder, ...]:
        """The builders of the slopes of each part."""
        if self.changing is None:
            return tuple(slopes_in(self.structure, batch, self.by_numbers) for batch, _ in self.parts)
        own = zip(self.parts, self._columns, strict=True)
        return tuple(SlopesBuilder(batch, True, _chosen(batch, said, column)) for (batch, said), column in own)

    @property
    def _columns(self) -> list[np.ndarray]:
        """For each part, the column of each direction (x | v | t | numbers | z), the ground's included; -1 if it has
        none."""
        size, moving, first, found = self.v_size, self.columns, 0, []
        changing = np.full(sum(self.numbers) + self.still, self.changing is None)
        if self.changing is not None:
            known = np.frombuffer(self.changing, dtype=bool)
            changing[: known.size] = known
        for (batch, _), room in zip(self.parts, self.numbers, strict=True):
            column = np.full(2 * size + 1 + batch.room + len(self.structure.layout.signals), -1)
            column[2 * size + 1 + batch.room :][: self.signals] = self.first_signal + np.arange(self.signals)
            column[:moving], column[size : size + moving] = np.arange(2 * moving).reshape(2, -1)
            column[2 * size] = 2 * moving if self.by_time else -1
            behind = sum(self.numbers) + np.arange(self.still)
            column[moving : moving + self.still] = np.where(changing[behind], 2 * moving + 1 + behind, -1)
            own, at = changing[first : first + room], 2 * moving + 1 + first + np.arange(room)
            column[2 * size + 1 :][:room] = np.where(own, at, -1)
            first += room
            found.append(column)
        return found

    def fill(self, *values: Batch) -> Derivatives:
        """Return the record of derivatives; `values` are the batches of the parts."""
        tables, row, column, to = self._laid_out
        own: Any = [
            block(Terms(builder.fill(batch), *(x.astype(INDEX) for x in (table[:, 0], table[:, 1], part))))
            for table, builder, batch, part in zip(tables, self.builders, values, to, strict=True)
        ]
        present = 2 * [True] + 2 * [self.has_contacts] + [self.has_inputs] + 2 * [self.has_reactions]
        every: Any = [own.pop(0) if there else nothing(Terms) for there in present]
        constraints, dynamics, contacts, bounds, inputs, late, reactions = every
        sizes = {
            "entries": row.size,
            "factors": STATES + 2 * self.v_size + self.rows + self.structure.contacts.rows * self.has_contacts,
            "outputs": max(builder.out_size for builder in self.builders) + 1,
        }
        terms = constraints, dynamics, contacts, bounds, inputs, late, reactions
        return block(Derivatives(*terms, row, column), **sizes)

    @cached_property
    def _laid_out(self) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, list[np.ndarray]]:
        """The terms of each part; then the row and the column of each entry, and the entry of each term."""
        own = zip(self.builders, self.parts, self._columns, strict=True)
        tables = [_table(builder, said, column) for builder, (_, said), column in own]
        width = self.shape[1]
        entry = np.concatenate([table[:, 2] * width + table[:, 3] for table in tables])
        entries, to = np.unique(entry, return_inverse=True)
        row, column = np.divmod(entries, width)
        return tables, row, column, np.split(to.astype(np.int64), np.cumsum([len(table) for table in tables[:-1]]))

    @cached_property
    def _first_row(self) -> dict[int, int]:
        """The first row of each element with equations, by its number in the batch."""
        return _first_rows(self.program)

    @cached_property
    def _first_contact(self) -> dict[int, int]:
        """The first row of each element with contacts or friction."""
        return _first_rows(self.structure.contacts.program)

    @property
    def _deciding(self) -> list[BatchBuilder]:
        """The batches whose laws have branches, in the order of the switching functions of a run."""
        contacts = self.structure.contacts
        return [self.program.batch, self.dynamics.batch] + [contacts.bounds, contacts.program.batch] * self.has_contacts

    @cached_property
    def _first_surface(self) -> dict[tuple[int, int], int]:
        """The first row among `SURFACES` of each instance, by the number of its batch and its first output."""
        found, count = dict[tuple[int, int], int](), 0
        for number, batch in enumerate(self._deciding):
            for place in batch.places():
                found[number, place.out], count = count, count + len(place.layout["modes"])
        return found

    def _surfaces(self, place: Place, number: int) -> list[tuple[int, int, str, int]]:
        """Return the terms of switching functions of an instance in the batch with this number; their outputs stand
        before their partial derivatives at the end."""
        if SURFACES not in self.wanted:
            return []
        modes, first = len(place.layout["modes"]), self._first_surface[number, place.out]
        at = place.layout["outputs"] - modes - len(place.layout["slopes"]) if modes else 0
        return [(at + k, ONE, SURFACES, first + k) for k in range(modes)]

    def _of_constraints(self, place: Place) -> list[Term]:
        """Return the terms of an instance: Φ to Φ; Φ_vᵀ λ to F; Φ_v v - ν to C'; Φ_v a - γ to C''."""
        first, entries, size = self._first_row[place.member], place.layout["jacobian"], self.v_size
        phi, rows = place.layout["phi"], place.layout["rows"]
        terms: list[tuple[int, int, str, int]] = [(k, ONE, POSITIONS, first + k) for k in range(phi)]
        for k, (row, column) in enumerate(entries, phi):
            at = place.columns[column]
            terms += [(k, STATES + 2 * size + first + row, what, at) for what in ALONG]
            terms.append((k, STATES + at, RATES, first + row))
            terms.append((k, STATES + size + at, ACCELERATIONS, first + row))
        for k in range(rows):
            terms.append((phi + len(entries) + k, MINUS, RATES, first + k))
            terms.append((phi + len(entries) + k, STATES + 2 * size + first + k, POWERS, SUPPLIED))
            terms.append((phi + len(entries) + rows + k, MINUS, ACCELERATIONS, first + k))
        return self._wanted(terms + self._surfaces(place, 0))

    def _of_dynamics(self, place: Place) -> list[Term]:
        """Return the terms of an instance: M a - Q to F; M a to momenta; powers to -ẇ; rates of states to ż."""
        masses, terms = place.layout.get("mass", ()), []
        powers = len(masses) + len(place.layout.get("forces", ())) + (2 if masses else 1)  # behind the energies
        for k, work in enumerate(place.layout.get("powers", ()), powers):
            row = WORKS.index(work)
            terms.append((k, MINUS if row == SUPPLIED else ONE, POWERS, row))
        for k, local in enumerate(masses):
            row, column = (place.columns[c] for c in local)
            terms += [(k, STATES + self.v_size + column, what, row) for what in (FORCES, MOMENTA)]
            if row != column:
                terms += [(k, STATES + self.v_size + row, what, column) for what in (FORCES, MOMENTA)]
        terms += [
            (k, MINUS, FORCES, place.columns[c]) for k, c in enumerate(place.layout.get("forces", ()), len(masses))
        ]
        if place.member in self.dynamics.states:
            first = self.structure.layout.q_size - len(self.structure.layout.signals)
            terms.append((0, ONE, STATE_RATES, self.dynamics.states[place.member] - first))
        return self._wanted(terms + self._surfaces(place, 1))

    def _of_inputs(self, place: Place) -> list[Term]:
        """Return the terms of an input, with rows in the order in which a run evaluates inputs (`Signals.inputs`)."""
        row = self.structure.signals.inputs.source.tolist().index(place.out)
        return self._wanted([(0, ONE, INPUTS, row)])

    def _of_late(self, place: Place) -> list[Term]:
        """Return the terms of a rate that reads reactions: ż."""
        late = self.structure.signals.late
        return self._wanted([(0, ONE, STATE_RATES, self._signal(late.target[late.source.tolist().index(place.out)]))])

    def _of_reactions(self, place: Place) -> list[Term]:
        """Return the terms of the wrenches of a joint: coefficients times λ, to the signals that are reactions."""
        read, first = self.structure.signals.reactions, STATES + 2 * self.v_size
        terms = zip((read.source - 1 - place.out).tolist(), read.row.tolist(), read.target.tolist(), strict=True)
        own = [(k, first + row, REACTIONS, self._signal(to)) for k, row, to in terms]
        return self._wanted([one for one in own if 0 <= one[0] < place.layout["outputs"]])

    def _signal(self, place: int) -> int:
        """Return the number of the signal at a place of q."""
        return int(place) - self.structure.layout.q_size + len(self.structure.layout.signals)

    def _of_contacts(self, place: Place) -> list[Term]:
        """Return the terms of an instance: g to gaps; -Gᵀ f to F and to momenta; G v - ν to slips; G v̇ - γ to bends;
        -f ν to -ẇ."""
        first, entries, size = self._first_contact[place.member], place.layout["jacobian"], self.v_size
        phi, rows, force = place.layout["phi"], place.layout["rows"], STATES + 2 * size + self.rows + first
        terms: list[tuple[int, int, str, int]] = [(k, ONE, GAPS, first + k) for k in range(phi)]
        for k, (row, column) in enumerate(entries, phi):
            at = place.columns[column]
            terms += [(k, force + row, what, at) for what in (FORCES, MOMENTA)]
            terms.append((k, STATES + at, SLIPS, first + row))
            terms.append((k, STATES + size + at, BENDS, first + row))
        for k in range(rows):
            terms.append((phi + len(entries) + k, MINUS, SLIPS, first + k))
            terms.append((phi + len(entries) + k, force + k, POWERS, SUPPLIED))
            terms.append((phi + len(entries) + rows + k, MINUS, BENDS, first + k))
        return self._wanted(terms + self._surfaces(place, 3))

    def _of_bounds(self, place: Place) -> list[Term]:
        sizes = [(k, ONE, SIZES, place.out + k) for k in range(place.layout["values"])]
        return self._wanted(sizes + self._surfaces(place, 2))

    def _wanted(self, terms: Sequence[tuple[int, int, str, int]]) -> list[Term]:
        """Keep the terms of wanted equations, with rows of the matrix in place of (kind of equation, number)."""
        n = self.columns
        return [
            (k, factor, self.first[what] + row if what not in ALONG or row < n else -1)
            for k, factor, what, row in terms
            if what in self.wanted
        ]

    @property
    def v_size(self) -> int:
        """The number of velocities, those of the ground included."""
        return self.structure.coordinates.kernels.layout.v_size


def _first_rows(program: ProgramBuilder) -> dict[int, int]:
    """Return the first row of each element of a program, by its number in the batch."""
    places = sorted(program.batch.places(), key=lambda place: place.member)
    ends = np.cumsum([0, *(place.layout["rows"] for place in places)])
    return {place.member: int(end) for place, end in zip(places, ends, strict=False)}


def derivatives(system: System, *wanted: str) -> Derivatives:
    """Return the record of the wanted derivatives of a system, ready for `differentiate`."""
    return filled(builder_of(system.structure, wanted), system)


def filled(builder: DerivativeBuilder, system: System) -> Derivatives:
    """Return the record of derivatives with the numbers of a system."""
    dynamics = system.dynamics if {FORCES, MOMENTA} & {*builder.wanted} else builder.dynamics.fill(system.evaluator)
    return builder.fill(system.program.batch, dynamics.batch)


def builder_of(structure: Structure, wanted: tuple[str, ...], by_numbers: bool = False) -> DerivativeBuilder:
    return structure.once(_builder, wanted, by_numbers)


def lean_builder(
    structure: Structure, wanted: tuple[str, ...], numbers: np.ndarray, by_time: bool = False
) -> DerivativeBuilder:
    """Return a builder with entries by x, v, the numbers that depend on parameters (numbers: (parameters, slots)), and
    optionally time."""
    return structure.latest(_builder, wanted, True, (numbers != 0.0).any(axis=0).tobytes(), by_time)


def _builder(
    structure: Structure, wanted: tuple[str, ...], by_numbers: bool, changing: bytes | None = None, by_time: bool = True
) -> DerivativeBuilder:
    dynamics = structure.dynamics if {FORCES, MOMENTA} & {*wanted} else without_forces(structure)
    return DerivativeBuilder(structure, structure.program, dynamics, wanted, by_numbers, changing, by_time)


def without_forces(structure: Structure) -> DynamicsBuilder:
    """Return the builder of dynamics without forces and masses."""
    return DynamicsBuilder(structure.batch([]), structure.coordinates.kernels.layout.nv)


def derivative_matrix(
    system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray,
    read: ProgramBuilder | None = None,
) -> sps.csr_matrix:  # fmt: skip
    """Return the matrix with the rows of F, C' and C'' and the columns (x | v | t), in the coordinates of kernels. With
    `read`, C' and C'' are the rates and accelerations of measures instead of the constraints', and F is meaningless."""
    own, wanted = system.structure, (FORCES, RATES, ACCELERATIONS)
    if read is None:
        builder, batches = builder_of(own, wanted), (system.program.batch, system.dynamics.batch)
    else:
        nothing = without_forces(own)
        builder = DerivativeBuilder(own, read, nothing, wanted)
        batches = read.fill(system.evaluator).batch, nothing.fill(system.evaluator).batch
    to = builder.fill(*batches)
    differentiate(to, float(t), *(np.ascontiguousarray(x, dtype=float) for x in (q, v, a, multipliers)))
    return sps.csr_matrix((to.values.copy(), (to.row, to.column)), builder.shape)
