"""The stages of an explicit Runge-Kutta step of eight runs, each with its own time and length, by the operations of
`methods.runge_kutta.step`. Compiled."""

from math import sqrt

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...kernels.lanes import everywhere
from ..mechanism_record import INDEPENDENCE
from .records import LaneRun
from .terms import derivative


@compiled_apart
def make_stages(abreast: LaneRun) -> None:
    """Make y₁ from y₀ and k₀, in all lanes."""
    step, states = abreast.step, abreast.states
    tableau, y, k = abreast.tableau, states.between, states.k
    width = y.size
    step.doubt[0] = 0.0
    for s in range(1, tableau.stages):
        time = step.begin[0] + tableau.c[s] * step.h[0]
        step.now[0] = min(max(time, step.span[0]), step.span[1])
        _combine(abreast, tableau.a[s], s, y)
        derivative(abreast, y, k[s * width : (s + 1) * width])
        states.sines[s] = sqrt(step.nearness[INDEPENDENCE])
    _combine(abreast, tableau.b, tableau.stages, states.y1)
    if not tableau.end_in_error:
        _estimate_error(abreast)


@compiled_apart
def make_ends(abreast: LaneRun) -> None:
    """Put y' at the ends of steps, y₁, after the stages of all nodes."""
    step, states = abreast.step, abreast.states
    tableau, width = abreast.tableau, states.y1.size
    end = tableau.stages
    step.doubt[0] = 0.0
    step.now[0] = min(max(step.end[0], step.span[0]), step.span[1])
    derivative(abreast, states.y1, states.k[end * width : (end + 1) * width])
    if tableau.end_in_error:
        _estimate_error(abreast)


@compiled
def _estimate_error(abreast: LaneRun) -> None:
    """Put the estimates of the error, as `methods.method.estimate_error` does."""
    states = abreast.states
    weights, k, width = abreast.tableau.error, states.k, states.y1.size
    for row in range(weights.shape[0]):
        for i in range(width):
            value = everywhere(0.0)
            for s in range(weights.shape[1]):
                if weights[row, s] != 0.0:
                    value += weights[row, s] * k[s * width + i]
            states.estimate[row * width + i] = value


@compiled
def _combine(abreast: LaneRun, coefficients: Vector, count: int, out: Vector) -> None:
    """Put y₀ + h Σ coefficientsⱼ kⱼ, over the first `count` stages, into `out`."""
    states = abreast.states
    y0, k, weights, width = states.y0, states.k, states.weights, states.y0.size
    for j in range(count):
        weights[j] = abreast.step.h[0] * coefficients[j]
    for i in range(width):
        value = y0[i]
        for j in range(count):
            if coefficients[j] != 0.0:
                value += weights[j] * k[j * width + i]
        out[i] = value
