"""Outputs of kernels along a whole motion: readings, and rows with their rates and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sps

from .batch import Batch
from .program import Program
from .read import read, read_values

NO_DESIGNS = np.zeros((0, 0))


def read_outputs(batch: Batch, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """All outputs of a batch: one row for each time."""
    out = np.zeros((len(t), batch.out_size + 1))
    read_values(batch, *(np.ascontiguousarray(x, dtype=float) for x in (t, q, v)), out)
    return out[:, :-1]


def read_rows_along(
    program: Program,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    designs: np.ndarray = NO_DESIGNS,
) -> tuple[np.ndarray, ...]:
    """Φ, Φ̇ and Φ̈ of every row at every time; where there are `designs`, with the numbers of each time. (The program
    then must be its caller's own.)"""
    t, q, v, a = (np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a))
    shape = (len(t), program.rows)
    values, rates, accelerations = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    read(program, designs, t, q, v, a, np.zeros(program.batch.out_size + 1), values, rates, accelerations)
    return values, rates, accelerations


@dataclass(frozen=True, eq=False)
class Reader:
    """Values, rates and accelerations of relations, by the same kernels that joints use."""

    program: Program
    columns: int
    """How many velocities move."""
    v_size: int
    designs: np.ndarray
    """The numbers in the slots of its program at each time, where they change from one to the next."""

    def jacobian(self, t: float, q: np.ndarray) -> sps.csr_matrix:
        """How the values change with the velocities."""
        program = self.program
        out = read_outputs(program.batch, np.array([t]), q[None], np.zeros((1, self.v_size)))[0]
        places = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
        return sps.csr_matrix((out[program.jac_from], places), shape=(program.rows, self.columns))

    def __call__(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
        return read_rows_along(self.program, t, q, v, a, self.designs)
