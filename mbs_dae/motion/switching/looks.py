"""How switching functions change within a step, seen at a few places. Compiled.

Where a step is looked at, each switching function p and its rate ṗ are known. Between two places it is taken for the
cubic that has these values and rates; the next place in between tells whether it is:

    not as foretold  ->  look at the first part alone, then at the second
    as foretold      ->  each part has a sixteenth of the error: it is searched for what is wrong in it

So smooth functions cost three looks a step, and those that turn often as many as they need. The two parts differ in
length, so that places do not fall into step with an oscillation; the first one looks like a smooth function only if
values and rates agree at five places. What neither shows is not seen: a bump that is narrower than the parts around it.

Of a motion that stays on a surface p is the mixture of the branches. Its rate is known by its difference only; so is
that of a function in Python.
"""

import numpy as np

from ...compiled.signals import assign
from ...compiled.status import DONE, TANGLED
from ...kernels.abi import compiled, compiled_apart
from ...linear.vectors import copy
from ...symbolic.branches import WHOLE
from ..contact.guards import (
    TOUCH,
    has_gaps_alone,
    is_open_gap,
    is_slip,
    observe_gaps,
    put_contact_rates,
    put_contact_scales,
    put_differences,
)  # fmt: skip
from ..course import moment
from ..derivative import accelerate, evaluate
from ..methods.method import X, prepare_reading, read_between
from ..methods.runge_kutta import read_cubic
from .search import DEEP, Search
from .settling import ALL, SLACK, ZERO
from .switches import guard_of, guard_of_side, is_idle, look, position, read_rates, read_scales, side_of

PART = 0.47
"""Where an interval is divided."""
WHOLE_STEP = 0.7
"""A part of the step this long is divided in any case."""
TOLD = 0.05
"""A value is as foretold to this part of the largest guard around, or of `FAINT` of the largest in the step."""
FAINT, NOISE = 1e-6, 1e-9
"""What is fainter than this part of the state is roundoff: of rates over the time that is looked at."""
EXACT = 1e-11
"""Guards are right to this part of their largest size; a switch that is nearer to the end of a step than this part of
it, or than times are told apart, is at its end."""
HELD, STILL = 1e-14, 1e-12
"""Where a motion is held on a surface, what is zero with it is so to this part of the largest that it has been; what is
watched only, to this part of what it is made of, for a motion of the model's length a second."""
PLACED = 2e-15
"""Of how far the model reaches: where bodies are is known to that; so are forces, of what they are made of."""
MOST = 4000
"""So often a step is looked at; what is left of it is made anew."""
NARROW = 4e-16
"""A part of a step that no number divides any more."""
LEAP = 1e-6
"""An open gap that is this part of how far the model reaches below zero, behind a part of a step that no number
divides, has jumped there: bodies do not meet."""
CLOSE, CLOSER = 0.01, 6
"""A dip is looked for if it is foretold to come this near to zero; and so often more closely, with as much less of a
margin."""
NEAR = 1e-4
"""The part of a step over which readings are differenced."""
DOUBT = 0.1
"""A dip that comes nearer to zero than this part of the size of its guard in the step is looked for by the polynomial
of the method. Calibration: in a step of 2/ω of a vibration ω the cubic is off by 2⁴/384 of the amplitude, a tenth of
how far the vibration goes in this step about its turn."""
LEFT, SPARE = 0, DEEP + 2
"""Rows of what is noted: the place up to which all is right, the next ones behind it, the nearest last; and another."""


@compiled
def look_at(search, t, h, x, closely):
    """All guards at t + x h: by the cubic through both ends of the step, or by the method's own polynomial."""
    _read(search, x, closely, search.y)
    _evaluate(search, t + x * h)


@compiled_apart
def first_wrong(search: Search, t: float, h: float, closely: bool, is_at_end: bool):
    """A place in the step before which a guard first becomes wrong, -1 if none does. The place before it up to which
    none does stands at `LEFT`, how far it was looked in `seen`. `is_at_end`: that is where the last evaluation was."""
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
    _note(search, t, h, 0.0, closely, LEFT, False)
    for k in range(guards.level.size):
        guards.level[k] = -np.inf if _is_past_telling(search, k) else min(_guard(search, k, LEFT), 0.0)
    top = 1
    for _ in range(MOST):
        samples.count_since[0] += 1
        _note(search, t, h, at[LEFT] + PART * (at[top] - at[LEFT]), closely, top + 1, False)
        if not _is_as_foretold(search, h, top):
            top += 1
            if top > DEEP or at[top - 1] - at[LEFT] <= NARROW:
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
    samples.part[0] = at[LEFT]
    return -1.0


@compiled
def _is_past_telling(search, k):
    """Whether all choices are refuted."""
    return search.guards.refuted[search.stages.mechanism.switches.leads[k]] == ALL


@compiled
def is_wrong(search, guards):
    """Whether guards are wrong; which ones is left in `wrong`."""
    found = False
    for k in range(guards.size):
        is_low = guards[k] < search.guards.level[k] - search.guards.slack[k]
        search.guards.wrong[k] = 1 if is_low and not is_idle(search.stages.mechanism.switches, k) else 0
        found = found or search.guards.wrong[k] == 1
    return found


@compiled_apart
def _note(search: Search, t: float, h: float, x: float, closely: bool, row: int, is_there: bool):
    """Values and rates at t + x h, into a row. The rates are those along what is read. `is_there`: that is where the
    last evaluation was."""
    guards, samples = search.guards, search.samples
    mechanism = search.stages.mechanism
    switches = mechanism.switches
    if not has_gaps_alone(mechanism):
        _see(search, t, h, x, closely, is_there)
    else:
        if not is_there:
            look_at(search, t, h, x, closely)
        put_contact_rates(mechanism)
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
def _see(search, t, h, x, closely, is_there):
    """Values and rates at t + x h where there is more than open gaps: by differences, where rates are not known."""
    guards = search.guards
    y, dy, other = search.y, search.dy, search.other
    mechanism = search.stages.mechanism
    switches, state = mechanism.switches, mechanism.state
    before, after = max(x - NEAR, 0.0), min(x + NEAR, 1.0)
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
def sets_out(search, k):
    """Return whether entry k is a slip that has set out from rest where the step begins."""
    return is_slip(search.stages.mechanism, k) and abs(search.guards.begin[k]) <= ZERO * search.guards.size[k]


@compiled
def _exactness(search, h, k):
    """Return the part of its largest size to which a guard is right.

    A slip sets out when friction passes its bound, which it may do by a time δ later than it is found to (`late`). For
    so long its acceleration is against its heading: with ṡ = j (t - δ) the slip s goes back by j δ²/2, which is
    x²/(1 - 2x), x = δ/h, of its size at the end of a step h. A short step behind the switch sees this; one of less than
    2δ sees nothing else."""
    x = search.guards.delay[k] / h
    if x * x <= EXACT or not sets_out(search, k):
        return EXACT
    return x * x / (1.0 - 2.0 * x) if x < 0.4 else np.inf


@compiled
def _slack(search, h, k):
    exactness = _exactness(search, h, k)
    return exactness * search.guards.size[k] + _held(search, k) if exactness < np.inf else np.inf


@compiled
def _held(search, k):
    """What may be left of a guard that is zero with the motion, where that is held on surfaces; and, however short the
    step, roundoff of what it is made of: of a gap by which bodies have just parted, of the sign of a force that fades.
    (What is watched passes where it does.)"""
    switches = search.stages.mechanism.switches
    watched, roundoff = switches.heard[k] == 1, PLACED * switches.scale[k]
    if switches.kinds[k] >= TOUCH or (switches.sliding[0] == 0 and not watched):
        return roundoff
    if switches.sliding[0] == 0:
        return 0.0
    return max(HELD * search.guards.largest[k], STILL * switches.scale[k] if watched else roundoff)


@compiled
def _read(search, x, closely, out):
    if closely:
        read_between(search.stages, x, out)
    else:
        search.stages.now[X] = x
        read_cubic(search.stages, out)


@compiled
def _evaluate(search, t):
    """All guards at the state in `search.y`."""
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
def _guard(search, k, row):
    return guard_of(search.stages.mechanism.switches, k, search.samples.values[row, k])


@compiled
def _is_as_foretold(search, h, top):
    """Whether the place between is where the cubic through both ends has it, of every switching function. A force may
    jump, as that of a pin which comes to the round end of its slot: its values on both sides are seen. A gap that is
    open may not jump below zero. `wrong` has 2 for a function whose value is another one, 1 where its rate is."""
    guards, samples = search.guards, search.samples
    at, positions, rates, middle = samples.at, samples.values, samples.rates, top + 1
    width = at[top] - at[LEFT]
    guards.wrong[:] = 0
    if width > WHOLE_STEP:
        return False
    kinds, foretold = search.stages.mechanism.switches.kinds, True
    for k in range(guards.level.size):
        may_jump = kinds[k] >= TOUCH and np.isfinite(positions[middle, k])
        if may_jump and (top == DEEP or (width <= NARROW and not _leaps_below_zero(search, k, top))):
            continue
        largest = FAINT * guards.size[k]
        for row in (LEFT, middle, top):
            largest = max(largest, abs(_guard(search, k, row)))
        bound = TOLD * largest + NOISE * guards.noise[k]
        rise, a, b = positions[top, k] - positions[LEFT, k], rates[LEFT, k] * width * h, rates[top, k] * width * h
        c, d = 3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise
        value = positions[LEFT, k] + PART * (a + PART * (c + PART * d))
        slope = a + PART * (2.0 * c + PART * 3.0 * d)
        near = abs(value - positions[middle, k]) <= bound
        if not (near and abs(slope - rates[middle, k] * width * h) <= 4.0 * bound):  # nor where they are no numbers
            guards.wrong[k], foretold = 1 if near else 2, False
    return foretold


@compiled
def _leaps_below_zero(search, k, top):
    """Whether entry k is the gap of a point that is open, and jumps from above zero to deep below it."""
    samples = search.samples
    mechanism, after = search.stages.mechanism, min(samples.values[top, k], samples.values[top + 1, k])
    deep = after < -LEAP * mechanism.machine.extent
    return deep and samples.values[LEFT, k] > 0.0 and is_open_gap(mechanism, k)


@compiled
def _wrong_before(search, t, h, closely, row):
    """A place up to that of a row where a guard is wrong; -1 if there is none."""
    guards = search.guards
    switches = search.stages.mechanism.switches
    for _ in range(CLOSER):  # looking at a dip may show larger guards, beside which another dip is none
        found = -1.0
        for k in range(guards.level.size):
            if _guard(search, k, row) < guards.level[k] - guards.slack[k]:
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
def _dip(search, t, h, closely, row, k, side):
    """Where a guard that is right at both ends becomes wrong in between, by the least value of its cubic: -1 if it does
    not. The guard is that of the bound to this side: a bound itself does not matter to its shape."""
    guards, samples = search.guards, search.samples
    at, switches = samples.at, search.stages.mechanism.switches
    bound = guards.level[k] - guards.slack[k]
    shift = guard_of_side(switches, k, side, 0.0)
    low, high = at[LEFT], at[row]
    f, g = shift + side * samples.values[LEFT, k], shift + side * samples.values[row, k]
    a, b = side * samples.rates[LEFT, k] * h, side * samples.rates[row, k] * h
    margin = CLOSE * max(abs(f), abs(g))
    for _ in range(CLOSER):
        width = high - low
        x, least = _least_of_cubic(f, width * a, g, width * b)
        if min(f, g) < bound or x <= 0.0 or x >= 1.0:
            return -1.0
        if not closely and least <= bound + DOUBT * guards.size[k]:
            search.doubt[0] = 1
        if least > bound + margin:
            x, least = _least_of_tangents(f, width * a, g, width * b)
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
def _least_of_cubic(f, a, g, b):
    """Where between 0 and 1 the cubic with these ends and slopes has its local minimum, and what it is there; 0 without
    one."""
    c, d = 3.0 * (g - f) - 2.0 * a - b, a + b - 2.0 * (g - f)
    square = c * c - 3.0 * d * a
    x = 0.0
    if square > 0.0 and c > 0.0:
        x = -a / (c + np.sqrt(square))
    elif square > 0.0 and d > 0.0:
        x = (np.sqrt(square) - c) / (3.0 * d)
    return x, f + x * (a + x * (c + x * d))


@compiled
def _least_of_tangents(f, a, g, b):
    """Where the tangents at both ends meet, and how low: no function that bends one way goes lower, such as the
    distance of a body that flies past another."""
    if not a < 0.0 < b:
        return 0.0, np.inf
    x = (g - f - b) / (a - b)
    return x, f + a * x


@compiled
def _go_to(search, row):
    """All is right up to the place of this row."""
    samples = search.samples
    samples.at[LEFT] = samples.at[row]
    copy(samples.values[row], samples.values[LEFT])
    copy(samples.rates[row], samples.rates[LEFT])
    for k in range(search.guards.level.size):
        if _guard(search, k, LEFT) >= 0.0 and not _is_past_telling(search, k):
            search.guards.level[k] = 0.0
