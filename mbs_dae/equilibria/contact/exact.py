"""Forces within cones of friction: find them, or prove that there are none.

    r + A x = 0,      D x ≥ h

D x ≥ h are planes that touch the cones: in the plane a cone is two of them, in space more and more are taken, where a
solution lies outside its cone. The least of all balancing forces, x = x₀ + N y, is found by `least`. Where there is
none, there are w ≥ 0 with Nᵀ Dᵀ w = 0 and w·(h - D x₀) = 1. Then Dᵀ w = Aᵀ z, and z is a motion that no forces within
the cones hinder: r·z - h·w = 1, so the unbalanced forces do more work along z than given friction takes.

A margin or a load is found by bisection between a value that holds the pose and one that does not, however large the
forces become: the limit of a wedge is one of directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import EquilibriumError
from ...tolerances import RANK
from .forces import HOLDS, MOST, SURE, Cone, Forces
from .least import least_distance

SHARP = 1e-12
SLACKS = 0.0, SHARP, HOLDS
"""Slacks by which forces may miss their bounds, relative to the effort of all forces: none, roundoff, the error of
poses."""
CLOSE = 1e-13
"""Relative width at which a bisection ends."""
MIGHT = 1e-3
"""A slack changes a margin by less than this part, unless bodies would be on an edge without the slack."""
FARTHEST = 1e15
"""A load that is held up to this many units is held without end."""
ROUNDS = 100

Least = Callable[[np.ndarray, np.ndarray], np.ndarray | None]
"""The least x with D x ≥ h, the rows of D of length 1; None if there is none."""
Ways = dict[int, np.ndarray]
"""The directions along which planes touch each cone."""


def within(forces: Forces, cones: Sequence[Cone], slack: float = HOLDS, known: Ways | None = None) -> np.ndarray | None:
    """Return the least forces within these cones, up to a slack; None if there are none. Directions of new planes are
    added to `known` in place, because the next problem is similar."""
    x, N = forces.balancing
    if np.linalg.norm(forces.unbalanced + forces.A @ x) > HOLDS:
        return None

    def least(D: np.ndarray, h: np.ndarray) -> np.ndarray | None:
        along = D @ N
        along[np.linalg.norm(along, axis=1) <= SHARP] = 0.0  # no remaining freedom y changes these
        y, _ = least_distance(along, h - D @ x - slack)
        return None if y is None else x + N @ y

    return _touching(cones, least, slack, {} if known is None else known, x.size)


def remaining(forces: Forces, m: float) -> np.ndarray:
    """Return the least residual p of the balance with forces within the cones of this m: x = x₀ + A⁺ p + N y, where y
    has a negligible weight. The cones of joints whose direction n changes are widened by a slack ρ, because along
    these n there may be no forces within."""
    x, N = forces.balancing
    n, first, cones = x.size, int(forces.normals.sum()), forces.cones(m)
    loose = {first + k for k in forces.open}
    cones = [one.slackened(1.0 if k in loose else 0.0) for k, one in enumerate(cones)]
    ways = np.hstack([np.linalg.pinv(forces.A, rcond=RANK), MOST * N])
    ways = np.vstack([np.pad(ways, ((0, 0), (0, 1))), np.eye(ways.shape[1] + 1)[-1]])
    start = np.append(x, 0.0)

    def least(D: np.ndarray, h: np.ndarray) -> np.ndarray | None:
        found, _ = least_distance(D @ ways, h - D @ start)
        return None if found is None else start + ways @ found

    found = _touching(cones, least, HOLDS, {}, n + 1)
    assert found is not None  # with ρ large enough, zero forces are within
    return forces.unbalanced + forces.A @ found[:n]


def _touching(cones: Sequence[Cone], least: Least, slack: float, ways: Ways, n: int) -> np.ndarray | None:
    """Return the least x within the cones, found as the least x within planes that touch the cones, which are added
    where x lies outside. If nothing is within the planes, nothing is within the cones: None."""
    for k, one in enumerate(cones):
        ways.setdefault(k, _axes(one.a.size - 1))
    sizes = np.array([np.linalg.norm(one.C) for one in cones])
    for _ in range(ROUNDS):
        D = np.vstack([np.zeros((0, n)), *(one.C[0] - ways[k] @ one.C[1:] for k, one in enumerate(cones))])
        h = np.concatenate([np.zeros(0), *(ways[k] @ one.a[1:] - one.a[0] for k, one in enumerate(cones))])
        lengths = np.maximum(np.linalg.norm(D, axis=1), RANK)
        D, h = D / lengths[:, None], h / lengths
        if (x := least(D, h)) is None:
            return None
        size = max(1.0, float(np.linalg.norm(x)))
        missed = float(np.max(h - D @ x, initial=slack))  # by how much planes are missed, from slack and roundoff
        room = min(2.0 * missed - slack + SHARP * size, slack + SURE * size) * sizes
        values = [one.a + one.C @ x for one in cones]
        out = np.array([np.linalg.norm(y[1:]) - y[0] if y.size > 2 else 0.0 for y in values])
        if not (outside := np.flatnonzero(out > room)).size:
            return x
        for k in outside.tolist():
            ways[k] = np.vstack([ways[k], values[k][1:] / np.linalg.norm(values[k][1:])])
    raise EquilibriumError(
        f"which forces hold this pose could not be found: {ROUNDS} planes about each cone of friction do not tell it; "
        "contacts are nearly redundant"
    )


def _axes(n: int) -> np.ndarray:
    return np.vstack([np.eye(n), -np.eye(n)]) if n else np.zeros((1, 0))


def margin_of(forces: Forces, least: float, most: float, about: float = 0.0) -> tuple[float, np.ndarray]:
    """Return the margin, 0 below `least` and infinite above `most`, and the least forces at it. A value `about` near
    the margin shortens the search."""
    for slack in SLACKS:
        margin, x = _margin(forces, least, most, slack, about)
        if margin == np.inf or within(forces, forces.cones(max(margin, least) * (1.0 + MIGHT))) is None:
            break
    return margin, x


def _margin(forces: Forces, least: float, most: float, slack: float, about: float) -> tuple[float, np.ndarray]:
    known, found = Ways(), np.zeros(forces.units.size)

    def holds(at: float) -> bool:
        nonlocal found
        x = within(forces, forces.cones(float(np.exp(at))), slack, known)
        found = found if x is None else x
        return x is not None

    low, high = float(np.log(least)), float(np.log(most))
    if about > least and holds(start := float(np.log(about))):
        low, step = start, SURE
        while low + step < high and holds(low + step):
            low, step = low + step, 8.0 * step
        if low + step < high:
            return float(np.exp(_enclosed(holds, low, low + step))), found
    if not holds(low):
        return 0.0, found
    if holds(high):
        return np.inf, found
    return float(np.exp(_enclosed(holds, low, high))), found


def load_end(forces: Forces, side: float, about: float) -> tuple[float, np.ndarray] | None:
    """Return the end of the range of loads on one side, as side · load, and the forces there; None if no load is held.
    The search begins near side · `about`, else at any load that is held. (For fixed n the loads held are an
    interval.)"""
    cones, load = forces.cones(1.0), side * np.eye(forces.units.size)[-1:]
    grown = forces.growing(side)
    for slack in SLACKS:
        amount = (Cone(np.array([-sense * side * about]), sense * load) for sense in (1.0, -1.0))
        x = within(forces, [*cones, *amount], slack)
        x = within(forces, cones, slack) if x is None else x
        if x is None:
            continue
        if within(grown, grown.cones(1.0), SHARP) is not None:
            return np.inf, x
        found, known = [x], Ways()

        def holds(at: float, slack=slack, found=found, known=known) -> bool:
            x = within(forces, [*cones, Cone(np.array([-at]), load)], slack, known)
            found += [] if x is None else [x]
            return x is not None

        low, step = float((load @ x)[0]), 1.0
        while holds(low + step):
            low, step = low + step, 2.0 * step
            if step > FARTHEST:
                return np.inf, found[-1]
        return _enclosed(holds, low, low + step), found[-1]
    return None


def _enclosed(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the largest value that holds, by bisection."""
    while high - low > CLOSE * (1.0 + abs(low)):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
