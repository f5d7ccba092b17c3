"""How much friction it takes to hold a pose, and how much of a load it holds.

The margin is the largest m for which there are forces that hold (`forces`). Where joints are pressed to known sides
that is decided for any m (`exact`). Else the least that forces leave, ρ(m), is zero up to the margin and grows from
there. Its slope is that of its Lagrangian, dρ/dm = -z·f_s, z the multiplier of the cone; so Newton's method, in 1/m,
comes to the margin from above. What is left there, r + Aᵀ f, is the motion that sets in.

With joints pressed along n this is a margin of these n, and of those that follow. Then others are looked for
(`sectors`), until it is certain that none is larger, or not worth more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import null_space

from .exact import loads_of, margin_of, remaining, within
from .forces import HOLDS, MOST, SURE, Cone, Forces, Left, solved
from .least import least_pushed, pushed
from .sectors import PART, ROUNDS, somewhere

NO_END, NONE = 1e4, 1e-6
"""A margin that is more is infinite; one that is less is none."""
NEAR = 1e-4
"""How far beyond the margin forces are taken: twice, which leads to those of the limit."""
SLIPS = 1e-3
"""A point slips that has more than this part of the fastest motion."""


@dataclass(frozen=True, eq=False)
class Limit:
    """The margin; the forces there; and how fast each row moves when it is passed, along the fastest as 1."""

    margin: float
    forces: np.ndarray
    motion: np.ndarray
    at: Forces
    certain: bool = True
    """Whether none is larger by more than a hundredth."""


def limit_of(forces: Forces) -> Limit:
    """The margin of a pose."""
    if not forces.open:
        margin, x = margin_of(forces, NONE, NO_END)
        motion = 0.0 * forces.unbalanced
        if margin < np.inf:
            motion = remaining(forces, forces.cones(max(margin, NONE) * (1.0 + NEAR)))
        return Limit(margin, forces.forces(_grown(x)), _fastest(forces, motion), forces)
    best = _climbed(forces)
    while NONE < best.margin < np.inf or not best.margin:
        found = somewhere(best.at, max(best.margin * (1.0 + PART), 2.0 * NONE))
        if found.forces is None:
            return replace(best, certain=found.certain)
        other = _climbed(found.forces)
        if other.margin <= best.margin * (1.0 + SURE):
            return replace(best, certain=False)
        best = other
    return best


def _climbed(forces: Forces) -> Limit:
    """The margin of the directions that are known, and those that follow."""
    still = np.zeros(len(forces.rows.G))
    normals = pushed(forces.A[:, forces.normals].T, forces.unbalanced)
    x = np.zeros(forces.used.size)
    x[forces.normals] = normals
    if np.linalg.norm(forces.unbalanced + forces.A @ x) <= 1e-10:
        x[forces.normals] = least_pushed(forces.A[:, forces.normals].T, normals)
        return Limit(np.inf, forces.forces(x), still, forces)
    best = Limit(-1.0, still, still, forces)
    for _ in range(ROUNDS):
        margin, left = _margin(forces)
        if margin == np.inf:
            return Limit(np.inf, least_forces(forces), still, forces)
        x = left.x
        if margin > NONE:
            x = 2.0 * forces.left(margin * (1.0 + NEAR)).x - forces.left(margin * (1.0 + 2.0 * NEAR)).x
        found = Limit(margin, forces.forces(x), _fastest(forces, left.motion), forces)
        if found.margin <= best.margin * (1.0 + SURE):
            break
        best, forces = found, forces.followed(x)
        if not best.at.turns(forces):
            break
    return best


def _fastest(forces: Forces, motion: np.ndarray) -> np.ndarray:
    rates = forces.rows.along @ motion
    size = np.abs(rates).max(initial=0.0)
    return rates / size if size > 0.0 else rates


def _grown(x: np.ndarray) -> np.ndarray:
    """Forces at a margin, infinite where they grow beyond all bounds."""
    return np.where(np.abs(x) > MOST, np.copysign(np.inf, x), x)


def _margin(forces: Forces) -> tuple[float, Left]:
    """The largest m at which nothing is left; and what is left a little beyond. A foretold one at which something is
    held already is none: what is left may be the same over a range of m, where friction is of no use."""
    low, high, foretold = 0.0, 1.0, -1.0
    left = forces.left(high)
    while left.holds:
        low, high = high, 4.0 * high
        if high > NO_END:
            return np.inf, left
        left = forces.left(high)
    for _ in range(ROUNDS):
        newton = 1.0 / (1.0 / high + left.size / (high**2 * left.slope)) if left.slope > 0.0 else 0.0
        credible = newton >= low * (1.0 - NEAR)
        if (credible and abs(newton - foretold) <= SURE * high) or high - low <= SURE * high:
            return newton if credible else low, left
        if high < NONE:
            return 0.0, left
        m = newton + 0.01 * (high - newton) if newton > low else 0.5 * (low + high)
        if not (there := forces.left(m)).holds:
            high, left, foretold = m, there, newton
        else:
            low = m
    return low, left


def is_wedged(forces: Forces) -> bool:
    """Whether points may press that nothing presses: forces by themselves in balance, within their cones."""
    alone = forces.growing(0.0)
    if not alone.normals.any():
        return False
    return somewhere(alone, also=Cone(np.array([-1.0]), alone.normals[None] * 1.0)).forces is not None


def least_forces(forces: Forces) -> np.ndarray:
    """The least of all forces that hold the pose."""
    if not forces.open and (x := within(forces, forces.cones(1.0))) is not None:
        return forces.forces(x)
    first, N = forces.balancing
    if not N.shape[1]:
        return forces.forces(first)
    cones = [Cone(c.a + c.C @ first, np.pad(c.C @ N, ((0, 0), (0, 1)))) for c in forces.cones(1.0)]
    own = np.roll(np.eye(N.shape[1] + 1), 1, axis=0)
    found = solved(own[0], [*cones, Cone(np.zeros(len(own)), own)])
    x = first + N @ found.x[:-1]
    inside = all((y := c.a + c.C @ x)[0] >= np.linalg.norm(y[1:]) - HOLDS for c in forces.cones(1.0))
    return forces.forces(x if inside else forces.left(1.0).x)


def open_rows(limit: Limit) -> np.ndarray:
    """The rows whose forces may be others in the same balance, with what slips at its bound: f_s grows with |v| there.
    (Where no friction is needed there is none; where forces have no bound, they are open.)"""
    if not np.isfinite(limit.forces).all():
        return np.flatnonzero(~np.isfinite(limit.forces))
    forces, size = limit.at, limit.at.used.size
    units, f = forces.units[:size], limit.forces[forces.used]
    found = [forces.A[:, :size]]
    if limit.margin == np.inf:
        found.append(np.eye(size)[~forces.normals[:size] & (np.abs(f) <= HOLDS * np.abs(f).max(initial=0.0))])
    for k in range(len(forces.bounds) if limit.margin < np.inf else 0):
        v, slips = forces.press(k), forces.friction(k)[:, :size]
        now, own = v.a + v.C[:, :size] @ (f / units), slips @ (f / units)
        square = float(now @ now)
        if limit.margin * np.linalg.norm(own) >= np.sqrt(square) * (1.0 - NEAR):
            found.append(slips - np.outer(own, now @ v.C[:, :size]) / (square or 1.0))
    N = null_space(np.vstack(found), rcond=NEAR) if limit.margin else np.zeros((size, 0))
    return forces.used[np.abs(N).max(axis=1, initial=0.0) > SLIPS]


@dataclass(frozen=True, eq=False)
class Range:
    """Between which amounts of the load, from the present one, the pose is held; none where the least is infinite."""

    least: float
    most: float
    certain: bool


def range_of(forces: Forces) -> Range:
    """Around the present amount if that is held, else around some other."""
    if not forces.open:
        least, most = loads_of(forces) or (np.inf, -np.inf)
        return Range(least * float(forces.units[-1]), most * float(forces.units[-1]), True)
    found = somewhere(forces, also=_load_is(forces, 0.0))
    if found.forces is None:
        found = somewhere(forces)
    if found.forces is None:
        return Range(np.inf, -np.inf, found.certain)
    (least, sure), (most, certain) = (_farthest(found.forces, side) for side in (-1.0, 1.0))
    return Range(least, most, sure and certain)


def _load_is(forces: Forces, x: float, about: float = 0.0) -> Cone:
    """As much of the load, or about so much."""
    return Cone(np.array([about, -x]), np.vstack([np.zeros(forces.units.size), np.eye(forces.units.size)[-1]]))


def _farthest(forces: Forces, side: float) -> tuple[float, bool]:
    """How far the load may go to one side before nothing holds it, and whether that is certain. (Still more of it may
    be held again, with joints pressed to the other side.)"""
    best, known = _reached(forces, side)
    while best < np.inf:
        step = PART * (1.0 + abs(best))
        found = somewhere(known, also=_load_is(known, side * (best + step), step / 2.0))
        reached, known = _reached(found.forces, side) if found.forces else (-np.inf, known)
        if reached <= best + SURE * (1.0 + abs(best)):
            return side * best * float(forces.units[-1]), found.certain and found.forces is None
        best = reached
    return side * best, True


def _reached(forces: Forces, side: float) -> tuple[float, Forces]:
    """The load that is reached from the n that are known and those that follow, as x; and these."""
    best, n = -np.inf, forces.units.size
    for _ in range(ROUNDS):
        if forces.is_endless(side):
            return np.inf, forces
        x, N = forces.balancing
        if N.shape[1]:
            cones = [*forces.cones(1.0), Cone(np.append(MOST, np.zeros(n)), np.vstack([np.zeros(n), np.eye(n)]))]
            x = x + N @ solved(-side * N[-1], [Cone(c.a + c.C @ x, c.C @ N) for c in cones]).x
        if side * x[-1] <= best + SURE * (1.0 + abs(best)):
            break
        best, followed = side * x[-1], forces.followed(x)
        if not forces.turns(followed):
            break
        forces = followed
    return best, forces
