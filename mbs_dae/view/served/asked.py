"""Read the requests of a page: numbers by names of the model. All other input is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from ...errors import ModelError
from .runs import Said, Wanted

MOST = 20_000
"""The largest number of times of one run."""
KEYS = {"version", "mode", "parameters", "initial", "start", "end", "count", "at"}


class Senseless(ModelError):
    """A request that a person may make but no motion can answer."""


def parsed(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a request; refuse infinite numbers and nan."""
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ModelError("this is no JSON") from error
    if not isinstance(found, dict):
        raise ModelError("an object of JSON is expected")
    return found


def version_of(body: Mapping[str, Any]) -> int:
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise ModelError("version is a whole number")
    return version


def wanted_of(body: Mapping[str, Any], said: Said) -> Wanted:
    if unknown := body.keys() - KEYS:
        raise ModelError(f"nothing of the name {min(unknown)!r} can be asked for")
    mode = body.get("mode")
    if mode not in said.modes:
        raise ModelError(f"the motion {mode!r} is none of {', '.join(said.modes)}")
    start, end, count = (_number(body.get(name), name) for name in ("start", "end", "count"))
    if not (start < end and isfinite(end - start)):
        raise Senseless(f"the motion goes from t = {start:g} to {end:g} s; let it end later than it begins")
    if not (count == int(count) and 2 <= count <= MOST):
        raise Senseless(f"{count:g} times are asked for; choose a whole number from 2 to {MOST}")
    at = None if body.get("at") is None else _number(body["at"], "at")
    parameters = _values(body, "parameters", said.model.parameters)
    initial = _values(body, "initial", said.values)
    times = np.linspace(start, end, int(count))
    own = (said.times[0], said.times[-1], len(said.times)) == (start, end, int(count))  # may be uneven
    return Wanted(mode, said.times if own else times, parameters, initial, at)


def _values(body: Mapping[str, Any], key: str, known: Iterable[str]) -> dict[str, float]:
    given = body.get(key, {})
    if not isinstance(given, dict):
        raise ModelError(f"{key} are names and numbers")
    known = {*known}
    for name in given:
        if name not in known:
            raise ModelError(f"the model has nothing of the name {name!r} among its {key}")
    return {name: _number(value, name) for name, value in given.items()}


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ModelError(f"{name} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not isfinite(number):
        raise ModelError(f"{name} is not finite")
    return number


def _no_number(text: str) -> float:
    raise ValueError(text)
