"""Named quantities side by side, with their units: for tables of other programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UNWRITABLE, ModelError
from ...unit_system import current, size_of
from ..names import long_name
from ..result import Result
from .optional import package


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
    found = [axis_of(result)]
    for part in parts:
        found.append(column_of(result[part], result.unit(part), (part, owners.get(part, part)), long_name(part)))
    return found


def column_of(values: np.ndarray, unit: str, names: tuple[str, ...], told: str, *, called: str = "") -> Column:
    """Return values in SI as a column in the chosen unit. `names` are the names of the quantity and of its vector, for
    which a unit may be chosen; `called` is another name of the column."""
    size, word = size_of(unit, *names)
    numbers = values if size == 1.0 else values / size
    return Column(called or names[0], word, told, numbers, None if word == unit else unit)


def axis_of(result: Result) -> Column:
    name, unit = result.axis
    return column_of(result.t, unit, (name,), "time" if name == "t" else f"parameter {name}")


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Yield the names, with a number appended to names that are already taken."""
    known = {*taken}
    for name in names:
        tries = chain([name], (f"{name}_{k}" for k in count(2)))
        found = next(one for one in tries if one.lower() not in known)  # some programs ignore case
        known.add(found.lower())
        yield found


# --- pandas and xarray ---


def to_dataframe(result: Result, names: Sequence[str]) -> Any:
    pandas = package("pandas", "to_dataframe()")
    axis, *columns = columns_of(result, names or result.names)
    frame = pandas.DataFrame({c.key: c.values for c in columns}, index=pandas.Index(axis.values, name=axis.key))
    frame.attrs = {
        "title": result.title,
        "units": {c.key: c.unit for c in (axis, *columns)},
        "long_names": {c.key: c.long_name for c in (axis, *columns)},
    }
    return frame


def to_xarray(result: Result, names: Sequence[str]) -> Any:
    xarray = package("xarray", "to_xarray()")
    names, axis = list(dict.fromkeys(names or result.names)), axis_of(result)
    if taken := {axis.name, "component"} & {*names}:
        raise ModelError(f"{min(taken)!r} is what the Dataset runs over; read result[{min(taken)!r}]")
    coordinates: dict[str, Any] = {axis.name: (axis.name, axis.values, _attributes(axis))}
    variables = {}
    for name in names:
        column = column_of(result[name], result.unit(name), (name,), long_name(name))
        along = (axis.name, "component")[: column.values.ndim]
        variables[name] = along, column.values, _attributes(column)
        if len(along) == 2:
            coordinates["component"] = "component", [part[-1] for part in result.components(name)]
    return xarray.Dataset(variables, coordinates, {"title": result.title})


def _attributes(column: Column) -> dict[str, str]:
    return {"units": column.unit, "long_name": column.long_name}


def write_parquet(result: Result, path: Path) -> None:
    """Write a table in Parquet; `pandas.read_parquet(path).attrs` has its units and long names."""
    package("pyarrow", ".parquet")
    to_dataframe(result, result.scalar_names).to_parquet(path, engine="pyarrow")
