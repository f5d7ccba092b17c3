"""The one linear system of everything, solved by a sparse LDLᵀ whose pattern is analysed once:

    [ W   Φ_vᵀ ] [x]   [f]
    [ Φ_v   0  ] [λ] = [g]

Of all x with Φ_v x = g it gives the one that is least in the norm of W, so under-, fully and over-determined mechanisms
share one path. With the mass matrix for W it is the system of dynamics. W is diagonal, or block-diagonal with one small
block a body: what lies beside its diagonal never fills in beyond its block.

Ordering. All x are eliminated before any λ. The pivots are then those of W, and after them those of the Gram matrix
Φ_v W⁻¹ Φ_vᵀ: every one is a squared length, none can be zero by accident, and no pivoting is needed. Among the λ a
minimum degree ordering keeps the fill low. The pivot of row k is the squared distance of Φ_v's row k from the span of
the rows before it; relative to the row's own length it says how independent the row is: `independence`, between 0
and 1. That is the rank test of all analyses.

Redundant rows have pivot 0. Each row is given a small extra, DELTA times its own squared length, which makes the
matrix quasi-definite; iterative refinement against the true matrix then takes the extra's effect away again. The same
is done where W has no weight of its own (a body without mass): `soft` is what its diagonal is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import splu

from ..kernels.abi import compiled, compiled_setup
from ..kernels.blocks import block

DELTA = 1e-13
NONE = np.zeros(0, dtype=np.int64)
FAINT = 1e-36
"""Rows whose squared length is less than this, relative to the longest row's, count as zero. Rows may be in different
units (m², rad), so this is far below what a small mechanism makes of that."""


class Pattern(NamedTuple):
    """What never changes: ordering, elimination tree, and the structure of L."""

    n: int
    """Number of x."""
    m: int
    """Number of λ."""
    jac_row: np.ndarray
    jac_column: np.ndarray
    block_row: np.ndarray
    """The entries of W below its diagonal."""
    block_column: np.ndarray
    place: np.ndarray
    """place[k]: where unknown k (x first, then λ) stands in the order of elimination."""
    row_at: np.ndarray
    """row_at[k]: which row of Φ_v is the k-th to be eliminated."""
    column_at: np.ndarray
    """Upper triangle of the ordered matrix without its diagonal, by columns: column j has the items
    column_at[j] : column_at[j + 1] of `row_of`."""
    row_of: np.ndarray
    value_from: np.ndarray
    """Which entry adds to which item: those of the Jacobian first, then those of W."""
    l_at: np.ndarray
    l_row: np.ndarray
    reach_at: np.ndarray
    """The nonzeros of row i of L, in the order in which they are computed: columns `reach`, items `reach_item`."""
    reach: np.ndarray
    reach_item: np.ndarray


class Factor(NamedTuple):
    """The numbers of one factorisation, and its work space. Made once, overwritten each time."""

    weight: np.ndarray
    """The diagonal of W."""
    beside: np.ndarray
    """The entries of W below its diagonal."""
    soft: np.ndarray
    damping: np.ndarray
    """One number: what is added to DELTA. With refinement left out it makes a solve the damped least-squares step
    (Levenberg-Marquardt), which stays short where Φ_v is singular."""
    jacobian: np.ndarray
    row_square: np.ndarray
    """(Φ_v W⁻¹ Φ_vᵀ)_kk: the squared length of each row."""
    items: np.ndarray
    l: np.ndarray
    pivot: np.ndarray
    inverse: np.ndarray
    independence: np.ndarray
    work: np.ndarray
    ordered: np.ndarray
    residual: np.ndarray


def analyse(
    n: int,
    m: int,
    jac_row: np.ndarray,
    jac_column: np.ndarray,
    block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:
    """Order the unknowns and find the structure of L. Pure structure: no number of the matrix is looked at."""
    jacobian = sps.csr_matrix((np.ones(jac_row.size), (jac_row, jac_column)), shape=(m, n))
    same_block = sps.identity(n) + sps.csr_matrix((np.ones(block_row.size), (block_row, block_column)), shape=(n, n))
    reached = jacobian @ same_block @ same_block.T
    place = np.concatenate([np.arange(n), n + _minimum_degree(reached @ reached.T)]).astype(np.int64)

    # x stand first, so (x, λ) is upper; within W the lower triangle is given, and its transpose is upper.
    rows = np.concatenate([place[jac_column], block_column])
    columns = np.concatenate([place[n + jac_row], block_row])
    keys, value_from = np.unique(columns * (n + m) + rows, return_inverse=True)
    row_of = (keys % (n + m)).astype(np.int64)
    column_at = np.searchsorted(keys // (n + m), np.arange(n + m + 1)).astype(np.int64)

    parent, l_count = _elimination_tree(column_at, row_of)
    l_at = np.concatenate([[0], np.cumsum(l_count)])
    l_row, reach_at, reach, reach_item = _structure(column_at, row_of, parent, l_at)
    return block(
        Pattern(
            n, m, jac_row, jac_column, block_row, block_column, place, np.argsort(place[n:]), column_at, row_of,
            value_from.astype(np.int64).ravel(), l_at, l_row, reach_at, reach, reach_item,
        )
    )  # fmt: skip


def new_factor(pattern: Pattern, weight: np.ndarray) -> Factor:
    size = pattern.n + pattern.m
    zeros = np.zeros
    return block(
        Factor(
            weight=np.array(weight, dtype=float),
            beside=zeros(pattern.block_row.size),
            soft=zeros(pattern.n),
            damping=zeros(1),
            jacobian=zeros(pattern.jac_row.size),
            row_square=zeros(pattern.m),
            items=zeros(pattern.row_of.size),
            l=zeros(pattern.l_row.size),
            pivot=zeros(size),
            inverse=zeros(size),
            independence=zeros(pattern.m),
            work=zeros(size),
            ordered=zeros(size),
            residual=zeros(size),
        )
    )


def _minimum_degree(gram: sps.csr_matrix) -> np.ndarray:
    """The place of each row in a minimum degree ordering of a symmetric pattern."""
    m = gram.shape[0]
    if m < 3:
        return np.arange(m)
    pattern = sps.csc_matrix((np.ones(gram.nnz), gram.indices, gram.indptr), shape=gram.shape)
    dominant = pattern + sps.diags(np.full(m, 2.0 * m), format="csc")
    lu = splu(dominant.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lu.perm_c


@compiled_setup
def _elimination_tree(column_at, row_of):
    """The parent of each column of L, and how many items each column has."""
    size = column_at.size - 1
    parent = np.full(size, -1, dtype=np.int64)
    count = np.zeros(size, dtype=np.int64)
    seen = np.full(size, -1, dtype=np.int64)
    for i in range(size):
        seen[i] = i
        for item in range(column_at[i], column_at[i + 1]):
            k = row_of[item]
            while seen[k] != i:
                if parent[k] == -1:
                    parent[k] = i
                count[k] += 1
                seen[k] = i
                k = parent[k]
    return parent, count


@compiled_setup
def _structure(column_at, row_of, parent, l_at):
    """The row indices of L by columns, and for each row of L the order in which its items are computed."""
    size = column_at.size - 1
    l_row = np.zeros(l_at[size], dtype=np.int64)
    reach_at = np.zeros(size + 1, dtype=np.int64)
    reach = np.zeros(l_at[size], dtype=np.int64)
    reach_item = np.zeros(l_at[size], dtype=np.int64)
    free = l_at[:size].copy()
    seen = np.full(size, -1, dtype=np.int64)
    path = np.zeros(size, dtype=np.int64)
    stack = np.zeros(size, dtype=np.int64)
    total = 0
    for i in range(size):
        seen[i] = i
        top = size
        for item in range(column_at[i], column_at[i + 1]):
            k = row_of[item]
            length = 0
            while seen[k] != i:
                path[length] = k
                length += 1
                seen[k] = i
                k = parent[k]
            while length > 0:
                length -= 1
                top -= 1
                stack[top] = path[length]
        for s in range(top, size):
            k = stack[s]
            l_row[free[k]] = i
            reach[total] = k
            reach_item[total] = free[k]
            free[k] += 1
            total += 1
        reach_at[i + 1] = total
    return l_row, reach_at, reach, reach_item


@compiled
def factorise(pattern, factor):
    """LDLᵀ of the matrix whose weight and Jacobian entries stand in `factor` (row by row: up-looking)."""
    n, m = pattern.n, pattern.m
    column_at, row_of, value_from = pattern.column_at, pattern.row_of, pattern.value_from
    l_at, l_row = pattern.l_at, pattern.l_row
    reach_at, reach, reach_item = pattern.reach_at, pattern.reach, pattern.reach_item
    row_at = pattern.row_at
    weight, soft, jacobian, beside = factor.weight, factor.soft, factor.jacobian, factor.beside
    row_square, items, l = factor.row_square, factor.items, factor.l
    pivot, inverse, independence, work = factor.pivot, factor.inverse, factor.independence, factor.work
    items[:] = 0.0
    for e in range(jacobian.size):
        items[value_from[e]] += jacobian[e]
    for e in range(beside.size):
        items[value_from[jacobian.size + e]] += beside[e]
    for i in range(n):
        pivot[i] = weight[i] + soft[i]
        inverse[i] = 1.0 / pivot[i]
    largest = 0.0
    for i in range(n, n + m):
        pivot[i] = 0.0
        total = 0.0
        for item in range(column_at[i], column_at[i + 1]):
            total += items[item] * items[item] * inverse[row_of[item]]
        largest = max(largest, total)
    least = FAINT * largest + 1e-300
    extra = DELTA + factor.damping[0]

    for i in range(n if beside.size == 0 else 0, n + m):
        for item in range(column_at[i], column_at[i + 1]):
            work[row_of[item]] = items[item]
        d = pivot[i]
        square = 0.0
        for s in range(reach_at[i], reach_at[i + 1]):
            k = reach[s]
            own = reach_item[s]
            value = work[k]
            work[k] = 0.0
            for item in range(l_at[k], own):
                work[l_row[item]] -= l[item] * value
            ratio = value * inverse[k]
            d -= ratio * value
            if k < n:
                square += ratio * value
            l[own] = ratio
        if i >= n:
            row = row_at[i - n]
            row_square[row] = square
            independence[row] = max(-d / square, 0.0) if square > least else 0.0
            d -= extra * max(square, least)
        pivot[i] = d
        inverse[i] = 1.0 / d


@compiled
def _back_substitute(pattern, factor, x):
    """x becomes the solution of L D Lᵀ x = x."""
    l_at, l_row, l, inverse = pattern.l_at, pattern.l_row, factor.l, factor.inverse
    size = pattern.n + pattern.m
    for i in range(size):
        value = x[i]
        for item in range(l_at[i], l_at[i + 1]):
            x[l_row[item]] -= l[item] * value
    for i in range(size):
        x[i] *= inverse[i]
    for i in range(size - 1, -1, -1):
        value = x[i]
        for item in range(l_at[i], l_at[i + 1]):
            value -= l[item] * x[l_row[item]]
        x[i] = value


@compiled
def solve(pattern, factor, f, g, x, multipliers, refinements):
    """Solve for x and λ; `refinements` corrections against the matrix without the extra on its diagonal."""
    n, m, place = pattern.n, pattern.m, pattern.place
    jac_row, jac_column, jacobian, weight = pattern.jac_row, pattern.jac_column, factor.jacobian, factor.weight
    residual, ordered, beside = factor.residual, factor.ordered, factor.beside
    x[:] = 0.0
    multipliers[:] = 0.0
    for k in range(n):
        residual[k] = f[k]
    for k in range(m):
        residual[n + k] = g[k]
    for attempt in range(refinements + 1):
        if attempt > 0:
            for k in range(n):
                residual[k] = f[k] - weight[k] * x[k]
            for k in range(m):
                residual[n + k] = g[k]
            for e in range(beside.size):
                row, column = pattern.block_row[e], pattern.block_column[e]
                residual[row] -= beside[e] * x[column]
                residual[column] -= beside[e] * x[row]
            for e in range(jacobian.size):
                row, column, value = jac_row[e], jac_column[e], jacobian[e]
                residual[column] -= value * multipliers[row]
                residual[n + row] -= value * x[column]
        for k in range(n + m):
            ordered[place[k]] = residual[k]
        _back_substitute(pattern, factor, ordered)
        for k in range(n):
            x[k] += ordered[place[k]]
        for k in range(m):
            multipliers[k] += ordered[place[n + k]]
