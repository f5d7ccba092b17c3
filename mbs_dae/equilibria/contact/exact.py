"""Forces within cones of friction: find them, or prove that there are none.

    r + A x = 0,      D x ≥ h

D x ≥ h are planes that touch the cones: in the plane a cone is two of them, in space more and more are taken, where a
solution lies outside its cone. The least of all balancing forces, x = x₀ + N y, is found by `least_distance`. Where
there is none, there are w ≥ 0 with Nᵀ Dᵀ w = 0 and w·(h - D x₀) = 1. Then Dᵀ w = Aᵀ z, and z is a motion that no forces
within the cones hinder: r·z - h·w = 1, so the unbalanced forces do more work along z than given friction takes.

A margin or a load is found by bisection between a value that holds the pose and one that does not, however large the
forces become: the limit of a wedge is one of directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import nnls

from ...errors import EquilibriumError
from ...tolerances import (
    BISECTION_WIDTH,
    BOUND_FLOOR,
    BOUND_ROUNDOFF,
    BOUND_SLACK,
    HOLDING_RESIDUAL,
    INFEASIBILITY,
    MARGIN_TOLERANCE,
    RANK_TOLERANCE,
    SLACK_EFFECT,
    WORK_ROUNDOFF,
)
from .forces import MOST, Cone, Forces

FARTHEST = 1e15
"""A load that is held up to this many units is held without end."""
ROUNDS = 100

Least = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray | None]
"""The least x with D x ≥ h, the rows of D of length 1, from D, h and the part of the slack by which each row may be
missed, which is the size of its bound, at most 1; None if there is none."""
Directions = dict[int, np.ndarray]
"""The directions along which planes touch each cone."""


def within(
    forces: Forces, cones: Sequence[Cone], slack: float | None = None, directions: Directions | None = None
) -> np.ndarray | None:
    """Return the least forces within these cones, up to a slack, by default the largest of the pose; None if there are
    none. Directions of new planes are added to `directions` in place, because the next problem is similar."""
    x, N = forces.balancing
    slack = forces.slacks[-1] if slack is None else slack
    if np.linalg.norm(forces.unbalanced + forces.A @ x) > HOLDING_RESIDUAL:
        return None

    def least(D: np.ndarray, h: np.ndarray, part: np.ndarray) -> np.ndarray | None:
        rows = D @ N
        rows[np.linalg.norm(rows, axis=1) <= BOUND_SLACK] = 0.0  # no remaining freedom y changes these
        y, _ = least_distance(rows, h - D @ x - slack * part)
        return None if y is None else x + N @ y

    return _touching(cones, least, slack, {} if directions is None else directions, x.size)


def remaining(forces: Forces, m: float) -> np.ndarray:
    """Return the least residual p of the balance with forces within the cones of this m: x = x₀ + A⁺ p + N y, where y
    has a negligible weight. The cones of joints whose direction n changes are widened by a slack ρ, because along
    these n there may be no forces within."""
    x, N = forces.balancing
    n, first, cones = x.size, int(forces.normals.sum()), forces.cones(m)
    loose = {first + k for k in forces.open}
    cones = [one.slackened(1.0 if k in loose else 0.0) for k, one in enumerate(cones)]
    ways = np.hstack([np.linalg.pinv(forces.A, rcond=WORK_ROUNDOFF), MOST * N])
    ways = np.vstack([np.pad(ways, ((0, 0), (0, 1))), np.eye(ways.shape[1] + 1)[-1]])
    start = np.append(x, 0.0)

    def least(D: np.ndarray, h: np.ndarray, part: np.ndarray) -> np.ndarray | None:
        solution, _ = least_distance(D @ ways, h - D @ start)
        return None if solution is None else start + ways @ solution

    solution = _touching(cones, least, forces.slacks[-1], {}, n + 1)
    assert solution is not None  # with ρ large enough, zero forces are within
    return forces.unbalanced + forces.A @ solution[:n]


def _touching(cones: Sequence[Cone], least: Least, slack: float, directions: Directions, n: int) -> np.ndarray | None:
    """Return the least x within the cones, found as the least x within planes that touch the cones, which are added
    where x lies outside. If nothing is within the planes, nothing is within the cones: None."""
    for k, one in enumerate(cones):
        n_s = one.a.size - 1  # the planes of the axes of slips are the first
        directions.setdefault(k, np.vstack([np.eye(n_s), -np.eye(n_s)]) if n_s else np.zeros((1, 0)))
    sizes = np.array([np.linalg.norm(one.C) for one in cones])
    bounds = np.array([np.abs(one.a[0]) + np.linalg.norm(one.C[0]) for one in cones])
    for _ in range(ROUNDS):
        D = np.vstack([np.zeros((0, n)), *(one.C[0] - directions[k] @ one.C[1:] for k, one in enumerate(cones))])
        h = np.concatenate([np.zeros(0), *(directions[k] @ one.a[1:] - one.a[0] for k, one in enumerate(cones))])
        lengths = np.maximum(np.linalg.norm(D, axis=1), RANK_TOLERANCE)
        D, h = D / lengths[:, None], h / lengths
        cone = np.array([k for k in range(len(cones)) for _ in directions[k]], dtype=int)
        part = np.clip(bounds[cone] / lengths, BOUND_FLOOR, 1.0)  # a weak brake next to a dead point decides
        if (x := least(D, h, part)) is None:
            return None
        size = max(1.0, float(np.linalg.norm(x)))
        missed = float(np.max((h - D @ x) / part, initial=slack))  # planes are missed, because of slack and roundoff
        room = min(2.0 * missed - slack + BOUND_SLACK * size, slack + MARGIN_TOLERANCE * size) * np.clip(
            bounds, BOUND_FLOOR * sizes, sizes
        )
        room = np.maximum(room, BOUND_ROUNDOFF * size * sizes)
        values = [one.a + one.C @ x for one in cones]
        out = np.array([np.linalg.norm(y[1:]) - y[0] if y.size > 2 else 0.0 for y in values])
        if not (outside := np.flatnonzero(out > room)).size:
            return x
        for k in outside.tolist():
            directions[k] = np.vstack([directions[k], values[k][1:] / np.linalg.norm(values[k][1:])])
    raise EquilibriumError(
        f"which forces hold this pose could not be found: {ROUNDS} planes about each cone of friction do not tell it; "
        "contacts are nearly redundant",
        code="no-convergence", rounds=ROUNDS,
    )  # fmt: skip


def margin_of(forces: Forces, least: float, most: float, about: float = 0.0) -> tuple[float, np.ndarray]:
    """Return the margin, 0 below `least` and infinite above `most`, and the least forces at it. A value `about` near
    the margin shortens the search.

    Bodies on an edge are held with any slack above roundoff: the margin jumps there. Where the margin grows with the
    slack, as for weak friction next to a dead point, the slack holds the pose in place of friction, and is left out."""
    margin, x = _margin(forces, least, most, 0.0, about)
    for slack in forces.slacks[1:]:
        if margin == np.inf or within(forces, forces.cones(max(margin, least) * (1.0 + SLACK_EFFECT)), slack) is None:
            continue
        narrow, held = _margin(forces, least, most, 0.1 * slack, about)
        if narrow == np.inf or narrow - margin > 0.5 * (_margin(forces, least, most, slack, about)[0] - margin):
            margin, x = narrow, held
    return margin, x


def _margin(forces: Forces, least: float, most: float, slack: float, about: float) -> tuple[float, np.ndarray]:
    directions, x_held = Directions(), np.zeros(forces.units.size)

    def holds(at: float) -> bool:
        nonlocal x_held
        x = within(forces, forces.cones(float(np.exp(at))), slack, directions)
        x_held = x_held if x is None else x
        return x is not None

    low, high = float(np.log(least)), float(np.log(most))
    if about > least and holds(start := float(np.log(about))):
        low, step = start, MARGIN_TOLERANCE
        while low + step < high and holds(low + step):
            low, step = low + step, 8.0 * step
        if low + step < high:
            return float(np.exp(_enclosed(holds, low, low + step))), x_held
    if not holds(low):
        return 0.0, x_held
    if holds(high):
        return np.inf, x_held
    return float(np.exp(_enclosed(holds, low, high))), x_held


def load_end(forces: Forces, side: float, about: float) -> tuple[float, np.ndarray] | None:
    """Return the end of the range of loads on one side, as side · load, and the forces there; None if no load is held.
    The search begins near side · `about`, else at any load that is held. (For fixed n the loads held are an
    interval.)"""
    cones, load = forces.cones(1.0), side * np.eye(forces.units.size)[-1:]
    grown = forces.growing(side)
    for slack in forces.slacks:
        amount = (Cone(np.array([-sense * side * about]), sense * load) for sense in (1.0, -1.0))
        x = within(forces, [*cones, *amount], slack)
        x = within(forces, cones, slack) if x is None else x
        if x is None:
            continue
        if within(grown, grown.cones(1.0), BOUND_SLACK) is not None:
            return np.inf, x
        solutions, directions = [x], Directions()

        def holds(
            at: float, slack: float = slack, solutions: list[np.ndarray] = solutions,
            directions: Directions = directions,
        ) -> bool:  # fmt: skip
            x = within(forces, [*cones, Cone(np.array([-at]), load)], slack, directions)
            solutions += [] if x is None else [x]
            return x is not None

        low, step = float((load @ x)[0]), 1.0
        while holds(low + step):
            low, step = low + step, 2.0 * step
            if step > FARTHEST:
                return np.inf, solutions[-1]
        return _enclosed(holds, low, low + step), solutions[-1]
    return None


def _enclosed(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the largest value that holds, by bisection."""
    while high - low > BISECTION_WIDTH * (1.0 + abs(low)):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def least_distance(A: np.ndarray, h: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the least u with A u ≥ h, by non-negative least squares (Lawson and Hanson), and its multipliers w ≥ 0,
    u = Aᵀ w. If there is no such u, return None and a proof w: w ≥ 0, Aᵀ w = 0, h·w = 1 (Farkas).

    For the w ≥ 0 with the least |Aᵀ w|² + (h·w - 1)², the residual r = (Aᵀ w, h·w - 1) is proportional to u: both
    problems have the same optimality conditions, and |r|² = 1 - h·w = 1/(1 + |u|²)."""
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    size = float(np.abs(h / lengths).max(initial=0.0))
    if not (h > 0.0).any():
        return np.zeros(A.shape[1]), np.zeros(len(A))
    rows = np.vstack([(A / lengths[:, None]).T, h / lengths / size])
    w, residual = nnls(rows, np.append(np.zeros(A.shape[1]), 1.0), maxiter=30 * len(A))
    if residual <= INFEASIBILITY * (1.0 + float(w.sum())):
        return None, w / lengths / size
    active = w > 0.0
    u = np.linalg.lstsq(A[active] / lengths[active, None], (h / lengths)[active], rcond=None)[0]
    return u, w * size / residual**2 / lengths


def compressive_forces(A: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the f ≥ 0 with the least |r + Aᵀ f|."""
    if not A.size:
        return np.zeros(len(A))
    lengths = np.linalg.norm(A, axis=1)
    lengths[lengths == 0.0] = 1.0
    return nnls((A / lengths[:, None]).T, -r)[0] / lengths
