"""Check the arguments of a synthesis of a model: its driver, and the ranges of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError, check_name, counted, shortened
from ...model.drivers import Driver, PoseDriver, Prescribed
from ...model.model import Model
from ...symbolic.markers import t
from ..asked import numbers


class Asked(NamedTuple):
    """A checked request: a model whose driver has the value θ at the time t = θ, and the ranges of its unknowns."""

    model: Model
    driver: str
    reach: tuple[float, float]
    """The range of the driver's values."""
    turns: bool
    """Whether the range is a full turn, which may begin anywhere."""
    over: dict[str, tuple[float, float]]


def asked_of(model: Model, driver: Any, over: Any) -> Asked:
    ranges = _ranges(model, over)
    moving = [one for one in model.elements.values() if isinstance(one, Driver) and one.function.has(t)]
    name, reach = _named(driver, moving, model)
    one = next(e for e in model.elements.values() if isinstance(e, Driver) and e.name == name)
    others: list[Prescribed] = [element for element in moving if element is not one]
    others += [element for element in model.elements.values() if isinstance(element, PoseDriver) and _has_time(element)]
    if others:
        what = f"{others[0].who} moves with time, too, and one driver is to move the model"
        raise ModelError(f"{what}; leave it out, or couple both, e.g. with gears")
    if one.measure.lowest:
        raise ModelError(f"{one.who} drives a rate; drive a place or an angle")
    turns = reach is None
    if reach is None:
        if one.units[0] != "rad":
            raise ModelError(f"say how far {one.who} may go, e.g. driver={{{name!r}: (0, 0.2)}}, in {one.units[0]}")
        begin = float(model.evaluator()(one.function.xreplace({t: 0})))
        reach = begin, begin + 2 * np.pi
    timed = model.without(name).plus(Driver(name, one.measure, t))
    return Asked(timed, name, reach, turns, ranges)


def _has_time(element: PoseDriver) -> bool:
    return any(law.has(t) for led in element.form()[0].trajectories for law in led.values)


def _named(given: Any, moving: list[Driver], model: Model) -> tuple[str, tuple[float, float] | None]:
    if given is None:
        if len(moving) != 1:
            what = f"{counted(len(moving), 'driver')} of {model.name!r} with a law of time, and one is to move it"
            raise ModelError(f'{what}; add one, or say which, e.g. driver="motor"')
        return moving[0].name, None
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, given_reach),) = given.items()
        reach: tuple[float, float] | None = _range(given_reach, f"driver={name!r}")
    else:
        name, reach = given, None
    drivers = [element.name for element in model.elements.values() if isinstance(element, Driver)]
    check_name("driver", name, drivers, f"model {model.name!r}")
    return str(name), reach


def _ranges(model: Model, given: Any) -> dict[str, tuple[float, float]]:
    example = 'over={"r": (0.05, 0.2)}'
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"over= names the parameters of {model.name!r} that may change, and ranges: {example}")
    found = {}
    for key, ends in given.items():
        name = str(getattr(key, "symbol", key))
        check_name("parameter", name, model.parameters, f"model {model.name!r}")
        found[name] = _range(ends, f"over[{name!r}]")
    return found


def _range(given: Any, what: str) -> tuple[float, float]:
    low, high = numbers(given, what, 2, "(0.05, 0.2)")
    if not low < high:
        raise ModelError(f"{what} is {shortened(given)}, which is no range; give the lesser end first")
    return float(low), float(high)
