"""Derivatives of single states of a result: at a requested time, and at an event.

The time of a requested state is held. The time of an event g(t, y, p) = 0 moves, by t_e' (`runs.jumps`), and a
function f of the state there has the total derivative

    d/dp f(t_e(p), y(t_e(p), p), p) = f_t t_e' + f_y (S + y' t_e') + f_p,      S = ∂y/∂p at a time that is held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiled.reading import Trajectory
from ..errors import ModelError
from ..readings import motion as readings
from ..results.events import Happening
from ..results.result import Result, State
from .parameters import DesignVariables
from .results import VariedResult, set_varied, state_derivative, varied_of
from .sweeps import VariedSweep


class MomentSlopes(NamedTuple):
    """The changes of the time, q, v and a of one moment, (parameters, 1, ...)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True, eq=False)
class VariedMoment(VariedResult):
    """A state at a time that may move."""

    found: Callable[[], MomentSlopes]
    """Return the changes of the moment."""

    @cached_property
    def slopes(self) -> MomentSlopes:
        return self.found()

    @cached_property
    def path(self) -> Any:
        own: Any = (self.dual(x, slope) for x, slope in zip(self.motion, self.slopes, strict=True))
        t, *moving = own
        return Trajectory(t if self.slopes.t.any() else self.motion.t, *moving)


@dataclass(frozen=True, eq=False)
class VariedAt(VariedResult):
    """A state at a requested time of a result."""

    of: VariedResult
    index: int

    @cached_property
    def path(self) -> Any:
        at, (_, *moving) = slice(self.index, self.index + 1), self.of.path
        own: Any = (self.dual(x.value[at], x.slope[:, at]) for x in moving)
        return Trajectory(self.motion.t, *own)


def state_of(result: Result, index: int) -> State:
    """Return the state with this index, with derivatives if the result has them: see `Result.state`."""
    state, of = readings.state_of(result, index), result.varied
    if of is not None and not isinstance(of, VariedSweep):
        set_varied(state.result, VariedAt(state.result, of.variables, of, index % len(result.t)))
    return state


def event_derivative(event: Happening, name: str, by: Any) -> Any:
    """Return the derivative of the time or of a named quantity of an event: see `Happening.d`."""
    if name != "t":
        return state_derivative(event.state, name, by)
    varied, wanted = varied_of(event.state), str(getattr(by, "symbol", by))
    if not isinstance(varied, VariedMoment):
        what = f"event {event.name!r} has no derivatives; ask for some"
        raise ModelError(
            f"{what}: simulate(model, times, derivatives=['r'])", code="run-without-derivatives", event=event.name
        )
    if wanted not in varied.variables.names:
        known = ", ".join(varied.variables.names)
        raise ModelError(
            f"event {event.name!r} has derivatives by {known}, and none by {wanted!r}",
            code="not-differentiated-by", event=event.name, known=tuple(varied.variables.names),
        )  # fmt: skip
    return float(varied.slopes.t[varied.variables.names.index(wanted), 0])


def set_moment(state: State, variables: DesignVariables, found: Callable[[], MomentSlopes]) -> None:
    """Set how a state changes, in place: `found` is called when its changes are first read."""
    set_varied(state.result, VariedMoment(state.result, variables, found))
