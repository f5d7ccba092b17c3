"""Columns of tables: named quantities side by side, with their units, and without roundoff where people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from ...errors import UNWRITABLE
from ...tolerances import DISPLAY_ROUNDOFF
from ...unit_system import current, size_of
from ..names import long_name
from ..result import Result

TERMS = {"rad/s²": ("rad/s", "rad/s"), "m/s²": ("rad/s", "m/s"), "N m": ("N", "m"), "W": ("N", "m/s")}
"""Products that are summed to a number in this unit, such as ω² r or F r: their size is the scale of a sum that
vanishes."""
REMAINDERS = ("violation.", "energy.error")
"""Quantities that measure roundoff themselves."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of numbers, and their unit."""

    name: str
    unit: str
    long_name: str
    values: np.ndarray
    si: str | None = None
    """The SI unit; None if the numbers are in SI."""

    @property
    def key(self) -> str:
        """The heading in tables that programs read, too: with its unit if units are chosen (`mbs.units`), otherwise the
        name alone, in SI."""
        return self.name if current().is_si else self.heading

    @property
    def heading(self) -> str:
        """Name and unit: ``slider.x [m]``."""
        return fit(f"{self.name} [{self.unit}]" if self.unit else self.name)


def fit(text: str) -> str:
    """Return the text without characters that a file cannot hold."""
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def columns_of(result: Result, names: Sequence[str] = ()) -> list[Column]:
    """Return the column of the independent variable, then those of the named quantities (by default all), vectors by
    their components."""
    if not names:
        result.quantities.read_all()  # all together, which is faster than one by one
    parts = dict.fromkeys(part for name in names for part in result.components(name)) if names else result.scalar_names
    owners = {part: name for name in names for part in result.components(name)}
    columns = [axis_of(result)]
    for part in parts:
        columns.append(column_of(result[part], result.unit(part), (part, owners.get(part, part)), long_name(part)))
    return columns


def column_of(values: np.ndarray, unit: str, names: tuple[str, ...], meaning: str, *, heading: str = "") -> Column:
    """Return values in SI as a column in the chosen unit. `names` are the names of the quantity and of its vector, for
    which a unit may be chosen; `called` is another name of the column."""
    size, word = size_of(unit, *names)
    numbers = values if size == 1.0 else values / size
    return Column(heading or names[0], word, meaning, numbers, None if word == unit else unit)


def axis_of(result: Result) -> Column:
    name, unit = result.axis
    return column_of(result.t, unit, (name,), "time" if name == "t" else f"parameter {name}")


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Yield the names, with a number appended to names that are already taken."""
    used = {*taken}
    for name in names:
        tries = chain([name], (f"{name}_{k}" for k in count(2)))
        free = next(candidate for candidate in tries if candidate.lower() not in used)  # some programs ignore case
        used.add(free.lower())
        yield free


# --- roundoff ---


class UnitScales:
    """The largest absolute value of all numbers, by SI unit."""

    def __init__(self, quantities: Iterable[tuple[str, np.ndarray]]) -> None:
        self.largest: dict[str, float] = {}
        for unit, values in quantities:
            size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
            self.largest[unit] = max(self.largest.get(unit, 0.0), size)

    @classmethod
    def of_result(cls, result: Result) -> UnitScales:
        """Return the scales of all quantities that a result has."""
        result.quantities.read_all()
        names = [name for name in result.scalar_names if not name.startswith(REMAINDERS)]
        return cls((result.unit(name), result[name]) for name in names)

    def cleaned(self, values: np.ndarray, unit: str, name: str) -> np.ndarray:
        """Return the values of a quantity, in SI, with 0 in place of those below 1e-12 of the scale of this unit."""
        if name.startswith(REMAINDERS):
            return values
        first, second = (self.largest.get(part, 0.0) for part in TERMS.get(unit, ("", "")))
        scale = max(self.largest.get(unit, 0.0), first * second)
        return np.where(np.abs(values) <= DISPLAY_ROUNDOFF * scale, 0.0, values)
