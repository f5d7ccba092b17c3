"""Forces that may hold a pose: normal forces that press, and friction within its cones.

Forces f hold a pose where r + Aᵀ f = 0, r the unbalanced forces and A the rows of contacts along the free velocities,
with

    0 ≤ f_n,        m |f_s| ≤ |v|,        v = b + B f

and m = 1. (For contacts |v| is μ f_n, for given friction its force.) The larger m, the less friction there is. For
each m the forces that leave least, ρ = |r + Aᵀ f|, are a convex problem on cones, but for |v| in a joint: there a
direction n takes its place, |v| ≥ n·v. Such forces obey the law, so what they hold is held.
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
from .rows import Bound, Rows

HOLDS = 1e-8
"""What may be left of forces that hold, relative to all that act, or to themselves where they are larger."""
MOST = 1e6
"""Forces are no larger than this, relative to those that act."""
UNSURE = 1e-6
"""Forces of which more is off are refused."""
SURE = 1e-9


@dataclass(frozen=True, eq=False)
class Cone:
    """Expressions a + C x, the first no less than the length of the others."""

    a: np.ndarray
    C: np.ndarray

    def slackened(self, by: float) -> Cone:
        """The same with another unknown, by so much of which the first is larger."""
        return Cone(self.a, np.hstack([self.C, by * np.eye(self.a.size)[:, :1]]))


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
    against: np.ndarray
    """What is unbalanced, along the free velocities."""
    used: np.ndarray
    """The rows along which forces act: closed gaps, and slips with friction."""
    bounds: tuple[Bound, ...]
    pressing: tuple[np.ndarray, ...]
    """n of each bound."""
    load: Load | None = None

    @cached_property
    def effort(self) -> float:
        """How large forces are: those that act, and given friction."""
        lengths = np.linalg.norm(self.rows.along, axis=1)
        given = [one.b[0] * lengths[one.slips.start] for one in self.bounds if not (one.joint or one.B.any())]
        return float(np.linalg.norm([self.rows.balance.effort, *given])) or 1.0

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
        return self.against / self.effort

    @cached_property
    def balancing(self) -> tuple[np.ndarray, np.ndarray]:
        """x₀ and N of all x₀ + N y that balance, or leave least."""
        if not self.A.size:
            return np.zeros(self.units.size), np.eye(self.units.size)
        return np.linalg.lstsq(self.A, -self.unbalanced, rcond=RANK)[0], null_space(self.A, rcond=RANK)

    @cached_property
    def normals(self) -> np.ndarray:
        """Which x are normal forces."""
        return np.append(np.isin(self.used, self.rows.gaps), np.zeros(len(self.units) - self.used.size, dtype=bool))

    @cached_property
    def open(self) -> tuple[int, ...]:
        """The bounds whose v may turn with the forces."""
        added = self.load.bounds if self.load else [0.0 * one.b for one in self.bounds]
        parts = enumerate(zip(self.bounds, added, strict=True))
        return tuple(k for k, (one, more) in parts if one.joint and (np.abs(one.B).max() > RANK or more.any()))

    def forces(self, x: np.ndarray) -> np.ndarray:
        """Along all rows of contacts."""
        found = np.zeros(len(self.rows.G))
        found[self.used] = (self.units * x)[: self.used.size]
        return found

    def press(self, k: int) -> Cone:
        """v of a bound, in its units, and as it follows from x."""
        one, unit = self.bounds[k], self._unit(k)
        by_load = [] if self.load is None else [self.load.bounds[k][:, None]]
        return Cone(one.b / unit, np.hstack([one.B[:, self.used], *by_load]) * self.units / unit)

    def friction(self, k: int) -> np.ndarray:
        """How the friction of a bound follows from x, in the same units."""
        own = np.append(self._slips(k), np.zeros(self.units.size - self.used.size, dtype=bool))
        return (self.units / self._unit(k) * np.eye(self.units.size))[own]

    def cone(self, k: int, m: float, n: np.ndarray) -> Cone:
        """m |f_s| ≤ n·v"""
        v, root = self.press(k), np.sqrt(m)
        C = np.vstack([n @ v.C / root, root * self.friction(k)])
        return Cone(np.append(n @ v.a / root, np.zeros(len(C) - 1)), C)

    def pushes(self) -> list[Cone]:
        return [Cone(np.zeros(1), row[None]) for row in np.eye(self.units.size)[self.normals]]

    def cones(self, m: float) -> list[Cone]:
        """Of all normal forces, then of all friction."""
        return [*self.pushes(), *(self.cone(k, m, n) for k, n in enumerate(self.pressing))]

    def _slips(self, k: int) -> np.ndarray:
        slips = self.bounds[k].slips
        return np.isin(self.used, np.arange(slips.start, slips.stop))

    def _unit(self, k: int) -> float:
        return float(self.units[: self.used.size][self._slips(k)][0])

    def followed(self, x: np.ndarray) -> Forces:
        """The same with each joint pressed as these forces press it."""
        pressed = []
        for k, (one, n) in enumerate(zip(self.bounds, self.pressing, strict=True)):
            v = self.press(k)
            pressed.append(direction(v.a + v.C @ x, n) if one.joint else n)
        return replace(self, pressing=tuple(pressed))

    def turns(self, other: Forces) -> bool:
        """Whether a joint is pressed in another direction there."""
        pairs = zip(self.pressing, other.pressing, strict=True)
        return any(np.linalg.norm(one - two) > SURE for one, two in pairs)

    def growing(self, side: float) -> Forces:
        """What grows in proportion to a load of `side` (to one side, to the other, or none), along the same n."""
        added = self.load.bounds if self.load else [0.0 * one.b for one in self.bounds]
        unit = 0.0 if self.load is None else side * self.units[-1]
        against = np.zeros(self.against.size) if self.load is None else unit * self.load.pull
        parts = zip(self.bounds, self.pressing, added, strict=True)
        some = [(replace(one, b=unit * more), n) for one, n, more in parts if more.any() or one.B.any()]
        slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one, _ in some)]
        used = self.used[self.normals[: self.used.size] | np.isin(self.used, slips)]
        return Forces(self.rows, against, used, tuple(one for one, _ in some), tuple(n for _, n in some))

    def is_endless(self, side: float) -> bool:
        """Whether a load is held however far it goes to one side."""
        found = self.growing(side)
        left, solution = found.least([], found.cones(1.0))
        return left <= HOLDS * max(1.0, float(np.linalg.norm(solution.x)))

    def least(self, cones: Sequence[Cone], slackened: Sequence[Cone] = ()) -> tuple[float, ConeSolution]:
        """The least ρ, of which no more is left, and by which some cones may be missed."""
        n, rho = self.units.size, np.eye(self.units.size + 1)[-1]
        whole = Cone(np.append(0.0, self.unbalanced), np.vstack([np.zeros(n), self.A]))
        size = Cone(np.append(1.0, np.zeros(n)), np.vstack([np.zeros(n), np.eye(n) / MOST]))
        loose = [one.slackened(1.0) for one in (whole, *slackened)]
        found = solved(rho, [*(one.slackened(0.0) for one in (*cones, size)), *loose])
        return float(found.x[-1]), found

    def left(self, m: float) -> Left:
        """The forces that leave least of what is unbalanced. (Bounds whose v turns may leave as much: along a fixed n
        they may have nothing inside.)"""
        first, cones = int(self.normals.sum()), self.cones(m)
        turning = [first + k for k in self.open]
        fixed = [k for k in range(len(cones)) if k not in turning]
        size, found = self.least([cones[k] for k in fixed], [cones[k] for k in turning])
        x, known = found.x[:-1], len(fixed)
        z = dict(zip(fixed, found.multipliers[:known], strict=False))
        z |= dict(zip(turning, found.multipliers[known + 2 :], strict=True))
        values = {k: c.a + c.C @ x for k, c in enumerate(cones)}
        slope = sum(z[k][0] * own[0] - z[k][1:] @ own[1:] for k, own in values.items() if k >= first) / (2.0 * m)
        return Left(size, x, self.unbalanced + self.A @ x, float(slope))


def forces_of(rows: Rows) -> Forces:
    """What may act at a pose."""
    bounds = tuple(one for one in rows.bounds if np.abs(one.b).any() or np.abs(one.B).any())
    slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one in bounds)]
    used = np.sort(np.append(rows.closed, np.array(slips, dtype=int))).astype(int)
    pressing = tuple(direction(one.b, np.eye(one.b.size)[0]) if one.joint else np.ones(1) for one in bounds)
    return Forces(rows, rows.balance.unbalanced, used, bounds, pressing)


def direction(of: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(of))
    return of / size if size > 0.0 else otherwise


def solved(cost: np.ndarray, cones: Sequence[Cone]) -> ConeSolution:
    G, h = -np.vstack([c.C for c in cones]), np.concatenate([c.a for c in cones])
    found = least_cost(cost, G, h, [c.a.size for c in cones])
    if found.gap > UNSURE:
        raise EquilibriumError(
            f"which forces hold this pose could not be found: they are known to {found.gap:.1g} of all only; forces of "
            "very different sizes act, or contacts are nearly redundant"
        )
    return found
