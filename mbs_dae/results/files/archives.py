"""Results with everything in them, for `mbs.load`.

A file .npz has the content of a result as arrays of numpy; the header is one of them. A file .nc, netCDF 4, has all
numbers by name over time with their units, as xarray and others read them; a group ``mbs_dae`` holds the other content.
A .nc file is an HDF5 file in which every variable names the scales of its dimensions. The package h5py writes the
file, because results have thousands of variables: packages for netCDF walk through all of them for each.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..result import Result
from .contents import Arrays, Header, contents
from .tables import Column, columns_of, distinct, fit
from .writing import package

GROUP = "mbs_dae"
LARGE = 1024
"""Least number of values for which compression saves more than it costs."""


def write_npz(result: Result, path: Path) -> None:
    header, arrays = contents(result)
    with path.open("wb") as file:  # numpy would add an ending to a path
        np.savez_compressed(file, header=as_bytes(header), **arrays)  # type: ignore[arg-type]


def read_npz(path: Path) -> tuple[Header, Arrays]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return from_bytes(arrays["header"]), arrays


def as_bytes(header: Header) -> np.ndarray:
    return np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)


def from_bytes(array: np.ndarray) -> Header:
    return json.loads(array.tobytes())


def write_netcdf(result: Result, path: Path) -> None:
    h5py = package("h5py", ".nc")
    header, arrays = contents(result)
    axis, *columns = columns_of(result)
    names = [column.name for column in columns]
    plain = [re.sub(r"[^\w.+-]|^[^\w]", "_", name) for name in names]  # a slash would be a path
    along, *distinct_names = distinct([axis.name, *plain], [GROUP])
    variables = dict(zip(names, distinct_names, strict=True))
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


def _put(group: Any, name: str, array: np.ndarray, column: Column | None = None) -> Any:
    variable = group.create_dataset(name, data=array, compression="gzip" if array.size >= LARGE else None)
    if column:
        for attribute, text in {"units": column.unit, "long_name": column.long_name, "name": column.name}.items():
            variable.attrs[attribute] = fit(text)
    return variable


def read_netcdf(path: Path) -> tuple[Header, Arrays]:
    h5py = package("h5py", ".nc")
    with path.open("rb"):  # a file that cannot be opened raises the usual error
        pass
    with h5py.File(path, "r") as file:
        arrays = {
            name: np.char.decode(variable[...], "utf-8") if variable.dtype.kind == "S" else _numbers(variable)
            for name, variable in file[GROUP].items()
        }
        header = from_bytes(arrays["header"])
        if "values" not in arrays:
            values = [_numbers(file[name]) for name in header["variables"]]
            arrays["values"] = np.stack(values) if values else np.zeros((0, arrays["t"].size))
        return header, arrays


def _numbers(variable: Any) -> np.ndarray:
    if variable.dtype.kind not in "fiub":
        raise TypeError(f"{variable.name} holds no numbers")
    return np.asarray(variable[...])
