"""Descend to a pose in which a mechanism rests on its contacts, without friction.

Each step is a small motion y along a basis of the free velocities that lowers the energy most within all gaps,

    ½ yᵀ H y - rᵀ y  least,      g + A y ≥ 0,

r the unbalanced forces, A the gradients of the gaps. Its multipliers are normal forces: what presses, and what opens,
is its answer. H is the stiffness, with what forces in contacts do when they turn, along the motions that keep closed
what presses, and positive there as in `seeking`; across them any number will do. Then Newton's method closes what is to
be closed, so that every pose on the way is a possible one.

It has come to rest where forces f ≥ 0 of what touches leave nothing of r.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import null_space

from ...compiled import System
from ...errors import MbsError
from ...tolerances import RANK
from ..balance import Balance, balance_at, kernel_of, unit_rows
from ..seeking import ITERATIONS, LONGEST, LOOSE, TIGHT, work_between
from .least import least_distance, pushed
from .rows import Rows, rows_at, with_loads
from .supported import Supported, pressed, standing, with_rows

FAR = 1e4
"""Who has come so far, in lengths of the model, will not come to rest."""
CLOSED = 1e-12
"""Gaps are closed to this part of the model's length."""
ROUNDS = 30
POLISHED = 20
"""So many steps are made from a rest that is loose, to one that is tight: gaps are closed to `CLOSED`, and forces that
depend on them are not known any better."""


@dataclass(frozen=True, eq=False)
class Place:
    """A closed pose on which no bodies overlap."""

    found: Rows
    """The rows of contacts as they are found at the pose."""
    rows: Rows
    """The same, with levels of all that bodies carry."""

    @property
    def balance(self) -> Balance:
        return self.rows.balance

    @cached_property
    def pushes(self) -> np.ndarray:
        return pushes_of(self.rows)

    @cached_property
    def left(self) -> np.ndarray:
        """The forces of each level that contacts do not balance."""
        return self.balance.of_levels(self.balance.unbalanced + self.rows.along.T @ self.pushes)

    def is_balanced(self, near: float) -> bool:
        return bool((self.left <= near * self.balance.efforts).all())

    def downhill(self, far: float) -> tuple[np.ndarray, np.ndarray]:
        """y, with a stiffness of no less than (forces over `far`), and the gaps that it closes."""
        gaps, ways = self.rows.gaps, self._ways(far)
        start, A = ways.T @ self.balance.unbalanced, self.rows.along[gaps] @ ways
        gap = np.maximum(self.rows.phi[gaps], 0.0)
        step, multipliers = least_distance(A, -gap - A @ start)
        assert step is not None  # y = 0 is one that the gaps allow
        felt = RANK * np.minimum(self.rows.units[gaps], multipliers.max(initial=0.0))
        return ways @ (start + step), gaps[multipliers > felt]

    def _ways(self, far: float) -> np.ndarray:
        """Small motions y = T z of energy |z|²/2: those that keep closed what presses, by their stiffness, and others.
        Motions of light bodies alone have no part along which heavier ones move."""
        here = with_rows(self.balance, self.rows, self.pushes, pressed(self.rows, self.pushes), self.loads)
        levels, own, scale = self.balance.motion_levels, here.motion_levels, here.motion_scale
        along = self.balance.free_velocities.T @ (here.system.weight[:, None] * here.free_velocities)
        along[levels[:, None] < own] = 0.0
        K = here.stiffness * np.outer(scale, scale)
        sizes, ways = np.linalg.eigh((K + K.T) / 2)
        least = max(here.least_stiffness(far), 1e-12 * np.abs(sizes).max(initial=0.0), 1e-300)
        sizes = np.maximum(np.abs(sizes), least)
        across, found = np.zeros((levels.size, 0)), [along * scale @ (ways / np.sqrt(sizes))]
        for level in reversed(range(here.efforts.size)):
            some = levels >= level
            apart = kernel_of(np.hstack([along[:, own >= level], across])[some].T)
            new = np.zeros((levels.size, apart.shape[1]))
            new[some] = apart
            across = np.hstack([across, new])
            found.append(new * here.level_scale[level] / np.sqrt(max(sizes.max(initial=0.0), least)))
        return np.hstack(found)

    @cached_property
    def loads(self) -> np.ndarray:
        """λ of joints."""
        return self.balance.taken_up(self.balance.forces + self.rows.G.T @ self.pushes)


def place_of(found: Rows, levels: np.ndarray | None = None) -> Place:
    """The place with levels of its own, or with those of another place."""
    balance, sizes = found.balance, found.balance.sizes
    if levels is None:
        return Place(found, with_loads(found, pushes_of, sizes))
    rows = replace(found, balance=replace(balance, levels=levels))
    loads = np.abs(rows.G).T @ np.abs(pushes_of(rows)) / np.sqrt(balance.system.weight) if levels.any() else 0.0
    return Place(found, replace(rows, balance=replace(rows.balance, sizes=sizes + loads)))


def pushes_of(rows: Rows) -> np.ndarray:
    """The normal forces that leave least of what is unbalanced, relative to the efforts of levels, along all rows of
    contacts."""
    balance, found = rows.balance, np.zeros(len(rows.G))
    sizes = np.where(balance.efforts > 0.0, balance.efforts, 1.0)[balance.motion_levels]
    found[rows.closed] = pushed(rows.along[rows.closed] / sizes, balance.unbalanced / sizes)
    return found


def settle_on(system: System, t: float, q: np.ndarray) -> Supported | None:
    """Downhill from a pose without overlap; nothing where no rest is found."""
    here, far, reach = place_of(rows_at(balance_at(system, t, q))), system.length, LONGEST * system.length
    near = 0
    for _ in range(ITERATIONS):
        near += here.is_balanced(LOOSE)
        if here.is_balanced(TIGHT) or near > POLISHED:
            return rest_on(here)
        y, closing = here.downhill(far)
        part = min(1.0, reach / (float(np.linalg.norm(y)) or 1.0))
        there = _stepped(here, y, closing, part)
        if there is None:
            if here.is_balanced(LOOSE):
                return rest_on(here)
            if far < 1e-3 * system.length:
                return None
            far *= 0.1
            continue
        far *= 10.0 if part == 1.0 else 1.0
        reach = 2.0 * reach if part < 1.0 else max(0.5 * reach, LONGEST * system.length)
        if reach > FAR * system.length:
            return None
        here = place_of(there.found)
    return None


def _stepped(here: Place, y: np.ndarray, closing: np.ndarray, most: float) -> Place | None:
    """The place after a step, or after as much of it as helps: forces have done work, or less of them is left. It helps
    the largest forces that are not balanced yet, or else those of a level below."""
    balance = here.balance
    way, parts = balance.free_velocities @ y, most * 0.5 ** np.arange(12)
    stays = [closing if part == 1.0 else np.intersect1d(closing, here.rows.closed) for part in parts]
    places: dict[int, Place | None] = {}
    for level in np.flatnonzero(here.left > TIGHT * balance.efforts):
        own, left = balance.levels >= level, float(np.linalg.norm(balance.in_parts(here.left)[level:]))
        for k, part in enumerate(parts.tolist()):
            if k not in places:
                places[k] = moved_to(balance, part * way, stays[k])
            if (there := places[k]) is None:
                continue
            work = float(work_between(balance, there.balance)[own].sum())
            expected = max(1e-4 * part * float(balance.forces[own] @ way[own]), 0.0)
            remains = float(np.linalg.norm(balance.in_parts(there.left)[level:]))
            if work > expected or remains < left * (1.0 - 1e-3 * part):
                return there
    return None


def moved_to(here: Balance, way: np.ndarray, closing: np.ndarray) -> Place | None:
    """The place some way off, with joints and these gaps closed, and no others less than that."""
    system, q, root = here.system, here.system.moved(here.q, way), 1.0 / np.sqrt(here.system.weight)
    shut = {*closing.tolist()}
    try:
        for there in _balances(system, here.t, q):
            rows = rows_at(there)
            small = CLOSED * system.length * np.maximum(np.linalg.norm(rows.G * root, axis=1), RANK)
            shut |= {int(row) for row in rows.gaps if rows.phi[row] < -small[row]}
            own = sorted(shut)
            J, lengths = unit_rows(np.vstack([there.jacobian[there.position_rows], rows.G[own]]) * root)
            off = np.append(there.phi[there.position_rows], rows.phi[own]) / lengths
            if np.abs(off).max(initial=0.0) <= CLOSED * system.length:
                return place_of(rows, here.levels)
            q[:] = system.moved(q, -root * np.linalg.lstsq(J, off, rcond=RANK)[0])
    except MbsError:  # a force without value out there
        pass
    return None


def _balances(system: System, t: float, q: np.ndarray) -> Iterator[Balance]:
    for _ in range(ROUNDS):
        yield balance_at(system, t, q)


def rest_on(here: Place) -> Supported:
    """The balance of a place, with the least of all forces that hold it up: λ of joints and f ≥ 0 of contacts."""
    rows, balance, closed = here.rows, here.balance, here.rows.closed
    held = with_rows(balance, rows, here.pushes, closed, here.loads)
    J, lengths = unit_rows(held.jacobian / np.sqrt(balance.system.weight))
    n = len(balance.jacobian)
    x = held.taken_up(balance.forces)  # λ and -f
    free = null_space(J.T, rcond=RANK) if J.size else np.zeros((len(J), 0))
    found, _ = least_distance(-free[n:], (x * lengths)[n:])
    if found is None:  # but for roundoff there are some
        return standing(rows, here.pushes)
    x = x + free @ found / lengths
    x = x + held.taken_up(balance.forces - held.jacobian.T @ x)
    pushes = np.zeros(len(rows.G))
    pushes[closed] = np.maximum(-x[n:], 0.0)
    return standing(rows, pushes)
