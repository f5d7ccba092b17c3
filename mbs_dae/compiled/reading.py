"""Outputs of kernels along a whole motion: readings, and rows with their rates and accelerations."""

from __future__ import annotations

import numpy as np

from .batch import Batch
from .program import Program
from .read import read, read_values


def read_outputs(batch: Batch, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """All outputs of a batch: one row for each time."""
    out = np.zeros((len(t), batch.out_size + 1))
    read_values(batch, *(np.ascontiguousarray(x, dtype=float) for x in (t, q, v)), out)
    return out[:, :-1]


def read_rows_along(
    program: Program, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Φ, Φ̇ and Φ̈ of every row at every time."""
    t, q, v, a = (np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a))
    shape = (len(t), program.rows)
    values, rates, accelerations = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    read(program, t, q, v, a, np.zeros(program.batch.out_size + 1), values, rates, accelerations)
    return values, rates, accelerations
