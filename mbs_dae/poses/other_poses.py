"""Other poses of a mechanism: what holds at one pose only, and what is built in."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.machine import DONE, Machine
from . import newton
from .dependence import PoseRank

SAMPLES, STEPS, STEP = 4, 3, 0.1
"""Other poses that are tried; each lies so many steps off, each step of so many model lengths."""
FIRST, CLEAN = 1.0, 0.3
"""How large the correction of a step may be against the step. The first may start on a change point, where most
directions that look free are not."""


def is_momentary(system: System, q: np.ndarray) -> bool:
    """Whether more equations depend on others at this pose than at others."""
    rows = range(len(system.rows))
    here = len(PoseRank(system, 0.0, q).dependent(rows))
    return any(len(PoseRank(system, 0.0, other).dependent(rows)) < here for other in other_poses(system, q))


def other_poses(system: System, q: np.ndarray) -> list[np.ndarray]:
    """Assembled poses some way off, reached by walking along what the joints alone leave free."""
    model = system.model
    bare = model.without(*(d.name for d in model.drivers)).compile()
    machine, random, found = bare.machine(), np.random.default_rng(7), []
    for _ in range(4 * SAMPLES):
        direction = random.standard_normal(bare.nv) / np.sqrt(bare.weight)
        pose = _step_along(bare, machine, q, direction, FIRST)
        for _ in range(STEPS - 1):
            pose = None if pose is None else _step_along(bare, machine, pose, direction, CLEAN)
        if pose is not None:
            found.append(pose)
        if len(found) == SAMPLES:
            break
    return found


def _step_along(
    bare: System, machine: Machine, q: np.ndarray, direction: np.ndarray, correctable: float
) -> np.ndarray | None:
    """A short step along the freedom nearest to a direction; None if there is none, or if closing the gaps again takes
    a correction that is not small against the step: then it may have left the branch."""
    way = PoseRank(bare, 0.0, q).tangent(direction)
    size = float(np.sqrt(bare.weight @ way**2))
    if size < 1e-6:
        return None
    direction[:] = way
    guess = bare.moved(q, STEP * bare.length / size * way)
    closed = guess.copy()
    if newton.close(machine, 0.0, closed, bare.still, 20) != DONE:
        return None
    correction = float(np.sqrt(bare.weight @ bare.between(guess, closed) ** 2))
    return closed if correction < correctable * STEP * bare.length else None
