"""Singular ends: several solutions in one place, or a continuum of them, and of how many dimensions."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import MbsError
from ..poses.closing import closed
from ..poses.freedom import free_motions

ASIDE = 0.02, 0.002
"""How far it is looked beside a pose, in lengths of the model: first far, then near, where a continuum is short."""


def dimension_at(system: System, time: float, q: np.ndarray) -> int:
    """How many dimensions the set of poses has about a closed pose: of the motions that the equations leave free there,
    some are infinitesimal only. Where a step along a random one can be closed again without going back, there are
    others beside it, and there the free motions are counted."""
    free = free_motions(system, time, q)
    if not free.shape[1]:
        return 0
    random = np.random.default_rng(0)
    return next((n for aside in ASIDE if (n := _beside(system, time, q, free, random, aside))), 0)


def _beside(
    system: System, time: float, q: np.ndarray, free: np.ndarray, random: np.random.Generator, aside: float
) -> int:
    """The most free motions in poses so far beside one; 0 where there are none."""
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
