"""From time to time: steps, their control, their stabilisation, and what is kept of them. Compiled.

    make a step -> settle its end (stabilise, y' there) -> look for switches and impacts in it (`switching.locate`)
    -> accept it, or make it anew: shorter, or to end at a switch -> record times -> switch, or impact (`_switch`)

y₀ and k₀ stand untouched until a step is accepted, or until laws switch where it begins. What evaluations choose on
their way (which rows are enforced, how near a singular pose is) is put back after a step that is rejected and after the
reading of requested times. So neither leaves a trace: the steps, to the last bit, do not depend on the requested times
but for the first and the last.
All state is in `IntegratorState`, so a run can go back to Python and be taken up again: where it pauses makes no
difference.
"""

import numpy as np

from ..compiled.contact_records import LOG
from ..compiled.dynamics import KINETIC, POTENTIAL
from ..compiled.status import (
    ASTRAY,
    CUT_SHORT,
    DONE,
    DRIFTED,
    DRIVES,
    EVENT,
    LOST,
    NOT_FINITE,
    PAUSED,
    SAMPLING,
    STEP_EVENT,
    STUCK,
    TOO_MANY,
)
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector
from ..linear.vectors import copy, largest
from ..symbolic.loads import DISSIPATED, STORED, SUPPLIED
from ..tolerances import DRIFT_LIMIT, STALL_PACE, STALL_SPAN
from .contact.bounds import drives, note_sizes, reads_sizes
from .contact.gaps import observe_gaps
from .contact.time_stepping import note_meeting
from .control import asks_for_end, choose_next, first_step, judged, pace, parted_within, shortest_step
from .course import SPAN, WAITING, is_break, latest_end, moment
from .derivative import gauge_if_doubtful, look_around, parted, widest_gap
from .implicit.iteration import BEGUN, MATRICES
from .mechanism_record import INDEPENDENCE, NEAREST
from .methods.method import END, H, T, X, estimate_error, take_step
from .methods.runge_kutta import read_cubic
from .methods.stepping import MOST_STEPS
from .past.tape import BEGAN, BROKE, RESTARTED, SAMPLED, SWITCHED, begins_as, is_full, note_step
from .record import (
    ACCEPTED,
    MARK,
    NEXT,
    REJECTED,
    IntegratorState,
    derivative_at_end,
    keep,
    put_back,
    put_right,
    record_to,
    remember,
)
from .singular import NOWHERE, aimed, energy_of, look_ahead, plan_anew
from .stabilise import ALWAYS, NEVER, WHERE_NEEDED, adapt_gains, drift_limit, near_singular
from .stiffness import watch
from .switching.locate import is_searched, look_for_switch, next_begins, switched
from .switching.ranges import has_value, place_without_value
from .switching.search import AT_ONCE, CUT, HERE, LOST_SIGHT, NONE
from .switching.switches import hold_all
from .watched_events import fire_due, has_event, note_contacts, put_sides

PARTS = 4
"""The number of equal parts of a step between which sizes of friction are tested: a law that passes zero twice within a
part is not resolved by the step either."""
ROWS = 4
"""The largest number of changes of contacts between two tests of whether their log is full."""
STALL_STEPS = 5000
"""A run has stalled if so many steps advance it by less than `STALL_SPAN` of its span (the whole would take 5·10¹⁰
steps) and by less than `STALL_PACE` of the time in which bodies move. The second test spares fast motions in a long
span that an event is to end."""


@compiled_apart
def start(march: IntegratorState, q: Vector, v: Vector) -> int:
    """Put the first state, choose branches and gains, and the first step; return a status."""
    y0, record, state = march.stages.y0, march.record, march.mechanism.state
    control, times = march.control, march.record.times
    first_q, first_v = y0[: state.q_end], y0[state.v_at : state.v_end]
    y0[:] = 0.0
    copy(q, first_q)
    copy(v, first_v)
    march.time[0], march.widest[0] = times[0], 0.0
    march.course.at[:] = march.counts[:] = 0
    march.crossing.wait[0] = NOWHERE
    march.search.total[0] = 0
    march.search.guards.largest[:] = march.search.guards.delay[:] = 0.0
    march.search.guards.faint_passes[:] = 0
    contacts = march.mechanism.contacts
    constrained = contacts.constrained
    contacts.state[:] = contacts.choice.closed_count[:] = contacts.impact_log.filled[:] = contacts.choice.began[:] = 0
    constrained.state[:] = constrained.known[:] = constrained.reported[:] = 0
    contacts.force[:] = contacts.steps.residual[:] = 0.0
    contacts.laws.largest_sizes[:] = contacts.laws.largest_drag[:] = 0.0
    march.mechanism.switches.mode[:] = np.nan if march.tableau.means == 1 else 0.0
    for k in march.events.function:
        march.mechanism.switches.mode[k] = np.nan
    if march.events.function.size > 0:
        hold_all(march.mechanism)
    control.again[0] = march.crossing.tries[0] = march.crossing.closed[0] = 0
    look_around(march.mechanism, moment(march.course, times[0]), q, v)
    status = DONE
    if is_searched(march.search):
        status = switched(march.search, times[0], y0, march.stages.k[0], march.search.calls.choose)
    if status == DONE:
        status = _begin_anew(march, times[0], BEGAN)
    if status != DONE:
        return status
    keep(march, 0, y0, march.stages.k[0])
    march.turned[0], march.turned[1] = record.end_scalars[KINETIC], record.end_scalars[POTENTIAL]
    march.noted[0] = march.tape.filled[0] = 0
    march.crossing.energy[:] = energy_of(record.end_scalars, y0[state.works_at :])
    march.counts[NEXT] = 1
    control.step[0] = control.fixed
    if control.fixed > 0.0:
        adapt_gains(march.stabiliser, pace(march.control, march.stages) or 1.0, control.fixed)
    return DONE


@compiled_apart
def take_up(march: IntegratorState) -> int:
    """Go on from the state of another run: everything is as that run left it, except counts and records of this one.
    Return a status."""
    t, record, status = march.time[0], march.record, DONE
    march.course.at[SPAN] = march.counts[:] = march.mechanism.machine.counts[:] = march.stabiliser.projected[0] = 0
    march.stages.implicit.flags[MATRICES:] = 0
    march.search.total[1] = march.search.total[0]
    march.noted[0] = march.mechanism.contacts.impact_log.filled[0] = 0
    if record.times[0] == t:
        remember(march)
        status = derivative_at_end(march, t, march.stages.y0, record.dy)
        keep(march, 0, march.stages.y0, record.dy)
        put_back(march)
        march.counts[NEXT] = 1
    return status


@compiled
def _begin_anew(march: IntegratorState, t: float, how: int) -> int:
    """Put the derivative where the motion goes on in another way, for which earlier steps are of no use. If it is the
    mean over a step, a step from here is tried for it, and not accepted. Return a status."""
    begins_as(march, how)
    march.stages.implicit.flags[BEGUN] = 0
    march.control.before[0] = 0.0
    if march.tableau.means == 1:
        march.stages.k[0][:] = 0.0
        status = take_step(march.stages, t, march.control.fixed, 0)
        if status != DONE:
            return status
    status = derivative_at_end(march, t, march.stages.y0, march.stages.k[0])
    note_sizes(march.mechanism.contacts)
    _observe_drags(march, t, march.stages.y0)
    march.mechanism.contacts.laws.sizes_time[0] = t
    if status == DONE and drives(march.mechanism.contacts, largest(march.mechanism.machine.f)):
        status = DRIVES
    if status == DONE:
        note_contacts(march, how)
        if march.events.function.size > 0:
            status = put_sides(march, t, how)
    return status


@compiled_apart
def restart(march: IntegratorState, q: Vector, v: Vector) -> int:
    """Go on at this time from another state; its additional energy counts as supplied. Functions that pass zero between
    both states are events. Return a status."""
    y0, state, search, status = march.stages.y0, march.mechanism.state, march.search, DONE
    energy, control, t = march.crossing.energy[0], march.control, march.time[0]
    copy(q, y0[: state.q_end])
    copy(v, y0[state.v_at : state.v_end])
    march.crossing.wait[0] = NOWHERE
    if is_searched(search):
        status = switched(search, t, y0, march.stages.k[0], search.calls.start_over)
    if status == DONE:
        status = _begin_anew(march, t, RESTARTED)
    if status != DONE:
        return status
    works = y0[state.works_at :]
    works[SUPPLIED] += energy_of(march.record.end_scalars, works) - energy
    march.crossing.energy[0] = energy
    last = march.counts[NEXT] - 1
    if march.record.times[last] == t:
        keep(march, last, y0, march.stages.k[0])
    control.step[0] = control.fixed
    return EVENT if march.events.passages[0] > 0 else DONE


@compiled_apart
def record_now(march: IntegratorState) -> None:
    """Keep the present state in place of the next requested time."""
    record, next_time, t = march.record, march.counts[NEXT], march.time[0]
    if next_time > 0 and record.times[next_time - 1] == t:
        return
    status = derivative_at_end(march, t, march.stages.y0, march.stages.k[0])
    if status == DONE:
        record.times[next_time] = t
        keep(march, next_time, march.stages.y0, march.stages.k[0])
        march.counts[NEXT] += 1


@compiled_apart
def go_on(march: IntegratorState, patience: int) -> int:
    """Make steps until the last requested time, a status other than DONE, or the end of `patience`; return a status."""
    status = DONE
    while status == DONE and march.counts[NEXT] < march.record.times.size:
        if patience <= 0:
            return SAMPLING if march.course.at[WAITING] == 1 else PAUSED
        patience -= 1 + march.search.samples.count_since[0]
        status = propose(march)
        if status == DONE:
            stages = march.stages
            made = take_step(stages, stages.now[T], stages.now[H], march.crossing.closed[0])
            status = conclude(march, made)
    return status


@compiled_apart
def propose(march: IntegratorState) -> int:
    """Put the beginning, length and end of the next step into `stages.now`; return DONE, or why no step is to be made
    now. Any caller may make the step as `take_step` does; then `conclude` follows."""
    counts, control = march.counts, march.control
    if march.course.at[WAITING] == 1:
        return SAMPLING
    if (
        march.mechanism.contacts.impact_log.filled[0] == LOG
        or march.events.logged[0] > LOG - ROWS
        or is_full(march.tape)
    ):
        return PAUSED
    if counts[ACCEPTED] + counts[REJECTED] >= control.most or _has_stalled(march):
        return TOO_MANY
    march.search.samples.count_since[0] = 0
    t, length = march.time[0], control.step[0]
    remember(march)
    end = _end_of_step(march, t)
    put_back(march)
    if end == march.record.times[march.record.times.size - 1] and march.noted[0] == 0:
        march.noted[0], control.step[0] = 1, length
        return CUT_SHORT
    if control.fixed == 0.0:
        adapt_gains(march.stabiliser, pace(march.control, march.stages), end - t)
    march.mechanism.nearness[NEAREST] = 1.0
    march.stages.now[T], march.stages.now[H], march.stages.now[END] = t, end - t, end
    return DONE


@compiled
def _has_stalled(march: IntegratorState) -> bool:
    """Return whether the last `STALL_STEPS` steps made no progress; False where the step or the number of steps was
    given."""
    counts, t, times = march.counts, march.time[0], march.record.times
    total = counts[ACCEPTED] + counts[REJECTED]
    if march.control.most != MOST_STEPS or march.control.fixed > 0.0:
        return False
    if total == 0:
        march.mark_time[0] = t
    if total - counts[MARK] < STALL_STEPS:
        return False
    way = t - march.mark_time[0]
    counts[MARK], march.mark_time[0] = total, t
    stalls = way < STALL_SPAN * (times[times.size - 1] - times[0])
    return stalls and way * pace(march.control, march.stages) < STALL_PACE


@compiled_apart
def conclude(march: IntegratorState, made: int) -> int:
    """Settle the end of the step proposed last, which the method made with the status `made`, if needed, and judge it.
    Return DONE, or why the run goes no further for now."""
    tableau, stages = march.tableau, march.stages
    if not tableau.end_in_error:
        estimate_error(stages)
    if (tableau.means == 1 or tableau.stages == 1) and made == DONE:  # these have no stages within a step
        place, span = -1.0, march.course.at[SPAN]
        if span > 0 and stages.now[T] == march.course.ends[span - 1]:  # a law of time switches here
            place = -1.0 if has_value(march.search, stages.now[T], stages.now[H], 0.5) else 0.5
        if tableau.means == 1 and place < 0.0:
            place = place_without_value(march.search, stages.now[T], stages.now[H])
        if place >= 0.0:
            copy(march.search.y, stages.y0)
            march.time[0], made = stages.now[T] + place * stages.now[H], NOT_FINITE
    if asks_for_end(march, made):
        made = _settle(march, march.stages.now[END])
        if tableau.end_in_error:
            estimate_error(stages)
    return judge(march, made)


@compiled_apart
def judge(march: IntegratorState, status: int) -> int:
    """Accept a step with a settled end and this status, or have another one tried; return DONE, or why the run goes no
    further for now."""
    control, t, end = march.control, march.time[0], march.stages.now[END]
    status, error = judged(march, status)
    if status == DONE and error <= 1.0 and parted_within(march):
        status = LOST  # a shorter step locates the contradiction better
    accepted = status == DONE and error <= 1.0
    otherwise = control.fixed == 0.0 and plan_anew(march, accepted, pace(march.control, march.stages), end - t)
    accepted = accepted and not otherwise
    searched = accepted and is_searched(march.search)
    switching = look_for_switch(march.search, t, end) if searched else NONE
    if switching == LOST_SIGHT:
        return march.search.status[0]
    if switching in (CUT, AT_ONCE):
        put_back(march)
        status = _switch(march, t) if switching == AT_ONCE else DONE
        return EVENT if status == DONE and march.events.passages[0] > 0 else status
    control.error[0] = error
    if accepted and has_event(march, t, end):
        return STEP_EVENT
    return _take(march, status, error, accepted, otherwise, switching == HERE)


@compiled_apart
def take_step_judged(march: IntegratorState) -> int:
    """Accept the step in which events were found, and which was judged good. Return DONE, or why the run goes no
    further for now."""
    switches = is_searched(march.search) and march.search.found[0] == HERE
    return _take(march, DONE, march.control.error[0], True, False, switches)


@compiled
def _take(march: IntegratorState, status: int, error: float, accepted: bool, otherwise: bool, switches: bool) -> int:
    """Accept a step that was judged, or have it tried again; return a status."""
    counts, control, stabiliser = march.counts, march.control, march.stabiliser
    t, end = march.time[0], march.stages.now[END]
    if control.fixed == 0.0 and not otherwise:
        choose_next(control, march.stages, end - t, status, error, accepted)
    if accepted:
        status = _accept(march, t, end, switches)
        if status != DONE:
            return status
    else:
        put_back(march)
        if control.fixed > 0.0:
            return status
        if control.step[0] <= shortest_step(march.record.times):
            return ASTRAY if otherwise else STUCK if status == DONE else status
    counts[ACCEPTED if accepted else REJECTED] += 1
    control.again[0] = 0 if accepted else 1
    if accepted and stabiliser.when == WHERE_NEEDED and near_singular(march.mechanism):
        stabiliser.projected[0] += 1
    if accepted and not march.widest[0] <= DRIFT_LIMIT * march.mechanism.length:
        return LOST
    if accepted and march.events.passages[0] > 0:
        return EVENT
    drifted = accepted and stabiliser.when == NEVER and march.widest[0] > drift_limit(march.mechanism)
    return DRIFTED if drifted else DONE


@compiled
def _end_of_step(march: IntegratorState, t: float) -> float:
    """Return the end of the next step from t: the end of the span, if that is near enough."""
    control, course = march.control, march.course
    if control.step[0] == 0.0:
        control.step[0] = first_step(control, march.stages, t)
    span = course.at[SPAN]
    target = course.ends[span]
    if control.fixed > 0.0:
        begin = course.start if span == 0 else course.ends[span - 1]
        end = begin + (np.floor((t - begin) / control.fixed + 1e-9) + 1.0) * control.fixed
    else:
        end = min(t + aimed(march.tableau, march.crossing.wait[0], control.step[0]), latest_end(course, t))
    end = min(end, march.search.until[0]) if is_searched(march.search) else end
    end = min(end, march.events.until[0]) if march.events.function.size > 0 else end
    return target if t + (end - t) * (1.0 + 1e-9) >= target else end


@compiled
def _accept(march: IntegratorState, t: float, end: float, switches: bool) -> int:
    """Make the end of the step the present, and record requested times up to it; return a status."""
    stages, y0, y1, status = march.stages, march.stages.y0, march.stages.y1, DONE
    note_step(march, t, end, switches)
    watch(march.stiffness, march.control, stages, t, end - t, pace(march.control, march.stages))
    course = march.course
    if march.stabiliser.when != ALWAYS:
        march.widest[0] = max(march.widest[0], widest_gap(march.mechanism))
        status = LOST if parted(march.mechanism) else DONE
    march.turned[0] = max(march.turned[0], _turned_over(march))
    breaks = is_break(course, end)
    if status == DONE:
        remember(march)
        status = record_to(march, t, end, breaks or switches)
        if status == DONE and _drives(march, t, end):
            status = DRIVES
        put_back(march)
    if march.tableau.means == 1:
        state, means = march.mechanism.state, stages.k[march.tableau.stages]
        note_meeting(march.mechanism, end, end - t, y0, y1, means[state.v_at : state.v_end])
    if status in (DONE, LOST):
        copy(y1, y0)
        copy(stages.k[march.tableau.stages], stages.k[0])
        march.time[0] = end
        status = fire_due(march, end) if status == DONE else status
        look_ahead(march.crossing, stages, end - t)
        next_begins(march.search)
    if status == DONE and switches:
        status = _switch(march, end)
    if status == DONE and breaks:
        if course.sampled[course.at[SPAN]] == 1:
            course.at[WAITING] = 1
            return DONE
        status = _next_span(march, BROKE)
    if status == DONE and (breaks or switches):
        _keep_if_asked(march)
    return status


@compiled
def _drives(march: IntegratorState, t: float, end: float) -> bool:
    """Return whether the size of a friction is negative at the end of the step, or within it on the cubic through its
    ends. (Steps with means only are short: their ends suffice.) The last evaluation is that of the end."""
    mechanism, stages, y = march.mechanism, march.stages, march.record.y
    contacts, state, force = mechanism.contacts, mechanism.state, largest(mechanism.machine.f)
    laws = contacts.laws
    laws.sizes_time[0] = end
    _observe_drags(march, end, stages.y1)
    if drives(contacts, force):
        return True
    if march.tableau.means == 1 or not reads_sizes(contacts):
        return False
    for k in range(1, PARTS):
        stages.now[X] = k / PARTS
        read_cubic(stages, y)
        laws.sizes_time[0] = t + stages.now[X] * (end - t)
        at = moment(march.course, laws.sizes_time[0])
        observe_gaps(mechanism, at, y[: state.q_end], y[state.v_at : state.v_end])
        note_sizes(contacts)
        if drives(contacts, force):
            return True
    copy(stages.y1, y)
    observe_gaps(mechanism, moment(march.course, end), y[: state.q_end], y[state.v_at : state.v_end])
    return False


@compiled
def _observe_drags(march: IntegratorState, t: float, y: Vector) -> None:
    """Evaluate the sizes of friction that builds up over a speed at (t, y); evaluations of forces do not keep them."""
    state = march.mechanism.state
    if march.mechanism.contacts.laws.drag_is_force.size > 0:
        observe_gaps(march.mechanism, moment(march.course, t), y[: state.q_end], y[state.v_at : state.v_end])


@compiled_apart
def resume(march: IntegratorState) -> int:
    """Go on after a sampling time, from states that were set; return a status."""
    march.course.at[WAITING] = 0
    status = _next_span(march, SAMPLED)
    if status == DONE:
        _keep_if_asked(march)
    return EVENT if status == DONE and march.events.passages[0] > 0 else status


@compiled
def _keep_if_asked(march: IntegratorState) -> None:
    """Keep the state after a break, as the motion goes on, if its time was requested."""
    k, times = march.counts[NEXT], march.record.times
    if k < times.size and times[k] == march.time[0]:
        keep(march, k, march.stages.y0, march.stages.k[0])
        march.counts[NEXT] += 1


@compiled
def _turned_over(march: IntegratorState) -> float:
    """Return the energy available to the motion at the end of the step."""
    record, works = march.record, march.stages.y1[march.mechanism.state.works_at :]
    raised = record.end_scalars[POTENTIAL] - march.turned[1] + works[STORED]
    return record.end_scalars[KINETIC] + abs(raised) + abs(works[DISSIPATED]) + abs(works[SUPPLIED])


@compiled
def _next_span(march: IntegratorState, how: int) -> int:
    """Go over to the next span, where laws of time have switched, or states were set: choose branches of laws and
    states of contacts on the other side of the break (a force that jumps may release a point that friction held), then
    the derivative and a first step. Return a status."""
    course, control, stages, status = march.course, march.control, march.stages, DONE
    course.at[SPAN] += 1
    if is_searched(march.search):
        status = switched(march.search, march.time[0], stages.y0, stages.k[0], march.search.calls.carry_on)
    if status == DONE:
        status = _begin_anew(march, course.first[course.at[SPAN]], how)
    march.crossing.energy[0] = energy_of(march.record.end_scalars, stages.y0[march.mechanism.state.works_at :])
    control.step[0], control.again[0] = control.fixed, 0
    return status


@compiled
def _switch(march: IntegratorState, t: float) -> int:
    """Change branches at t, and evaluate the derivative; the next step may be as long as without the switch. Return a
    status."""
    y0, k0, search = march.stages.y0, march.stages.k[0], march.search
    status = switched(search, t, y0, k0, search.calls.switch_over)
    if status == DONE:
        status = _begin_anew(march, t, SWITCHED)
    march.crossing.energy[0] = energy_of(march.record.end_scalars, march.stages.y0[march.mechanism.state.works_at :])
    return status


@compiled
def _settle(march: IntegratorState, t: float) -> int:
    """Stabilise y₁, and put y' there: the first stage of the next step. Return a status."""
    y1 = march.stages.y1
    status = put_right(march, t, y1)
    if status != DONE:
        return status
    status = derivative_at_end(march, t, y1, march.stages.k[march.tableau.stages])
    note_end(march)
    return status


@compiled
def note_end(march: IntegratorState) -> None:
    """Note the sizes of friction, the sine and the energy at the end of the step."""
    works = march.stages.y1[march.mechanism.state.works_at :]
    note_sizes(march.mechanism.contacts)
    march.stages.sines[march.tableau.stages] = np.sqrt(march.mechanism.nearness[INDEPENDENCE])
    march.crossing.energy[1] = energy_of(march.record.end_scalars, works)
    gauge_if_doubtful(march.mechanism)
