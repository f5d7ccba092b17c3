"""Explicit Runge-Kutta methods: a step, reading between its ends, compiled (see `method`), and the numbers of each
method.

    kᵢ = f(t₀ + cᵢ h,  y₀ + h Σⱼ aᵢⱼ kⱼ),        y₁ = y₀ + h Σ bᵢ kᵢ,        error = h Σ eᵢ kᵢ

RK4 is the classical method. DP5 is the pair 5(4) of Dormand and Prince (1980) with the interpolant of Shampine (1986).
DP8 is the 8(5,3) of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I (1993), with their
interpolant of order 7, which takes three more stages. Scipy has the numbers of both pairs.
"""

import numpy as np
from scipy.integrate import DOP853, RK45

from ...compiled.manifold import restore
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.vectors import axpy, copy
from ..course import moment
from ..derivative import derivative
from ..mechanism_record import INDEPENDENCE
from ..stabilise import project
from .method import H, Method, Stages, T, Tableau, X, tableau


@compiled
def combine(y: Vector, h: float, weights: Vector, count: int, k: Matrix, out: Vector) -> None:
    """Put y + h Σ weightsⱼ kⱼ, over the first `count` stages, into `out`."""
    copy(y, out)
    for j in range(count):
        if weights[j] != 0.0:
            axpy(h * weights[j], k[j], out)


@compiled_apart
def step(stages: Stages) -> None:
    mechanism, tableau, y = stages.mechanism, stages.tableau, stages.between
    t, h = stages.now[T], stages.now[H]
    for s in range(1, tableau.stages):
        now = moment(stages.course, t + tableau.c[s] * h)
        combine(stages.y0, h, tableau.a[s], s, stages.k, y)
        if stages.closed[0] == 1:
            q = y[: mechanism.state.q_end]
            restore(mechanism.machine.manifold, q)
            stages.status[0] = project(mechanism, now, q, y[mechanism.state.v_at : mechanism.state.v_end])
            if stages.status[0] != DONE:
                return
        stages.status[0] = derivative(mechanism, now, y, stages.k[s])
        if stages.status[0] != DONE:
            return
        stages.sines[s] = np.sqrt(mechanism.nearness[INDEPENDENCE])
    stages.sines[tableau.stages] = stages.sines[tableau.stages - 1]
    combine(stages.y0, h, tableau.b, tableau.stages, stages.k, stages.y1)


@compiled_apart
def read_cubic(stages: Stages, out: Vector) -> None:
    """Put the state by the cubic through both ends and their slopes into `out`."""
    y0, k, end, h, x = stages.y0, stages.k, stages.tableau.stages, stages.now[H], stages.now[X]
    for i in range(y0.size):
        rise = stages.y1[i] - y0[i]
        first, last = h * k[0, i], h * k[end, i]
        out[i] = y0[i] + x * (first + x * (3.0 * rise - 2.0 * first - last + x * (first + last - 2.0 * rise)))


@compiled_apart
def read_polynomial(stages: Stages, out: Vector) -> None:
    """Put y₀ + h Σᵢ kᵢ Σⱼ pᵢⱼ xʲ⁺¹ into `out`."""
    y0, k, powers, h, x = stages.y0, stages.k, stages.tableau.dense, stages.now[H], stages.now[X]
    copy(y0, out)
    for s in range(powers.shape[0]):
        weight = 0.0
        for power in range(powers.shape[1] - 1, -1, -1):
            weight = (weight + powers[s, power]) * x
        axpy(h * weight, k[s], out)


@compiled_apart
def prepare_nested(stages: Stages) -> None:
    """Evaluate further stages inside the step, and put the rows of `read_nested`."""
    mechanism, tableau, t, h = stages.mechanism, stages.tableau, stages.now[T], stages.now[H]
    for s in range(tableau.stages + 1, tableau.a.shape[0]):
        combine(stages.y0, h, tableau.a[s], s, stages.k, stages.between)
        now = moment(stages.course, t + tableau.c[s] * h)
        stages.status[0] = derivative(mechanism, now, stages.between, stages.k[s])
        if stages.status[0] != DONE:
            return
    nest(stages)


@compiled_apart
def nest(stages: Stages) -> None:
    """Put the rows of `read_nested`, which are linear in y₀, y₁ and all k."""
    tableau, end, h = stages.tableau, stages.tableau.stages, stages.now[H]
    y0, y1, k, dense = stages.y0, stages.y1, stages.k, stages.dense
    for i in range(y0.size):
        rise = y1[i] - y0[i]
        dense[0, i] = rise
        dense[1, i] = h * k[0, i] - rise
        dense[2, i] = 2.0 * rise - h * (k[end, i] + k[0, i])
        for row in range(tableau.dense.shape[0]):
            total = 0.0
            for s in range(tableau.a.shape[0]):
                total += tableau.dense[row, s] * k[s, i]
            dense[3 + row, i] = h * total


@compiled_apart
def read_nested(stages: Stages, out: Vector) -> None:
    """Put the state by nested products of x and 1 - x in turn into `out`."""
    y0, dense, x = stages.y0, stages.dense, stages.now[X]
    for i in range(y0.size):
        value = 0.0
        for row in range(dense.shape[0] - 1, -1, -1):
            value = (value + dense[row, i]) * (x if row % 2 == 0 else 1.0 - x)
        out[i] = y0[i] + value


# --- the methods ----------------------------------------------------------------------------------------------------


def _classical() -> Tableau:
    none, c = np.zeros((0, 5)), np.array([0.0, 0.5, 0.5, 1.0])
    return tableau(4, (4, 0), np.diag(c[1:], -1), np.array([1, 2, 2, 1]) / 6, c, none, none, stable=2.8)


def _eight() -> Tableau:
    """Return the numbers of DP8. After the step come the evaluation at its end, and three for reading."""
    a = np.zeros((16, 16))
    a[:12, :12], a[12, :12], a[13:] = DOP853.A, DOP853.B, DOP853.A_EXTRA
    c = np.array([*DOP853.C, 1.0, *DOP853.C_EXTRA])
    return tableau(12, (8, 7), a, DOP853.B, c, np.array([DOP853.E5, DOP853.E3]), DOP853.D, stable=6.1)


RK4 = Method("RK4", _classical(), step, read_cubic)
_FIVE = tableau(6, (5, 4), RK45.A, RK45.B, RK45.C, RK45.E[None], RK45.P, stable=3.3, end_in_error=1)
DP5 = Method("DP5", _FIVE, step, read_polynomial)
DP8 = Method("DP8", _eight(), step, read_nested, prepare_nested, room=7)
