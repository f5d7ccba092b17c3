"""Step sizes: how large an error is, and how long the next step may be. Compiled.

The error is measured number by number against atol · unit + rtol · |y|, and as the mean square of all; the unit of a
length is the model's length, that of an angle is 1 rad, and velocities count per second; that of a state is its scale.
Works are not controlled, and neither are turns, which only count.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.machine import DONE
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Design, Integers, Vector, Work, zeros
from ..tolerances import NOISE
from .course import moment
from .derivative import derivative, state_layout
from .methods.method import Stages

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0


class Control(NamedTuple):
    """Tolerances, or the length of fixed steps; and where the control stands."""

    rtol: float
    atol: float
    unit: Design[Vector]
    """One number for each of y; infinite where it is not controlled."""
    controlled: int
    """How many are."""
    fixed: float
    """The length of steps where they are fixed; 0 where they are controlled."""
    most: int
    """No more steps than this are tried."""
    step: Work[Vector] = zeros(1)
    """How long the next step may be."""
    again: Work[Integers] = zeros(1)
    """Whether the last step was rejected (1)."""


def units_of(system: System) -> tuple[np.ndarray, int]:
    """The unit of each of y, infinite where it is not controlled; and how many are controlled."""
    layout, state = system.layout, state_layout(system.layout)
    velocities = np.sqrt(system.weight) ** -1 * system.length
    unit = np.full(state.size, np.inf)
    unit[state.v_at :][: velocities.size] = velocities
    unit[layout.plain[:, 0]] = velocities[layout.plain[:, 1]]
    for place, velocity in layout.quaternions:
        unit[place : place + 4] = 0.5 * velocities[velocity]  # half the angle stands in a quaternion
    for own in system.model.states:
        if not own.is_held:
            unit[layout.signals[own.symbol]] = system.evaluator(own.scale)
    return unit, int(np.isfinite(unit).sum())


@compiled
def noise(control, stages, h):
    """What roundoff does to velocities in a step, in their unit.

    At a distance s (a sine) from a pose where the constraints lose rank, roundoff ε of positions is ε/s in the weak
    direction, ε/s² for velocities and ε/s³ for accelerations. Stabilisation takes it away at the end of the step, but
    an estimate of truncation errors cannot see through it, and shorter steps would only stay longer where it is worst.
    """
    mechanism = stages.mechanism
    sine, rate = np.sqrt(mechanism.nearness[0]), 0.0
    for at in range(mechanism.state.v_at, mechanism.state.v_end):
        rate = max(rate, abs(stages.y0[at]) / control.unit[at])
    return NOISE * rate * (1.0 + h * rate / sine) / sine**2


@compiled_apart
def error_norm(control: Control, stages: Stages, h: float):
    """The error of the step, 1 being just acceptable; what roundoff does is allowed for."""
    y0, y1, k, n = stages.y0, stages.y1, stages.k, control.controlled
    weights, rows = stages.tableau.error, stages.tableau.stages + 1
    atol = control.atol + noise(control, stages, h)
    first = second = 0.0
    for at in range(y0.size):
        if not np.isfinite(control.unit[at]):
            continue
        scale = atol * control.unit[at] + control.rtol * max(abs(y0[at]), abs(y1[at]))
        for estimate in range(weights.shape[0]):
            e = 0.0
            for stage in range(rows):
                e += weights[estimate, stage] * k[stage, at]
            square = (e / scale) ** 2
            first += square if estimate == 0 else 0.0
            second += square if estimate == 1 else 0.0
    if first == 0.0:
        return 0.0
    return h * first / np.sqrt((first + 0.01 * second) * n)


@compiled_apart
def first_step(control: Control, stages: Stages, t: float, span: float):
    """A length for the first step, from the sizes of y, y' and y'' (Hairer, Nørsett and Wanner, II.4): y₀ and k₀ must
    stand in `stages`."""
    y0, y1, k = stages.y0, stages.y1, stages.k
    d0, d1 = _size(control, y0, y0), _size(control, y0, k[0])
    h = 1e-6 * span if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = min(h, span)
    for i in range(y0.size):
        y1[i] = y0[i] + h * k[0, i]
    if derivative(stages.mechanism, moment(stages.course, t + h), y1, k[1]) != DONE:
        return 1e-6 * span
    for i in range(y0.size):
        y1[i] = (k[1, i] - k[0, i]) / h
    largest = max(d1, _size(control, y0, y1))
    order = stages.tableau.error_order
    longer = max(1e-6 * span, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / (order + 1))
    return min(100.0 * h, longer, span)


@compiled
def _size(control, y, x):
    """x in the norm of the tolerances at y."""
    total = 0.0
    for at in range(y.size):
        if np.isfinite(control.unit[at]):
            total += (x[at] / (control.atol * control.unit[at] + control.rtol * abs(y[at]))) ** 2
    return np.sqrt(total / control.controlled)


@compiled
def factor_of(tableau, error, rejected):
    """By how much the next step may differ; it may not grow right after a rejection."""
    if error == 0.0:
        return 1.0 if rejected else GROW
    factor = max(SHRINK, SAFETY * error ** (-1.0 / (tableau.error_order + 1)))
    return min(factor, 1.0 if rejected else GROW)
