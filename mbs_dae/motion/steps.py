"""One step of an explicit Runge-Kutta method, and reading between its ends. Compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.machine import DONE
from ..compiled.manifold import restore
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector, Work, block
from .course import Course, moment
from .derivative import Mechanism, derivative
from .stabilise import project
from .tableaus import NESTED, POLYNOMIAL, Tableau


class Stages(NamedTuple):
    """Work space of a step: y₀, y₁, the k of all stages, and what reading between needs."""

    y0: Work[Vector]
    y1: Work[Vector]
    between: Work[Vector]
    k: Work[Matrix]
    dense: Work[Matrix]
    sines: Work[Vector]
    """By how much the constraints are independent at every stage, and at the end."""


def new_stages(tableau: Tableau, width: int) -> Stages:
    rows = tableau.a.shape[1]
    y0, y1, between = np.zeros((3, width))
    return block(Stages(y0, y1, between, k=np.zeros((rows, width)), dense=np.zeros((7, width)), sines=np.ones(rows)))


@compiled
def combine(y, h, weights, count, k, out):
    """out = y + h Σ weightsⱼ kⱼ, over the first `count` stages."""
    for i in range(y.size):
        out[i] = y[i]
    for j in range(count):
        w = h * weights[j]
        if w != 0.0:
            kj = k[j]
            for i in range(y.size):
                out[i] += w * kj[i]


@compiled_apart
def take_step(mechanism: Mechanism, tableau: Tableau, course: Course, stages: Stages, t: float, h: float, closed: bool):
    """y₁ from y₀ and k₀ = f(t, y₀), which must stand in `stages`; `closed`: with stages put onto the constraints."""
    at_v, at_work, y = mechanism.q_size, mechanism.q_size + mechanism.v_size, stages.between
    for s in range(1, tableau.stages):
        now = moment(course, t + tableau.c[s] * h)
        combine(stages.y0, h, tableau.a[s], s, stages.k, y)
        if closed:
            restore(mechanism.machine.manifold, y[:at_v])
            status = project(mechanism, now, y[:at_v], y[at_v:at_work])
            if status != DONE:
                return status
        status = derivative(mechanism, now, y, stages.k[s])
        if status != DONE:
            return status
        stages.sines[s] = np.sqrt(mechanism.nearness[2])
    stages.sines[tableau.stages] = stages.sines[tableau.stages - 1]
    combine(stages.y0, h, tableau.b, tableau.stages, stages.k, stages.y1)
    return DONE


@compiled_apart
def prepare_dense(mechanism: Mechanism, tableau: Tableau, course: Course, stages: Stages, t: float, h: float):
    """What `read_dense` needs besides the step itself. DP8 takes three more stages."""
    y0, y1, k, dense = stages.y0, stages.y1, stages.k, stages.dense
    if tableau.dense_kind != NESTED:
        return DONE
    end = tableau.stages
    for s in range(end + 1, tableau.a.shape[0]):
        combine(y0, h, tableau.a[s], s, k, stages.between)
        status = derivative(mechanism, moment(course, t + tableau.c[s] * h), stages.between, k[s])
        if status != DONE:
            return status
    for i in range(y0.size):
        rise = y1[i] - y0[i]
        dense[0, i] = rise
        dense[1, i] = h * k[0, i] - rise
        dense[2, i] = 2.0 * rise - h * (k[end, i] + k[0, i])
        for row in range(4):
            total = 0.0
            for s in range(tableau.a.shape[0]):
                total += tableau.dense[row, s] * k[s, i]
            dense[3 + row, i] = h * total
    return DONE


@compiled_apart
def read_dense(tableau: Tableau, stages: Stages, h: float, x: float, out: Vector):
    """y at t₀ + x h, between both ends of the step."""
    y0, k, dense = stages.y0, stages.k, stages.dense
    for i in range(y0.size):
        out[i] = y0[i]
    if tableau.dense_kind == NESTED:
        for i in range(y0.size):
            value = 0.0
            for row in range(6, -1, -1):
                value = (value + dense[row, i]) * (x if row % 2 == 0 else 1.0 - x)
            out[i] += value
    elif tableau.dense_kind == POLYNOMIAL:
        for s in range(tableau.dense.shape[0]):
            weight = 0.0
            for power in range(3, -1, -1):
                weight = (weight + tableau.dense[s, power]) * x
            for i in range(y0.size):
                out[i] += h * weight * k[s, i]
    else:  # the cubic through both ends and their slopes
        end = tableau.stages
        for i in range(y0.size):
            rise = stages.y1[i] - y0[i]
            first, last = h * k[0, i], h * k[end, i]
            out[i] += x * (first + x * (3.0 * rise - 2.0 * first - last + x * (first + last - 2.0 * rise)))
