"""The equations at a pose with contacts: rows of joints, and rows of contacts that hold.

While contacts press or stick, they act like joints, with the multipliers -f:

    F = Φ_vᵀ λ - Gᵀ f - Q,      Φ_v v = ν,      G v = 0.

So the equations of small motions about a rest apply to the motions that these rows allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from ...compiled.contact_records import CLOSED, OPEN
from ...compiled.derivatives import derivative_matrix
from ...errors import ModelError
from ...motion.contact.reports import states_of
from ...tolerances import SUPPORT_TOLERANCE
from ..balance import Balance
from .rows import ContactRows


@dataclass(frozen=True, eq=False)
class Supported(Balance):
    """A balance with the rows of joints and of the contacts that hold."""

    rows: ContactRows = field(repr=False)
    pushes: np.ndarray
    """The forces along all rows of contacts, shape (rows,)."""
    held: np.ndarray
    """The numbers of the rows of contacts that hold."""
    loads: np.ndarray
    """The multipliers λ of the rows of joints."""

    @property
    def position_rows(self) -> np.ndarray:
        return np.append(super().position_rows, np.isin(self.held, self.rows.gaps))

    @property
    def row_units(self) -> np.ndarray:
        return np.append(super().row_units, np.ones(self.held.size))

    @cached_property
    def multipliers(self) -> np.ndarray:
        return np.append(self.loads, -self.pushes[self.held])

    @cached_property
    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(self.system.nv), self.multipliers

    @cached_property
    def soon(self) -> tuple[Balance, ...]:
        return tuple(with_rows(one, self.rows, self.pushes, self.held, self.loads) for one in self.rows.balance.soon)

    def derivatives(self, a: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, ...]:
        system, n, rows = self.system, self.system.nv, len(self.rows.balance.jacobian)
        K, D, *slopes = self.rows.balance.derivatives(a, multipliers[:rows])
        own, still = np.zeros(len(self.rows.G)), system.still
        own[self.held] = multipliers[rows:]
        full = still.copy()
        full[:n] = a
        read = self.rows.contacts.program
        found = derivative_matrix(system, self.t, self.q, still, full, own, read).toarray()
        rates, accelerations = found[n : n + own.size], found[n + own.size :]
        own_slopes = rates[:, :n], accelerations[:, :n], accelerations[:, n : 2 * n]
        below = (np.vstack([one, other[self.held]]) for one, other in zip(slopes, own_slopes, strict=True))
        return K + found[:n, :n], D, *below

    def check_two_sided(self) -> None:
        """Raise a `ModelError` if a gap is closed without pressing and may open: then small motions have no linear
        law."""
        touching = np.setdiff1d(self.rows.closed, self.held)
        felt = np.abs(self.rows.G[touching] @ self.free_velocities).max(axis=1, initial=0.0)
        if (some := touching[felt > SUPPORT_TOLERANCE * np.linalg.norm(self.rows.along[touching], axis=1)]).size:
            points = [k for k, gap in enumerate(self.rows.contacts.gap) if gap in some]
            raise ModelError(
                f"{', '.join(map(self.rows.who, points))} of {self.system.model.name!r} touches without pressing: a "
                "small motion opens it to one side and not to the other, so small motions have no law; look at a pose "
                "aside of this one, or leave it out",
                code="touches-without-pressing", contacts=tuple(map(self.rows.who, points)),
                model=self.system.model.name,
            )  # fmt: skip


def with_rows(
    balance: Balance, rows: ContactRows, pushes: np.ndarray, held: np.ndarray, loads: np.ndarray
) -> Supported:
    """Return the balance (of joints) with these rows of contacts."""
    own = {one.name: getattr(balance, one.name) for one in fields(Balance)}
    own["jacobian"] = np.vstack([balance.jacobian, rows.G[held]])
    own["phi"], none = np.append(balance.phi, rows.phi[held]), np.zeros(held.size)
    own |= {"nu": np.append(balance.nu, none), "gamma": np.append(balance.gamma, none)}
    return Supported(**own, rows=rows, pushes=pushes, held=held, loads=loads)


def pressed(rows: ContactRows, pushes: np.ndarray) -> np.ndarray:
    """Return the numbers of the gaps that press."""
    return rows.gaps[
        pushes[rows.gaps] > SUPPORT_TOLERANCE * np.minimum(rows.units, np.abs(pushes).max(initial=0.0))[rows.gaps]
    ]


def modes_of(here: Supported) -> Mapping[str, np.ndarray]:
    """Return the states of contacts by name, as results show them."""
    index, modes = here.rows.contacts, np.zeros((1, here.rows.contacts.entries))
    for gap, entry in zip(index.gap, index.entry, strict=True):
        if gap >= 0:
            modes[0, entry] = CLOSED if gap in here.rows.closed else OPEN
    return states_of(here.system, modes)


def standing(rows: ContactRows, pushes: np.ndarray) -> Supported:
    """Return the balance of a pose that these forces along the rows of contacts hold: gaps that press stay closed, and
    slips with friction stick."""
    felt = SUPPORT_TOLERANCE * np.minimum(rows.units, np.abs(pushes).max(initial=0.0))
    sticking = [
        np.arange(one.slips.start, one.slips.stop)
        for one in rows.bounds
        if np.linalg.norm(one.b + one.B @ pushes) > felt[one.slips].min()
    ]
    loads = rows.balance.multipliers_for(rows.balance.forces + rows.G.T @ pushes)
    return with_rows(rows.balance, rows, pushes, np.concatenate([pressed(rows, pushes), *sticking]).astype(int), loads)
