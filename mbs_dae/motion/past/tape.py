"""The steps of a run, with all data to make each of them again, bit for bit. Compiled.

A step follows from its beginning, its length, and the choices of evaluations: gains, rows that are enforced, branches
that are held, the nearness of a singular pose. An entry is a row of numbers,

    HEAD        t, end, span of the course, whether stages were closed, α and β, how the step began (`FRESH`), whether
                laws switch at its end, how often they have switched where it begins, the α and β of its first
                derivative, if it has one of its own, and the length of the step before it, of which an implicit method
                remembers derivatives (0: of none)
    then        y₀, k₀ = y'(t₀), the nearness of a singular pose, the rows of joints kept, of an implicit step the
                derivatives at its stages, and their charts or the b₀ of generalised α, which slips in space keep their
                direction, which rows of contacts joints alone keep, which functions have passed zero where it begins,
                the branches held

Most runs have no tape: then it has no room, nothing is written, and steps cost no more. A full tape sends the run back
to Python, which takes the entries away.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.vectors import copy
from ..implicit.iteration import LAST

T0, T1, SPAN_OF, CLOSED, ALPHA, BETA, FRESH, SWITCHES, TIMES, ALPHA_0, BETA_0, PREVIOUS, HEAD = range(13)
"""The places in the head of an entry, and their number."""
WENT_ON, BEGAN, BROKE, SWITCHED, RESTARTED, SAMPLED = range(6)
"""How a step begins: where the last one ended, with the same derivative; at the beginning of the run; where laws switch
in time; where they switch with the motion, or bodies meet; from another state; after controllers have sampled. All but
the first have a derivative of their own, and all after `BROKE` may have another state."""
ROOM = 128
"""The number of steps of a taped run between two returns to Python."""


PLENTY = 2**20
"""The number of numbers, 8 MB, that are kept of any run."""


class Tape(NamedTuple):
    rows: Work[Matrix] = zeros("room", "entry")
    """The entries."""
    filled: Work[Integers] = zeros(1)
    """The number of entries."""
    fresh: Work[Integers] = zeros(1)
    """How the next step begins: the largest of the numbers above."""
    often: Work[Integers] = zeros(1)
    """The number of switches where the next step begins."""
    passed: Work[Vector] = zeros("switches")
    """1 for each switching function that has passed zero there."""
    gains: Work[Vector] = zeros(2)
    """The gains of the first derivative of the next step."""


def entry_size(width: int, rows: int, points: int, lines: int, switches: int, inner: int = 0) -> int:
    """Return the size of an entry for states of this width, so many equations, contacts, rows of contacts, branches,
    and implicit stages."""
    return HEAD + 2 * width + 4 + rows + points + lines + 2 * inner * width + 2 * switches


@compiled
def is_full(tape: Tape) -> bool:
    return tape.rows.shape[0] > 0 and tape.filled[0] == tape.rows.shape[0]


@compiled
def begins_as(march: Any, how: int) -> None:
    """Note how the next step begins; of several changes at one instant the largest number counts."""
    tape, wanted = march.tape, march.search.guards.passes_zero
    if tape.rows.shape[0] == 0:
        return
    tape.fresh[0] = max(tape.fresh[0], how)
    copy(march.mechanism.gains, tape.gains)
    if how == SWITCHED:
        tape.often[0] += 1
        for k in range(tape.passed.size):
            tape.passed[k] = max(tape.passed[k], wanted[k])


@compiled
def note_step(march: Any, t: float, end: float, switches: bool) -> None:
    """Note the step that was just accepted, and whether laws switch at its end. Its beginning still stands in `stages`,
    and the choices of the mechanism at its beginning stand in the record (`remember`)."""
    tape = march.tape
    if tape.rows.shape[0] == 0:
        return
    row, stages, record = tape.rows[tape.filled[0]], march.stages, march.record
    row[T0], row[T1], row[SPAN_OF], row[CLOSED] = t, end, march.course.at[0], stages.closed[0]
    row[ALPHA], row[BETA], row[FRESH] = march.mechanism.gains[0], march.mechanism.gains[1], tape.fresh[0]
    row[SWITCHES], row[TIMES] = 1.0 if switches else 0.0, tape.often[0]
    row[ALPHA_0], row[BETA_0], row[PREVIOUS] = tape.gains[0], tape.gains[1], stages.implicit.told[LAST]
    width = stages.y0.size
    copy(stages.y0, row[HEAD:])
    copy(stages.k[0], row[HEAD + width :])
    copy(record.nearness, row[HEAD + 2 * width :])
    copy(record.kept, row[HEAD + 2 * width + 4 :])
    put_branches(march, row)
    if stages.implicit.stage.shape[1] > 0:
        implicit, at, inner = stages.implicit, stages_at(march), stages.tableau.stages
        for s in range(inner):
            copy(implicit.stage[s], row[at + s * width :])
            copy(implicit.chart[s] if inner > 1 else implicit.before[s], row[at + (inner + s) * width :])
    tape.filled[0] += 1
    tape.fresh[0], tape.often[0] = WENT_ON, 0
    tape.passed[:] = 0.0


@compiled
def put_branches(march: Any, row: Vector) -> None:
    """Note which slips in space keep their direction, which rows of contacts joints alone keep, which functions have
    passed zero, and the branches that are held, at the end of an entry."""
    kept, modes = march.mechanism.contacts.constrained.state, march.mechanism.switches.mode
    begin, straight = row.size - 2 * modes.size - kept.size, march.mechanism.contacts.sliding.holds_direction
    for c in range(straight.size):
        row[begin - straight.size + c] = straight[c]
    for k in range(kept.size):
        row[begin + k] = kept[k]
    copy(march.tape.passed, row[row.size - 2 * modes.size :])
    copy(modes, row[row.size - modes.size :])


@compiled
def stages_at(march: Any) -> int:
    """Return the place in an entry at which the stages of an implicit step stand."""
    return HEAD + 2 * march.stages.y0.size + 4 + march.record.kept.size


def directions_at(march: Any) -> tuple[int, int]:
    """Return where the numbers in an entry begin and end that tell which slips in space keep their direction."""
    contacts = march.mechanism.contacts
    end = march.tape.rows.shape[1] - 2 * march.mechanism.switches.mode.size - contacts.constrained.state.size
    return end - contacts.sliding.holds_direction.size, end


def entry_now(march: Any) -> np.ndarray:
    """Return the present state of a run, as the entry of a step of no length."""
    t, stages, mechanism = march.time[0], march.stages, march.mechanism
    tape = march.tape
    begun = tape.gains if tape.fresh[0] != WENT_ON else mechanism.gains
    head = np.array([t, t, march.course.at[0], 0.0, *mechanism.gains, tape.fresh[0], 0.0, tape.often[0], *begun, 0.0])
    kept = mechanism.machine.factor.kept
    parts = [head, stages.y0, stages.k[0], mechanism.nearness, kept]
    contacts = mechanism.contacts
    behind = [contacts.sliding.holds_direction, contacts.constrained.state, tape.passed, mechanism.switches.mode]
    inner = np.zeros(tape.rows.shape[1] - sum(part.size for part in parts + behind))
    return np.concatenate([*parts, inner, *behind])


@dataclass(eq=False)
class Steps:
    """The steps of a run, taken off its tape: the heads of all, and the states of some, from which those between follow
    by making the steps again.

    As long as there is room (`PLENTY` numbers) all are kept. Then every m-th one, where m grows such that there are no
    more than 2 m of them: these and those of one stretch between two are some 3 √(N/2) states, of N steps. States are
    always kept where branches of laws change, and behind breaks that move.
    """

    branches: int = 0
    """The number of numbers at the end of an entry that hold the branches of laws and the states of contacts."""
    laws: int = 0
    """How many of these numbers hold the branches of laws; they stand first."""
    directions: tuple[int, int] = (0, 0)
    """Where the numbers in an entry begin and end that tell which slips in space keep their direction."""
    moving: frozenset[int] = frozenset()
    """The spans whose ends move with a parameter of the derivatives."""
    heads: list[np.ndarray] = field(default_factory=list)
    states: dict[int, np.ndarray] = field(default_factory=dict)
    """Whole entries, by the number of the step."""
    held: dict[int, np.ndarray] = field(default_factory=dict)
    """The branches of laws, by the number of the first step in which they are held."""
    slides: bool = False
    """Whether a law has held the motion on its surface. Nothing is kept from then on: such a run is made again."""
    begins_at: tuple[int, ...] = ()
    """The numbers of the switching functions of laws that pass zero where the run begins, if y' jumps there."""
    begins_on_switch: bool = False
    """Whether switching functions of laws pass zero where the run begins."""
    every: int = 1
    total: int = 0
    room: float = PLENTY
    """The number of numbers that are kept whatever the length of the run; infinite, if an implicit step cannot be made
    again from its beginning."""
    first: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """The state in which the run begins, as the entry of a step of no length: before laws or contacts switch there."""
    followers: set[int] = field(default_factory=set)
    """The first and the eighth step behind each step that does not go on from the one before. Where branches can
    change, their states are kept: over eight steps the length grows from any to that of the motion."""
    _choices: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def take(self, rows: np.ndarray) -> None:
        """Add the entries of more steps."""
        first = rows.shape[1] - self.branches
        modes = np.abs(rows[:, first : first + self.laws])
        self.slides = self.slides or bool(((modes > 0.0) & (modes < 1.0)).any())
        if self.slides:
            return
        self.heads.append(rows[:, :HEAD].copy())
        for k, row in enumerate(rows, self.total):
            modes = row[row.size - self.branches :]
            choices = np.concatenate([modes, row[slice(*self.directions)]])
            if not self.held or not np.array_equal(choices, self._choices, equal_nan=True):
                self.held[k], self._choices = modes.copy(), choices
            if self.branches and row[FRESH] != WENT_ON:
                self.followers |= {k + 1, k + 8}
            if k % self.every == 0 or self._is_border(k, row):
                self.states[k] = row.copy()
        self.total += len(rows)
        width = rows.shape[1]
        while len(self.states) * width > self.room and self.total // self.every > 2 * self.every:
            self.every *= 2
            stay = {k: row for k, row in self.states.items() if k % self.every == 0 or self._is_border(k, row)}
            self.states = stay

    def note_beginning(self, zero: np.ndarray, jumps: tuple[int, ...]) -> None:
        """Note the switching functions of laws that pass zero where the run begins, and those at which y' jumps."""
        self.begins_on_switch, self.begins_at = zero.size > 0, jumps

    def record_behind(self, steps: Sequence[int]) -> None:
        """Note that the times at which these steps begin are recorded there, behind a change, not at the end of the
        steps before them."""
        self.heads[:] = [self.head]
        for step in steps:
            self.heads[0][step - 1, SWITCHES] = 1.0
            if step - 1 in self.states:
                self.states[step - 1][SWITCHES] = 1.0

    def _is_border(self, k: int, row: np.ndarray) -> bool:
        """Return whether step k does not begin where the one before it ended, or begins after a break that moves."""
        moves = row[FRESH] == BROKE and int(row[SPAN_OF]) - 1 in self.moving
        return bool(row[FRESH] > BROKE or moves or k in self.held or k in self.followers)

    def modes_before(self, k: int) -> np.ndarray:
        """Return the branches of laws and the states of contacts that are held before step k."""
        return self.held[max(n for n in self.held if n < k)] if k else self.first[self.first.size - self.branches :]

    @property
    def head(self) -> np.ndarray:
        """The heads of all steps, (steps, HEAD)."""
        return np.concatenate([np.zeros((0, HEAD)), *self.heads])
