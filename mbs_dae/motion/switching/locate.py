"""Where a branch ceases to hold within a step, or a gap closes, and what holds after it. Compiled.

A step is made with all branches held, and then looked at: where a guard first becomes negative the step should have
ended. It is made again with that end, and again, until the guard is zero there to roundoff; so the motion up to the
switch is a step like any other, at the full order of its method. Then the branch is changed.

    look at the step  ->  NONE: accept it
                          CUT: make it again, up to `until`
                          HERE: accept it; the functions marked in `passes_zero` switch at its end
                          AT_ONCE: the functions marked there switch before there is a step at all
                          LOST_SIGHT: `status` says why it cannot be looked at

*Samples of a step.* At each place in it that is evaluated, a switching function p and its rate ṗ are known. Between two
places p is approximated by the cubic with these values and rates; the next place in between tests the approximation:

    not as predicted  ->  examine the first part alone, then the second
    as predicted      ->  each part has a sixteenth of the error: search it for wrong guards

So smooth functions cost three evaluations a step, and those that turn often as many as they need. The two parts differ
in length, so that places do not fall into step with an oscillation; the first part looks like a smooth function only if
values and rates agree at five places. A bump narrower than the parts around it is not seen.

For a motion that stays on a surface p is the mixture of the branches. Its rate is known by differences only; so is the
rate of a function in Python.

*Behind a switch.* A guard that is negative by roundoff right after a switch counts only once it has been positive, or
falls further. Where the motion stands on a surface its branch is chosen by rates (`surfaces`). If a guard is negative
at the very beginning of a step, its rate keeps its sign for less than the step: the step is made shorter, and where it
is as short as makes no difference (`SHORT`), the choice of the branch is refuted, and another one is made.

The page of the package (`switching/__init__`) says what the files are for that are called here.
"""

import numpy as np

from ...compiled.signals import assign
from ...compiled.status import DONE, TANGLED
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Vector, block
from ...kernels.functions import call_table
from ...linear.vectors import copy
from ...symbolic.branches import RANGE, WHOLE
from ...tolerances import (
    EVENT_ROUNDOFF,
    GAP_LEAP,
    GUARD_FLOOR,
    GUARD_NOISE,
    INTERVAL_WIDTH,
    PASSAGE_RATE,
    PLACE_ROUNDOFF,
    RATE_INTERVAL,
    RATE_TOLERANCE,
    READING_INTERVAL,
    SAME_TIME,
    SURFACE_ROUNDOFF,
    SWITCH_PLACE,
)
from ..contact.gaps import has_gaps_alone, is_open_gap, observe_gaps, put_gap_rates
from ..contact.guards import (  # fmt: skip
    TOUCH,
    follow_slips,
    is_slip,
    note_fastest,
    note_slips,
    put_contact_scales,
    put_differences,
)
from ..course import moment
from ..derivative import accelerate, evaluate
from ..implicit.iteration import SHARP
from ..mechanism_record import Switches
from ..methods.method import Stages, X, prepare_reading, read_between
from ..methods.runge_kutta import read_cubic
from .choosing import carry_on, choose, start_over, switch_over
from .pieces import hold_pieces
from .rates import read_rates_here
from .search import AT_ONCE, CUT, DEEP, HERE, LOST_SIGHT, NONE, SHORT, Search, SearchCalls, resolved_until
from .surfaces import ALL, SLACK
from .switches import guard_of, guard_of_side, is_idle, look, natural, position, read_rates, read_scales, side_of
from .wide import stays_wide

PART = 0.47
"""The place at which an interval is divided, as a part of it."""
WHOLE_STEP = 0.7
"""An interval longer than this part of the step is divided in any case."""
TOLD = 0.05
"""A value is as predicted to this part of the largest guard around, or of `GUARD_FLOOR` of the largest in the step."""
MOST = 4000
"""The largest number of evaluations of a step; the rest of the step is made anew."""
CLOSE, CLOSER = 0.01, 6
"""A dip is searched if its predicted least value is as near to zero as the first number, relative to the guard; the
second is the number of refinements, each with a smaller margin."""
DOUBT = 0.1
"""A dip that comes nearer to zero than this part of the size of its guard in the step is searched by the polynomial of
the method. Calibration: in a step of 2/ω of a vibration ω the cubic is off by 2⁴/384 of the amplitude, a tenth of how
far the vibration goes in this step about its turn."""
FRONT, SPARE = 0, DEEP + 2
"""Rows of samples: the place up to which all guards are right, then the next places behind it, the nearest last; and a
spare row."""


@compiled
def look_at(search: Search, t: float, h: float, x: float, closely: bool) -> None:
    """Evaluate all guards at t + x h: by the cubic through both ends of the step, or by the method's own polynomial if
    `closely`."""
    _read(search, x, closely, search.y)
    _evaluate(search, t + x * h)


@compiled_apart
def first_wrong(search: Search, t: float, h: float, closely: bool, is_at_end: bool) -> float:
    """Return a place in the step before which a guard first becomes wrong, -1 if none does. Put the place before it up
    to which none does into row `FRONT`, and the part examined into `part`. `is_at_end`: the last evaluation was at the
    end of the step."""
    guards, samples = search.guards, search.samples
    stages, at = search.stages, samples.at
    guards.size[:] = 0.0
    samples.part[0] = 1.0
    search.doubt[0] = 0
    if closely:
        search.status[0] = prepare_reading(stages)
        if search.status[0] != DONE:
            return -1.0
    _note(search, t, h, 1.0, closely, 1, is_at_end)
    _note(search, t, h, 0.0, closely, FRONT, False)
    for k in range(guards.level.size):
        guards.level[k] = -np.inf if _is_past_telling(search, k) else min(_guard(search, k, FRONT), 0.0)
    top = 1
    for _ in range(MOST):
        samples.count_since[0] += 1
        _note(search, t, h, at[FRONT] + PART * (at[top] - at[FRONT]), closely, top + 1, False)
        if not _is_as_foretold(search, h, top):
            top += 1
            if top > DEEP or at[top - 1] - at[FRONT] <= INTERVAL_WIDTH:
                search.status[0] = TANGLED
                return -1.0
            continue
        for row in (top + 1, top):
            high = _wrong_before(search, t, h, closely, row)
            if high >= 0.0:
                return high
            _go_to(search, row)
        top -= 1
        if top == 0:
            return -1.0
    samples.part[0] = at[FRONT]
    return -1.0


@compiled
def _is_past_telling(search: Search, k: int) -> bool:
    """Return whether all choices of a function are refuted."""
    return search.guards.refuted[search.stages.mechanism.switches.leads[k]] == ALL


@compiled
def _bound(search: Search, k: int) -> float:
    """Return the number below which a guard is wrong. The roundoff of a range is part of its function."""
    guards, switches = search.guards, search.stages.mechanism.switches
    if switches.kinds[k] == RANGE and switches.mode[k] > 0.0:
        return guards.level[k]
    return guards.level[k] - guards.slack[k]


@compiled
def is_wrong(search: Search, guards: Vector) -> bool:
    """Return whether guards are wrong; mark them in `wrong`."""
    found = False
    for k in range(guards.size):
        is_low = guards[k] < _bound(search, k)
        search.guards.wrong[k] = 1 if is_low and not is_idle(search.stages.mechanism.switches, k) else 0
        found = found or search.guards.wrong[k] == 1
    return found


@compiled_apart
def _note(search: Search, t: float, h: float, x: float, closely: bool, row: int, is_there: bool) -> None:
    """Put values and rates at t + x h into a row. The rates are those along the interpolation. `is_there`: the last
    evaluation was at that place."""
    guards, samples = search.guards, search.samples
    mechanism = search.stages.mechanism
    switches = mechanism.switches
    if not has_gaps_alone(mechanism):
        _see(search, t, h, x, closely, is_there)
    else:
        if not is_there:
            look_at(search, t, h, x, closely)
        put_gap_rates(mechanism)
        put_contact_scales(mechanism)
    samples.at[row] = x
    for k in range(switches.kinds.size):
        slides = switches.slides[k] == 1
        samples.values[row, k] = position(switches, k)
        samples.rates[row, k] = 0.0 if is_idle(switches, k) else switches.rate[k]
        guards.size[k] = max(guards.size[k], abs(switches.guard[k]))
        guards.largest[k] = max(guards.largest[k], guards.size[k])
        guards.noise[k] = 1.0 if slides else switches.scale[k]
        guards.slack[k] = SLACK if slides else _slack(search, h, k)


@compiled
def _see(search: Search, t: float, h: float, x: float, closely: bool, is_there: bool) -> None:
    """Evaluate values and rates at t + x h where there is more than open gaps: by differences, where rates are not
    known."""
    guards = search.guards
    y, dy, other = search.y, search.dy, search.other
    mechanism = search.stages.mechanism
    switches, state = mechanism.switches, mechanism.state
    before, after = max(x - READING_INTERVAL, 0.0), min(x + READING_INTERVAL, 1.0)
    span = (after - before) * h
    _read(search, after, closely, other)
    _read(search, before, closely, y)
    for i in range(y.size):
        dy[i] = (other[i] - y[i]) / span
    differs = switches.sliding[0] > 0 or mechanism.contacts.choice.closed_count[0] > 0
    for k in range(switches.kinds.size):
        differs = differs or (switches.blind[k] == 1 and not is_idle(switches, k))
    if differs:
        _evaluate(search, t + before * h)
        for k in range(switches.kinds.size):
            guards.mixture_rate[k] = position(switches, k)
        copy(other, y)
        _evaluate(search, t + after * h)
        for k in range(switches.kinds.size):
            guards.mixture_rate[k] = (position(switches, k) - guards.mixture_rate[k]) / span
    _read(search, x, closely, y)
    if differs or not is_there:
        _evaluate(search, t + x * h)
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    assign(mechanism.signals.drifts, moment(search.stages.course, t + x * h), q, v, dy[: state.q_end])
    read_rates(mechanism, q, v, dy[: state.q_end], dy[state.v_at : state.v_end])
    read_scales(mechanism, q, v, mechanism.length if switches.sliding[0] > 0 else 0.0)
    if differs:
        for k in range(switches.kinds.size):
            if switches.slides[k] == 1 or switches.blind[k] == 1:
                switches.rate[k] = guards.mixture_rate[k]
        put_differences(mechanism, guards.mixture_rate)


@compiled
def sets_out(search: Search, k: int) -> bool:
    """Return whether entry k is a slip that has begun from rest where the step begins."""
    return is_slip(search.stages.mechanism, k) and abs(search.guards.begin[k]) <= RATE_TOLERANCE * search.guards.size[k]


@compiled
def _exactness(search: Search, h: float, k: int) -> float:
    """Return the part of its largest size to which a guard is right.

    A slip begins when friction passes its bound, which may be by a time δ later than located (`delay`). In this time
    its acceleration is against its heading: with ṡ = j (t - δ) the slip s goes back by j δ²/2, which is x²/(1 - 2x), x
    = δ/h, of its size at the end of a step h. A short step after the switch sees this; one of less than 2δ sees nothing
    else."""
    x = search.guards.delay[k] / h
    if x * x <= SWITCH_PLACE or not sets_out(search, k):
        return SWITCH_PLACE
    return x * x / (1.0 - 2.0 * x) if x < 0.4 else np.inf


@compiled
def _slack(search: Search, h: float, k: int) -> float:
    exactness = _exactness(search, h, k)
    return exactness * search.guards.size[k] + _held(search, k) if exactness < np.inf else np.inf


@compiled
def _held(search: Search, k: int) -> float:
    """Return the admissible error of a guard that is zero with the motion, where the motion is held on surfaces; and,
    however short the step, the roundoff of its terms: for a gap at which bodies have just parted, or the sign of a
    force that fades. (Functions of events pass zero where they do.)"""
    switches = search.stages.mechanism.switches
    watched, roundoff = switches.of_events[k] == 1, PLACE_ROUNDOFF * switches.scale[k]
    if switches.kinds[k] >= TOUCH or (switches.sliding[0] == 0 and not watched):
        return roundoff
    if switches.sliding[0] == 0:
        return 0.0
    return max(SURFACE_ROUNDOFF * search.guards.largest[k], EVENT_ROUNDOFF * switches.scale[k] if watched else roundoff)


@compiled
def _read(search: Search, x: float, closely: bool, out: Vector) -> None:
    if closely:
        read_between(search.stages, x, out)
    else:
        search.stages.now[X] = x
        read_cubic(search.stages, out)


@compiled
def _evaluate(search: Search, t: float) -> None:
    """Evaluate all guards at the state in `search.y`."""
    mechanism, y = search.stages.mechanism, search.y
    state = mechanism.state
    now = moment(search.stages.course, t)
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    if has_gaps_alone(mechanism):
        observe_gaps(mechanism, now, q, v)
    elif mechanism.switches.sliding[0] > 0 or mechanism.contacts.choice.closed_count[0] > 0:
        accelerate(mechanism, now, q, v, search.a)
    else:
        evaluate(mechanism, now, q, v)
    look(mechanism)


@compiled
def _guard(search: Search, k: int, row: int) -> float:
    return guard_of(search.stages.mechanism.switches, k, search.samples.values[row, k])


@compiled
def _is_as_foretold(search: Search, h: float, top: int) -> bool:
    """Return whether the value and the rate of every switching function at the place between are those of the cubic
    through both ends. A force may jump, such as that of a pin which comes to the round end of its slot: its values on
    both sides are seen. An open gap may not jump below zero. A function that contains a root has no finite rate where
    the argument of the root is zero; there its rate is that of the chord through both ends. Put 2 into `wrong` for a
    function whose value differs, 1 for one whose rate does."""
    guards, samples = search.guards, search.samples
    at, positions, rates, middle = samples.at, samples.values, samples.rates, top + 1
    width = at[top] - at[FRONT]
    guards.wrong[:] = 0
    if width > WHOLE_STEP:
        return False
    kinds, foretold = search.stages.mechanism.switches.kinds, True
    for k in range(guards.level.size):
        may_jump = kinds[k] >= TOUCH and np.isfinite(positions[middle, k])
        if may_jump and (top == DEEP or (width <= INTERVAL_WIDTH and not _leaps_below_zero(search, k, top))):
            continue
        largest = GUARD_FLOOR * guards.size[k]
        for row in (FRONT, middle, top):
            largest = max(largest, abs(_guard(search, k, row)))
        bound = TOLD * largest + GUARD_NOISE * guards.noise[k]
        rise, first = positions[top, k] - positions[FRONT, k], positions[middle, k] - positions[FRONT, k]
        for row in (FRONT, top):
            rates[row, k] = rates[row, k] if np.isfinite(rates[row, k]) else rise / (width * h)
        a, b = rates[FRONT, k] * width * h, rates[top, k] * width * h
        c, d = 3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise
        value = positions[FRONT, k] + PART * (a + PART * (c + PART * d))
        slope = a + PART * (2.0 * c + PART * 3.0 * d)
        near = abs(value - positions[middle, k]) <= bound
        rates[middle, k] = rates[middle, k] if np.isfinite(rates[middle, k]) else slope / (width * h)
        if width <= RATE_INTERVAL and abs(first) <= bound and abs(rise - first) <= bound:
            continue
        if not (near and abs(slope - rates[middle, k] * width * h) <= 4.0 * bound):  # nor where they are not finite
            guards.wrong[k], foretold = 1 if near else 2, False
    return foretold


@compiled
def _leaps_below_zero(search: Search, k: int, top: int) -> bool:
    """Return whether entry k is the gap of an open point that jumps from above zero to deep below it."""
    samples = search.samples
    mechanism, after = search.stages.mechanism, min(samples.values[top, k], samples.values[top + 1, k])
    deep = after < -GAP_LEAP * mechanism.machine.extent
    return deep and samples.values[FRONT, k] > 0.0 and is_open_gap(mechanism, k)


@compiled
def _wrong_before(search: Search, t: float, h: float, closely: bool, row: int) -> float:
    """Return a place up to that of a row where a guard is wrong; -1 if there is none."""
    guards = search.guards
    switches = search.stages.mechanism.switches
    for _ in range(CLOSER):  # a dip may show larger guards, beside which another dip is negligible
        found = -1.0
        for k in range(guards.level.size):
            if _guard(search, k, row) < _bound(search, k):
                found = search.samples.at[row]
        for k in range(guards.level.size):
            for side in (1.0, -1.0):
                if switches.kinds[k] == WHOLE or switches.slides[k] == 1 or side_of(switches, k) == side:
                    dip = _dip(search, t, h, closely, row, k, side)
                    found = dip if found < 0.0 or 0.0 <= dip < found else found
        if found < 0.0:
            return -1.0
        look_at(search, t, h, found, closely)
        if is_wrong(search, switches.guard):
            return found
    return found


@compiled
def _dip(search: Search, t: float, h: float, closely: bool, row: int, k: int, side: float) -> float:
    """Return where a guard that is right at both ends becomes wrong in between, by the least value of its cubic; -1 if
    it does not. The guard is that of the bound on this side: the bound itself does not change its shape."""
    guards, samples = search.guards, search.samples
    at, switches = samples.at, search.stages.mechanism.switches
    bound = _bound(search, k)
    shift = guard_of_side(switches, k, side, 0.0)
    low, high = at[FRONT], at[row]
    f, g = shift + side * samples.values[FRONT, k], shift + side * samples.values[row, k]
    a, b = side * samples.rates[FRONT, k] * h, side * samples.rates[row, k] * h
    margin = CLOSE * max(abs(f), abs(g))
    for _ in range(CLOSER):
        width = high - low
        x, least = least_of_cubic(f, width * a, g, width * b)
        if min(f, g) < bound or x <= 0.0 or x >= 1.0:
            return -1.0
        if not closely and least <= bound + DOUBT * guards.size[k]:
            search.doubt[0] = 1
        if least > bound + margin:
            x, least = least_of_tangents(f, width * a, g, width * b)
            if least > bound:
                return -1.0
        x = min(max(x, 0.01), 0.99)
        _note(search, t, h, low + x * width, closely, SPARE, False)
        middle, slope = shift + side * samples.values[SPARE, k], side * samples.rates[SPARE, k] * h
        if middle < bound:
            return at[SPARE]
        if slope < 0.0:
            low, f, a = at[SPARE], middle, slope
        else:
            high, g, b = at[SPARE], middle, slope
        margin *= CLOSE
    return -1.0


@compiled
def least_of_cubic(f: float, a: float, g: float, b: float) -> tuple[float, float]:
    """Return where between 0 and 1 the cubic with these ends and slopes has its local minimum, and its value there; 0
    and the value at 0 without one."""
    c, d = 3.0 * (g - f) - 2.0 * a - b, a + b - 2.0 * (g - f)
    square = c * c - 3.0 * d * a
    x = 0.0
    if square > 0.0 and c > 0.0:
        x = -a / (c + np.sqrt(square))
    elif square > 0.0 and d > 0.0:
        x = (np.sqrt(square) - c) / (3.0 * d)
    return x, f + x * (a + x * (c + x * d))


@compiled
def least_of_tangents(f: float, a: float, g: float, b: float) -> tuple[float, float]:
    """Return where the tangents at both ends meet, and the value there: no function that bends one way is lower, such
    as the distance of a body that flies past another."""
    if not a < 0.0 < b:
        return 0.0, np.inf
    x = (g - f - b) / (a - b)
    return x, f + a * x


@compiled
def _go_to(search: Search, row: int) -> None:
    """Mark the guards as right up to the place of this row."""
    samples = search.samples
    samples.at[FRONT] = samples.at[row]
    copy(samples.values[row], samples.values[FRONT])
    copy(samples.rates[row], samples.rates[FRONT])
    for k in range(search.guards.level.size):
        if _guard(search, k, FRONT) >= 0.0 and not _is_past_telling(search, k):
            search.guards.level[k] = 0.0


TRIES = 60
"""The number of times that a step is made again to end on a switch, before a hundredth of it is near enough: where
several laws switch at once it may take some tens. Twice as many at most."""
SHORTER = 0.1
"""The factor by which a step is shortened that goes wrong at once."""


@compiled_apart
def search_step(search: Search) -> None:
    """Examine the step whose end has been evaluated last for switches; put the finding into `found`."""
    guards, samples = search.guards, search.samples
    stages = search.stages
    switches, t, h = stages.mechanism.switches, search.span[0], search.span[1] - search.span[0]
    search.found[0] = NONE
    look(stages.mechanism)
    note_slips(stages.mechanism, True)
    copy(switches.value, guards.value)
    copy(switches.guard, guards.end)
    nothing = SAME_TIME * max(abs(t), h, 1.0) / h
    closely = stages.implicit.weight.size > 0  # steps of implicit methods may turn bodies too far for a cubic
    if not closely and stays_wide(search, t, h):
        return
    high = first_wrong(search, t, h, closely, not has_gaps_alone(stages.mechanism))  # of these it was looked elsewhere
    if (high >= 0.0 or search.doubt[0] == 1) and not closely:
        high = first_wrong(search, t, h, True, False)
    if search.status[0] != DONE:
        search.found[0] = LOST_SIGHT
        return
    if (high < 0.0 and samples.part[0] < min(nothing, 1.0)) or search.tries[0] > 2 * TRIES:
        search.status[0], search.found[0] = TANGLED, LOST_SIGHT
        return
    if high < 0.0 and samples.part[0] < 1.0:
        guards.passes_zero[:] = 0
        search.tries[0] += 1
        search.found[0] = CUT
        search.until[0] = t + samples.part[0] * h
        return
    if high < 0.0:
        if search.tries[0] > 0 or _wants_at_end(search, h):
            _extend(search, t, h, max(SWITCH_PLACE, nothing))
            _note_late(search, h, max(SWITCH_PLACE, nothing))
        return
    high = _narrowed(search, t, h, samples.at[FRONT], high, nothing)
    at_once, is_short = high <= nothing, h <= SHORT * search.whole
    if at_once and not is_short and _is_refuted(search):
        search.found[0] = CUT
        search.tries[0] = 0
        search.until[0] = t + SHORTER * h
        if closely:
            stages.implicit.flags[SHARP] = 1  # a slip that begins from rest is below the tolerance of Newton's method
    elif at_once:
        if not is_short:
            _put_off_slips(search)
        search.found[0] = AT_ONCE
    elif high >= 1.0 - max(SWITCH_PLACE, nothing) or (search.tries[0] >= TRIES and high > 0.99):
        search.found[0] = HERE
    else:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + high * h
    _note_late(search, h, max(SWITCH_PLACE, nothing))


@compiled
def _note_late(search: Search, h: float, exact: float) -> None:
    """Note by how much later than located each guard may pass zero: by the part `exact` of the step h, or by a
    hundredth of h where `TRIES` cuts have not located the passage."""
    guards = search.guards
    part = 0.01 if search.tries[0] >= TRIES else exact
    for k in range(guards.passes_zero.size):
        if guards.passes_zero[k] == 1 and search.found[0] in (HERE, AT_ONCE):
            guards.delay[k] = part * h


@compiled
def _is_refuted(search: Search) -> bool:
    """Return whether all branches that switch were chosen at the beginning of the step, where their rates contradict
    the switch: a branch on its surface, or a slip that begins from rest. (In a long step of an implicit method such a
    slip may go backwards at first, by less than the tolerance.)"""
    guards = search.guards
    refuted = True
    for k in range(guards.passes_zero.size):
        refuted = refuted and (guards.passes_zero[k] == 0 or guards.surface[k] != 0 or sets_out(search, k))
    return refuted


@compiled
def _put_off_slips(search: Search) -> None:
    """Postpone the switches of slips that begin from rest where something else switches at once: the step is too long
    to refute these slips."""
    guards = search.guards
    for k in range(guards.passes_zero.size):
        if guards.passes_zero[k] == 1 and sets_out(search, k):
            guards.passes_zero[k] = 0


@compiled
def is_searched(search: Search) -> bool:
    """Return whether there are laws or contacts that may switch."""
    mechanism = search.stages.mechanism
    return search.calls.search_step != 0 and mechanism.switches.acting + mechanism.contacts.points.entries > 0


@compiled
def look_for_switch(search: Search, t: float, end: float) -> int:
    """Look for switches of all functions that are not idle in the step from t to `end`; return the finding: NONE, CUT,
    HERE, AT_ONCE or LOST_SIGHT."""
    search.span[0], search.span[1] = t, end
    call_on_block(search.calls.search_step, search, ())
    return search.found[0]


@compiled
def switched(search: Search, t: float, y: Vector, dy: Vector, call: int) -> int:
    """Choose or change branches at t, and put y' into dy, by one of the `SearchCalls`. Return a status."""
    search.instant[0] = t
    call_on_block(call, search, (y, dy))
    return search.status[0]


@compiled
def next_begins(search: Search) -> None:
    """Begin the next step at the end of an accepted one."""
    if is_searched(search):
        call_on_block(search.calls.go_on_as_held, search, ())


@compiled_apart
def go_on_as_held(search: Search) -> None:
    """Carry the guards at the end of the step over to the beginning of the next one, and hold its branches."""
    guards = search.guards
    search.until[0] = resolved_until(search, search.span[1])
    search.tries[0] = 0
    guards.surface[:] = guards.refuted[:] = 0
    if search.stages.implicit.weight.size > 0:
        search.stages.implicit.flags[SHARP] = 0
    copy(guards.end, guards.begin)
    note_fastest(search.stages.mechanism.contacts)
    follow_slips(search.stages.mechanism, guards.begin)
    hold_pieces(search)


def new_search(stages: Stages, looks: bool = True) -> Search:
    """Return a search for a method that `looks` for switches, in a run whose length is not known yet."""
    count = stages.mechanism.switches.kinds.size
    calls, state = SearchCalls(0, 0, 0, 0, 0, 0), stages.mechanism.state
    if count and looks:
        calls = call_table(SearchCalls, choose, switch_over, search_step, carry_on, start_over, go_on_as_held)
    return block(Search(stages, calls, 0.0), switches=count, width=state.size, speeds=state.v_end - state.v_at)


@compiled
def _narrowed(search: Search, t: float, h: float, low: float, high: float, nothing: float) -> float:
    """Return the first place where a wrong guard is below its level, to roundoff, as a part of the step. Mark the
    functions that switch there in `passes_zero`, with their next modes in `after`: a sign turns, an integer is the one
    that holds."""
    guards = search.guards
    below, above, sides = np.inf, -np.inf, 0
    for _ in range(200):
        if high - low <= 0.1 * SWITCH_PLACE * high or high <= nothing:
            break
        x = 0.5 * (low + high)
        if below < np.inf and above > -np.inf and sides < 3:
            x = (low * above - high * below) / (above - below)
            x = min(max(x, low + 0.01 * SWITCH_PLACE), high - 0.01 * SWITCH_PLACE)
        look_at(search, t, h, x, True)
        least = _least(search)
        if least < 0.0:
            sides += 1
            high, above = x, least
        else:
            sides = 0
            low, below = x, least
    look_at(search, t, h, high, True)
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        passes = above == -np.inf or switches.guard[k] < guards.level[k]
        guards.passes_zero[k] = 1 if guards.wrong[k] == 1 and passes else 0
        turns = switches.kinds[k] != WHOLE and switches.slides[k] == 0
        guards.after[k] = -switches.mode[k] if turns else natural(switches, k)
    return high


@compiled
def _least(search: Search) -> float:
    """Return the least difference between a wrong guard and its level."""
    guards, least = search.stages.mechanism.switches.guard, np.inf
    for k in range(guards.size):
        if search.guards.wrong[k] == 1:
            least = min(least, guards[k] - search.guards.level[k])
    return least


@compiled
def _wants_at_end(search: Search, h: float) -> bool:
    """Mark in `passes_zero` the signs whose guards are zero at the end of the step and fall; return whether there are
    any."""
    guards = search.guards
    switches, found = search.stages.mechanism.switches, False
    for k in range(switches.kinds.size):
        is_sign = switches.kinds[k] != WHOLE and switches.slides[k] == 0 and guards.level[k] == 0.0
        is_sign = is_sign and not is_idle(switches, k)
        is_zero = is_sign and abs(guards.end[k]) <= guards.slack[k]
        falls = side_of(switches, k) * search.samples.rates[FRONT, k] * h < -max(
            PASSAGE_RATE * guards.size[k], guards.slack[k]
        )
        guards.passes_zero[k] = 1 if is_zero and falls else 0
        guards.after[k] = -switches.mode[k]
        found = found or guards.passes_zero[k] == 1
    return found


@compiled
def _extend(search: Search, t: float, h: float, exact: float) -> None:
    """Judge a step that was to end on a switch and has stopped just short of it, by the rates of the guards: accept it,
    or make it again with a later end."""
    stages = search.stages
    mechanism, end = stages.mechanism, stages.tableau.stages
    switches, state = mechanism.switches, mechanism.state
    look_at(search, t, h, 1.0, False)
    y, slopes = stages.y1, stages.k[end]
    now = moment(stages.course, t + h)
    read_rates_here(mechanism, now, y[: state.q_end], y[state.v_at : state.v_end], slopes[state.v_at : state.v_end])
    missing = np.inf
    for k in range(switches.kinds.size):
        if search.guards.passes_zero[k] == 1:
            missing = min(missing, _missing(switches, k))
    if missing <= exact * h or (search.tries[0] >= TRIES and missing < 0.01 * h):
        search.found[0] = HERE
    elif missing < 0.01 * h:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + h + missing


@compiled
def _missing(switches: Switches, k: int) -> float:
    """Return the time in which a guard becomes zero at its present rate; infinite where it does not."""
    guard, mode = switches.guard[k], side_of(switches, k)
    if switches.slides[k] == 1:
        return 0.0 if guard <= SLACK else np.inf
    towards = mode if switches.kinds[k] != WHOLE else 1.0 if switches.value[k] < mode + 0.5 else -1.0
    rate = towards * switches.rate[k]
    return -guard / rate if rate < 0.0 else np.inf
