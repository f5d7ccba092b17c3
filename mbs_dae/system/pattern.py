"""The structure of the KKT matrix: what never changes, found once (the mathematics is in `kkt`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import splu

from ..kernels.blocks import block
from .ldl import INDEX, Structure, structure

NONE = np.zeros(0, dtype=np.int64)
Entries = dict[tuple[int, int], int]


class Pattern(NamedTuple):
    """Index maps of every stage of a factorisation."""

    n: int
    """Number of x."""
    m: int
    """Number of λ."""
    jac_row: np.ndarray
    jac_column: np.ndarray
    block_row: np.ndarray
    """The entries of W below its diagonal."""
    block_column: np.ndarray
    W: Structure
    w_from: np.ndarray
    """Entry k below the diagonal of W is item w_from[k] of L_W."""
    e_from: np.ndarray
    """Jacobian entry j adds to entry e_from[j] of E."""
    e_row: np.ndarray
    e_column: np.ndarray
    """The entries of E, by rows; rows in the order of elimination."""
    spread_to: np.ndarray
    """E_to -= E_source · (item of L_W), in this order: E = Φ_v L_W⁻ᵀ."""
    spread_source: np.ndarray
    spread_item: np.ndarray
    S: Structure
    pair_at: np.ndarray
    """Item e of S (those of L_S, then the diagonal) is the sum of the products of pairs pair_at[e] : pair_at[e + 1] of
    entries of E, divided by the pivot of W in their column."""
    pair_a: np.ndarray
    pair_b: np.ndarray
    row_at: np.ndarray
    """row_at[k]: which row of Φ_v is the k-th to be eliminated."""


def analyse(
    n: int,
    m: int,
    jac_row: np.ndarray,
    jac_column: np.ndarray,
    block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:
    """Order the rows and find the structure of everything. No number of the matrix is looked at.

    The entries of W below its diagonal must be sorted by rows.
    """
    W, w_row = structure(np.searchsorted(block_row, np.arange(n + 1)), block_column)
    w_items = _entries(w_row, W.column)
    inverse = sps.identity(n, format="csr") + _ones(w_row, W.column, (n, n))
    for _ in range(4):  # a block is small: after a few squarings everything that L_W⁻ᵀ reaches is there
        inverse = inverse @ inverse
    E = (_ones(jac_row, jac_column, (m, n)) @ inverse.T).tocsr()

    place = _minimum_degree(E @ E.T)
    row_at = np.argsort(place)
    E = E[row_at]
    E.sort_indices()
    e_row, e_column = np.repeat(np.arange(m), np.diff(E.indptr)), E.indices
    e_entries = _entries(e_row, e_column)
    gram = sps.tril(E @ E.T, -1).tocsr()
    S, s_row = structure(gram.indptr.astype(np.int64), gram.indices.astype(np.int64))
    pair_at, pair_a, pair_b = _products(e_row, e_column, _entries(s_row, S.column), m)
    spread = _spreads(w_items, e_entries)

    def index(values: Any) -> np.ndarray:
        return np.array(values, dtype=INDEX)

    return block(
        Pattern(
            n=n,
            m=m,
            jac_row=index(jac_row),
            jac_column=index(jac_column),
            block_row=index(block_row),
            block_column=index(block_column),
            W=W,
            w_from=index([w_items[pair] for pair in zip(block_row.tolist(), block_column.tolist(), strict=True)]),
            e_from=index([e_entries[int(place[r]), int(c)] for r, c in zip(jac_row, jac_column, strict=True)]),
            e_row=index(e_row),
            e_column=index(e_column),
            spread_to=index(spread[:, 0]),
            spread_source=index(spread[:, 1]),
            spread_item=index(spread[:, 2]),
            S=S,
            pair_at=pair_at,
            pair_a=index(pair_a),
            pair_b=index(pair_b),
            row_at=index(row_at),
        )
    )


def _products(e_row: np.ndarray, e_column: np.ndarray, items: Entries, m: int) -> tuple[np.ndarray, ...]:
    """The pairs of entries of E in one column that make each item of S = E D⁻¹ Eᵀ."""
    by_column = np.lexsort((e_row, e_column))
    borders = np.searchsorted(e_column[by_column], np.arange(e_column.max(initial=-1) + 2))
    a, b = [NONE], [NONE]
    for first, last in zip(borders[:-1], borders[1:], strict=True):
        own = by_column[first:last]
        low, high = np.tril_indices(own.size)
        a.append(own[low])
        b.append(own[high])
    pair_a, pair_b = np.concatenate(a), np.concatenate(b)
    diagonal = len(items)
    rows = zip(e_row[pair_a].tolist(), e_row[pair_b].tolist(), strict=True)
    item = np.array([diagonal + i if i == k else items[i, k] for i, k in rows], dtype=np.int64)
    order = np.argsort(item, kind="stable")
    pair_at = np.searchsorted(item[order], np.arange(diagonal + m + 1))
    return pair_at, pair_a[order], pair_b[order]


def _spreads(w_items: Entries, e_entries: Entries) -> np.ndarray:
    """E_rc = J_rc - Σ_k E_rk L_ck, entry by entry from left to right: (to, source, item of L_W)."""
    into: dict[int, list[tuple[int, int]]] = {}
    for (row, column), item in w_items.items():
        into.setdefault(row, []).append((column, item))
    found = [
        (e, e_entries[row, k], item)
        for (row, column), e in e_entries.items()
        for k, item in sorted(into.get(column, []))
        if (row, k) in e_entries
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _entries(row: np.ndarray, column: np.ndarray) -> Entries:
    """Where each pair stands."""
    return {pair: k for k, pair in enumerate(zip(row.tolist(), column.tolist(), strict=True))}


def _ones(row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> sps.csr_matrix:
    return sps.csr_matrix((np.ones(row.size), (row, column)), shape=shape)


def _minimum_degree(gram: sps.csr_matrix) -> np.ndarray:
    """The place of each row in a minimum degree ordering of a symmetric pattern."""
    m = gram.shape[0]
    if m < 3:
        return np.arange(m)
    pattern = sps.csc_matrix((np.ones(gram.nnz), gram.indices, gram.indptr), shape=gram.shape)
    dominant = pattern + sps.diags(np.full(m, 2.0 * m), format="csc")
    lu = splu(dominant.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lu.perm_c
