"""Tables as .csv: one line of names with units, ``t [s],slider.x [m]``, and a line for each time, as
``pandas.read_csv(path, index_col=0)`` reads it.

Names may come from strangers. A spreadsheet takes a cell that begins with = + - @, a tab or a line break for a formula,
which may fetch and run things: such a name gets an apostrophe in front, which makes it text. Texts with characters that
could end a cell are quoted, the semicolon included, which ends a cell where decimal numbers have a comma.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from ..result import Result
from .tables import columns_of, fit

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The first characters of formulas, including the wide forms of East Asian keyboards."""
ENDS = {*',;"\t\r\n'}


def write(result: Result, path: Path) -> None:
    write_columns({column.heading: column.values for column in columns_of(result)}, path)


def write_columns(columns: Mapping[str, np.ndarray], path: Path) -> None:
    """Write columns of numbers or of words with their headings."""
    lines = [_line(columns), *map(_line, zip(*(values.tolist() for values in columns.values()), strict=True))]
    path.write_text("".join(lines), encoding="utf-8", newline="")


def _line(cells: Iterable[object]) -> str:
    return ",".join(_cell(cell) if isinstance(cell, str) else repr(cell) for cell in cells) + "\r\n"


def _cell(text: str) -> str:
    text = fit(text)
    if text.startswith(FORMULAS):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if ENDS & {*text} else text
