"""The stages of an explicit Runge-Kutta step of eight runs, each of its own time and length: see
`methods.runge_kutta.step`, whose operations these are. Compiled."""

from math import sqrt

from ...kernels.abi import compiled, compiled_apart
from ...kernels.lanes import everywhere
from .records import Abreast
from .terms import derivative


@compiled_apart
def make_stages(abreast: Abreast):
    """From y₀ and k₀ to y₁, in all lanes."""
    tableau, y, k = abreast.tableau, abreast.between, abreast.k
    width = y.size
    abreast.doubt[0] = 0.0
    for s in range(1, tableau.stages):
        time = abreast.begin[0] + tableau.c[s] * abreast.h[0]
        abreast.now[0] = min(max(time, abreast.span[0]), abreast.span[1])
        _combine(abreast, tableau.a[s], s, y)
        derivative(abreast, y, k[s * width : (s + 1) * width])
        abreast.sines[s] = sqrt(abreast.nearness[2])
    _combine(abreast, tableau.b, tableau.stages, abreast.y1)
    if not tableau.end_in_error:
        _estimate_error(abreast)


@compiled_apart
def make_ends(abreast: Abreast):
    """y' at the ends of steps, y₁, after the stages of all nodes."""
    tableau, width = abreast.tableau, abreast.y1.size
    end = tableau.stages
    abreast.doubt[0] = 0.0
    abreast.now[0] = min(max(abreast.end[0], abreast.span[0]), abreast.span[1])
    derivative(abreast, abreast.y1, abreast.k[end * width : (end + 1) * width])
    if tableau.end_in_error:
        _estimate_error(abreast)


@compiled
def _estimate_error(abreast):
    """As `methods.method.estimate_error`."""
    weights, k, width = abreast.tableau.error, abreast.k, abreast.y1.size
    for row in range(weights.shape[0]):
        for i in range(width):
            value = everywhere(0.0)
            for s in range(weights.shape[1]):
                if weights[row, s] != 0.0:
                    value += weights[row, s] * k[s * width + i]
            abreast.estimate[row * width + i] = value


@compiled
def _combine(abreast, coefficients, count, out):
    """y₀ + h Σ coefficientsⱼ kⱼ, over the first `count` stages, number by number."""
    y0, k, weights, width = abreast.y0, abreast.k, abreast.weights, abreast.y0.size
    for j in range(count):
        weights[j] = abreast.h[0] * coefficients[j]
    for i in range(width):
        value = y0[i]
        for j in range(count):
            if coefficients[j] != 0.0:
                value += weights[j] * k[j * width + i]
        out[i] = value
