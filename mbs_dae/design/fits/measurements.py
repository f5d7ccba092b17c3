"""Read measurements: named arrays over times, with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arguments import checked_times
from ...errors import ModelError, shortened
from ...model.parameters import positive_number
from ...unit_system import read_heading

EXAMPLE = 'a DataFrame with a column for each quantity, and times as its index or as column "t"'


@dataclass(frozen=True, eq=False)
class Measurements:
    t: np.ndarray
    columns: Mapping[str, np.ndarray]
    """The measured values by the names of quantities, in SI units; nan at gaps."""
    units: Mapping[str, str] = field(default_factory=dict)
    """The SI units of those columns that state a unit, by name."""

    def is_measured(self, name: str) -> np.ndarray:
        """Return whether there is a value at each time, shape (times,)."""
        return np.isfinite(self.columns[name])

    @property
    def count(self) -> int:
        return sum(int(self.is_measured(name).sum()) for name in self.columns)


def measured_of(data: Any) -> Measurements:
    if not hasattr(data, "columns") and not isinstance(data, Mapping):
        raise ModelError(f"measured must be {EXAMPLE}, not {shortened(data)}", code="wrong-type", data=data)
    columns, units = {}, dict[str, str]()
    for key in data.columns if hasattr(data, "columns") else data:
        name, size, unit = read_heading(str(key))  # headings may have other units than SI
        if not unit and isinstance(word := getattr(data[key], "attrs", {}).get("units"), str) and word:
            _, size, unit = read_heading(f"{name} [{word}]")  # units of an xarray array
        if name in columns:
            raise ModelError(
                f"measured has {name!r} in two columns; leave one of them out", code="given-twice", name=name
            )
        numbers = _numbers(name, data[key])
        columns[name] = numbers if size == 1.0 else numbers * size
        units |= {name: unit} if unit else {}
    if "t" in columns:
        t = columns.pop("t")
        _check_time("t", units.pop("t", "s"))
    elif hasattr(data, "columns"):
        heading, size, unit = read_heading(str(data.index.name))
        _check_time(heading, unit or "s")
        t = data.index if size == 1.0 else np.asarray(data.index, dtype=float) * size
    else:
        raise ModelError('measured has no times; give them as "t"', code="missing-argument")
    times = checked_times(t)
    if not columns:
        raise ModelError(f"measured has no quantities; give {EXAMPLE}", code="empty")
    for name, values in columns.items():
        if values.shape != times.shape:
            raise ModelError(
                f"measured[{name!r}] has {values.size} values for {times.size} times; give one for each",
                code="wrong-length", name=name, size=values.size,
            )  # fmt: skip
        if not np.isfinite(values).any():
            raise ModelError(f"measured[{name!r}] has no values; leave it out", code="empty", name=name)
    return Measurements(times, columns, units)


def _check_time(name: str, unit: str) -> None:
    if unit != "s":
        raise ModelError(
            f"measured has times in {unit} ({name!r}); give them in s, ms or min",
            code="unit-does-not-fit", unit=unit, name=name,
        )  # fmt: skip


def _numbers(name: str, column: Any) -> np.ndarray:
    try:
        values = np.asarray(column, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise ModelError(
            f"measured[{name!r}] has what is not a number: {wrong}",
            code="not-a-number", reason=str(wrong), name=name, wrong=wrong,
        ) from wrong  # fmt: skip
    if np.isinf(values).any():
        raise ModelError(
            f"measured[{name!r}] has a value that is infinite; leave it out, as nan", code="not-finite", name=name
        )
    return values


def noise_of(noise: Any, measured: Measurements) -> dict[str, float] | None:
    """Return the standard deviation of each column; None if the noise is to be estimated."""
    if noise is None:
        return None
    if not isinstance(noise, Mapping):
        noise = dict.fromkeys(measured.columns, noise)
    if {*noise} != {*measured.columns}:
        raise ModelError(
            f"noise must have a standard deviation for each of {', '.join(measured.columns)}, not {noise!r}",
            code="wrong-length", argument="noise", noise=noise,
        )  # fmt: skip
    return {name: positive_number(one, f"noise of {name!r}", "number") for name, one in noise.items()}
