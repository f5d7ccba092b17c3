"""Read quantities of a result with their derivatives, for objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ...duals import Dual
from ...errors import ModelError, unknown_name
from ...results.names import COMPONENTS
from ...results.result import Result

LAST_TIME = "the last time"


class ObjectiveReadings(Protocol):
    """The interface of readings: ``readings["slider.x"]`` is an array over ``readings.t`` that carries derivatives,
    ``readings.parameter("r")`` a number that may carry some. `by` lists the variables of the derivatives."""

    by: tuple[Any, ...]

    @property
    def t(self) -> np.ndarray: ...
    def __getitem__(self, name: str) -> Any: ...
    def parameter(self, name: str) -> Any: ...


class Calls:
    """Quantities written as method calls. Each method reads a quantity by its name, `self[name]`."""

    result: Result

    def __getitem__(self, name: str) -> Any:
        raise NotImplementedError

    def transmission_angle(self, *joints: str) -> Any:
        return self[f"transmission_angle({', '.join(joints)})"]

    def pressure_angle(self, *joints: str) -> Any:
        return self[f"pressure_angle({', '.join(joints)})"]

    def reaction(self, joint: str) -> Any:
        """Return the components of a joint's reaction in world axes, shape (times, components)."""
        words = COMPONENTS[self.result.sketch.dimension]
        return np.stack([self[f"{joint}.{word}"] for word in words], axis=1)

    def effort(self, name: str) -> Any:
        return self[f"{name}.effort"]

    def power(self, name: str) -> Any:
        return self[f"{name}.power"]

    def __getattr__(self, name: str) -> Any:
        raise reading_error(name)


class DualReadings(Calls):
    """The quantities of a result with derivatives."""

    def __init__(self, result: Result, names: tuple[str, ...], values: Mapping[str, float]):
        """Read `result`; `names` are the numbers by which derivatives are taken, `values` those of all parameters."""
        self.result, self.names, self.values = result, names, values
        self.varied = result.varied.with_moving_end() if end_moves(result) else result.varied
        self.by = tuple(self.varied.variables.symbols)
        self.read: dict[str, Any] = {}

    @property
    def t(self) -> Any:
        """The times; with derivatives if an event stopped the run, whose time changes with the design."""
        return self.varied.times if end_moves(self.result) else self.result.t

    def __getitem__(self, name: str) -> Any:
        if name not in self.read:
            self.read[name] = self._differentiated(str(name))
        return self.read[name]

    def _differentiated(self, name: str) -> Dual:
        value = self.varied.read[name]
        if not isinstance(value, Dual):
            raise ModelError(
                f"{name!r} is not a function of the motion, and has no derivative; leave it out of objectives",
                code="not-a-function-of-motion", name=name,
            )  # fmt: skip
        if self.result.reactions is None or (unique := self.result.is_unique(name)).all():
            return value
        return Dual(value.value, np.where(unique, value.slope, np.nan), value.by)

    def parameter(self, name: str) -> Any:
        value = parameter_of(name, self.values)
        if name not in self.names:
            return value
        return Dual(np.asarray(value), np.eye(len(self.names))[self.names.index(name)], self.by)


def end_moves(result: Result) -> bool:
    """Return whether an event stopped the run at a time whose derivatives are known."""
    return getattr(result.varied, "end_moves", False)


class SeededReadings(Calls):
    """Readings of a result without derivatives, in which each value of one quantity is a variable, or (`LAST_TIME`) the
    time at which an event stopped the run."""

    def __init__(self, result: Result, values: Mapping[str, float], seeded: str, places: range):
        self.result, self.values, self.seeded, self.places = result, values, seeded, places
        self.by = tuple((seeded, k) for k in places)
        self.read: dict[str, Any] = {}
        self.parameters: list[str] = []

    @property
    def t(self) -> Any:
        t = self.result.t
        if not end_moves(self.result):
            return t
        slope = np.zeros((len(self.by), t.size))
        slope[0, -1] = self.seeded == LAST_TIME
        return Dual(t, slope, self.by)

    def __getitem__(self, name: str) -> Any:
        if name not in self.read:
            value = np.asarray(self.result[str(name)], dtype=float)
            slope = np.zeros((len(self.by), value.size))
            if name == self.seeded:
                slope[np.arange(len(self.by)), list(self.places)] = 1.0
            self.read[name] = Dual(value, slope.reshape(len(self.by), *value.shape), self.by)
        return self.read[name]

    def parameter(self, name: str) -> Any:
        value = parameter_of(name, self.values)
        self.parameters += [name] * (name not in self.parameters)
        return Dual(np.asarray(value), np.full(len(self.by), float(name == self.seeded)), self.by)


def parameter_of(name: str, values: Mapping[str, float]) -> float:
    if name not in values:
        raise unknown_name("parameter", name, values, "the model")
    return values[name]


def reading_error(name: str) -> Exception:
    """Return the error for an attribute: objectives read by name alone, so that their inputs are known."""
    if name.startswith("__"):  # Python and numpy look these up
        return AttributeError(name)
    what = f"an objective has no {name!r}: it reads result['slider.x'], result.t and result.parameter('r')"
    return ModelError(
        f"{what}; loads have names, too, e.g. result['motor.effort'], result['B.force']", code="unknown-name", name=name
    )
