"""Crossing a singular pose on purpose. Compiled.

Where the constraints lose rank the motion is smooth, but its accelerations cannot be computed: at a distance s (a sine)
they are roundoff over s³. A Runge-Kutta step asks for them at its nodes c only, so it crosses safely if the pose falls
into the middle of the widest gap between its nodes, and unsafely if a node stands on it. When the pose comes is
foretold from the sines of the last step, which go to zero like a smooth function of time.
"""

from __future__ import annotations

import numpy as np

from ..kernels.abi import compiled_part

NOWHERE = np.inf
"""When the next singular pose comes where none is in sight."""
FORESIGHT = 3.0
"""From how many steps ahead steps are chosen so that the last one crosses well."""
BLUNT = 0.7
"""Sines above this tell nothing about a singular pose: they need not go on as they are."""


@compiled_part
def foretell(tableau, stages, h):
    """How long after the end of the last step the constraints lose rank, from the sines at its start, at a node and at
    its end: the root of the parabola through them. NOWHERE if they do not fall."""
    c = tableau.c[tableau.inner]
    first, inner, last = stages.sines[0], stages.sines[tableau.inner], stages.sines[tableau.stages]
    ahead = first + (inner - first) / c  # where a straight line would be: below zero, if the pose is behind
    if last > BLUNT or last >= inner or abs(ahead + last) < abs(ahead - last):
        return NOWHERE
    slope = (last - inner) / (1.0 - c)
    bend = (slope - (inner - first) / c)  # half the second derivative, times h²
    slope += (1.0 - c) * bend  # at the end
    root = slope * slope - 4.0 * bend * last
    if root < 0.0 or slope >= 0.0:
        return NOWHERE
    return h * 2.0 * last / (np.sqrt(root) - slope)


@compiled_part
def aimed(tableau, wait, h):
    """The longest step, of at most h, such that some more of its length have the pose that is `wait` ahead in the gap of
    the last one."""
    if wait > FORESIGHT * h or wait <= 0.5 * tableau.c[1] * h:
        return h
    before = max(np.ceil(wait / h - tableau.middle), 0.0)
    return wait / (before + tableau.middle)
