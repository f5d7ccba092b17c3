"""Passages of functions of events through zero, and changes of contacts, located beside the run. Compiled.

An event that only records must change nothing, to the last bit. So no step depends on events. A step that is to be
accepted is searched once more, for events alone; then all numbers that the run writes are put back:

    judge a step  ->  has_event  ->  nothing: accept it
                                     something: back to Python, which keeps the numbers of the run, lets `go_to_event`
                                     make shorter steps from the beginning of this one, each up to the next event, and
                                     puts the numbers back

An event that stops or resets a run is located in the same way; then the step is made once more, up to the event.

Where contacts or laws switch (`put_sides`) values and rates determine the side of zero of a function:

    held        a contact or friction keeps the function zero. The state of the contact shows this for the gap, its
                rate and the slip (a gap is positive while bodies are apart, and a gap less 1e-9 m negative while they
                touch); for other functions g = 0 and ġ = 0 show it, within the errors of the motion. The function has
                passed if it was on a side before, and does not pass again until contacts change.
    near zero   its rate decides; without a rate (`ZERO_RATE`) the function stays on its side, or is held from now on if
                an impact has made it zero: a slip that an impact stops is zero in flight, too, as long as no force acts
                along it
    else        its sign decides

A function that is zero, within roundoff, at the end of a step with a switch is decided after the switch: so an event
"the slip is zero" follows the contact. A function that is zero at the end of another step is decided in the next one.
"""

import numpy as np

from ..compiled.contact_records import CLOSED, KEPT, LOG
from ..compiled.status import CHATTERS, DONE, STEP_EVENT
from ..kernels.abi import compiled, compiled_apart, words_at
from ..kernels.blocks import Vector
from ..linear.vectors import copy, largest
from ..symbolic.branches import RANGE, SIDE, WATCH, WHOLE
from ..tolerances import (
    CHATTER_SPAN,
    EVENT_FLOOR,
    EVENT_ZERO,
    RATE_TOLERANCE,
    SAME_TIME,
    SUM_ROUNDOFF,
    SWITCH_PLACE,
    ZERO_RATE,
)
from .contact.gaps import first_entry
from .contact.guards import PRESS, TOUCH, slip_entry
from .course import moment
from .derivative import accelerate_as_held, derivative
from .mechanism_record import NEAREST
from .methods.method import END, H, T, take_step
from .past.tape import BEGAN, SWITCHED
from .record import ACCEPTED, EventRecord, IntegratorState, derivative_at_end, put_back, put_right, remember
from .switching.locate import is_searched, look_at, look_for_switch
from .switching.rates import read_rates_here
from .switching.search import AT_ONCE, CUT, HERE, LOST_SIGHT, NONE, RUSH
from .switching.switches import hold_all, is_idle, look, natural, read_scales, read_scales_of_rates

TRIES = 400
"""The largest number of steps on the way to one event."""
TAIL = 4
"""The number of places between a passage and the end of a step at which the function is tested for staying at zero."""


@compiled
def keep_numbers(events: EventRecord) -> None:
    own = words_at(events.where[0], events.where[1])
    for n in range(own.size):
        events.before[n] = own[n]


@compiled
def put_numbers_back(events: EventRecord) -> None:
    own = words_at(events.where[0], events.where[1])
    for n in range(own.size):
        own[n] = events.before[n]


@compiled
def listen(march: IntegratorState, only: int) -> None:
    """Search for events alone from now on; where `only` is not negative, for this one of their functions."""
    events, search, switches = march.events, march.search, march.mechanism.switches
    values = events.values
    guards = search.guards
    switches.reads_events[0] = 1
    search.tries[0] = 0
    search.until[0] = np.inf
    search.status[0] = DONE
    guards.passes_zero[:] = guards.surface[:] = guards.refuted[:] = 0
    for k in range(switches.kinds.size):
        switches.leads[k], switches.turn[k] = k, 1
    for n in range(events.function.size):
        k = events.function[n]
        is_event = switches.kinds[k] == WATCH
        rests = values.side[n] == 0.0 or values.undecided[n] == 1
        rests = is_event and (rests or (events.due[n] != 0 if only < 0 else n != only))
        rests = rests or is_kept(march, n) or events.turn[n] != 0.0
        rests = rests or (switches.kinds[k] in (SIDE, RANGE) and values.side[n] == 0.0)
        switches.free[k] = 1 if rests else 0
        switches.mode[k] = values.side[n] if not (rests and is_event) else 1.0
    hold_all(march.mechanism)


@compiled
def is_kept(march: IntegratorState, n: int) -> bool:
    """Return whether the states of contacts keep the function n of an event constant: a gap and its rate while it is
    closed, a slip while it sticks."""
    events, mechanism = march.events, march.mechanism
    constants = events.constants
    contacts, modes, found = mechanism.contacts, mechanism.switches.mode, False
    if constants.value[n] != 0.0 and mechanism.switches.kinds[events.function[n]] != WATCH:
        return False  # a branch in the expression of the event, of which only the whole is known
    for i in range(constants.place.size):
        if constants.place[i] != n:
            continue
        c = constants.points[i]
        found = contacts.gap_row[c] < 0 or modes[first_entry(mechanism, c)] == CLOSED
        if constants.by_slip[i] == 0:
            found = found or modes[first_entry(mechanism, c)] == KEPT
        for j in range(contacts.slip_count[c] if constants.by_slip[i] == 1 else 0):
            found = found and modes[slip_entry(mechanism, c) + j] == 0.0
        if not found:
            return False
    return found


@compiled
def look_at_rates(march: IntegratorState, t: float, y: Vector) -> None:
    """Put the values, the rates and the sizes of all functions of events in the state y, including those that rest, and
    the sizes of the terms of rates. (Accelerations without contacts count, if they are larger.)"""
    events, mechanism, dy = march.events, march.mechanism, march.search.dy
    switches, contacts, state = mechanism.switches, mechanism.contacts, mechanism.state
    choice = contacts.choice
    for n in range(events.function.size):
        switches.free[events.function[n]] = 0
        switches.mode[events.function[n]] = np.nan
    hold_all(mechanism)
    now = moment(march.course, t)
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    fastest = 0.0
    if choice.closed_count[0] > 0 or switches.sliding[0] > 0:
        closed, choice.closed_count[0] = choice.closed_count[0], 0
        accelerate_as_held(mechanism, now, q, v, a)
        fastest = largest(a)
        choice.closed_count[0] = closed
    derivative(mechanism, now, y, dy)
    look(mechanism)
    read_rates_here(mechanism, now, q, v, a)
    read_scales_of_rates(mechanism, fastest)
    for n in range(events.function.size):
        k = events.function[n]
        events.values.rate[n], events.values.rate_size[n] = switches.rate[k], switches.scale[k]
    read_scales(mechanism, q, v, max(fastest, mechanism.length))


@compiled
def has_event(march: IntegratorState, t: float, end: float) -> bool:
    """Return whether events happen in the step that was just made, or whether their functions cannot be followed."""
    events, search, mechanism = march.events, march.search, march.mechanism
    values = events.values
    if events.function.size == 0:
        return False
    keep_numbers(events)
    values.undecided[:] = 0
    listen(march, -1)
    if is_searched(search):
        derivative(mechanism, moment(march.course, end), march.stages.y1, search.dy)
    found = look_for_switch(search, t, end)
    bound, knows_rates = max(EVENT_ZERO, march.control.rtol), False
    for n in range(events.function.size):
        k = events.function[n]
        value, rests = search.guards.value[k], values.side[n] == 0.0
        if mechanism.switches.kinds[k] == WHOLE or is_kept(march, n) or events.turn[n] != 0.0:
            continue
        size = abs(value) if rests else search.guards.size[k]
        values.previous[n], values.pace[n] = (
            value,
            max(values.pace[n], abs(search.samples.rates[0, k])),
        )
        if rests and abs(value) > bound * values.largest[n]:
            if not knows_rates:
                look_at_rates(march, end, march.stages.y1)
                knows_rates = True
            is_held = mechanism.contacts.choice.closed_count[0] > 0 or mechanism.switches.sliding[0] > 0
            moves = not is_held and abs(values.rate[n]) > ZERO_RATE * values.rate_size[n]
            least = (EVENT_FLOOR if moves else bound) * (mechanism.switches.scale[k] + mechanism.length)
            if abs(value) > bound * values.largest[n] + least:
                values.side[n] = 1.0 if value > 0.0 else -1.0  # it has begun on zero, and leaves
        values.largest[n], values.largest_since[n] = (
            max(values.largest[n], size),
            max(values.largest_since[n], size),
        )
    put_numbers_back(events)
    return found != NONE


@compiled_apart
def go_to_event(march: IntegratorState, last: float, at_switch: int, only: int) -> int:
    """Take the run to the next event before `last`, the end of the step that was judged; `at_switch`: laws or contacts
    switch there. Return STEP_EVENT, with the passages in `fired`; DONE where there is none; or a status that says why
    the event cannot be located."""
    events, search, stages, mechanism = march.events, march.search, march.stages, march.mechanism
    t, end, closed = march.time[0], last, march.crossing.closed[0]
    if last <= t:
        return DONE
    listen(march, only)
    for _ in range(TRIES):
        remember(march)
        stages.now[T], stages.now[H], stages.now[END] = t, end - t, end
        mechanism.nearness[NEAREST] = 1.0
        status = take_step(stages, t, end - t, closed)
        if status == DONE:
            status = put_right(march, end, stages.y1)
        if status == DONE:
            status = derivative_at_end(march, end, stages.y1, stages.k[march.tableau.stages])
        if status != DONE:
            put_back(march)
            return status
        found = look_for_switch(search, t, end)
        if found == LOST_SIGHT:
            return search.status[0]
        if found == NONE and end < last:  # a passage by roundoff in a longer step is none: go on after it
            copy(stages.y1, stages.y0)
            copy(stages.k[march.tableau.stages], stages.k[0])
            march.time[0] = t = end
            events.passed[:] = 0
            end, search.tries[0], search.until[0] = last, 0, np.inf
            continue
        if found == NONE:
            put_back(march)
            for n in range(events.function.size):
                k = events.function[n]
                events.values.largest_since[n] = max(
                    events.values.largest_since[n], 0.0 if is_idle(mechanism.switches, k) else search.guards.size[k]
                )
            return DONE
        short = SWITCH_PLACE * (last - t) + SAME_TIME * max(abs(last), 1.0)
        at_end = found == HERE or (found == CUT and last - search.until[0] <= short)
        goes_on = at_end and last < march.record.times[march.record.times.size - 1]
        if end == last and (at_switch == 1 or goes_on) and _leave_to_switch(march, t, last, found):
            put_back(march)
            listen(march, only)
            continue
        if found == CUT:
            put_back(march)
            end = search.until[0]
            continue
        if found == AT_ONCE:
            put_back(march)
        else:
            copy(stages.y1, stages.y0)
            copy(stages.k[march.tableau.stages], stages.k[0])
            march.time[0] = end
            events.passed[:] = 0
        march.counts[ACCEPTED] += 1 if found == HERE else 0
        search.total[0] += 1
        return _pass(march)
    return CHATTERS


@compiled
def _leave_to_switch(march: IntegratorState, t: float, last: float, found: int) -> bool:
    """Leave functions that are zero from their passage to the end of the step, within roundoff, to the switch there, or
    to the next step; return whether there are any."""
    events, search, switches = march.events, march.search, march.mechanism.switches
    values = events.values
    guards = search.guards
    x = 1.0 if found == HERE else 0.0 if found == AT_ONCE else (search.until[0] - t) / (last - t)
    some = False
    for n in range(events.function.size):
        k = events.function[n]
        if guards.passes_zero[k] == 0 or switches.kinds[k] != WATCH:
            continue
        stays = (
            found != HERE or abs(guards.value[k]) <= RATE_TOLERANCE * values.largest[n] + SUM_ROUNDOFF * guards.noise[k]
        )
        for part in range(1, 1 if found == HERE else TAIL + 1):
            look_at(search, t, last - t, x + (1.0 - x) * part / TAIL, True)
            stays = (
                stays and abs(switches.value[k]) <= RATE_TOLERANCE * values.largest[n] + SUM_ROUNDOFF * guards.noise[k]
            )
        if stays:
            values.undecided[n], some = 1, True
    return some


@compiled
def _pass(march: IntegratorState) -> int:
    """Change to the other side of the functions that pass zero at the present state; for a branch in the expression of
    an event to the other branch, and to the other side of functions that jump with it. Return a status."""
    events, search, mechanism = march.events, march.search, march.mechanism
    values = events.values
    guards = search.guards
    switches, branches, t = mechanism.switches, False, march.time[0]
    for n in range(events.function.size):
        k = events.function[n]
        events.fired[n] = 0
        if guards.passes_zero[k] == 1 and switches.kinds[k] == WATCH:
            _fire(events, n, int(guards.after[k]))
        elif guards.passes_zero[k] == 1:
            values.side[n], branches = guards.after[k], True
    if branches:
        listen(march, -1)
        stages = march.stages
        status = derivative(mechanism, moment(march.course, t), stages.y0, search.dy)
        if status != DONE:
            return status
        look(mechanism)
        for n in range(events.function.size):
            k = events.function[n]
            jumped = switches.value[k] * values.side[n] < -RATE_TOLERANCE * guards.size[k]
            if switches.kinds[k] == WATCH and events.fired[n] == 0 and jumped:
                _fire(events, n, int(-values.side[n]))
    return _passed_at(march, t, STEP_EVENT)


@compiled
def _passed_at(march: IntegratorState, t: float, status: int) -> int:
    """Return the given status of a run in which a function passes at t; CHATTERS if so many have passed in no time that
    the passages have no end."""
    events = march.events
    n = events.total[0]
    first = events.times[n % RUSH] if n >= RUSH else -np.inf
    events.times[n % RUSH], events.total[0] = t, n + 1
    if t - first >= CHATTER_SPAN * march.search.whole:
        return status
    events.endless[0] = 1
    return CHATTERS


@compiled
def _fire(events: EventRecord, n: int, direction: int) -> None:
    events.fired[n], events.values.side[n], events.passed[n], events.values.largest_since[n] = (
        direction,
        direction,
        1,
        0.0,
    )
    events.passages[0] += 1


@compiled
def fire_due(march: IntegratorState, end: float) -> int:
    """Let the events happen at whose time the step ends; return a status."""
    events = march.events
    events.passed[:] = 0
    if events.function.size == 0 or end < events.until[0]:
        return DONE
    events.until[0] = np.inf
    for n in range(events.function.size):
        if events.due[n] != 0:
            _fire(events, n, events.due[n])
            events.due[n] = 0
    return _passed_at(march, end, DONE)


@compiled_apart
def put_sides(march: IntegratorState, t: float, how: int) -> int:
    """Put the sides of functions of events where the run goes on in another way (`how`: see `tape`), with y' known;
    functions that have come to another side have passed. A branch that rests on zero is on neither side, and has the
    mode 0. Return a status."""
    events, mechanism = march.events, march.mechanism
    values, constants = events.values, events.constants
    switches, contacts = mechanism.switches, mechanism.contacts
    keep_numbers(events)
    listen(march, -1)
    look_at_rates(march, t, march.stages.y0)
    is_held = contacts.choice.closed_count[0] > 0 or switches.sliding[0] > 0
    bound = max(EVENT_ZERO, march.control.rtol)
    if how == BEGAN:
        values.largest[:] = values.pace[:] = values.largest_since[:] = values.previous[:] = 0.0
        events.passed[:] = events.due[:] = events.fired[:] = events.passages[:] = 0
        events.total[0] = events.endless[0] = 0
        events.until[0] = np.inf
    some, rests = False, False
    for kind in (SIDE, WHOLE, WATCH):  # first branches, then events
        for n in range(events.function.size):
            k = events.function[n]
            own = switches.kinds[k]
            if (SIDE if own == RANGE else own) != kind:
                continue
            if kind == WHOLE:
                values.side[n] = natural(switches, k)
                continue
            g, rate, scale = switches.value[k], values.rate[n], switches.scale[k]
            before = 0.0 if how == BEGAN else values.side[n]
            zero = bound * values.largest[n] + EVENT_FLOOR * scale
            if constants.value[n] != 0.0:  # a gap less 1e-9 m: the number distinguishes it from 0
                zero = min(zero, 0.5 * abs(constants.value[n]))
            is_zero = abs(g) <= zero
            stays = abs(rate) <= bound * values.pace[n] + EVENT_FLOOR * scale + ZERO_RATE * values.rate_size[n]
            near = RATE_TOLERANCE * values.largest[n] + SUM_ROUNDOFF * scale
            moves = abs(rate) > ZERO_RATE * values.rate_size[n] and switches.blind[k] == 0
            if is_kept(march, n):
                side = 0.0 if constants.value[n] == 0.0 else 1.0 if constants.value[n] > 0.0 else -1.0
            elif is_held and is_zero and stays and events.turn[n] == 0.0:
                side = 0.0
            elif events.turn[n] != 0.0:
                side = events.turn[n]
            elif abs(g) > near and not (before == 0.0 and is_zero and not moves):
                side = 1.0 if g > 0.0 else -1.0
            elif moves:
                side = 1.0 if rate > 0.0 else -1.0
            elif how == SWITCHED and contacts.points.entries > 0 and abs(values.previous[n]) > near:
                side = 0.0  # an impact has stopped the function, and it stays so in flight
            else:
                side = before
            values.side[n], values.previous[n] = side, g
            if kind == SIDE and side == 0.0:
                switches.mode[k], rests = 0.0, True
            has_been_off = events.turn[n] != 0.0 or values.largest_since[n] > RATE_TOLERANCE * values.largest[n]
            is_new = kind == WATCH and events.passed[n] == 0 and (side != 0.0 or has_been_off)
            if side != before and before != 0.0 and is_new:
                events.fired[n], events.passed[n] = int(side if side != 0.0 else -before), 1
                events.passages[0] += 1
                some = True
        if kind == SIDE and rests:
            hold_all(mechanism)
            derivative(mechanism, moment(march.course, t), march.stages.y0, march.search.dy)
            look(mechanism)
    put_numbers_back(events)
    return _passed_at(march, t, DONE) if some else DONE


@compiled
def note_contacts(march: IntegratorState, how: int) -> None:
    """Note the present state in the log where contacts have changed, or the run begins."""
    events, modes, state = march.events, march.mechanism.switches.mode, march.mechanism.state
    if events.log.shape[0] == 0:
        return
    changed, first = how == BEGAN, events.entries
    for k in range(events.told.size):
        was, now = events.told[k], modes[first + k]
        kind = march.mechanism.switches.kinds[first + k]
        is_gap = kind == TOUCH
        changed = changed or kind != PRESS and (was != now if is_gap else (was == 0.0) != (now == 0.0))
    if how == BEGAN:
        events.logged[0] = 0
    impacts = march.mechanism.contacts.impact_log.filled[0]
    if events.asks[0] == 1 and how != BEGAN and (changed or impacts > events.struck[0]):
        events.passages[0] += 1
    events.struck[0] = impacts
    if not changed or events.logged[0] == LOG:
        return
    row = events.log[events.logged[0]]
    row[0] = march.time[0]
    copy(modes[first:], events.told)
    copy(modes[first:], row[1:])
    copy(march.stages.y0[: state.v_end], row[1 + events.told.size :])
    copy(march.stages.k[0][state.v_at : state.v_end], row[1 + events.told.size + state.v_end :])
    events.logged[0] += 1
