"""Repetition of the recorded steps of Radau5 with derivatives. Compiled.

With changes δy₀ at the beginning of a step the changes of its stages satisfy

    δvᵢ = δv₀ + h Σⱼ aᵢⱼ δv̇ⱼ,        δxᵢ = Rᵢᵀ δx₀ + Σⱼ Gᵢⱼ δvⱼ,        δv̇ᵢ = stage of (δxᵢ, δvᵢ, δp),

where x are small motions, and `vary_stage` gives the accelerations that a stage makes. States z of the model follow
from their rates as v does. The rates δv̇ and δż of all stages are found with Newton's matrix of the step
(`motion.implicit.linearised`), each stage with its own values. This matrix is exact but for attitudes and for forces of
contacts, so that one or two corrections are enough; with attitudes or contacts, corrections are combined such that the
residual is least (`improve`).

A plain coordinate has Gᵢⱼ = h aᵢⱼ. An attitude is found in the chart e = e₀ ∘ exp(u/2) with u̇ = C(u) ω, and small
motions are x = exp(u)ᵀ x₀ + C⁻¹ δu, so

    δu̇ᵢ = Cᵢ δωᵢ + Dᵢ δuᵢ,        δuᵢ = h Σⱼ aᵢⱼ δu̇ⱼ,        Dᵢ = ∂(C(u) ωᵢ)/∂u at uᵢ:

nine equations for each attitude, whose solution gives its blocks Gᵢⱼ, 3 × 3 each.

The tape holds the derivatives and the charts of the stages, which a run has found to its tolerance. They are corrected
here (`_sharpen`): for a stiff spring a small error of a length is a large force.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from ...compiled.manifold import from_chart
from ...compiled.status import BLURS, DONE, NOT_CONVERGED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.unsymmetric import eliminate_real, solve_real
from ...linear.vectors import axpy, copy, copy_rows, dot, largest
from ...motion.course import is_break, moment
from ...motion.derivative import derivative, refinements
from ...motion.implicit.iteration import SHARP, add_to_stage, filter_error, put_residual
from ...motion.implicit.linearised import MASS, RATE, ROW, add_mass_times, put_coupled, put_real
from ...motion.implicit.linearised import linearise as put_newton_values
from ...motion.methods.method import H, T, prepare_reading, read_between, take_step
from ...motion.methods.radau import ERROR, MU, place_of, settle, weights_at
from ...motion.past.tape import HEAD, SWITCHES, T0, T1, stages_at
from ...motion.record import NEXT, March, put_back, remember
from ...motion.run import note_end
from .attitudes import INNER, Charts, put_charts, put_reading
from .conjugate_residuals import CYCLES, ROUNDOFF, SETTLED, SMALL, TRIES, Residuals, improve, largest_part
from .held_forces import hold_forces, vary_stage
from .linear import linearise, put_way, save_linearised, take_linearised, vary_places
from .making import make_end, put_entry, set_out
from .steps import Replay, is_blurred, keep_changes, vary_begin, vary_end

CORRECTIONS, SHRINKS = 4, 0.3
"""The largest number of corrections of the stages of a run, and the largest ratio of a correction to the one before."""


class ImplicitStep(NamedTuple):
    """The linearised stages of a step, and their changes: stage by stage, in each stage parameter by parameter. Going
    back, weights stand in place of changes."""

    charts: Charts
    residuals: Residuals
    shelf: Work[Matrix] = zeros("inner", "shelf")
    """The linearisation of each stage."""
    often: Work[Integers] = zeros("inner")
    """The number of refinements of a solution at each stage."""
    first: Work[Matrix] = zeros("count", "columns")
    """The small motion δx₀."""
    x: Work[Matrix] = zeros("rows", "columns")
    """The small motions δxᵢ."""
    y: Work[Matrix] = zeros("rows", "width")
    """The changes of y at the stages."""
    slopes: Work[Matrix] = zeros("rows", "width")
    """The changes of y' at a stage that follow from those of its state."""
    own: Work[Matrix] = zeros("count", "width")
    """The small motions of the end of the step, then of a state that is read."""
    loads: Work[Matrix] = zeros("count", "lambdas")
    forces: Work[Matrix] = zeros("count", "lines")
    weight: Work[Vector] = zeros("unknowns")
    weights: Work[Matrix] = zeros("rows", "unknown_rates")
    y0: Work[Matrix] = zeros("count", "width")
    """Going back, the weights of y₀ before directions were tried."""
    first_0: Work[Matrix] = zeros("count", "columns")
    """The weights of δx₀ before directions were tried."""
    numbers: Work[Matrix] = zeros("weighted", "numbers")
    """The weights of numbers in the equations before directions were tried."""
    laws: Work[Matrix] = zeros("weighted", "laws")
    """The weights of the laws of contacts before directions were tried."""


# --- the stages of a step ---------------------------------------------------------------------------------------------


@compiled
def put_stages(march, entry):
    """Put the stages of a step as the run has found them, from its entry on the tape."""
    stages, own, state = march.stages, march.stages.implicit, march.mechanism.state
    width, at, a = stages.y0.size, stages_at(march), stages.tableau.a
    own.flags[:] = 0
    own.flags[SHARP] = 1
    for s in range(INNER):
        copy(entry[at + s * width : at + (s + 1) * width], own.stage[s])
        copy(entry[at + (INNER + s) * width : at + (INNER + s + 1) * width], own.chart[s])
    for s in range(INNER):
        copy(stages.y0, own.y[s])
        from_chart(march.mechanism.machine.manifold, stages.y0[: state.q_end], own.chart[s, : state.q_end],
                   own.y[s, : state.q_end])  # fmt: skip
        for k in range(state.v_at, width):
            rise = a[s, 0] * own.stage[0, k] + a[s, 1] * own.stage[1, k] + a[s, 2] * own.stage[2, k]
            own.y[s, k] = stages.y0[k] + stages.now[H] * rise
    copy(own.y[2], stages.y1)


@compiled
def linearise_stages(step, march, own, held):
    """Linearise all stages, each onto a shelf, and eliminate the matrix of the step; return a status."""
    stages, mechanism, implicit = march.stages, march.mechanism, march.stages.implicit
    newton, unseen = implicit.newton, mechanism.contacts.choice.closed_only
    unseen[0] = 1
    status = _sharpen(march)
    for s in range(INNER):
        if status == DONE:
            status = derivative(mechanism, _moment(march, s), implicit.y[s], newton.slope)
            linearise(own, mechanism, _moment(march, s), implicit.y[s], newton.slope)
            hold_forces(held, mechanism, s)
            save_linearised(own, mechanism, step.shelf[s])
            step.often[s] = refinements(mechanism)
    unseen[0] = 0
    put_charts(step.charts, stages)
    return status


@compiled
def _moment(march, s):
    """Return the time of stage s."""
    return moment(march.course, march.stages.now[T] + place_of(s) * march.stages.now[H])


@compiled
def _sharpen(march):
    """Eliminate the matrix of the step, and correct the stages as long as corrections shrink; return a status."""
    stages, mechanism, implicit = march.stages, march.mechanism, march.stages.implicit
    newton, right, size, previous = implicit.newton, implicit.newton.right, implicit.residual.shape[1], np.inf
    for s in range(INNER):
        status = put_newton_values(newton, mechanism, _moment(march, s), implicit.y[s], newton.values[s])
        if status != DONE:
            return status
        put_residual(implicit, mechanism, newton.slope, implicit.stage[s], newton.values[s], implicit.residual[s])
    put_coupled(newton, mechanism, stages.tableau.a, stages.now[H])
    eliminate_real(newton.coupled, mechanism.machine.factor.kept)
    for _ in range(CORRECTIONS):
        for s in range(INNER):
            _spread(implicit.residual[s], s, newton.x_count, size, right)
        solve_real(newton.coupled, right)
        moved = largest(right[: INNER * newton.x_count])
        if not moved < SHRINKS * previous:
            for s in range(INNER):
                copy(implicit.before[s], implicit.stage[s])
            settle(stages, stages.now[H])
            break
        for s in range(INNER):
            copy(implicit.stage[s], implicit.before[s])
            add_to_stage(implicit, mechanism, right[s * newton.x_count :], implicit.stage[s])
        previous = moved
        settle(stages, stages.now[H])
        for s in range(INNER):
            status = derivative(mechanism, _moment(march, s), implicit.y[s], newton.slope)
            if status != DONE:
                return status
            put_residual(implicit, mechanism, newton.slope, implicit.stage[s], newton.values[s], implicit.residual[s])
    copy(implicit.y[INNER - 1], stages.y1)
    return DONE


@compiled
def _settle_changes(step, stages, dy0):
    """Put the changes of the states of all stages, from those of their accelerations."""
    own, mechanism, a, h, count = stages.implicit, stages.mechanism, stages.tableau.a, stages.now[H], dy0.shape[0]
    state, manifold, n, z_place = mechanism.state, mechanism.machine.manifold, step.first.shape[1], own.newton.z_place
    for p in range(count):
        for s in range(INNER):
            dy = step.y[count * s + p]
            copy(dy0[p], dy)
            for j in range(INNER):
                rates = step.residuals.rates[count * j + p]
                axpy(h * a[s, j], rates[:n], dy[state.v_at : state.v_at + n])
                for k in range(z_place.size):
                    dy[z_place[k]] += h * a[s, j] * step.residuals.unit[n + k] * rates[n + k]
                axpy(h * a[s, j], step.slopes[count * j + p, state.v_end :], dy[state.v_end :])
        for s in range(INNER):
            x = step.x[count * s + p]
            copy(step.first[p], x)
            for j in range(INNER):
                axpy(h * a[s, j], step.y[count * j + p, state.v_at : state.v_at + n], x)
            for k in range(manifold.quaternions.shape[0]):
                of, row = manifold.quaternions[k, 1], 9 * k + 3 * s
                for c in range(3):
                    total = 0.0
                    for d in range(3):
                        total += step.charts.R[row + c, d] * step.first[p, of + d]
                        for j in range(INNER):
                            total += step.charts.G[row + c, 3 * j + d] * step.y[count * j + p, state.v_at + of + d]
                    x[of + c] = total
            vary_places(manifold, own.y[s, : state.q_end], x, step.y[count * s + p, : state.q_end])


@compiled
def _put_residual(step, march, own, held, dy0):
    """Put into `residual` the corrections of `rates` that Newton's matrix finds."""
    implicit, mechanism, count, n = march.stages.implicit, march.mechanism, dy0.shape[0], step.first.shape[1]
    newton, state, right, size = implicit.newton, mechanism.state, implicit.newton.right, implicit.residual.shape[1]
    unit = step.residuals.unit
    _settle_changes(step, march.stages, dy0)
    for s in range(INNER):
        here = slice(count * s, count * (s + 1))
        take_linearised(own, mechanism, step.shelf[s])
        known = own, held, mechanism, implicit.y[s], step.y[here], step.slopes[here]
        vary_stage(*known, step.loads, step.forces, step.often[s], s)
    for p in range(count):
        for s in range(INNER):
            slope, rate, part = step.slopes[count * s + p], step.residuals.rates[count * s + p], implicit.residual[s]
            step.weight[:] = 0.0
            for k in range(n):
                step.weight[k] = slope[state.v_at + k] - rate[k]
            for k in range(newton.z_place.size):
                step.weight[n + k] = slope[newton.z_place[k]] - unit[n + k] * rate[n + k]
            part[:] = 0.0
            add_mass_times(newton, newton.values[s], step.weight, part)
            _spread(part, s, newton.x_count, size, right)
        solve_real(newton.coupled, right)
        for s in range(INNER):
            for k in range(newton.x_count):
                step.residuals.residual[count * s + p, k] = right[s * newton.x_count + k] / unit[k]


@compiled
def _solve_changes(step, march, own, held, dy0):
    """Solve for the changes of the rates of all stages; return a status."""
    stages, mechanism, count, n = march.stages, march.mechanism, dy0.shape[0], step.first.shape[1]
    tried, rows, h, previous = step.residuals, step.residuals.rates.shape[0], stages.now[H], np.inf
    rates, residual, before, z_place = tried.rates, tried.residual, tried.before, stages.implicit.newton.z_place
    for p in range(count):
        q = stages.y0[: mechanism.state.q_end]
        put_way(mechanism.machine.manifold, q, dy0[p, : mechanism.state.q_end], own.way)
        copy(own.way[:n], step.first[p])
        tried.reach[0, p] = largest(step.first[p]) / h**2
        tried.scale[0, p] = max(largest(dy0[p, mechanism.state.v_at : mechanism.state.v_end]), tried.faint[0, p]) / h
        tried.scale[1, p] = tried.faint[1, p] / h
        for k in range(z_place.size):
            tried.scale[1, p] = max(tried.scale[1, p], abs(dy0[p, z_place[k]]) / tried.unit[n + k] / h)
    rates[:] = 0.0
    step.slopes[:] = 0.0
    for _ in range(CYCLES):
        _put_residual(step, march, own, held, dy0)
        for j in range(TRIES):
            for row in range(rows):
                copy(residual[row], before[row])
                copy(residual[row], tried.directions[j * rows + row])
                axpy(1.0, residual[row], rates[row])
            _put_residual(step, march, own, held, dy0)
            if j == 0 and largest_part(tried, residual, count, tried.none) <= SMALL:
                break
            for row in range(rows):
                axpy(-1.0, before[row], rates[row])
                for k in range(before.shape[1]):
                    tried.images[j * rows + row, k] = before[row, k] - residual[row, k]
                    residual[row, k] = before[row, k]
            improved = improve(tried, count, j)
            if not improved or j + 1 == TRIES or largest_part(tried, residual, count, tried.none) <= SMALL:
                _put_residual(step, march, own, held, dy0)
                break
        worst = largest_part(tried, residual, count, tried.reach)
        for row in range(rows):
            axpy(1.0, residual[row], rates[row])
        if worst <= SETTLED or worst >= 0.5 * previous:
            previous = worst
            break
        previous = worst
    _settle_changes(step, stages, dy0)
    return DONE if previous <= ROUNDOFF else NOT_CONVERGED


@compiled
def _spread(part, s, x, size, right):
    """Put the rows of stage s, in `part`, into the right side of all stages."""
    for k in range(x):
        right[s * x + k] = part[k]
    for k in range(size - x):
        right[INNER * x + s * (size - x) + k] = part[x + k]


# --- ahead ------------------------------------------------------------------------------------------------------------


@compiled_apart
def vary_implicit_stretch(replay: Replay, step: ImplicitStep, entries: Matrix):
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
def vary_shorter_step(replay: Replay, step: ImplicitStep, head: Vector):
    """Make a step that is not on the tape, from where the run stands, with its changes; return a status."""
    march, stages = replay.march, replay.march.stages
    status = vary_begin(replay, head)
    if status != DONE:
        return status
    set_out(march, head)
    stages.implicit.flags[:] = 0
    stages.implicit.flags[SHARP] = 1
    status = take_step(stages, head[T0], head[T1] - head[T0], stages.closed[0])
    return _vary_step(replay, step, head) if status == DONE else status


@compiled_apart
def _vary_step(replay: Replay, step: ImplicitStep, entry: Vector):
    """Vary a step whose stages are known: make y₁ and y' there, with their changes; return a status."""
    march, own, count = replay.march, replay.own, replay.dy0.shape[0]
    stages, last = march.stages, march.tableau.stages
    status = linearise_stages(step, march, own, replay.held)
    if status == DONE:
        status = _solve_changes(step, march, own, replay.held, replay.dy0)
    if status != DONE:
        return status
    copy_rows(step.y[count * (INNER - 1) :], replay.dy1)
    _note_errors(replay, step)
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
def _part_left(step, newton, error, n, h):
    """Return the part of an error of velocities e that damping leaves within a step of length h:
    exp(-½ h eᵀ D e / eᵀ M e)."""
    weight, values, mass, damping = step.weight, newton.values[0], 0.0, 0.0
    weight[:] = 0.0
    for e in range(newton.first[MASS], newton.first[ROW]):
        weight[newton.row[e]] += values[newton.source[e]] * error[newton.column[e]]
    mass = dot(weight[:n], error[:n])
    weight[:] = 0.0
    for e in range(newton.first[RATE], newton.first[RATE + 1]):
        weight[newton.row[e]] += values[newton.source[e]] * error[newton.column[e]]
    damping = dot(weight[:n], error[:n])
    return exp(-0.5 * h * damping / mass) if damping > 0.0 and mass > 0.0 else 1.0


@compiled
def _note_errors(replay, step):
    """Add the error of the step, estimated and filtered as that of the run is: steps are chosen for the motion alone,
    and may be too long for neighbouring motions that swing."""
    march, stages, count, n = replay.march, replay.march.stages, replay.dy0.shape[0], step.first.shape[1]
    implicit, mechanism, a, h = stages.implicit, march.mechanism, stages.tableau.a, stages.now[H]
    newton, state, error, unit = implicit.newton, mechanism.state, implicit.residual[0], step.residuals.unit
    put_real(newton, mechanism, MU * h, (MU * h) ** 2)
    eliminate_real(newton.real, mechanism.machine.factor.kept)
    for p in range(count):
        error[:] = 0.0
        for k in range(n):
            at = state.v_at + k
            slope, rate = replay.dk[p, at], replay.dy0[p, at]
            for s in range(INNER):
                slope += a[ERROR, s] * step.residuals.rates[count * s + p, k]
                rate += a[ERROR, s] * step.y[count * s + p, at]
            error[k], newton.step[k] = MU * slope, MU * rate
        for k in range(newton.z_place.size):
            slope = replay.dk[p, newton.z_place[k]]
            for s in range(INNER):
                slope += a[ERROR, s] * unit[n + k] * step.residuals.rates[count * s + p, n + k]
            error[n + k] = MU * slope
        for _ in range(2):
            filter_error(implicit, mechanism, MU * h)
        left = h * _part_left(step, newton, error, n, h)
        replay.errors[p, 0] += left * largest(newton.step[:n])
        replay.errors[p, 1] += left * largest(error[:n])
        most = 0.0
        for k in range(newton.z_place.size):
            most = max(most, abs(error[n + k]) / unit[n + k])
        replay.errors[p, 2] += h * most
        for s in range(INNER):
            row = count * s + p
            replay.errors[p, 3] = max(replay.errors[p, 3], largest(step.x[row]))
            replay.errors[p, 4] = max(replay.errors[p, 4], largest(step.y[row, state.v_at : state.v_end]))
            for k in range(newton.z_place.size):
                replay.errors[p, 5] = max(replay.errors[p, 5], abs(step.y[row, newton.z_place[k]]) / unit[n + k])


@compiled
def _vary_recorded(replay, step, entry):
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
def _read_changes(replay, step, x):
    """Put the changes of the state at the place x of the step, which is read, into `between`."""
    march, count, n = replay.march, replay.dy0.shape[0], step.first.shape[1]
    stages, mechanism, own = march.stages, march.mechanism, replay.own
    state, manifold = mechanism.state, mechanism.machine.manifold
    weights_at(x, step.charts.read)
    rest = 1.0 - step.charts.read[0] - step.charts.read[1] - step.charts.read[2]
    for p in range(count):
        out = replay.between[p]
        for k in range(out.size):
            out[k] = rest * replay.dy0[p, k] + step.charts.read[2] * replay.dy1[p, k]
        for s in range(2):
            axpy(step.charts.read[s], step.y[count * s + p], out)
        put_way(manifold, stages.y1[: state.q_end], replay.dy1[p, : state.q_end], own.way)
        copy(own.way[:n], step.own[p])
    for k in range(manifold.quaternions.shape[0]):
        put_reading(step.charts, stages, k, x)
        of, row = manifold.quaternions[k, 1], 9 * k
        for p in range(count):
            _read_attitude(step, of, row, p, count)
    for p in range(count):
        for k in range(manifold.plain.shape[0]):
            i, total = manifold.plain[k, 1], 0.0
            for s in range(2):
                total += step.charts.read[s] * step.x[count * s + p, i]
            step.own[p, i] = rest * step.first[p, i] + total + step.charts.read[2] * step.own[p, i]
        vary_places(manifold, march.record.y[: state.q_end], step.own[p], replay.between[p, : state.q_end])


@compiled
def _read_attitude(step, of, row, p, count):
    """Replace the small motion of an attitude at the end of the step, in `own`, by that of the state that is read."""
    out, first, turn = step.own[p, of : of + 3], step.first[p, of : of + 3], step.charts.right[:3]
    total, here = step.charts.right[3:6], step.charts.right[6:]
    for c in range(3):
        total[c] = turn[c] = 0.0
        for d in range(3):
            turn[c] += step.charts.C_end[c, d] * out[d] - step.charts.C_begin[c, d] * step.x[2 * count + p, of + d]
    for s in range(INNER):
        for c in range(3):
            here[c] = step.x[count * s + p, of + c]
            for d in range(3):
                here[c] -= step.charts.R[row + 3 * s + c, d] * first[d]
        for c in range(3):
            for d in range(3):
                total[c] += step.charts.read[s] * step.charts.C[row + 3 * s + c, d] * here[d]
    for c in range(3):
        total[c] += step.charts.read[2] * turn[c]
    for c in range(3):
        out[c] = 0.0
        for d in range(3):
            out[c] += step.charts.R_read[c, d] * first[d] + step.charts.T_read[c, d] * total[d]


@compiled_apart
def make_implicit_step(march: March, entry: Vector, before: Vector):
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
