"""Which branch of a law holds: at the first state, behind a switch, and behind a sampling time. Compiled.

Where a switching function is zero, it is the one towards which the motion goes; where both push back, the motion stays.
"""

import numpy as np

from ...compiled.machine import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy
from ...symbolic.branches import SIDE, WATCH, WHOLE
from ..course import moment
from ..derivative import accelerate, derivative, evaluate
from .search import BRIEF, LOOKS, RUSH, Search
from .switches import hold_all, look, natural, read_rates

ZERO = 1e-9
"""A switching function is zero beside what it was in the last step, and a rate beside that by which a law jumps, if it
is less than this part of it."""
CHATTERS = 17
"""A status: laws switch back and forth without end (see `run` for the others)."""


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
