"""The way back through steps of Radau5 and of generalised α: the discrete adjoint. Compiled.

Weights μ of the rates v̇ and ż of the stages satisfy the transposed of the equations of `implicit_steps`,

    μ = weights of v̇ + (∂(v, x)/∂v̇)ᵀ (∂stage/∂(v, x))ᵀ μ,

and are found by the same method with the transposed factors. Weights of b₁, which generalised α remembers, become
weights of v̇₁, of v̇₀ and of b₀; those of b₀ go to the step before.
"""

import numpy as np

from ...compiled.status import BLURS, DONE, NOT_CONVERGED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector
from ...linear.unsymmetric import solve_transposed
from ...linear.vectors import axpy, copy, copy_rows, largest
from ...motion.course import is_break, moment
from ...motion.implicit.linearised import add_mass_transposed
from ...motion.methods.generalised_alpha import ALPHA_F, ALPHA_M, BETA, GAMMA, shift_of_b
from ...motion.methods.method import H, Stages, prepare_reading, read_between
from ...motion.past.tape import HEAD, PREVIOUS, SWITCHES, T0, T1
from ...motion.record import NEXT, put_back
from ...motion.stabilise import is_projected
from ...tolerances import CYCLE_ROUNDOFF, CYCLE_TOLERANCE, ZERO_CORRECTION
from .attitudes import put_reading
from .back import (
    AdjointRun,
    add_kept,
    back_begin,
    clear_loads,
    end_of_step,
    end_of_step_back,
    give_keep_back,
    give_stage_back,
    put_right_back,
)
from .conjugate_residuals import CYCLES, TRIES, improve, largest_part
from .contact_forces import is_held
from .implicit_steps import ImplicitStep, is_alpha, linearise_stages, matrix_of, put_reading_weights, put_stages
from .linear import vary_lengths
from .repetition import make_end, put_entry, set_out
from .steps import is_blurred
from .transposed import add_places, take_places
from .tree import hold_here, linearise_here, refinements_here, take_here


@compiled
def _gather(right: Vector, s: int, x: int, size: int, inner: int, part: Vector) -> None:
    """Put the rows of stage s among those of all stages into `part`: the transposed of `_spread`."""
    for k in range(x):
        part[k] = right[s * x + k]
    for k in range(size - x):
        part[x + k] = right[inner * x + s * (size - x) + k]


@compiled
def _settle_back(step: ImplicitStep, stages: Stages) -> None:
    """Add the weights of the states of all stages to those of their rates and of what is held, and clear them: the
    transposed of `_settle_changes`."""
    mechanism, (count, n), inner, charts = stages.mechanism, step.first.shape, step.c0.size, step.charts
    state, manifold, z_place = mechanism.state, mechanism.machine.manifold, stages.implicit.newton.z_place
    v_at, v_end = state.v_at, state.v_end
    for r in range(count):
        first, mean = step.first[r], step.mean[r]
        for s in range(inner):
            x, dy = step.x[count * s + r], step.y[count * s + r]
            for k in range(manifold.plain.shape[0]):
                i = manifold.plain[k, 1]
                first[i] += x[i]
                mean[i] += step.c0[s] * x[i]
                for j in range(inner):
                    step.weights[count * j + r, i] += step.c2[s, j] * x[i]
            for k in range(manifold.quaternions.shape[0]):
                of, row = manifold.quaternions[k, 1], 3 * (inner * k + s)
                for c in range(3):
                    for d in range(3):
                        first[of + d] += charts.R[row + c, d] * x[of + c]
                        mean[of + d] += charts.B[row + c, d] * x[of + c]
                        for j in range(inner):
                            step.weights[count * j + r, of + d] += charts.G[row + c, 3 * j + d] * x[of + c]
            axpy(1.0, dy[state.z_at :], step.begin[r, state.z_at :])
            for j in range(inner):
                weights, c1 = step.weights[count * j + r], step.c1[s, j]
                axpy(c1, dy[v_at : v_at + n], weights[:n])
                for k in range(z_place.size):
                    weights[n + k] += c1 * step.residuals.unit[n + k] * dy[z_place[k]]
                axpy(c1, dy[v_end:], step.slopes[count * j + r, v_end:])
            x[:] = 0.0
            dy[:] = 0.0


@compiled
def _remembered_back(way: AdjointRun, step: ImplicitStep) -> None:
    """Add the weights of b₁ to those of the rates of the end: the transposed of `_put_remembered`."""
    newton, state, n = way.march.stages.implicit.newton, way.march.mechanism.state, step.first.shape[1]
    numbers = way.march.tableau.b
    share = (1.0 - numbers[ALPHA_F]) / (1.0 - numbers[ALPHA_M])
    for r in range(step.first.shape[0]):
        b, weights = way.b[r], step.weights[r]
        axpy(share, b[state.v_at : state.v_at + n], weights[:n])
        for k in range(newton.z_place.size):
            weights[n + k] += share * step.residuals.unit[n + k] * b[newton.z_place[k]]
        axpy(share, b[state.v_end :], step.slopes[r, state.v_end :])


@compiled
def _begin_back(way: AdjointRun, step: ImplicitStep, previous: float) -> None:
    """Add the weights of x₀, y⁰ and w to those of y₀, and of generalised α to those of b and of y' at both ends of the
    step before, whose length is `previous`: the transposed of `_put_begin`."""
    stages, mechanism, n = way.march.stages, way.march.mechanism, step.first.shape[1]
    numbers, state, h = stages.tableau.b, mechanism.state, stages.now[H]
    alpha_m, alpha_f, beta, gamma = numbers[ALPHA_M], numbers[ALPHA_F], numbers[BETA], numbers[GAMMA]
    for r in range(step.first.shape[0]):
        y0, begin, mean, b, slope = way.y0[r], step.begin[r], step.mean[r], way.b[r], way.k[r]
        axpy(1.0, begin[state.z_at :], y0[state.z_at :])
        axpy(1.0, mean, y0[state.v_at : state.v_at + n])
        add_places(mechanism.machine.manifold, stages.y0[: state.q_end], step.first[r], y0)
        if is_alpha(stages):
            shift = shift_of_b(numbers, h, previous) if previous > 0.0 else 0.0
            for k in range(state.z_at, y0.size):
                moved = mean[k - state.v_at] if state.v_at <= k < state.v_at + n else 0.0
                rest = b[k] + h * (gamma * begin[k] + beta * moved)
                of_b = h * ((1.0 - gamma) * begin[k] + (0.5 - beta) * moved) - alpha_m / (1.0 - alpha_m) * rest
                slope[k] += way.slope[r, k] + alpha_f / (1.0 - alpha_m) * rest
                slope[k] += shift * of_b if previous > 0.0 else of_b
                way.slope[r, k] = -shift * of_b
                b[k] = of_b if previous > 0.0 else 0.0


@compiled
def _stages_back(way: AdjointRun, step: ImplicitStep) -> None:
    """Add the weights of y' at all stages, in `slopes`, to those of rates, of the beginning and of numbers in the
    equations."""
    march, mechanism, implicit, count = way.march, way.march.mechanism, way.march.stages.implicit, way.y0.shape[0]
    state = mechanism.state
    for s in range(step.c0.size):
        here, y = slice(count * s, count * (s + 1)), implicit.y[s]
        take_here(way.own, way.tree, mechanism, step.shelf[s])
        give_stage_back(way, y, step.slopes[here], step.y[here], step.often[s], s)
        for r in range(count):
            dy = step.y[count * s + r]
            take_places(mechanism.machine.manifold, y[: state.q_end], dy[: state.q_end], step.x[count * s + r])
            dy[: state.z_at] = 0.0
    _settle_back(step, march.stages)


@compiled
def _put_direction(way: AdjointRun, step: ImplicitStep, j: int) -> None:
    """Solve with the transposed of Newton's matrix for the residual, and put the solution into direction j."""
    implicit, count, unit = way.march.stages.implicit, way.y0.shape[0], step.residuals.unit
    inner = step.c0.size
    newton, right, size = implicit.newton, implicit.newton.right, implicit.residual.shape[1]
    for r in range(count):
        right[:] = 0.0
        for s in range(inner):
            for k in range(newton.x_count):
                right[s * newton.x_count + k] = step.residuals.residual[count * s + r, k] / unit[k]
        solve_transposed(matrix_of(way.march.stages), right)
        for s in range(inner):
            _gather(right, s, newton.x_count, size, inner, implicit.residual[s])
            step.weight[:] = 0.0
            add_mass_transposed(newton, newton.values[s], implicit.residual[s], step.weight)
            for k in range(newton.x_count):
                step.residuals.directions[(inner * j + s) * count + r, k] = unit[k] * step.weight[k]


@compiled
def _put_slopes(step: ImplicitStep, rows: Matrix, stages: Stages) -> None:
    """Put the weights of rates into those of y', in `slopes`."""
    n, z_place, v_at = step.first.shape[1], stages.implicit.newton.z_place, stages.mechanism.state.v_at
    for row in range(step.slopes.shape[0]):
        copy(rows[row, :n], step.slopes[row, v_at:])
        for k in range(z_place.size):
            step.slopes[row, z_place[k]] = rows[row, n + k] / step.residuals.unit[n + k]


@compiled
def _put_image(way: AdjointRun, step: ImplicitStep, rows: Matrix) -> None:
    """Put the weights of rates that come of the weights `rows` of v̇ and ż at all stages into `weights`."""
    step.slopes[:] = 0.0
    step.weights[:] = 0.0
    _put_slopes(step, rows, way.march.stages)
    _stages_back(way, step)


@compiled
def _solve_back(way: AdjointRun, step: ImplicitStep, previous: float) -> int:
    """Give weights of the states of all stages back to the beginning, and to numbers in equations; the step before has
    the length `previous`. A cycle of directions ends with the residual of the equations themselves. Return a status."""
    march, own, held, count = way.march, way.own, way.held, way.y0.shape[0]
    tried, rows, n, worst, last = step.residuals, step.c0.size * count, step.first.shape[1], 1.0, np.inf
    step.weights[:] = 0.0
    step.slopes[:] = 0.0
    _settle_back(step, march.stages)
    if is_alpha(march.stages):
        _remembered_back(way, step)
    _stages_back(way, step)  # only rates of works have weights here
    copy_rows(step.weights, tried.given)
    copy_rows(step.weights, tried.residual)
    tried.scale[:] = 0.0
    for row in range(rows):
        r, weights = row % count, step.weights[row]
        tried.scale[0, r] = max(tried.scale[0, r], largest(weights[:n]))
        tried.scale[1, r] = max(tried.scale[1, r], largest(weights[n:]))
    for saved, known in ((step.begin_0, step.begin), (step.first_0, step.first), (step.mean_0, step.mean),
                         (step.numbers, own.gradient), (step.laws, held.gradient)):  # fmt: skip
        copy_rows(known, saved)
    tried.rates[:] = 0.0
    for cycle in range(CYCLES + 1):
        _put_direction(way, step, 0)
        worst = largest_part(tried, tried.directions[:rows], count, tried.none)
        if worst <= CYCLE_TOLERANCE or worst >= 0.5 * last or cycle == CYCLES:
            break
        last = worst
        for j in range(TRIES):
            here = tried.directions[j * rows : (j + 1) * rows]
            if j > 0:
                _put_direction(way, step, j)
                if largest_part(tried, here, count, tried.none) <= ZERO_CORRECTION:
                    break
            _put_image(way, step, here)
            for row in range(rows):
                for k in range(here.shape[1]):
                    tried.images[j * rows + row, k] = here[row, k] - step.weights[row, k]
            if not improve(tried, count, j):
                break
        for saved, known in ((step.begin_0, step.begin), (step.first_0, step.first), (step.mean_0, step.mean),
                             (step.numbers, own.gradient), (step.laws, held.gradient)):  # fmt: skip
            copy_rows(saved, known)
        _put_image(way, step, tried.rates)
        for row in range(rows):
            for k in range(tried.rates.shape[1]):
                tried.residual[row, k] = tried.given[row, k] - tried.rates[row, k] + step.weights[row, k]
    _begin_back(way, step, previous)
    return DONE if worst <= CYCLE_ROUNDOFF else NOT_CONVERGED


@compiled
def _read_back(way: AdjointRun, step: ImplicitStep, t: float, h: float, x: float) -> int:
    """Make the state at a requested time inside the step, and give its weights back to the step; return a status."""
    march, record, mechanism, inside = way.march, way.march.record, way.march.mechanism, way.inside
    count, s = inside.shape[0], way.often.size - 1
    put_back(march)
    if is_blurred(march, x):
        return BLURS
    read_between(march.stages, x, record.y)
    copy(record.y, way.states[s])
    projected, slopes = is_projected(march.stabiliser, mechanism), way.k[count * s : count * (s + 1)]
    status = make_end(march, t + x * h, record.y, record.dy, way.before[s])
    if status != DONE:
        return status
    linearise_here(way.own, way.tree, mechanism, moment(march.course, t + x * h), record.y, record.dy)
    hold_here(way.held, way.tree, mechanism, s)
    inside[:] = 0.0
    slopes[:] = 0.0
    clear_loads(way)
    add_kept(way, record.y, inside, slopes)
    give_stage_back(way, record.y, slopes, inside, refinements_here(way.tree, mechanism), s)
    if is_held(way.held, s):
        give_keep_back(way, record.y, inside, s)
    if projected:
        put_right_back(way, moment(march.course, t + x * h), s, record.y, inside)
    vary_lengths(mechanism, way.before[s], inside)
    _read_changes_back(way, step, x)
    slopes[:] = 0.0
    clear_loads(way)
    return DONE


@compiled
def _read_changes_back(way: AdjointRun, step: ImplicitStep, x: float) -> None:
    """Add the weights of the state that is read, in `inside`, to those of the ends, of y' there and of the stages: the
    transposed of `_read_changes`."""
    inside, count, inner, read = way.inside, way.y0.shape[0], step.c0.size, step.read
    stages, mechanism, y = way.march.stages, way.march.mechanism, way.states[way.often.size - 1]
    state, manifold, end = mechanism.state, mechanism.machine.manifold, count * inner
    v_at = state.v_at
    put_reading_weights(step, stages, x)
    rest = 1.0
    for s in range(inner):
        rest -= read[s]
    step.own[:] = 0.0
    for r in range(count):
        others = inside[r, state.z_at :]
        axpy(rest, others, way.y0[r, state.z_at :])
        axpy(read[inner - 1], others, way.y1[r, state.z_at :])
        for s in range(inner - 1):
            axpy(read[s], others, step.y[count * s + r, state.z_at :])
        axpy(read[inner], others, way.k[r, state.z_at :])
        axpy(read[inner + 1], others, way.k[end + r, state.z_at :])
        take_places(manifold, y[: state.q_end], inside[r, : state.q_end], step.own[r])
        for k in range(manifold.plain.shape[0]):
            i = manifold.plain[k, 1]
            step.first[r, i] += rest * step.own[r, i]
            for s in range(inner - 1):
                step.x[count * s + r, i] += read[s] * step.own[r, i]
            way.y0[r, v_at + i] += read[inner] * step.own[r, i]
            way.y1[r, v_at + i] += read[inner + 1] * step.own[r, i]
            step.own[r, i] *= read[inner - 1]
    for k in range(manifold.quaternions.shape[0]):
        put_reading(step.charts, stages, k, read, inner)
        of = manifold.quaternions[k, 1]
        for r in range(count):
            _read_attitude_back(step, of, 3 * inner * k, r, way.y0[r, v_at + of :], way.y1[r, v_at + of :])
    for r in range(count):
        add_places(manifold, stages.y1[: state.q_end], step.own[r], way.y1[r])


@compiled
def _read_attitude_back(step: ImplicitStep, of: int, row: int, r: int, w0: Vector, w1: Vector) -> None:
    """Replace weights of an attitude in `own` by those at the end of the step, and add to the weights w0 and w1 of ω at
    both ends: the transposed of `_read_attitude`."""
    charts, read, inner, count = step.charts, step.read, step.c0.size, step.first.shape[0]
    out, first, end = step.own[r, of : of + 3], step.first[r, of : of + 3], charts.right[:3]
    chart, here = charts.right[3:6], charts.right[6:]
    for d in range(3):
        chart[d] = 0.0
        for c in range(3):
            chart[d] += charts.T_read[c, d] * out[c]
            first[d] += charts.R_read[c, d] * out[c]
    for d in range(3):
        end[d] = read[inner - 1] * chart[d]
        w0[d] += read[inner] * chart[d]
        for c in range(3):
            end[d] += read[inner + 1] * charts.D_rate[c, d] * chart[c]
            w1[d] += read[inner + 1] * charts.C_rate[c, d] * chart[c]
    for s in range(inner):
        x = step.x[count * s + r, of : of + 3]
        for d in range(3):
            here[d] = 0.0
            for c in range(3):
                weight = read[s] * chart[c] if s < inner - 1 else end[c]
                here[d] += charts.C[row + 3 * s + c, d] * weight
        for d in range(3):
            x[d] += here[d]
            for c in range(3):
                first[d] -= charts.R[row + 3 * s + c, d] * here[c]
    last = step.x[count * (inner - 1) + r, of : of + 3]
    for d in range(3):
        out[d] = 0.0
        for c in range(3):
            out[d] += charts.C_end[c, d] * end[c]
            last[d] -= charts.C_begin[c, d] * end[c]


@compiled_apart
def _back_step(way: AdjointRun, step: ImplicitStep, entry: Vector, recorded: int) -> int:
    """Give the weights of y₁ and of y' there back to y₀, through one step, before which `recorded` requested times
    stand. Return a status."""
    march, stages, mechanism, count = way.march, way.march.stages, way.march.mechanism, way.y0.shape[0]
    last, times, t, end, state = march.tableau.stages, march.record.times, entry[T0], entry[T1], mechanism.state
    put_entry(march, entry)
    march.counts[NEXT] = recorded
    set_out(march, entry)
    put_stages(march, entry)
    status = linearise_stages(step, march, way.own, way.held, way.tree)
    if status != DONE:
        return status
    projected = is_projected(march.stabiliser, mechanism)
    status = end_of_step(way, end)
    if status != DONE:
        return status
    for weights in (step.x, step.y, step.first, step.mean, step.begin):
        weights[:] = 0.0
    if recorded < times.size and times[recorded] < end:
        prepare_reading(stages)
    while march.counts[NEXT] < times.size and times[march.counts[NEXT]] < end:
        status = _read_back(way, step, t, end - t, (times[march.counts[NEXT]] - t) / (end - t))
        if status != DONE:
            return status
    goes_on = entry[SWITCHES] == 0.0 and not is_break(march.course, end)  # else the next step records its time
    if march.counts[NEXT] < times.size and times[march.counts[NEXT]] == end and goes_on:
        add_kept(way, stages.y1, way.y1, way.k[count * last : count * (last + 1)])
    end_of_step_back(way, end, projected)
    for r in range(count):
        axpy(1.0, way.y1[r, state.z_at :], step.y[count * (last - 1) + r, state.z_at :])
        q, x = stages.implicit.y[last - 1, : state.q_end], step.x[count * (last - 1) + r]
        take_places(mechanism.machine.manifold, q, way.y1[r, : state.q_end], x)
    return _solve_back(way, step, entry[PREVIOUS])


@compiled_apart
def back_implicit_stretch(way: AdjointRun, step: ImplicitStep, entries: Matrix, recorded: Integers) -> int:
    """Give weights back through some steps, the last one first; return a status."""
    last, count = way.march.tableau.stages, way.y0.shape[0]
    for k in range(entries.shape[0] - 1, -1, -1):
        copy_rows(way.y0, way.y1)
        copy_rows(way.k[:count], way.k[count * last : count * (last + 1)])
        way.y0[:] = 0.0
        way.k[:count] = 0.0
        clear_loads(way)
        status = _back_step(way, step, entries[k], recorded[2 * k + 1])
        if status != DONE:
            return status
        way.k[count:] = 0.0
        clear_loads(way)
        status = back_begin(way, entries[k, :HEAD], entries[k], recorded[2 * k])
        if status != DONE:
            return status
    return DONE
