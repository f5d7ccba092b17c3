"""Repetition of the recorded steps of a run, part by part. Compiled.

The functions and the numbers are those of the run (`motion.past.tape`), so all states are the same to the last bit.
Behind each part the mechanism is at a state with its derivative, its multipliers and its factor: there it can be
linearised.
"""

from ...compiled.manifold import restore
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.vectors import copy
from ...motion.course import SPAN, moment
from ...motion.derivative import derivative
from ...motion.mechanism_record import NEAREST
from ...motion.methods.method import END, H, Stages, T
from ...motion.methods.runge_kutta import combine
from ...motion.past.tape import (
    ALPHA,
    ALPHA_0,
    BEGAN,
    BETA,
    BETA_0,
    CLOSED,
    FRESH,
    HEAD,
    SPAN_OF,
    T0,
    T1,
    WENT_ON,
    put_branches,
)
from ...motion.record import IntegratorState, derivative_at_end, put_back, put_right, remember
from ...motion.run import note_end
from ...motion.stabilise import project
from ...motion.switching.switches import hold_all


@compiled_apart
def put_entry(march: IntegratorState, row: Vector) -> None:
    """Put the state that a run carried at the beginning of a step, from its entry `row`, into the run."""
    stages, record, width, rows = march.stages, march.record, march.stages.y0.size, march.record.kept.size
    copy(row[HEAD : HEAD + width], stages.y0)
    copy(row[HEAD + width : HEAD + 2 * width], stages.k[0])
    copy(row[HEAD + 2 * width : HEAD + 2 * width + 4], march.mechanism.nearness)
    copy(row[HEAD + 2 * width + 4 : HEAD + 2 * width + 4 + rows], march.mechanism.machine.factor.kept)
    kept, modes = march.mechanism.contacts.constrained.state, march.mechanism.switches.mode
    for k in range(kept.size):
        kept[k] = int(row[row.size - 2 * modes.size - kept.size + k])
    copy(row[row.size - modes.size :], modes)
    if march.mechanism.switches.mode.size > 0:
        hold_all(march.mechanism)
    straight = march.mechanism.contacts.sliding.holds_direction
    for c in range(straight.size):
        straight[c] = int(row[row.size - 2 * modes.size - kept.size - straight.size + c])
    march.course.at[SPAN] = int(row[SPAN_OF])
    copy(march.mechanism.nearness, record.nearness)


@compiled
def take_entry(march: IntegratorState, row: Vector) -> None:
    """Put the state that a run carries now into an entry, whose head stays as it is."""
    stages, width = march.stages, march.stages.y0.size
    copy(stages.y0, row[HEAD:])
    copy(stages.k[0], row[HEAD + width :])
    copy(march.mechanism.nearness, row[HEAD + 2 * width :])
    copy(march.mechanism.machine.factor.kept, row[HEAD + 2 * width + 4 :])
    put_branches(march, row)


@compiled_apart
def begin_anew(march: IntegratorState, head: Vector) -> int:
    """Evaluate the first derivative of a step that does not go on from the step before; return a status."""
    march.course.at[SPAN] = int(head[SPAN_OF])
    march.mechanism.gains[0], march.mechanism.gains[1] = head[ALPHA_0], head[BETA_0]
    if head[FRESH] == BEGAN:  # what stands there is what came of it
        remember(march)
    return derivative_at_end(march, head[T0], march.stages.y0, march.stages.k[0])


@compiled_apart
def set_out(march: IntegratorState, head: Vector) -> None:
    """Set the times, the span, the gains and the closed stages of a step, from its head."""
    stages, mechanism = march.stages, march.mechanism
    stages.now[T], stages.now[H], stages.now[END] = head[T0], head[T1] - head[T0], head[T1]
    stages.closed[0], march.course.at[SPAN] = int(head[CLOSED]), int(head[SPAN_OF])
    mechanism.gains[0], mechanism.gains[1], mechanism.nearness[NEAREST] = head[ALPHA], head[BETA], 1.0


@compiled
def is_closed(stages: Stages, s: int) -> bool:
    """Return whether stage s is put onto the constraints: stages that serve reading alone are not."""
    return stages.closed[0] == 1 and s < stages.tableau.stages


@compiled
def time_of(stages: Stages, s: int) -> float:
    return moment(stages.course, stages.now[T] + stages.tableau.c[s] * stages.now[H])


@compiled_apart
def make_inner(march: IntegratorState, s: int, y: Vector, before: Vector) -> int:
    """Make stage s of the step: put its state into y, and the state before its projection into `before`. Return a
    status."""
    stages, mechanism, status = march.stages, march.mechanism, DONE
    now, unseen = time_of(stages, s), mechanism.contacts.choice.closed_only
    combine(stages.y0, stages.now[H], stages.tableau.a[s], s, stages.k, y)
    unseen[0] = 1 if s < stages.tableau.stages else 0
    if is_closed(stages, s):
        q = y[: mechanism.state.q_end]
        copy(y, before)
        restore(mechanism.machine.manifold, q)
        status = project(mechanism, now, q, y[mechanism.state.v_at : mechanism.state.v_end])
    if status == DONE:
        status = derivative(mechanism, now, y, stages.k[s])
    unseen[0] = 0
    return status


@compiled_apart
def make_end(march: IntegratorState, t: float, y: Vector, dy: Vector, before: Vector) -> int:
    """Put the state y onto the constraints, in place, its copy into `before` and its derivative into dy; return a
    status."""
    copy(y, before)
    status = put_right(march, t, y)
    return derivative_at_end(march, t, y, dy) if status == DONE else status


@compiled_apart
def make_stretch(march: IntegratorState, heads: Matrix, entries: Matrix, before: Vector) -> int:
    """Make some steps, one after the other, from where the run stands, and put the state at the beginning of each into
    its entry. Return a status."""
    stages, tableau = march.stages, march.tableau
    for k in range(heads.shape[0]):
        if heads[k, FRESH] != WENT_ON and k > 0:
            status = begin_anew(march, heads[k])
            if status != DONE:
                return status
        take_entry(march, entries[k])
        set_out(march, heads[k])
        for s in range(1, tableau.stages):
            status = make_inner(march, s, stages.between, before)
            if status != DONE:
                return status
        combine(stages.y0, stages.now[H], tableau.b, tableau.stages, stages.k, stages.y1)
        status = make_end(march, heads[k, T1], stages.y1, stages.k[tableau.stages], before)
        if status != DONE:
            return status
        note_end(march)
        copy(stages.y1, stages.y0)
        copy(stages.k[tableau.stages], stages.k[0])
    return DONE


@compiled_apart
def rate_at(march: IntegratorState, t: float, y: Vector, dy: Vector) -> int:
    """Put y' of a state into dy; return a status."""
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    put_back(march)
    return status
