"""L D Lᵀ of a sparse symmetric matrix whose pattern is analysed once. Compiled.

L is kept by rows. Its item (i, k) and the pivots follow one after the other, all sums known beforehand:

    u_ik = a_ik - Σ_j u_ij l_kj,      l_ik = u_ik / d_k,      d_i = a_ii - Σ_k u_ik l_ik
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Indices, Integers, block

INDEX = np.uint64
"""What is only ever an index (see `kernels.blocks`)."""


class Structure(NamedTuple):
    """The structure of L."""

    at: Integers
    """Row i has the items at[i] : at[i + 1], in columns that increase."""
    column: Indices
    lead: int
    """So many rows come first that have no items: their columns take nothing from others on the way."""
    plain_to: Integers
    """Items at[i] : plain_to[i] are in such columns."""
    pair_at: Integers
    """Item e takes the products of pairs pair_at[e] : pair_at[e + 1]: u at `pair_u` times l at `pair_l`."""
    pair_u: Indices
    pair_l: Indices


def structure(at: np.ndarray, column: np.ndarray) -> tuple[Structure, np.ndarray]:
    """The structure of L for a matrix whose strictly lower triangle is given by rows; and its items' rows."""
    l_at, l_column = _fill(at, column)
    pair_at, pair_u, pair_l = _pairs(l_at, l_column)
    rows = np.repeat(np.arange(at.size - 1), np.diff(l_at))
    empty = np.diff(l_at) == 0
    lead = int(np.argmin(empty)) if not empty.all() else empty.size
    plain_to = l_at[:-1] + np.bincount(rows, weights=l_column < lead, minlength=empty.size).astype(np.int64)
    fields = Structure(
        l_at, l_column.astype(INDEX), lead, plain_to, pair_at, pair_u.astype(INDEX), pair_l.astype(INDEX)
    )
    return block(fields), rows


def _fill(at: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row i of L has what can be reached from row i of the matrix in the elimination tree (the parent of a column is
    the first row below that needs it)."""
    parent, seen = np.full((2, at.size - 1), -1, dtype=np.int64)
    l_at, none = np.zeros(at.size, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _reached(at, column, parent, seen, l_at, none)
    l_column = np.zeros(l_at[-1], dtype=np.int64)
    seen[:] = -1
    _reached(at, column, parent, seen, l_at, l_column)
    return l_at, l_column


@compiled_apart
def _reached(at: Integers, column: Integers, parent: Integers, seen: Integers, l_at: Integers, l_column: Integers):
    """Counted, and listed where there is room."""
    for i in range(at.size - 1):
        seen[i] = i
        free = l_at[i]
        for item in range(at[i], at[i + 1]):
            k = column[item]
            while seen[k] != i:
                if parent[k] == -1:
                    parent[k] = i
                seen[k] = i
                place = free
                while l_column.size > 0 and place > l_at[i] and l_column[place - 1] > k:  # insertion: rows are short
                    l_column[place] = l_column[place - 1]
                    place -= 1
                if l_column.size > 0:
                    l_column[place] = k
                free += 1
                k = parent[k]
        l_at[i + 1] = free


def _pairs(at: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each item (i, k) the columns that rows i and k share."""
    pair_at, none = np.zeros(column.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _shared(at, column, pair_at, none, none)
    pair_u, pair_l = np.zeros((2, pair_at[-1]), dtype=np.int64)
    _shared(at, column, pair_at, pair_u, pair_l)
    return pair_at, pair_u, pair_l


@compiled_apart
def _shared(at: Integers, column: Integers, pair_at: Integers, pair_u: Integers, pair_l: Integers):
    """Counted, and listed where there is room."""
    total = 0
    for i in range(at.size - 1):
        for e in range(at[i], at[i + 1]):
            k = column[e]
            a, b = at[i], at[k]
            while a < e and b < at[k + 1]:
                if column[a] == column[b]:
                    if pair_u.size > 0:
                        pair_u[total], pair_l[total] = a, b
                    total += 1
                    a += 1
                    b += 1
                elif column[a] < column[b]:
                    a += 1
                else:
                    b += 1
            pair_at[e + 1] = total


@compiled
def eliminate_row(structure, i, inverse, u, l):
    """Row i of L, after the rows before it, from row i of the matrix, which stands in u. Gives back what the columns
    with positive and with negative pivots take from its own pivot."""
    column, pair_at, pair_u, pair_l = structure.column, structure.pair_at, structure.pair_u, structure.pair_l
    plus = minus = 0.0
    for e in range(structure.at[i], structure.plain_to[i]):
        value = u[e]
        ratio = value * inverse[column[e]]
        l[e] = ratio
        plus += ratio * value
    for e in range(structure.plain_to[i], structure.at[i + 1]):
        value = u[e]
        for pair in range(pair_at[e], pair_at[e + 1]):
            value -= u[pair_u[pair]] * l[pair_l[pair]]
        u[e] = value
        ratio = value * inverse[column[e]]
        l[e] = ratio
        taken = ratio * value
        plus += taken if taken > 0.0 else 0.0
        minus += taken if taken < 0.0 else 0.0
    return plus, minus


@compiled
def forward(structure, l, x):
    """x becomes L⁻¹ x."""
    at, column = structure.at, structure.column
    for i in range(structure.lead, at.size - 1):
        value = x[i]
        for e in range(at[i], at[i + 1]):
            value -= l[e] * x[column[e]]
        x[i] = value


@compiled
def backward(structure, l, x):
    """x becomes L⁻ᵀ x."""
    at, column = structure.at, structure.column
    for i in range(at.size - 2, structure.lead - 1, -1):
        value = x[i]
        for e in range(at[i], at[i + 1]):
            x[column[e]] -= l[e] * value
