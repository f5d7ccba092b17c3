"""Matrices of attitudes in a chart e = e₀ ∘ exp(u/2), with u a rotation vector. Compiled.

Angular velocities ω in the axes of the body give u̇ = C(u) ω (`compiled.manifold.chart_rates`),

    C(u) = I + ½ [u] + κ [u]²,        κ = (1 - ½ |u| cot ½ |u|) / |u|²,        [u] a = u × a.

A small motion x of an attitude, in its axes, follows from x₀ at u = 0 and from δu by x = Rᵀ x₀ + T δu, where R is the
rotation of exp(u/2) and T = C⁻¹.
"""

from math import sin, sqrt, tan

from ...kernels.abi import compiled


@compiled
def _put_series(x, first, second, times, out):
    """Put I + `first` [x] + `second` [x]² times a number into three rows, where [x] a = x × a."""
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    for i in range(3):
        for j in range(3):
            out[i, j] = times * second * (x[i] * x[j] - (square if i == j else 0.0)) + (times if i == j else 0.0)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[k, j] += times * first * x[i]
        out[j, k] -= times * first * x[i]


@compiled
def _angle(x):
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


@compiled
def _kappa(angle):
    """κ of `chart_rates`, and its derivative by the angle over the angle."""
    square = angle * angle
    if angle < 0.3:
        series = 1.0 / 360.0 + square / 7560.0 + square**2 / 201600.0 + square**3 / 5987520.0
        return 1.0 / 12.0 + square / 720.0 + square**2 / 30240.0 + square**3 / 1209600.0, series
    half = 0.5 * angle
    slope = (0.25 / sin(half) ** 2 + 0.5 / (angle * tan(half))) / angle - 2.0 / angle**3
    return (1.0 - half / tan(half)) / square, slope / angle


@compiled
def put_rates_matrix(u, sense, out):
    """Put C(u), with u̇ = C ω for angular velocities in the axes of the end (`sense` 1) or of the beginning (-1)."""
    _put_series(u, 0.5 * sense, _kappa(_angle(u))[0], 1.0, out)


@compiled
def put_rotations(u, R, T):
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
def put_rates_slope(u, w, out):
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
