"""Detection of stiffness: an explicit method whose steps follow a force far faster than the motion. Compiled.

The last stage of a step and its end are two states at the same time, and near each other. The difference of their y'
over the difference of the states is a rate of the system, the largest one in the end (Hairer and Wanner, Solving
Ordinary Differential Equations II, IV.2); so is the root of the difference of accelerations over that of positions.
Where this rate times the step is near the bound of stability for many steps, though bodies move far slower, the system
is stiff for this method; both states are kept, to identify the force.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..linear.vectors import copy
from .control import Control
from .methods.method import Stages

MANY, SOME = 15, 6
"""The first number of steps at the bound is a stiff stretch, unless the second number in a row is not at the bound."""
NEAR = 0.15
"""The part of the bound of stability that counts as near: with a small tolerance the fast force keeps steps below."""
FAST = 30.0
"""The factor by which the rate is faster than the pace of the motion."""
AT, OFF, STEPS = range(3)
TIME, RATE = range(2)


class Stiffness(NamedTuple):
    """The stiff steps of a run."""

    counts: Work[Integers] = zeros(3)
    """The number of steps at the bound since the last stretch of others, the number of others since, and the number of
    all steps in stiff stretches."""
    told: Work[Vector] = zeros(2)
    """The time at which stiffness was first seen, in s, and the rate, in 1/s."""
    y: Work[Vector] = zeros("width")
    """The state at the end of that step."""
    aside: Work[Vector] = zeros("width")
    """The state of the last stage of that step."""


def new_stiffness(stages: Stages) -> Stiffness:
    return block(Stiffness(), width=stages.y0.size)


@compiled
def watch(own: Stiffness, control: Control, stages: Stages, t: float, h: float, pace: float) -> None:
    """Test the step from t of length h, which is good, of a motion of this pace (1/s), for stiffness."""
    tableau, end = stages.tableau, stages.tableau.stages
    if not tableau.stable < np.inf:
        return
    state = stages.mechanism.state
    changed = apart = bent = moved = 0.0
    for k in range(stages.y0.size):
        if control.unit[k] < np.inf:
            rise = ((stages.k[end, k] - stages.k[end - 1, k]) / control.unit[k]) ** 2
            gap = ((stages.y1[k] - stages.between[k]) / control.unit[k]) ** 2
            changed, apart = changed + rise, apart + gap
            if k >= state.v_at:
                bent += rise
            elif k < state.z_at:
                moved += gap
    rate = np.sqrt(max(changed / apart if apart > 0.0 else 0.0, np.sqrt(bent / moved) if moved > 0.0 else 0.0))
    if rate > max(NEAR * tableau.stable / h, FAST * pace):
        own.counts[AT] += 1
        own.counts[OFF] = 0
        if own.counts[AT] == MANY and own.counts[STEPS] == 0:
            own.told[TIME], own.told[RATE] = t, rate
            copy(stages.y1, own.y)
            copy(stages.between, own.aside)
        if own.counts[AT] >= MANY:
            own.counts[STEPS] += MANY if own.counts[AT] == MANY else 1
    else:
        own.counts[OFF] += 1
        if own.counts[OFF] >= SOME:
            own.counts[AT] = 0
