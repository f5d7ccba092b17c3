"""What is kept of a run: the states at the requested times, read from the steps without leaving a trace. Compiled."""

from __future__ import annotations

from ..compiled.dynamics import KINETIC, POTENTIAL
from ..compiled.machine import DONE
from ..compiled.manifold import restore
from ..compiled.state import WORK
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector
from ..tolerances import BLURRED
from .course import moment
from .derivative import derivative
from .march import March
from .methods.method import prepare_reading, read_between
from .stabilise import is_projected, project

NEXT = 2
"""Where the number of the next requested time stands in the counts of a run."""
ASIDE = 3
"""How many states are read on each side of a singular pose."""


@compiled
def remember(march):
    """What evaluations choose on their way, to be put back."""
    record, mechanism = march.record, march.mechanism
    for k in range(record.nearness.size):
        record.nearness[k] = mechanism.nearness[k]
    for row in range(record.kept.size):
        record.kept[row] = mechanism.machine.factor.kept[row]


@compiled
def put_back(march):
    record, mechanism = march.record, march.mechanism
    for k in range(record.nearness.size):
        mechanism.nearness[k] = record.nearness[k]
    for row in range(record.kept.size):
        mechanism.machine.factor.kept[row] = record.kept[row]


@compiled
def put_right(march, t, y):
    """Quaternions of unit length; on the constraints, if the run is projected."""
    mechanism = march.mechanism
    q, v = y[: mechanism.state.q_end], y[mechanism.state.v_at : mechanism.state.v_end]
    restore(mechanism.machine.manifold, q)
    if is_projected(march.stabiliser, mechanism):
        return project(mechanism, moment(march.course, t), q, v)
    return DONE


@compiled_apart
def derivative_at_end(march: March, t: float, y: Vector, dy: Vector):
    mechanism, record = march.mechanism, march.record
    status = derivative(mechanism, moment(march.course, t), y, dy)
    for row in range(record.end_multipliers.size):
        record.end_multipliers[row] = mechanism.machine.multipliers[row]
    for k in range(record.end_scalars.size):
        record.end_scalars[k] = mechanism.scalars[k]
    return status


@compiled_apart
def record_until(march: March, t: float, end: float, breaks: bool):
    """Keep all requested times in (t, end]: the end as it is, unless laws switch there (then it is kept as it goes on),
    others read from between (projected, if the run is)."""
    mechanism, tableau, stages = march.mechanism, march.tableau, march.stages
    record, counts = march.record, march.counts
    times = record.times
    reading = False
    at_end = counts[NEXT]
    while at_end < times.size and times[at_end] < end:
        at_end += 1
    kept = at_end < times.size and times[at_end] == end and not breaks
    if kept:
        keep(march, at_end, stages.y1, stages.k[tableau.stages])
    while counts[NEXT] < at_end:
        k = counts[NEXT]
        if not reading:
            status = prepare_reading(stages)
            if status != DONE:
                return status
            reading = True
        x, h = (times[k] - t) / (end - t), end - t
        status = _read(march, t, h, x)
        if mechanism.nearness[1] * mechanism.nearness[2] < BLURRED and abs(x - tableau.middle) < tableau.half:
            status = _read_across(march, t, h, x, k)
        elif status == DONE:
            keep(march, k, record.y, record.dy)
        if status != DONE:
            return status
        counts[NEXT] += 1
    if kept:
        counts[NEXT] = at_end + 1
    return DONE


@compiled_apart
def _read(march: March, t: float, h: float, x: float):
    """The state at t + x h, and its derivative, into the record's own arrays."""
    y = march.record.y
    read_between(march.stages, x, y)
    status = put_right(march, t + x * h, y)
    return derivative_at_end(march, t + x * h, y, march.record.dy) if status == DONE else status


@compiled_apart
def _read_across(march: March, t: float, h: float, x: float, k: int):
    """Row k of the record, next to a singular pose in the gap of the step: the polynomial through states on both its
    sides. Multipliers are those of that state: they may well grow without bound."""
    record, y = march.record, march.record.y
    _clear(record, k)
    at = (x - march.tableau.middle) / march.tableau.half
    for one in range(2 * ASIDE):
        place, weight = _aside(one), 1.0
        for other in range(2 * ASIDE):
            if other != one:
                weight *= (at - _aside(other)) / (place - _aside(other))
        status = _read(march, t, h, march.tableau.middle + place * march.tableau.half)
        if status != DONE:
            return status
        _add(march, k, y, record.dy, weight)
    q, v = y[: march.mechanism.state.q_end], y[march.mechanism.state.v_at : march.mechanism.state.v_end]
    for i in range(q.size):
        q[i] = record.q[k, i]
    for i in range(v.size):
        v[i] = record.v[k, i]
    restore(march.mechanism.machine.manifold, q)
    status = derivative_at_end(march, t + x * h, y, record.dy)
    for row in range(record.end_multipliers.size):
        record.multipliers[k, row] = record.end_multipliers[row]
    for i in range(q.size):
        record.q[k, i] = q[i]
    return status


@compiled
def _aside(k):
    """Where state k is read, from the middle of the gap that a singular pose is in: ±1, ±1.4, ±1.8 half widths."""
    return 1.0 + 0.4 * (k - ASIDE) if k >= ASIDE else 0.4 * (k + 1 - ASIDE) - 1.0


@compiled_apart
def keep(march: March, k: int, y: Vector, dy: Vector):
    """Row k of the record."""
    _clear(march.record, k)
    _add(march, k, y, dy, 1.0)


@compiled
def _clear(record, k):
    for rows in (record.q, record.v, record.a, record.multipliers, record.energies):
        rows[k] = 0.0


@compiled_apart
def _add(march: March, k: int, y: Vector, dy: Vector, weight: float):
    """Add to row k of the record."""
    record, state = march.record, march.mechanism.state
    q, v, a, works = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end], y[state.works_at :]
    for i in range(q.size):
        record.q[k, i] += weight * q[i]
    for i in range(v.size):
        record.v[k, i] += weight * v[i]
        record.a[k, i] += weight * a[i]
    for row in range(record.end_multipliers.size):
        record.multipliers[k, row] += weight * record.end_multipliers[row]
    record.energies[k, 0] += weight * record.end_scalars[KINETIC]
    record.energies[k, 1] += weight * record.end_scalars[POTENTIAL]
    for i in range(WORK):
        record.energies[k, 2 + i] += weight * works[i]
