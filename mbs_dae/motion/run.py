"""From time to time: steps, their control, their stabilisation, and what is kept of them. Compiled.

    take a step  ->  settle its end (stabilise, y' there)  ->  accept it or try a shorter one  ->  record times

y₀ and k₀ stand untouched until a step is accepted. All state is in `March`, so a run can go back to Python and be taken
up again: where it pauses makes no difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.dynamics import KINETIC, POTENTIAL
from ..compiled.machine import DONE, NOT_FINITE
from ..compiled.manifold import restore
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import block
from .control import Control, error_norm, factor_of
from .derivative import WORK, Mechanism, derivative, gauge_if_doubtful, look_around, parted, widest_gap
from .stabilise import ALWAYS, NEAR_SINGULAR, NEVER, Stabiliser, adapt_gains, is_projected, project
from .steps import Stages, new_stages, prepare_dense, read_dense, take_step
from .tableaus import Tableau

STUCK, LOST, DRIFTED, PAUSED = 11, 12, 13, 14
"""More outcomes than those of a pose: the step size is down to roundoff; constraints are violated grossly, or too much
for the singular pose that is near; patience is over, and the run can be taken up again."""
ACCEPTED, REJECTED, NEXT = 0, 1, 2
TIME, WIDEST = 0, 1
MOMENT = 1e-3
"""A time that is told, relative to the span of the run, is exact to this."""
LOSS = 0.1
"""The gap, relative to the model's length, at which a drifting run makes no sense any more."""


class Record(NamedTuple):
    """What is kept at the requested times; and of the end of the last step, before it is known whether it is kept."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    energies: np.ndarray
    """Columns: kinetic, potential, then the works."""
    end_multipliers: np.ndarray
    end_scalars: np.ndarray
    y: np.ndarray
    dy: np.ndarray


class March(NamedTuple):
    """A run: what moves, how steps are made, controlled and stabilised, what is kept, and where it stands."""

    mechanism: Mechanism
    tableau: Tableau
    control: Control
    stabiliser: Stabiliser
    stages: Stages
    record: Record
    clock: np.ndarray
    """t, and the widest gap that was seen."""
    counts: np.ndarray
    """Steps accepted and rejected, and the next requested time."""


def new_march(
    mechanism: Mechanism, tableau: Tableau, control: Control, stabiliser: Stabiliser, times: np.ndarray
) -> March:
    rows, zeros = mechanism.machine.pattern.m, np.zeros
    width = mechanism.q_size + mechanism.v_size + WORK
    stages = new_stages(tableau, width)
    record = block(
        Record(
            times=times,
            q=zeros((times.size, mechanism.q_size)),
            v=zeros((times.size, mechanism.v_size)),
            a=zeros((times.size, mechanism.v_size)),
            multipliers=zeros((times.size, rows)),
            energies=zeros((times.size, 2 + WORK)),
            end_multipliers=zeros(rows),
            end_scalars=zeros(mechanism.scalars.size),
            y=zeros(width),
            dy=zeros(width),
        )
    )
    counts = zeros(3, dtype=np.int64)
    return block(
        March(mechanism, tableau, control, stabiliser, stages, record, clock=zeros(2), counts=counts)
    )


@compiled
def start(march, q, v):
    """The first state, and what follows from it at once."""
    y0, record = march.stages.y0, march.record
    y0[:] = 0.0
    for k in range(q.size):
        y0[k] = q[k]
    for k in range(v.size):
        y0[q.size + k] = v[k]
    march.clock[TIME] = record.times[0]
    look_around(march.mechanism, record.times[0], q, v)
    status = _derivative_at_end(march, record.times[0], y0, march.stages.k[0])
    if status == DONE:
        _keep(march, 0, y0, march.stages.k[0])
        march.counts[NEXT] = 1
    return status


@compiled
def go_on(march, patience):
    """Step until the last requested time, an end that is not good, or the end of patience."""
    clock, counts, times = march.clock, march.counts, march.record.times
    control, stabiliser = march.control, march.stabiliser
    last = times[times.size - 1]
    smallest = 1e-14 * max(abs(last), abs(last - times[0]))
    while counts[NEXT] < times.size:
        if patience <= 0:
            return PAUSED
        patience -= 1
        t, h, target = clock[TIME], control.step[0], last
        if control.fixed > 0.0:
            target = times[counts[NEXT]]
            h = (target - t) / np.ceil((target - t) / control.fixed * (1.0 - 1e-12))
        end = target if t + h * (1.0 + 1e-9) >= target else t + h
        status, error = _try_step(march, t, end)
        accepted = status == DONE and error <= 1.0
        if accepted:
            status = _accept(march, t, end)
            if status != DONE:
                return status
        elif control.fixed > 0.0:
            return status
        if control.fixed == 0.0:
            again = control.again[0] == 1 or not accepted
            control.step[0] = (end - t) * (0.25 if status != DONE else factor_of(march.tableau, error, again))
            if not accepted and control.step[0] <= smallest:
                return STUCK if status == DONE else status
        counts[ACCEPTED if accepted else REJECTED] += 1
        control.again[0] = 0 if accepted else 1
        if accepted and stabiliser.when == NEAR_SINGULAR and is_projected(stabiliser, march.mechanism):
            stabiliser.projected[0] += 1
        if accepted and not clock[WIDEST] <= LOSS * march.mechanism.length:
            return LOST
        if accepted and stabiliser.when == NEVER and clock[WIDEST] > drift_limit(march.mechanism):
            return DRIFTED
    return DONE


@compiled
def _try_step(march, t, end):
    """A step from t to `end`, settled if it is good: its status and its error, of which 1 is just acceptable."""
    mechanism, tableau, stages = march.mechanism, march.tableau, march.stages
    h = end - t
    adapt_gains(march.stabiliser, pace(march), h)
    mechanism.nearness[0] = 1.0
    status = take_step(mechanism, tableau, stages, t, h)
    if march.control.fixed > 0.0:
        return (_settle(march, end) if status == DONE else status), 0.0
    if status == DONE and tableau.end_in_error:
        status = _settle(march, end)
    if status != DONE:
        return status, 0.0
    error = error_norm(tableau, march.control, stages, mechanism, h)
    if not np.isfinite(error):
        return NOT_FINITE, 0.0
    if error <= 1.0 and not tableau.end_in_error:
        status = _settle(march, end)
    if status == DONE and error <= 1.0 and _parted_within(march, h):
        status = LOST  # a shorter step tells better where
    return status, error


@compiled
def _parted_within(march, h):
    """Whether rows came to contradict each other in a step too long to say when."""
    times, mechanism = march.record.times, march.mechanism
    if march.stabiliser.when == ALWAYS or h <= MOMENT * (times[times.size - 1] - times[0]):
        return False
    widest_gap(mechanism)
    return parted(mechanism)


@compiled_apart
def pace(march):
    """How fast the motion changes at the beginning of the step, in 1/s: velocities over their unit, and the roots of
    accelerations over theirs."""
    mechanism, unit = march.mechanism, march.control.unit
    y0, k0 = march.stages.y0, march.stages.k[0]
    largest = 0.0
    for at in range(mechanism.q_size, mechanism.q_size + mechanism.v_size):
        largest = max(largest, abs(y0[at]) / unit[at], np.sqrt(abs(k0[at]) / unit[at]))
    return largest


@compiled
def _accept(march, t, end):
    """The end of the step becomes the present, and requested times up to it are recorded."""
    stages, y0, y1, status = march.stages, march.stages.y0, march.stages.y1, DONE
    if march.stabiliser.when != ALWAYS:
        march.clock[WIDEST] = max(march.clock[WIDEST], widest_gap(march.mechanism))
        status = LOST if parted(march.mechanism) else DONE
    if status == DONE:
        status = _record(march, t, end)
    if status in (DONE, LOST):
        first, following = stages.k[0], stages.k[march.tableau.stages]
        for i in range(y0.size):
            y0[i] = y1[i]
            first[i] = following[i]
        march.clock[TIME] = end
    return status


@compiled
def _settle(march, t):
    """Stabilise y₁, and find y' there: the first stage of the next step."""
    y1 = march.stages.y1
    status = _put_right(march, t, y1)
    if status != DONE:
        return status
    status = _derivative_at_end(march, t, y1, march.stages.k[march.tableau.stages])
    gauge_if_doubtful(march.mechanism)
    return status


@compiled
def _put_right(march, t, y):
    """Quaternions of unit length; on the constraints, if the run is projected."""
    mechanism = march.mechanism
    at_v, at_work = mechanism.q_size, mechanism.q_size + mechanism.v_size
    restore(mechanism.machine.manifold, y[:at_v])
    if is_projected(march.stabiliser, mechanism):
        return project(mechanism, t, y[:at_v], y[at_v:at_work])
    return DONE


@compiled_apart
def _derivative_at_end(march, t, y, dy):
    mechanism, record = march.mechanism, march.record
    status = derivative(mechanism, t, y, dy)
    for row in range(record.end_multipliers.size):
        record.end_multipliers[row] = mechanism.machine.multipliers[row]
    for k in range(record.end_scalars.size):
        record.end_scalars[k] = mechanism.scalars[k]
    return status


@compiled_apart
def _record(march, t, end):
    """Keep all requested times in (t, end]: the end as it is, others read from between (projected, if the run is)."""
    mechanism, tableau, stages = march.mechanism, march.tableau, march.stages
    record, counts = march.record, march.counts
    times = record.times
    reading = False
    at_end = counts[NEXT]
    while at_end < times.size and times[at_end] < end:
        at_end += 1
    if at_end < times.size and times[at_end] == end:
        _keep(march, at_end, stages.y1, stages.k[tableau.stages])
    while counts[NEXT] < at_end:
        k = counts[NEXT]
        if not reading:
            status = prepare_dense(mechanism, tableau, stages, t, end - t)
            if status != DONE:
                return status
            reading = True
        y, dy = record.y, record.dy
        read_dense(tableau, stages, end - t, (times[k] - t) / (end - t), y)
        status = _put_right(march, times[k], y)
        if status != DONE:
            return status
        status = _derivative_at_end(march, times[k], y, dy)
        if status != DONE:
            return status
        _keep(march, k, y, dy)
        counts[NEXT] += 1
    if at_end < times.size and times[at_end] == end:
        counts[NEXT] = at_end + 1
    return DONE


@compiled_apart
def _keep(march, k, y, dy):
    """Row k of the record."""
    record, at_v, v_size = march.record, march.mechanism.q_size, march.mechanism.v_size
    for i in range(at_v):
        record.q[k, i] = y[i]
    for i in range(v_size):
        record.v[k, i] = y[at_v + i]
        record.a[k, i] = dy[at_v + i]
    for row in range(record.end_multipliers.size):
        record.multipliers[k, row] = record.end_multipliers[row]
    record.energies[k, 0] = record.end_scalars[KINETIC]
    record.energies[k, 1] = record.end_scalars[POTENTIAL]
    for i in range(WORK):
        record.energies[k, 2 + i] = y[at_v + v_size + i]


@compiled
def drift_limit(mechanism):
    """The gap that makes accelerations worthless here: at a sine s from a singular pose it counts 1/s³ (see
    `control`)."""
    return 0.1 * mechanism.length * mechanism.nearness[0] ** 1.5
