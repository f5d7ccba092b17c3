"""Contacts at a pose: their rows, and the bounds of their friction.

With f along the rows G of contacts a mechanism is at rest where

    Q - Φ_vᵀ λ + Gᵀ f = 0,      Φ = 0,      0 ≤ g,  0 ≤ f_n,  g f_n = 0,      |f_s| ≤ μ N,

N the normal force of a contact or of a joint, |b + B f|, or N = 1 and μ N a given force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...compiled.contact_rows import observe_contacts, put_rows
from ...compiled.contacts import ContactsBuilder
from ...errors import ModelError
from ...explain.contacts import point_of
from ...motion.contact.friction_faults import frictions_at_fault, no_friction
from ...motion.mechanism import mechanism
from ...tolerances import CONTACT_TOLERANCE, PRESCRIBED_RATE
from ..balance import Balance, levels_of_forces

ROUNDS = 5
"""Greatest number of updates of the levels of loads through contacts: each leaves ε of the error before it."""


@dataclass(frozen=True, eq=False)
class FrictionBound:
    """A bound |f[slips]| ≤ |b + B f| of friction; b and B include the coefficient of rest."""

    point: int
    slips: slice
    b: np.ndarray
    B: np.ndarray
    joint: bool
    """Whether the normal force is that of a joint, whose direction may vary; that of a contact, and a given force, has
    one component."""


@dataclass(frozen=True, eq=False)
class ContactRows:
    """The rows of contacts at the pose of a balance without contacts."""

    balance: Balance
    phi: np.ndarray
    G: np.ndarray
    factors: np.ndarray
    """Outputs of `normals.readings` from which the bounds of friction follow: see `NormalForces`."""
    gap_size: float

    @cached_property
    def gaps(self) -> np.ndarray:
        """The numbers of the rows that are gaps."""
        gap = self.contacts.gap
        return np.sort(gap[gap >= 0])

    @property
    def contacts(self) -> ContactsBuilder:
        return self.balance.system.structure.contacts

    @cached_property
    def closed(self) -> np.ndarray:
        """The gaps that are closed."""
        return self.gaps[self.phi[self.gaps] <= CONTACT_TOLERANCE * self.gap_size]

    @cached_property
    def along(self) -> np.ndarray:
        """G along the free velocities: rates of gaps and slips, shape (rows, free velocities)."""
        return self.G @ self.balance.free_velocities

    @cached_property
    def units(self) -> np.ndarray:
        """A unit of force along each row, as large as the loads of the bodies on which it acts."""
        balance = self.balance
        unit = balance.efforts[balance.levels] * np.sqrt(balance.system.weight)
        sizes = np.linalg.norm(self.G / np.where(unit > 0.0, unit, 1.0), axis=1)
        return 1.0 / np.where(sizes > 0.0, sizes, 1.0)

    @cached_property
    def bounds(self) -> tuple[FrictionBound, ...]:
        """The bounds of all friction that may act here."""
        return tuple(self._bounds())

    def _bounds(self) -> Iterator[FrictionBound]:
        index, balance, lines = self.contacts, self.balance, len(self.G)
        laws = mechanism(balance.system).contacts.laws
        static = np.where(laws.coefficient < 0, laws.static, self.factors[laws.coefficient + 1])
        added = balance.multipliers_for(self.G.T) if balance.system.model.frictions else np.zeros((0, lines))
        closed, frictions = {*self.closed}, [bound.tolist() for bound in index.bound]
        for k, (gap, first, slips) in enumerate(zip(index.gap, index.slip, index.slips, strict=True)):
            if not slips or (gap >= 0 and gap not in closed):
                continue
            joint = False
            if gap >= 0:
                b, B = np.zeros(1), np.eye(lines)[[gap]]
            else:
                components, at, row, rows = (own[k] for own in frictions)
                if joint := bool(rows):
                    factors = self.factors[at : at + components * rows].reshape(components, rows)
                    b, B = factors @ balance.multipliers[row : row + rows], factors @ added[row : row + rows]
                else:
                    b, B = self.factors[[at + 1]], np.zeros((1, lines))
                    if b[0] < 0.0:
                        raise ModelError(
                            f"{self.who(k)} has a force at rest of {b[0]:.3g}; give one that is not negative",
                            code="friction-undefined-or-negative", values={self.who(k): float(b[0])},
                            model=self.balance.system.model.name,
                        )  # fmt: skip
            yield FrictionBound(k, slice(first, first + slips), static[k] * b, static[k] * B, joint)

    def who(self, point: int) -> str:
        return point_of(self.balance.system, point)


def with_loads(rows: ContactRows, pushes_of: Callable[[ContactRows], np.ndarray], sizes: np.ndarray) -> ContactRows:
    """Return the rows with levels of all loads that bodies carry: forces of these sizes, and forces that contacts pass
    on. A light body under a heavy one has heavy loads. The pushes follow from the rows, at first with a single
    level."""
    balance, root = rows.balance, np.sqrt(rows.balance.system.weight)
    levels = levels_of_forces(balance.system, sizes)
    one = replace(rows, balance=replace(balance, sizes=sizes, levels=0 * levels))
    for _ in range(ROUNDS if levels.any() else 0):
        loads = sizes + np.abs(one.G).T @ np.abs(pushes_of(one)) / root
        levels, before = levels_of_forces(balance.system, loads), one.balance.levels
        one = replace(rows, balance=replace(balance, sizes=loads, levels=levels))
        if (levels == before).all():
            break
    return one


def rows_at(balance: Balance) -> ContactRows:
    """Return the rows of contacts at the pose of this balance, in Cartesian coordinates."""
    run, system = mechanism(balance.system), balance.system
    for driving in system.structure.contacts.separations:
        raise ModelError(
            f"{driving.gear.who} has a pressure_angle, and what friction in joints holds at rest is found without the "
            "force that drives wheels apart; leave one of both out, or let mbs.simulate come to rest",
            code="pressure-angle-with-friction", element=driving.gear.name,
        )  # fmt: skip
    contacts = run.contacts
    motion = contacts.motion
    observe_contacts(contacts, balance.t, balance.q, system.still)
    put_rows(contacts)
    phi, G, factors = motion.phi.copy(), contacts.delassus.G[:, : system.nv].copy(), contacts.normals.factors.copy()
    if lost := frictions_at_fault(system, contacts):
        raise ModelError(
            "; ".join(no_friction(system.model.name, lost, balance.t)),
            code="friction-undefined-or-negative", values=lost, model=system.model.name, time=balance.t,
        )  # fmt: skip
    if not (np.isfinite(phi).all() and np.isfinite(G).all() and np.isfinite(factors).all()):
        raise ModelError(
            f"a contact of {system.model.name!r} has no value at t = {balance.t:g}",
            code="contact-without-value", model=system.model.name, time=balance.t,
        )  # fmt: skip
    found = ContactRows(balance, phi, G, factors, run.machine.gap_size)
    _check_still(found, np.maximum(np.abs(motion.nu), np.abs(motion.gamma)))
    return found


def _check_still(rows: ContactRows, moves: np.ndarray) -> None:
    if (moving := np.flatnonzero(moves > PRESCRIBED_RATE * rows.balance.system.length)).size:
        index = rows.contacts
        point = next(
            k
            for k in range(len(index.points))
            if moving[0] == index.gap[k] or moving[0] in range(index.slip[k], index.slip[k] + index.slips[k])
        )
        raise ModelError(
            f"{rows.who(point)} of {rows.balance.system.model.name!r} moves at t = {rows.balance.t:g}, so there is no "
            "rest; give constants in place of functions of time",
            code="contact-moves", contact=rows.who(point), time=rows.balance.t, model=rows.balance.system.model.name,
        )  # fmt: skip
