"""Repetition of the recorded steps of Radau5 and of generalised α with derivatives. Compiled.

The unknowns of a step are the rates v̇ of its stages. For unchanged rates, a change at the beginning of the step moves
the velocities of all stages by the same δv⁰, and their places by a velocity δw over the time to the stage. So the
changes of the stages satisfy

    δvᵢ = δv⁰ + Σⱼ c₁ᵢⱼ δv̇ⱼ,      δxᵢ = Rᵢᵀ δx₀ + Bᵢ δw + Σⱼ Gᵢⱼ δv̇ⱼ,      δv̇ᵢ = stage of (δxᵢ, δvᵢ, δp),

where x are small motions, and `vary_stage` gives the accelerations that a stage makes. States z of the model follow
from their rates as v does. The methods differ in v⁰, w, c₁, c₂ and cᵢ. A plain coordinate has R = 1, B = h cᵢ, G = c₂,

    Radau5          v⁰ = v₀,    w = v₀,    c₁ = h A,    c₂ = h² A²,    cᵢ = Σⱼ aᵢⱼ,
    generalised α   v⁰ = v₀ + h ((1 - γ) b₀ + γ r),    w = v₀ + h ((½ - β) b₀ + β r),    c₁ = h γ σ,    c₂ = h² β σ,
                    r = (α_f v̇₀ - α_m b₀)/(1 - α_m),    σ = (1 - α_f)/(1 - α_m),    b₁ = σ v̇₁ + r,

with one stage, the end, and c = 1. The next step begins with b₁ + s (v̇₁ - v̇₀), where s is the shift of b for its
length, and v̇₁ that behind the projection; where a step begins anew, b₀ = v̇₀. So rows of changes carry b and the v̇₀ of
the step before beside those of y. Attitudes have matrices R, B and G of their own (`attitudes.put_charts`).

The rates δv̇ and δż of all stages are found with Newton's matrix of the step (`motion.implicit.linearised`), each stage
with its own values. This matrix is exact but for attitudes and for forces of contacts, so that one or two corrections
are enough; with attitudes or contacts, corrections are combined such that the residual is least (`improve`).

The tape holds what a run has found of the stages to its tolerance: derivatives, and the charts of Radau5 or the b₀ of
generalised α. They are corrected here (`_sharpen`): for a stiff spring a small error of a length is a large force.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from ...compiled.manifold import from_chart
from ...compiled.status import BLURS, DONE, NOT_CONVERGED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.unsymmetric import Elimination, eliminate_real, solve_real
from ...linear.vectors import axpy, copy, copy_rows, dot, largest
from ...motion.course import is_break, moment
from ...motion.derivative import derivative
from ...motion.implicit.iteration import BEGUN, FROM, LENGTH, SHARP, add_to_stage, filter_error, put_residual
from ...motion.implicit.linearised import MASS, RATE, ROW, Linearised, add_mass_times, put_coupled, put_real
from ...motion.implicit.linearised import linearise as put_newton_values
from ...motion.methods import generalised_alpha, radau
from ...motion.methods.generalised_alpha import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    GAMMA,
    F,
    error_coefficients,
    newton_coefficients,
    shift_of_b,
)
from ...motion.methods.method import H, Stages, T, prepare_reading, read_between, take_step
from ...motion.methods.radau import ERROR, MU, place_of, weights_at
from ...motion.past.tape import HEAD, PREVIOUS, SWITCHES, T0, T1, stages_at
from ...motion.record import NEXT, IntegratorState, put_back, remember
from ...motion.run import note_end
from ...tolerances import CYCLE_ROUNDOFF, CYCLE_TOLERANCE, ZERO_CORRECTION
from .attitudes import Charts, put_charts, put_reading
from .conjugate_residuals import CYCLES, TRIES, Residuals, improve, largest_part
from .contact_forces import HeldForces
from .linear import Linear, put_way, vary_places
from .repetition import make_end, put_entry, set_out
from .steps import Replay, is_blurred, keep_changes, vary_begin, vary_end
from .tree import JointTree, hold_here, linearise_here, refinements_here, save_here, take_here, vary_stage_here

settle_radau, settle_alpha = radau.settle, generalised_alpha.settle
CORRECTIONS, SHRINKS = 4, 0.3
"""The largest number of corrections of the stages of a run, and the largest ratio of a correction to the one before."""


class ImplicitStep(NamedTuple):
    """The linearised stages of a step, and their changes: stage by stage, in each stage parameter by parameter. Going
    back, weights stand in place of changes."""

    charts: Charts
    residuals: Residuals
    c0: Work[Vector] = zeros("inner")
    """The times from the beginning of the step to its stages, in s."""
    c1: Work[Matrix] = zeros("inner", "inner")
    """The change of v at stage i by v̇ at stage j, in s."""
    c2: Work[Matrix] = zeros("inner", "inner")
    """The change of a plain coordinate at stage i by v̇ at stage j, in s²."""
    shelf: Work[Matrix] = zeros("inner", "shelf")
    """The linearisation of each stage."""
    often: Work[Integers] = zeros("inner")
    """The number of refinements of a solution at each stage."""
    first: Work[Matrix] = zeros("count", "columns")
    """The small motion δx₀."""
    mean: Work[Matrix] = zeros("count", "columns")
    """The change δw of the velocity by which places move for unchanged rates."""
    begin: Work[Matrix] = zeros("count", "width")
    """The change of y⁰, which all stages have for unchanged rates."""
    x: Work[Matrix] = zeros("rows", "columns")
    """The small motions δxᵢ."""
    y: Work[Matrix] = zeros("rows", "width")
    """The changes of y at the stages."""
    slopes: Work[Matrix] = zeros("rows", "width")
    """The changes of y' at a stage that follow from those of its state."""
    own: Work[Matrix] = zeros("count", "columns")
    """The small motions of the end of the step, then of a state that is read."""
    loads: Work[Matrix] = zeros("count", "lambdas")
    forces: Work[Matrix] = zeros("count", "lines")
    read: Work[Vector] = zeros("readings")
    """The weights in a reading of the stages before the last, of the end, and of y' at the beginning and at the end."""
    weight: Work[Vector] = zeros("unknowns")
    weights: Work[Matrix] = zeros("rows", "unknown_rates")
    begin_0: Work[Matrix] = zeros("count", "width")
    """Going back, the weights of y⁰ before directions were tried."""
    first_0: Work[Matrix] = zeros("count", "columns")
    """The weights of δx₀ before directions were tried."""
    mean_0: Work[Matrix] = zeros("count", "columns")
    """The weights of δw before directions were tried."""
    numbers: Work[Matrix] = zeros("weighted", "numbers")
    """The weights of numbers in the equations before directions were tried."""
    laws: Work[Matrix] = zeros("weighted", "laws")
    """The weights of the laws of contacts before directions were tried."""


# --- the stages of a step ---------------------------------------------------------------------------------------------


@compiled
def is_alpha(stages: Stages) -> bool:
    """Return whether the method is generalised α, which has one stage."""
    return stages.tableau.stages == 1


@compiled
def put_stages(march: IntegratorState, entry: Vector) -> None:
    """Put the stages of a step as the run has found them, from its entry on the tape."""
    stages, own, state = march.stages, march.stages.implicit, march.mechanism.state
    width, at, a, inner = stages.y0.size, stages_at(march), stages.tableau.a, stages.tableau.stages
    own.flags[:] = 0
    own.flags[SHARP] = 1
    for s in range(inner):
        copy(entry[at + s * width : at + (s + 1) * width], own.stage[s])
        beside = own.before[s] if is_alpha(stages) else own.chart[s]
        copy(entry[at + (inner + s) * width : at + (inner + s + 1) * width], beside)
    if is_alpha(stages):
        copy(stages.k[0], own.stage[F])
        settle_alpha(stages, stages.now[H])
    else:
        for s in range(inner):
            copy(stages.y0, own.y[s])
            from_chart(march.mechanism.machine.manifold, stages.y0[: state.q_end], own.chart[s, : state.q_end],
                       own.y[s, : state.q_end])  # fmt: skip
            for k in range(state.v_at, width):
                rise = a[s, 0] * own.stage[0, k] + a[s, 1] * own.stage[1, k] + a[s, 2] * own.stage[2, k]
                own.y[s, k] = stages.y0[k] + stages.now[H] * rise
    copy(own.y[inner - 1], stages.y1)


@compiled
def linearise_stages(step: ImplicitStep, march: IntegratorState, own: Linear, held: HeldForces, tree: JointTree) -> int:
    """Linearise all stages, each onto a shelf, and put the numbers of the method in a step of this length and the
    matrices of attitudes; return a status."""
    stages, mechanism, implicit, h = march.stages, march.mechanism, march.stages.implicit, march.stages.now[H]
    newton, unseen, a, inner = implicit.newton, mechanism.contacts.choice.closed_only, stages.tableau.a, step.c0.size
    unseen[0] = 1
    status = _sharpen(march)
    for s in range(inner):
        if status == DONE:
            status = derivative(mechanism, _moment(march, s), implicit.y[s], newton.slope)
            linearise_here(own, tree, mechanism, _moment(march, s), implicit.y[s], newton.slope)
            hold_here(held, tree, mechanism, s)
            save_here(own, tree, mechanism, step.shelf[s])
            step.often[s] = refinements_here(tree, mechanism)
    unseen[0] = 0
    if is_alpha(stages):
        step.c0[0] = h
        step.c1[0, 0], step.c2[0, 0] = newton_coefficients(stages.tableau.b, h)
    else:
        for i in range(inner):
            step.c0[i] = h * (a[i, 0] + a[i, 1] + a[i, 2])
            for j in range(inner):
                step.c1[i, j] = h * a[i, j]
                step.c2[i, j] = h * h * (a[i, 0] * a[0, j] + a[i, 1] * a[1, j] + a[i, 2] * a[2, j])
    put_charts(step.charts, stages, step.c2)
    return status


@compiled
def _moment(march: IntegratorState, s: int) -> float:
    """Return the time of stage s."""
    place = 1.0 if is_alpha(march.stages) else place_of(s)
    return moment(march.course, march.stages.now[T] + place * march.stages.now[H])


@compiled
def settle(stages: Stages) -> None:
    """Put the states of all stages, from their rates."""
    if is_alpha(stages):
        settle_alpha(stages, stages.now[H])
    else:
        settle_radau(stages, stages.now[H])


@compiled
def matrix_of(stages: Stages) -> Elimination:
    """Return the factor of Newton's matrix of the whole step."""
    newton = stages.implicit.newton
    return newton.real if is_alpha(stages) else newton.coupled


@compiled
def _sharpen(march: IntegratorState) -> int:
    """Eliminate the matrix of the step, and correct the stages as long as corrections shrink; return a status."""
    stages, mechanism, implicit, inner = march.stages, march.mechanism, march.stages.implicit, march.tableau.stages
    newton, right, size, previous = implicit.newton, implicit.newton.right, implicit.residual.shape[1], np.inf
    for s in range(inner):
        status = put_newton_values(newton, mechanism, _moment(march, s), implicit.y[s], newton.values[s])
        if status != DONE:
            return status
        put_residual(implicit, mechanism, newton.slope, implicit.stage[s], newton.values[s], implicit.residual[s])
    if is_alpha(stages):
        c1, c2 = newton_coefficients(stages.tableau.b, stages.now[H])
        put_real(newton, mechanism, c1, c2)
    else:
        put_coupled(newton, mechanism, stages.tableau.a, stages.now[H])
    eliminate_real(matrix_of(stages), mechanism.machine.factor.kept)
    for _ in range(CORRECTIONS):
        for s in range(inner):
            _spread(implicit.residual[s], s, newton.x_count, size, inner, right)
        solve_real(matrix_of(stages), right)
        moved = largest(right[: inner * newton.x_count])
        if not moved < SHRINKS * previous:
            for s in range(inner):
                copy(implicit.before[2 - s], implicit.stage[s])
            settle(stages)
            break
        for s in range(inner):
            copy(implicit.stage[s], implicit.before[2 - s])  # rows that this step does not read any more
            add_to_stage(implicit, mechanism, right[s * newton.x_count :], implicit.stage[s])
        previous = moved
        settle(stages)
        for s in range(inner):
            status = derivative(mechanism, _moment(march, s), implicit.y[s], newton.slope)
            if status != DONE:
                return status
            put_residual(implicit, mechanism, newton.slope, implicit.stage[s], newton.values[s], implicit.residual[s])
    copy(implicit.y[inner - 1], stages.y1)
    return DONE


# --- the changes of the stages ----------------------------------------------------------------------------------------


@compiled
def _put_begin(replay: Replay, step: ImplicitStep, previous: float) -> None:
    """Put the changes of x₀, of y⁰ and of w. For generalised α, put those of b₀ into `replay.b`; `previous` is the
    length of the step before, 0 where steps begin anew."""
    stages, mechanism, own, n = replay.march.stages, replay.march.mechanism, replay.own, step.first.shape[1]
    numbers, state, h = stages.tableau.b, mechanism.state, stages.now[H]
    for p in range(replay.dy0.shape[0]):
        dy, b, slope = replay.dy0[p], replay.b[p], replay.dk[p]
        put_way(mechanism.machine.manifold, stages.y0[: state.q_end], dy[: state.q_end], own.way)
        copy(own.way[:n], step.first[p])
        copy(dy[state.v_at : state.v_at + n], step.mean[p])
        copy(dy, step.begin[p])
        if is_alpha(stages):
            alpha_m, alpha_f, beta, gamma = numbers[ALPHA_M], numbers[ALPHA_F], numbers[BETA], numbers[GAMMA]
            shift = shift_of_b(numbers, h, previous) if previous > 0.0 else 0.0
            for k in range(state.z_at, dy.size):
                b[k] = b[k] + shift * (slope[k] - replay.slope[p, k]) if previous > 0.0 else slope[k]
                rest = (alpha_f * slope[k] - alpha_m * b[k]) / (1.0 - alpha_m)
                step.begin[p, k] += h * ((1.0 - gamma) * b[k] + gamma * rest)
                if state.v_at <= k < state.v_at + n:
                    step.mean[p, k - state.v_at] += h * ((0.5 - beta) * b[k] + beta * rest)


@compiled
def _put_remembered(replay: Replay, step: ImplicitStep) -> None:
    """Replace the changes of b₀ by those of b₁, and keep those of y' at the beginning of the step."""
    newton, state, n = replay.march.stages.implicit.newton, replay.march.mechanism.state, step.first.shape[1]
    numbers, z_place, unit = replay.march.tableau.b, newton.z_place, step.residuals.unit
    alpha_m, alpha_f = numbers[ALPHA_M], numbers[ALPHA_F]
    share = (1.0 - alpha_f) / (1.0 - alpha_m)
    for p in range(replay.dy0.shape[0]):
        b, rates = replay.b[p], step.residuals.rates[p]
        copy(replay.dk[p], replay.slope[p])
        for k in range(state.z_at, b.size):
            b[k] = (alpha_f * replay.slope[p, k] - alpha_m * b[k]) / (1.0 - alpha_m)
        axpy(share, rates[:n], b[state.v_at : state.v_at + n])
        for k in range(z_place.size):
            b[z_place[k]] += share * unit[n + k] * rates[n + k]
        axpy(share, step.slopes[p, state.v_end :], b[state.v_end :])


@compiled
def _settle_changes(step: ImplicitStep, stages: Stages) -> None:
    """Put the changes of the states of all stages, from those of their rates."""
    own, mechanism, count, inner = stages.implicit, stages.mechanism, step.first.shape[0], step.c0.size
    state, manifold, n, z_place = mechanism.state, mechanism.machine.manifold, step.first.shape[1], own.newton.z_place
    charts, v_at, v_end, moving = step.charts, state.v_at, state.v_end, step.residuals.rates
    for p in range(count):
        for s in range(inner):
            dy, x = step.y[count * s + p], step.x[count * s + p]
            copy(step.begin[p], dy)
            copy(step.first[p], x)
            axpy(step.c0[s], step.mean[p], x)
            for j in range(inner):
                rates, c1 = moving[count * j + p], step.c1[s, j]
                axpy(c1, rates[:n], dy[v_at : v_at + n])
                axpy(step.c2[s, j], rates[:n], x)
                for k in range(z_place.size):
                    dy[z_place[k]] += c1 * step.residuals.unit[n + k] * rates[n + k]
                axpy(c1, step.slopes[count * j + p, v_end:], dy[v_end:])
            for k in range(manifold.quaternions.shape[0]):
                of, row = manifold.quaternions[k, 1], 3 * (inner * k + s)
                for c in range(3):
                    total = 0.0
                    for d in range(3):
                        total += charts.R[row + c, d] * step.first[p, of + d]
                        total += charts.B[row + c, d] * step.mean[p, of + d]
                        for j in range(inner):
                            total += charts.G[row + c, 3 * j + d] * moving[count * j + p, of + d]
                    x[of + c] = total
            vary_places(manifold, own.y[s, : state.q_end], x, dy[: state.q_end])


@compiled
def _put_residual(step: ImplicitStep, march: IntegratorState, own: Linear, held: HeldForces, tree: JointTree) -> None:
    """Put into `residual` the corrections of `rates` that Newton's matrix finds."""
    implicit, mechanism, (count, n) = march.stages.implicit, march.mechanism, step.first.shape
    newton, state, right, size = implicit.newton, mechanism.state, implicit.newton.right, implicit.residual.shape[1]
    unit, inner = step.residuals.unit, step.c0.size
    _settle_changes(step, march.stages)
    for s in range(inner):
        here = slice(count * s, count * (s + 1))
        take_here(own, tree, mechanism, step.shelf[s])
        known = own, held, tree, mechanism, implicit.y[s], step.y[here], step.slopes[here]
        vary_stage_here(*known, step.loads, step.forces, step.often[s], s)
    for p in range(count):
        for s in range(inner):
            slope, rate, part = step.slopes[count * s + p], step.residuals.rates[count * s + p], implicit.residual[s]
            step.weight[:] = 0.0
            for k in range(n):
                step.weight[k] = slope[state.v_at + k] - rate[k]
            for k in range(newton.z_place.size):
                step.weight[n + k] = slope[newton.z_place[k]] - unit[n + k] * rate[n + k]
            part[:] = 0.0
            add_mass_times(newton, newton.values[s], step.weight, part)
            _spread(part, s, newton.x_count, size, inner, right)
        solve_real(matrix_of(march.stages), right)
        for s in range(inner):
            for k in range(newton.x_count):
                step.residuals.residual[count * s + p, k] = right[s * newton.x_count + k] / unit[k]


@compiled
def _solve_changes(
    step: ImplicitStep, march: IntegratorState, own: Linear, held: HeldForces, tree: JointTree, dy0: Matrix
) -> int:
    """Solve for the changes of the rates of all stages; return a status."""
    stages, mechanism, (count, n) = march.stages, march.mechanism, step.first.shape
    tried, rows, h, previous = step.residuals, step.residuals.rates.shape[0], stages.now[H], np.inf
    rates, residual, before, z_place = tried.rates, tried.residual, tried.before, stages.implicit.newton.z_place
    for p in range(count):
        tried.reach[0, p] = largest(step.first[p]) / h**2
        tried.scale[0, p] = max(largest(dy0[p, mechanism.state.v_at : mechanism.state.v_end]), tried.faint[0, p]) / h
        tried.scale[1, p] = tried.faint[1, p] / h
        for k in range(z_place.size):
            tried.scale[1, p] = max(tried.scale[1, p], abs(dy0[p, z_place[k]]) / tried.unit[n + k] / h)
    rates[:] = 0.0
    step.slopes[:] = 0.0
    for _ in range(CYCLES):
        _put_residual(step, march, own, held, tree)
        for j in range(TRIES):
            for row in range(rows):
                copy(residual[row], before[row])
                copy(residual[row], tried.directions[j * rows + row])
                axpy(1.0, residual[row], rates[row])
            _put_residual(step, march, own, held, tree)
            if j == 0 and largest_part(tried, residual, count, tried.none) <= ZERO_CORRECTION:
                break
            for row in range(rows):
                axpy(-1.0, before[row], rates[row])
                for k in range(before.shape[1]):
                    tried.images[j * rows + row, k] = before[row, k] - residual[row, k]
                    residual[row, k] = before[row, k]
            improved = improve(tried, count, j)
            if not improved or j + 1 == TRIES or largest_part(tried, residual, count, tried.none) <= ZERO_CORRECTION:
                _put_residual(step, march, own, held, tree)
                break
        worst = largest_part(tried, residual, count, tried.reach)
        for row in range(rows):
            axpy(1.0, residual[row], rates[row])
        if worst <= CYCLE_TOLERANCE or worst >= 0.5 * previous:
            previous = worst
            break
        previous = worst
    _settle_changes(step, stages)
    return DONE if previous <= CYCLE_ROUNDOFF else NOT_CONVERGED


@compiled
def _spread(part: Vector, s: int, x: int, size: int, inner: int, right: Vector) -> None:
    """Put the rows of stage s, in `part`, into the right side of all stages."""
    for k in range(x):
        right[s * x + k] = part[k]
    for k in range(size - x):
        right[inner * x + s * (size - x) + k] = part[x + k]


# --- ahead ------------------------------------------------------------------------------------------------------------


@compiled_apart
def vary_implicit_stretch(replay: Replay, step: ImplicitStep, entries: Matrix) -> int:
    """Make some steps with their changes, one after the other; return a status."""
    march = replay.march
    for k in range(entries.shape[0]):
        put_entry(march, entries[k])
        status = vary_begin(replay, entries[k, :HEAD])
        if status != DONE:
            return status
        put_entry(march, entries[k])
        set_out(march, entries[k])
        put_stages(march, entries[k])
        status = _vary_step(replay, step, entries[k])
        if status != DONE:
            return status
    return DONE


@compiled_apart
def vary_shorter_step(replay: Replay, step: ImplicitStep, head: Vector) -> int:
    """Make a step that is not on the tape, from where the run stands, with its changes; return a status. The rows of
    the stages must hold the numbers that the method remembers of the step before."""
    march, stages = replay.march, replay.march.stages
    own = stages.implicit
    status = vary_begin(replay, head)
    if status != DONE:
        return status
    set_out(march, head)
    own.flags[:] = 0
    own.flags[SHARP] = 1
    if head[PREVIOUS] > 0.0:
        own.flags[BEGUN] = 1
        own.told[FROM], own.told[LENGTH] = head[T0] - head[PREVIOUS], head[PREVIOUS]
    status = take_step(stages, head[T0], head[T1] - head[T0], stages.closed[0])
    return _vary_step(replay, step, head) if status == DONE else status


@compiled_apart
def _vary_step(replay: Replay, step: ImplicitStep, entry: Vector) -> int:
    """Vary a step whose stages are known: make y₁ and y' there, with their changes; return a status."""
    march, own, count = replay.march, replay.own, replay.dy0.shape[0]
    stages, last, inner = march.stages, march.tableau.stages, step.c0.size
    status = linearise_stages(step, march, own, replay.held, replay.tree)
    if status == DONE:
        _put_begin(replay, step, entry[PREVIOUS])
        status = _solve_changes(step, march, own, replay.held, replay.tree, replay.dy0)
    if status != DONE:
        return status
    copy_rows(step.y[count * (inner - 1) :], replay.dy1)
    _note_errors(replay, step, entry[PREVIOUS])
    if is_alpha(stages):
        _put_remembered(replay, step)
    slopes = replay.dk[count * last : count * (last + 1)]
    status = vary_end(replay, entry[T1], stages.y1, stages.k[last], replay.dy1, slopes)
    if status == DONE:
        note_end(march)
        copy_rows(replay.loads, replay.end_loads)
        copy_rows(replay.forces, replay.end_forces)
        remember(march)
        status = _vary_recorded(replay, step, entry)
        put_back(march)
    copy(stages.y1, stages.y0)
    copy(stages.k[last], stages.k[0])
    copy_rows(replay.dy1, replay.dy0)
    copy_rows(slopes, replay.dk)
    return status


@compiled
def _part_left(step: ImplicitStep, newton: Linearised, error: Vector, n: int, h: float) -> float:
    """Return the part of an error of velocities e that damping leaves within a step of length h, as of the amplitude
    of an oscillation: exp(-½ h eᵀ D e / eᵀ M e)."""
    weight, values, mass, damping = step.weight, newton.values[0], 0.0, 0.0
    weight[:] = 0.0
    for e in range(newton.first[MASS], newton.first[ROW]):
        weight[newton.row[e]] += values[newton.source[e]] * error[newton.column[e]]
    mass = dot(weight[:n], error[:n])
    weight[:] = 0.0
    for e in range(newton.first[RATE], newton.first[RATE + 1]):
        if newton.column[e] < n:  # states of the model stand behind velocities
            weight[newton.row[e]] += values[newton.source[e]] * error[newton.column[e]]
    damping = dot(weight[:n], error[:n])
    return exp(-0.5 * h * damping / mass) if damping > 0.0 and mass > 0.0 else 1.0


@compiled
def _put_error(replay: Replay, step: ImplicitStep, p: int, previous: float) -> None:
    """Put the estimate of the error of a step over h, applied to the changes by parameter p: of velocities and states
    into the first residual, of places into `newton.step`. (See the estimates of the methods.)"""
    stages, (count, n), a, h = replay.march.stages, step.first.shape, replay.march.tableau.a, replay.march.stages.now[H]
    newton, state, error = stages.implicit.newton, replay.march.mechanism.state, stages.implicit.residual[0]
    of_v, of_x = error_coefficients(replay.march.tableau.b)
    error[:] = 0.0
    for k in range(newton.x_count):
        at, unit = state.v_at + k if k < n else newton.z_place[k - n], step.residuals.unit[k]
        slope, rate = replay.dk[p, at], replay.dy0[p, at]
        if is_alpha(stages):
            rise = unit * step.residuals.rates[p, k] - slope
            before = (slope - replay.slope[p, at]) * h / previous if previous > 0.0 else 0.0
            error[k] = of_v * (2.0 * (rise - before) * h / (h + previous) if previous > 0.0 else rise)
            rate = of_x * h * rise
        else:
            for s in range(step.c0.size):
                slope += a[ERROR, s] * unit * step.residuals.rates[count * s + p, k]
                rate += a[ERROR, s] * step.y[count * s + p, at]
            error[k], rate = MU * slope, MU * rate
        if k < n:
            newton.step[k] = rate


@compiled
def _note_errors(replay: Replay, step: ImplicitStep, previous: float) -> None:
    """Add the error of the step, estimated and filtered as that of the run is: steps are chosen for the motion alone,
    and may be too long for neighbouring motions that swing."""
    march, stages, count, n = replay.march, replay.march.stages, replay.dy0.shape[0], step.first.shape[1]
    implicit, mechanism, h, inner = stages.implicit, march.mechanism, stages.now[H], step.c0.size
    newton, state, error, unit = implicit.newton, mechanism.state, implicit.residual[0], step.residuals.unit
    c = step.c1[0, 0] if is_alpha(stages) else MU * h
    if not is_alpha(stages):
        put_real(newton, mechanism, c, c * c)
        eliminate_real(newton.real, mechanism.machine.factor.kept)
    for p in range(count):
        _put_error(replay, step, p, previous)
        for _ in range(2):
            filter_error(implicit, mechanism, c)
        left = h * _part_left(step, newton, error, n, h)
        replay.errors[p, 0] += left * largest(newton.step[:n])
        replay.errors[p, 1] += left * largest(error[:n])
        most = 0.0
        for k in range(newton.z_place.size):
            most = max(most, abs(error[n + k]) / unit[n + k])
        replay.errors[p, 2] += h * most
        for s in range(inner):
            row = count * s + p
            replay.errors[p, 3] = max(replay.errors[p, 3], largest(step.x[row]))
            replay.errors[p, 4] = max(replay.errors[p, 4], largest(step.y[row, state.v_at : state.v_end]))
            for k in range(newton.z_place.size):
                replay.errors[p, 5] = max(replay.errors[p, 5], abs(step.y[row, newton.z_place[k]]) / unit[n + k])


@compiled
def _vary_recorded(replay: Replay, step: ImplicitStep, entry: Vector) -> int:
    """Record the changes at the requested times of a step. Where laws switch at its end, the next step records the
    changes at that time. Return a status."""
    t, end, prepared = entry[T0], entry[T1], False
    march, stages, times, counts = replay.march, replay.march.stages, replay.march.record.times, replay.march.counts
    record, count, last = replay.march.record, replay.dy0.shape[0], replay.march.tableau.stages
    while counts[NEXT] < times.size and times[counts[NEXT]] < end:
        x = (times[counts[NEXT]] - t) / (end - t)
        if not prepared:
            prepare_reading(stages)
            prepared = True
        put_back(march)
        if is_blurred(march, x):
            return BLURS
        read_between(stages, x, record.y)
        _read_changes(replay, step, x)
        status = vary_end(replay, t + x * (end - t), record.y, record.dy, replay.between, replay.end)
        if status != DONE:
            return status
        keep_changes(replay, record.y, replay.between, replay.end)
    goes_on = entry[SWITCHES] == 0.0 and not is_break(march.course, end)
    if counts[NEXT] < times.size and times[counts[NEXT]] == end and goes_on:
        copy_rows(replay.end_loads, replay.loads)
        copy_rows(replay.end_forces, replay.forces)
        keep_changes(replay, stages.y1, replay.dy1, replay.dk[count * last : count * (last + 1)])
    return DONE


@compiled
def put_reading_weights(step: ImplicitStep, stages: Stages, x: float) -> None:
    """Put the weights of a reading at the place x of a step into `step.read`: of Radau5 those of the polynomial through
    the beginning and all stages, of generalised α those of the cubic through both ends with their slopes."""
    read, h = step.read, stages.now[H]
    if is_alpha(stages):
        read[0], read[1], read[2] = x * x * (3.0 - 2.0 * x), h * x * (1.0 - x) ** 2, h * x * x * (x - 1.0)
    else:
        weights_at(x, read)


@compiled
def _read_changes(replay: Replay, step: ImplicitStep, x: float) -> None:
    """Put the changes of the state at the place x of the step, which is read, into `between`."""
    march, (count, n), inner = replay.march, step.first.shape, step.c0.size
    stages, mechanism, own, read = march.stages, march.mechanism, replay.own, step.read
    state, manifold, end = mechanism.state, mechanism.machine.manifold, count * inner
    v_at = state.v_at
    put_reading_weights(step, stages, x)
    rest = 1.0
    for s in range(inner):
        rest -= read[s]
    for p in range(count):
        out, first, last = replay.between[p], replay.dk[p], replay.dk[end + p]
        for k in range(out.size):
            out[k] = rest * replay.dy0[p, k] + read[inner - 1] * replay.dy1[p, k]
        for s in range(inner - 1):
            axpy(read[s], step.y[count * s + p], out)
        axpy(read[inner], first, out)
        axpy(read[inner + 1], last, out)
        put_way(manifold, stages.y1[: state.q_end], replay.dy1[p, : state.q_end], own.way)
        copy(own.way[:n], step.own[p])
    for k in range(manifold.quaternions.shape[0]):
        put_reading(step.charts, stages, k, read, inner)
        of = manifold.quaternions[k, 1]
        for p in range(count):
            moving = v_at + of
            _read_attitude(step, of, 3 * inner * k, p, replay.dy0[p, moving:], replay.dy1[p, moving:])
    for p in range(count):
        for k in range(manifold.plain.shape[0]):
            i = manifold.plain[k, 1]
            total = rest * step.first[p, i] + read[inner - 1] * step.own[p, i]
            for s in range(inner - 1):
                total += read[s] * step.x[count * s + p, i]
            total += read[inner] * replay.dy0[p, v_at + i] + read[inner + 1] * replay.dy1[p, v_at + i]
            step.own[p, i] = total
        vary_places(manifold, march.record.y[: state.q_end], step.own[p], replay.between[p, : state.q_end])


@compiled
def _read_attitude(step: ImplicitStep, of: int, row: int, p: int, w0: Vector, w1: Vector) -> None:
    """Replace the small motion of an attitude at the end of the step, in `own`, by that of the state that is read. With
    the changes w0 and w1 of ω at both ends the chart is read as

        δuᵢ = Cᵢ (xᵢ - Rᵢᵀ x₀),    δu_end = δu_last + C_end x_end - C_begin x_last,    x = R_readᵀ x₀ + T_read δu,
        δu = Σ read δuᵢ + read δu_end + read δω₀ + read (C_rate δω₁ + D_rate δu_end).
    """
    charts, read, inner, count = step.charts, step.read, step.c0.size, step.first.shape[0]
    out, first, end = step.own[p, of : of + 3], step.first[p, of : of + 3], charts.right[:3]
    total, here = charts.right[3:6], charts.right[6:]
    total[:] = 0.0
    for s in range(inner):
        x = step.x[count * s + p, of : of + 3]
        for c in range(3):
            here[c] = x[c]
            for d in range(3):
                here[c] -= charts.R[row + 3 * s + c, d] * first[d]
        for c in range(3):
            end[c] = 0.0
            for d in range(3):
                end[c] += charts.C[row + 3 * s + c, d] * here[d]
            if s < inner - 1:
                total[c] += read[s] * end[c]
    last = step.x[count * (inner - 1) + p, of : of + 3]
    for c in range(3):
        for d in range(3):
            end[c] += charts.C_end[c, d] * out[d] - charts.C_begin[c, d] * last[d]
    for c in range(3):
        total[c] += read[inner - 1] * end[c] + read[inner] * w0[c]
        for d in range(3):
            total[c] += read[inner + 1] * (charts.C_rate[c, d] * w1[d] + charts.D_rate[c, d] * end[d])
    for c in range(3):
        out[c] = 0.0
        for d in range(3):
            out[c] += charts.R_read[c, d] * first[d] + charts.T_read[c, d] * total[d]


@compiled_apart
def make_implicit_step(march: IntegratorState, entry: Vector, before: Vector) -> int:
    """Make the step of an entry again, with its end on the constraints and the derivative there; return a status."""
    stages = march.stages
    put_entry(march, entry)
    set_out(march, entry)
    put_stages(march, entry)
    march.mechanism.contacts.choice.closed_only[0] = 1
    status = _sharpen(march)
    march.mechanism.contacts.choice.closed_only[0] = 0
    if status == DONE:
        status = make_end(march, entry[T1], stages.y1, stages.k[march.tableau.stages], before)
    note_end(march)
    copy(stages.y1, stages.y0)
    copy(stages.k[march.tableau.stages], stages.k[0])
    return status
