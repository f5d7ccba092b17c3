"""How an equilibrium changes with parameters.

At rest F = Φ_vᵀ λ - Q and Φ are 0 for every value of a parameter p. So with s' how the numbers in the equations change,

    [F_x   Φ_vᵀ] [dx]     [F_s s']
    [Φ_v   0   ] [dλ] = - [Φ_s s'],

where F_x, the stiffness, is not definite at an unstable equilibrium, and need not be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...compiled.derivatives import FORCES, POSITIONS
from ...compiled.reading import Trajectory
from ...compiled.slopes import places_moved
from ...derivatives.equations import Instant, solve_bordered
from ...derivatives.varied import Varied
from ...errors import ModelError
from ...readings.reactions import ComputedReactions
from ...results.quantities import ledger
from ...tolerances import RANK
from ..balance import Balance


@dataclass(frozen=True, eq=False)
class VariedRest(Varied):
    """The one pose of an equilibrium."""

    balance: Balance

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """dx and dλ, a row for each parameter. Where forces let a motion be as it likes, the least one is taken."""
        here = self.balance
        instant = Instant(self.system, self.asked.symbols, here.t, here.q, here.system.still)
        slopes = instant.slopes((POSITIONS, FORCES), here.system.still, here.multipliers)
        right = -slopes[FORCES].given, -slopes[POSITIONS].given
        found = solve_bordered(slopes[FORCES].x, instant.rows, *right, here.system.weight)
        return found.x.T, found.multipliers.T

    @property
    def is_held(self) -> bool:
        """Whether forces hold all motions: else it may be at rest elsewhere, too."""
        sines = np.linalg.svd(self.balance.stiffness, compute_uv=False)
        return not sines.size or bool(sines.min() > RANK * sines.max())

    @cached_property
    def path(self) -> Any:
        (t, q, v, a), x = self.motion, np.zeros((len(self.asked.names), *self.motion.v.shape))
        x[:, 0, : self.system.nv] = self.solved[0] if self.is_held else np.nan
        still: Any = (self.dual(one, np.zeros_like(x)) for one in (v, a))
        moved: Any = self.dual(q, places_moved(self.system.structure, q, x))
        return Trajectory(t, moved, *still)

    def loads(self) -> dict[str, Any]:
        reactions, energies = self.result.reactions, self.result.energy
        assert isinstance(reactions, ComputedReactions) and self.result.multipliers is not None
        slope = self.solved[1] if self.is_held else np.full_like(self.solved[1], np.nan)
        multipliers: Any = self.dual(self.result.multipliers, slope[:, None])
        known = reactions.loads._replace(multipliers=multipliers)
        potential: Any = self.scalars[:, 1]
        nothing = 0.0 * potential
        columns: Any = np.stack([nothing, potential, nothing, nothing, nothing], axis=1)
        assert energies is not None
        return {
            "multipliers": multipliers,
            "reactions": replace(reactions, _system=self.system, _motion=self.path, loads=known),
            "ledger": ledger(columns),
        }


def check_derivatives(balance: Balance) -> None:
    """What is refused: rests that other equations have a part in."""
    model = balance.system.model
    if moving := [state.name for state in model.states if not state.is_held]:
        what = f"{model.name!r} has states ({', '.join(moving)}), and its rest no derivatives yet"
        raise ModelError(f"{what}; leave derivatives= out")
    if balance.system.program.velocity_rows:
        who = next(row.element for row in balance.system.rows if row.unit.endswith("/s"))
        what = f"{who} restricts velocities only, so {model.name!r} may come to rest in many places"
        raise ModelError(f"{what}; leave derivatives= out")
