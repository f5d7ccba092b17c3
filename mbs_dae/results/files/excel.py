"""Tables as .xlsx: one sheet, names with units in its first row."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ..result import Result
from .optional import package
from .tables import Column, columns_of

ROWS, COLUMNS = 1_048_576, 16_384
"""Greatest numbers of rows and columns of a sheet."""


def write(result: Result, path: Path) -> None:
    write_columns(columns_of(result), path, "result")


def write_columns(columns: Sequence[Column], path: Path, what: str) -> None:
    openpyxl, rows = package("openpyxl", ".xlsx"), len(columns[0].values)
    if rows >= ROWS or len(columns) > COLUMNS:
        size = f"a sheet has {ROWS} rows and {COLUMNS} columns, and the {what} {rows} and {len(columns)}"
        raise ModelError(f"{size}; write fewer by to_dataframe(...), or another format")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(what)
    sheet.freeze_panes = "B2"
    sheet.append([*_words(openpyxl, sheet, [column.heading for column in columns])])
    for row in zip(*(_cells(openpyxl, sheet, column.values) for column in columns), strict=True):
        sheet.append(row)
    book.save(path)


def _cells(openpyxl: Any, sheet: Any, values: np.ndarray) -> list[Any]:
    return [*_words(openpyxl, sheet, values)] if values.dtype.kind in "OU" else _numbers(values)


def _words(openpyxl: Any, sheet: Any, texts: Iterable[str]) -> Iterator[Any]:
    """Yield cells of text, whatever the texts begin with: "=" would make a formula."""
    for text in texts:
        cell = openpyxl.cell.WriteOnlyCell(sheet, value=text)
        cell.data_type = "s"
        yield cell


def _numbers(values: np.ndarray) -> list[float | str | None]:
    """Return the cells of numbers: a text for infinity, which a sheet does not have, and an empty cell for nan."""
    return [x if np.isfinite(x) else None if np.isnan(x) else str(x) for x in values.tolist()]
