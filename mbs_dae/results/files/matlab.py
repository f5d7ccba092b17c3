"""Tables as .mat: one variable for each quantity, ``rod_tip_x`` for rod.tip.x, and ``mbs_dae``, a structure with names,
variables, units and meanings, side by side."""

import re
from collections.abc import Sequence
from keyword import kwlist
from pathlib import Path

import numpy as np
from scipy.io import savemat

from ..result import Result
from .tables import Column, columns_of, distinct, fit

LONGEST = 63
"""Greatest number of characters of a name in MATLAB."""
RESERVED = {*kwlist, "case", "catch", "end", "function", "otherwise", "parfor", "persistent", "spmd", "switch"}
"""Reserved words of MATLAB and of Python, which cannot be names."""
TABLE = "mbs_dae"


def write(result: Result, path: Path) -> None:
    write_columns(columns_of(result), path, result.title)


def write_columns(columns: Sequence[Column], path: Path, title: str) -> None:
    variables = [*distinct((_variable(column.name) for column in columns), taken=[TABLE])]
    told = {
        "names": [column.name for column in columns],
        "variables": variables,
        "units": [column.unit for column in columns],
        "long_names": [column.long_name for column in columns],
    }
    table = {"title": fit(title)} | {what: _cells(texts) for what, texts in told.items()}
    is_text = [column.values.dtype.kind in "OU" for column in columns]
    arrays = [_cells(c.values) if text else c.values for c, text in zip(columns, is_text, strict=True)]
    savemat(path, dict(zip(variables, arrays, strict=True)) | {TABLE: table}, oned_as="column", do_compression=True)


def _variable(name: str) -> str:
    """Return a name of letters, digits and underscores that begins with a letter."""
    plain = re.sub("[^A-Za-z0-9_]", "_", name)[: LONGEST - 6]  # room for a number after the name
    return plain if re.match("[A-Za-z]", plain) and plain.lower() not in RESERVED else f"x_{plain}"


def _cells(texts: Sequence[str] | np.ndarray) -> np.ndarray:
    """Return a cell array of texts."""
    cells = np.empty(len(texts), dtype=object)
    cells[:] = [fit(text) for text in texts]
    return cells
