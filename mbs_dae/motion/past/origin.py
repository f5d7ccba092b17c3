"""The run to which a state belongs, so that another run can go on from the state as if the first had not stopped.

A state lies inside a step, or at its end. A run of the same equations, by the same method and options, goes on from the
state with this step: from its beginning, with the memory of the first run there. For the last state of a run the memory
is kept. For other states the run is made again, up to the state: runs are the same to the last bit whenever they are
made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...compiled import System
from ...results.result import State
from ..methods.stepping import Stepping
from ..stabilise import Stabilization
from .memory import Memory
from .recipe import recipe_of


@dataclass(frozen=True, eq=False)
class Run:
    """The data with which a run is made again."""

    system: System
    by: Stepping
    how: Stabilization
    t: float
    """The first time of the run, in s."""
    initial: Mapping[str, float] | State | None
    memory: Memory | None
    """The memory with which the run went on from another one, if it did."""
    root: "Run | None" = None
    """The first of the runs that it went on from, one after the other."""
    varied: Any = None
    """The derivatives of its first state, if that state has them (`derivatives`)."""

    @property
    def first(self) -> "Run":
        """The first run of the chain, which goes on from no other."""
        return self.root or self

    def is_by(self, system: System, by: Stepping, how: Stabilization) -> bool:
        """Return whether a run by these options makes the same steps from the same state."""
        same = by._replace(most=0) == self.by._replace(most=0) and how == self.how
        return same and (system is self.system or _is_said_alike(system, self.system))


def _is_said_alike(one: System, other: System) -> bool:
    chosen = [(system.coordinates.set, str(system.structure.tree)) for system in (one, other)]
    return chosen[0] == chosen[1] and recipe_of(one.model) == recipe_of(other.model)


@dataclass(frozen=True, eq=False)
class StateOrigin:
    """The run of a state, and the numbers of the state then: an edited state is one like any other."""

    run: Run
    t: float
    q: np.ndarray
    v: np.ndarray
    memory: Memory | None
    """The memory of the step in which the state lies; None if the run is to be made again."""

    def at(self, t: float, q: np.ndarray, v: np.ndarray) -> "StateOrigin":
        """Return the past of another state of the run."""
        return replace(self, t=t, q=q.copy(), v=v.copy(), memory=self.memory if t == self.t else None)

    def is_of(self, state: State, t: float) -> bool:
        """Return whether these numbers are those of the state, and t its time."""
        parts = (state.full_q, self.q), (state.full_v, self.v)
        return t == state.t == self.t and all(np.array_equal(now, then) for now, then in parts)


def without_past(initial: Mapping[str, float] | State | None) -> Mapping[str, float] | State | None:
    """Return the initial values of a run, copied, and without their past."""
    if isinstance(initial, State):
        return replace(initial, full_q=initial.full_q.copy(), full_v=initial.full_v.copy(), past=None)
    return dict(initial) if isinstance(initial, Mapping) else initial
