"""A sparse matrix G by rows, with a fixed pattern. Compiled."""

from typing import NamedTuple

from ..kernels.abi import compiled
from ..kernels.blocks import Indices, Integers, Vector, Work, zeros


class Rows(NamedTuple):
    at: Integers
    """Row r has the entries at[r] : at[r + 1]."""
    column: Indices
    """The column of each entry."""
    value: Work[Vector] = zeros("entries")


@compiled
def row_dot(rows: Rows, r: int, x: Vector) -> float:
    """Return row r times x."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += rows.value[e] * x[rows.column[e]]
    return total


@compiled
def row_dot_size(rows: Rows, r: int, x: Vector) -> float:
    """Return the sum of the absolute values of the terms of row r times x."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += abs(rows.value[e] * x[rows.column[e]])
    return total


@compiled
def add_transposed_product(rows: Rows, forces: Vector, f: Vector) -> None:
    """Add Gᵀ forces to f."""
    for r in range(rows.at.size - 1):
        if forces[r] != 0.0:
            for e in range(rows.at[r], rows.at[r + 1]):
                f[rows.column[e]] += rows.value[e] * forces[r]


@compiled
def schur_diagonal(rows: Rows, r: int, mobility: Vector) -> float:
    """Return the diagonal entry of G W⁻¹ Gᵀ for row r, with a diagonal W⁻¹."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += rows.value[e] ** 2 * mobility[rows.column[e]]
    return total
