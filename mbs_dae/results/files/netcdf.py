"""Results as .nc, netCDF 4: all numbers by name over time with their units, as xarray and others read them; a group
``mbs_dae`` holds the other content of a result's file, for `mbs.load`.

Such a file is an HDF5 file in which every variable names the scales of its dimensions. The package h5py writes the
file, because results have thousands of variables: packages for netCDF walk through all of them for each.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..result import Result
from .contents import Arrays, Header, contents
from .npz import as_bytes, from_bytes
from .optional import package
from .tables import Column, columns_of, distinct, fit

GROUP = "mbs_dae"
LARGE = 1024
"""Least number of values for which compression saves more than it costs."""


def write(result: Result, path: Path) -> None:
    h5py = package("h5py", ".nc")
    header, arrays = contents(result)
    axis, *columns = columns_of(result)
    names = [column.name for column in columns]
    along, *own = distinct([axis.name, *map(_variable, names)], [GROUP])
    variables = dict(zip(names, own, strict=True))
    header["variables"] = [variables[name] for name in header["names"]]
    if all(column.si is None for column in columns):
        del arrays["values"]  # the variables hold the values; in other units they are additional to values in SI
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["title"] = fit(result.title)
        scale = _put(file, along, axis.values, axis)
        scale.make_scale(along)
        scales, kind = np.empty(1, dtype=object), h5py.vlen_dtype(h5py.ref_dtype)
        scales[0] = np.array([scale.ref], dtype=h5py.ref_dtype)
        for column in columns:
            variable = _put(file, variables[column.name], column.values, column)
            variable.attrs.create("DIMENSION_LIST", scales, dtype=kind)  # faster than h5py's own method
        group = file.create_group(GROUP, track_order=True)
        for name, array in [("header", as_bytes(header)), *arrays.items()]:
            _put(group, name, np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array)


def _variable(name: str) -> str:
    """Return a name of letters, digits and a few signs: a slash would be a path."""
    return re.sub(r"[^\w.+-]|^[^\w]", "_", name)


def _put(group: Any, name: str, array: np.ndarray, told: Column | None = None) -> Any:
    variable = group.create_dataset(name, data=array, compression="gzip" if array.size >= LARGE else None)
    if told:
        for what, text in {"units": told.unit, "long_name": told.long_name, "name": told.name}.items():
            variable.attrs[what] = fit(text)
    return variable


def read(path: Path) -> tuple[Header, Arrays]:
    h5py = package("h5py", ".nc")
    with path.open("rb"):  # a file that cannot be opened raises the usual error
        pass
    with h5py.File(path, "r") as file:
        arrays = dict(_read_arrays(file[GROUP]))
        header = from_bytes(arrays["header"])
        if "values" not in arrays:
            values = [_numbers(file[name]) for name in header["variables"]]
            arrays["values"] = np.stack(values) if values else np.zeros((0, arrays["t"].size))
        return header, arrays


def _read_arrays(group: Any) -> Iterator[tuple[str, np.ndarray]]:
    for name, variable in group.items():
        is_text = variable.dtype.kind == "S"
        yield name, np.char.decode(variable[...], "utf-8") if is_text else _numbers(variable)


def _numbers(variable: Any) -> np.ndarray:
    if variable.dtype.kind not in "fiub":
        raise TypeError(f"{variable.name} holds no numbers")
    return np.asarray(variable[...])
