"""Checks of the arguments of a synthesis: numbers and counts; for a model its driver and the ranges of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError, check_name, counted, shortened
from ..model.drivers import Driver, PoseDriver, Prescribed
from ..model.model import Model
from ..symbolic.markers import t


def numbers(argument: Any, what: str, count: int | None = None, example: str = "", width: int = 0) -> np.ndarray:
    """Return an array of finite numbers, shape (count,), or of rows of `width`, shape (count, width)."""
    shape_in_words = f"{count or 'several'} {'rows of ' + str(width) if width else 'numbers'}"
    try:
        if isinstance(argument, str | bytes):
            raise TypeError
        values = np.array(argument, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"{what} must be {shape_in_words}, not {shortened(argument)}; e.g. {example}",
            code="not-a-number", argument=what, value=argument,
        ) from exc  # fmt: skip
    shape = values.shape[1:] == ((width,) if width else ())
    if not values.ndim or not shape or (count is not None and len(values) != count):
        raise ModelError(
            f"{what} must be {shape_in_words}, not {shortened(argument)}; e.g. {example}",
            code="wrong-shape", argument=what, shape=values.shape, length=count, width=width,
        )  # fmt: skip
    if not np.isfinite(values).all():
        raise ModelError(
            f"{what} has a number that is not finite; give finite numbers",
            code="not-finite", argument=what, value=argument,
        )  # fmt: skip
    return values


def points_of(argument: Any, what: str, count: int | None = None, example: str = "[(0, 0), (1, 0)]") -> np.ndarray:
    """Return pairs (x, y) as complex numbers x + iy."""
    return numbers(argument, what, count, example, width=2) @ np.array([1, 1j])


def check_counts(starts: Any, seed: Any) -> None:
    for value, name, least in ((1 if starts is None else starts, "starts", 1), (seed, "seed", 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ModelError(
                f"{name} is {value!r}; give a whole number of {least} or more",
                code="not-an-integer", argument=name, value=value, least=least,
            )  # fmt: skip


def check_of_model(**arguments: Any) -> None:
    """Refuse arguments about a model where there is none."""
    for name, value in arguments.items():
        if value is not None:
            raise ModelError(
                f"{name}= speaks of a model; give it as kind=, or leave {name}= out",
                code="contradictory-arguments", argument=name, other="kind", value=value,
            )  # fmt: skip


def check_of_linkage(**arguments: Any) -> None:
    """Refuse arguments about a linkage where a model is given."""
    for name, value in arguments.items():
        if value is not None:
            raise ModelError(
                f"{name}= is for four-bars and slider-cranks; bounds of a model are the ranges in over=",
                code="contradictory-arguments", argument=name, other="kind", value=value,
            )  # fmt: skip


def notes_on_degrees(angles: np.ndarray | None, what: str) -> Iterator[str]:
    """Yield a note on angles of more than a turn, which may be degrees."""
    if angles is None or not angles.size:
        return
    far = float(max(np.abs(angles).max(), np.ptp(angles)))
    if far > 2 * np.pi * (1 + 1e-9):
        yield f"{what} go to {far:g} rad, which is {far / (2 * np.pi):.3g} turns; of degrees take np.radians(...)"


# --- models ---


class DrivenModel(NamedTuple):
    """A model whose driver has the value θ at the time t = θ, and the ranges of its unknown parameters."""

    model: Model
    driver: str
    reach: tuple[float, float]
    """The range of the driver's values."""
    turns: bool
    """Whether the range is a full turn, which may begin anywhere."""
    over: dict[str, tuple[float, float]]


def driven_model(model: Model, driver: Any, over: Any) -> DrivenModel:
    """Return the checked request for a synthesis of a model."""
    ranges = _ranges(model, over)
    timed_drivers = [one for one in model.elements.values() if isinstance(one, Driver) and one.function.has(t)]
    name, reach = _driver(driver, timed_drivers, model)
    one = next(e for e in model.elements.values() if isinstance(e, Driver) and e.name == name)
    others: list[Prescribed] = [element for element in timed_drivers if element is not one]
    for element in model.elements.values():
        if isinstance(element, PoseDriver):
            trajectories = element.form()[0].trajectories
            others += [element] * any(law.has(t) for trajectory in trajectories for law in trajectory.values)
    if others:
        what = f"{others[0].who} moves with time, too, and one driver is to move the model"
        raise ModelError(
            f"{what}; leave it out, or couple both, e.g. with gears",
            code="second-driver-moves", driver=others[0].name, model=model.name,
        )  # fmt: skip
    if one.measure.lowest:
        raise ModelError(
            f"{one.who} drives a rate; drive a place or an angle", code="is-a-rate", argument="driver", name=one.name
        )
    turns = reach is None
    if reach is None:
        if one.units[0] != "rad":
            raise ModelError(
                f"say how far {one.who} may go, e.g. driver={{{name!r}: (0, 0.2)}}, in {one.units[0]}",
                code="reach-missing", argument="driver", driver=name, unit=one.units[0],
            )  # fmt: skip
        begin = float(model.evaluator()(one.function.xreplace({t: 0})))
        reach = begin, begin + 2 * np.pi
    model_of_angle = model.without(name).plus(Driver(name, one.measure, t))
    return DrivenModel(model_of_angle, name, reach, turns, ranges)


def _driver(argument: Any, moving: list[Driver], model: Model) -> tuple[str, tuple[float, float] | None]:
    if argument is None:
        if len(moving) != 1:
            what = f"{counted(len(moving), 'driver')} of {model.name!r} with a law of time, and one is to move it"
            raise ModelError(
                f'{what}; add one, or say which, e.g. driver="motor"',
                code="driver-not-chosen", argument="driver", model=model.name, count=len(moving),
                choices=tuple(each.name for each in moving),
            )  # fmt: skip
        return moving[0].name, None
    if isinstance(argument, Mapping) and len(argument) == 1:
        ((name, given_reach),) = argument.items()
        reach: tuple[float, float] | None = _range(given_reach, f"driver={name!r}")
    else:
        name, reach = argument, None
    drivers = [element.name for element in model.elements.values() if isinstance(element, Driver)]
    check_name("driver", name, drivers, f"model {model.name!r}")
    return str(name), reach


def _ranges(model: Model, over: Any) -> dict[str, tuple[float, float]]:
    example = 'over={"r": (0.05, 0.2)}'
    if not isinstance(over, Mapping) or not over:
        raise ModelError(
            f"over= names the parameters of {model.name!r} that may change, and ranges: {example}",
            code="not-a-dict", argument="over", value=over, model=model.name,
        )  # fmt: skip
    ranges = {}
    for key, ends in over.items():
        name = str(getattr(key, "symbol", key))
        check_name("parameter", name, model.parameters, f"model {model.name!r}")
        ranges[name] = _range(ends, f"over[{name!r}]")
    return ranges


def _range(ends: Any, what: str) -> tuple[float, float]:
    low, high = numbers(ends, what, 2, "(0.05, 0.2)")
    if not low < high:
        raise ModelError(
            f"{what} is {shortened(ends)}, which is not a range; give the lesser end first",
            code="bounds-upside-down", argument=what, value=(float(low), float(high)),
        )  # fmt: skip
    return float(low), float(high)
