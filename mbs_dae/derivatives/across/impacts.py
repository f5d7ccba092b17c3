"""An impact of a run repeated in a neighbouring run, so that the result is a smooth function. Compiled.

An impact makes many decisions: which point is struck next where impacts are passed on, whether Newton's law gives
energy, and in every problem of impulses which points part and which slips end. So the impact is first repeated in the
run itself, and all decisions are noted, in their order; neighbouring runs decide alike (`note`). The margins by which
decisions hold are noted, too: where a margin is zero, and changes in neighbours, there is no derivative.
"""

from typing import NamedTuple

from ...compiled.contact_records import CLOSED, Contacts
from ...compiled.contacts import put_rows
from ...compiled.status import UNSOLVED
from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Vector, Work, zeros
from ...linear.laws import unknowns
from ...linear.vectors import copy
from ...motion.contact.delassus import respond
from ...motion.contact.gaps import first_entry
from ...motion.contact.impacts import (
    MOST,
    add_expansion,
    gives_energy,
    is_over,
    jump,
    prepare_impact,
    put_approaching,
    stop,
    write_compression,
    write_expansion,
    write_impact,
)
from ...motion.contact.problem import put_changes, solve_laws, use_points
from ...motion.course import moment
from ...motion.derivative import evaluate, factorise_terms
from ...motion.switching.pieces import turn_over
from ...motion.switching.search import Search
from ...motion.switching.switches import hold_all
from .held import put_margins, read_modes, solve_held

FAINT = 1e-9
"""The scale of a problem of impulses counts as this part of the largest scale before, at least."""


class Notes(NamedTuple):
    """The decisions in an impact, in their order, and the margins by which they hold."""

    items: Work[Vector] = zeros("items")
    margins: Work[Vector] = zeros("items")
    at: Work[Integers] = zeros(2)
    """The number of items, and the number of margins."""
    known: Work[Integers] = zeros(1)
    """1 where items are read, 0 where they are written."""
    full: Work[Integers] = zeros(1)
    """1 if there was not room for all."""
    acts: Work[Vector] = zeros(1)
    """The largest scale of the problems so far."""


ITEMS, MARGINS = 0, 1


@compiled
def note(notes: Notes, value: float) -> float:
    """Return the next decision: `value`, which is noted, or the one that was noted before, where notes are known."""
    k = notes.at[ITEMS]
    notes.at[ITEMS] = k + 1
    if k >= notes.items.size:
        notes.full[0] = 1
        return value
    if notes.known[0] == 0:
        notes.items[k] = value
    return notes.items[k]


@compiled
def strike_alike(search: Search, y: Vector, meeting: Integers, modes: Vector, notes: Notes) -> None:
    """Repeat an impact from the neighbouring state y, in place: the points in `meeting` meet, and points stay together
    as in the impact that led to `modes`."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    choice = contacts.choice
    notes.at[:] = notes.full[:] = 0
    notes.acts[:] = 0.0
    contacts.impact_log.filled[0] = 0
    choice.pace[1] = choice.rest_time[0] = 0.0
    search.guards.surface[:] = 0
    for c in range(contacts.gap_row.size):
        stays = contacts.gap_row[c] >= 0 and modes[first_entry(mechanism, c)] == CLOSED
        choice.lands[c] = 1 if stays else 0
    turn_over(search, y)
    if choice.in_turn[0] == 1 and not _pass_on(search, y, notes):
        return
    if not _look(search, y, notes):
        return
    for c in range(contacts.gap_row.size):
        choice.meeting[c] = meeting[c]
    if not _jumps(search, y, choice.meeting, notes):
        return
    copy(modes, mechanism.switches.mode)
    hold_all(mechanism)
    closed, choice.closed_count[0] = choice.closed_count[0], 0
    if closed > 0:
        evaluate(mechanism, moment(search.stages.course, search.span[0]), y[: state.q_end], y[state.v_at : state.v_end])
        factorise_terms(mechanism)
        put_rows(contacts)
        stop(mechanism, y)
    choice.closed_count[0] = closed
    choice.lands[:] = 0


@compiled
def _pass_on(search: Search, y: Vector, notes: Notes) -> bool:
    contacts, first = search.stages.mechanism.contacts, 0.0
    choice = contacts.choice
    for _ in range(MOST):
        if not _look(search, y, notes):
            return False
        fastest = put_approaching(contacts)
        first = max(first, fastest)
        for c in range(contacts.gap_row.size):
            touches = contacts.gap_row[c] >= 0 and note(notes, float(choice.meeting[c])) == 1.0
            rate = contacts.motion.rate[contacts.gap_row[c]] if touches else 1.0
            _put_margin(notes, rate, note(notes, choice.pace[1] if touches else 1.0))
            choice.touching[c] = int(note(notes, float(choice.touching[c])))
        if note(notes, 1.0 if is_over(contacts, fastest, first) else 0.0) == 1.0:
            break
        if not _jumps(search, y, choice.touching, notes):
            return False
    return True


@compiled
def _put_margin(notes: Notes, margin: float, size: float) -> None:
    k = notes.at[MARGINS]
    notes.at[MARGINS] = k + 1
    if k >= notes.margins.size:
        notes.full[0] = 1
    else:
        notes.margins[k] = margin / size if size > 0.0 else margin


@compiled
def _look(search: Search, y: Vector, notes: Notes) -> bool:
    """Prepare the impact at y; return whether joints alone keep the same rows still as noted."""
    contacts, same = search.stages.mechanism.contacts, True
    constrained = contacts.constrained
    if not prepare_impact(search, y):
        return False
    for row in range(constrained.state.size):
        same = note(notes, float(constrained.state[row])) == constrained.state[row] and same
    if not same:
        search.status[0] = UNSOLVED
    return same


@compiled
def _jumps(search: Search, y: Vector, points: Integers, notes: Notes) -> bool:
    """Let these points meet, as in `motion.contact.impacts`."""
    mechanism = search.stages.mechanism
    contacts, margins = mechanism.contacts, notes.at[MARGINS]
    use_points(contacts, points)
    respond(mechanism, 0)
    write_impact(mechanism, points)
    solved = _solve(contacts, notes)
    copy(contacts.problem.f[: contacts.delassus.used_count[0]], contacts.delassus.amount)
    put_changes(contacts)
    if note(notes, 1.0 if solved and gives_energy(contacts) else 0.0) == 1.0:
        notes.at[MARGINS] = margins
        write_compression(mechanism, points)
        solved = _solve(contacts, notes)
        write_expansion(contacts, points)
        solved = solved and _solve(contacts, notes)
        add_expansion(contacts)
    if not solved:
        search.status[0] = UNSOLVED
        return False
    jump(mechanism, y)
    return True


@compiled
def _solve(contacts: Contacts, notes: Notes) -> bool:
    """Solve the problem that is posed, with the modes that were noted; return whether it is solved."""
    p = contacts.problem
    if notes.known[0] == 0:
        if not solve_laws(contacts):
            return False
        read_modes(p)
    for i in range(unknowns(p)):
        p.f[i], p.modes.mode[i] = note(notes, p.f[i]), int(note(notes, float(p.modes.mode[i])))
        p.modes.direction[i] = note(notes, p.modes.direction[i])
    for row in range(p.bound_at[p.counts[0]]):
        p.modes.gradient[row] = note(notes, p.modes.gradient[row])
    undetermined = solve_held(p)
    if undetermined < 0 or note(notes, float(undetermined)) != undetermined:
        return False
    return _put_margins(contacts, notes)


@compiled
def _put_margins(contacts: Contacts, notes: Notes) -> bool:
    p = contacts.problem
    notes.acts[0] = max(notes.acts[0], p.scaled.scale[0])
    size, many = note(notes, max(p.scaled.scale[0], FAINT * notes.acts[0])), unknowns(p) + p.bound_at[p.counts[0]]
    at = notes.at[MARGINS]
    if at + many > notes.margins.size:
        notes.full[0] = 1
        notes.at[MARGINS] = at + many
        return True
    put_margins(p, notes.margins[at : at + many])
    for k in range(many):
        _put_margin(notes, notes.margins[at + k], size)
    return True
