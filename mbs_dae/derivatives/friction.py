"""Loads of a driven motion with friction in its joints, and how they change with parameters.

Friction follows from the normal force in its joint, which follows from friction: the loads λ solve F(λ, q, v; p) = 0,
by the state of each contact (it slips one way, or sticks) that the motion has at that time. How q, v and a change with
p follows from the constraints alone, exactly. Along that way λ is a smooth function of p as long as states hold, and

    dλ/dp = -F_λ⁻¹ (F_q q' + F_v v' + F_p)

follows from differences of the solved equations at the places of a stencil (`designs`): of states along (q', v'), and
of neighbouring designs. It is right to nine digits or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.dynamics import POWER
from ..compiled.reading import Trajectory
from ..compiled.slopes import places_moved
from ..motion.outcome import forces_along, modes_along
from ..readings.motion import ComputedQuantities
from ..readings.ranks import least
from ..readings.teeth import apart, with_separation
from ..tolerances import STENCIL_STEP
from .designs import CENTRAL, systems_beside
from .results import VariedMotion

Loads = Mapping[str, np.ndarray]
"""Multipliers, forces of contacts and powers, (times, ...), or their changes, (parameters, times, ...)."""


@dataclass(frozen=True, eq=False)
class FrictionMotion(VariedMotion):
    """A motion that drivers determine, with friction in its joints."""

    @property
    def has_loads(self) -> bool:
        """Return False: `moved` leaves the loads to `loads_moved`, since friction depends on them."""
        return False

    @cached_property
    def modes(self) -> np.ndarray:
        """Return the state of each contact at each time."""
        return modes_along(self.system, self.motion)[1]

    @cached_property
    def loads_moved(self) -> Loads:
        """Return the changes of the loads, (parameters, times, ...)."""
        system, own = self.system, self.motion
        x, rates, bends = map(self._by_parameter, self.moved[:3])
        places, modes = places_moved(system.structure, own.q, x), self.modes
        fastest = max(float(self._lengths(own.v).max(initial=0.0)), np.finfo(float).tiny)
        found = list[Loads]()
        for k, name in enumerate(self.variables.names):
            way = [places[k], rates[k], bends[k]]
            ended = ~np.all([np.isfinite(rows).all(axis=1) for rows in way], axis=0)
            ended[[kink.time for kink in self.kinks if kink.leaves[k]]] = True
            way = [np.where(ended[:, None], 0.0, rows) for rows in way]
            reach = self._lengths(x[k]) / system.length + self._lengths(way[1]) / fastest
            small = STENCIL_STEP / max(float(reach[~ended].max(initial=0.0)), np.finfo(float).tiny)
            aside = [[rows + c * small * by for rows, by in zip(own[1:], way, strict=True)] for c in CENTRAL.offsets]
            beside = [(system, Trajectory(own.t, *rows)) for rows in aside]
            size, stencil, systems = systems_beside(self.variables, name, "cartesian", {})
            weights = [*CENTRAL.weights / small, *stencil.weights / size]
            read = [_read(*one, modes) for one in (*beside, *((one, own) for one in systems))]
            total = {what: np.tensordot(weights, [one[what] for one in read], 1) for what in read[0]}
            for rows in total.values():
                rows[ended] = np.nan
            found.append(total)
        return {what: np.array([one[what] for one in found]) for what in found[0]}

    def _lengths(self, rows: np.ndarray) -> np.ndarray:
        """Return the length of each small motion, or of each velocity, (times,)."""
        return np.asarray(np.sqrt(rows[:, : self.system.nv] ** 2 @ self.system.weight))

    @cached_property
    def _multipliers(self) -> Any:
        return self.dual(self.multipliers, self.loads_moved["multipliers"])

    @cached_property
    def pushes(self) -> Any:
        """Return the forces of contacts and of friction, with derivatives."""
        return self.dual(_read(self.system, self.motion, self.modes)["contacts"], self.loads_moved["contacts"])

    @cached_property
    def quantities(self) -> ComputedQuantities:
        return replace(super().quantities, pushes=self.pushes, _read={})

    def loads(self) -> dict[str, Any]:
        found = super().loads()
        return found | {"reactions": replace(found["reactions"], _contacts=self.pushes)}

    def _energies(self) -> Any:
        own = _read(self.system, self.motion, self.modes)
        powers: Any = self.dual(own["powers"], self.loads_moved["powers"])
        assert self.works is not None
        return np.concatenate([self.scalars[:, :POWER], powers.each(partial(self.works, self.motion.t))], axis=1)


def _read(system: System, motion: Trajectory, modes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the loads of a motion, with the states of contacts held."""
    _, multipliers, contacts, rates, redundant = forces_along(system, motion, modes)
    multipliers = least(system, motion, multipliers, redundant) if redundant else multipliers
    multipliers = with_separation(system, motion, multipliers) if apart(system) else multipliers
    return {"multipliers": multipliers, "contacts": contacts, "powers": rates[:, 2:]}
