"""Where a branch ceases to hold within a step, and what holds after it. Compiled.

A step is made with all branches held, and then looked at: where a guard first becomes negative the step should have
ended. It is made again with that end, and again, until the guard is zero there to roundoff; so the motion up to the
switch is a step like any other, at the full order of its method. Then the branch is changed.

    look at the step  ->  NONE: accept it
                          CUT: make it again, up to `until`
                          HERE: accept it; what is `wanted` switches at its end
                          AT_ONCE: what is wanted switches before there is a step at all

A guard that is negative by roundoff right after a switch counts only once it has been positive.
"""

from typing import NamedTuple

import numpy as np

from ...compiled.machine import DONE
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, block, zeros
from ...linear.vectors import copy
from ...symbolic.branches import SIDE, WATCH, WHOLE
from ...tolerances import SMALLEST
from ..course import moment
from ..derivative import accelerate, derivative, evaluate
from ..methods.method import Stages, X, prepare_reading, read_between
from ..methods.runge_kutta import read_cubic
from .switches import hold_all, look, natural, read_rates

CHOOSE, SWITCH, SEARCH, CARRY_ON = range(4)
NONE, CUT, HERE, AT_ONCE = range(4)
LOOKS = 6
"""How often a step is looked at, its ends included; a dip between two looks is looked for, too."""
EXACT = 1e-11
"""A switch that is nearer to the end of a step than this part of it is at its end."""
TRIES = 8
"""How often a step is made again to end on a switch."""
RUSH, BRIEF = 64, 1e-9
"""So many switches within this part of the run are a chatter that does not end."""
ZERO = 1e-9
"""A switching function is zero beside what it was in the last step, and a rate beside that by which a law jumps, if it
is less than this part of it."""
CHATTERS = 17
"""A status: laws switch back and forth without end (see `run` for the others)."""


class Search(NamedTuple):
    """What is known of the next switch."""

    stages: Stages
    functions: Integers
    """The addresses of `CHOOSE`, `SWITCH` and `SEARCH`, so that they are compiled where something switches."""
    start: float
    whole: float
    """When the run begins, and how long it is."""
    span: Work[Vector] = zeros(2)
    """The times at which the step begins and ends."""
    found: Work[Integers] = zeros(1)
    until: Work[Vector] = zeros(1)
    """Where the step is to end; infinite where nothing switches."""
    tries: Work[Integers] = zeros(1)
    begin: Work[Vector] = zeros("switches")
    """The guards at the beginning of the step."""
    armed: Work[Integers] = zeros("switches")
    wanted: Work[Integers] = zeros("switches")
    """Which switching functions pass there (1), and the modes after it."""
    after: Work[Vector] = zeros("switches")
    looks: Work[Matrix] = zeros(LOOKS, "switches")
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    fired: Work[Integers] = zeros("switches")
    """Of what is watched only: the sign that it has had since the last event (1, -1), or 0; and how many there are."""
    passed: Work[Integers] = zeros("switches")
    """Whether it has fired where the motion stands (1)."""
    events: Work[Integers] = zeros(1)
    total: Work[Integers] = zeros(1)
    """How many switches there were; and when the last ones were."""
    times: Work[Vector] = zeros(RUSH)
    status: Work[Integers] = zeros(1)


@compiled_apart
def choose(search: Search, y: Vector, dy: Vector):
    """The branches at the first state, by the signs there; where one is zero, by where the motion goes."""
    _choose(search, y, dy)


@compiled_apart
def carry_on(search: Search, y: Vector, dy: Vector):
    """The same behind a sampling time: a sign that is watched and has passed right there is an event."""
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        search.armed[k] = int(switches.mode[k]) if switches.kinds[k] == WATCH else 0
    _choose(search, y, dy)
    for k in range(switches.kinds.size):
        if search.armed[k] != 0 and int(switches.mode[k]) != search.armed[k]:
            search.fired[k] = int(switches.mode[k])
            search.passed[k] = 1
            search.events[0] += 1


@compiled
def _choose(search, y, dy):
    mechanism, t = search.stages.mechanism, search.span[0]
    switches, state = mechanism.switches, mechanism.state
    switches.slides[:] = 0
    switches.sliding[0] = 0
    switches.mode[:] = np.nan
    hold_all(mechanism)
    now = moment(search.stages.course, t)
    evaluate(mechanism, now, y[: state.q_end], y[state.v_at : state.v_end])
    look(mechanism)
    search.tries[0] = 0
    search.until[0] = np.inf
    search.status[0] = DONE
    search.events[0] = 0
    for k in range(switches.kinds.size):
        switches.mode[k] = 0.0 if search.passed[k] == 1 and _is_left(search, k) else natural(switches, k)
    search.fired[:] = 0
    for k in range(switches.kinds.size):
        search.wanted[k] = 1 if switches.mode[k] == 0.0 and switches.kinds[k] != WHOLE else 0
        switches.mode[k] = 1.0 if search.wanted[k] == 1 else switches.mode[k]
        search.after[k] = switches.mode[k]
    _decide(search, now, y, dy)


@compiled_apart
def switch_over(search: Search, y: Vector, dy: Vector):
    """Change the branches that are wanted, at the end of a step; dy becomes y' after it."""
    t = search.span[0]
    n = search.total[0]
    first = search.times[n % RUSH] if n >= RUSH else -np.inf
    search.times[n % RUSH] = t
    search.total[0] = n + 1
    search.tries[0] = 0
    search.until[0] = np.inf
    search.status[0] = DONE
    if t - first < BRIEF * search.whole:
        search.status[0] = CHATTERS
        return
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        if search.wanted[k] == 1:
            ends = switches.slides[k] == 1
            switches.slides[k] = 0
            switches.sliding[0] -= 1 if ends else 0
            switches.mode[k] = search.after[k]
            if switches.kinds[k] == WATCH:
                search.fired[k] = int(search.after[k])
            search.wanted[k] = 1 if switches.kinds[k] in (SIDE, WATCH) and not ends else 0
    _decide(search, moment(search.stages.course, t), y, dy)
    for k in range(switches.kinds.size):
        if search.fired[k] != 0 and switches.mode[k] != search.after[k]:
            search.fired[k] = 0  # roundoff: the motion goes the other way
        elif search.fired[k] != 0:
            search.passed[k] = 1
            search.events[0] += 1


@compiled
def _is_left(search, k):
    """Whether what has just been passed is zero still, for all that it was in the last step."""
    size = 0.0
    for i in range(LOOKS):
        size = max(size, abs(search.looks[i, k]))
    return abs(search.stages.mechanism.switches.value[k]) <= ZERO * size


@compiled
def _decide(search, t, y, dy):
    """Whether the motion leaves each surface on its new side, on the other one, or stays on it; and y' and all guards
    after that."""
    mechanism = search.stages.mechanism
    switches = mechanism.switches
    hold_all(mechanism)
    for k in range(switches.kinds.size):
        if search.wanted[k] == 0:
            continue
        side = switches.mode[k]
        forward = _leaves(search, t, y, dy, k, side)
        if search.status[0] != DONE or (forward > 0.0 and switches.kinds[k] == WATCH):
            continue
        if switches.kinds[k] == WATCH:
            switches.mode[k] = side if forward == 0.0 else -side
            continue
        backward = _leaves(search, t, y, dy, k, -side)
        least = ZERO * abs(forward + backward)  # of the jump
        if forward > least:
            switches.mode[k] = side
        elif abs(forward + backward) <= ZERO * abs(forward) or (backward > least and forward >= -least):
            switches.mode[k] = side if backward <= 0.0 else -side
        elif backward <= least:
            switches.slides[k] = 1
            switches.sliding[0] += 1
        hold_all(mechanism)
    if search.status[0] == DONE:
        search.status[0] = derivative(mechanism, t, y, dy)
    look(mechanism)
    copy(switches.guard, search.begin)
    search.wanted[:] = 0


@compiled
def _leaves(search, t, y, dy, k, side):
    """How fast the motion leaves surface k towards this side, on the branch of this side."""
    mechanism = search.stages.mechanism
    switches, state = mechanism.switches, mechanism.state
    switches.mode[k] = side
    hold_all(mechanism)
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    search.status[0] = accelerate(mechanism, t, q, v, a)
    read_rates(mechanism, t, q, v, a)
    return side * switches.rate[k]


@compiled_apart
def search_step(search: Search):
    """Look at the step whose end has been evaluated last."""
    stages = search.stages
    mechanism, t, h = stages.mechanism, search.span[0], search.span[1] - search.span[0]
    switches, count = mechanism.switches, mechanism.switches.kinds.size
    search.found[0] = NONE
    look(mechanism)
    copy(switches.guard, search.looks[LOOKS - 1])
    copy(search.begin, search.looks[0])
    turns = stages.implicit.weight.size > 0  # steps of implicit methods may turn bodies too far for a cubic
    if turns:
        search.status[0] = prepare_reading(stages)
    for i in range(1, LOOKS - 1):
        _look_at(search, t, h, i / (LOOKS - 1.0), turns)
        copy(switches.guard, search.looks[i])
    for k in range(count):
        search.armed[k] = 1 if search.looks[0, k] >= 0.0 else 0
    low, high = _bracket(search, t, h)
    if high < 0.0:
        _extend(search, t, h)
        return
    high = _narrowed(search, t, h, low, high)
    if high < 0.0:
        return
    _want(search)
    if high * h <= SMALLEST * max(abs(search.start) + search.whole, h):
        search.found[0] = AT_ONCE
    elif high >= 1.0 - EXACT or (search.tries[0] >= TRIES and high > 0.99):
        search.found[0] = HERE
    else:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + high * h


@compiled
def _look_at(search, t, h, x, closely):
    """All guards at t + x h: by the cubic through both ends of the step, or by the method's own polynomial."""
    stages, y, dy = search.stages, search.y, search.dy
    mechanism = stages.mechanism
    state = mechanism.state
    if closely:
        read_between(stages, x, y)
    else:
        stages.now[X] = x
        read_cubic(stages, y)
    now = moment(stages.course, t + x * h)
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    if mechanism.switches.sliding[0] > 0:
        accelerate(mechanism, now, q, v, dy[state.v_at : state.v_end])
    else:
        evaluate(mechanism, now, q, v)
    look(mechanism)


@compiled
def after_step(search, t, end):
    """What becomes of the step from t to `end`: NONE, CUT, HERE or AT_ONCE."""
    if search.functions.size == 0:
        return NONE
    search.span[0], search.span[1] = t, end
    call_on_block(search.functions[SEARCH], search, ())
    return search.found[0]


@compiled
def switched(search, t, y, dy, function):
    """The branches at t, chosen (CHOOSE) or changed (SWITCH), and y' with them; a status."""
    search.span[0] = t
    call_on_block(search.functions[function], search, (y, dy))
    return search.status[0]


@compiled
def next_begins(search):
    """The end of a step in which nothing switches is where the next one begins."""
    if search.functions.size > 0:
        search.until[0] = np.inf
        search.tries[0] = 0
        search.passed[:] = 0
        copy(search.looks[LOOKS - 1], search.begin)


def new_search(stages: Stages, times: np.ndarray) -> Search:
    count = stages.mechanism.switches.kinds.size
    parts = (choose, switch_over, search_step, carry_on) if count else ()
    functions = np.array([one.compile().address for one in parts], dtype=np.int64)
    search = Search(stages, functions, float(times[0]), float(times[-1] - times[0]))
    return block(search, switches=count, width=stages.mechanism.state.size)


@compiled
def _is_wrong(search, guards):
    """Whether a guard that has been positive is negative."""
    wrong = False
    for k in range(guards.size):
        wrong = wrong or (search.armed[k] == 1 and guards[k] < 0.0)
    return wrong


@compiled
def _bracket(search, t, h):
    """Two places in the step between which a guard first becomes negative; the second is -1 if none does."""
    looks, count = search.looks, search.armed.size
    between = 1.0 / (LOOKS - 1)
    for i in range(1, LOOKS):
        for k in range(count):
            if i + 1 < LOOKS and search.armed[k] == 1 and min(looks[i - 1, k], looks[i, k], looks[i + 1, k]) >= 0.0:
                low, middle, high = looks[i - 1, k], looks[i, k], looks[i + 1, k]
                bend = low - 2.0 * middle + high
                if abs(high - low) < 2.0 * bend and middle - (high - low) ** 2 / (8.0 * bend) < 0.0:
                    x = (i - 0.5 * (high - low) / bend) * between
                    _look_at(search, t, h, x, False)
                    if _is_wrong(search, search.stages.mechanism.switches.guard):
                        return (i - 1) * between, x
        if _is_wrong(search, looks[i]):
            return (i - 1) * between, i * between
        for k in range(count):
            if looks[i, k] >= 0.0:
                search.armed[k] = 1
    for k in range(count):
        if search.armed[k] == 0:  # it never was right: the branch that was left holds
            search.armed[k] = 1
            return 0.0, 0.0
    return 0.0, -1.0


@compiled
def _narrowed(search, t, h, low, high):
    """The first place where a guard is negative, to roundoff; -1 where the method's own polynomial has none. The guards
    there are looked at last."""
    guards = search.stages.mechanism.switches.guard
    if high == 0.0:
        _look_at(search, t, h, 0.0, False)
        return 0.0
    search.status[0] = prepare_reading(search.stages)
    if search.status[0] != DONE:
        return -1.0
    _look_at(search, t, h, high, True)
    if not _is_wrong(search, guards):
        return -1.0
    below, above, sides = np.inf, _least(search, guards), 0
    for _ in range(200):
        if high - low <= 0.1 * EXACT * high:
            break
        x = 0.5 * (low + high)
        if below < np.inf and sides < 3:
            x = (low * above - high * below) / (above - below)
            x = min(max(x, low + 0.01 * EXACT), high - 0.01 * EXACT)
        _look_at(search, t, h, x, True)
        if _is_wrong(search, guards):
            sides += 1
            high, above = x, _least(search, guards)
        else:
            sides = 0
            low, below = x, _least(search, guards)
    _look_at(search, t, h, high, True)
    return high


@compiled
def _least(search, guards):
    least = np.inf
    for k in range(guards.size):
        if search.armed[k] == 1:
            least = min(least, guards[k])
    return least


@compiled
def _want(search):
    """What switches is what is negative now; a sign turns, and a number is the one that holds here."""
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        wrong = search.armed[k] == 1 and switches.guard[k] < 0.0
        search.wanted[k] = 1 if wrong else 0
        if wrong and switches.kinds[k] != WHOLE and switches.slides[k] == 0:
            search.after[k] = -switches.mode[k]
        elif wrong:
            search.after[k] = natural(switches, k)


@compiled
def _extend(search, t, h):
    """A step that was to end on a switch and has stopped just short of it: by how much, by the rate of its guard."""
    if search.tries[0] == 0:
        return
    stages = search.stages
    mechanism, end = stages.mechanism, stages.tableau.stages
    switches, state = mechanism.switches, mechanism.state
    _look_at(search, t, h, 1.0, False)
    y, slopes = stages.y1, stages.k[end]
    v_span = slopes[state.v_at : state.v_end]
    read_rates(mechanism, t + h, y[: state.q_end], y[state.v_at : state.v_end], v_span)
    missing = np.inf
    for k in range(switches.kinds.size):
        if search.wanted[k] == 1 and switches.slides[k] == 0 and switches.kinds[k] != WHOLE:
            rate = switches.mode[k] * switches.rate[k]
            if rate < 0.0:
                missing = min(missing, -switches.guard[k] / rate)
    if missing <= EXACT * h or (search.tries[0] >= TRIES and missing < 0.01 * h):
        search.found[0] = HERE
    elif missing < 0.01 * h:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + h + missing
