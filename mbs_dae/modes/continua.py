"""Dimension of the set of poses at singular ends of paths: isolated solutions, or a continuum."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import MbsError
from ..poses.closing import closed
from ..poses.local import free_motions

ASIDE = 0.02, 0.002
"""Sizes of steps aside of a pose, in lengths of the model: first a large one, then a small one for short continua."""


def dimension_at(system: System, time: float, q: np.ndarray) -> int:
    """Return the dimension of the set of poses about a closed pose. The equations leave motions free there, some of
    them infinitesimal only. Where a random free motion can be closed again without going back, there are other poses
    near by, and the free motions are counted there."""
    free = free_motions(system, time, q)
    if not free.shape[1]:
        return 0
    random = np.random.default_rng(0)
    return next((n for aside in ASIDE if (n := _beside(system, time, q, free, random, aside))), 0)


def _beside(
    system: System, time: float, q: np.ndarray, free: np.ndarray, random: np.random.Generator, aside: float
) -> int:
    """Return the greatest number of free motions in poses this far from q; 0 where there are none."""
    best = 0
    for _ in range(2 * free.shape[1] + 2):
        way = free @ random.normal(size=free.shape[1])
        step = aside * system.length * way / np.linalg.norm(way) / np.sqrt(system.weight)
        try:
            beside = closed(system, system.machine(), time, system.moved(q, step))
        except MbsError:
            continue
        far = np.linalg.norm(np.sqrt(system.weight) * system.between(q, beside))
        if 0.5 < far / (aside * system.length) < 2.0:
            best = max(best, free_motions(system, time, beside).shape[1])
    return best
