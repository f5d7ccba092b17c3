"""Outputs of kernels along a motion: readings, and rows with their rates and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ..duals import Dual
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.vectors import copy
from .batch import VALUE, Batch, evaluate
from .program import Program

NO_DESIGNS = np.zeros((0, 0))


class Trajectory(NamedTuple):
    """States of a system at some times, and their accelerations. Arrays carry the coordinates of the ground behind the
    others."""

    t: Vector
    q: Matrix
    v: Matrix
    a: Matrix

    def until(self, count: int) -> Trajectory:
        """Return the part of the trajectory at the first `count` times, with arrays of its own."""
        return Trajectory(*(x[:count].copy() for x in self))


@compiled_apart
def read(
    program: Program, designs: Matrix, times: Vector, q: Matrix, v: Matrix, a: Matrix, out: Vector, found: Matrix
) -> None:
    """Put Φ, Φ̇ = Φ_v v - ν and Φ̈ = Φ_v a - γ of each row at each time into `found`, shape (3 times, rows): all times
    of Φ first. For measures the three are value, rate and acceleration; for constraints they are the violations. Rows
    without Φ read 0. With `designs`, a row of numbers for each design, the times are divided evenly among the designs,
    in order."""
    values, rates, accelerations = found, found[times.size :], found[2 * times.size :]
    every = times.size // max(designs.shape[0], 1)
    for k in range(times.size):
        if designs.size > 0 and k % every == 0:
            copy(designs[k // every], program.batch.parameters)
        evaluate(program.batch, VALUE, times[k], q[k], v[k], out)
        for row in range(program.rows):
            values[k, row] = out[program.phi_from[row]]
            rates[k, row] = -out[program.nu_from[row]]
            accelerations[k, row] = -out[program.gamma_from[row]]
        for item in range(program.jac_to.size):
            e, entry = program.jac_to[item], out[program.jac_from[item]]
            rates[k, program.jac_row[e]] += entry * v[k, program.jac_column[e]]
            accelerations[k, program.jac_row[e]] += entry * a[k, program.jac_column[e]]


@compiled_apart
def farthest_off(
    program: Program, designs: Matrix, times: Vector, q: Matrix, v: Matrix, out: Vector, rates: Vector, gaps: Matrix,
    paces: Matrix,
) -> None:  # fmt: skip
    """Put the largest |Φ| and |Φ̇| of each row along the motion of each design into `gaps` and `paces`, shape (designs,
    rows); nan if one of them is nan. The motions stand one after the other in q and v, all at the same times."""
    for k in range(q.shape[0]):
        own, design = k % times.size, k // times.size
        if own == 0:
            copy(designs[design], program.batch.parameters)
            gaps[design, :], paces[design, :] = 0.0, 0.0
        evaluate(program.batch, VALUE, times[own], q[k], v[k], out)
        for row in range(program.rows):
            rates[row] = -out[program.nu_from[row]]
            gaps[design, row] = _larger(gaps[design, row], abs(out[program.phi_from[row]]))
        for item in range(program.jac_to.size):
            e, entry = program.jac_to[item], out[program.jac_from[item]]
            rates[program.jac_row[e]] += entry * v[k, program.jac_column[e]]
        for row in range(program.rows):
            paces[design, row] = _larger(paces[design, row], abs(rates[row]))


@compiled
def _larger(one: float, other: float) -> float:
    """Return the larger one of two numbers; nan if either is nan."""
    return other if one == one and not other <= one else one


@compiled_apart
def read_values(batch: Batch, times: Vector, q: Matrix, v: Matrix, out: Matrix) -> None:
    """Put all outputs of a batch at every time into `out`, one row for each time."""
    for k in range(times.size):
        evaluate(batch, VALUE, times[k], q[k], v[k], out[k])


def read_outputs(batch: Batch, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return all outputs of a batch, shape (times, outputs)."""
    out = np.zeros((len(t), batch.out_size + 1))
    read_values(batch, *(np.ascontiguousarray(x, dtype=float) for x in (t, q, v)), out)
    return out[:, :-1]


Outputs = Callable[[np.ndarray, Any, Any], Any]
"""A function that returns the outputs of a batch along a motion (t, q, v) that varies with parameters."""


@dataclass(frozen=True, eq=False)
class Reader:
    """Values, rates and accelerations of relations, whether these are constraints or measures."""

    program: Program
    columns: int
    """The number of velocities that move."""
    v_size: int
    designs: np.ndarray
    """The numbers in the slots of its program, a row for each design, if there are several. All designs have the same
    number of times. (The program must then belong to this reader alone.)"""
    varied: Outputs | None = None
    """The function that reads the outputs along a motion that varies."""

    def jacobian(self, t: float, q: np.ndarray) -> sps.csr_matrix:
        """Return the derivatives of the values by the velocities, shape (rows, columns)."""
        program = self.program
        out = read_outputs(program.batch, np.array([t]), q[None], np.zeros((1, self.v_size)))[0]
        places = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
        return sps.csr_matrix((out[program.jac_from], places), shape=(program.rows, self.columns))

    def __call__(self, t: np.ndarray, q: Any, v: Any, a: Any) -> Any:
        """Return Φ, Φ̇ and Φ̈ of every row at every time, shape (3, times, rows)."""
        if isinstance(q, Dual):
            return self._varied(t, q, v, a)
        if len(self.designs) and (len(t) < len(self.designs) or len(t) % len(self.designs)):
            raise ValueError(f"{len(t)} times for {len(self.designs)} designs: each must have as many as every other")
        t, q, v, a = (np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a))
        found = np.zeros((3 * len(t), self.program.rows))
        read(self.program, self.designs, t, q, v, a, np.zeros(self.program.batch.out_size + 1), found)
        return found.reshape(3, len(t), self.program.rows)

    def _varied(self, t: np.ndarray, q: Dual, v: Dual, a: Dual) -> Any:
        """Return Φ, Φ̇ and Φ̈ with their derivatives by parameters, by the sum and product rules."""
        program, rows = self.program, self.program.rows
        assert self.varied is not None
        out = self.varied(t, q, v)
        row, column = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
        to_rows = sps.csr_matrix((np.ones(row.size), (np.arange(row.size), row)), (row.size, rows))
        entries, held = out[:, program.jac_from], program.phi_from < program.batch.out_size
        values = np.stack(
            [out[:, at] if there else 0.0 * out[:, 0] for at, there in zip(program.phi_from, held, strict=True)], axis=1
        )
        rates, accelerations = ((entries * x[:, column]).times(to_rows) for x in (v, a))
        return np.stack([values, rates - out[:, program.nu_from], accelerations - out[:, program.gamma_from]])
