"""Convert an ensemble to tables: numbers for each member for pandas and spreadsheets, values over time for xarray; and
write them to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.checks import unit_of
from ...results.files import file_at, replacing
from ...results.files.exports import write_csv, write_excel, write_matlab
from ...results.files.tables import Column, column_of, fit
from ...results.files.writing import package
from ...results.names import long_name
from ...unit_system import shown
from .members import Members, components, label_of, per_member, scalars

EXTREMES = {"min": "smallest", "max": "largest"}
"""The extremes over time that a table with a row for each member contains."""
MEMBER, DONE, FAILURE, COMPONENT = "member", "done", "failure", "component"


def columns_of(ensemble: Members, names: Sequence[str] = ()) -> list[Column]:
    """Return columns with a row for each member: its number, its design, whether the member is done; the extremes over
    time, or the one number, of each quantity; and the reason of a failure."""
    numbers = [column for name in names or ensemble.names for column in _numbers(ensemble, name)]
    columns = [_members(ensemble), *designs_of(ensemble), _done(ensemble), *numbers, _failure(ensemble)]
    _check_distinct([column.name for column in columns])
    return columns


def _numbers(ensemble: Members, name: str) -> Iterator[Column]:
    unit, meaning = ensemble.unit(name), long_name(name)
    if scalars(ensemble, name).ndim == 1:
        yield column_of(scalars(ensemble, name), unit, (name,), meaning)
        return
    if label_of(ensemble, name) != name:
        meaning = f"size of {name}"
    for end, word in EXTREMES.items():
        values = per_member(ensemble, name, end)
        yield column_of(values, unit, (name,), f"{word} {meaning}", heading=f"{name} {end}")


def designs_of(ensemble: Members) -> list[Column]:
    """Return a column for each varied name. The heading of an initial value begins with "initial", because the same
    name may be a quantity over time."""
    return [_varied(ensemble.model, name, ensemble.designs[name]) for name in ensemble.designs.names]


def axes_of(ensemble: Members) -> list[Column]:
    """Return a column with the values of each axis of a grid, in the order of the axes."""
    return [_varied(ensemble.model, name, values) for name, values in (ensemble.designs.axes or {}).items()]


def _varied(model: Any, name: str, values: np.ndarray) -> Column:
    unit = unit_of(model, name)
    if name in model.parameters:
        return column_of(values, unit, (name,), f"parameter {name}")
    if name in model.signal_units or model.quantity_or_none(name):
        return column_of(values, unit, (name,), f"initial {long_name(name)}", heading=f"initial {name}")
    return column_of(values, unit, (name,), name)  # a name of a saved study without its model


def _members(ensemble: Members) -> Column:
    return Column(MEMBER, "", "number of the member", np.arange(len(ensemble)))


def _done(ensemble: Members) -> Column:
    return Column(DONE, "", "whether the member came to its end", np.asarray(ensemble.done))


def _failure(ensemble: Members) -> Column:
    messages = np.full(len(ensemble), "", dtype=object)
    for failure in ensemble.failures:
        messages[failure.member] = fit(failure.message)
    return Column(FAILURE, "", "why the member failed", messages)


def _check_distinct(names: Sequence[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise ModelError(
            f"two columns would be called {twice[0]!r}; call that number of a member otherwise",
            code="name-taken", name=twice[0], kind="column",
        )  # fmt: skip


# --- pandas ---


def to_dataframe(ensemble: Members, names: Sequence[str], times: bool) -> Any:
    pandas = package("pandas", "to_dataframe()")
    if times:
        rows = np.flatnonzero(ensemble.done)
        columns = [*_over_time(ensemble, names, rows)]
        axis = column_of(ensemble.t, ensemble.axis[1], (ensemble.axis[0],), ensemble.axis[0])
        index = pandas.MultiIndex.from_product([rows, axis.values], names=[MEMBER, axis.key])
    else:
        member, *columns = columns_of(ensemble, names)
        index = pandas.Index(member.values, name=MEMBER)
    _check_distinct([column.name for column in columns])
    frame = pandas.DataFrame({c.key: c.values for c in columns}, index=index)
    frame.attrs = {
        "title": ensemble.model.name,
        "units": {c.key: c.unit for c in columns},
        "long_names": {c.key: c.long_name for c in columns},
    }
    return frame


def _over_time(ensemble: Members, names: Sequence[str], rows: np.ndarray) -> Iterator[Column]:
    """Yield columns with a row for each time of each of these members."""
    times = len(ensemble.t)
    for column in designs_of(ensemble):
        yield replace(column, values=np.repeat(column.values[rows], times))
    for name in names or ensemble.names:
        array, parts = ensemble.array(name)[rows], components(ensemble, name)
        if array.ndim > 1 and array.shape[1] != times:
            raise ModelError(
                f"{name!r} does not go over time; name others, or leave times=True out", code="not-over-time", name=name
            )
        for k, part in enumerate(parts):
            values = np.repeat(array, times) if array.ndim == 1 else array.reshape(-1, len(parts))[:, k]
            yield column_of(values, ensemble.unit(name), (part, name), long_name(part))


# --- xarray ---

Variable = tuple[tuple[str, ...], Any, dict[str, str]]


def to_xarray(ensemble: Members, names: Sequence[str]) -> Any:
    """Return a Dataset whose dimensions are the axes of a grid, or "member", and then time."""
    xarray = package("xarray", "to_xarray()")
    axes, coordinates = axes_of(ensemble), dict(_coordinates(ensemble))
    along, shape = tuple(axis.name for axis in axes), tuple(len(axis.values) for axis in axes)
    along, shape = along or (MEMBER,), shape or (len(ensemble),)
    variables: dict[str, Variable] = {}
    arrays = [
        column_of(ensemble.array(name), ensemble.unit(name), (name,), long_name(name))
        for name in dict.fromkeys(names or ensemble.names)
    ]
    for column in (*arrays, _done(ensemble), _failure(ensemble)):
        if column.name in {*coordinates, *variables, COMPONENT}:
            raise ModelError(
                f"the Dataset has another {column.name!r}; read array({column.name!r})",
                code="name-taken", name=column.name, kind="variable",
            )  # fmt: skip
        # After the dimensions of the members follow time and component, or numbered ones for values without times.
        values, count = column.values, column.values.ndim - 1
        over = (ensemble.axis[0], COMPONENT)[:count]
        if count and values.shape[1] != len(ensemble.t):
            over = tuple(f"{column.name}[{k}]" for k in range(count))
        values = values.astype(str) if values.dtype == object else values
        variables[column.name] = (*along, *over), values.reshape(*shape, *values.shape[1:]), _attributes(column)
        if COMPONENT in over:
            coordinates[COMPONENT] = (COMPONENT,), [*"xyz"][: values.shape[2]], {}
    return xarray.Dataset(variables, coordinates, {"title": ensemble.model.name})


def _coordinates(ensemble: Members) -> Iterator[tuple[str, Variable]]:
    """Yield time and the varied names: along an axis of a grid, one number for all members, or a number for each."""
    axes, (axis, unit) = {column.name: column for column in axes_of(ensemble)}, ensemble.axis
    times, word = shown(ensemble.t, unit, axis)
    yield axis, ((axis,), times, {"units": word})
    for column in designs_of(ensemble) if axes else (_members(ensemble), *designs_of(ensemble)):
        if column.name in axes:
            yield column.name, ((column.name,), axes[column.name].values, _attributes(column))
        elif axes:
            yield column.name, ((), column.values[0], _attributes(column))
        else:
            yield column.name, ((MEMBER,), column.values, _attributes(column))


def _attributes(column: Column) -> dict[str, str]:
    return {"units": column.unit, "long_name": column.long_name} if column.unit else {"long_name": column.long_name}


# --- files, whose format follows from the ending of the name ---


class TableFormat(NamedTuple):
    """The content of a file in words, and the function that writes it."""

    what: str
    write: Callable[[Members, Path, Sequence[str]], None]


def _netcdf(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    package("h5netcdf", ".nc")
    to_xarray(ensemble, names).to_netcdf(path, engine="h5netcdf")


def _csv(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    write_csv({column.heading: column.values for column in columns_of(ensemble, names)}, path)


def _excel(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    write_excel(columns_of(ensemble, names), path, "ensemble")


def _matlab(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    write_matlab(columns_of(ensemble, names), path, ensemble.model.name)


def _parquet(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    package("pyarrow", ".parquet")
    to_dataframe(ensemble, names, False).to_parquet(path, engine="pyarrow")


FORMATS: Mapping[str, TableFormat] = {
    ".nc": TableFormat("everything over time, for xarray", _netcdf),
    ".csv": TableFormat("a table with a row for each member", _csv),
    ".xlsx": TableFormat("a table with a row for each member", _excel),
    ".mat": TableFormat("a table with a row for each member", _matlab),
    ".parquet": TableFormat("a table with a row for each member", _parquet),
}
"""The file formats, by the ending of the file's name."""


def save(ensemble: Members, path: str | Path, names: Sequence[str] = ()) -> Path:
    """Write an ensemble in the format of the name's ending, and return the path."""
    file = writable(path)
    with replacing(file, "choose another place, or create it") as place:
        FORMATS[file.suffix.lower()].write(ensemble, place, names)
    return file


def writable(path: str | Path) -> Path:
    """Return the path if its ending names a format for ensembles; raise a `ModelError` otherwise."""
    file = file_at(path, "e.g. 'study.nc'")
    if file.suffix.lower() not in FORMATS:
        why = f"no format is called {file.suffix!r}" if file.suffix else "its name has no ending"
        what = f"cannot write an ensemble to {str(path)!r}: {why}"
        raise ModelError(
            f"{what}; end the name in one of {', '.join(FORMATS)}",
            code="unknown-format", argument="path", file=str(path), format=file.suffix, choices=tuple(FORMATS),
        )  # fmt: skip
    return file
