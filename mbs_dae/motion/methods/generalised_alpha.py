"""The generalised-α method of Chung and Hulbert (1993), in the form of Arnold and Brüls for attitudes. Compiled.

    q₁ = q₀ ⊕ (h v₀ + h² ((½ - β) b₀ + β b₁)),        v₁ = v₀ + h ((1 - γ) b₀ + γ b₁),
    (1 - α_m) b₁ + α_m b₀ = (1 - α_f) v̇₁ + α_f v̇₀,      v̇₁ = v̇(q₁, v₁)

The numbers α_m, α_f, β and γ follow from the spectral radius ρ by which infinitely fast oscillations are multiplied in
a step: 1 keeps them all, 0 ends them after three steps. The order is 2, whatever ρ. States and works are integrated
like velocities. The numbers b are remembered from step to step; they are accelerations at t + Δ h, Δ = α_m - α_f, and
are shifted when h changes.

The errors are, with the third derivative from the last three accelerations,

    v: h³ v⃛ (1/12 - Δ²/2 + ε),    ε = ½ Δ (α_m + α_f - 1),        q: h³ v̈ (1/12 + Δ²/4).
"""

from functools import cache

import numpy as np

from ...compiled.manifold import chart_motion, chart_rates, from_chart, settle_in_chart
from ...compiled.status import DONE, NOT_CONVERGED
from ...errors import ModelError
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.unsymmetric import eliminate_real, solve_real
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
    SHARP,
    STEPS_COUPLED,
    USABLE,
    add_to_stage,
    begin_step,
    filter_error,
    has_converged,
    make_ready,
    measure_by,
    most_corrections,
    put_error,
    put_residual,
    square_of,
    square_of_motion,
)
from ..implicit.linearised import linearise, put_real
from .method import H, Method, Stages, T, X, bound_turns, tableau

ALPHA_M, ALPHA_F, BETA, GAMMA = range(4)
NOW, B, F = range(3)
"""Rows of `Implicit.stage`: y' at the end of the step that is tried, b there, y' at its beginning; and of
`Implicit.before`: b at the beginning of this step, then b and y' of the last one."""


@compiled_apart
def step(stages: Stages) -> None:
    own, mechanism, numbers = stages.implicit, stages.mechanism, stages.tableau.b
    t, h = stages.now[T], stages.now[H]
    if begin_step(own, t, h):
        copy(own.stage[B], own.before[B])
        copy(own.stage[F], own.before[F])
    copy(stages.k[0], own.stage[F])
    measure_by(own, mechanism, stages.y0)
    c1, c2 = newton_coefficients(numbers, h)
    stages.status[0] = NOT_CONVERGED
    own.flags[COUPLED] = max(own.flags[COUPLED], own.flags[SHARP])
    if own.flags[COUPLED] == 0:
        stages.status[0] = make_ready(own, mechanism, moment(stages.course, t), stages.y0, c1, c2, False)
        if stages.status[0] == DONE:
            _solve(stages, t, h, c1, c2, False)
        if stages.status[0] == NOT_CONVERGED:
            own.flags[COUPLED] = STEPS_COUPLED
    if stages.status[0] == NOT_CONVERGED:
        own.flags[COUPLED] -= 1
        own.flags[FRESH] = own.flags[USABLE] = 0
        _solve(stages, t, h, c1, c2, True)
    if stages.status[0] == DONE:
        copy(own.y[0], stages.y1)
        if own.flags[SHARP] == 0:
            _estimate(stages, h, c1)
            bound_turns(stages, own.chart[0])


@compiled
def newton_coefficients(numbers: Vector, h: float) -> tuple[float, float]:
    """Return c₁ and c₂ of Newton's matrix: the changes of v₁ and of the motion by v̇₁."""
    share = (1.0 - numbers[ALPHA_F]) / (1.0 - numbers[ALPHA_M])
    return h * numbers[GAMMA] * share, h * h * numbers[BETA] * share


@compiled
def shift_of_b(numbers: Vector, h: float, last: float) -> float:
    """Return the number Δ (h - h') / h' by which b is shifted behind a step of length h' = `last`, times y' - y'₀."""
    return (numbers[ALPHA_M] - numbers[ALPHA_F]) * (h - last) / last


@compiled
def _predict(stages: Stages, h: float) -> None:
    """Put b at the beginning of this step, and a first guess of y' at its end, by the slope of y' over the last one."""
    own, numbers = stages.implicit, stages.tableau.b
    first, last = own.stage[F], own.told[LAST]
    copy(first, own.before[NOW])
    copy(first, own.stage[NOW])
    if last > 0.0:
        shift = shift_of_b(numbers, h, last)
        for k in range(first.size):
            rise = first[k] - own.before[F, k]
            own.before[NOW, k] = own.before[B, k] + shift * rise
            own.stage[NOW, k] = first[k] + h / last * rise


@compiled
def settle(stages: Stages, h: float) -> None:
    """Put b and the state at the end of the step, from y' there."""
    own, mechanism, y0, numbers = stages.implicit, stages.mechanism, stages.y0, stages.tableau.b
    state, manifold = mechanism.state, mechanism.machine.manifold
    alpha_m, alpha_f, beta, gamma = numbers[ALPHA_M], numbers[ALPHA_F], numbers[BETA], numbers[GAMMA]
    b0, b1, first, last = own.before[NOW], own.stage[B], own.stage[F], own.stage[NOW]
    end, way, newton = own.y[0], own.chart[0], own.newton
    for k in range(y0.size):
        b1[k] = ((1.0 - alpha_f) * last[k] + alpha_f * first[k] - alpha_m * b0[k]) / (1.0 - alpha_m)
        way[k] = h * ((1.0 - gamma) * b0[k] + gamma * b1[k])
        end[k] = y0[k] + way[k]
    for k in range(newton.step.size):
        at = state.v_at + k
        newton.step[k] = h * y0[at] + h * h * ((0.5 - beta) * b0[at] + beta * b1[at])
    for k in range(state.z_at):
        way[k] = 0.5 * h * (first[k] + last[k])  # turns are counted by the mean rate
    chart_motion(manifold, newton.step, way)
    for k in range(manifold.quaternions.shape[0]):
        way[manifold.quaternions[k, 0] + 3] = 0.0
    from_chart(manifold, y0[: state.q_end], way[: state.q_end], end[: state.q_end])


@compiled
def _solve(stages: Stages, t: float, h: float, c1: float, c2: float, renewed: bool) -> None:
    """Solve for y' at the end by Newton's method: with the matrix of the beginning, or `renewed` at the end itself
    where a step turns a stiff force. The status is in `stages`."""
    own, mechanism = stages.implicit, stages.mechanism
    newton, state, end = own.newton, mechanism.state, own.stage[NOW]
    previous, now = 0.0, moment(stages.course, t + h)
    _predict(stages, h)
    for count in range(1, most_corrections(own) + 1):
        settle(stages, h)
        if renewed:
            stages.status[0] = linearise(newton, mechanism, now, own.y[0], newton.values[0])
            copy(newton.slope, own.slope)
            put_real(newton, mechanism, c1, c2)
            eliminate_real(newton.real, mechanism.machine.factor.kept)
            own.flags[MATRICES] += 1
            own.flags[ELIMINATIONS] += 1
        else:
            stages.status[0] = derivative(mechanism, now, own.y[0], own.slope)
        if stages.status[0] != DONE:
            return
        own.flags[ITERATIONS] += 1
        copy(own.slope[: state.z_at], end[: state.z_at])
        put_residual(own, mechanism, own.slope, end, newton.values[0], own.residual[0])
        right = newton.right[: own.residual.shape[1]]
        copy(own.residual[0], right)
        solve_real(newton.real, right)
        add_to_stage(own, mechanism, right, end)
        square = square_of(own, mechanism, right, c1) + square_of_motion(own, right, c2)
        size = np.sqrt(square / (newton.x_count + newton.v_count))
        verdict = has_converged(own, size, previous, count, renewed)
        previous = size
        if verdict == 1:
            settle(stages, h)
            return
        if verdict == -1:
            break
    stages.status[0] = NOT_CONVERGED


@compiled
def error_coefficients(numbers: Vector) -> tuple[float, float]:
    """Return the factors of h³ v⃛ and of h³ v̈ in the errors of v and of q."""
    delta = numbers[ALPHA_M] - numbers[ALPHA_F]
    of_v = 1.0 / 12.0 - 0.5 * delta**2 + 0.5 * delta * (numbers[ALPHA_M] + numbers[ALPHA_F] - 1.0)
    return of_v, 1.0 / 12.0 + 0.25 * delta**2


@compiled
def _estimate(stages: Stages, h: float, c1: float) -> None:
    """Put the error over h into the last row of k. In the first step it is that of a method of first order."""
    own, mechanism, numbers = stages.implicit, stages.mechanism, stages.tableau.b
    newton, state, out = own.newton, mechanism.state, stages.k[2]
    last, (of_v, of_x) = own.told[LAST], error_coefficients(numbers)
    for k in range(out.size):
        rise = own.stage[NOW, k] - own.stage[F, k]
        before = (own.stage[F, k] - own.before[F, k]) * h / last if last > 0.0 else 0.0
        third = 2.0 * (rise - before) * h / (h + last) if last > 0.0 else rise  # h² of the third derivative
        out[k] = of_v * third
    for k in range(newton.v_count):
        at = state.v_at + k
        own.residual[0, k] = out[at]
        newton.step[k] = of_x * h * (own.stage[NOW, at] - own.stage[F, at])
    for k in range(newton.z_place.size):
        own.residual[0, newton.v_count + k] = out[newton.z_place[k]]
    for _ in range(2):
        filter_error(own, mechanism, c1)
    put_error(own, mechanism, out)


@compiled_apart
def prepare(stages: Stages) -> None:
    """Put the end in its chart, and the rates at both ends."""
    own, state, manifold = stages.implicit, stages.mechanism.state, stages.mechanism.machine.manifold
    q_end, z_at = state.q_end, state.z_at
    copy(own.chart[0], own.chart[3])
    settle_in_chart(manifold, own.y[0, :q_end], stages.y1[:q_end], own.chart[3, :q_end])
    own.slope[:] = 0.0
    for end in range(2):
        y = stages.y0 if end == 0 else stages.y1
        rates, u = own.chart[1 + end], own.slope if end == 0 else own.chart[3]
        copy(stages.k[end], rates)
        chart_rates(manifold, y[:z_at], u[:z_at], y[state.v_at : state.v_end], rates[:z_at])


@compiled_apart
def read(stages: Stages, out: Vector) -> None:
    """Put the state by the cubic through both ends and their slopes, of positions in their chart, into `out`."""
    own, y0, h, x, q_end = stages.implicit, stages.y0, stages.now[H], stages.now[X], stages.mechanism.state.q_end
    for i in range(y0.size):
        rise = own.chart[3, i] if i < q_end else stages.y1[i] - y0[i]
        first, last = h * own.chart[1, i], h * own.chart[2, i]
        own.slope[i] = x * (first + x * (3.0 * rise - 2.0 * first - last + x * (first + last - 2.0 * rise)))
        out[i] = y0[i] + own.slope[i]
    from_chart(stages.mechanism.machine.manifold, y0[:q_end], own.slope[:q_end], out[:q_end])


def GA(spectral_radius: float = 0.8) -> Method:
    """Generalised-α with this spectral radius at infinity: ``simulate(..., method=mbs.GA(0.5))``. 1 keeps even the
    fastest oscillations, 0 ends them within three steps; "GA" is the method with 0.8.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> motion = mbs.simulate(rod, [0, 1], initial={"rod.omega": 2}, method=mbs.GA(0.5))
    >>> motion["rod.angle"].round(3), motion.stats["method"]
    (array([0., 2.]), 'GA')
    """
    rho = spectral_radius
    if isinstance(rho, bool) or not isinstance(rho, int | float) or not 0.0 <= rho <= 1.0:
        raise ModelError(
            f"spectral_radius={rho!r}; give a number from 0 (no fast motion is kept) to 1 (all is kept)",
            code="out-of-bounds", argument="spectral_radius", value=rho, least=0.0, most=1.0,
        )  # fmt: skip
    return _method(float(rho))


@cache
def _method(rho: float) -> Method:
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    numbers = np.array([alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma])
    error = np.array([[0.0, 0.0, 1.0]])
    own = tableau(1, (2, 2), np.zeros((1, 1)), numbers, np.zeros(1), error, np.zeros((0, 0)))
    return Method("GA", own, step, read, prepare, inner=1, recipe=(GA, (rho,)))


GENERALISED_ALPHA = GA()
