"""Paths from each solution of the generic member to the model, and a classification of their ends.

Some paths end at regular solutions. Others lead to infinity, where a special model has fewer solutions than generic
ones, or to singular solutions: several solutions coincide, or there is a continuum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tolerances import (
    PATH_JUMP,
    POLE_TOLERANCE,
    REAL_SOLUTION,
    REDUNDANT_RESIDUAL,
    SAME_END,
    SAME_SIGNATURE,
    SOLUTION_REGULARITY,
)
from .closure import ClosureSystem, Homotopy
from .generic import Generic
from .monodromy import new_ones
from .paths import DONE, PLAIN, TrackEnds, newton, track

AWAY = 1e3
"""Paths that stick next to their end lead to infinity if they are farther away than this, in lengths of the model, and
not yet so far that their pole is known."""
POLE = 0.7
"""A path leads to infinity at its end if its pole is nearer to the end than this part of the remaining way: the part
was below 0.6 in all examples, 1e6 lengths away. If a path passes a pole by, the pole is next to the present place, 0.85
or more from the end."""
LATE = 0.999
"""A path that stops earlier is stopped by a singularity near its way by chance; another way avoids the singularity."""
RETRIES = 8


@dataclass(frozen=True, eq=False)
class PathEnds:
    """Solutions and counts at the ends of paths."""

    regular: np.ndarray
    """All isolated solutions, as columns."""
    singular: np.ndarray
    """The last points of paths to singular solutions, as columns."""
    at_infinity: int
    lost: int
    """Number of paths that ended for no known reason, or in the end of another path; then solutions may be missing."""


def is_real(x: np.ndarray) -> bool:
    return bool(np.abs(x.imag).max(initial=0.0) < REAL_SOLUTION * max(1.0, np.abs(x).max(initial=0.0)))


def ends_of(generic: Generic, closure: ClosureSystem) -> PathEnds:
    """Return the solutions of a model with the structure of the generic member."""
    family, numbers = generic.family, closure.values.astype(complex)
    ends = _track(generic, numbers)
    still = np.zeros(ends.x.shape[1])
    homotopy = family.between(numbers, numbers, still, still)
    done, equations = ends.status == DONE, family.closure
    x = ends.x.copy()
    if done.any():
        x[:, done], _ = newton(family.between(numbers, numbers, still[done], still[done]), x[:, done], 1.0, 3)
    size = homotopy.size(x)
    sharp = _conditions(homotopy, x) * size
    twice = _coincident(family.signature(x), done & (sharp > SOLUTION_REGULARITY), SAME_END)
    regular = done & (sharp > np.where(twice, PATH_JUMP, SOLUTION_REGULARITY))
    late = ends.s > LATE
    infinite = ~regular & np.where(_has_pole(ends), _diverges(ends), late & (size > AWAY))
    singular = ~regular & ~infinite & late & ~_has_pole(ends)
    distinct = np.flatnonzero(regular)[new_ones(family, x[:, :0], x[:, regular], SAME_END)]
    lost = x.shape[1] - int(infinite.sum() + singular.sum()) - distinct.size
    residuals = np.abs(equations.evaluate(x, numbers[:, None])[0]).max(axis=1, initial=0.0)
    holds = residuals < REDUNDANT_RESIDUAL * max(1.0, equations.system.length) * size
    return PathEnds(x[:, distinct[holds[distinct]]], x[:, singular], int(infinite.sum()), lost)


def _conditions(homotopy: Homotopy, x: np.ndarray) -> np.ndarray:
    """Return the ratio of the least to the largest singular value of each Jacobian, with rows and columns scaled."""
    with np.errstate(all="ignore"):
        _, J = homotopy.evaluate(x, np.ones(x.shape[1]), np.arange(x.shape[1]))
        J = J * homotopy.family.closure.scale
        J = J / np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300)
        J = np.where(np.isfinite(J), J, 0.0)
    values = np.linalg.svd(J, compute_uv=False)
    return values[:, -1] / np.maximum(values[:, 0], 1e-300)


def _track(generic: Generic, numbers: np.ndarray) -> TrackEnds:
    """Return the ends of paths along straight ways. Where some stick before their end, all are repeated along another
    way, since ends of two different ways need not belong to different paths; paths with coinciding ends are repeated in
    smaller steps."""
    family, random = generic.family, np.random.default_rng(generic.seed + 1)
    still = np.zeros(generic.count)
    bend = still.astype(complex)
    best = track(family.between(generic.numbers, numbers, still, bend), generic.x)
    for _ in range(RETRIES):
        if not _is_stuck(best).any():
            break
        other = np.full(generic.count, complex(*random.normal(size=2)))
        ends = track(family.between(generic.numbers, numbers, still, other), generic.x)
        if _is_stuck(ends).sum() < _is_stuck(best).sum():
            best, bend = ends, other
    twice = np.flatnonzero(_coincident(family.signature(best.x), best.status == DONE, SAME_SIGNATURE))
    if twice.size:
        homotopy = family.between(generic.numbers, numbers, still[twice], bend[twice])
        again = track(homotopy, generic.x[:, twice], PLAIN.tighter())
        best.x[:, twice], best.status[twice], best.s[twice], best.poles[twice] = again
    return best


def _is_stuck(ends: TrackEnds) -> np.ndarray:
    """Return which paths are stopped by a singularity near their way, which another way avoids."""
    return (ends.status != DONE) & np.where(_has_pole(ends), ~_diverges(ends), ends.s < LATE)


def _has_pole(ends: TrackEnds) -> np.ndarray:
    """Return for which paths a pole is known."""
    return ~np.isnan(ends.poles)


def _diverges(ends: TrackEnds) -> np.ndarray:
    """Return which paths lead to infinity at the end of their way, although they stop before."""
    return (ends.status != DONE) & (np.abs(ends.poles - 1.0) < POLE * (1.0 - ends.s) + POLE_TOLERANCE)


def _coincident(signatures: np.ndarray, among: np.ndarray, same: float) -> np.ndarray:
    """Return which of the solutions `among` coincide with another one."""
    at, out = np.flatnonzero(among), np.zeros(among.size, dtype=bool)
    if at.size < 2:
        return out
    columns = signatures[:, at].T
    far = np.abs(columns[:, None] - columns[None]).max(axis=2)
    np.fill_diagonal(far, np.inf)
    out[at] = far.min(axis=1) <= same * np.maximum(1.0, np.abs(columns).max(axis=1))
    return out
