"""L D Lᵀ of a sparse symmetric matrix whose pattern is analysed once. Compiled.

L is stored by rows. Its items (i, k) and the pivots follow one after the other, from sums of earlier ones:

    u_ik = a_ik - Σ_j u_ij l_kj,      l_ik = u_ik / d_k,      d_i = a_ii - Σ_k u_ik l_ik
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import INDEX, Indices, Integers, block


class LdlStructure(NamedTuple):
    """The structure of L."""

    at: Integers
    """Row i has the items at[i] : at[i + 1], in increasing columns."""
    column: Indices
    lead: int
    """The number of leading rows without items: forward substitution starts behind them."""
    pair_at: Integers
    """Item e takes the products of pairs pair_at[e] : pair_at[e + 1]: u at `pair_u` times l at `pair_l`."""
    pair_u: Indices
    pair_l: Indices


def structure(size: int, row: np.ndarray, column: np.ndarray) -> LdlStructure:
    """Return the structure of L with `size` rows, from the places of its items: row by row, in increasing columns."""
    at = np.searchsorted(row, np.arange(size + 1))
    empty = np.diff(at) == 0
    lead = size if empty.all() else int(np.argmin(empty))
    # In a column j each item (k, j) goes with each (i, j) below it: their product is taken from item (i, k).
    down = np.argsort(column, kind="stable")
    below = np.searchsorted(column[down], column[down], side="right") - np.arange(1, column.size + 1)
    first = np.repeat(np.arange(column.size), below)
    second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(below) - below, below)
    pair_l, pair_u = down[first], down[second]
    item = np.searchsorted(row * size + column, row[pair_u] * size + row[pair_l])
    order = np.argsort(item, kind="stable")
    pair_at = np.searchsorted(item[order], np.arange(column.size + 1))
    indices = (pair_u[order].astype(INDEX), pair_l[order].astype(INDEX))
    return block(LdlStructure(at, column.astype(INDEX), lead, pair_at, *indices))


@compiled
def forward(structure: LdlStructure, l: Any, x: Any) -> None:
    """Replace x by L⁻¹ x."""
    at, column = structure.at, structure.column
    for i in range(structure.lead, at.size - 1):
        value = x[i]
        for e in range(at[i], at[i + 1]):
            value -= l[e] * x[column[e]]
        x[i] = value


@compiled
def backward(structure: LdlStructure, l: Any, x: Any) -> None:
    """Replace x by L⁻ᵀ x."""
    at, column = structure.at, structure.column
    for i in range(at.size - 2, structure.lead - 1, -1):
        value = x[i]
        for e in range(at[i], at[i + 1]):
            x[column[e]] -= l[e] * value
