"""The Radau IIA method of three stages, of order 5, for stiff systems. Compiled.

The inner stages are implicit,

    kᵢ = y'(t₀ + cᵢ h, yᵢ),        yᵢ = y₀ + h Σⱼ aᵢⱼ kⱼ,        i = 1, 2, 3,        y₁ = y₃,

so the method damps motions that are too fast for the step (it is stable for all decaying motions, and infinitely fast
ones vanish). Newton's method finds the kᵢ. With A = T diag(μ, ν, ν̄) T⁻¹ its equations separate into a real system and
a complex one, of the size of the mechanism. The error is estimated by a formula of order 3, filtered, and steps are
read between by the polynomial through all stages: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8.
"""

import numpy as np

from ...compiled.manifold import chart_rates, from_chart, motion_of_chart, settle_in_chart
from ...compiled.status import DONE, NOT_CONVERGED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.unsymmetric import eliminate_real, solve_complex, solve_real
from ...linear.vectors import copy
from ..course import moment
from ..derivative import derivative
from ..implicit.iteration import (
    COUPLED,
    ELIMINATIONS,
    FRESH,
    ITERATIONS,
    LAST,
    MATRICES,
    MOST,
    SHARP,
    STEPS_COUPLED,
    USABLE,
    add_to_stage,
    begin_step,
    eliminate_pair,
    filter_error,
    has_converged,
    make_ready,
    measure_by,
    most_corrections,
    put_error,
    put_residual,
    square_of,
    square_of_motion,
    weighted,
)
from ..implicit.linearised import linearise, put_coupled, put_real
from ..mechanism_record import INDEPENDENCE
from .method import H, Method, Stages, T, X, bound_turns, tableau

ROOT = np.sqrt(6.0)
FIRST, SECOND = (4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0
"""The inner nodes; the third one is 1."""
A = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)


def _spectrum() -> tuple[float, complex, np.ndarray, np.ndarray]:
    """Return μ and ν, the columns of T for them, and the rows of T⁻¹."""
    values, T = np.linalg.eig(A)
    real, pair = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
    inverse = np.linalg.inv(T)
    scale = T[2, real], T[2, pair]
    columns = np.stack([T[:, real] / scale[0], T[:, pair] / scale[1]])
    rows = np.stack([inverse[real] * scale[0], inverse[pair] * scale[1]])
    return float(values[real].real), complex(values[pair]), columns, rows


MU, NU, _COLUMNS, _ROWS = _spectrum()
NU_REAL, NU_IMAG = NU.real, NU.imag
SHARP_ROUNDS = 8
"""The number of rounds in which positions and rates in a chart are solved for each other, to the last digit."""
TO, BACK, ERROR = 3, 6, 9
"""Rows of the tableau after A: the rows of T⁻¹, real and imaginary parts one after the other; the weights BACK of the
changes Σ BACKᵣ δκᵣ; and the weights of the k in the error, with 1 for that at the beginning."""


def _numbers() -> np.ndarray:
    to = np.stack([_ROWS[0].real, _ROWS[1].real, _ROWS[1].imag])
    back = np.stack([_COLUMNS[0].real, 2 * _COLUMNS[1].real, -2 * _COLUMNS[1].imag])
    error = np.array([-(13 + 7 * ROOT) / 3, (-13 + 7 * ROOT) / 3, -1 / 3]) @ A
    return np.concatenate([A, to, back, error[None]])


@compiled_apart
def step(stages: Stages) -> None:
    own, mechanism = stages.implicit, stages.mechanism
    t, h = stages.now[T], stages.now[H]
    _predict(stages, begin_step(own, t, h), h)
    measure_by(own, mechanism, stages.y0)
    stages.status[0] = NOT_CONVERGED
    own.flags[COUPLED] = max(own.flags[COUPLED], own.flags[SHARP])
    if own.flags[COUPLED] == 0:
        _solve_alike(stages, t, h, False)
        if stages.status[0] == NOT_CONVERGED and own.flags[FRESH] == 0:
            _predict(stages, False, h)
            _solve_alike(stages, t, h, True)
        if stages.status[0] == NOT_CONVERGED:
            _predict(stages, False, h)
            own.flags[COUPLED] = STEPS_COUPLED
    if stages.status[0] == NOT_CONVERGED:
        own.flags[COUPLED] -= 1
        _solve_coupled(stages, t, h)
    if stages.status[0] == DONE:
        copy(own.y[2], stages.y1)
        if own.flags[SHARP] == 0:
            _estimate(stages, t, h)
            bound_turns(stages, own.chart[2])


@compiled
def place_of(s: int) -> float:
    """Return the place of stage s in the step, from 0 to 1."""
    return FIRST if s == 0 else SECOND if s == 1 else 1.0


@compiled
def _sum(a: Matrix, row: int, k: Matrix, n: int) -> float:
    """Return the sum of the derivatives k of all stages at place n, with the weights of a row of a."""
    return a[row, 0] * k[0, n] + a[row, 1] * k[1, n] + a[row, 2] * k[2, n]


@compiled
def _predict(stages: Stages, goes_on: bool, h: float) -> None:
    """Put the k by the polynomial of the last step; those at the beginning of the step, where there was none."""
    own, mechanism = stages.implicit, stages.mechanism
    last = own.told[LAST]
    if goes_on:
        for s in range(3):
            copy(own.stage[s], own.before[s])
    for s in range(3):
        if last > 0.0:
            x = 1.0 + place_of(s) * h / last
            w0 = (x - SECOND) * (x - 1.0) / ((FIRST - SECOND) * (FIRST - 1.0))
            w1 = (x - FIRST) * (x - 1.0) / ((SECOND - FIRST) * (SECOND - 1.0))
            w2 = (x - FIRST) * (x - SECOND) / ((1.0 - FIRST) * (1.0 - SECOND))
            for k in range(stages.y0.size):
                own.stage[s, k] = w0 * own.before[0, k] + w1 * own.before[1, k] + w2 * own.before[2, k]
        else:
            copy(stages.k[0], own.stage[s])
    q_end, z_at = mechanism.state.q_end, mechanism.state.z_at
    own.chart[:] = 0.0
    for s in range(3):
        copy(stages.y0, own.y[s])
        if last == 0.0:
            v = stages.y0[mechanism.state.v_at : mechanism.state.v_end]
            chart_rates(mechanism.machine.manifold, own.y[s, :z_at], own.chart[s, :z_at], v, own.stage[s, :z_at])
    _place(stages, h, q_end)


@compiled
def _place(stages: Stages, h: float, q_end: int) -> None:
    """Put the positions of all stages, from their rates."""
    own, y0, a = stages.implicit, stages.y0, stages.tableau.a
    for s in range(3):
        for k in range(q_end):
            own.chart[s, k] = h * _sum(a, s, own.stage, k)
        from_chart(stages.mechanism.machine.manifold, y0[:q_end], own.chart[s, :q_end], own.y[s, :q_end])


@compiled
def settle(stages: Stages, h: float) -> None:
    """Put the states of all stages: velocities, then positions from the velocities. Rates in a chart depend on the
    positions of attitudes: for attitudes two rounds are made."""
    own, mechanism, y0, a = stages.implicit, stages.mechanism, stages.y0, stages.tableau.a
    state, manifold = mechanism.state, mechanism.machine.manifold
    for s in range(3):
        for k in range(state.v_at, y0.size):
            own.y[s, k] = y0[k] + h * _sum(a, s, own.stage, k)
    rounds = SHARP_ROUNDS if own.flags[SHARP] == 1 else 2
    for _ in range(rounds if manifold.quaternions.shape[0] > 0 else 1):
        for s in range(3):
            q, v = own.y[s, : state.z_at], own.y[s, state.v_at : state.v_end]
            chart_rates(manifold, q, own.chart[s, : state.z_at], v, own.stage[s, : state.z_at])
        _place(stages, h, state.q_end)


@compiled
def _solve_alike(stages: Stages, t: float, h: float, anew: bool) -> None:
    """Solve for the k by Newton's method with one matrix for all stages, that of the beginning; the status is in
    `stages`."""
    own, mechanism = stages.implicit, stages.mechanism
    newton, a = own.newton, stages.tableau.a
    x, size = newton.x_count, own.residual.shape[1]
    start, previous, right = moment(stages.course, t), 0.0, newton.right
    stages.status[0] = make_ready(own, mechanism, start, stages.y0, MU * h, (MU * h) ** 2, anew)
    if stages.status[0] != DONE:
        return
    eliminate_pair(own, mechanism, NU_REAL * h, NU_IMAG * h)
    for count in range(1, MOST + 1):
        settle(stages, h)
        for s in range(3):
            stages.status[0] = derivative(mechanism, _moment(stages, s, t, h), own.y[s], own.slope)
            if stages.status[0] != DONE:
                return
            _note(stages, s)
            put_residual(own, mechanism, own.slope, own.stage[s], newton.values[0], own.residual[s])
        for k in range(size):
            right[k] = _sum(a, TO, own.residual, k)
        solve_real(newton.real, right)
        for k in range(x):
            for s in range(3):
                own.moved[s, k] = a[BACK, s] * right[k]
        for k in range(size):
            right[2 * k] = _sum(a, TO + 1, own.residual, k)
            right[2 * k + 1] = _sum(a, TO + 2, own.residual, k)
        solve_complex(newton.pair, right)
        for k in range(x):
            for s in range(3):
                own.moved[s, k] += a[BACK + 1, s] * right[2 * k] + a[BACK + 2, s] * right[2 * k + 1]
        verdict, previous = _correct(stages, h, previous, count, False)
        if verdict != 0:
            stages.status[0] = DONE if verdict == 1 else NOT_CONVERGED
            return
    stages.status[0] = NOT_CONVERGED


@compiled
def _solve_coupled(stages: Stages, t: float, h: float) -> None:
    """Solve for the k by Newton's method with the matrix of each stage, renewed for each correction: corrections shrink
    quadratically. A last one is made with the present matrix, for a small error of a stiff length is a large force in
    the next step. The status is in `stages`.
    """
    own, mechanism = stages.implicit, stages.mechanism
    newton, previous, right, verdict = own.newton, 0.0, own.newton.right, 0
    x, size = newton.x_count, own.residual.shape[1]
    rows = size - x
    own.flags[FRESH] = own.flags[USABLE] = 0
    for count in range(1, most_corrections(own) + 1):
        settle(stages, h)
        for s in range(3):
            now = _moment(stages, s, t, h)
            if verdict == 0:
                stages.status[0] = linearise(newton, mechanism, now, own.y[s], newton.values[s])
                copy(newton.slope, own.slope)
                own.flags[MATRICES] += 1
            else:
                stages.status[0] = derivative(mechanism, now, own.y[s], own.slope)
            if stages.status[0] != DONE:
                return
            _note(stages, s)
            put_residual(own, mechanism, own.slope, own.stage[s], newton.values[s], own.residual[s])
        if verdict == 0:
            put_coupled(newton, mechanism, stages.tableau.a, h)
            eliminate_real(newton.coupled, mechanism.machine.factor.kept)
            own.flags[ELIMINATIONS] += 1
        for s in range(3):
            for k in range(x):
                right[s * x + k] = own.residual[s, k]
            for k in range(rows):
                right[3 * x + s * rows + k] = own.residual[s, x + k]
        solve_real(newton.coupled, right)
        for s in range(3):
            copy(right[s * x : (s + 1) * x], own.moved[s])
        is_last, before = verdict == 1, previous
        verdict, previous = _correct(stages, h, previous, count, True)
        if verdict == 1 and own.flags[SHARP] == 1:
            return
        if is_last and previous < before:
            settle(stages, h)
            put_real(newton, mechanism, MU * h, (MU * h) ** 2)  # for the error estimate
            eliminate_real(newton.real, mechanism.machine.factor.kept)
            return
        if verdict == -1:
            break
        verdict = 0 if is_last else verdict
    stages.status[0] = NOT_CONVERGED


@compiled
def _moment(stages: Stages, s: int, t: float, h: float) -> float:
    return moment(stages.course, t + place_of(s) * h)


@compiled
def _note(stages: Stages, s: int) -> None:
    if s < 2:
        stages.sines[s + 1] = np.sqrt(stages.mechanism.nearness[INDEPENDENCE])


@compiled
def _correct(stages: Stages, h: float, previous: float, count: int, renewed: bool) -> tuple[int, float]:
    """Add the last correction; return the verdict of `has_converged`, and the size of the correction."""
    own, mechanism = stages.implicit, stages.mechanism
    own.flags[ITERATIONS] += 1
    for s in range(3):
        add_to_stage(own, mechanism, own.moved[s], own.stage[s])
    size = _size(stages, h)
    verdict = has_converged(own, size, previous, count, renewed)
    if verdict == 1:
        settle(stages, h)
    return verdict, size


@compiled
def _size(stages: Stages, h: float) -> float:
    """Return the norm of the last correction, as one of velocities, states and positions, at all stages."""
    own, mechanism, a = stages.implicit, stages.mechanism, stages.tableau.a
    total = 0.0
    for s in range(3):
        row = own.residual[s]
        for k in range(own.newton.x_count):
            row[k] = h * _sum(a, s, own.moved, k)
        total += square_of(own, mechanism, row, 1.0)
    for s in range(3):
        row = own.moved[s]
        for k in range(own.newton.v_count):
            row[k] = h * _sum(a, s, own.residual, k)
        total += square_of_motion(own, row, 1.0)
    return np.sqrt(total / (3.0 * (own.newton.x_count + own.newton.v_count)))


@compiled
def _estimate(stages: Stages, t: float, h: float) -> None:
    """Put the error over h into the last row of k, filtered by two implicit steps. (After one a stiff spring still
    shows: the error of its length over the step.) Where the error is too large it is estimated again with the slope
    where one such step ends in place of that at the beginning: off the slow motion the slope contains components that
    die out at once. Works, which are not filtered, have the smaller of both estimates where a stiff force turns: power
    that dies out at once does no work.
    """
    own, mechanism, k = stages.implicit, stages.mechanism, stages.k
    out, at, q_end = k[k.shape[0] - 1], stages.between, mechanism.state.q_end
    _error_with(stages, stages.k[0], h, out)
    for n in range(at.size):
        own.slope[n] = h * out[n]
        at[n] = stages.y0[n] + own.slope[n]
    from_chart(mechanism.machine.manifold, stages.y0[:q_end], own.slope[:q_end], at[:q_end])
    _filter_again(stages, h, out)
    small = h * weighted(own, out) <= 1.0
    if small and own.flags[COUPLED] == 0:
        return
    if derivative(mechanism, moment(stages.course, t), at, own.slope) != DONE:
        return
    for n in range(mechanism.state.works_at, out.size):
        other = MU * (_sum(stages.tableau.a, ERROR, own.stage, n) + own.slope[n])
        at[n] = other if abs(other) < abs(out[n]) else out[n]
    if not small:
        _error_with(stages, own.slope, h, out)
        _filter_again(stages, h, out)
    copy(at[mechanism.state.works_at :], out[mechanism.state.works_at :])


@compiled
def _filter_again(stages: Stages, h: float, out: Vector) -> None:
    filter_error(stages.implicit, stages.mechanism, MU * h)
    put_error(stages.implicit, stages.mechanism, out)


@compiled
def _error_with(stages: Stages, slope: Vector, h: float, out: Vector) -> None:
    own, mechanism = stages.implicit, stages.mechanism
    newton, state = own.newton, mechanism.state
    error = own.residual[0]
    for n in range(slope.size):
        out[n] = _sum(stages.tableau.a, ERROR, own.stage, n)
    motion_of_chart(mechanism.machine.manifold, out, newton.step)
    for n in range(newton.v_count):
        error[n] = MU * (out[state.v_at + n] + slope[state.v_at + n])
        newton.step[n] = MU * (newton.step[n] + stages.y0[state.v_at + n])
    for n in range(newton.z_place.size):
        error[newton.v_count + n] = MU * (out[newton.z_place[n]] + slope[newton.z_place[n]])
    for n in range(state.works_at, slope.size):
        out[n] = MU * (out[n] + slope[n])
    filter_error(own, mechanism, MU * h)
    put_error(own, mechanism, out)


@compiled_apart
def prepare(stages: Stages) -> None:
    """Put the last node of the polynomial into a row of its own: the end may have been put onto the constraints."""
    own, q_end = stages.implicit, stages.mechanism.state.q_end
    before, after = own.y[2, :q_end], stages.y1[:q_end]
    copy(own.chart[2], own.chart[3])
    settle_in_chart(stages.mechanism.machine.manifold, before, after, own.chart[3, :q_end])


@compiled
def weights_at(x: float, weights: Vector) -> None:
    """Put the weights of the stages at place x of the step: those of the polynomial that is 0 at the beginning and
    passes through all stages."""
    weights[0] = x * (x - SECOND) * (x - 1.0) / (FIRST * (FIRST - SECOND) * (FIRST - 1.0))
    weights[1] = x * (x - FIRST) * (x - 1.0) / (SECOND * (SECOND - FIRST) * (SECOND - 1.0))
    weights[2] = x * (x - FIRST) * (x - SECOND) / ((1.0 - FIRST) * (1.0 - SECOND))


@compiled_apart
def read(stages: Stages, out: Vector) -> None:
    """Put the state by the polynomial through the beginning and all stages, of positions in their chart, into `out`."""
    own, mechanism, y0, weights = stages.implicit, stages.mechanism, stages.y0, stages.implicit.weights
    q_end = mechanism.state.q_end
    weights_at(stages.now[X], weights)
    w0, w1, w2 = weights[0], weights[1], weights[2]
    for k in range(q_end):
        out[k] = w0 * own.chart[0, k] + w1 * own.chart[1, k] + w2 * own.chart[3, k]
    copy(out[:q_end], own.slope[:q_end])
    from_chart(mechanism.machine.manifold, y0[:q_end], own.slope[:q_end], out[:q_end])
    for k in range(q_end, y0.size):
        out[k] = y0[k] + w0 * (own.y[0, k] - y0[k]) + w1 * (own.y[1, k] - y0[k]) + w2 * (stages.y1[k] - y0[k])


_NUMBERS = tableau(
    3, (5, 3), _numbers(), A[2], np.array([0.0, FIRST, SECOND]), np.array([[0.0, 0.0, 0.0, 0.0, 1.0]]),
    np.zeros((0, 0)),
)  # fmt: skip
RADAU5 = Method("Radau5", _NUMBERS, step, read, prepare, inner=3)
