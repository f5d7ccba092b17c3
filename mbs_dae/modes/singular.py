"""Singular poses: folds, at which two modes coincide or nearly do so, and continua of poses.

Newton's method alone fails at a fold, and cannot separate two modes.

The Jacobian has rank n - 1 at such a fold, or nearly so, with the left null vector u. On the curve of poses that
satisfy all other equations, uᵀΦ is a parabola: its vertex, where the slope uᵀΦ_v w along the curve is zero, is regular,
and Newton's method finds it (`Local.step`). At the vertex uᵀΦ has the height c and the second derivative -γ, so the
modes are at

    w s,  s² = 2 c / γ

from the vertex: two, one where c is roundoff, or none that is real.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..errors import MbsError
from ..poses.closing import closed
from ..poses.local import Local, free_motions
from ..tolerances import CLOSED_POSE_DISTANCE, CURVATURE_FLOOR, FOLD_HEIGHT, FOLD_RANK, NEWTON_STEP, VERTEX_DISTANCE

STEPS = 8
"""The greatest number of steps of Newton's method to a singular pose."""
ASIDE = 0.02, 0.002
"""Sizes of steps aside of a pose, in lengths of the model: first a large one, then a small one for short continua."""


class Fold(NamedTuple):
    vertex: np.ndarray
    poses: list[np.ndarray]
    """The real modes: two, one where they coincide, or none."""


def fold_at(system: System, time: float, q: np.ndarray) -> Fold | None:
    """Return the fold next to a pose; None where there is none, or no simple one."""
    vertex = _vertex(system, time, q)
    if vertex is None:
        return None
    here, rank = Local(system, time, vertex), system.nv - 1
    bent, heights = here.forms(rank)[:, 0, 0], here.parts[0][:, rank:].T @ here.gaps
    if np.abs(heights).max() < FOLD_HEIGHT * system.length:
        return Fold(vertex, [vertex])
    squared = 2.0 * (bent @ heights) / (bent @ bent)
    if squared < 0.0:
        return Fold(vertex, [])
    aside = np.sqrt(squared) * here.motions(rank)[:, 0]
    ends = [_mode_from(system, time, system.moved(vertex, step)) for step in (aside, -aside)]
    poses = [q for q in ends if q is not None]
    return Fold(vertex, poses) if len(poses) == 2 else None


def _vertex(system: System, time: float, q: np.ndarray) -> np.ndarray | None:
    at = q
    for _ in range(STEPS):
        here, rank = Local(system, time, at), system.nv - 1
        sizes = here.parts[1]
        if rank < 1 or len(sizes) <= rank or sizes[rank - 1] < FOLD_RANK * sizes[0]:
            return None
        if np.abs(here.forms(rank)).max() < CURVATURE_FLOOR / system.length:
            return None
        step, _ = here.step(rank)
        at = system.moved(at, step)
        if not _length(system, system.between(q, at)) < VERTEX_DISTANCE * system.length:
            return None
        if _length(system, step) < NEWTON_STEP * system.length:
            break
    return at


def _mode_from(system: System, time: float, q: np.ndarray) -> np.ndarray | None:
    """Return the mode that Newton's method reaches from next to a nearly singular solution; None if it does not
    converge."""
    for _ in range(STEPS):
        here = Local(system, time, q)
        left, sizes, right = here.parts
        count = system.nv
        step = right[:count].T @ ((left[:, :count].T @ -here.gaps) / sizes[:count]) / np.sqrt(system.weight[:count])
        q = system.moved(q, step)
        if _length(system, step) < NEWTON_STEP * system.length:
            break
    return q if _length(system, step) < CLOSED_POSE_DISTANCE * system.length else None


def _length(system: System, step: np.ndarray) -> float:
    return float(np.sqrt(system.weight[: system.nv] @ step[: system.nv] ** 2))


def dimension_at(system: System, time: float, q: np.ndarray) -> int:
    """Return the dimension of the set of poses about a closed pose. The equations leave motions free there, some of
    them infinitesimal only. Where a random free motion can be closed again without going back, there are other poses
    near by, and the free motions are counted there."""
    free = free_motions(system, time, q)
    if not free.shape[1]:
        return 0
    random = np.random.default_rng(0)
    return next((n for aside in ASIDE if (n := _motions_aside(system, time, q, free, random, aside))), 0)


def _motions_aside(
    system: System, time: float, q: np.ndarray, free: np.ndarray, random: np.random.Generator, aside: float
) -> int:
    """Return the greatest number of free motions in poses this far from q; 0 where there are none."""
    best = 0
    for _ in range(2 * free.shape[1] + 2):
        motion = free @ random.normal(size=free.shape[1])
        step = aside * system.length * motion / np.linalg.norm(motion) / np.sqrt(system.weight)
        try:
            pose = closed(system, system.machine(), time, system.moved(q, step))
        except MbsError:
            continue
        far = np.linalg.norm(np.sqrt(system.weight) * system.between(q, pose))
        if 0.5 < far / (aside * system.length) < 2.0:
            best = max(best, free_motions(system, time, pose).shape[1])
    return best
