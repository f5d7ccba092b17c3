"""Measurements: named arrays over times, with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arguments import checked_times
from ...errors import ModelError, shortened
from ...model.parameters import positive_number

EXAMPLE = 'a DataFrame with a column for each quantity, and times as its index or as column "t"'


@dataclass(frozen=True, eq=False)
class Measured:
    t: np.ndarray
    columns: Mapping[str, np.ndarray]
    """By the names of quantities; nan where nothing was measured."""

    def known(self, name: str) -> np.ndarray:
        """Where there is a value."""
        return np.isfinite(self.columns[name])

    @property
    def count(self) -> int:
        return sum(int(self.known(name).sum()) for name in self.columns)


def measured_of(given: Any) -> Measured:
    if not hasattr(given, "columns") and not isinstance(given, Mapping):
        raise ModelError(f"measured must be {EXAMPLE}, not {shortened(given)}")
    names = [str(name) for name in (given.columns if hasattr(given, "columns") else given)]
    columns = {name: _numbers(name, given[key]) for name, key in zip(names, given, strict=True)}
    if "t" in columns:
        t = columns.pop("t")
    elif hasattr(given, "columns"):
        t = given.index
    else:
        raise ModelError('measured has no times; give them as "t"')
    times = checked_times(t)
    if not columns:
        raise ModelError(f"measured has no quantities; give {EXAMPLE}")
    for name, values in columns.items():
        if values.shape != times.shape:
            raise ModelError(f"measured[{name!r}] has {values.size} values for {times.size} times; give one for each")
        if not np.isfinite(values).any():
            raise ModelError(f"measured[{name!r}] has no values; leave it out")
    return Measured(times, columns)


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise ModelError(f"measured[{name!r}] has what is no number: {wrong}") from wrong
    if np.isinf(values).any():
        raise ModelError(f"measured[{name!r}] has a value that is infinite; leave it out, as nan")
    return values


def noise_of(given: Any, measured: Measured) -> dict[str, float] | None:
    """The standard deviation of each column; None where it is to be estimated."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        given = dict.fromkeys(measured.columns, given)
    if {*given} != {*measured.columns}:
        raise ModelError(
            f"noise must have a standard deviation for each of {', '.join(measured.columns)}, not {given!r}"
        )
    return {name: positive_number(one, f"noise of {name!r}", "number") for name, one in given.items()}
