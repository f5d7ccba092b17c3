"""How much friction it takes to hold a pose: forces of contacts within their cones, and the motion that they leave.

Forces f hold a pose where r + Aᵀ f = 0, r the unbalanced forces and A the rows of contacts along the free velocities,
with

    0 ≤ f_n,        m |f_s| ≤ n·(b + B f)

and m = 1. (For contacts n·(b + B f) is μ f_n, for given friction its force.) The larger m, the less friction there is:
the margin is the largest m for which such forces exist. For each m the forces that leave least, ρ = |r + Aᵀ f|, are a
convex problem on cones; ρ(m) is zero up to the margin and grows from there. Its slope is that of its Lagrangian,
dρ/dm = -z·f_s, z the multiplier of the cone; so Newton's method, in 1/m, comes to the margin from above. What is left
there, r + Aᵀ f, is the motion that sets in.

In a joint the bound |b + B f| is no convex function to be under: n is the direction in which the joint is pressed, and
follows the forces. Each problem with a fixed n has only forces that obey the law, so what is held is held; a margin is
one that is no better for a small change of n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from scipy.linalg import null_space

from ...errors import EquilibriumError
from ...tolerances import RANK
from .cones import ConeSolution, least_cost
from .least import pushed
from .rows import Bound, Rows

HOLDS = 1e-8
"""What may be left of forces that hold, relative to all that act, or to themselves where they are larger."""
MOST = 1e6
"""Forces are no larger than this, relative to those that act."""
UNSURE = 1e-6
"""Forces of which more is off are refused."""
NO_END, NONE = 1e4, 1e-6
"""A margin that is more is infinite; one that is less is none."""
SURE, ROUNDS = 1e-9, 60
"""Newton's method ends where it foretells the same margin twice."""
NEAR = 1e-4
"""How far beyond the margin forces are taken: twice, which leads to those of the limit."""
SLIPS = 1e-3
"""A point slips that has more than this part of the fastest motion."""


@dataclass(frozen=True, eq=False)
class Cone:
    """Expressions a + C x, the first no less than the length of the others."""

    a: np.ndarray
    C: np.ndarray


@dataclass(frozen=True, eq=False)
class Left:
    """The forces that leave least, x; how much and along which motion; and how that grows with m."""

    size: float
    x: np.ndarray
    motion: np.ndarray
    slope: float

    @property
    def holds(self) -> bool:
        """Whether nothing is left but roundoff of these forces."""
        return self.size <= HOLDS * max(1.0, float(np.linalg.norm(self.x)))


@dataclass(frozen=True, eq=False)
class Load:
    """What each 1 of a load adds to the unbalanced forces, and to the b of each bound."""

    pull: np.ndarray
    bounds: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Forces:
    """What may act along the rows of contacts, and a load if one is looked for: units · x, in this order."""

    rows: Rows
    used: np.ndarray
    """The rows along which forces act: closed gaps, and slips with friction."""
    bounds: tuple[Bound, ...]
    pressing: tuple[np.ndarray, ...]
    """n of each bound."""
    load: Load | None = None

    @cached_property
    def effort(self) -> float:
        return self.rows.balance.effort or 1.0

    @cached_property
    def columns(self) -> np.ndarray:
        """What each 1 of a force does along the free velocities."""
        along = self.rows.along[self.used].T
        return along if self.load is None else np.hstack([along, self.load.pull[:, None]])

    @cached_property
    def units(self) -> np.ndarray:
        """Forces that do as much as all that acts."""
        lengths = np.linalg.norm(self.columns, axis=0)
        return self.effort / np.where(lengths > 0.0, lengths, 1.0)

    @cached_property
    def A(self) -> np.ndarray:
        return self.columns * self.units / self.effort

    @cached_property
    def unbalanced(self) -> np.ndarray:
        return self.rows.balance.unbalanced / self.effort

    @cached_property
    def normals(self) -> np.ndarray:
        """Which x are normal forces."""
        return np.append(np.isin(self.used, self.rows.gaps), np.zeros(len(self.units) - self.used.size, dtype=bool))

    def forces(self, x: np.ndarray) -> np.ndarray:
        """Along all rows of contacts."""
        found = np.zeros(len(self.rows.G))
        found[self.used] = (self.units * x)[: self.used.size]
        return found

    def cones(self, m: float) -> list[Cone]:
        """Of all normal forces, then of all friction."""
        each = np.eye(self.units.size)
        found = [Cone(np.zeros(1), row[None]) for row in each[self.normals]]
        for k, (bound, n) in enumerate(zip(self.bounds, self.pressing, strict=True)):
            own = np.append(self.slips_of(bound), np.zeros(self.units.size - self.used.size, dtype=bool))
            unit = self.units[own][0]
            first = self._bounding(k, n @ bound.B) * self.units / unit / np.sqrt(m)
            C = np.vstack([first, np.sqrt(m) * (self.units[own] / unit)[:, None] * each[own]])
            found.append(Cone(np.append(n @ bound.b / unit / np.sqrt(m), np.zeros(len(C) - 1)), C))
        return found

    def slips_of(self, bound: Bound) -> np.ndarray:
        return np.isin(self.used, np.arange(bound.slips.start, bound.slips.stop))

    def _bounding(self, k: int, by_forces: np.ndarray) -> np.ndarray:
        """How forces, and the load, change the bound."""
        load = [] if self.load is None else [self.pressing[k] @ self.load.bounds[k]]
        return np.append(by_forces[self.used], load)

    def followed(self, x: np.ndarray) -> Forces:
        """The same with each joint pressed as these forces press it."""
        f, given = self.forces(x), 0.0 if self.load is None else (self.units * x)[-1]
        added = [0.0] * len(self.bounds) if self.load is None else [given * b for b in self.load.bounds]
        parts = zip(self.bounds, self.pressing, added, strict=True)
        return replace(self, pressing=tuple(direction(one.b + more + one.B @ f, n) for one, n, more in parts))

    def turns(self, other: Forces) -> bool:
        """Whether a joint is pressed in another direction there."""
        pairs = zip(self.pressing, other.pressing, strict=True)
        return any(np.linalg.norm(one - two) > SURE for one, two in pairs)

    def endless(self, side: float) -> Forces:
        """What may grow without end, with a load of `side` (to one side, to the other, or none)."""
        added = self.load.bounds if self.load else [0.0 * one.b for one in self.bounds]
        bounds = [replace(one, b=side * more) for one, more in zip(self.bounds, added, strict=True)]
        some = [one for one in bounds if np.abs(one.b).any() or np.abs(one.B).any()]
        slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one in some)]
        used = self.used[self.normals[: self.used.size] | np.isin(self.used, slips)]
        known = {one.point: n for one, n in zip(self.bounds, self.pressing, strict=True)}
        pressing = tuple(direction(one.b, known[one.point]) if one.B.any() else np.ones(1) for one in some)
        return Forces(self.rows, used, tuple(some), pressing)

    def left(self, m: float, of: np.ndarray | None = None) -> Left:
        """The forces that leave least of what is unbalanced (or `of` something else)."""
        r, cones, n = self.unbalanced if of is None else of, self.cones(m), self.units.size
        own = [Cone(c.a, np.pad(c.C, ((0, 0), (0, 1)))) for c in cones]
        rho, x = np.eye(n + 1)[-1:], np.eye(n + 1)[:-1]
        own.append(Cone(np.append(0.0, r), np.vstack([rho, np.pad(self.A, ((0, 0), (0, 1)))])))
        own.append(Cone(np.append(1.0, np.zeros(n)), np.vstack([0.0 * rho, x / MOST])))
        found = solved(rho[0], own)
        x, first = found.x[:-1], int(self.normals.sum())
        friction = zip(found.multipliers[first:], cones[first:], strict=False)
        slope = -sum(float(z[1:] @ (c.C[1:] @ x)) / m for z, c in friction)
        motion = r + self.A @ x
        return Left(float(np.linalg.norm(motion)), x, motion, slope)


def forces_of(rows: Rows) -> Forces:
    """What may act at a pose."""
    bounds = tuple(one for one in rows.bounds if np.abs(one.b).any() or np.abs(one.B).any())
    slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one in bounds)]
    used = np.sort(np.append(rows.closed, np.array(slips, dtype=int))).astype(int)
    pressing = tuple(direction(one.b, np.eye(one.b.size)[0]) for one in bounds)
    return Forces(rows, used, bounds, pressing)


def direction(of: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(of))
    return np.ones(1) if of.size == 1 and size == 0.0 else of / size if size > 0.0 else otherwise


def solved(cost: np.ndarray, cones: Sequence[Cone]) -> ConeSolution:
    G, h = -np.vstack([c.C for c in cones]), np.concatenate([c.a for c in cones])
    found = least_cost(cost, G, h, [c.a.size for c in cones])
    if found.gap > UNSURE:
        raise EquilibriumError(
            f"which forces hold this pose could not be found: they are known to {found.gap:.1g} of all only; forces of "
            "very different sizes act, or contacts are nearly redundant"
        )
    return found


@dataclass(frozen=True, eq=False)
class Limit:
    """The margin; the forces there; and how fast each row moves when it is passed, along the fastest as 1."""

    margin: float
    forces: np.ndarray
    motion: np.ndarray
    at: Forces


def limit_of(forces: Forces) -> Limit:
    """The margin of a pose."""
    rows, still = forces.rows, np.zeros(len(forces.rows.G))
    normals = pushed(forces.A[:, forces.normals].T, forces.unbalanced)
    x = np.zeros(forces.used.size)
    x[forces.normals] = normals
    if np.linalg.norm(forces.unbalanced + forces.A @ x) <= 1e-10:
        return Limit(np.inf, forces.forces(x), still, forces)
    best = Limit(-1.0, still, still, forces)
    for _ in range(ROUNDS):
        margin, left = _margin(forces)
        if margin == np.inf:
            return Limit(np.inf, least_forces(forces), still, forces)
        x = left.x
        if margin > NONE:
            x = 2.0 * forces.left(margin * (1.0 + NEAR)).x - forces.left(margin * (1.0 + 2.0 * NEAR)).x
        motion = rows.along @ left.motion
        size = np.abs(motion).max(initial=0.0)
        found = Limit(margin, forces.forces(x), motion / size if size > 0.0 else motion, forces)
        if found.margin <= best.margin * (1.0 + SURE):
            break
        best, forces = found, forces.followed(x)
        if not best.at.turns(forces):
            break
    return best


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
    forces = forces.endless(0.0)
    if not forces.normals.any():
        return False
    n = forces.used.size
    own = [Cone(c.a, np.pad(c.C, ((0, 0), (0, 1)))) for c in forces.cones(1.0)]
    rho, x = np.eye(n + 1)[-1:], np.eye(n + 1)[:-1]
    own.append(Cone(np.zeros(len(forces.A) + 1), np.vstack([rho, np.pad(forces.A, ((0, 0), (0, 1)))])))
    own.append(Cone(np.append(1.0, np.zeros(n)), np.vstack([0.0 * rho, x / MOST])))
    own.append(Cone(np.array([-1.0]), np.append(forces.normals, 0.0)[None]))
    found = solved(rho[0], own)
    return bool(np.linalg.norm(forces.A @ found.x[:-1]) <= HOLDS)


def held_by(forces: Forces) -> Forces | None:
    """Those that hold the pose, with joints pressed as they press them, if there are any."""
    for _ in range(ROUNDS):
        left = forces.left(1.0)
        followed = forces.followed(left.x)
        if left.holds:
            return followed
        if not followed.turns(forces):
            break
        forces = followed
    return None


def least_forces(forces: Forces) -> np.ndarray:
    """The least of all forces that hold the pose."""
    first = np.linalg.lstsq(forces.A, -forces.unbalanced, rcond=RANK)[0]
    N = null_space(forces.A, rcond=RANK)
    if not N.shape[1]:
        return forces.forces(first)
    cones = [Cone(c.a + c.C @ first, np.pad(c.C @ N, ((0, 0), (0, 1)))) for c in forces.cones(1.0)]
    own = np.roll(np.eye(N.shape[1] + 1), 1, axis=0)
    found = solved(own[0], [*cones, Cone(np.zeros(len(own)), own)])
    x = first + N @ found.x[:-1]
    inside = all((y := c.a + c.C @ x)[0] >= np.linalg.norm(y[1:]) - HOLDS for c in forces.cones(1.0))
    return forces.forces(x if inside else forces.left(1.0).x)


def range_of(forces: Forces) -> tuple[float, float] | None:
    """Between which amounts of the load the pose is held, counted from the present one; None where no amount will
    do."""
    found = held_by(forces)
    if found is None:
        return None
    forces = found
    return _end(forces, -1.0), _end(forces, 1.0)


def _end(forces: Forces, side: float) -> float:
    """How far the load may go to one side."""
    assert forces.load is not None
    endless = forces.endless(side)
    given = all(one.B.any() or one.b[0] > 0.0 for one in endless.bounds)
    if given and endless.left(1.0, of=side * forces.A[:, -1]).holds:
        return side * np.inf
    best = -np.inf
    for _ in range(ROUNDS):
        first = np.linalg.lstsq(forces.A, -forces.unbalanced, rcond=RANK)[0]
        N = null_space(forces.A, rcond=RANK)
        x = first
        if N.shape[1]:
            cones = [Cone(c.a + c.C @ first, c.C @ N) for c in forces.cones(1.0)]
            x = first + N @ solved(-side * N[-1], cones).x
        if side * x[-1] <= best + SURE * (1.0 + abs(best)):
            break
        best, followed = side * x[-1], forces.followed(x)
        if not forces.turns(followed):
            break
        forces = followed
    return side * best * float(forces.units[-1])
