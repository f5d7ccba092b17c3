"""Folds, at which two modes coincide or nearly do so: Newton's method alone fails there, and cannot separate two modes.

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
from ..poses.local import FLAT, Local

NEAR = 1e-4
"""Greatest distance of a vertex from the pose, in lengths of the model."""
STEPS, STILL = 8, 1e-13
ROUNDOFF = 1e-15
"""Heights below this are zero, in lengths of the model; modes that they separate are 1e-7 apart or less."""
RANK = 1e-4
"""Least size of the next singular value at a fold, relative to the largest."""
CLOSED = 1e-8
"""Greatest length of the last step to a mode, in lengths of the model."""


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
    if np.abs(heights).max() < ROUNDOFF * system.length:
        return Fold(vertex, [vertex])
    squared = 2.0 * (bent @ heights) / (bent @ bent)
    if squared < 0.0:
        return Fold(vertex, [])
    aside = np.sqrt(squared) * here.motions(rank)[:, 0]
    both = [_closed(system, time, system.moved(vertex, way)) for way in (aside, -aside)]
    poses = [q for q in both if q is not None]
    return Fold(vertex, poses) if len(poses) == 2 else None


def _vertex(system: System, time: float, q: np.ndarray) -> np.ndarray | None:
    at = q
    for _ in range(STEPS):
        here, rank = Local(system, time, at), system.nv - 1
        sizes = here.parts[1]
        if rank < 1 or len(sizes) <= rank or sizes[rank - 1] < RANK * sizes[0]:
            return None
        if np.abs(here.forms(rank)).max() < FLAT / system.length:
            return None
        way, _ = here.step(rank)
        at = system.moved(at, way)
        if not _length(system, system.between(q, at)) < NEAR * system.length:
            return None
        if _length(system, way) < STILL * system.length:
            break
    return at


def _closed(system: System, time: float, q: np.ndarray) -> np.ndarray | None:
    """Return the mode that Newton's method reaches from next to a nearly singular solution; None if it does not
    converge."""
    for _ in range(STEPS):
        here = Local(system, time, q)
        left, sizes, right = here.parts
        count = system.nv
        way = right[:count].T @ ((left[:, :count].T @ -here.gaps) / sizes[:count]) / np.sqrt(system.weight[:count])
        q = system.moved(q, way)
        if _length(system, way) < STILL * system.length:
            break
    return q if _length(system, way) < CLOSED * system.length else None


def _length(system: System, way: np.ndarray) -> float:
    return float(np.sqrt(system.weight[: system.nv] @ way[: system.nv] ** 2))
