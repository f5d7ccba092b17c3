"""The rows of contacts, ready to be evaluated: gaps, and the slips of those that have friction. Compiled.

Of each contact point there is a row for its gap g, and one for each direction of slip s. As those of joints they say

    ġ = G v - ν,      g̈ = G v̇ - γ,

and what acts along a row acts on the bodies by Gᵀ f. G stands row by row over the columns of the system's own matrix.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..coordinates import KernelCoordinates
from ..coordinates.joint.joint import JointCoordinates
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Design, Integers, Matrix, Vector, Work, block, zeros
from ..linear.laws import Complementarity
from ..linear.vectors import dot
from ..model.contacts.base import Contact
from ..model.parameters import Evaluator
from .batch import VALUE, BatchBuilder, Instance, evaluate, instance_of
from .program import Program, ProgramBuilder, read_rows
from .transformation import NO_TERMS, RowTerms, Transformation, take_term
from .transformation_maps import row_terms

NOTED = 3
"""Items of a note before its impulses."""
LOG = 64
"""So many impacts are noted before a run hands them over."""


class Contacts(NamedTuple):
    """What the compiled core reads, and what stands in a run. A *point* is where two bodies may touch."""

    program: Program
    transformation: Transformation
    terms: RowTerms
    gap: Integers
    """The row of each point's gap; its first row of slip, and how many it has."""
    slip: Integers
    slips: Integers
    entry: Integers
    """Of each point its first entry among the switching functions of contacts: its gap, then its slip if it has one."""
    entries: int
    functions: Integers
    """The addresses of what a run does with contacts (`motion.contact`), compiled where there are some."""
    restitution: Design[Vector]
    friction: Design[Vector]
    static: Design[Vector]
    """Of each point; of friction that sticks."""
    out: Work[Vector] = zeros("outputs")
    phi: Work[Vector] = zeros("lines")
    nu: Work[Vector] = zeros("lines")
    gamma: Work[Vector] = zeros("lines")
    rate: Work[Vector] = zeros("lines")
    parts: Work[Vector] = zeros("lines")
    """Of the last evaluation; the rate is G v - ν, and what it is made of is of this size."""
    G: Work[Matrix] = zeros("lines", "columns")
    response: Work[Matrix] = zeros("lines", "columns")
    """The accelerations that a unit force along a row makes, and the multipliers with it."""
    answer: Work[Matrix] = zeros("lines", "rows")
    delassus: Work[Matrix] = zeros("lines", "lines")
    """G M̃⁻¹ Gᵀ: the accelerations along rows that unit forces along rows make."""
    used: Work[Integers] = zeros("lines")
    """The rows for which these are known, one after the other; and how many."""
    size: Work[Integers] = zeros(1)
    force: Work[Vector] = zeros("lines")
    """Along each row, at the last evaluation."""
    state: Work[Integers] = zeros("points")
    """OPEN, CLOSED (and slipping, if it has friction), or STICKING."""
    before: Work[Integers] = zeros("points")
    closed: Work[Integers] = zeros(1)
    """How many points are not open."""
    changed: Work[Integers] = zeros(1)
    """Whether states are others than before they were last chosen."""
    touching: Work[Integers] = zeros("points")
    slipping: Work[Integers] = zeros("points")
    """Which points touch, and which of these slip, while states are chosen."""
    meeting: Work[Integers] = zeros("points")
    """Which points meet in an impact."""
    began: Work[Integers] = zeros("points")
    """What a point has just begun to do, which is not asked again: PARTS, SLIPS, STOPS."""
    heading: Work[Vector] = zeros("lines")
    """Where a point that slips has set out to: a unit vector over its rows of slip."""
    rests: Work[Vector] = zeros(1)
    """When a motion that bounces has come to rest."""
    pace: Work[Vector] = zeros(2)
    """What rates are made of, at the last choice; and just before an impact."""
    status: Work[Integers] = zeros(1)
    f: Work[Vector] = zeros("columns")
    g: Work[Vector] = zeros("rows")
    unknown: Work[Integers] = zeros("lines")
    order: Work[Integers] = zeros("lines")
    matrix: Work[Matrix] = zeros("lines", "lines")
    right: Work[Vector] = zeros("lines")
    rest: Work[Vector] = zeros("lines")
    amount: Work[Vector] = zeros("lines")
    bounce: Work[Vector] = zeros("points")
    """The restitution of each point in an impact."""
    log: Work[Matrix] = zeros(LOG, "note")
    """Impacts: the time, the energy lost, when the motion has come to rest (0 if it has not), impulses along rows, and
    the state before."""
    logged: Work[Integers] = zeros(1)
    problem: Complementarity = Complementarity()
    part: Complementarity = Complementarity()
    """A group of its laws that feels no others; and how groups are told."""
    queue: Work[Integers] = zeros("laws")
    begins: Work[Integers] = zeros("laws_and_one")
    seen: Work[Integers] = zeros("laws")
    place: Work[Integers] = zeros("unknowns")
    left: Work[Vector] = zeros(1)
    """The largest residual of a problem that was solved nearly."""


OPEN, CLOSED, STICKING = range(3)
PARTS, SLIPS, STOPS = 1, 2, 3


@compiled_apart
def observe_contacts(contacts: Contacts, t: float, q: Vector, v: Vector):
    """Gaps, the rates of gaps and slips, and γ at (t, q, v), which are those of bodies."""
    program, out = contacts.program, contacts.out
    evaluate(program.batch, VALUE, t, q, v, out)
    read_rows(program, out, contacts.phi, contacts.nu, contacts.gamma)
    for row in range(program.rows):
        contacts.rate[row], contacts.parts[row] = -contacts.nu[row], abs(contacts.nu[row])
    for k in range(program.jac_to.size):
        e = program.jac_to[k]
        part = out[program.jac_from[k]] * v[program.jac_column[e]]
        contacts.rate[program.jac_row[e]] += part
        contacts.parts[program.jac_row[e]] += abs(part)


@compiled_apart
def put_rows(contacts: Contacts):
    """G from the last evaluation, and γ where bodies follow from joints."""
    program, out, G, tr = contacts.program, contacts.out, contacts.G, contacts.transformation
    G[:] = 0.0
    if tr.edges > 0 and tr.deep == 0:
        terms, f = contacts.terms, tr.part[0]
        for k in range(terms.row.size):
            take_term(tr, terms, k, out, contacts.gamma)
            for i in range(tr.path_at[terms.edge[k]], tr.path_at[terms.edge[k] + 1]):
                G[terms.row[k], tr.path[i]] += dot(tr.twist[i], f)
        return
    for k in range(program.jac_to.size):
        e = program.jac_to[k]
        G[program.jac_row[e], program.jac_column[e]] += out[program.jac_from[k]]


class ContactsBuilder:
    """The index maps, laid out once; `fill` puts numbers in."""

    def __init__(
        self, contacts: Sequence[Contact], batch: Callable[[Sequence[Instance]], BatchBuilder],
        coordinates: KernelCoordinates, transformed: JointCoordinates | None,
    ):  # fmt: skip
        self.contacts = tuple(contacts)
        instances = [instance_of(*c.form(), c.markers, c.who, coordinates) for c in contacts]
        self.program = ProgramBuilder(batch(instances), coordinates.layout.nv)
        self.terms = row_terms(transformed, self.program.layout) if transformed else NO_TERMS
        self.points: list[tuple[Contact, int]] = [(c, k) for c in contacts for k in range(c.points)]
        """Whose each point is, and which one of it."""
        rows, first = [], 0
        self.rows_of: dict[str, np.ndarray] = {}
        for c in contacts:
            self.rows_of[c.name] = np.arange(first, first + c.points * (1 + c.slips))
            rows += [(first + k, first + c.points + c.slips * k, c.slips) for k in range(c.points)]
            first += c.points * (1 + c.slips)
        self.gap, self.slip, self.slips = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
        self.rows = first
        sizes = 1 + (self.slips > 0)
        self.entry, self.entries = np.cumsum([0, *sizes[:-1]])[: len(rows)].astype(np.int64), int(sizes.sum())

    def fill(
        self, number: Evaluator, transformation: Transformation, functions: np.ndarray, columns: int, rows: int,
        state: int,
    ) -> Contacts:  # fmt: skip
        """`columns` and `rows` are those of the system's matrix; `state` is how many numbers q and v are."""
        program = self.program.fill(number)
        numbers = np.array([[number(n) for n in c.laws] for c, _ in self.points]).reshape(-1, 3).T.copy()
        index = self.gap, self.slip, self.slips, self.entry, self.entries
        contacts, points = Contacts(program, transformation, self.terms, *index, functions, *numbers), len(self.points)
        sizes = {"lines": self.rows, "points": points, "columns": columns, "rows": rows}
        sizes |= {"unknowns": self.rows, "laws": 2 * points, "laws_and_one": 2 * points + 1, "bounds": points}
        return block(contacts, outputs=program.batch.out_size + 1, note=NOTED + self.rows + state, **sizes)
