"""From the generic member to the model: one path from each of its solutions, and what is found at their ends.

Some paths end at regular solutions. Others lead away to infinity, where a special model has fewer solutions than
generic ones; or to where the equations are singular: several solutions run into one, or there is a continuum of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .equations.closure import Closure
from .generic import Generic
from .monodromy import SAME, new_ones
from .paths import DONE, PLAIN, Ends, newton, track

REAL = 1e-7
"""Imaginary parts of a solution that are less, relative to it, are roundoff."""
HOLDS = 1e-7
"""Residuals that are less, in lengths of the model, are nil: of equations that were left out as redundant."""
REGULAR = 1e-6
"""Singular values of the Jacobian, against the largest one and the size of the solution, below which it does not stand
alone: one that is far away turns by little when it moves by much."""
AWAY = 1e3
"""Paths that stick next to their end are on their way to infinity when they are so many lengths of the model away, and
not yet so far that their pole is seen."""
ONE = 1e-8
"""Signatures of regular ends that differ by less, relative to their size, are of one solution: two that are about to
run into one are sharp to roundoff over `REGULAR`."""
FOLDED = 1e-3
"""Where two paths end in one regular solution, one of them has gone over from another; that is next to it, if its
singular values are less than this."""
POLE = 0.7
"""So near to the end, in parts of what is left of the way, is the pole of a path that leads to infinity there: within
0.6 in all that were looked at, where they were 1e6 lengths away. Of one that is far away because it passes a pole by,
the pole is next to where it is, 0.85 or more from the end."""
LAST = 1e-6
"""What is nearer to the end than this is the end."""
LATE = 0.999
"""What stops a path before is not where it leads, but what it passes by chance; another way passes it by."""
RETRIES = 8


@dataclass(frozen=True, eq=False)
class Found:
    """What the paths led to."""

    regular: np.ndarray
    """All isolated solutions, columns."""
    singular: np.ndarray
    """Where paths came to singular places, as near as they came."""
    at_infinity: int
    lost: int
    """Paths that ended for no known reason, or where another one did; then solutions may be missing."""


def is_real(x: np.ndarray) -> bool:
    return bool(np.abs(x.imag).max(initial=0.0) < REAL * max(1.0, np.abs(x).max(initial=0.0)))


def ends_of(generic: Generic, closure: Closure) -> Found:
    """The solutions of a model of the same structure."""
    family, numbers = generic.family, closure.values.astype(complex)
    ends = _tracked(generic, numbers)
    still = np.zeros(ends.x.shape[1])
    way = family.between(numbers, numbers, still, still)
    done, apart = ends.status == DONE, family.closure
    x = ends.x.copy()
    if done.any():
        x[:, done], _ = newton(family.between(numbers, numbers, still[done], still[done]), x[:, done], 1.0, 3)
    size = way.size(x)
    sharp = _conditions(way, x) * size
    twice = _doubled(family.signature(x), done & (sharp > REGULAR), ONE)
    regular = done & (sharp > np.where(twice, FOLDED, REGULAR))
    late = ends.s > LATE
    infinite = ~regular & np.where(_seen(ends), _leaving(ends), late & (size > AWAY))
    singular = ~regular & ~infinite & late & ~_seen(ends)
    distinct = np.flatnonzero(regular)[new_ones(family, x[:, :0], x[:, regular], ONE)]
    lost = x.shape[1] - int(infinite.sum() + singular.sum()) - distinct.size
    residuals = np.abs(apart.evaluate(x, numbers[:, None])[0]).max(axis=1, initial=0.0)
    holds = residuals < HOLDS * max(1.0, apart.system.length) * size
    return Found(x[:, distinct[holds[distinct]]], x[:, singular], int(infinite.sum()), lost)


def _conditions(way: object, x: np.ndarray) -> np.ndarray:
    """The least singular value of the Jacobian of each against its largest, rows and columns scaled."""
    with np.errstate(all="ignore"):
        _, J = way.evaluate(x, np.ones(x.shape[1]), np.arange(x.shape[1]))  # type: ignore[attr-defined]
        J = J * way.family.closure.scale  # type: ignore[attr-defined]
        J = J / np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300)
        J = np.where(np.isfinite(J), J, 0.0)
    values = np.linalg.svd(J, compute_uv=False)
    return values[:, -1] / np.maximum(values[:, 0], 1e-300)


def _tracked(generic: Generic, numbers: np.ndarray) -> Ends:
    """Straight ways. Where some stick before their end, all go again another way, since ends of two different ways need
    not be of different paths; those that run into another one go again in smaller steps."""
    family, random = generic.family, np.random.default_rng(generic.seed + 1)
    still = np.zeros(generic.count)
    bend = still.astype(complex)
    best = track(family.between(generic.numbers, numbers, still, bend), generic.x)
    for _ in range(RETRIES):
        if not _stopped(best).any():
            break
        other = np.full(generic.count, complex(*random.normal(size=2)))
        ends = track(family.between(generic.numbers, numbers, still, other), generic.x)
        if _stopped(ends).sum() < _stopped(best).sum():
            best, bend = ends, other
    twice = np.flatnonzero(_doubled(family.signature(best.x), best.status == DONE, SAME))
    if twice.size:
        way = family.between(generic.numbers, numbers, still[twice], bend[twice])
        again = track(way, generic.x[:, twice], PLAIN.tighter())
        best.x[:, twice], best.status[twice], best.s[twice], best.poles[twice] = again
    return best


def _stopped(ends: Ends) -> np.ndarray:
    """Those that pass something by: another way does not."""
    return (ends.status != DONE) & np.where(_seen(ends), ~_leaving(ends), ends.s < LATE)


def _seen(ends: Ends) -> np.ndarray:
    """Whether the pole of a path is."""
    return ~np.isnan(ends.poles)


def _leaving(ends: Ends) -> np.ndarray:
    """Those that go to infinity at the end of their way, though they do not get there."""
    return (ends.status != DONE) & (np.abs(ends.poles - 1.0) < POLE * (1.0 - ends.s) + LAST)


def _doubled(signatures: np.ndarray, among: np.ndarray, same: float) -> np.ndarray:
    """Those with another one at the same place."""
    at, out = np.flatnonzero(among), np.zeros(among.size, dtype=bool)
    if at.size < 2:
        return out
    own = signatures[:, at].T
    far = np.abs(own[:, None] - own[None]).max(axis=2)
    np.fill_diagonal(far, np.inf)
    out[at] = far.min(axis=1) <= same * np.maximum(1.0, np.abs(own).max(axis=1))
    return out
