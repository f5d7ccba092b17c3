"""Whether the steps of an explicit method follow a force that is far faster than the motion. Compiled.

The last stage of a step and its end are two states at the same time, and near each other. What y' differs by there,
over what they differ by, is a rate of the system, the largest one in the end (Hairer and Wanner, Solving Ordinary
Differential Equations II, IV.2); so is the root of what accelerations differ by over positions. Where it times the step
is near the bound of stability, though bodies move far slower, for many steps, the system is stiff for this method; both
states are kept, to tell which force it is.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..linear.vectors import copy
from .methods.method import Stages

MANY, SOME = 15, 6
"""So many steps at the bound are a stiff stretch, if there are not so many in a row that are not."""
NEAR = 0.15
"""So near the bound: what a small tolerance sees of the fast force keeps steps below."""
FAST = 30.0
"""So much faster than the pace of the motion."""
AT, OFF, STEPS = range(3)
TIME, RATE = range(2)


class Stiffness(NamedTuple):
    """What was seen of it."""

    counts: Work[Integers] = zeros(3)
    """Steps at the bound, since the last stretch of others, and how many these are; and all at the bound in stiff
    stretches."""
    told: Work[Vector] = zeros(2)
    """When this was seen first, and the rate."""
    y: Work[Vector] = zeros("width")
    aside: Work[Vector] = zeros("width")


def new_stiffness(stages: Stages) -> Stiffness:
    return block(Stiffness(), width=stages.y0.size)


@compiled
def watch(own, control, stages, t, h, pace):
    """After a step that is good, of a motion of this pace (1/s)."""
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
