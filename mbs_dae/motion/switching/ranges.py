"""Places within a step of time stepping at which laws have no value. Compiled.

Time stepping knows a law in the middle of a step only. On the straight line between the ends of the step the functions
that are negative outside the range of a law (`symbolic.branches.RANGE`) are known with their rates,

    g(0), ġ(0), g(1), ġ(1)  ->  the least value of the cubic, or of the tangents  ->  g and ġ there  ->  ...

Where one is negative the forces are evaluated: another piece of the law may be chosen there.
"""

import numpy as np

from ...compiled.signals import assign
from ...compiled.status import NOT_FINITE
from ...kernels.abi import compiled, compiled_apart
from ...symbolic.branches import RANGE, SIDE
from ...tolerances import PIECE_DISTANCE
from ..contact.bounds import note_sizes
from ..contact.gaps import observe_gaps
from ..course import moment
from ..derivative import derivative, evaluate
from ..methods.method import read_between
from .locate import least_of_cubic, least_of_tangents
from .search import Search
from .switches import is_idle, look_at_laws, read_rates

LOOKS = 12
"""The largest number of places at which each function is read within a step."""
FAR = 0.01
"""A function is taken to stay positive if the least value of its cubic is above this part of the larger end."""


@compiled_apart
def place_without_value(search: Search, t: float, h: float) -> float:
    """Return the place, from 0 to 1, at which a law has no value in the step; -1 if there is none. The state there is
    put into `search.y`. Where an argument leaves its range and the law has a value, another piece is chosen; then the
    places are examined beside which the choice of a piece changes."""
    switches, values = search.stages.mechanism.switches, search.samples.values
    some, leaves = False, False
    for k in range(switches.kinds.size):
        some = some or (switches.kinds[k] == RANGE and not is_idle(switches, k))
    if not some:
        return -1.0
    _read(search, t, h, 0.0, 0)
    _read(search, t, h, 1.0, 1)
    for k in range(switches.kinds.size):
        place = _place_below(search, t, h, k, 1.0) if switches.kinds[k] == RANGE and not is_idle(switches, k) else -1.0
        if place >= 0.0 and not has_value(search, t, h, place):
            return place
        leaves = leaves or place >= 0.0
    for k in range(switches.kinds.size if leaves else 0):
        side = np.sign(values[0, k]) or 1.0
        low, high = 0.0, _place_below(search, t, h, k, side) if switches.kinds[k] == SIDE else -1.0
        if high < 0.0 or is_idle(switches, k):
            continue
        if not has_value(search, t, h, high):
            return high
        while high - low > PIECE_DISTANCE:
            middle = 0.5 * (low + high)
            _read(search, t, h, middle, 2)
            low, high = (low, middle) if side * values[2, k] < 0.0 else (middle, high)
        for place in (max(low - PIECE_DISTANCE, 0.0), min(high + PIECE_DISTANCE, 1.0)):
            if not has_value(search, t, h, place):
                return place
    return -1.0


@compiled
def _place_below(search: Search, t: float, h: float, k: int, side: float) -> float:
    """Return a place in the step at which side · f is negative for a function f, by the least values of cubics through
    places that are read; -1 if there is none. Values and rates at both ends are known."""
    values, rates = search.samples.values, search.samples.rates
    low, f, a = 0.0, side * values[0, k], side * h * rates[0, k]
    high, g, b = 1.0, side * values[1, k], side * h * rates[1, k]
    if f < 0.0 or g < 0.0:
        return 1.0
    for _ in range(LOOKS):
        x, least = least_of_cubic(f, (high - low) * a, g, (high - low) * b)
        if not 0.0 < x < 1.0 or least > FAR * max(f, g):
            x, least = least_of_tangents(f, (high - low) * a, g, (high - low) * b)
            if least > FAR * max(f, g):
                return -1.0
        place = low + min(max(x, 0.01), 0.99) * (high - low)
        _read(search, t, h, place, 2)
        value, rate = side * values[2, k], side * h * rates[2, k]
        if value < 0.0:
            return place
        if rate < 0.0:
            low, f, a = place, value, rate
        else:
            high, g, b = place, value, rate
    return -1.0


@compiled
def _read(search: Search, t: float, h: float, x: float, row: int) -> None:
    """Put the functions of laws at a place of the step, and their rates along the line, into a row of samples."""
    stages, y, dy = search.stages, search.y, search.dy
    mechanism, now = stages.mechanism, moment(stages.course, t + x * h)
    switches, state = mechanism.switches, mechanism.state
    read_between(stages, x, y)
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    for k in range(y.size):
        dy[k] = (stages.y1[k] - stages.y0[k]) / h
    evaluate(mechanism, now, q, v)
    if mechanism.contacts.gap_row.size > 0:
        observe_gaps(mechanism, now, q, v)
    look_at_laws(mechanism)
    assign(mechanism.signals.drifts, now, q, v, dy[: state.q_end])
    read_rates(mechanism, q, v, dy[: state.q_end], dy[state.v_at : state.v_end])
    for k in range(switches.kinds.size):
        search.samples.values[row, k], search.samples.rates[row, k] = switches.value[k], switches.rate[k]


@compiled_apart
def has_value(search: Search, t: float, h: float, x: float) -> bool:
    """Return whether forces, rates of states and the sizes of friction have values at a place of the step, on the line
    between its ends; put the state there into `search.y`."""
    stages, y = search.stages, search.y
    mechanism, now = stages.mechanism, moment(stages.course, t + x * h)
    contacts, state = mechanism.contacts, mechanism.state
    for k in range(y.size):
        y[k] = stages.y0[k] + x * (stages.y1[k] - stages.y0[k])
    found = derivative(mechanism, now, y, search.dy) != NOT_FINITE
    if found and contacts.gap_row.size > 0:
        observe_gaps(mechanism, now, y[: state.q_end], y[state.v_at : state.v_end])
        note_sizes(contacts)
        for c in range(contacts.laws.sizes.shape[0]):
            found = found and np.isfinite(contacts.laws.sizes[c, 0]) and np.isfinite(contacts.laws.sizes[c, 1])
    return found
