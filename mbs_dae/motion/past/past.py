"""The run that a state is of, so that another one can go on from there as if it had not stopped.

A state lies inside a step, or at its end. A run of the same equations, by the same method and options, goes on from it
with this step: from its beginning, with all that the first run carried there. For the last state of a run that is kept.
For others the run is made again, up to the state: runs are the same to the last bit whenever they are made.
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
    """What it takes to make a run again."""

    system: System
    by: Stepping
    how: Stabilization
    t: float
    """Its first time."""
    initial: Mapping[str, float] | State | None
    memory: Memory | None
    """What it went on with, if it did."""
    root: "Run | None" = None
    """The first of the runs that it went on from, one after the other."""
    varied: Any = None
    """How its first state changes, if that was a state that knows (`derivatives`)."""

    @property
    def first(self) -> "Run":
        """The one that goes on from no other."""
        return self.root or self

    def is_by(self, system: System, by: Stepping, how: Stabilization) -> bool:
        """Whether another one makes the same steps, if it is where this one is."""
        same = by._replace(most=0) == self.by._replace(most=0) and how == self.how
        return same and (system is self.system or _is_said_alike(system, self.system))


def _is_said_alike(one: System, other: System) -> bool:
    chosen = [(system.coordinates.set, str(system.structure.tree)) for system in (one, other)]
    return chosen[0] == chosen[1] and recipe_of(one.model) == recipe_of(other.model)


@dataclass(frozen=True, eq=False)
class Past:
    """The run of a state, and the state as it was then: an edited one is a state like any other."""

    run: Run
    t: float
    q: np.ndarray
    v: np.ndarray
    memory: Memory | None
    """That of the step in which the state lies; None if the run is to be made again."""

    def at(self, t: float, q: np.ndarray, v: np.ndarray) -> "Past":
        """That of another state of the run."""
        return replace(self, t=t, q=q.copy(), v=v.copy(), memory=self.memory if t == self.t else None)

    def is_of(self, state: State, t: float) -> bool:
        """Whether this is the state, and the time at which a run begins."""
        parts = (state.full_q, self.q), (state.full_v, self.v)
        return t == state.t == self.t and all(np.array_equal(now, then) for now, then in parts)


def without_past(initial: Mapping[str, float] | State | None) -> Mapping[str, float] | State | None:
    """What a run begins with, kept apart from what becomes of it."""
    if isinstance(initial, State):
        return replace(initial, full_q=initial.full_q.copy(), full_v=initial.full_v.copy(), past=None)
    return dict(initial) if isinstance(initial, Mapping) else initial
