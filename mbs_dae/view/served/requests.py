"""Read the requests of a page: numbers by names of the model. All other input is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from ...errors import ModelError
from .runs import FileContent, MotionRequest

MOST = 20_000
"""The largest number of times of one run."""
KEYS = {"version", "mode", "parameters", "initial", "start", "end", "count", "at"}


class Senseless(ModelError):
    """A request that a person may make but no motion can answer."""


def json_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a request; refuse infinite numbers and nan."""

    def refuse(constant: str) -> float:
        raise ValueError(constant)

    try:
        data = json.loads(body.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ModelError("this is no JSON", code="not-json", argument="request") from error
    if not isinstance(data, dict):
        raise ModelError("an object of JSON is expected", code="not-a-dict", argument="request", value=data)
    return data


def version_of(body: Mapping[str, Any]) -> int:
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise ModelError("version is a whole number", code="not-an-integer", argument="version", value=version)
    return version


def request_of(body: Mapping[str, Any], content: FileContent) -> MotionRequest:
    if unknown := body.keys() - KEYS:
        raise ModelError(
            f"nothing of the name {min(unknown)!r} can be asked for",
            code="unknown-name", name=min(unknown), choices=tuple(sorted(KEYS)),
        )  # fmt: skip
    mode = body.get("mode")
    if mode not in content.modes:
        raise ModelError(
            f"the motion {mode!r} is none of {', '.join(content.modes)}",
            code="unknown-choice", argument="mode", value=mode, choices=tuple(content.modes),
        )  # fmt: skip
    start, end, count = (_number(body.get(name), name) for name in ("start", "end", "count"))
    if not (start < end and isfinite(end - start)):
        raise Senseless(
            f"the motion goes from t = {start:g} to {end:g} s; let it end later than it begins",
            code="not-increasing", argument="end", start=start, end=end,
        )  # fmt: skip
    if not (count == int(count) and 2 <= count <= MOST):
        raise Senseless(
            f"{count:g} times are asked for; choose a whole number from 2 to {MOST}",
            code="out-of-bounds", argument="count", value=count, least=2, most=MOST,
        )  # fmt: skip
    at = None if body.get("at") is None else _number(body["at"], "at")
    parameters = _values(body, "parameters", content.model.parameters)
    initial = _values(body, "initial", content.values)
    times = np.linspace(start, end, int(count))
    if (content.times[0], content.times[-1], len(content.times)) == (start, end, int(count)):
        times = content.times  # which may be uneven
    return MotionRequest(mode, times, parameters, initial, at)


def _values(body: Mapping[str, Any], key: str, names: Iterable[str]) -> dict[str, float]:
    values = body.get(key, {})
    if not isinstance(values, dict):
        raise ModelError(f"{key} are names and numbers", code="not-a-dict", argument=key, value=values)
    names = {*names}
    for name in values:
        if name not in names:
            raise ModelError(
                f"the model has nothing of the name {name!r} among its {key}",
                code="unknown-name", argument=key, name=name, choices=tuple(sorted(names)),
            )  # fmt: skip
    return {name: _number(value, name) for name, value in values.items()}


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ModelError(f"{name} is not a number", code="not-a-number", argument=name, value=value)
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not isfinite(number):
        raise ModelError(f"{name} is not finite", code="not-finite", argument=name, value=value)
    return number
