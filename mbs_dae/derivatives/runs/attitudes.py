"""Matrices of attitudes in a chart e = e₀ ∘ exp(u/2), with u a rotation vector. Compiled.

Angular velocities ω in the axes of the body give u̇ = C(u) ω (`compiled.manifold.chart_rates`),

    C(u) = I + ½ [u] + κ [u]²,        κ = (1 - ½ |u| cot ½ |u|) / |u|²,        [u] a = u × a.

A small motion x of an attitude, in its axes, follows from x₀ at u = 0 and from δu by x = Rᵀ x₀ + T δu, where R is the
rotation of exp(u/2) and T = C⁻¹.
"""

from math import sin, sqrt, tan
from typing import Any, NamedTuple

from ...coordinates.joint.vectors import after, back, quaternion_at, rotation_vector
from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.elimination import factorise, solve
from ...motion.methods.method import H, Stages

END_OF_CHART = 3
"""The row of `Implicit.chart` with the end of the step, behind its projection."""


@compiled
def _put_series(x: Any, first: float, second: float, times: float, out: Matrix) -> None:
    """Put `times` (I + `first` [x] + `second` [x]²) into three rows of `out`, where [x] a = x × a."""
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    for i in range(3):
        for j in range(3):
            out[i, j] = times * second * (x[i] * x[j] - (square if i == j else 0.0)) + (times if i == j else 0.0)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[k, j] += times * first * x[i]
        out[j, k] -= times * first * x[i]


@compiled
def _angle(x: Any) -> float:
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


@compiled
def _kappa(angle: float) -> tuple[float, float]:
    """Return κ of `chart_rates`, and its derivative by the angle, divided by the angle."""
    square = angle * angle
    if angle < 0.3:
        series = 1.0 / 360.0 + square / 7560.0 + square**2 / 201600.0 + square**3 / 5987520.0
        return 1.0 / 12.0 + square / 720.0 + square**2 / 30240.0 + square**3 / 1209600.0, series
    half = 0.5 * angle
    slope = (0.25 / sin(half) ** 2 + 0.5 / (angle * tan(half))) / angle - 2.0 / angle**3
    return (1.0 - half / tan(half)) / square, slope / angle


@compiled
def put_rates_matrix(u: Vector, sense: float, out: Matrix) -> None:
    """Put C(u), with u̇ = C ω for angular velocities in the axes of the end (`sense` 1) or of the beginning (-1)."""
    _put_series(u, 0.5 * sense, _kappa(_angle(u))[0], 1.0, out)


@compiled
def put_rotations(u: Any, R: Matrix, T: Matrix) -> None:
    """Put Rᵀ, which takes a small motion at u = 0 to the axes at u, and T = C⁻¹, which takes δu there."""
    angle = _angle(u)
    square = angle * angle
    if angle < 1e-3:
        once, twice, thrice = 1.0 - square / 6.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        once, twice = sin(angle) / angle, 2.0 * sin(0.5 * angle) ** 2 / square
        thrice = (1.0 - once) / square
    _put_series(u, -once, twice, 1.0, R)
    _put_series(u, -twice, thrice, 1.0, T)


@compiled
def put_rates_slope(u: Vector, w: Vector, out: Matrix) -> None:
    """Put ∂(C(u) ω)/∂u for ω = `w`."""
    kappa, slope = _kappa(_angle(u))
    along = u[0] * w[0] + u[1] * w[1] + u[2] * w[2]
    square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    for i in range(3):
        twice = u[i] * along - w[i] * square  # u × (u × ω)
        for j in range(3):
            turned = u[i] * w[j] - 2.0 * w[i] * u[j] + (along if i == j else 0.0)
            out[i, j] = kappa * turned + slope * twice * u[j]
    for i in range(3):  # ½ δu × ω
        j, k = (i + 1) % 3, (i + 2) % 3
        out[k, j] -= 0.5 * w[i]
        out[j, k] += 0.5 * w[i]


# --- the attitudes of a step ------------------------------------------------------------------------------------------


class Charts(NamedTuple):
    """The matrices of attitudes in the chart of an implicit step, three rows for each stage of each attitude."""

    G: Work[Matrix] = zeros("turns", "blocks")
    """The blocks Gᵢⱼ of each attitude, three columns for each stage: the small motions by angular accelerations."""
    B: Work[Matrix] = zeros("turns", 3)
    """Bᵢ: the small motions by the angular velocity w, for unchanged angular accelerations."""
    R: Work[Matrix] = zeros("turns", 3)
    """Rᵢᵀ, which takes small motions at the beginning of the step to stage i."""
    C: Work[Matrix] = zeros("turns", 3)
    """Cᵢ, with u̇ = C ω."""
    T: Work[Matrix] = zeros("turns", 3)
    """Tᵢ = Cᵢ⁻¹."""
    D: Work[Matrix] = zeros("turns", 3)
    """Dᵢ = ∂(C(u) ωᵢ)/∂u."""
    matrix: Work[Matrix] = zeros(9, 9)
    order: Work[Integers] = zeros(9)
    right: Work[Vector] = zeros(9)
    R_read: Work[Matrix] = zeros(3, 3)
    """Rᵀ of a state that is read."""
    T_read: Work[Matrix] = zeros(3, 3)
    """C⁻¹ of a state that is read."""
    C_end: Work[Matrix] = zeros(3, 3)
    """The C of the turn from the last stage to the end of the step, for small motions behind the turn."""
    C_begin: Work[Matrix] = zeros(3, 3)
    """The C of this turn for small motions before the turn."""
    C_rate: Work[Matrix] = zeros(3, 3)
    """C at the end of the step, with which the rate there is read."""
    D_rate: Work[Matrix] = zeros(3, 3)
    """D at the end of the step, with the angular velocity there."""


@compiled
def put_charts(charts: Charts, stages: Stages, c2: Matrix) -> None:
    """Put the matrices R, C, T, B and G of all attitudes at the stages of a step. A step of one stage has the chart

        u = h w + c₂ ω̇,        x = Rᵀ x₀ + T δu,

    where w does not depend on ω̇. With Radau5 u̇ᵢ = C(uᵢ) ωᵢ, ω = ω₀ + h A ω̇ and u = h A u̇ are nine equations:

        δu̇ᵢ - h Dᵢ Σⱼ aᵢⱼ δu̇ⱼ = Cᵢ (δω₀ + h Σⱼ aᵢⱼ δω̇ⱼ),        xᵢ = Rᵢᵀ x₀ + h Tᵢ Σⱼ aᵢⱼ δu̇ⱼ.
    """
    own, mechanism, a, h = stages.implicit, stages.mechanism, stages.tableau.a, stages.now[H]
    state, quaternions, inner = mechanism.state, mechanism.machine.manifold.quaternions, c2.shape[0]
    A, x = charts.matrix, charts.right
    for k in range(quaternions.shape[0]):
        to, of, first = quaternions[k, 0], state.v_at + quaternions[k, 1], 3 * inner * k
        for s in range(inner):
            here, u, w = slice(first + 3 * s, first + 3 * s + 3), own.chart[s, to : to + 3], own.y[s, of : of + 3]
            put_rates_matrix(u, 1.0, charts.C[here])
            put_rotations(u, charts.R[here], charts.T[here])
            put_rates_slope(u, w, charts.D[here])
        if inner == 1:
            for c in range(3):
                for d in range(3):
                    charts.B[first + c, d] = h * charts.T[first + c, d]
                    charts.G[first + c, d] = c2[0, 0] * charts.T[first + c, d]
            continue
        for s in range(inner):
            for j in range(inner):
                for c in range(3):
                    for d in range(3):
                        A[3 * s + c, 3 * j + d] = -h * a[s, j] * charts.D[first + 3 * s + c, d]
        for c in range(9):
            A[c, c] += 1.0
        factorise(A, charts.order)
        for j in range(inner + 1):  # by ω̇ of each stage, then by ω₀
            for d in range(3):
                for s in range(inner):
                    for c in range(3):
                        x[3 * s + c] = charts.C[first + 3 * s + c, d] * (h * a[s, j] if j < inner else 1.0)
                solve(A, charts.order, x)
                for s in range(inner):
                    for c in range(3):
                        total = 0.0
                        for e in range(3):
                            turned = a[s, 0] * x[e] + a[s, 1] * x[3 + e] + a[s, 2] * x[6 + e]
                            total += h * charts.T[first + 3 * s + c, e] * turned
                        if j < inner:
                            charts.G[first + 3 * s + c, 3 * j + d] = total
                        else:
                            charts.B[first + 3 * s + c, d] = total


@compiled
def put_reading(charts: Charts, stages: Stages, k: int, weights: Vector, inner: int) -> None:
    """Put the matrices of attitude k for a state read inside a step, by the weights of stages, end and end rates."""
    own, manifold, state = stages.implicit, stages.mechanism.machine.manifold, stages.mechanism.state
    to, of = manifold.quaternions[k, 0], state.v_at + manifold.quaternions[k, 1]
    for c in range(3):
        total = 0.0
        for s in range(inner):
            total += weights[s] * own.chart[s if s < inner - 1 else END_OF_CHART, to + c]
        charts.right[c] = total + weights[inner] * own.chart[1, to + c] + weights[inner + 1] * own.chart[2, to + c]
    put_rotations(charts.right[:3], charts.R_read, charts.T_read)
    turn = rotation_vector(after(back(quaternion_at(own.y[inner - 1], to)), quaternion_at(stages.y1, to)))
    for c in range(3):
        charts.right[c] = turn[c]
    put_rates_matrix(charts.right[:3], 1.0, charts.C_end)
    put_rates_matrix(charts.right[:3], -1.0, charts.C_begin)
    put_rates_matrix(own.chart[END_OF_CHART, to : to + 3], 1.0, charts.C_rate)
    put_rates_slope(own.chart[END_OF_CHART, to : to + 3], stages.y1[of : of + 3], charts.D_rate)
