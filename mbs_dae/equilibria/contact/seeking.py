"""Descend to a pose in which a mechanism rests on its contacts, without friction.

Each step is a small motion y along a basis of the free velocities that lowers the energy most within all gaps,

    ½ yᵀ H y - rᵀ y  least,      g + A y ≥ 0,

r the unbalanced forces, A the gradients of the gaps. The multipliers of this problem are normal forces; they tell which
gaps stay closed and which open. H is the stiffness, with the terms of turning contact forces, along the motions that
keep pressing gaps closed, made positive as in `seeking`; across these motions any positive number will do. Then
Newton's method closes the joints and these gaps, so that every pose on the way is admissible.

The mechanism is at rest where contact forces f ≥ 0 balance r.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import null_space

from ...compiled import System
from ...errors import MbsError
from ...tolerances import BALANCE_LIMIT, BALANCE_TOLERANCE, POSE_RESIDUAL, RANK_TOLERANCE
from ..balance import Balance, balance_at, kernel_of, unit_rows
from ..seeking import ITERATIONS, LONGEST, work_between
from .exact import compressive_forces, least_distance
from .rows import ContactRows, rows_at, with_loads
from .supported import Supported, pressed, standing, with_rows

FAR = 1e4
"""A longest step beyond this, in lengths of the model, ends the search without a rest."""
ROUNDS = 30
POLISHED = 20
"""Number of further steps from a rest within LOOSE to one within TIGHT: gaps are closed to `POSE_RESIDUAL`, and forces
that depend on gaps are no more accurate."""


@dataclass(frozen=True, eq=False)
class AssembledPose:
    """An assembled pose in which no bodies overlap."""

    contacts: ContactRows
    """The rows of contacts at the pose, with levels of their balance."""
    rows: ContactRows
    """The rows of contacts with levels of all loads that bodies carry."""

    @property
    def balance(self) -> Balance:
        return self.rows.balance

    @cached_property
    def pushes(self) -> np.ndarray:
        return pushes_of(self.rows)

    @cached_property
    def residuals(self) -> np.ndarray:
        """The norm of the forces of each level that contacts do not balance, shape (levels,)."""
        return self.balance.of_levels(self.balance.unbalanced + self.rows.along.T @ self.pushes)

    def is_balanced(self, near: float) -> bool:
        return bool((self.residuals <= near * self.balance.efforts).all())

    def downhill(self, far: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the step y, with a stiffness of no less than (forces over `far`), and the gaps that the step
        closes."""
        gaps, ways = self.rows.gaps, self._ways(far)
        start, A = ways.T @ self.balance.unbalanced, self.rows.along[gaps] @ ways
        gap = np.maximum(self.rows.phi[gaps], 0.0)
        step, multipliers = least_distance(A, -gap - A @ start)
        assert step is not None  # y = 0 obeys all gaps
        felt = RANK_TOLERANCE * np.minimum(self.rows.units[gaps], multipliers.max(initial=0.0))
        return ways @ (start + step), gaps[multipliers > felt]

    def _ways(self, far: float) -> np.ndarray:
        """Return small motions y = T z of energy |z|²/2: those that keep pressing gaps closed, by their stiffness, and
        others. Motions of light bodies alone have no component along the motions of heavier ones."""
        here = with_rows(self.balance, self.rows, self.pushes, pressed(self.rows, self.pushes), self.loads)
        levels, heavier, scale = self.balance.motion_levels, here.motion_levels, here.motion_scale
        along = self.balance.free_velocities.T @ (here.system.weight[:, None] * here.free_velocities)
        along[levels[:, None] < heavier] = 0.0
        K = here.stiffness * np.outer(scale, scale)
        sizes, modes = np.linalg.eigh((K + K.T) / 2)
        least = max(here.least_stiffness(far), 1e-12 * np.abs(sizes).max(initial=0.0), 1e-300)
        sizes = np.maximum(np.abs(sizes), least)
        across, motions = np.zeros((levels.size, 0)), [along * scale @ (modes / np.sqrt(sizes))]
        for level in reversed(range(here.efforts.size)):
            some = levels >= level
            apart = kernel_of(np.hstack([along[:, heavier >= level], across])[some].T)
            new = np.zeros((levels.size, apart.shape[1]))
            new[some] = apart
            across = np.hstack([across, new])
            motions.append(new * here.level_scale[level] / np.sqrt(max(sizes.max(initial=0.0), least)))
        return np.hstack(motions)

    @cached_property
    def loads(self) -> np.ndarray:
        """The multipliers λ of joints, with the normal forces as loads."""
        return self.balance.multipliers_for(self.balance.forces + self.rows.G.T @ self.pushes)


def place_of(contacts: ContactRows, levels: np.ndarray | None = None) -> AssembledPose:
    """Return the place with levels of its own, or with those of another place."""
    balance, sizes = contacts.balance, contacts.balance.sizes
    if levels is None:
        return AssembledPose(contacts, with_loads(contacts, pushes_of, sizes))
    rows = replace(contacts, balance=replace(balance, levels=levels))
    loads = np.abs(rows.G).T @ np.abs(pushes_of(rows)) / np.sqrt(balance.system.weight) if levels.any() else 0.0
    return AssembledPose(contacts, replace(rows, balance=replace(rows.balance, sizes=sizes + loads)))


def pushes_of(rows: ContactRows) -> np.ndarray:
    """Return the normal forces that leave the least unbalanced forces, relative to the efforts of levels, along all
    rows of contacts, shape (rows,)."""
    balance, forces = rows.balance, np.zeros(len(rows.G))
    sizes = np.where(balance.efforts > 0.0, balance.efforts, 1.0)[balance.motion_levels]
    forces[rows.closed] = compressive_forces(rows.along[rows.closed] / sizes, balance.unbalanced / sizes)
    return forces


def settle_on(system: System, t: float, q: np.ndarray, lawless: list[MbsError] | None = None) -> Supported | None:
    """Descend from a pose without overlap to a rest; return None where no rest is found. Errors of forces and friction
    that have no value where the last step would lead are put into `lawless`."""
    here, far, reach = place_of(rows_at(balance_at(system, t, q))), system.length, LONGEST * system.length
    near = 0
    for _ in range(ITERATIONS):
        near += here.is_balanced(BALANCE_LIMIT)
        if here.is_balanced(BALANCE_TOLERANCE) or near > POLISHED:
            return rest_on(here)
        y, closing = here.downhill(far)
        part = min(1.0, reach / (float(np.linalg.norm(y)) or 1.0))
        there = _stepped(here, y, closing, part, lawless)
        if there is None:
            if here.is_balanced(BALANCE_LIMIT):
                return rest_on(here)
            if far < 1e-3 * system.length:
                return None
            far *= 0.1
            continue
        far *= 10.0 if part == 1.0 else 1.0
        reach = 2.0 * reach if part < 1.0 else max(0.5 * reach, LONGEST * system.length)
        if reach > FAR * system.length:
            return None
        here = place_of(there.contacts)
    return None


def _stepped(
    here: AssembledPose, y: np.ndarray, closing: np.ndarray, most: float, lawless: list[MbsError] | None = None
) -> AssembledPose | None:  # fmt: skip
    """Return the place after the largest part of a step that helps, None if none does: forces have done work, or less
    of them is left unbalanced. A step has to help the largest forces that are not balanced yet, or else those of a
    level below."""
    balance = here.balance
    way, parts = balance.free_velocities @ y, most * 0.5 ** np.arange(12)
    stays = [closing if part == 1.0 else np.intersect1d(closing, here.rows.closed) for part in parts]
    places: dict[int, AssembledPose | None] = {}
    lawless = [] if lawless is None else lawless
    lawless.clear()
    for level in np.flatnonzero(here.residuals > BALANCE_TOLERANCE * balance.efforts):
        own, left = balance.levels >= level, float(np.linalg.norm(balance.in_parts(here.residuals)[level:]))
        for k, part in enumerate(parts.tolist()):
            if k not in places:
                places[k] = moved_to(balance, part * way, stays[k], lawless)
            if (there := places[k]) is None:
                continue
            work = float(work_between(balance, there.balance)[own].sum())
            expected = max(1e-4 * part * float(balance.forces[own] @ way[own]), 0.0)
            remains = float(np.linalg.norm(balance.in_parts(there.residuals)[level:]))
            if work > expected or remains < left * (1.0 - 1e-3 * part):
                return there
    return None


def moved_to(
    here: Balance, motion: np.ndarray, closing: np.ndarray, lawless: list[MbsError]
) -> AssembledPose | None:  # fmt: skip
    """Return the place after a small motion, with joints and these gaps closed, and all other gaps that would overlap;
    None if Newton's method fails, or if a force has no value there, whose error is put into `lawless`."""
    system, q, root = here.system, here.system.moved(here.q, motion), 1.0 / np.sqrt(here.system.weight)
    shut = {*closing.tolist()}
    try:
        for _ in range(ROUNDS):
            balance = balance_at(system, here.t, q)
            rows = rows_at(balance)
            small = POSE_RESIDUAL * system.length * np.maximum(np.linalg.norm(rows.G * root, axis=1), RANK_TOLERANCE)
            shut |= {int(row) for row in rows.gaps if rows.phi[row] < -small[row]}
            gaps = sorted(shut)
            J, lengths = unit_rows(np.vstack([balance.jacobian[balance.position_rows], rows.G[gaps]]) * root)
            residuals = np.append(balance.phi[balance.position_rows], rows.phi[gaps]) / lengths
            if np.abs(residuals).max(initial=0.0) <= POSE_RESIDUAL * system.length:
                return place_of(rows, here.levels)
            q[:] = system.moved(q, -root * np.linalg.lstsq(J, residuals, rcond=RANK_TOLERANCE)[0])
    except MbsError as error:
        lawless.append(error)
    return None


def rest_on(here: AssembledPose) -> Supported:
    """Return the balance of a place, with the least of all forces that hold it: λ of joints and f ≥ 0 of contacts."""
    rows, balance, closed = here.rows, here.balance, here.rows.closed
    held = with_rows(balance, rows, here.pushes, closed, here.loads)
    J, lengths = unit_rows(held.jacobian / np.sqrt(balance.system.weight))
    n = len(balance.jacobian)
    x = held.multipliers_for(balance.forces)  # the multipliers λ and -f
    free = null_space(J.T, rcond=RANK_TOLERANCE) if J.size else np.zeros((len(J), 0))
    found, _ = least_distance(-free[n:], (x * lengths)[n:])
    if found is None:  # no forces f ≥ 0, because of roundoff
        return standing(rows, here.pushes)
    x = x + free @ found / lengths
    x = x + held.multipliers_for(balance.forces - held.jacobian.T @ x)
    pushes = np.zeros(len(rows.G))
    pushes[closed] = np.maximum(-x[n:], 0.0)
    return standing(rows, pushes)
