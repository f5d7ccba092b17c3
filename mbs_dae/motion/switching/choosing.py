"""Choice of the branches of laws: at the first state, behind a switch, and behind a sampling time. Compiled.

`switch_over` carries the motion across what passes zero at the end of a step. An open gap that passes zero is an
impact (`contact.impacts.strike`), whatever the speed, and so is a kink in a gap of pieces; everything else is a change
of branches and of contact states.

Off the surfaces g = 0 the branch of the sign of g holds, or of the integer below g; on them rates decide (`surfaces`).
"""

import numpy as np

from ...compiled.contact_records import CLOSED, INCIPIENT, STICKING
from ...compiled.status import CHATTERS, DONE
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy
from ...symbolic.branches import RANGE, SIDE, WHOLE
from ...tolerances import CHATTER_SIZE, CHATTER_SPAN, DECAY_SPAN, FRICTION_TOLERANCE, IMPACT_SPAN, RATE_TOLERANCE
from ..contact.gaps import meets
from ..contact.guards import TOUCH, mark_passed, slip_entry
from ..contact.rubbing import never_sticks
from ..course import SPAN, moment
from ..derivative import evaluate
from ..implicit.iteration import SHARP
from .pieces import breaks_rates, free_what_is_open, put_natural, turn_over
from .search import HERE, LEAVES, RUSH, SHORT, STANDS, Search
from .surfaces import ALL, choice_of, settle
from .switches import hold_all, is_idle, look

RATTLE = 512
"""After so many faint impacts in a row the bounces do not end: bounces that end have died out by then."""


@compiled_apart
def choose(search: Search, y: Vector, dy: Vector) -> None:
    """Choose the branches at the first state, by the signs there; where a switching function is zero, by the direction
    of the motion. No contact has a previous state."""
    has_jumped = search.stages.mechanism.contacts.choice.has_jumped
    search.guards.surface[:] = 0
    has_jumped[0] = 1
    _choose(search, y, dy)
    has_jumped[0] = 0


@compiled_apart
def carry_on(search: Search, y: Vector, dy: Vector) -> None:
    """Choose after a break or a sampling time: a motion that has stayed on a surface which nothing has moved is still
    on it."""
    mechanism, course = search.stages.mechanism, search.stages.course
    switches, state = mechanism.switches, mechanism.state
    before = course.last[course.at[SPAN] - 1]
    evaluate(mechanism, before, y[: state.q_end], y[state.v_at : state.v_end])
    look(mechanism)
    for k in range(switches.kinds.size):
        same = switches.slides[k] == 1 and switches.value[k] == search.guards.value[k]
        search.guards.surface[k] = STANDS if same else 0
    _choose(search, y, dy)


@compiled_apart
def start_over(search: Search, y: Vector, dy: Vector) -> None:
    """Choose behind a `Reset`, where velocities have jumped: contacts are as their rates say, not as they were. But a
    point that slipped, and is at rest with friction at its bound, slips: where a slip has just begun and the `Reset`
    leaves it without speed, roundoff would decide."""
    guards, mechanism = search.guards, search.stages.mechanism
    contacts, found = mechanism.contacts, False
    guards.surface[:] = guards.passes_zero[:] = 0
    for c in range(contacts.gap_row.size):
        if contacts.slip_count[c] > 0 and contacts.state[c] in (CLOSED, INCIPIENT):
            guards.passes_zero[slip_entry(mechanism, c)] = 1
    go_on_anew(search, y, dy)
    if search.status[0] != DONE:
        return
    for c in range(contacts.gap_row.size):
        if contacts.slip_count[c] > 0 and guards.passes_zero[slip_entry(mechanism, c)] == 1:
            k, most = slip_entry(mechanism, c), contacts.choice.largest_friction[c]
            at_bound = contacts.state[c] == STICKING and mechanism.switches.guard[k] <= FRICTION_TOLERANCE * most
            guards.passes_zero[k] = 1 if at_bound and not never_sticks(contacts, c) and most > 0.0 else 0
            found = found or guards.passes_zero[k] == 1
    if found:
        mark_passed(mechanism, guards.passes_zero, guards.size, False)
        settle(search, moment(search.stages.course, search.instant[0]), y, dy)
        contacts.choice.began[:] = 0


@compiled_apart
def go_on_anew(search: Search, y: Vector, dy: Vector) -> None:
    """Choose behind a jump of velocities, a `Reset` or an impact, with surfaces g = 0 on which the motion is known to
    be."""
    choice = search.stages.mechanism.contacts.choice
    choice.has_jumped[0] = 1
    _choose(search, y, dy)
    choice.has_jumped[0], choice.jump_pace[0] = 0, 0.0


@compiled_apart
def _choose(search: Search, y: Vector, dy: Vector) -> None:
    guards = search.guards
    mechanism, t = search.stages.mechanism, search.instant[0]
    switches, state = mechanism.switches, mechanism.state
    switches.slides[:] = 0
    switches.sliding[0] = 0
    for k in range(switches.kinds.size):
        known = switches.kinds[k] >= TOUCH or guards.surface[k] == LEAVES  # the piece that begins decides a number
        switches.mode[k] = switches.mode[k] if known else np.nan
    free_what_is_open(search)
    hold_all(mechanism)
    now = moment(search.stages.course, t)
    evaluate(mechanism, now, y[: state.q_end], y[state.v_at : state.v_end])
    look(mechanism)
    _begin(search)
    guards.refuted[:] = 0
    for k in range(switches.kinds.size):
        if switches.kinds[k] >= TOUCH or is_idle(switches, k) or guards.surface[k] == LEAVES:
            continue
        if guards.surface[k] == STANDS:
            guards.surface[k], switches.mode[k] = STANDS, 1.0
        else:
            put_natural(search, k)
    look(mechanism)
    copy(switches.guard, guards.begin)
    settle(search, now, y, dy)


@compiled
def _begin(search: Search) -> None:
    """Forget the next switch that was found."""
    if search.stages.implicit.weight.size > 0:
        search.stages.implicit.flags[SHARP] = 0
    search.tries[0] = 0
    search.until[0] = np.inf
    search.status[0] = DONE


@compiled_apart
def switch_over(search: Search, y: Vector, dy: Vector) -> None:
    """Change the branches whose functions pass zero at the end of a step; dy becomes y' after it. Gaps that close, and
    kinks of gaps, are an impact (`contact.impacts.strike`). A choice that was made at this very state is refuted."""
    guards, switches, calls = search.guards, search.stages.mechanism.switches, search.stages.mechanism.contacts.calls
    t, lately = search.instant[0], note_switch(search)
    if meets(search.stages.mechanism, guards.passes_zero):
        if lately < IMPACT_SPAN * search.whole:
            search.status[0] = CHATTERS
        else:
            call_on_block(calls.strike, search, (y, dy))
        return
    _begin(search)
    brief = CHATTER_SPAN
    for k in range(switches.kinds.size):
        brief = DECAY_SPAN if guards.faint_passes[k] >= RUSH else brief
    if lately < brief * search.whole:
        search.status[0] = CHATTERS
        return
    for k in range(switches.kinds.size):
        if guards.passes_zero[k] == 1 and guards.surface[k] != 0:
            guards.refuted[switches.leads[k]] |= choice_of(switches, switches.leads[k])
    if turn_over(search, y) and breaks_rates(search, y):
        if _rattles(search):
            search.status[0] = CHATTERS
            return
        call_on_block(calls.strike, search, (y, dy))
        return
    for k in range(switches.kinds.size):
        if guards.passes_zero[k] == 1 and switches.kinds[k] < TOUCH:
            anew, stayed = guards.surface[k] != 0, switches.slides[k] == 1
            switches.sliding[0] -= switches.slides[k]
            switches.slides[k] = 0
            switches.mode[k] = guards.after[k]
            decided = switches.kinds[k] == WHOLE or (stayed and not anew)
            guards.surface[k] = LEAVES if decided else STANDS
        elif switches.kinds[k] in (SIDE, RANGE) and switches.slides[k] + switches.free[k] + guards.surface[k] == 0:
            near = abs(guards.begin[k]) <= RATE_TOLERANCE * guards.size[k] + guards.slack[k]
            guards.surface[k] = STANDS if near else 0  # perhaps the same surface, within roundoff
    mark_passed(search.stages.mechanism, guards.passes_zero, guards.size, search.found[0] == HERE)
    settle(search, moment(search.stages.course, t), y, dy)
    search.stages.mechanism.contacts.choice.began[:] = 0
    for k in range(switches.kinds.size):
        if guards.passes_zero[k] == 1 and switches.kinds[k] < TOUCH:
            faint = guards.size[k] <= CHATTER_SIZE * guards.largest[k] and switches.mode[k] == guards.after[k]
            guards.faint_passes[k] = guards.faint_passes[k] + 1 if faint else 0
        if guards.refuted[k] == ALL:
            search.until[0] = t + SHORT * search.whole


@compiled
def _rattles(search: Search) -> bool:
    """Count consecutive faint impacts at the end of a piece of a gap; return whether there are `RATTLE` of them, so
    that the point rests between two pieces of which neither alone can hold it."""
    guards = search.guards
    switches, found = search.stages.mechanism.switches, False
    for k in range(switches.kinds.size):
        if guards.passes_zero[k] == 1 and switches.kinds[k] < TOUCH:
            guards.faint_passes[k] = (
                guards.faint_passes[k] + 1 if guards.size[k] <= CHATTER_SIZE * guards.largest[k] else 0
            )
            found = found or guards.faint_passes[k] >= RATTLE
    return found


@compiled
def note_switch(search: Search) -> float:
    """Count a switch; return the time in which the last `RUSH` switches occurred."""
    t, n = search.instant[0], search.total[0]
    first = search.times[n % RUSH] if n >= RUSH else -np.inf
    search.times[n % RUSH] = t
    search.total[0] = n + 1
    return t - first
