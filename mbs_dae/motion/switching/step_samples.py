"""Switching functions within a step, sampled at a few places. Compiled.

At each place that is evaluated, a switching function p and its rate ṗ are known. Between two places p is approximated
by the cubic with these values and rates; the next place in between tests the approximation:

    not as predicted  ->  examine the first part alone, then the second
    as predicted      ->  each part has a sixteenth of the error: search it for wrong guards

So smooth functions cost three evaluations a step, and those that turn often as many as they need. The two parts differ
in length, so that places do not fall into step with an oscillation; the first part looks like a smooth function only if
values and rates agree at five places. A bump narrower than the parts around it is not seen.

For a motion that stays on a surface p is the mixture of the branches. Its rate is known by differences only; so is the
rate of a function in Python.
"""

import numpy as np

from ...compiled.signals import assign
from ...compiled.status import DONE, TANGLED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy
from ...symbolic.branches import RANGE, WHOLE
from ...tolerances import (
    EVENT_ROUNDOFF,
    GAP_LEAP,
    GUARD_FLOOR,
    GUARD_NOISE,
    INTERVAL_WIDTH,
    PLACE_ROUNDOFF,
    RATE_INTERVAL,
    RATE_TOLERANCE,
    READING_INTERVAL,
    SURFACE_ROUNDOFF,
    SWITCH_PLACE,
)
from ..contact.gaps import has_gaps_alone, is_open_gap, observe_gaps, put_gap_rates
from ..contact.guards import TOUCH, is_slip, put_contact_scales, put_differences  # fmt: skip
from ..course import moment
from ..derivative import accelerate, evaluate
from ..methods.method import X, prepare_reading, read_between
from ..methods.runge_kutta import read_cubic
from .search import DEEP, Search
from .surfaces import ALL, SLACK
from .switches import guard_of, guard_of_side, is_idle, look, position, read_rates, read_scales, side_of

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
