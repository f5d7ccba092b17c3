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

import numpy as np

from ...compiled.machine import DONE
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import block
from ...linear.vectors import copy
from ...symbolic.branches import WHOLE
from ..course import moment
from ..derivative import accelerate, evaluate
from ..methods.method import Stages, X, prepare_reading, read_between
from ..methods.runge_kutta import read_cubic
from .choosing import carry_on, choose, switch_over
from .search import LOOKS, Search
from .switches import look, natural, read_rates

CHOOSE, SWITCH, SEARCH, CARRY_ON = range(4)
NONE, CUT, HERE, AT_ONCE = range(4)
EXACT = 1e-11
"""A switch that is nearer to the end of a step than this part of it is at its end."""
SOON = 1e-13
"""A switch so soon after the beginning of a step, relative to the time, or to a second near zero, is at it."""
TRIES = 8
"""How often a step is made again to end on a switch."""


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
    if high * h <= SOON * max(abs(t), h, 1.0):
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
    search = Search(stages, functions, float(times[-1] - times[0]))
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
