"""Forces that may hold a pose: compressive normal forces, and friction within its cones.

Forces f hold a pose where r + Aᵀ f = 0, r the unbalanced forces and A the rows of contacts along the free velocities,
with

    0 ≤ f_n,        m |f_s| ≤ |v|,        v = b + B f

and m = 1. (For contacts |v| is μ f_n, for given friction its force.) The larger m, the less friction there is. For each
m the forces that balance are a convex set within cones, but for |v| in a joint: there n·v with a fixed direction n
replaces |v|, since |v| ≥ n·v. Such forces obey the law, so a pose that they hold is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain

import numpy as np
from scipy.linalg import null_space

from ...tolerances import BOUND_SLACK, MARGIN_TOLERANCE, MOTION_SHARE, RANK_TOLERANCE, WORK_ROUNDOFF
from .rows import ContactRows, FrictionBound, with_loads

MOST = 1e6
"""Forces larger than this, relative to the effort, count as unbounded."""
OPEN = 10.0
"""A gap that is a part of the length of the model turns forces by up to this many times that part of their size."""


@dataclass(frozen=True, eq=False)
class Cone:
    """The cone of x for which the first component of a + C x is no less than the length of the others."""

    a: np.ndarray
    C: np.ndarray

    def slackened(self, by: float) -> Cone:
        """Return the cone with one more unknown, which is added to the first component, times `by`."""
        return Cone(self.a, np.hstack([self.C, by * np.eye(self.a.size)[:, :1]]))


@dataclass(frozen=True, eq=False)
class UnitLoad:
    """The change of the unbalanced forces, and of the b of each bound, for a unit of a load."""

    pull: np.ndarray
    bounds: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces along the rows of contacts, and a load if there is one: units · x, in this order."""

    rows: ContactRows
    against: np.ndarray
    """The unbalanced forces along the free velocities."""
    used: np.ndarray
    """The rows along which forces act: closed gaps, and slips with friction."""
    bounds: tuple[FrictionBound, ...]
    directions: tuple[np.ndarray, ...]
    """The direction n of each bound."""
    load: UnitLoad | None = None

    @cached_property
    def efforts(self) -> np.ndarray:
        """The effort of the level of each free velocity; 1 where that effort is 0."""
        sizes = self.rows.balance.efforts[self.rows.balance.motion_levels]
        return np.where(sizes > 0.0, sizes, 1.0)

    @cached_property
    def columns(self) -> np.ndarray:
        """The force along the free velocities for a unit of each force, shape (free velocities, forces)."""
        rates = self.rows.along[self.used].T
        return rates if self.load is None else np.hstack([rates, self.load.pull[:, None]])

    @cached_property
    def units(self) -> np.ndarray:
        """Units of forces, each as large as the effort, however much of it joints take up: at a dead centre the parts
        of friction and loads along the free velocities are roundoff. The unit of a load includes the friction that the
        load adds."""
        if self.load is None:
            return self.rows.units[self.used]
        least = [self.rows.units[one.slips].min() for one in self.bounds]
        rubs = [np.linalg.norm(more) / unit for unit, more in zip(least, self.load.bounds, strict=True)]
        size = float(np.linalg.norm([*self.load.pull / self.efforts, *rubs]))
        return np.append(self.rows.units[self.used], 1.0 / (size or 1.0))

    @cached_property
    def A(self) -> np.ndarray:
        """The columns for units of forces, over the efforts; zero where a force does no work but roundoff."""
        G = self.rows.G[self.used] / np.sqrt(self.rows.balance.system.weight)
        works = np.linalg.norm(self.columns[:, : len(G)], axis=0) > WORK_ROUNDOFF * np.linalg.norm(G, axis=1)
        units = self.units * np.append(works, np.ones(self.units.size - len(G)))
        return self.columns * units / self.efforts[:, None]

    @cached_property
    def unbalanced(self) -> np.ndarray:
        return self.against / self.efforts

    @cached_property
    def slacks(self) -> tuple[float, ...]:
        """Slacks by which forces may miss their bounds, relative to the effort of all forces: none, roundoff of a small
        and of a large model, and the error of a pose whose gaps are closed up to a distance."""
        gap = float(np.abs(self.rows.phi[self.rows.closed]).max(initial=0.0)) / self.rows.balance.system.length
        return 0.0, 1e-2 * BOUND_SLACK, BOUND_SLACK, *([BOUND_SLACK + OPEN * gap] if OPEN * gap > BOUND_SLACK else [])

    @cached_property
    def balancing(self) -> tuple[np.ndarray, np.ndarray]:
        """x₀ and N of all x₀ + N y that balance the forces, or leave the least residual."""
        if not self.A.size:
            return np.zeros(self.units.size), np.eye(self.units.size)
        return np.linalg.lstsq(self.A, -self.unbalanced, rcond=WORK_ROUNDOFF)[0], null_space(
            self.A, rcond=WORK_ROUNDOFF
        )

    @cached_property
    def normals(self) -> np.ndarray:
        """A mask of the x that are normal forces."""
        return np.append(np.isin(self.used, self.rows.gaps), np.zeros(len(self.units) - self.used.size, dtype=bool))

    @cached_property
    def open(self) -> tuple[int, ...]:
        """The bounds whose v may turn with the forces."""
        added = self.load.bounds if self.load else [0.0 * one.b for one in self.bounds]
        parts = enumerate(zip(self.bounds, added, strict=True))
        return tuple(
            k for k, (one, more) in parts if one.joint and (np.abs(one.B).max() > RANK_TOLERANCE or more.any())
        )

    def forces(self, x: np.ndarray) -> np.ndarray:
        """Return the forces along all rows of contacts, shape (rows,)."""
        out = np.zeros(len(self.rows.G))
        out[self.used] = (self.units * x)[: self.used.size]
        return out

    @cached_property
    def normal_loads(self) -> tuple[Cone, ...]:
        """v of each bound, in its units, as a function a + C x."""
        by_load = [] if self.load is None else [[one[:, None]] for one in self.load.bounds]
        parts = zip(self.bounds, self.bound_units, by_load or [[] for _ in self.bounds], strict=True)
        return tuple(
            Cone(one.b / unit, np.hstack([one.B[:, self.used], *more]) * self.units / unit) for one, unit, more in parts
        )

    @cached_property
    def frictions(self) -> tuple[np.ndarray, ...]:
        """The matrix of each bound that gives its friction, in its units, from x."""
        rows = np.diag(self.units)[: self.used.size]
        slips = (np.isin(self.used, np.arange(one.slips.start, one.slips.stop)) for one in self.bounds)
        return tuple(rows[own] / unit for own, unit in zip(slips, self.bound_units, strict=True))

    @cached_property
    def bound_units(self) -> list[float]:
        """The unit of the friction of each bound."""
        return [float(self.units[np.searchsorted(self.used, one.slips.start)]) for one in self.bounds]

    def cone(self, k: int, m: float, n: np.ndarray) -> Cone:
        """Return the cone m |f_s| ≤ n·v of a bound."""
        v, root = self.normal_loads[k], np.sqrt(m)
        C = np.vstack([n @ v.C / root, root * self.frictions[k]])
        return Cone(np.append(n @ v.a / root, np.zeros(len(C) - 1)), C)

    def normal_cones(self) -> list[Cone]:
        return [Cone(np.zeros(1), row[None]) for row in np.eye(self.units.size)[self.normals]]

    def cones(self, m: float) -> list[Cone]:
        """Return the cones of all normal forces, then of all friction."""
        return [*self.normal_cones(), *(self.cone(k, m, n) for k, n in enumerate(self.directions))]

    def with_directions(self, directions: Sequence[np.ndarray]) -> Forces:
        """Return these forces with other directions n; nothing else that is known of them depends on the directions."""
        other = replace(self, directions=tuple(directions))
        known = {one.name for one in fields(self)}
        vars(other).update({name: value for name, value in vars(self).items() if name not in known})
        return other

    def followed(self, x: np.ndarray) -> Forces:
        """Return these forces with the direction n of each joint taken from v at x."""
        parts = zip(self.bounds, self.normal_loads, self.directions, strict=True)
        return self.with_directions([direction(v.a + v.C @ x, n) if one.joint else n for one, v, n in parts])

    def turns(self, m: Forces) -> bool:
        """Return whether the forces m have another direction n for any joint."""
        pairs = zip(self.directions, m.directions, strict=True)
        return any(np.linalg.norm(n - n_other) > MARGIN_TOLERANCE for n, n_other in pairs)

    def growing(self, side: float) -> Forces:
        """Return the part of the forces that grows in proportion to a load of `side` (1, -1, or 0 for none), with the
        same n."""
        added = self.load.bounds if self.load else [0.0 * one.b for one in self.bounds]
        unit = 0.0 if self.load is None else side * self.units[-1]
        against = np.zeros(self.against.size) if self.load is None else unit * self.load.pull
        parts = zip(self.bounds, self.directions, added, strict=True)
        some = [(replace(one, b=unit * more), n) for one, n, more in parts if more.any() or one.B.any()]
        slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one, _ in some)]
        used = self.used[self.normals[: self.used.size] | np.isin(self.used, slips)]
        return Forces(self.rows, against, used, tuple(one for one, _ in some), tuple(n for _, n in some))

    def loaded(self, x: float) -> Forces:
        """Return the forces to which the load is added, x of its unit. Where only the load turns the normal force of a
        joint, n follows from the load."""
        if self.load is None:
            return self
        amount = x * float(self.units[-1])
        parts = zip(self.bounds, self.load.bounds, strict=True)
        bounds = tuple(replace(one, b=one.b + amount * more) for one, more in parts)
        there = replace(self, against=self.against + amount * self.load.pull, bounds=bounds, load=None)
        known = zip(bounds, self.directions, strict=True)
        turned = (direction(one.b, n) if one.joint and k not in there.open else n for k, (one, n) in enumerate(known))
        return replace(there, directions=tuple(turned))


def forces_of(rows: ContactRows) -> Forces:
    """Return the forces that may act at a pose."""
    return _forces_along(with_loads(rows, _passed_on, _loads_of(rows)))


def _forces_along(rows: ContactRows) -> Forces:
    bounds = tuple(one for one in rows.bounds if np.abs(one.b).any() or np.abs(one.B).any())
    slips = [*chain.from_iterable(range(one.slips.start, one.slips.stop) for one in bounds)]
    used = np.sort(np.append(rows.closed, np.array(slips, dtype=int))).astype(int)
    directions = tuple(direction(one.b, np.eye(one.b.size)[0]) if one.joint else np.ones(1) for one in bounds)
    return Forces(rows, rows.balance.unbalanced, used, bounds, directions)


def _passed_on(rows: ContactRows) -> np.ndarray:
    """Return the least forces along all rows of contacts that balance, within their bounds or not."""
    forces = _forces_along(rows)
    return forces.forces(forces.balancing[0])


def _loads_of(rows: ContactRows) -> np.ndarray:
    """Return the magnitude of the forces along each velocity, from forces on groups of bodies that can move and from
    given friction. A machine that joints hold still on its foundation does not count for slips beside or on the
    machine."""
    balance, root = rows.balance, np.sqrt(rows.balance.system.weight)
    group, motions = balance.system.structure.groups.column, np.abs(balance.free_velocities).max(axis=1, initial=0.0)
    sizes = np.where(np.isin(group, group[motions * root > MOTION_SHARE]), balance.sizes, 0.0)
    for one in rows.bounds:
        if not (one.joint or one.B.any()):
            sizes = sizes + one.b[0] * np.linalg.norm(rows.G[one.slips], axis=0) / root
    return sizes


def direction(of: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(of))
    return of / size if size > 0.0 else otherwise
