"""The steps that a run took: all that it takes to make each of them again, bit for bit. Compiled.

A step follows from where it began, how long it was, and from what evaluations choose on their way: gains, rows that are
enforced, branches that are held, how near a singular pose is. An entry is a row of numbers,

    HEAD        t, end, span of the course, whether stages were closed, α and β, how the step began (`FRESH`), whether
                laws switch at its end, how often they have switched where it begins, and the α and β with which its
                first derivative was made, if it has one of its own
    then        y₀, k₀ = y'(t₀), the nearness of a singular pose, the rows of joints kept, of an implicit step the
                derivatives and the charts of its stages, which rows of contacts joints alone keep, what has passed zero
                where it begins, the branches held

Nobody asks, mostly: then the tape has no room, nothing is written, and steps cost what they did. A tape that is full
sends the run back to Python, which takes the entries away.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.vectors import copy

T0, T1, SPAN_OF, CLOSED, ALPHA, BETA, FRESH, SWITCHES, TIMES, ALPHA_0, BETA_0, HEAD = range(12)
"""The places in the head of an entry, and how many there are."""
WENT_ON, BEGAN, BROKE, SWITCHED, RESTARTED, SAMPLED = range(6)
"""How a step begins: where the last one ended, with the same derivative; at the beginning of the run; where laws switch
in time; where they switch with the motion, or bodies meet; from another state; after controllers have sampled. All but
the first have a derivative of their own, and all after `BROKE` may have another state."""
ROOM = 128
"""How many steps are made between two looks of Python at a tape that is asked for."""


PLENTY = 2**20
"""So many numbers, 8 MB, are kept of any run."""


class Tape(NamedTuple):
    rows: Work[Matrix] = zeros("room", "entry")
    filled: Work[Integers] = zeros(1)
    fresh: Work[Integers] = zeros(1)
    """How the next step begins."""
    often: Work[Integers] = zeros(1)
    passed: Work[Vector] = zeros("switches")
    """How often something has switched there, and which switching functions have passed zero (1)."""
    gains: Work[Vector] = zeros(2)
    """The gains with which its first derivative is made."""


def entry_size(width: int, rows: int, lines: int, switches: int, inner: int = 0) -> int:
    """Return the size for states of this width, so many equations, rows of contacts, branches, and stages that are
    solved for."""
    return HEAD + 2 * width + 4 + rows + lines + 2 * inner * width + 2 * switches


@compiled
def is_full(tape):
    return tape.rows.shape[0] > 0 and tape.filled[0] == tape.rows.shape[0]


@compiled
def begins_as(march, how):
    """What happened at the present instant; of several things the one that changes most."""
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
def note_step(march, t, end, switches):
    """Note the step that was just accepted, and whether laws switch at its end. Its beginning still stands in `stages`,
    and the choices of the mechanism at its beginning stand in the record (`remember`)."""
    tape = march.tape
    if tape.rows.shape[0] == 0:
        return
    row, stages, record = tape.rows[tape.filled[0]], march.stages, march.record
    row[T0], row[T1], row[SPAN_OF], row[CLOSED] = t, end, march.course.at[0], stages.closed[0]
    row[ALPHA], row[BETA], row[FRESH] = march.mechanism.gains[0], march.mechanism.gains[1], tape.fresh[0]
    row[SWITCHES], row[TIMES] = 1.0 if switches else 0.0, tape.often[0]
    row[ALPHA_0], row[BETA_0] = tape.gains[0], tape.gains[1]
    width = stages.y0.size
    copy(stages.y0, row[HEAD:])
    copy(stages.k[0], row[HEAD + width :])
    copy(record.nearness, row[HEAD + 2 * width :])
    copy(record.kept, row[HEAD + 2 * width + 4 :])
    put_branches(march, row)
    if stages.implicit.stage.shape[1] > 0:
        at, inner = stages_at(march), stages.tableau.stages
        for s in range(inner):
            copy(stages.implicit.stage[s], row[at + s * width :])
            copy(stages.implicit.chart[s], row[at + (inner + s) * width :])
    tape.filled[0] += 1
    tape.fresh[0], tape.often[0] = WENT_ON, 0
    tape.passed[:] = 0.0


@compiled
def put_branches(march, row):
    """Note which rows of contacts joints alone keep, what has passed zero, and the branches that are held, at the end
    of an entry."""
    kept, modes = march.mechanism.contacts.constrained.state, march.mechanism.switches.mode
    begin = row.size - 2 * modes.size - kept.size
    for k in range(kept.size):
        row[begin + k] = kept[k]
    copy(march.tape.passed, row[row.size - 2 * modes.size :])
    copy(modes, row[row.size - modes.size :])


@compiled
def stages_at(march):
    """Return the place in an entry at which the stages of an implicit step stand."""
    return HEAD + 2 * march.stages.y0.size + 4 + march.record.kept.size


def entry_now(march: Any) -> np.ndarray:
    """The present state of a run, as the entry of a step of no length."""
    t, stages, mechanism = march.time[0], march.stages, march.mechanism
    tape = march.tape
    begun = tape.gains if tape.fresh[0] != WENT_ON else mechanism.gains
    head = np.array([t, t, march.course.at[0], 0.0, *mechanism.gains, tape.fresh[0], 0.0, tape.often[0], *begun])
    kept = mechanism.machine.factor.kept
    parts = [head, stages.y0, stages.k[0], mechanism.nearness, kept]
    behind = [mechanism.contacts.constrained.state, tape.passed, mechanism.switches.mode]
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
    """How many numbers at the end of an entry hold the branches of laws."""
    moving: frozenset[int] = frozenset()
    """The spans whose ends move with a parameter by which derivatives are asked for."""
    heads: list[np.ndarray] = field(default_factory=list)
    states: dict[int, np.ndarray] = field(default_factory=dict)
    """Whole entries, by the number of the step."""
    held: dict[int, np.ndarray] = field(default_factory=dict)
    """The branches of laws, by the number of the step from which on they are held."""
    slides: bool = False
    """Whether a law has held the motion on its surface. Nothing is kept from there on: such a run is made again."""
    every: int = 1
    total: int = 0
    room: float = PLENTY
    """How many numbers are kept whatever the length of the run; all of them, where a step that is solved for cannot be
    made again from its beginning."""
    _modes: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def take(self, rows: np.ndarray) -> None:
        """Add the entries of more steps."""
        modes = np.abs(rows[:, rows.shape[1] - self.branches :])
        self.slides = self.slides or bool(((modes > 0.0) & (modes < 1.0)).any())
        if self.slides:
            return
        self.heads.append(rows[:, :HEAD].copy())
        for k, row in enumerate(rows, self.total):
            modes = row[row.size - self.branches :]
            if not self.held or (modes.size and not np.array_equal(modes, self._modes, equal_nan=True)):
                self.held[k] = self._modes = modes.copy()
            if k % self.every == 0 or self._is_border(k, row):
                self.states[k] = row.copy()
        self.total += len(rows)
        width = rows.shape[1]
        while len(self.states) * width > self.room and self.total // self.every > 2 * self.every:
            self.every *= 2
            stay = {k: row for k, row in self.states.items() if k % self.every == 0 or self._is_border(k, row)}
            self.states = stay

    def _is_border(self, k: int, row: np.ndarray) -> bool:
        """Whether step k does not begin where the one before it ended, or begins behind a break that moves."""
        moves = row[FRESH] == BROKE and int(row[SPAN_OF]) - 1 in self.moving
        return bool(row[FRESH] > BROKE or moves or k in self.held)

    @property
    def head(self) -> np.ndarray:
        """(steps, HEAD)."""
        return np.concatenate([np.zeros((0, HEAD)), *self.heads])
