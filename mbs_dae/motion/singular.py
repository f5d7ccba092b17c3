"""Crossing singular poses on purpose. Compiled.

Where the constraints lose rank the motion is smooth, but its accelerations cannot be computed: at a distance s (a sine)
they are roundoff over s³. A Runge-Kutta step evaluates them at its nodes only. So it crosses safely if the pose falls
into the middle of the widest gap between its nodes, and by luck otherwise. Four measures are taken:

- *Predict.* The sine goes to zero like a smooth function of time: three values in one step give the time of the pose.
- *Aim.* Steps are chosen, never longer than their errors allow, such that one of them has the pose in its gap.
- *Close.* Stages are off the constraints by a low power of the step, with an effect over s² on accelerations. A
  crossing whose error is too large is tried again with its stages put back onto the constraints.
- *Judge.* A crossing with a node near the pose all the same is tried again, aimed at the pose as located by that node;
  and so is one whose energy balance fails, which depends on no accelerations.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled.dynamics import KINETIC, POTENTIAL
from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, zeros
from ..symbolic.loads import DISSIPATED, STORED, SUPPLIED
from ..tolerances import BLUNT_SINE, ENERGY_ERROR, ENERGY_ROUNDOFF, NODE_SINE, SINGULAR_INDEPENDENCE, STEPS_AHEAD
from .control import noise
from .mechanism_record import NEAREST
from .methods.method import Stages, Tableau

NOWHERE = np.inf
"""The time to the next singular pose, where none is in sight."""
TRIES = 4
"""The largest number of trials of a step because nodes are badly placed."""


class Crossing(NamedTuple):
    """The next singular pose, and the data by which a step that crosses it is judged."""

    wait: Work[Vector] = zeros(1)
    """The time from the present to the pose, in s."""
    closed: Work[Integers] = zeros(1)
    """1 if stages are put onto the constraints."""
    tries: Work[Integers] = zeros(1)
    """The number of trials of the present step with nodes badly placed."""
    energy: Work[Vector] = zeros(2)
    """The energy at the beginning of the step and at its end, works included."""


@compiled
def foretell(stages: Stages, h: float) -> float:
    """Return the time from the end of a step to the loss of rank: the root of the parabola through the sines at its
    start, at a node and at its end. NOWHERE if they do not fall, or the method has no node inside."""
    tableau = stages.tableau
    c = tableau.c[tableau.inner]
    if c == 0.0:
        return NOWHERE
    first, inner, last = stages.sines[0], stages.sines[tableau.inner], stages.sines[tableau.stages]
    line = first + (inner - first) / c  # a straight line at the end: below zero if the pose is behind
    if last > BLUNT_SINE or last >= inner or abs(line + last) < abs(line - last):
        return NOWHERE
    slope = (last - inner) / (1.0 - c)
    bend = slope - (inner - first) / c  # half the second derivative
    slope += (1.0 - c) * bend  # at the end
    square = slope * slope - 4.0 * bend * last
    if square < 0.0 or slope >= 0.0:
        return NOWHERE
    return h * 2.0 * last / (np.sqrt(square) - slope)


@compiled
def look_ahead(crossing: Crossing, stages: Stages, h: float) -> None:
    """Prepare the next step after one of length h: predict the time to the pose, and carry over energy and sine."""
    crossing.wait[0] = foretell(stages, h)
    crossing.tries[0] = crossing.closed[0] = 0
    crossing.energy[0] = crossing.energy[1]
    stages.sines[0] = stages.sines[stages.tableau.stages]


@compiled
def aimed(tableau: Tableau, wait: float, h: float) -> float:
    """Return the longest step, of at most h, of which a whole number leads to a step that has the pose in its gap."""
    if wait > STEPS_AHEAD * h or wait <= 0.5 * tableau.c[1] * h:
        return h
    before = max(np.ceil(wait / h - tableau.middle), 0.0)
    return wait / (before + tableau.middle)


@compiled
def worst_node(stages: Stages) -> int:
    """Return the node nearest to a singular pose, if it is badly placed, or -1."""
    sines, end, nearest = stages.sines, stages.tableau.stages, 0
    for node in range(1, end + 1):
        if sines[node] < sines[nearest]:
            nearest = node
    return nearest if sines[nearest] < NODE_SINE * max(sines[0], sines[end]) else -1


@compiled
def energy_of(scalars: Vector, works: Vector) -> float:
    """Return the energy that is conserved: kinetic + potential + stored + dissipated - supplied."""
    return scalars[KINETIC] + scalars[POTENTIAL] + works[STORED] + works[DISSIPATED] - works[SUPPLIED]


@compiled
def adds_up(crossing: Crossing, scalars: Vector, tolerance: float) -> bool:
    """Return whether the step has conserved the energy, up to a multiple of the effect of `tolerance`, the relative
    error of velocities."""
    roundoff = ENERGY_ROUNDOFF * (abs(scalars[POTENTIAL]) + abs(scalars[KINETIC]))
    allowed = ENERGY_ERROR * 2.0 * scalars[KINETIC] * tolerance + roundoff
    return abs(crossing.energy[1] - crossing.energy[0]) <= allowed


@compiled
def plan_anew(march: Any, accepted: bool, pace: float, h: float) -> bool:
    """Plan anew a step that crosses a singular pose badly, and return whether it does: aimed at its worst node (`wait`,
    one of the `tries`), with `closed` stages, or half as long (`control.step`). The motion's pace is in 1/s."""
    crossing, control, mechanism, stages = march.crossing, march.control, march.mechanism, march.stages
    if mechanism.nearness[NEAREST] > SINGULAR_INDEPENDENCE:
        return False
    node = worst_node(stages)
    if node > 0 and crossing.tries[0] < TRIES and noise(control, stages, h) > control.atol:
        crossing.wait[0] = march.tableau.c[node] * h if node < march.tableau.stages else h
        crossing.tries[0] += 1
        return True
    if accepted and adds_up(crossing, march.record.end_scalars, control.rtol + control.atol / pace):
        return False
    if crossing.closed[0] == 0 and crossing.wait[0] < h:
        crossing.closed[0] = 1
        return True
    if accepted:
        control.step[0] = 0.5 * h
    return accepted
