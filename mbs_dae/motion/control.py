"""Step sizes: the error of a step, and the length of the next one. Compiled.

The error of the motion is measured for each number against atol · unit + rtol · |y|, and as the mean square of all; the
unit of a length is the model's length, that of an angle is 1 rad, and velocities are per second; that of a state is its
scale. Turn counters are not controlled.

A motion need not depend on works (a driven one does not depend on what moves it), so each must be right for itself. Let
s be the speed, in lengths of the model per second, at which its heaviest part has the energy E = J s² / 2 that is
available to the motion; J is that part's mass times the length squared. If speeds may be off by atol + rtol s, works
may be off by J s times this. Where s is less than atol all that moves may be roundoff: an example is a body that
friction holds under a load.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.status import DONE, NOT_FINITE
from ..coordinates import Layout
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Design, Integers, Vector, Work, zeros
from ..tolerances import FIRST_STEP, POSITION_ROUNDOFF, STEP_FLOOR, TIME_ACCURACY
from .course import moment
from .derivative import derivative, parted, widest_gap
from .mechanism_record import NEAREST, state_layout
from .methods.method import LONGEST, H, Stages, Tableau
from .stabilise import ALWAYS

SAFETY, SHRINK, GROW = 0.8, 0.2, 10.0
"""The part of the step that would just be accepted which is tried; and the least and largest factors between steps."""
NOTHING = 1e-2
"""Errors of less than this, of which roundoff may be a large part, do not predict the growth of the next one."""


class Control(NamedTuple):
    """Tolerances, or the length of fixed steps; and the state of the control."""

    rtol: float
    atol: float
    unit: Design[Vector]
    """The unit of each number of y; infinite for turn counters, and for works, which are measured separately."""
    controlled: int
    """The number of finite units."""
    inertia: Design[float]
    """J, the mass of the heaviest part times the squared length of the model."""
    fixed: float
    """The length of fixed steps, in s; 0 where steps are controlled."""
    most: int
    """The largest number of steps that are tried."""
    step: Work[Vector] = zeros(1)
    """The length of the next step, in s; 0 where a first one is to be chosen."""
    again: Work[Integers] = zeros(1)
    """1 if the last step was rejected."""
    before: Work[Vector] = zeros(2)
    """The length and the error of the last accepted step; 0 where none is known."""
    error: Work[Vector] = zeros(1)
    """The error of the step under way."""


def units_of(system: System) -> tuple[np.ndarray, int, float]:
    """Return the `unit`, `controlled` and `inertia` of a control."""
    layout, unit = system.layout, units_by(system.layout, system.weight, system.length)
    for own in system.model.states:
        if not own.is_held:
            unit[layout.signals[own.symbol]] = system.evaluator(own.scale)
    return unit, int(np.isfinite(unit).sum()), system.heaviest * system.length**2


def units_by(layout: Layout, weight: np.ndarray, length: Any) -> np.ndarray:
    """Return the unit of each number of y, without those of states of the model; for many designs, with a row of
    weights and a length each, a row of units each."""
    state = state_layout(layout)
    velocities = np.sqrt(weight) ** -1 * length
    unit = np.full((*weight.shape[:-1], state.size), np.inf)
    unit[..., state.v_at : state.v_at + velocities.shape[-1]] = velocities
    unit[..., layout.plain[:, 0]] = velocities[..., layout.plain[:, 1]]
    for place, velocity in layout.quaternions:  # half the angle stands in a quaternion
        unit[..., place : place + 4] = 0.5 * velocities[..., velocity : velocity + 1]
    return unit


@compiled
def asks_for_end(march: Any, made: int) -> bool:
    """Return whether to settle the end of a step that was made with this status: not if its error is already known to
    be too large. Put the error into `control`, if it is known."""
    control, tableau = march.control, march.tableau
    if made != DONE or control.fixed > 0.0 or tableau.end_in_error:
        return made == DONE
    control.error[0] = error_norm(control, march.stages, march.stages.now[H], march.turned[0])
    return control.error[0] <= 1.0


@compiled
def judged(march: Any, status: int) -> tuple[int, float]:
    """Return the status of a step with a settled end, and its error, of which 1 is just acceptable."""
    control, tableau, h = march.control, march.tableau, march.stages.now[H]
    if status != DONE or control.fixed > 0.0:
        return status, 0.0
    error = error_norm(control, march.stages, h, march.turned[0]) if tableau.end_in_error else control.error[0]
    return (DONE, error) if np.isfinite(error) else (NOT_FINITE, 0.0)


@compiled
def parted_within(march: Any) -> bool:
    """Return whether rows have come to contradict each other in a step that is too long to tell the time."""
    times, mechanism, h = march.record.times, march.mechanism, march.stages.now[H]
    if march.stabiliser.when == ALWAYS or h <= TIME_ACCURACY * (times[times.size - 1] - times[0]):
        return False
    widest_gap(mechanism)
    return parted(mechanism)


@compiled_apart
def pace(control: Control, stages: Stages) -> float:
    """Return the rate at which the motion changes at the beginning of the step, in 1/s: the largest of velocities over
    their units, and of roots of accelerations over theirs."""
    state, unit, y0, k0 = stages.mechanism.state, control.unit, stages.y0, stages.k[0]
    fastest = most = 0.0
    for at in range(state.v_at, state.v_end):
        fastest, most = max(fastest, abs(y0[at]) / unit[at]), max(most, abs(k0[at]) / unit[at])
    return max(fastest, np.sqrt(most))


@compiled
def shortest_step(times: Vector) -> float:
    """Return the length in s below which a step is roundoff of the time."""
    last = times[times.size - 1]
    return STEP_FLOOR * max(abs(last), abs(last - times[0]))


@compiled
def noise(control: Control, stages: Stages, h: float) -> float:
    """Return the error of velocities by roundoff in a step, in their units.

    At a distance s (a sine) from a pose where the constraints lose rank, roundoff ε of positions is ε/s in the weak
    direction, ε/s² for velocities and ε/s³ for accelerations. Stabilisation takes it away at the end of the step, but
    an estimate of truncation errors cannot see through it, and shorter steps would only stay longer where it is worst.
    """
    mechanism = stages.mechanism
    sine, rate = np.sqrt(mechanism.nearness[NEAREST]), 0.0
    for at in range(mechanism.state.v_at, mechanism.state.v_end):
        rate = max(rate, abs(stages.y0[at]) / control.unit[at])
    return POSITION_ROUNDOFF * rate * (1.0 + h * rate / sine) / sine**2


@compiled_apart
def error_norm(control: Control, stages: Stages, h: float, energy: float) -> float:
    """Return the error of the step, of which 1 is just acceptable: that of the motion, or of a work if that is larger,
    by the estimates in `stages`, with an allowance for roundoff. `energy` is the largest energy available to the motion
    so far."""
    y0, y1, rtol, inertia = stages.y0, stages.y1, control.rtol, control.inertia
    atol = control.atol + noise(control, stages, h)
    first = second = 0.0
    for at in range(y0.size):
        if np.isfinite(control.unit[at]):
            scale = atol * control.unit[at] + rtol * max(abs(y0[at]), abs(y1[at]))
            estimate, other = _estimates(stages, at, scale)
            first += estimate**2
            second += other**2
    error = _combined(first, second, h, control.controlled)
    for at in range(stages.mechanism.state.works_at, y0.size):
        speed = np.sqrt(2.0 * max(energy, abs(y0[at]), abs(y1[at])) / inertia)
        if speed > control.atol:
            estimate, other = _estimates(stages, at, inertia * speed * (atol + rtol * speed))
            error = max(error, _combined(estimate**2, other**2, h, 1))
    return error


@compiled
def _estimates(stages: Stages, at: int, scale: float) -> tuple[float, float]:
    """Return the two estimates of the error of one number of y, over h and the scale; 0 for one that the method does
    not have."""
    return stages.estimate[0, at] / scale, stages.estimate[1, at] / scale


@compiled
def _combined(first: float, second: float, h: float, n: int) -> float:
    """Return the error of n numbers, from the sums of squares of both estimates over h."""
    return h * first / np.sqrt((first + 0.01 * second) * n) if first > 0.0 else 0.0


@compiled_apart
def first_step(control: Control, stages: Stages, t: float) -> float:
    """Return a length for the first step, from the sizes of y, y' and y'' (Hairer, Nørsett and Wanner, II.4): y₀ and k₀
    must stand in `stages`. Where these are near zero it is `FIRST_STEP`; the end of the run has no effect."""
    y0, y1, k = stages.y0, stages.y1, stages.k
    d0, d1 = _size(control, y0, y0), _size(control, y0, k[0])
    h = FIRST_STEP if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    for i in range(y0.size):
        y1[i] = y0[i] + h * k[0, i]
    if derivative(stages.mechanism, moment(stages.course, t + h), y1, k[1]) != DONE:
        return min(h, FIRST_STEP)
    for i in range(y0.size):
        y1[i] = (k[1, i] - k[0, i]) / h
    largest = max(d1, _size(control, y0, y1))
    order = stages.tableau.error_order
    longer = max(FIRST_STEP, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / (order + 1))
    return min(100.0 * h, longer)


@compiled
def _size(control: Control, y: Vector, x: Vector) -> float:
    """Return the norm of x by the tolerances at y."""
    total = 0.0
    for at in range(y.size):
        if np.isfinite(control.unit[at]):
            total += (x[at] / (control.atol * control.unit[at] + control.rtol * abs(y[at]))) ** 2
    return np.sqrt(total / control.controlled)


@compiled
def choose_next(control: Control, stages: Stages, h: float, status: int, error: float, accepted: bool) -> None:
    """Put the length of the next step after one of length h, or of a new trial of the same one, into `control.step`."""
    again = control.again[0] == 1 or not accepted
    factor = 0.25 if status != DONE else factor_of(control, stages.tableau, h, error, again)
    control.step[0] = min(h * factor, stages.now[LONGEST])
    if accepted:
        control.before[0], control.before[1] = h, error


@compiled
def factor_of(control: Control, tableau: Tableau, h: float, error: float, rejected: bool) -> float:
    """Return the factor between the next step and this one, of length h; it is at most 1 right after a rejection.

    With an error of C h^(p + 1) the step should have been error^(-1 / (p + 1)) times as long. Where C grew from the
    step before to this one it is likely to grow on (Gustafsson, 1994). If it did by as much again the next step would
    have to shrink by the ratio of the two lengths, and it is shortened by the root of that. This, and less than the
    full length, is cheaper than what it saves: a step of DP8 that is rejected costs eleven evaluations.
    """
    if error == 0.0:
        return 1.0 if rejected else GROW
    power, before = 1.0 / (tableau.error_order + 1), control.before
    factor = SAFETY * error**-power
    if before[0] > 0.0 and error <= 1.0:
        factor *= np.sqrt(min(h / before[0] * (max(before[1], NOTHING) / error) ** power, 1.0))
    return min(max(SHRINK, factor), 1.0 if rejected else GROW)
