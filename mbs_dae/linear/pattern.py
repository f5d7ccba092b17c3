"""The structure of the KKT matrix, which never changes and is analysed once (`kkt` has the mathematics)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.csgraph import connected_components

from ..kernels.blocks import INDEX, Indices, Integers, block
from .fronts.plan import Plan, plan_of
from .fronts.tree import DENSE_WORK, fronts_of
from .order import NONE, Ordering, ordering
from .tree.articulated import NO_TREE, Articulated, TreeShape, articulated, coupled_rows


class Pattern(NamedTuple):
    """The places of the entries, and the plan of their elimination."""

    n: int
    """The number of x."""
    m: int
    """The number of λ."""
    jac_row: Indices
    """The row of each entry of Φ_v."""
    jac_column: Indices
    """The column of each entry of Φ_v."""
    block_row: Indices
    """The row of each entry of W below its diagonal."""
    block_column: Indices
    """The column of each entry of W below its diagonal."""
    plan: Plan
    """The plan of the elimination."""
    tree: Articulated = NO_TREE
    """The tree of bodies, if W is that of a tree. The plan is then that of Φ W⁻¹ Φᵀ."""
    pair_one: Indices = NONE.astype(INDEX)
    """If the plan is that of W + Φ_vᵀ C Φ_v: the first of each pair of entries of Φ_v in a row whose C is not 0."""
    pair_other: Indices = NONE.astype(INDEX)
    """The second entry of each pair."""
    pair_to: Indices = NONE.astype(INDEX)
    """The entry of W + Φ_vᵀ C Φ_v below its diagonal to which each pair adds; the entries of W come first."""
    stiff: Indices = NONE.astype(INDEX)
    """The entries of Φ_v in rows whose C is not 0."""
    joined: int = 0
    """The number of entries of W + Φ_vᵀ C Φ_v below its diagonal."""
    group: Integers = NONE
    """The number of the group of each x and each λ: groups have neither a row nor an entry of W in common. Empty if
    nothing is added to W."""
    groups: int = 0
    """The number of groups."""


def analyse(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:  # fmt: skip
    """Return the pattern of the matrix: order the unknowns, and join those that are eliminated together."""
    own = ordering(n, m, jac_row, jac_column, block_row, block_column)
    source = _numbered(own, jac_row + n, jac_column) | _numbered(own, block_row, block_column)
    plan = plan_of(fronts_of(n + m, own.column, own.row), own.order, n, source)
    rows, columns, lower, upper = (x.astype(INDEX) for x in (jac_row, jac_column, block_row, block_column))
    return block(Pattern(n, m, rows, columns, lower, upper, plan))


def groups_of(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray, block_column: np.ndarray
) -> tuple[int, np.ndarray]:
    """Return the number of groups of x and λ that neither a row nor an entry of W joins, and the group of each."""
    ends = np.concatenate([jac_row + n, block_row]), np.concatenate([jac_column, block_column])
    count, group = connected_components(sps.csr_matrix((np.ones(ends[0].size), ends), (n + m, n + m)), directed=False)
    return int(count), group.astype(np.int64)


def analyse_augmented(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray, block_column: np.ndarray,
    stiff_rows: Sequence[int],
) -> Pattern:  # fmt: skip
    """Return the pattern with W + Φ_vᵀ C Φ_v in place of W (`kkt`), where C is not 0 in the given rows of Φ_v: entries
    join all columns of such a row."""
    stiff = np.isin(jac_row, np.array(stiff_rows, dtype=np.int64))
    one, other = coupled_rows(jac_column, jac_row)
    chosen = (one != other) & stiff[one]
    one, other = one[chosen], other[chosen]
    given = np.maximum(block_row, block_column) * n + np.minimum(block_row, block_column)
    added = jac_column[one].astype(np.int64) * n + jac_column[other]
    keys = np.concatenate([given, np.setdiff1d(added, given)]).astype(np.int64)
    high, low = np.divmod(keys, max(n, 1))
    order = ordering(n, m, jac_row, jac_column, high, low)
    source = _numbered(order, jac_row + n, jac_column) | _numbered(order, high, low)
    plan = plan_of(fronts_of(n + m, order.column, order.row), order.order, n, source)
    sorter = np.argsort(keys)
    pairs = one, other, sorter[np.searchsorted(keys, added, sorter=sorter)]
    count, group = groups_of(n, m, jac_row, jac_column, block_row, block_column)
    rows, columns, lower, upper = (x.astype(INDEX) for x in (jac_row, jac_column, block_row, block_column))
    first, second, target, stiff_entries = (x.astype(INDEX) for x in (*pairs, np.flatnonzero(stiff)))
    augmented = first, second, target, stiff_entries, keys.size, group, count
    return block(Pattern(n, m, rows, columns, lower, upper, plan, NO_TREE, *augmented))


def analyse_tree(
    shape: TreeShape, functions: Sequence[int], m: int, jac_row: np.ndarray, jac_column: np.ndarray
) -> Pattern:
    """Return the pattern where W is that of a tree of bodies; `functions` are the addresses of those of
    `tree.solve`."""
    n, ends = sum(shape.velocities), jac_row[coupled_rows(jac_row, jac_column)]
    high, low = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    own = ordering(m, 0, NONE, NONE, high, low)
    fronts = fronts_of(m, own.column, own.row, DENSE_WORK)
    plan = plan_of(fronts, own.order, 0, _numbered(own, high, low), given=True)
    tree = articulated(shape, functions, jac_row, jac_column, m, np.stack([high, low]))
    none, rows, columns = (x.astype(INDEX) for x in (NONE, jac_row, jac_column))
    return block(Pattern(n, m, rows, columns, none, none, plan, tree))


def factor_entries(pattern: Pattern) -> int:
    """Return the number of entries of L below its diagonal."""
    return pattern.plan.numbers - pattern.m - (0 if pattern.tree.edges else pattern.n)


def _numbered(own: Ordering, row: np.ndarray, column: np.ndarray) -> dict[tuple[int, int], int]:
    """Return the number of each entry, by its places in the order: the higher one first."""
    low, high = np.sort(own.place[np.array([row, column], dtype=np.int64)], axis=0)
    return {ends: k for k, ends in enumerate(zip(high.tolist(), low.tolist(), strict=True))}
