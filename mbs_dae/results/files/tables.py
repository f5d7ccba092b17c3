"""Named quantities side by side, with their units: for tables of other programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UNWRITABLE, ModelError
from ..names import long_name
from ..result import Result
from .optional import package


@dataclass(frozen=True, eq=False)
class Column:
    name: str
    unit: str
    long_name: str
    values: np.ndarray

    @property
    def heading(self) -> str:
        """Name and unit: ``slider.x [m]``."""
        return fit(f"{self.name} [{self.unit}]" if self.unit else self.name)


def fit(text: str) -> str:
    """The text as it may stand in a file."""
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def columns_of(result: Result, names: Sequence[str] = ()) -> list[Column]:
    """What the result runs over; then the named quantities, vectors by their components, or all that there are."""
    if not names:
        result.quantities.read_all()  # at once, which is quicker than one by one
    parts = dict.fromkeys(part for name in names for part in result.components(name)) if names else result.scalar_names
    quantities = (Column(part, result.unit(part), long_name(part), result[part]) for part in parts)
    return [axis_of(result), *quantities]


def axis_of(result: Result) -> Column:
    name, unit = result.axis
    return Column(name, unit, "time" if name == "t" else f"parameter {name}", result.t)


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
    frame = pandas.DataFrame({c.name: c.values for c in columns}, index=pandas.Index(axis.values, name=axis.name))
    frame.attrs = {
        "title": result.title,
        "units": {c.name: c.unit for c in (axis, *columns)},
        "long_names": {c.name: c.long_name for c in (axis, *columns)},
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
        column = Column(name, result.unit(name), long_name(name), result[name])
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
