"""The way back through the recorded steps of a run: the discrete adjoint. Compiled.

A number J that depends on the records of a run changes with the first state, and with the numbers in the equations. A
step is a chain of linear operations on changes (`steps`), so weights, ∂J/∂y, go back through the
transposed of each, in the opposite order:

    y₁ = y₀ + h Σ bⱼ kⱼ       ȳ₀ += ȳ₁,  k̄ⱼ += h bⱼ ȳ₁
    k = stage of y            ȳ += (stage)ᵀ k̄, by one solution with the same factor and the same entries
    unit, project             alike

The weights of numbers in slots add up on the way, whatever parameters there are. The stages of a step are made again
first, and the linearisation of each is saved: its factor, entries and rows of equations.
"""

from typing import Any, NamedTuple

from ...compiled.status import BLURS, DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.vectors import axpy, copy, copy_rows
from ...motion.course import is_break, moment
from ...motion.derivative import evaluate
from ...motion.methods.method import H, Stages, read_between
from ...motion.methods.runge_kutta import combine
from ...motion.past.tape import BEGAN, CLOSED, FRESH, HEAD, RESTARTED, SWITCHES, T0, T1, WENT_ON
from ...motion.record import NEXT, IntegratorState, put_back, remember
from ...motion.run import note_end
from ...motion.stabilise import is_projected
from .contact_forces import HeldForces, is_held
from .linear import Linear, LinearProjection, Weights, vary_lengths
from .repetition import begin_anew, is_closed, make_end, make_inner, put_entry, set_out, time_of
from .steps import is_blurred, prepare_weights
from .transposed import add_places, project_back
from .tree import (
    JointTree,
    has_joints,
    hold_here,
    joint_projection_back,
    keep_back_here,
    linearise_here,
    refinements_here,
    save_here,
    stage_back_here,
    take_here,
)


class AdjointRun(NamedTuple):
    """A run whose steps are gone through backwards."""

    march: IntegratorState
    own: Linear
    held: HeldForces
    projection: LinearProjection
    tree: JointTree
    basis: Stages
    weights: Weights
    shelf: Work[Matrix] = zeros("shelves", "shelf")
    """The linearisation of each stage of a step; then of its end, and of the state that is read."""
    states: Work[Matrix] = zeros("shelves", "width")
    """The state y on each shelf."""
    before: Work[Matrix] = zeros("shelves", "width")
    """States before they were put onto the constraints."""
    often: Work[Integers] = zeros("shelves")
    """The number of refinements of a solution with the factor on each shelf."""
    y0: Work[Matrix] = zeros("weighted", "width")
    """The weights of y₀: a row for each number that is differentiated."""
    y1: Work[Matrix] = zeros("weighted", "width")
    """The weights of y₁."""
    inside: Work[Matrix] = zeros("weighted", "width")
    """The weights of a state inside the step."""
    k: Work[Matrix] = zeros("slopes", "width")
    """The weights of all k, stage by stage."""
    b: Work[Matrix] = zeros("weighted", "width")
    """The weights of the accelerations b that generalised α remembers."""
    slope: Work[Matrix] = zeros("weighted", "width")
    """The weights of y' at the beginning of a step, of which the step after it remembers y'."""
    loads: Work[Matrix] = zeros("weighted", "rows")
    """The weights of the multipliers at the end of the step."""
    forces: Work[Matrix] = zeros("weighted", "lines")
    """The weights of the forces of contacts."""
    read: Work[Vector] = zeros("basis")


# --- one state --------------------------------------------------------------------------------------------------------


@compiled
def _put_by(way: AdjointRun, s: int, y: Vector) -> None:
    """Save the state y, which is linearised, on shelf s."""
    copy(y, way.states[s])
    hold_here(way.held, way.tree, way.march.mechanism, s)
    save_here(way.own, way.tree, way.march.mechanism, way.shelf[s])
    way.often[s] = refinements_here(way.tree, way.march.mechanism)


@compiled
def _take(way: AdjointRun, s: int) -> None:
    """Take the linearised state from shelf s."""
    take_here(way.own, way.tree, way.march.mechanism, way.shelf[s])


@compiled
def give_stage_back(way: AdjointRun, y: Vector, slopes: Matrix, out: Matrix, often: int, s: int) -> None:
    """Give the weights of y' and of loads at the state y, which is linearised, to those of y."""
    known = way.own, way.held, way.tree, way.march.mechanism
    stage_back_here(*known, y, slopes, way.loads, way.forces, out, often, s)


@compiled
def put_right_back(way: AdjointRun, t: float, s: int, y: Vector, out: Matrix) -> None:
    """Give the weights of y to those of the state before it was put onto the constraints, in place."""
    known = way.own, way.projection, way.march.mechanism, t, way.before[s], y, out
    if not has_joints(way.tree):
        project_back(*known)
    elif way.march.mechanism.machine.pattern.m > 0:
        joint_projection_back(way.tree, *known)


@compiled
def give_keep_back(way: AdjointRun, y: Vector, weights: Matrix, s: int) -> None:
    """Give the weights of y, whose forces stand on shelf s, to those of the state before contacts were kept closed, in
    place."""
    keep_back_here(way.own, way.held, way.tree, way.march.mechanism, y, weights, s)


# --- one step ---------------------------------------------------------------------------------------------------------


@compiled
def _rows_of(way: AdjointRun, s: int) -> Any:
    """Return the rows of `k` with the weights of stage s."""
    count = way.y0.shape[0]
    return slice(count * s, count * (s + 1))


@compiled
def _add(times: float, rows: Matrix, to: Matrix) -> None:
    for r in range(rows.shape[0]):
        axpy(times, rows[r], to[r])


@compiled
def _combine_back(way: AdjointRun, weights: Vector, stages: int, rows: Matrix) -> None:
    """Add the weights `rows` of y₀ + h Σ wⱼ kⱼ to those of y₀ and of kⱼ."""
    h = way.march.stages.now[H]
    _add(1.0, rows, way.y0)
    for j in range(stages):
        if weights[j] != 0.0:
            _add(h * weights[j], rows, way.k[_rows_of(way, j)])


@compiled
def _inner(way: AdjointRun, s: int) -> int:
    """Make stage s, and save its linearisation; return a status."""
    march, stages = way.march, way.march.stages
    status = make_inner(march, s, stages.between, way.before[s])
    if status == DONE:
        linearise_here(way.own, way.tree, march.mechanism, time_of(stages, s), stages.between, stages.k[s])
        _put_by(way, s, stages.between)
    return status


@compiled
def _inner_back(way: AdjointRun, s: int) -> None:
    march, tableau = way.march, way.march.tableau
    mechanism, y, inside = march.mechanism, way.states[s], way.inside
    _take(way, s)
    inside[:] = 0.0
    give_stage_back(way, y, way.k[_rows_of(way, s)], inside, way.often[s], s)
    if is_closed(march.stages, s):
        put_right_back(way, time_of(march.stages, s), s, y, inside)
        vary_lengths(mechanism, way.before[s], inside)
    _combine_back(way, tableau.a[s], s, inside)


@compiled
def add_kept(way: AdjointRun, y: Vector, of_y: Matrix, of_slope: Matrix) -> None:
    """Add the weights of the next requested time, whose state is y, to those of y, of its derivative, and of
    `loads`."""
    march, weights, state, n = way.march, way.weights, way.march.mechanism.state, way.weights.x.shape[1]
    count = of_y.shape[0]
    for r in range(count):
        k = count * march.counts[NEXT] + r
        add_places(march.mechanism.machine.manifold, y[: state.q_end], weights.x[k], of_y[r])
        for i in range(n):
            of_y[r, state.v_at + i] += weights.v[k, i]
            of_slope[r, state.v_at + i] += weights.a[k, i]
        axpy(1.0, weights.multipliers[k], way.loads[r])
        axpy(1.0, weights.contacts[k], way.forces[r])
        axpy(1.0, weights.works[k], of_y[r, state.works_at :])
        axpy(1.0, weights.signals[k], of_y[r, state.z_at : state.q_end])
    march.counts[NEXT] += 1


@compiled
def _read_back(way: AdjointRun, t: float, h: float, x: float, s: int) -> int:
    """Make the state at a requested time inside the step, and give its weights back to the step; return a status."""
    march, record, mechanism, inside = way.march, way.march.record, way.march.mechanism, way.inside
    put_back(march)
    if is_blurred(march, x):
        return BLURS
    read_between(march.stages, x, record.y)
    read_between(way.basis, x, way.read)
    projected = is_projected(march.stabiliser, mechanism)
    status = make_end(march, t + x * h, record.y, record.dy, way.before[s])
    if status != DONE:
        return status
    linearise_here(way.own, way.tree, march.mechanism, moment(march.course, t + x * h), record.y, record.dy)
    _put_by(way, s, record.y)
    often, slopes = way.often[s], way.k[_rows_of(way, s)]
    inside[:] = 0.0
    slopes[:] = 0.0
    clear_loads(way)
    add_kept(way, record.y, inside, slopes)
    give_stage_back(way, record.y, slopes, inside, often, s)
    if is_held(way.held, s):
        give_keep_back(way, record.y, inside, s)
    if projected:
        put_right_back(way, moment(march.course, t + x * h), s, record.y, inside)
    vary_lengths(mechanism, way.before[s], inside)
    _add(way.read[0], inside, way.y0)
    _add(way.read[1], inside, way.y1)
    for j in range(way.read.size - 2):
        _add(way.read[2 + j], inside, way.k[_rows_of(way, j)])
    slopes[:] = 0.0
    clear_loads(way)
    return DONE


@compiled
def clear_loads(way: AdjointRun) -> None:
    way.loads[:] = 0.0
    way.forces[:] = 0.0


@compiled_apart
def back_step(way: AdjointRun, entry: Vector, recorded: int) -> int:
    """Go back through one step, before which `recorded` requested times stand: the weights of y₁ and of y' there, in
    `y1` and in the rows of k behind the stages, become those of y₀ and k₀. Return a status."""
    march, stages, tableau = way.march, way.march.stages, way.march.tableau
    mechanism, last, extra, status = march.mechanism, tableau.stages, tableau.a.shape[0], DONE
    times, t, end = march.record.times, entry[T0], entry[T1]
    put_entry(march, entry)
    march.counts[NEXT] = recorded
    if entry[CLOSED] == 1.0:  # its first projection is in the norm of the masses at the beginning
        state = mechanism.state
        evaluate(mechanism, t, stages.y0[: state.q_end], stages.y0[state.v_at : state.v_end])
    set_out(march, entry)
    for s in range(1, last):
        status = _inner(way, s)
        if status != DONE:
            return status
    combine(stages.y0, stages.now[H], tableau.b, last, stages.k, stages.y1)
    projected = is_projected(march.stabiliser, mechanism)
    status = end_of_step(way, end)
    if status != DONE:
        return status
    reads = recorded < times.size and times[recorded] < end
    if reads:
        for s in range(last + 1, extra):
            status = _inner(way, s)
            if status != DONE:
                return status
        prepare_weights(stages, way.basis)
    while status == DONE and march.counts[NEXT] < times.size and times[march.counts[NEXT]] < end:
        status = _read_back(way, t, end - t, (times[march.counts[NEXT]] - t) / (end - t), way.often.size - 1)
    if status != DONE:
        return status
    if reads:
        for s in range(extra - 1, last, -1):
            _inner_back(way, s)
    goes_on = entry[SWITCHES] == 0.0 and not is_break(march.course, end)  # else the next step records its time
    if march.counts[NEXT] < times.size and times[march.counts[NEXT]] == end and goes_on:
        add_kept(way, stages.y1, way.y1, way.k[_rows_of(way, last)])
    end_of_step_back(way, end, projected)
    _combine_back(way, tableau.b, last, way.y1)
    for s in range(last - 1, 0, -1):
        _inner_back(way, s)
    return DONE


@compiled
def end_of_step(way: AdjointRun, t: float) -> int:
    """Put the end of the step onto the constraints, linearise the end and save it on its shelf; return a status."""
    march, stages, last = way.march, way.march.stages, way.march.tableau.stages
    status = make_end(march, t, stages.y1, stages.k[last], way.before[last])
    if status == DONE:
        linearise_here(way.own, way.tree, march.mechanism, moment(march.course, t), stages.y1, stages.k[last])
        _put_by(way, last, stages.y1)
        note_end(march)
        remember(march)
    return status


@compiled
def end_of_step_back(way: AdjointRun, t: float, projected: bool) -> None:
    """Give the weights of y' at the end t of the step to those of y₁, and take those back through its projection."""
    last, mechanism, of_y = way.march.tableau.stages, way.march.mechanism, way.y1
    _take(way, last)
    give_stage_back(way, way.states[last], way.k[_rows_of(way, last)], of_y, way.often[last], last)
    clear_loads(way)
    if is_held(way.held, last):
        give_keep_back(way, way.states[last], of_y, last)
    if projected:
        put_right_back(way, moment(way.march.course, t), last, way.states[last], of_y)
    vary_lengths(mechanism, way.before[last], of_y)


@compiled_apart
def back_begin(way: AdjointRun, head: Vector, entry: Vector, recorded: int) -> int:
    """Give the weights of the record and of y' where a step begins anew to those of y₀; return a status."""
    march, stages = way.march, way.march.stages
    if head[FRESH] == WENT_ON:
        return DONE
    put_entry(march, entry)
    march.counts[NEXT] = recorded
    status = begin_anew(march, head)
    if status != DONE:
        return status
    linearise_here(way.own, way.tree, march.mechanism, moment(march.course, head[T0]), stages.y0, stages.k[0])
    _put_by(way, 0, stages.y0)
    often, times, slopes = way.often[0], march.record.times, way.k[_rows_of(way, 0)]
    is_set = head[FRESH] == BEGAN or head[FRESH] == RESTARTED
    if is_set and is_held(way.held, 0):
        give_stage_back(way, stages.y0, slopes, way.y0, often, 0)
        give_keep_back(way, stages.y0, way.y0, 0)
        slopes[:] = 0.0
        clear_loads(way)
    if recorded < times.size and times[recorded] == head[T0]:
        add_kept(way, stages.y0, way.y0, slopes)
    give_stage_back(way, stages.y0, slopes, way.y0, often, 0)
    slopes[:] = 0.0
    clear_loads(way)
    return DONE


@compiled_apart
def back_stretch(way: AdjointRun, entries: Matrix, recorded: Integers) -> int:
    """Go back through some steps, the last one first; return a status."""
    last = way.march.tableau.stages
    for k in range(entries.shape[0] - 1, -1, -1):
        copy_rows(way.y0, way.y1)
        way.y0[:] = 0.0
        copy_rows(way.k[_rows_of(way, 0)], way.k[_rows_of(way, last)])
        for s in range(way.often.size):
            if s != last:
                way.k[_rows_of(way, s)][:] = 0.0
        clear_loads(way)
        status = back_step(way, entries[k], recorded[2 * k + 1])
        if status != DONE:
            return status
        clear_loads(way)
        status = back_begin(way, entries[k, :HEAD], entries[k], recorded[2 * k])
        if status != DONE:
            return status
    return DONE
