"""Results whose arrays carry derivatives: all quantities read by name have theirs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.derivatives import filled, lean_builder
from ..compiled.dynamics import POWER, SCALARS
from ..compiled.reading import Trajectory
from ..compiled.slopes import places_moved, small_motions
from ..duals import Dual
from ..errors import ModelError
from ..kernels.blocks import block
from ..motion.mechanism import mechanism
from ..readings.motion import ComputedQuantities, computed
from ..readings.reactions import ComputedReactions
from ..results.quantities import Energy, frozen, ledger
from ..results.result import Result, State
from .kinks import Kink, kinks_along
from .parameters import DesignVariables, StartChange
from .runs.linear import MOTION, Linear, linear
from .start import VariedStart
from .variation import Variation, vary_loads, vary_motion

KINEMATIC = MOTION[:3]
SHOWN = 5
"""The largest number of times in a message."""


@dataclass(frozen=True, eq=False)
class VariedResult(ABC):
    """A result, and how its quantities change with parameters."""

    result: Result
    variables: DesignVariables

    @cached_property
    def system(self) -> System:
        system: System = self.variables.model.compile()
        return system

    @cached_property
    def motion(self) -> Trajectory:
        return computed(self.result).motion

    @property
    @abstractmethod
    def path(self) -> Any:
        """The trajectory: times, and places, velocities and accelerations with their derivatives."""

    def __getitem__(self, name: str) -> Any:
        """Return the array of this name, with its derivatives. Arrays that follow from forces take more work."""
        return self.quantities[name] if name in self.quantities else self.read[name]

    @cached_property
    def quantities(self) -> ComputedQuantities:
        return replace(computed(self.result), system=self.system, motion=self.path, _read={})

    @cached_property
    def read(self) -> Result:
        """The result with derivatives in all arrays."""
        _, q, v, a = self.path
        return replace(self.result, q=q, v=v, a=a, quantities=self.quantities, **self.loads())

    def loads(self) -> dict[str, Any]:
        """Return the fields of the result that follow from forces, with derivatives; none here."""
        return {}

    @cached_property
    def scalars(self) -> Any:
        """Return energies and powers, (times, scalars)."""
        system, (t, q, v, _), assembled = self.system, self.path, self.system.dynamics
        builder = system.structure.dynamics.batch
        of = np.repeat(np.arange(SCALARS), np.diff(assembled.scalar_at))
        add = sps.csr_matrix((np.ones(of.size), (assembled.scalar_from, of)), (builder.out_size, SCALARS))
        return system.outputs_of(builder, t, q, v, add)

    def dual(self, value: np.ndarray, slope: np.ndarray) -> Dual:
        """Return an array that carries the derivatives `slope`, (parameters, times, ...)."""
        return Dual(value, slope, self.variables.symbols)


@dataclass(frozen=True, eq=False)
class VariedMotion(VariedResult):
    """A motion that equations determine at every time, with derivatives."""

    works: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    """The function of times and powers that gives the works in the ledger of the result, linear in powers."""

    @property
    def has_loads(self) -> bool:
        return isinstance(self.result.reactions, ComputedReactions)

    @cached_property
    def _moved_and_kinks(self) -> tuple[Variation, list[Kink]]:
        system, path, count, own = self.system, self.motion, len(self.variables.names), self.linear()
        x, v, a = (np.zeros((path.t.size * count, path.v.shape[1])) for _ in range(3))
        out = Variation(x, v, a, np.zeros((path.t.size * count if self.has_loads else 0, len(system.rows))))
        if self.has_loads:
            own_loads = self.multipliers.copy()
            vary_loads(system.machine(), mechanism(system), own, block(path), own_loads, block(out))
        else:
            vary_motion(system.machine(), own, block(path), block(out))
        unknown = np.isin(self.result.t, self.result.stats.get("change_points", ()))  # the motion alone goes on there
        for rows in out if self.has_loads else out[:3]:
            rows[np.repeat(unknown, count)] = np.nan
        kinks = self._kinks_of(x, v)
        for kink in kinks:
            for rows in (*out[: 3 * kink.is_constraint], *out[3 : 3 + self.has_loads]):
                rows[kink.time * count : (kink.time + 1) * count][kink.leaves] = np.nan
        return out, kinks

    @cached_property
    def moved(self) -> Variation:
        """Return the changes of places, velocities, accelerations, and multipliers if there are some: a row for each
        parameter at each time."""
        return self._moved_and_kinks[0]

    @property
    def kinks(self) -> list[Kink]:
        """Return the kinks of laws at the times of the motion."""
        return self._moved_and_kinks[1]

    def _kinks_of(self, x: np.ndarray, v: np.ndarray) -> list[Kink]:
        """Return the kinks of laws at the times of the motion, whose places and velocities change by x and v, a row for
        each parameter at each time; tell them. Without loads in the result laws of forces do not matter."""
        path, count = self.motion, len(self.variables.names)
        ways = (rows.reshape(path.t.size, count, -1)[..., : self.system.nv] for rows in (x, v))
        found = [*kinks_along(self.system, self.variables, path, self.result.multipliers, *ways)]
        times = dict[tuple[str, str], list[str]]()
        for kink in found:
            by = ", ".join(name for name, leaves in zip(self.variables.names, kink.leaves, strict=True) if leaves)
            times.setdefault((kink.who, by), []).append(f"{path.t[kink.time]:.6g}")
        for (who, by), at in times.items():
            more = f" and {len(at) - SHOWN} more times" if len(at) > SHOWN else ""
            tell(self.result, f"none at t = {', '.join(at[:SHOWN])}{more}, where {who} has a corner, by {by}")
        return found

    @property
    def levels(self) -> tuple[str, ...]:
        """The equations that tell how the motion changes."""
        return MOTION if self.has_loads else KINEMATIC

    def linear(self, weighted: int = 0) -> Linear:
        """Return the linearised equations, by parameters; going back with `weighted` rows of weights, by numbers."""
        system, structure = self.system, self.system.structure
        batches = [structure.program.batch, *([structure.dynamics.batch] if self.has_loads else ())]
        numbers = np.concatenate([batch.slopes(system.evaluator, self.variables.symbols) for batch in batches], axis=1)
        builder = lean_builder(structure, self.levels, numbers)
        return linear(builder, filled(builder, system), numbers[:0] if weighted else numbers, weighted)

    @property
    def multipliers(self) -> np.ndarray:
        assert self.result.multipliers is not None
        return self.result.multipliers

    def _by_parameter(self, rows: np.ndarray) -> np.ndarray:
        return np.moveaxis(rows.reshape(self.motion.t.size, len(self.variables.names), -1), 1, 0).copy()

    @cached_property
    def times(self) -> Any:
        """Return the times, with derivatives where they move."""
        return self.motion.t

    @cached_property
    def path(self) -> Any:
        own, (x, v, a) = self.motion, map(self._by_parameter, self.moved[:3])
        q: Any = self.dual(own.q, places_moved(self.system.structure, own.q, x))
        rates: Any = self.dual(own.v, v), self.dual(own.a, a)
        return Trajectory(self.times, q, *rates)

    def loads(self) -> dict[str, Any]:
        reactions = self.result.reactions
        if not isinstance(reactions, ComputedReactions):
            return {}
        known = reactions.loads._replace(multipliers=self._multipliers)
        return {
            "multipliers": self._multipliers,
            "reactions": replace(reactions, _system=self.system, _motion=self.path, loads=known),
            "ledger": self._ledger,
        }

    @cached_property
    def _multipliers(self) -> Any:
        return self.dual(self.multipliers, self._by_parameter(self.moved.multipliers))

    def _ledger(self) -> Energy:
        """Return the ledger; of a run it costs another way through all steps, so it is made when first read."""
        return ledger(self._energies())

    def _energies(self) -> Any:
        """Return the columns of the ledger: kinetic and potential energy, and the works of the powers."""
        system, (t, q, v, _), scalars = self.system, self.path, self.scalars
        nu = system.outputs_of(system.structure.program.batch, t, q, v)[:, system.program.nu_from]
        powers = [-scalars[:, k] for k in range(POWER, SCALARS)]
        powers[-1] = scalars[:, SCALARS - 1] - (self._multipliers * nu).sum(axis=1)
        assert self.works is not None
        works = partial(self.works, t)
        together: Any = np.stack(powers, axis=1)
        return np.concatenate([scalars[:, :POWER], together.each(works)], axis=1)


def with_derivatives(
    result: Result, variables: DesignVariables | None,
    works: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None, kind: type[VariedMotion] = VariedMotion,
) -> Result:  # fmt: skip
    """Set how the motion of a result varies, and return the result."""
    if variables is not None:
        set_varied(result, kind(result, variables, works))
        if there := result.stats.get("change_points", ()):
            tell(result, f"none at change points, at t = {', '.join(f'{t:g}' for t in there)}: the way on is a choice")
    return result


def set_varied(result: Result, varied: VariedResult) -> None:
    """Set how a result varies, in place: a copy would read all arrays that are not read yet."""
    object.__setattr__(result, "varied", varied)
    if told := varied.variables.told:
        tell(result, told)


def tell(result: Result, told: str) -> None:
    """Add a remark on the derivatives of a result to its statistics, in place."""
    known = "; ".join(filter(None, (result.stats.get("derivatives"), told)))
    object.__setattr__(result, "stats", {**result.stats, "derivatives": known})


@dataclass(frozen=True, eq=False)
class VariedState(VariedResult):
    """A state, as a motion of one time, with derivatives."""

    beginning: VariedStart
    forced: bool
    """Whether forces make its accelerations."""

    @cached_property
    def path(self) -> Any:
        begin, (t, *motion) = self.beginning, self.motion
        a = begin.acceleration if self.forced else begin.least_acceleration
        more: Any = (
            self.dual(own, _wide(x, own)) for own, x in zip(motion, (begin.q, begin.least_velocity, a), strict=True)
        )
        return Trajectory(t, *more)


def _wide(rows: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return a row for each parameter at one time, wide as `own`: with zeros behind `rows`."""
    wide = np.zeros((len(rows), *own.shape))
    wide[:, 0, : rows.shape[1]] = rows
    return wide


def state_with_derivatives(
    state: State, variables: DesignVariables | None, given: Mapping[str, float], start: State | None, forced: bool
) -> State:
    """Return the state that `assemble` has found from values given, with its derivatives set."""
    if variables is None:
        return state
    message = "; ".join(filter(None, (state.message, variables.told)))
    told = replace(state, message=message)
    begin = VariedStart(variables, told, given, start, starts_of(varied_of(start)))
    set_varied(told.result, VariedState(told.result, variables, begin, forced))
    return told


def varied_of(state: Any) -> VariedResult | None:
    """Return how a state changes; None if its derivatives are not known."""
    result = vars(state).get("result") if isinstance(state, State) else None
    return result.varied if result is not None else None


def starts_of(varied: VariedResult | None) -> Mapping[str, StartChange]:
    """Return how a start from a state changes, by the names of all parameters of its derivatives."""
    if varied is None:
        return {}
    _, q, v, _ = varied.path
    system = varied.system
    x, signals = small_motions(system.structure, q)[:, 0, : system.nv], q.slope[:, 0].copy()
    signals[:, : system.nq] = 0.0
    rows = zip(varied.variables.names, x, signals, v.slope[:, 0], strict=True)
    return {name: StartChange(*(own.copy() for own in row)) for name, *row in rows}


def state_derivative(state: State, name: str, by: Any) -> Any:
    """Return the derivative of a named quantity of a state: see `State.d`."""
    value = derivative(state.result, name, by)[0]
    return value if np.ndim(value) else float(value)


def derivative(result: Result, name: str, by: Any) -> np.ndarray:
    """Return the derivative of a named array of a result: see `Result.d`."""
    varied: VariedResult | None = result.varied
    if varied is None:
        what = "this result has no derivatives; ask for some, e.g. kinematics(model, times, derivatives=['r'])"
        raise ModelError(f"{what}; files do not keep them", code="result-from-file")
    known = varied.variables.names
    wanted = str(getattr(by, "symbol", by))
    if wanted not in known:
        raise ModelError(
            f"this result has derivatives by {', '.join(known)}, and none by {wanted!r}",
            code="not-differentiated-by", known=tuple(known),
        )  # fmt: skip
    values = varied[name]
    if not isinstance(values, Dual):
        what = f"{name!r} is not a function of the motion, and has no derivative"
        raise ModelError(f"{what}; ask for a place, a rate, a load or an energy", code="no-derivative")
    found = values.slope[known.index(wanted)].copy()
    if result.reactions is not None:
        found[~result.is_unique(name)] = np.nan
    return frozen(found)
