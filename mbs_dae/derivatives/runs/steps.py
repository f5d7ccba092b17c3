"""Repetition of the recorded steps of a run with derivatives. Compiled.

A step is a chain of four operations, each with its derivative (`linear`):

    combine      y₀ + h Σ aᵢⱼ kⱼ, at its end, and where it is read          the combination of their changes
    stage        y to y', with λ                                             `vary_stage`
    unit         quaternions to unit length                                  `vary_lengths`
    project      onto the constraints                                        `vary_projection`

The stages are made by the same functions as in the run, from the same numbers (`motion.past.tape`), so they are the
same to the last bit. Lengths of steps and gains are held: they do not vary with parameters.
"""

from typing import NamedTuple

import numpy as np

from ...compiled.status import BLURS, DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector, Work, block, zeros
from ...linear.vectors import axpy, copy, copy_rows
from ...motion.course import is_break, moment
from ...motion.mechanism_record import INDEPENDENCE, NORM_RATIO
from ...motion.methods.method import H, Stages, read_between
from ...motion.methods.runge_kutta import combine, nest
from ...motion.past.tape import BEGAN, FRESH, RESTARTED, SWITCHES, T0, T1, WENT_ON
from ...motion.record import NEXT, IntegratorState, put_back, remember
from ...motion.run import note_end
from ...motion.stabilise import is_projected
from ...tolerances import RECORD_INDEPENDENCE
from .contact_forces import HeldForces, is_held
from .linear import Linear, LinearProjection, put_way, vary_lengths, vary_projection
from .repetition import begin_anew, is_closed, make_end, make_inner, set_out, time_of
from .tree import (
    JointTree,
    has_joints,
    hold_here,
    linearise_here,
    refinements_here,
    vary_joint_projection,
    vary_keep_here,
    vary_stage_here,
)


class Changes(NamedTuple):
    """Changes of the arrays recorded at requested times, a row for each parameter at each time: see `Record`."""

    x: Work[Matrix] = zeros("recorded", "columns")
    v: Work[Matrix] = zeros("recorded", "columns")
    a: Work[Matrix] = zeros("recorded", "columns")
    multipliers: Work[Matrix] = zeros("recorded", "rows")
    works: Work[Matrix] = zeros("recorded", "works")
    contacts: Work[Matrix] = zeros("recorded", "lines")
    signals: Work[Matrix] = zeros("recorded", "signals")


class Replay(NamedTuple):
    """A run whose steps are made again, with the changes of its state by each parameter, a row each."""

    march: IntegratorState
    own: Linear
    held: HeldForces
    projection: LinearProjection
    tree: JointTree
    basis: Stages
    """A step whose y₀, y₁ and k are unit vectors: its reading gives the weights of y₀, y₁ and k in each reading."""
    out: Changes
    dy0: Work[Matrix] = zeros("parameters", "width")
    """The changes of the state at the beginning of the step."""
    dy1: Work[Matrix] = zeros("parameters", "width")
    """The changes of the state at its end."""
    between: Work[Matrix] = zeros("parameters", "width")
    """The changes of a state inside the step."""
    end: Work[Matrix] = zeros("parameters", "width")
    """The changes of y' where a step is read."""
    dk: Work[Matrix] = zeros("slopes", "width")
    """The changes of k: stage by stage, in each stage parameter by parameter."""
    loads: Work[Matrix] = zeros("parameters", "rows")
    """The changes of the multipliers at the last state."""
    end_loads: Work[Matrix] = zeros("parameters", "rows")
    """The changes of the multipliers at the end of the step."""
    forces: Work[Matrix] = zeros("parameters", "lines")
    """The changes of the forces of contacts at the last state."""
    end_forces: Work[Matrix] = zeros("parameters", "lines")
    """The changes of the forces of contacts at the end of the step."""
    b: Work[Matrix] = zeros("parameters", "width")
    """The changes of the accelerations b that generalised α remembers, at the beginning of the step."""
    slope: Work[Matrix] = zeros("parameters", "width")
    """The changes of y' at the beginning of the step before, which it remembers, too."""
    before: Work[Vector] = zeros("width")
    """A state before it was put onto the constraints."""
    weights: Work[Vector] = zeros("basis")
    errors: Work[Matrix] = zeros("parameters", 6)
    """The errors of all steps together in the changes of places, velocities and states, and the largest of these
    changes; states in their scales."""


def basis_of(stages: Stages) -> Stages:
    """Return a step by the same method whose y₀, y₁ and k are unit vectors."""
    nodes = stages.tableau.a.shape[1]
    own = Stages(stages.mechanism, stages.course, stages.tableau, stages.functions, stages.implicit)
    made: Stages = block(own, width=nodes + 2, nodes=nodes, room=stages.dense.shape[0], rows=0)
    made.y0[0] = made.y1[1] = 1.0
    for s in range(nodes):
        made.k[s, 2 + s] = 1.0
    return made


@compiled_apart
def vary_stretch(replay: Replay, heads: Matrix) -> int:
    """Make some steps with their changes, one after the other; return a status."""
    for k in range(heads.shape[0]):
        status = vary_begin(replay, heads[k])
        if status == DONE:
            status = vary_step(replay, heads[k])
        if status != DONE:
            return status
    return DONE


@compiled_apart
def vary_begin(replay: Replay, head: Vector) -> int:
    """Vary the first derivative of a step that begins anew, and record the changes there; return a status."""
    march, stages = replay.march, replay.march.stages
    times, counts, count = march.record.times, march.counts, replay.dy0.shape[0]
    if head[FRESH] == WENT_ON:
        return DONE
    status = begin_anew(march, head)
    if status != DONE:
        return status
    linearise_state(replay, moment(march.course, head[T0]), stages.y0, stages.k[0])
    vary_state(replay, stages.y0, replay.dy0, replay.dk[:count])
    if counts[NEXT] < times.size and times[counts[NEXT]] == head[T0]:
        keep_changes(replay, stages.y0, replay.dy0, replay.dk[:count])
    is_set = head[FRESH] == BEGAN or head[FRESH] == RESTARTED
    if is_set and is_held(replay.held, 0):  # neighbours that do not stick, or are apart, do so at once
        vary_keep_here(replay.own, replay.held, replay.tree, march.mechanism, stages.y0, replay.dy0, 0)
        vary_state(replay, stages.y0, replay.dy0, replay.dk[:count])
    if head[FRESH] == BEGAN:
        put_back(march)
    return DONE


@compiled_apart
def vary_step(replay: Replay, head: Vector) -> int:
    """Make one step: y₁ and y' there, with their changes; return a status."""
    march, stages, tableau, count = replay.march, replay.march.stages, replay.march.tableau, replay.dy0.shape[0]
    set_out(march, head)
    for s in range(1, tableau.stages):
        status = _vary_inner(replay, s)
        if status != DONE:
            return status
    h, first = stages.now[H], count * tableau.stages
    combine(stages.y0, h, tableau.b, tableau.stages, stages.k, stages.y1)
    _combine_changes(replay.dy0, h, tableau.b, tableau.stages, replay.dk, replay.dy1)
    slopes = replay.dk[first : first + count]
    status = vary_end(replay, head[T1], stages.y1, stages.k[tableau.stages], replay.dy1, slopes)
    if status == DONE:
        note_end(march)
        if tableau.error.shape[0] > 0:
            _note_errors(replay)
        copy_rows(replay.loads, replay.end_loads)
        copy_rows(replay.forces, replay.end_forces)
        remember(march)
        status = _vary_recorded(replay, head)
        put_back(march)
    copy(stages.y1, stages.y0)
    copy(stages.k[tableau.stages], stages.k[0])
    copy_rows(replay.dy1, replay.dy0)
    copy_rows(slopes, replay.dk)
    return status


@compiled
def _vary_inner(replay: Replay, s: int) -> int:
    """Make stage s inside the step, one for reading perhaps, with its changes; return a status."""
    march, stages, tableau, count = replay.march, replay.march.stages, replay.march.tableau, replay.dy0.shape[0]
    mechanism, y = march.mechanism, stages.between
    status = make_inner(march, s, y, replay.before)
    if status != DONE:
        return status
    _combine_changes(replay.dy0, stages.now[H], tableau.a[s], s, replay.dk, replay.between)
    linearise_state(replay, time_of(stages, s), y, stages.k[s])
    if is_closed(stages, s):
        vary_lengths(mechanism, replay.before, replay.between)
        _vary_put_right(replay, time_of(stages, s), y, replay.between)
    vary_state(replay, y, replay.between, replay.dk[count * s : count * (s + 1)])
    return DONE


@compiled
def linearise_state(replay: Replay, t: float, y: Vector, dy: Vector) -> None:
    """Linearise at the state of a run that was evaluated last, with its forces of contacts on the first shelf."""
    mechanism = replay.march.mechanism
    linearise_here(replay.own, replay.tree, mechanism, t, y, dy)
    hold_here(replay.held, replay.tree, mechanism, 0)


@compiled
def _vary_put_right(replay: Replay, t: float, y: Vector, changes: Matrix) -> None:
    """Replace the changes of a state by those after its projection onto the constraints."""
    known = replay.own, replay.projection, replay.march.mechanism, t, replay.before, y, changes
    if not has_joints(replay.tree):
        vary_projection(*known)
    elif replay.march.mechanism.machine.pattern.m > 0:
        vary_joint_projection(replay.tree, *known)


@compiled
def vary_state(replay: Replay, y: Vector, changes: Matrix, slopes: Matrix) -> None:
    """Put the changes of y', λ and forces at the linearised state, whose forces are held, into `slopes`, `loads` and
    `forces`."""
    mechanism = replay.march.mechanism
    often, known = refinements_here(replay.tree, mechanism), (replay.own, replay.held, replay.tree, mechanism)
    vary_stage_here(*known, y, changes, slopes, replay.loads, replay.forces, often, 0)


@compiled
def vary_end(replay: Replay, t: float, y: Vector, dy: Vector, changes: Matrix, slopes: Matrix) -> int:
    """Put the state y onto the constraints, and its derivative into dy; with their changes in `changes` and `slopes`.
    Return a status."""
    march, mechanism = replay.march, replay.march.mechanism
    projected = is_projected(march.stabiliser, mechanism)
    status = make_end(march, t, y, dy, replay.before)
    if status != DONE:
        return status
    linearise_state(replay, moment(march.course, t), y, dy)
    vary_lengths(mechanism, replay.before, changes)
    if projected:
        _vary_put_right(replay, moment(march.course, t), y, changes)
    if is_held(replay.held, 0):
        vary_keep_here(replay.own, replay.held, replay.tree, mechanism, y, changes, 0)
    vary_state(replay, y, changes, slopes)
    return DONE


@compiled
def _vary_recorded(replay: Replay, head: Vector) -> int:
    """Record the changes at the requested times of a step, as `record_to` records its states. Where laws switch at its
    end, the next step records the changes at that time. Return a status."""
    t, end = head[T0], head[T1]
    march, stages, tableau, times = replay.march, replay.march.stages, replay.march.tableau, replay.march.record.times
    counts, count, prepared = march.counts, replay.dy0.shape[0], False
    while counts[NEXT] < times.size and times[counts[NEXT]] < end:
        if not prepared:
            for s in range(tableau.stages + 1, tableau.a.shape[0]):
                status = _vary_inner(replay, s)
                if status != DONE:
                    return status
            prepare_weights(stages, replay.basis)
            prepared = True
        status = _vary_read(replay, t, end - t, (times[counts[NEXT]] - t) / (end - t))
        if status != DONE:
            return status
    goes_on = head[SWITCHES] == 0.0 and not is_break(march.course, end)
    if counts[NEXT] < times.size and times[counts[NEXT]] == end and goes_on:
        first = count * tableau.stages
        copy_rows(replay.end_loads, replay.loads)
        copy_rows(replay.end_forces, replay.forces)
        keep_changes(replay, stages.y1, replay.dy1, replay.dk[first : first + count])
    return DONE


@compiled
def _note_errors(replay: Replay) -> None:
    """Add the error estimate of the step, applied to changes, to `errors`: steps are chosen for the motion alone, and
    may be too long for neighbouring motions."""
    state, weights, unit = replay.march.mechanism.state, replay.march.tableau.error, replay.march.control.unit
    for p in range(replay.dy0.shape[0]):
        first, second = replay.between[p], replay.end[p]
        _estimate(replay, p, weights[0], first)
        _estimate(replay, p, weights[weights.shape[0] - 1], second)
        for part in range(3):
            begin = 0 if part == 0 else state.v_at if part == 1 else state.z_at
            own, by = slice(begin, state.z_at if part == 0 else state.v_end if part == 1 else state.q_end), unit[begin:]
            least, most = _largest(first[own], by, part), _largest(second[own], by, part)
            both = np.sqrt(least**2 + 0.01 * most**2) if weights.shape[0] > 1 else least
            replay.errors[p, part] += least**2 / both if both > 0.0 else 0.0
            replay.errors[p, 3 + part] = max(replay.errors[p, 3 + part], _largest(replay.dy1[p, own], by, part))


@compiled
def _estimate(replay: Replay, p: int, weights: Vector, out: Vector) -> None:
    """Put h Σ wₛ δkₛ by parameter p into `out`."""
    h, count = replay.march.stages.now[H], replay.dy0.shape[0]
    out[:] = 0.0
    for s in range(weights.size):
        if weights[s] != 0.0:
            axpy(h * weights[s], replay.dk[count * s + p], out)


@compiled
def _largest(row: Vector, unit: Vector, part: int) -> float:
    """Return the largest size in a row; of states (part 2) in their units, which are infinite for held numbers."""
    most = 0.0
    for k in range(row.size):
        most = max(most, abs(row[k]) / unit[k] if part == 2 else abs(row[k]))
    return most


@compiled
def prepare_weights(stages: Stages, basis: Stages) -> None:
    """Prepare the step and `basis` for readings inside the step, after the stages for reading are made."""
    basis.now[H] = stages.now[H]
    if stages.dense.shape[0] > 0:
        nest(stages)
        nest(basis)


@compiled
def _vary_read(replay: Replay, t: float, h: float, x: float) -> int:
    """Read the state at t + x h, as `record._read` does, and record its changes; return a status."""
    march, record = replay.march, replay.march.record
    put_back(march)
    if is_blurred(march, x):
        return BLURS
    read_between(march.stages, x, record.y)
    read_between(replay.basis, x, replay.weights)
    _read_changes(replay)
    status = vary_end(replay, t + x * h, record.y, record.dy, replay.between, replay.end)
    if status == DONE:
        keep_changes(replay, record.y, replay.between, replay.end)
    return status


@compiled
def is_blurred(march: IntegratorState, x: float) -> bool:
    """Return whether the place x of the step is next to a singular pose, with readings from both its sides."""
    nearness, tableau = march.mechanism.nearness, march.tableau
    return (
        nearness[NORM_RATIO] * nearness[INDEPENDENCE] < RECORD_INDEPENDENCE and abs(x - tableau.middle) < tableau.half
    )


@compiled
def _read_changes(replay: Replay) -> None:
    """Put the changes of the state that is read into `between`."""
    weights, count, out = replay.weights, replay.dy0.shape[0], replay.between
    for p in range(count):
        out[p, :] = 0.0
        axpy(weights[0], replay.dy0[p], out[p])
        axpy(weights[1], replay.dy1[p], out[p])
        for s in range(weights.size - 2):
            if weights[2 + s] != 0.0:
                axpy(weights[2 + s], replay.dk[count * s + p], out[p])


@compiled
def _combine_changes(base: Matrix, h: float, weights: Vector, stages: int, slopes: Matrix, out: Matrix) -> None:
    """Put the changes of y₀ + h Σ wⱼ kⱼ into `out`, a row for each parameter."""
    count = base.shape[0]
    for p in range(count):
        copy(base[p], out[p])
        for j in range(stages):
            if weights[j] != 0.0:
                axpy(h * weights[j], slopes[count * j + p], out[p])


@compiled
def keep_changes(replay: Replay, y: Vector, changes: Matrix, slopes: Matrix) -> None:
    """Record the changes of the state y, of its derivative and of λ, in `loads`, for the next requested time."""
    march, own, out, state = replay.march, replay.own, replay.out, replay.march.mechanism.state
    n, first = out.x.shape[1], march.counts[NEXT] * changes.shape[0]
    for p in range(changes.shape[0]):
        put_way(march.mechanism.machine.manifold, y[: state.q_end], changes[p, : state.q_end], own.way)
        copy(own.way[:n], out.x[first + p])
        copy(changes[p, state.v_at : state.v_at + n], out.v[first + p])
        copy(slopes[p, state.v_at : state.v_at + n], out.a[first + p])
        copy(replay.loads[p], out.multipliers[first + p])
        copy(changes[p, state.works_at :], out.works[first + p])
        copy(replay.forces[p], out.contacts[first + p])
        copy(changes[p, state.z_at : state.z_at + out.signals.shape[1]], out.signals[first + p])
    march.counts[NEXT] += 1
