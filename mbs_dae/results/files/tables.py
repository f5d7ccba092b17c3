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
    """Numbers as they are written, and the unit that they are in."""

    name: str
    unit: str
    long_name: str
    values: np.ndarray
    si: str | None = None
    """The unit of SI; None where that is the one they are in."""

    @property
    def key(self) -> str:
        """The heading in tables that programs read, too: with its unit as soon as units are chosen (`mbs.units`), and
        without a choice the bare name, whose unit is that of SI."""
        return self.name if current().is_si else self.heading

    @property
    def heading(self) -> str:
        """Name and unit: ``slider.x [m]``."""
        return fit(f"{self.name} [{self.unit}]" if self.unit else self.name)


def fit(text: str) -> str:
    """The text as it may stand in a file."""
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def columns_of(result: Result, names: Sequence[str] = ()) -> list[Column]:
    """Return the column over which the result runs, then the named quantities, vectors by their components, or all that
    there are."""
    if not names:
        result.quantities.read_all()  # at once, which is quicker than one by one
    parts = dict.fromkeys(part for name in names for part in result.components(name)) if names else result.scalar_names
    owners = {part: name for name in names for part in result.components(name)}
    found = [axis_of(result)]
    for part in parts:
        found.append(column_of(result[part], result.unit(part), (part, owners.get(part, part)), long_name(part)))
    return found


def column_of(values: np.ndarray, unit: str, names: tuple[str, ...], told: str, *, called: str = "") -> Column:
    """Values in SI as a column in the unit in which they are read. `names` are those of the quantity and of its vector,
    by which it may have a unit of its own; `called` is the name of the column, where that is another."""
    size, word = size_of(unit, *names)
    numbers = values if size == 1.0 else values / size
    return Column(called or names[0], word, told, numbers, None if word == unit else unit)


def axis_of(result: Result) -> Column:
    name, unit = result.axis
    return column_of(result.t, unit, (name,), "time" if name == "t" else f"parameter {name}")


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """The names, those that are there already with a number behind them."""
    known = {*taken}
    for name in names:
        tries = chain([name], (f"{name}_{k}" for k in count(2)))
        found = next(one for one in tries if one.lower() not in known)  # for programs to which A is a
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
    """Units and long names are what `pandas.read_parquet(path).attrs` tells."""
    package("pyarrow", ".parquet")
    to_dataframe(result, result.scalar_names).to_parquet(path, engine="pyarrow")
