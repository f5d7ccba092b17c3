"""Run one analysis of a model as a function of some of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import as_state, checked_times, model_of
from ..compiled import System
from ..derivatives.parameters import design_variables
from ..ensembles.runs.recipe import Recipe, options_of, verb_of
from ..errors import ModelError, check_name
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..model.parameters import finite_number
from ..results.result import Result
from .objectives.readings import DualReadings, end_moves

DIFFERENTIATED = ("kinematics", "inverse_dynamics", "simulate")
"""The verbs of motions over time, which have derivatives."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """An analysis whose free numbers may change; each of its runs has derivatives by these numbers."""

    recipe: Recipe

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the free numbers."""
        return self.recipe.names

    @property
    def model(self) -> Model:
        """The model in which all free numbers are parameters or initial values."""
        return self.recipe.bare

    @property
    def label(self) -> str:
        return f"mbs.{self.recipe.verb} of {self.model.name!r}"

    @cached_property
    def model_row(self) -> np.ndarray:
        """The values of the free numbers in the model, shape (names,)."""
        initial = self.recipe.initial if isinstance(self.recipe.initial, Mapping) else {}
        parameters = {name: one.value for name, one in self.model.parameters.items()}
        if missing := [name for name in self.names if name not in parameters and name not in initial]:
            what = f"{missing[0]!r} is a value at the start, and has none yet"
            raise ModelError(
                f"{what}; give one: initial={{{missing[0]!r}: 1.0}}", code="missing-initial-value", missing=missing[0]
            )
        return np.array([parameters[name] if name in parameters else initial[name] for name in self.names], dtype=float)

    def unit(self, name: str) -> str:
        if name in self.model.parameters:
            return self.model.parameters[name].unit
        measure, level = self.model.quantity(name)
        return measure.units[level]

    def values(self, row: np.ndarray) -> dict[str, float]:
        """Return the values of all parameters, with the free numbers of `row`."""
        parameters = {name: one.value for name, one in self.model.parameters.items()}
        return parameters | {name: float(x) for name, x in zip(self.names, row, strict=True) if name in parameters}

    def design(self, row: np.ndarray) -> Model | System:
        """Return the model with the free numbers of `row`."""
        return self.recipe.variation(row)

    def result(self, row: np.ndarray, may_stop: bool = False) -> Result:
        """Return the result of a run, with derivatives. A run that did not come to its end is refused, unless an event
        may stop it."""
        result = self.recipe.result(row)
        if not result.success:
            raise ModelError(
                f"{self.label} stopped early: {result.message}",
                code="run-stopped-early", subject=self.label, result=result,
            )  # fmt: skip
        if result.t[-1] < self.recipe.times[-1] and not (may_stop and end_moves(result)):
            what = f"{self.label} was {result.message}, and how the time of its end moves is not a part of derivatives"
            raise ModelError(
                f"{what}; let it run on without the event that stops it",
                code="run-stopped-early", subject=self.label, result=result,
            )  # fmt: skip
        return result

    def readings(self, row: np.ndarray) -> DualReadings:
        return DualReadings(self.result(row), self.names, self.values(row))


def analysis_of(
    thing: Any, times: Any, names: Sequence[Any], verb: str | None, initial: Any, how: Mapping[str, Any]
) -> Analysis:
    """Return the analysis of a model or of a function that makes results, with its arguments checked."""
    bare, start = model_of(thing), as_state(initial)
    verb = verb_of(bare, verb, has_start=isinstance(start, Mapping))
    check_name("verb", verb, DIFFERENTIATED, "the list of analyses with derivatives")
    words = [one for one in options_of(verb) if one != "derivatives"]
    for name in how:
        check_name("option", name, words, f"the analysis mbs.{verb}")
    if "derivatives" not in options_of(verb):
        raise ModelError(
            f"mbs.{verb} has no derivatives; use verb='kinematics' or 'inverse_dynamics'",
            code="derivative-not-available", verb=verb,
        )  # fmt: skip
    if isinstance(names, str) or not isinstance(names, Sequence | Mapping):
        raise ModelError(
            f'over= must be a list of names, e.g. ["r", "l"], not {names!r}',
            code="not-a-list", argument="over", names=names,
        )  # fmt: skip
    numbers = tuple(str(getattr(one, "symbol", one)) for one in names)
    if not numbers:
        raise ModelError(
            'over= names nothing; give parameters or constants, e.g. over=["r", "spring.stiffness"]',
            code="empty", argument="over",
        )  # fmt: skip
    initial_values = start if isinstance(start, Mapping) else {}
    warn_of_angles(bare, initial_values, "initial")
    run = verb == "simulate"
    request = design_variables(bare, numbers, initial_values if run else (), run)
    assert request is not None
    free: Any = request.model
    if isinstance(thing, System) and thing.model is not free:
        free = free.compile(thing.coordinates.set, **thing.structure.tree)
    elif isinstance(thing, System):
        free = thing
    options = {**how, "derivatives": numbers}
    return Analysis(Recipe(free, checked_times(times), numbers, verb, None, start, None, options))


def bounds_of(model: Model | System, over: Any) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Return names, lower bounds and upper bounds of the free numbers; a list of names alone has infinite bounds."""
    if not isinstance(over, Mapping):
        if isinstance(over, str) or not isinstance(over, Sequence):
            raise ModelError(
                f'over= must be a dict of bounds, e.g. {{"r": (0.05, 0.2)}}, not {over!r}',
                code="not-a-dict", argument="over", over=over,
            )  # fmt: skip
        names = tuple(str(getattr(one, "symbol", one)) for one in over)
        return names, np.full(len(names), -np.inf), np.full(len(names), np.inf)
    pairs = {str(getattr(name, "symbol", name)): _pair(name, one) for name, one in over.items()}
    low, high = (np.array([pair[k] for pair in pairs.values()], dtype=float) for k in (0, 1))
    warn_of_angles(model_of(model), over, "over")
    return tuple(pairs), low, high


def _pair(name: Any, bounds: Any) -> tuple[float, float]:
    pair = isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) and len(bounds) == 2
    if not pair:
        raise ModelError(
            f"over[{str(name)!r}] must be two bounds, e.g. (0.05, 0.2), not {bounds!r}",
            code="wrong-shape", name=str(name), bounds=bounds,
        )  # fmt: skip
    low, high = (finite_number(one, f"a bound of {str(name)!r}") for one in bounds)
    if not low < high:
        raise ModelError(
            f"over[{str(name)!r}] goes from {low:g} to {high:g}; the first must be the smaller one",
            code="bounds-upside-down", name=str(name), low=low, high=high,
        )  # fmt: skip
    return low, high


def check_within(analysis: Analysis, low: np.ndarray, high: np.ndarray) -> None:
    """Raise a `ModelError` unless the model's own numbers, with which a search begins, are within the bounds."""
    row = analysis.model_row
    for k in np.flatnonzero((row < low) | (row > high))[:1]:
        name = analysis.names[k]
        what = f"{name!r} is {row[k]:g}, which is not within its bounds ({low[k]:g}, {high[k]:g})"
        raise ModelError(
            f"{what}; begin elsewhere: model.with_parameters({name}=...), or widen the bounds",
            code="starts-out-of-bounds", name=name, row=row[k], low=low[k], high=high[k],
        )  # fmt: skip
