"""Tables for other programs.

A .csv has one line of names with units, ``t [s],slider.x [m]``, and a line for each time, as
``pandas.read_csv(path, index_col=0)`` reads it. A .xlsx has one sheet, with names and units in its first row. A .mat
has one variable for each quantity, ``rod_tip_x`` for rod.tip.x, and ``mbs_dae``, a structure with names, variables,
units and meanings, side by side.

Names may come from strangers. A spreadsheet takes a cell that begins with = + - @, a tab or a line break for a formula,
which may fetch and run things: in a .csv such a name gets an apostrophe in front, which makes it text, and in a .xlsx
its cell is marked as text. Texts with characters that could end a cell of a .csv are quoted, the semicolon included,
which ends a cell where decimal numbers have a comma.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from keyword import kwlist
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from ...errors import ModelError
from ..names import long_name
from ..result import Result
from .tables import Column, axis_of, column_of, columns_of, distinct, fit
from .writing import package

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The first characters of formulas, including the wide forms of East Asian keyboards."""
ENDS = {*',;"\t\r\n'}
"""Characters that could end a cell of a .csv."""
ROWS, COLUMNS = 1_048_576, 16_384
"""Greatest numbers of rows and columns of a sheet."""
LONGEST = 63
"""Greatest number of characters of a name in MATLAB."""
RESERVED = {*kwlist, "case", "catch", "end", "function", "otherwise", "parfor", "persistent", "spmd", "switch"}
"""Reserved words of MATLAB and of Python, which cannot be names."""
TABLE = "mbs_dae"
"""The name of the structure in a .mat."""


def write_csv(columns: Mapping[str, np.ndarray], path: Path) -> None:
    """Write columns of numbers or of words with their headings."""

    def cell(value: object) -> str:
        if not isinstance(value, str):
            return repr(value)
        text = fit(value)
        if text.startswith(FORMULAS):
            text = f"'{text}"
        return '"' + text.replace('"', '""') + '"' if ENDS & {*text} else text

    rows = [columns, *zip(*(values.tolist() for values in columns.values()), strict=True)]
    path.write_text("".join(",".join(map(cell, row)) + "\r\n" for row in rows), encoding="utf-8", newline="")


def write_excel(columns: Sequence[Column], path: Path, title: str) -> None:
    """Write columns as a sheet with this title."""
    openpyxl, rows = package("openpyxl", ".xlsx"), len(columns[0].values)
    if rows >= ROWS or len(columns) > COLUMNS:
        size = f"a sheet has {ROWS} rows and {COLUMNS} columns, and the {title} {rows} and {len(columns)}"
        raise ModelError(
            f"{size}; write fewer by to_dataframe(...), or another format",
            code="too-large-for-sheet", rows=rows, columns=len(columns), limits=(ROWS, COLUMNS),
        )  # fmt: skip
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "B2"

    def words(texts: Iterable[str]) -> Iterator[Any]:
        """Yield cells of text, whatever the texts begin with: "=" would make a formula."""
        for text in texts:
            cell = openpyxl.cell.WriteOnlyCell(sheet, value=text)
            cell.data_type = "s"
            yield cell

    def numbers(values: np.ndarray) -> Iterator[float | str | None]:
        """Yield cells of numbers: a text for infinity, which a sheet does not have, and an empty cell for nan."""
        for x in values.tolist():
            yield x if np.isfinite(x) else None if np.isnan(x) else str(x)

    sheet.append([*words(column.heading for column in columns)])
    cells = (words(c.values) if c.values.dtype.kind in "OU" else numbers(c.values) for c in columns)
    for row in zip(*cells, strict=True):
        sheet.append(row)
    book.save(path)


def write_matlab(columns: Sequence[Column], path: Path, title: str) -> None:
    """Write columns as variables, with a structure that describes them."""
    # A variable has letters, digits and underscores, and begins with a letter; there is room for a number behind it.
    plain = [re.sub("[^A-Za-z0-9_]", "_", column.name)[: LONGEST - 6] for column in columns]
    is_name = [bool(re.match("[A-Za-z]", name)) and name.lower() not in RESERVED for name in plain]
    names = (name if fits else f"x_{name}" for name, fits in zip(plain, is_name, strict=True))
    variables = [*distinct(names, taken=[TABLE])]
    facts = {
        "names": [column.name for column in columns],
        "variables": variables,
        "units": [column.unit for column in columns],
        "long_names": [column.long_name for column in columns],
    }
    table = {"title": fit(title)} | {fact: _cells(texts) for fact, texts in facts.items()}
    is_text = [column.values.dtype.kind in "OU" for column in columns]
    arrays = [_cells(c.values) if text else c.values for c, text in zip(columns, is_text, strict=True)]
    savemat(path, dict(zip(variables, arrays, strict=True)) | {TABLE: table}, oned_as="column", do_compression=True)


def _cells(texts: Sequence[str] | np.ndarray) -> np.ndarray:
    """Return a cell array of texts."""
    cells = np.empty(len(texts), dtype=object)
    cells[:] = [fit(text) for text in texts]
    return cells


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
        raise ModelError(
            f"{min(taken)!r} is what the Dataset runs over; read result[{min(taken)!r}]",
            code="name-taken", argument="names", name=min(taken),
        )  # fmt: skip

    def attributes(column: Column) -> dict[str, str]:
        return {"units": column.unit, "long_name": column.long_name}

    coordinates: dict[str, Any] = {axis.name: (axis.name, axis.values, attributes(axis))}
    variables = {}
    for name in names:
        column = column_of(result[name], result.unit(name), (name,), long_name(name))
        along = (axis.name, "component")[: column.values.ndim]
        variables[name] = along, column.values, attributes(column)
        if len(along) == 2:
            coordinates["component"] = "component", [part[-1] for part in result.components(name)]
    return xarray.Dataset(variables, coordinates, {"title": result.title})


def write_parquet(result: Result, path: Path) -> None:
    """Write a table in Parquet; `pandas.read_parquet(path).attrs` has its units and long names."""
    package("pyarrow", ".parquet")
    to_dataframe(result, result.scalar_names).to_parquet(path, engine="pyarrow")
