"""The way back through steps of Radau5: the discrete adjoint. Compiled.

Weights μ of the rates v̇ and ż of the stages satisfy the transposed of the equations of `implicit_steps`,

    μ = weights of v̇ + (what δv and δx make of v̇)ᵀ (stage)ᵀ μ,

and are found by the same method with the transposed factors.
"""

import numpy as np

from ...compiled.status import BLURS, DONE, NOT_CONVERGED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector
from ...linear.unsymmetric import solve_transposed
from ...linear.vectors import axpy, copy, copy_rows, largest
from ...motion.course import is_break, moment
from ...motion.derivative import refinements
from ...motion.implicit.linearised import add_mass_transposed
from ...motion.methods.method import H, prepare_reading, read_between
from ...motion.methods.radau import weights_at
from ...motion.past.tape import HEAD, SWITCHES, T0, T1
from ...motion.record import NEXT, put_back
from ...motion.stabilise import is_projected
from .attitudes import INNER, put_reading
from .back import Way, add_kept, back_begin, clear_loads, end_of_step, end_of_step_back
from .conjugate_residuals import CYCLES, ROUNDOFF, SETTLED, SMALL, TRIES, improve, largest_part
from .held_forces import hold_forces, is_held, keep_back, stage_back
from .implicit_steps import ImplicitStep, linearise_stages, put_stages
from .linear import linearise, take_linearised, vary_lengths
from .making import make_end, put_entry, set_out
from .steps import is_blurred
from .transposed import add_places, project_back, take_places


@compiled
def _gather(right, s, x, size, part):
    """Put the rows of stage s among those of all stages into `part`: the transposed of `_spread`."""
    for k in range(x):
        part[k] = right[s * x + k]
    for k in range(size - x):
        part[x + k] = right[INNER * x + s * (size - x) + k]


@compiled
def _settle_back(step, stages, y0):
    """Add the weights of the states of all stages to those of their rates and of the beginning, and clear them: the
    transposed of `_settle_changes`."""
    mechanism, a, h, count, n = stages.mechanism, stages.tableau.a, stages.now[H], y0.shape[0], step.first.shape[1]
    state, manifold, z_place = mechanism.state, mechanism.machine.manifold, stages.implicit.newton.z_place
    for r in range(count):
        for s in range(INNER):
            x = step.x[count * s + r]
            for k in range(manifold.plain.shape[0]):
                i = manifold.plain[k, 1]
                step.first[r, i] += x[i]
                for j in range(INNER):
                    step.y[count * j + r, state.v_at + i] += h * a[s, j] * x[i]
            for k in range(manifold.quaternions.shape[0]):
                of, row = manifold.quaternions[k, 1], 9 * k + 3 * s
                for c in range(3):
                    for d in range(3):
                        step.first[r, of + d] += step.charts.R[row + c, d] * x[of + c]
                        for j in range(INNER):
                            step.y[count * j + r, state.v_at + of + d] += step.charts.G[row + c, 3 * j + d] * x[of + c]
            x[:] = 0.0
        for s in range(INNER):
            dy = step.y[count * s + r]
            axpy(1.0, dy[state.z_at :], y0[r, state.z_at :])
            for j in range(INNER):
                weights = step.weights[count * j + r]
                axpy(h * a[s, j], dy[state.v_at : state.v_at + n], weights[:n])
                for k in range(z_place.size):
                    weights[n + k] += h * a[s, j] * step.residuals.unit[n + k] * dy[z_place[k]]
                axpy(h * a[s, j], dy[state.v_end :], step.slopes[count * j + r, state.v_end :])
            dy[:] = 0.0


@compiled
def _stages_back(way, step):
    """Add the weights of y' at all stages, in `slopes`, to those of rates, of the beginning and of numbers in the
    equations."""
    march, mechanism, implicit, count = way.march, way.march.mechanism, way.march.stages.implicit, way.y0.shape[0]
    state = mechanism.state
    for s in range(INNER):
        here, y = slice(count * s, count * (s + 1)), implicit.y[s]
        take_linearised(way.own, mechanism, step.shelf[s])
        known = way.own, way.held, mechanism, y, step.slopes[here]
        stage_back(*known, way.loads, way.forces, step.y[here], step.often[s], s)
        for r in range(count):
            dy = step.y[count * s + r]
            take_places(mechanism.machine.manifold, y[: state.q_end], dy[: state.q_end], step.x[count * s + r])
            dy[: state.z_at] = 0.0
    _settle_back(step, march.stages, way.y0)


@compiled
def _put_direction(way, step, j):
    """Solve with the transposed of Newton's matrix for the residual, and put the solution into direction j."""
    implicit, count, unit = way.march.stages.implicit, way.y0.shape[0], step.residuals.unit
    newton, right, size = implicit.newton, implicit.newton.right, implicit.residual.shape[1]
    for r in range(count):
        right[:] = 0.0
        for s in range(INNER):
            for k in range(newton.x_count):
                right[s * newton.x_count + k] = step.residuals.residual[count * s + r, k] / unit[k]
        solve_transposed(newton.coupled, right)
        for s in range(INNER):
            _gather(right, s, newton.x_count, size, implicit.residual[s])
            step.weight[:] = 0.0
            add_mass_transposed(newton, newton.values[s], implicit.residual[s], step.weight)
            for k in range(newton.x_count):
                step.residuals.directions[(INNER * j + s) * count + r, k] = unit[k] * step.weight[k]


@compiled
def _put_slopes(step, rows, stages):
    """Put the weights of rates into those of y', in `slopes`."""
    n, z_place, v_at = step.first.shape[1], stages.implicit.newton.z_place, stages.mechanism.state.v_at
    for row in range(step.slopes.shape[0]):
        copy(rows[row, :n], step.slopes[row, v_at:])
        for k in range(z_place.size):
            step.slopes[row, z_place[k]] = rows[row, n + k] / step.residuals.unit[n + k]


@compiled
def _solve_back(way, step):
    """Give weights of the states of all stages back to the beginning and to numbers in equations; return a status."""
    march, own, held, count = way.march, way.own, way.held, way.y0.shape[0]
    mechanism, tried, rows, n = march.mechanism, step.residuals, INNER * count, step.first.shape[1]
    state, worst, previous = mechanism.state, 1.0, np.inf
    step.weights[:] = 0.0
    step.slopes[:] = 0.0
    _settle_back(step, march.stages, way.y0)
    _stages_back(way, step)  # of the rates of works alone
    copy_rows(step.weights, tried.residual)
    tried.scale[:] = 0.0
    for row in range(rows):
        r, weights = row % count, tried.residual[row]
        tried.scale[0, r] = max(tried.scale[0, r], largest(weights[:n]))
        tried.scale[1, r] = max(tried.scale[1, r], largest(weights[n:]))
    for saved, known in ((step.y0, way.y0), (step.first_0, step.first), (step.numbers, own.gradient),
                         (step.laws, held.gradient)):  # fmt: skip
        copy_rows(known, saved)
    tried.rates[:] = 0.0
    for _ in range(CYCLES):
        for j in range(TRIES):
            _put_direction(way, step, j)
            here = tried.directions[j * rows : (j + 1) * rows]
            worst = largest_part(tried, here, count, tried.none)
            if worst <= SMALL:
                break
            step.slopes[:] = 0.0
            step.weights[:] = 0.0
            _put_slopes(step, here, march.stages)
            _stages_back(way, step)
            for row in range(rows):
                for k in range(here.shape[1]):
                    tried.images[j * rows + row, k] = here[row, k] - step.weights[row, k]
            if not improve(tried, count, j):
                break
        if worst <= SETTLED or worst >= 0.5 * previous:
            break
        previous = worst
    for saved, known in ((step.y0, way.y0), (step.first_0, step.first), (step.numbers, own.gradient),
                         (step.laws, held.gradient)):  # fmt: skip
        copy_rows(saved, known)
    step.slopes[:] = 0.0
    _put_slopes(step, tried.rates, march.stages)
    _stages_back(way, step)
    for r in range(count):
        add_places(mechanism.machine.manifold, march.stages.y0[: state.q_end], step.first[r], way.y0[r])
    return DONE if worst <= ROUNDOFF else NOT_CONVERGED


@compiled
def _read_back(way, step, t, h, x):
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
    linearise(way.own, mechanism, moment(march.course, t + x * h), record.y, record.dy)
    hold_forces(way.held, mechanism, s)
    inside[:] = 0.0
    slopes[:] = 0.0
    clear_loads(way)
    add_kept(way, record.y, inside, slopes)
    known = way.own, way.held, mechanism, record.y
    stage_back(*known, slopes, way.loads, way.forces, inside, refinements(mechanism), s)
    if is_held(way.held, s):
        keep_back(way.held, way.own, mechanism, record.y, inside, s)
    if projected:
        place = mechanism, moment(march.course, t + x * h), way.before[s], record.y
        project_back(way.own, way.projection, *place, inside)
    vary_lengths(mechanism, way.before[s], inside)
    _read_changes_back(way, step, x)
    slopes[:] = 0.0
    clear_loads(way)
    return DONE


@compiled
def _read_changes_back(way, step, x):
    """Add the weights of the state that is read, in `inside`, to those of the ends and of the stages: the transposed of
    `_read_changes`."""
    inside, count, read = way.inside, way.inside.shape[0], way.states[way.often.size - 1]
    stages, mechanism = way.march.stages, way.march.mechanism
    state, manifold = mechanism.state, mechanism.machine.manifold
    weights_at(x, step.charts.read)
    rest = 1.0 - step.charts.read[0] - step.charts.read[1] - step.charts.read[2]
    step.own[:] = 0.0
    for r in range(count):
        others = inside[r, state.z_at :]
        axpy(rest, others, way.y0[r, state.z_at :])
        axpy(step.charts.read[2], others, way.y1[r, state.z_at :])
        for s in range(2):
            axpy(step.charts.read[s], others, step.y[count * s + r, state.z_at :])
        take_places(manifold, read[: state.q_end], inside[r, : state.q_end], step.own[r])
        for k in range(manifold.plain.shape[0]):
            i = manifold.plain[k, 1]
            step.first[r, i] += rest * step.own[r, i]
            for s in range(2):
                step.x[count * s + r, i] += step.charts.read[s] * step.own[r, i]
            step.own[r, i] *= step.charts.read[2]
    for k in range(manifold.quaternions.shape[0]):
        put_reading(step.charts, stages, k, x)
        for r in range(count):
            _read_attitude_back(step, manifold.quaternions[k, 1], 9 * k, r, count)
    for r in range(count):
        add_places(manifold, stages.y1[: state.q_end], step.own[r], way.y1[r])


@compiled
def _read_attitude_back(step, of, row, r, count):
    """Replace weights of an attitude in `own` by those at the end of the step: the transposed of `_read_attitude`."""
    out, first, chart, here = (
        step.own[r, of : of + 3],
        step.first[r, of : of + 3],
        step.charts.right[:3],
        step.charts.right[3:6],
    )
    for d in range(3):
        chart[d] = 0.0
        for c in range(3):
            chart[d] += step.charts.T_read[c, d] * out[c]
            first[d] += step.charts.R_read[c, d] * out[c]
    for d in range(3):
        out[d] = 0.0
    for s in range(INNER):
        x = step.x[count * s + r, of : of + 3]
        for d in range(3):
            here[d] = 0.0
            for c in range(3):
                here[d] += step.charts.read[s] * step.charts.C[row + 3 * s + c, d] * chart[c]
        for d in range(3):
            x[d] += here[d]
            for c in range(3):
                first[d] -= step.charts.R[row + 3 * s + c, d] * here[c]
    for d in range(3):
        for c in range(3):
            out[d] += step.charts.read[2] * step.charts.C_end[c, d] * chart[c]
            step.x[2 * count + r, of + d] -= step.charts.read[2] * step.charts.C_begin[c, d] * chart[c]


@compiled_apart
def _back_step(way: Way, step: ImplicitStep, entry: Vector, recorded: int):
    """Give the weights of y₁ and of y' there back to y₀, through one step, before which `recorded` requested times
    stand. Return a status."""
    march, stages, mechanism, count = way.march, way.march.stages, way.march.mechanism, way.y0.shape[0]
    last, times, t, end, state = march.tableau.stages, march.record.times, entry[T0], entry[T1], mechanism.state
    put_entry(march, entry)
    march.counts[NEXT] = recorded
    set_out(march, entry)
    put_stages(march, entry)
    status = linearise_stages(step, march, way.own, way.held)
    if status != DONE:
        return status
    projected = is_projected(march.stabiliser, mechanism)
    status = end_of_step(way, end)
    if status != DONE:
        return status
    for weights in (step.x, step.y, step.first):
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
        axpy(1.0, way.y1[r, state.z_at :], step.y[count * (INNER - 1) + r, state.z_at :])
        q, x = stages.implicit.y[2, : state.q_end], step.x[count * (INNER - 1) + r]
        take_places(mechanism.machine.manifold, q, way.y1[r, : state.q_end], x)
    return _solve_back(way, step)


@compiled_apart
def back_implicit_stretch(way: Way, step: ImplicitStep, entries: Matrix, recorded: Integers):
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
        way.k[:] = 0.0
        clear_loads(way)
        status = back_begin(way, entries[k, :HEAD], entries[k], recorded[2 * k])
        if status != DONE:
            return status
    return DONE
