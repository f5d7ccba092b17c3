"""Write an ensemble to a file; the ending of the file's name decides the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import ModelError
from ...results.files import excel, file_at, matlab, replacing, text
from ...results.files.optional import package
from .members import Members
from .tables import columns_of, to_dataframe, to_xarray


class Format(NamedTuple):
    what: str
    write: Callable[[Members, Path, Sequence[str]], None]


def _netcdf(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    package("h5netcdf", ".nc")
    to_xarray(ensemble, names).to_netcdf(path, engine="h5netcdf")


def _csv(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    text.write_columns({column.heading: column.values for column in columns_of(ensemble, names)}, path)


def _excel(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    excel.write_columns(columns_of(ensemble, names), path, "ensemble")


def _matlab(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    matlab.write_columns(columns_of(ensemble, names), path, ensemble.model.name)


def _parquet(ensemble: Members, path: Path, names: Sequence[str]) -> None:
    package("pyarrow", ".parquet")
    to_dataframe(ensemble, names, False).to_parquet(path, engine="pyarrow")


FORMATS: Mapping[str, Format] = {
    ".nc": Format("everything over time, for xarray", _netcdf),
    ".csv": Format("a table with a row for each member", _csv),
    ".xlsx": Format("a table with a row for each member", _excel),
    ".mat": Format("a table with a row for each member", _matlab),
    ".parquet": Format("a table with a row for each member", _parquet),
}
"""The file formats, by the ending of the file's name."""


def save(ensemble: Members, path: str | Path, names: Sequence[str] = ()) -> Path:
    found = writable(path)
    with replacing(found, "choose another place, or create it") as place:
        FORMATS[found.suffix.lower()].write(ensemble, place, names)
    return found


def writable(path: str | Path) -> Path:
    """Return the path if its ending names a format for ensembles; raise a `ModelError` otherwise."""
    found = file_at(path, "e.g. 'study.nc'")
    if found.suffix.lower() not in FORMATS:
        why = f"no format is called {found.suffix!r}" if found.suffix else "its name has no ending"
        what = f"cannot write an ensemble to {str(path)!r}: {why}"
        raise ModelError(f"{what}; end the name in one of {', '.join(FORMATS)}")
    return found
