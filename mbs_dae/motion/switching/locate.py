"""Where a branch ceases to hold within a step, and what holds after it. Compiled.

A step is made with all branches held, and then looked at: where a guard first becomes negative the step should have
ended. It is made again with that end, and again, until the guard is zero there to roundoff; so the motion up to the
switch is a step like any other, at the full order of its method. Then the branch is changed.

    look at the step  ->  NONE: accept it
                          CUT: make it again, up to `until`
                          HERE: accept it; what is `wanted` switches at its end
                          AT_ONCE: what is wanted switches before there is a step at all

A guard that is negative by roundoff right after a switch counts only once it has been positive, or falls further. Where
the motion stands on a surface its branch is chosen by rates (`settling`). A step that goes wrong at once says that the
rate holds for less than the step: it is made shorter, and where it is as short as makes no difference (`SHORT`), the
choice is refuted, and another one is made.
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
from .search import LOOKS, SHORT, Search, largest
from .settling import ALL, SLACK
from .switches import look, natural, read_rates

CHOOSE, SWITCH, SEARCH, CARRY_ON = range(4)
NONE, CUT, HERE, AT_ONCE = range(4)
EXACT = 1e-11
"""A switch that is nearer to the end of a step than this part of it, or than times are told apart, is at its end."""
SOON = 1e-13
"""Times are told apart that differ by more than this, relative to the time, or to a second near zero."""
TRIES = 8
"""How often a step is made again to end on a switch."""
SHORTER = 0.1
"""By how much a step is shortened that goes wrong at once."""


@compiled_apart
def search_step(search: Search):
    """Look at the step whose end has been evaluated last."""
    stages = search.stages
    switches, t, h = stages.mechanism.switches, search.span[0], search.span[1] - search.span[0]
    search.found[0] = NONE
    look(stages.mechanism)
    copy(switches.value, search.value)
    copy(switches.guard, search.looks[LOOKS - 1])
    copy(search.begin, search.looks[0])
    nothing = SOON * max(abs(t), h, 1.0) / h
    closely = stages.implicit.weight.size > 0  # steps of implicit methods may turn bodies too far for a cubic
    low, high = _bracket(search, t, h, closely)
    if high >= 0.0 and not closely:
        low, high = _bracket(search, t, h, True)
    if high < 0.0:
        if search.tries[0] > 0:
            _extend(search, t, h, max(EXACT, nothing))
        return
    high = _narrowed(search, t, h, low, high, nothing)
    at_once = high <= nothing
    if at_once and h > SHORT * search.whole and _is_refuted(search):
        search.found[0] = CUT
        search.tries[0] = 0
        search.until[0] = t + SHORTER * h
    elif at_once:
        search.found[0] = AT_ONCE
    elif high >= 1.0 - max(EXACT, nothing) or (search.tries[0] >= TRIES and high > 0.99):
        search.found[0] = HERE
    else:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + high * h


@compiled
def _is_refuted(search):
    """Whether all that switches was chosen at the beginning of the step, where its rate said that it would not."""
    refuted = True
    for k in range(search.wanted.size):
        refuted = refuted and (search.wanted[k] == 0 or search.surface[k] != 0)
    return refuted


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
        search.passed[:] = search.surface[:] = search.refuted[:] = 0
        copy(search.looks[LOOKS - 1], search.begin)


def new_search(stages: Stages, times: np.ndarray) -> Search:
    count = stages.mechanism.switches.kinds.size
    parts = (choose, switch_over, search_step, carry_on) if count else ()
    functions = np.array([one.compile().address for one in parts], dtype=np.int64)
    search = Search(stages, functions, float(times[-1] - times[0]))
    return block(search, switches=count, width=stages.mechanism.state.size)


@compiled
def _bracket(search, t, h, closely):
    """Two places in the step between which a guard first becomes wrong; the second is -1 if none does."""
    looks, count, guards = search.looks, search.level.size, search.stages.mechanism.switches.guard
    between = 1.0 / (LOOKS - 1)
    if closely:
        search.status[0] = prepare_reading(search.stages)
        if search.status[0] != DONE:
            return 0.0, -1.0
    for i in range(1, LOOKS - 1):
        _look_at(search, t, h, i * between, closely)
        copy(guards, looks[i])
    _arm(search)
    for i in range(1, LOOKS):
        for k in range(count):
            if i + 1 < LOOKS and search.level[k] == 0.0 and min(looks[i - 1, k], looks[i, k], looks[i + 1, k]) >= 0.0:
                low, middle, high = looks[i - 1, k], looks[i, k], looks[i + 1, k]
                bend = low - 2.0 * middle + high
                if abs(high - low) < 2.0 * bend and middle - (high - low) ** 2 / (8.0 * bend) < 0.0:
                    x = (i - 0.5 * (high - low) / bend) * between
                    _look_at(search, t, h, x, closely)
                    if _is_wrong(search, guards):
                        return (i - 1) * between, x
        for k in range(count):
            if i + 1 == LOOKS and search.stages.mechanism.switches.slides[k] == 0:
                search.slack[k] = 0.0  # what is wrong at the end has passed
        if _is_wrong(search, looks[i]):
            return (i - 1) * between, i * between
        for k in range(count):
            if looks[i, k] >= 0.0 and not _is_past_telling(search, k):
                search.level[k] = 0.0
    return 0.0, -1.0


@compiled
def _is_past_telling(search, k):
    """Whether all choices are refuted."""
    return search.refuted[search.stages.mechanism.switches.leads[k]] == ALL


@compiled
def _arm(search):
    """Below which levels guards are wrong, and by how much. One that is negative at the beginning was chosen there, or
    is so by roundoff, and may be until it has been positive; and guards are right to a part of their own size only."""
    switches, looks = search.stages.mechanism.switches, search.looks
    for k in range(switches.kinds.size):
        search.level[k] = -np.inf if _is_past_telling(search, k) else min(looks[0, k], 0.0)
        search.top[k] = max(search.top[k], largest(search, k))
        search.slack[k] = SLACK if switches.slides[k] == 1 else EXACT * largest(search, k)


@compiled
def _is_wrong(search, guards):
    """Whether guards are wrong; which ones is left in `wrong`."""
    found = False
    for k in range(guards.size):
        search.wrong[k] = 1 if guards[k] < search.level[k] - search.slack[k] else 0
        found = found or search.wrong[k] == 1
    return found


@compiled
def _narrowed(search, t, h, low, high, nothing):
    """The first place where a guard that is wrong is below its level, to roundoff. What switches there is `wanted`: a
    sign turns, and a number is the one that holds."""
    below, above, sides = np.inf, -np.inf, 0
    for _ in range(200):
        if high - low <= 0.1 * EXACT * high or high <= nothing:
            break
        x = 0.5 * (low + high)
        if below < np.inf and above > -np.inf and sides < 3:
            x = (low * above - high * below) / (above - below)
            x = min(max(x, low + 0.01 * EXACT), high - 0.01 * EXACT)
        _look_at(search, t, h, x, True)
        least = _least(search)
        if least < 0.0:
            sides += 1
            high, above = x, least
        else:
            sides = 0
            low, below = x, least
    _look_at(search, t, h, high, True)
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        passes = above == -np.inf or switches.guard[k] < search.level[k]
        search.wanted[k] = 1 if search.wrong[k] == 1 and passes else 0
        turns = switches.kinds[k] != WHOLE and switches.slides[k] == 0
        search.after[k] = -switches.mode[k] if turns else natural(switches, k)
    return high


@compiled
def _least(search):
    """How far the guards that are wrong are above their levels."""
    guards, least = search.stages.mechanism.switches.guard, np.inf
    for k in range(guards.size):
        if search.wrong[k] == 1:
            least = min(least, guards[k] - search.level[k])
    return least


@compiled
def _extend(search, t, h, exact):
    """A step that was to end on a switch and has stopped just short of it: by how much, by the rate of its guard."""
    stages = search.stages
    mechanism, end = stages.mechanism, stages.tableau.stages
    switches, state = mechanism.switches, mechanism.state
    _look_at(search, t, h, 1.0, False)
    y, slopes = stages.y1, stages.k[end]
    v_span = slopes[state.v_at : state.v_end]
    read_rates(mechanism, t + h, y[: state.q_end], y[state.v_at : state.v_end], v_span)
    missing = np.inf
    for k in range(switches.kinds.size):
        if search.wanted[k] == 1:
            missing = min(missing, _missing(switches, k))
    if missing <= exact * h or (search.tries[0] >= TRIES and missing < 0.01 * h):
        search.found[0] = HERE
    elif missing < 0.01 * h:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + h + missing


@compiled
def _missing(switches, k):
    """The time in which a guard becomes zero, as it goes; infinite where it does not."""
    guard, mode = switches.guard[k], switches.mode[k]
    if switches.slides[k] == 1:
        return 0.0 if guard <= SLACK else np.inf
    towards = mode if switches.kinds[k] != WHOLE else 1.0 if switches.value[k] < mode + 0.5 else -1.0
    rate = towards * switches.rate[k]
    return -guard / rate if rate < 0.0 else np.inf
