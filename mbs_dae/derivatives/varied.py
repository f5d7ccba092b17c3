"""Results whose arrays carry their derivatives: everything that is read of them by name is read with these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.derivatives import builder_of, filled
from ..compiled.dynamics import POWER, SCALARS
from ..compiled.reading import Trajectory
from ..compiled.slopes import places_moved
from ..duals import Dual
from ..errors import ModelError
from ..kernels.blocks import block
from ..motion.mechanism import mechanism
from ..readings.motion import ComputedQuantities, computed
from ..readings.reactions import ComputedReactions
from ..results.quantities import frozen, ledger
from ..results.result import Result
from .along import LEVELS, Variation, chain, vary_forces, vary_motion
from .parameters import Asked

KINEMATIC = LEVELS[:3]


@dataclass(frozen=True, eq=False)
class Varied:
    """A motion that its equations determine at every time, and how it changes with parameters."""

    result: Result
    asked: Asked
    works: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    """(times, powers): what the ledger of the result makes of powers, which is linear in them."""

    @cached_property
    def system(self) -> System:
        system: System = self.asked.model.compile()
        return system

    @cached_property
    def motion(self) -> Trajectory:
        return computed(self.result).motion

    @cached_property
    def numbers(self) -> np.ndarray:
        """How the numbers in the slots of constraints change: (parameters, slots)."""
        return self.system.structure.program.batch.slopes(self.system.evaluator, self.asked.symbols)

    @cached_property
    def moved(self) -> Variation:
        """How places, velocities and accelerations change: rows for each time, and for each parameter in it."""
        system, path, count = self.system, self.motion, len(self.asked.names)
        builder = builder_of(system.structure, KINEMATIC, True)
        own = chain(builder, filled(builder, system), self.numbers)
        x, v, a = (np.zeros((path.t.size * count, path.v.shape[1])) for _ in range(3))
        out = Variation(x, v, a, np.zeros((0, 0)))
        vary_motion(system.machine(), own, block(path), block(out))
        unknown = np.isin(self.result.t, self.result.stats.get("change_points", ()))  # the motion alone goes on there
        for rows in out[:3]:
            rows[np.repeat(unknown, count)] = np.nan
        return out

    @cached_property
    def forced(self) -> Variation:
        """And multipliers."""
        system, path, count = self.system, self.motion, len(self.asked.names)
        builder = builder_of(system.structure, LEVELS, True)
        forces = system.structure.dynamics.batch.slopes(system.evaluator, self.asked.symbols)
        own = chain(builder, filled(builder, system), np.concatenate([self.numbers, forces], axis=1))
        out = self.moved._replace(
            a=np.zeros_like(self.moved.a), multipliers=np.zeros((path.t.size * count, len(system.rows)))
        )
        vary_forces(mechanism(system, refinements=2), own, block(path), self.multipliers.copy(), block(out))
        return out

    @property
    def multipliers(self) -> np.ndarray:
        assert self.result.multipliers is not None
        return self.result.multipliers

    def _by_parameter(self, rows: np.ndarray) -> np.ndarray:
        return np.moveaxis(rows.reshape(self.motion.t.size, len(self.asked.names), -1), 1, 0).copy()

    def dual(self, value: np.ndarray, rows: np.ndarray) -> Dual:
        return Dual(value, self._by_parameter(rows), self.asked.symbols)

    @cached_property
    def path(self) -> Any:
        """The trajectory: times, and places, velocities and accelerations with their derivatives."""
        own, out = self.motion, self.moved
        moved = places_moved(self.system.structure, own.q, self._by_parameter(out.x))
        q = Dual(own.q, moved, self.asked.symbols)
        more: Any = q, self.dual(own.v, out.v), self.dual(own.a, out.a)
        return Trajectory(own.t, *more)

    @cached_property
    def read(self) -> Result:
        """The result with derivatives in all arrays."""
        path, more, reactions = self.path, dict[str, Any](), self.result.reactions
        if isinstance(reactions, ComputedReactions):
            multipliers: Any = self.dual(self.multipliers, self.forced.multipliers)
            more["multipliers"] = multipliers
            loads = reactions.loads._replace(multipliers=multipliers)
            more["reactions"] = replace(reactions, _system=self.system, _motion=path, loads=loads)
            more["ledger"] = ledger(self._energies(multipliers))
        quantities = ComputedQuantities(self.system, path)
        q, v, a = path[1:]
        return replace(self.result, q=q, v=v, a=a, quantities=quantities, **more)

    def _energies(self, multipliers: Any) -> Any:
        """The columns of the ledger: kinetic, potential, and the works of the powers."""
        system, (t, q, v, _), assembled = self.system, self.path, self.system.dynamics
        builder = system.structure.dynamics.batch
        of = np.repeat(np.arange(SCALARS), np.diff(assembled.scalar_at))
        add = np.zeros((builder.out_size, SCALARS))
        np.add.at(add, (assembled.scalar_from, of), 1.0)
        scalars = system.outputs_of(builder, t, q, v).each(lambda x: x @ add)
        nu = system.outputs_of(system.structure.program.batch, t, q, v)[:, system.program.nu_from]
        powers = [-scalars[:, k] for k in range(POWER, SCALARS)]
        powers[-1] = scalars[:, SCALARS - 1] - (multipliers * nu).sum(axis=1)
        assert self.works is not None
        works = partial(self.works, t)
        together: Any = np.stack(powers, axis=1)
        return np.concatenate([scalars[:, :POWER], together.each(works)], axis=1)


def with_derivatives(
    result: Result, asked: Asked | None, works: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
) -> Result:
    """The result, which knows then how its motion varies. (Set in place: a copy would read all that waits.)"""
    if asked is not None:
        object.__setattr__(result, "varied", Varied(result, asked, works))
    return result


def derivative(result: Result, name: str, by: Any) -> np.ndarray:
    """See `Result.d`."""
    varied: Varied | None = result.varied
    if varied is None:
        what = "this result has no derivatives; kinematics and inverse_dynamics make some when they are asked, e.g."
        raise ModelError(f'{what} kinematics(model, times, derivatives=["r"]), and files do not keep them')
    known = varied.asked.names
    wanted = str(getattr(by, "symbol", by))
    if wanted not in known:
        raise ModelError(f"this result has derivatives by {', '.join(known)}, and none by {wanted!r}")
    values = varied.read[name]
    if not isinstance(values, Dual):
        what = f"{name!r} is no function of the motion, and has no derivative"
        raise ModelError(f"{what}; ask for a place, a rate, a load or an energy")
    found = values.slope[known.index(wanted)].copy()
    if result.reactions is not None:
        found[~result.is_unique(name)] = np.nan
    return frozen(found)
