"""A sparse matrix G by rows, whose places never change. Compiled."""

from typing import NamedTuple

from ..kernels.abi import compiled
from ..kernels.blocks import Indices, Integers, Vector, Work, zeros


class Rows(NamedTuple):
    at: Integers
    """Row r has the entries at[r] : at[r + 1]."""
    column: Indices
    value: Work[Vector] = zeros("entries")


@compiled
def along(rows, r, x):
    """Row r times x."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += rows.value[e] * x[rows.column[e]]
    return total


@compiled
def size_along(rows, r, x):
    """The sum of the sizes of its terms."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += abs(rows.value[e] * x[rows.column[e]])
    return total


@compiled
def pull(rows, forces, f):
    """f plus Gᵀ forces, in f."""
    for r in range(rows.at.size - 1):
        if forces[r] != 0.0:
            for e in range(rows.at[r], rows.at[r + 1]):
                f[rows.column[e]] += rows.value[e] * forces[r]


@compiled
def reply(rows, r, mobility):
    """G W⁻¹ Gᵀ of row r with a diagonal W⁻¹."""
    total = 0.0
    for e in range(rows.at[r], rows.at[r + 1]):
        total += rows.value[e] ** 2 * mobility[rows.column[e]]
    return total
