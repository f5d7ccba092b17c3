"""Downhill to where a mechanism comes to rest on what it touches, without friction.

Along a basis of the free velocities a small motion y is looked for that goes downhill most within what all gaps allow,

    ½ yᵀ H y - rᵀ y  least,      g + A y ≥ 0,

r the unbalanced forces, A the gradients of the gaps. Its multipliers are normal forces: what presses, and what opens,
is its answer. H is the stiffness, with what forces in contacts do when they turn, along the motions that keep closed
what presses, and positive there as in `seeking`; across them any number will do. Then Newton's method closes what is to
be closed, so that every pose on the way is a possible one.

It has come to rest where forces f ≥ 0 of what touches leave nothing of r.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import null_space, solve_triangular

from ...compiled import System
from ...errors import MbsError
from ...tolerances import RANK
from ..balance import Balance, balance_at, unit_rows
from ..seeking import ITERATIONS, LONGEST, LOOSE, TIGHT
from .least import least_distance, pushed
from .rows import Rows, rows_at
from .supported import Supported, pressed, standing, with_rows

FAR = 1e4
"""Who has come so far, in lengths of the model, will not come to rest."""
CLOSED = 1e-12
"""Gaps are closed to this part of the model's length."""
ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Place:
    """A closed pose on which no bodies overlap."""

    rows: Rows

    @property
    def balance(self) -> Balance:
        return self.rows.balance

    @cached_property
    def pushes(self) -> np.ndarray:
        """The normal forces that leave least of what is unbalanced, along all rows of contacts."""
        found = np.zeros(len(self.rows.G))
        found[self.rows.closed] = pushed(self.rows.along[self.rows.closed], self.balance.unbalanced)
        return found

    @cached_property
    def left(self) -> float:
        return float(np.linalg.norm(self.balance.unbalanced + self.rows.along.T @ self.pushes))

    def is_balanced(self, near: float) -> bool:
        return self.left <= near * self.balance.effort

    def downhill(self, far: float) -> tuple[np.ndarray, np.ndarray]:
        """y, with a stiffness of no less than (forces over `far`), and the gaps that it closes."""
        balance, gaps = self.balance, self.rows.gaps
        L = np.linalg.cholesky(self._stiffness(far))
        start = solve_triangular(L, balance.unbalanced, lower=True)
        A = solve_triangular(L, self.rows.along[gaps].T, lower=True).T
        gap = np.maximum(self.rows.phi[gaps], 0.0)
        step, multipliers = least_distance(A, -gap - A @ start)
        assert step is not None  # y = 0 is one that the gaps allow
        y = solve_triangular(L.T, start + step, lower=False)
        return y, gaps[multipliers > RANK * multipliers.max(initial=0.0)]

    def _stiffness(self, far: float) -> np.ndarray:
        here = with_rows(self.balance, self.rows, self.pushes, pressed(self.rows, self.pushes), self.loads)
        K, free = here.stiffness, here.free_velocities
        along = self.balance.free_velocities.T @ (here.system.weight[:, None] * free)
        sizes, ways = np.linalg.eigh((K + K.T) / 2)
        least = max(self.balance.effort / far, 1e-12 * np.abs(sizes).max(initial=0.0), 1e-300)
        ways = along @ ways
        across = null_space(along.T) if along.size else np.eye(len(along))
        stiff = max(np.abs(sizes).max(initial=0.0), least)
        return (ways * np.maximum(np.abs(sizes), least)) @ ways.T + stiff * across @ across.T

    @cached_property
    def loads(self) -> np.ndarray:
        """λ of joints."""
        return self.balance.taken_up(self.balance.forces + self.rows.G.T @ self.pushes)


def settle_on(system: System, t: float, q: np.ndarray) -> Supported | None:
    """Downhill from a pose without overlap; nothing where no rest is found."""
    here, far, reach = Place(rows_at(balance_at(system, t, q))), system.length, LONGEST * system.length
    for _ in range(ITERATIONS):
        if here.is_balanced(TIGHT):
            return rest_on(here)
        y, closing = here.downhill(far)
        part = min(1.0, reach / float(np.linalg.norm(y)))
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
        here = there
    return None


def _stepped(here: Place, y: np.ndarray, closing: np.ndarray, most: float) -> Place | None:
    """The place after a step, or after as much of it as helps: forces have done work, or less of them is left."""
    balance = here.balance
    way = balance.free_velocities @ y
    for part in most * 0.5 ** np.arange(12):
        stay = closing if part == 1.0 else np.intersect1d(closing, here.rows.closed)
        there = moved_to(balance, part * way, stay)
        if there is None:
            continue
        gone = balance.system.between(balance.q, there.balance.q)[: way.size]
        work = float((balance.forces + there.balance.forces) @ gone) / 2
        if work > 1e-4 * part * float(balance.forces @ way) or there.left < here.left * (1.0 - 1e-3 * part):
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
                return Place(rows)
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
    root = 1.0 / np.sqrt(balance.system.weight)
    J, lengths = unit_rows(np.vstack([balance.jacobian, -rows.G[closed]]) * root)
    n = len(balance.jacobian)
    least = np.linalg.lstsq(J.T, root * balance.forces, rcond=RANK)[0]
    free = null_space(J.T, rcond=RANK) if J.size else np.zeros((len(J), 0))
    found, _ = least_distance(free[n:], -least[n:])
    if found is None:  # but for roundoff there are some
        return standing(rows, here.pushes)
    x, pushes = (least + free @ found) / lengths, np.zeros(len(rows.G))
    pushes[closed] = np.maximum(x[n:], 0.0)
    return standing(rows, pushes)
