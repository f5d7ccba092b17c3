"""Derivatives of an equilibrium by parameters.

At rest F = Φ_vᵀ λ - Q and Φ are 0 for every value of a parameter p. So with s' the derivative of the numbers in the
equations,

    [F_x   Φ_vᵀ] [dx]     [F_s s']
    [Φ_v   0   ] [dλ] = - [Φ_s s'],

where F_x, the stiffness, is not definite at an unstable equilibrium, and need not be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...compiled.derivatives import FORCES, POSITIONS, SURFACES
from ...compiled.reading import Trajectory
from ...compiled.slopes import places_moved
from ...derivatives.equations import KernelState, solve_bordered
from ...derivatives.inputs import input_slopes
from ...derivatives.results import VariedResult
from ...errors import ModelError
from ...readings.motion import ComputedQuantities
from ...readings.reactions import ComputedReactions
from ...results.quantities import ledger
from ...tolerances import GUARD_CHANGE, RANK_TOLERANCE
from ..balance import Balance
from ..contact.supported import Supported
from ..corners import corners
from ..states import state_places
from .contacts import RestSlopes, check_contacts, rest_derivatives


@dataclass(frozen=True, eq=False)
class RestDerivatives(VariedResult):
    """The derivatives of the one pose of an equilibrium."""

    balance: Balance

    @cached_property
    def solved(self) -> RestSlopes:
        """The derivatives of pose, multipliers, states and contact forces. The least motion is taken where forces leave
        it free."""
        here, count = self.balance, len(self.variables.names)
        if isinstance(here, Supported) or state_places(here.system):
            with_contacts = rest_derivatives(here, self.variables)
            self._check_corners(with_contacts.x)
            return with_contacts
        instant = KernelState(self.system, self.variables.symbols, here.t, here.q, here.system.still)
        slopes = instant.slopes((POSITIONS, FORCES), here.system.still, here.multipliers)
        right = -slopes[FORCES].given, -slopes[POSITIONS].given
        found = solve_bordered(slopes[FORCES].x, instant.rows, *right, here.weight_by_level)
        self._check_corners(found.x.T)
        sines = np.linalg.svd(here.stiffness * np.outer(here.motion_scale, here.motion_scale), compute_uv=False)
        holds = not sines.size or bool(sines.min() > RANK_TOLERANCE * sines.max())
        return RestSlopes(found.x.T, found.multipliers.T, np.zeros((count, 0)), np.zeros((count, 0)), holds)

    def _check_corners(self, x: np.ndarray) -> None:
        """Raise a `ModelError` where a law bends or jumps at the rest, and a parameter moves its switching function off
        zero: with the changes x of the pose, (parameters, motions), neighbours rest on both sides, in two ways."""
        here = self.balance
        bends = {one.who for one in corners(here) if not one.by_speed}
        if not bends:
            return
        instant = KernelState(self.system, self.variables.symbols, here.t, here.q, here.system.still)
        along = instant.slopes((FORCES, SURFACES), here.system.still, here.multipliers)[SURFACES].along(x)
        structure = here.system.structure
        names = np.array(structure.program.batch.switching + structure.dynamics.batch.switching)
        least = GUARD_CHANGE * np.abs(x).max(axis=1, initial=0.0)
        for who in bends:
            leave = np.flatnonzero((np.abs(along[np.flatnonzero(names == who)]) > least).any(axis=0))
            for name in (self.variables.names[k] for k in leave):
                what = f"{who} of {self.system.model.name!r} has a corner at this rest, and neighbours on both sides"
                remedy = "leave it out of derivatives=, take another value, or round the law off"
                raise ModelError(
                    f"derivatives by {name}: {what}; {remedy}",
                    code="kink", name=name, subject=who, model=self.system.model.name,
                )  # fmt: skip

    def _nan_if_loose(self, slopes: np.ndarray) -> np.ndarray:
        """Return the slopes, or NaN where forces do not hold all motions, because the rest may then be elsewhere,
        too."""
        return slopes if self.solved.holds else np.full_like(slopes, np.nan)

    @cached_property
    def path(self) -> Any:
        (t, q, v, a), x = self.motion, np.zeros((len(self.variables.names), *self.motion.v.shape))
        x[:, 0, : self.system.nv] = self._nan_if_loose(self.solved.x)
        still: Any = (self.dual(one, np.zeros_like(x)) for one in (v, a))
        moved = places_moved(self.system.structure, q, x)
        moved[:, 0] += input_slopes(self.system, self.variables.symbols, self.balance.t)
        moved[:, 0, [*state_places(self.system).values()]] = self._nan_if_loose(self.solved.z)
        places: Any = self.dual(q, moved)
        return Trajectory(t, places, *still)

    @cached_property
    def pushes(self) -> Any:
        """The forces along the rows of contacts with their derivatives; None without contacts."""
        if not isinstance(self.balance, Supported):
            return None
        return self.dual(self.balance.pushes[None], self._nan_if_loose(self.solved.pushes)[:, None])

    @cached_property
    def quantities(self) -> ComputedQuantities:
        own = super().quantities
        return own if self.pushes is None else replace(own, pushes=self.pushes, _read={})

    def loads(self) -> dict[str, Any]:
        reactions, energies = self.result.reactions, self.result.energy
        assert isinstance(reactions, ComputedReactions) and self.result.multipliers is not None
        multipliers: Any = self.dual(self.result.multipliers, self._nan_if_loose(self.solved.multipliers)[:, None])
        names = reactions.loads._replace(multipliers=multipliers)
        touching = {} if self.pushes is None else {"_contacts": self.pushes}
        potential: Any = self.scalars[:, 1]
        nothing = 0.0 * potential
        columns: Any = np.stack([nothing, potential, nothing, nothing, nothing], axis=1)
        assert energies is not None
        return {
            "multipliers": multipliers,
            "reactions": replace(reactions, _system=self.system, _motion=self.path, loads=names, **touching),
            "ledger": ledger(columns),
        }


def check_derivatives(balance: Balance) -> None:
    """Raise a `ModelError` for a rest without derivatives: one held by friction, or with rows that restrict velocities
    only."""
    model = balance.system.model
    check_contacts(balance)
    if balance.system.program.velocity_rows:
        who = next(row.element for row in balance.system.rows if row.unit.endswith("/s"))
        what = f"{who} restricts velocities only, so {model.name!r} may come to rest in many places"
        raise ModelError(f"{what}; leave derivatives= out", code="no-derivative", subject=who, model=model.name)


def check_law_derivatives(balance: Balance) -> None:
    """Raise a `ModelError` for a rest whose law of small motions has no derivatives."""
    check_derivatives(balance)
    if isinstance(balance, Supported) or state_places(balance.system):
        what = f"{balance.system.model.name!r} has states or contacts, and its law of small motions no derivatives yet"
        raise ModelError(
            f"{what}; leave derivatives= out, or ask for those of the rest: mbs.equilibrium",
            code="derivative-not-available", model=balance.system.model.name,
        )  # fmt: skip
