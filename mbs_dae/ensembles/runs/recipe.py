"""Describe the work for each member of a study as a recipe that other processes can follow, with the time that a member
may take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from reprlib import repr
from time import monotonic
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.structure import Remembering
from ...errors import IntegrationError, ModelError
from ...model.model import Model
from ...results.result import Result
from ...verbs.inverse_dynamics import inverse_dynamics
from ...verbs.kinematics import kinematics
from ...verbs.simulate import simulate
from ...verbs.sweep import sweep

VERBS: Mapping[str, Callable[..., Result]] = {
    "simulate": simulate,
    "kinematics": kinematics,
    "inverse_dynamics": inverse_dynamics,
    "sweep": sweep,
}
WATCHED = ("simulate", "kinematics", "inverse_dynamics")
"""The verbs that report progress and can therefore be stopped."""
RETURNS = "it must return a number, an array of numbers, or a dict of these by name (nan where there is none)"


class OutOfTime(IntegrationError):
    """A member was stopped because its run exceeded `max_seconds`."""


class Clock:
    """Watches the time since a member began, as the `progress` of a verb or through calls of `check`."""

    def __init__(self, seconds: float | None, stopped: Callable[[], bool]):
        self.seconds, self.stopped = seconds, stopped
        self.end = float("inf") if seconds is None else monotonic() + seconds

    def __call__(self, done: int, total: int) -> None:
        self.check(f", after {done} of {total} times")

    def check(self, where: str = "") -> None:
        if self.stopped():
            raise KeyboardInterrupt
        if self.seconds is not None and monotonic() > self.end:
            what = f"stopped: it took longer than {self.seconds:g} s{where}"
            raise OutOfTime(
                f"{what}; allow more with max_seconds=, raise rtol, or smooth what makes steps short",
                code="out-of-time", seconds=self.seconds,
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Recipe(Remembering):
    """A verb with all its arguments except the design of a member."""

    model: Model | System
    times: np.ndarray
    """The times [s], or the values of the parameter that is swept."""
    names: tuple[str, ...]
    """The names of the numbers of a design: parameters or initial values."""
    verb: str = "simulate"
    function: Callable[[Result], Any] | None = None
    """The function of each result whose numbers are stored; None if the motion itself is stored."""
    initial: Any = None
    outputs: tuple[str, ...] | None = None
    """The quantities that are stored; None for the whole motion."""
    options: Mapping[str, Any] | None = None
    max_seconds: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}

    @property
    def bare(self) -> Model:
        return self.model.model if isinstance(self.model, System) else self.model

    @cached_property
    def system(self) -> System:
        """The compiled system of the model without variations, which all members share."""
        compiled: System = self.bare.compile()
        return self.model if isinstance(self.model, System) else compiled

    @cached_property
    def parameters(self) -> tuple[int, ...]:
        """The indices of those names that are parameters."""
        return tuple(k for k, name in enumerate(self.names) if name in self.bare.parameters)

    def initial_of(self, row: np.ndarray) -> Any:
        """Return the initial values of a member, as NumPy numbers: the study has warned of angles typed in degrees, and
        the run of a member does not warn of NumPy numbers again."""
        varied = {name: row[k] for k, name in enumerate(self.names) if k not in self.parameters}
        if not isinstance(self.initial, Mapping):
            return varied or self.initial
        typed = {name: np.float64(x) if type(x) in (int, float) else x for name, x in self.initial.items()}
        return {**typed, **varied}

    def variation(self, row: np.ndarray) -> Model | System:
        """Return the model of a member, compiled in the same coordinates if the recipe has a `System`."""
        if not self.parameters:
            return self.model
        self.bare.compile()  # all variations share its structure
        model = self.bare.with_values({self.names[k]: row[k] for k in self.parameters})
        if not isinstance(self.model, System):
            return model
        return model.compile(self.model.coordinates.set, **self.model.structure.tree)

    def clock(self, stopped: Callable[[], bool]) -> Clock:
        return Clock(self.max_seconds, stopped)

    def result(self, row: np.ndarray, stopped: Callable[[], bool] = lambda: False) -> Result:
        """Return the result of a member by its verb, or raise its error; `KeyboardInterrupt` if it was stopped."""
        options, model, verb = dict(self.options or {}), self.variation(row), VERBS[self.verb]
        if self.verb in WATCHED:
            options["progress"] = self.clock(stopped)
        if self.verb == "sweep":
            result = verb(model, values=self.times, **options)
        else:
            result = verb(model, self.times, self.initial_of(row), **options)
        if not result.success and result.message.startswith("interrupted"):
            raise KeyboardInterrupt
        return result

    def values(self, result: Result) -> dict[str, np.ndarray]:
        """Return the numbers that the function makes of a result, by name; "value" for a single number or array."""
        assert self.function is not None
        values = self.function(result)
        by_name = values if isinstance(values, Mapping) else {"value": values}
        if not by_name or "" in by_name:
            what = "a number without a name" if by_name else "nothing"
            raise ModelError(
                f"the function of the study gives {what}; {RETURNS}", code="empty", argument="verb", value=values
            )
        return {str(name): _numbers(str(name), value) for name, value in by_name.items()}


def _numbers(name: str, value: Any) -> np.ndarray:
    """Return the value of one name as an array of floats; refuse text, None and other values without numbers."""
    try:
        array = np.asarray(None if isinstance(value, Result) else value)
        if array.size and (array.dtype.kind in "biuf" or all(isinstance(x, Real) for x in array.flat)):
            return array.astype(float)
    except (TypeError, ValueError):  # lists of different lengths
        pass
    raise ModelError(
        f"the function of the study gives {repr(value)} as {name!r}; {RETURNS}",
        code="not-a-number", argument="verb", name=name, value=value,
    )  # fmt: skip


def verb_of(model: Model, verb: Any, has_start: bool) -> Any:
    """Return the verb of a study: `verb` if it is not None, else "simulate", or "kinematics" for a driven model without
    masses, which no force can move, unless there are initial values (`has_start`)."""
    if verb is not None:
        return verb
    number, moving = model.evaluator(), [body for body in model.bodies.values() if not body.fixed]
    numbers = [x for body in moving for x in (body.mass, *np.ravel(np.array(body.inertia, dtype=object)))]
    massless = not any(number(x) for x in numbers)
    return "kinematics" if massless and model.drivers and not has_start else "simulate"


def options_of(verb: str) -> list[str]:
    """Return the options of a verb: its arguments besides model, times and start (for "sweep", besides the values)."""
    arguments = [*inspect.signature(VERBS[verb]).parameters][1 if verb == "sweep" else 3 :]
    return [name for name in arguments if name not in ("progress", "values")]
