"""The structure of the KKT matrix: what never changes, found once (the mathematics is in `kkt`)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kernels.blocks import INDEX, Indices, block
from .fronts.plan import Plan, plan_of
from .fronts.tree import DENSE_WORK, fronts_of
from .order import NONE, Ordering, ordering
from .tree.articulated import NO_TREE, Articulated, Shape, articulated, coupled_rows


class Pattern(NamedTuple):
    """Where the entries are, and how they are eliminated."""

    n: int
    """Number of x."""
    m: int
    """Number of λ."""
    jac_row: Indices
    jac_column: Indices
    block_row: Indices
    """The entries of W below its diagonal."""
    block_column: Indices
    plan: Plan
    tree: Articulated = NO_TREE
    """Where W is that of a tree of bodies. The plan then is that of Φ W⁻¹ Φᵀ."""


def analyse(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:  # fmt: skip
    """Order the unknowns, and put those together that are eliminated at once."""
    own = ordering(n, m, jac_row, jac_column, block_row, block_column)
    source = _numbered(own, jac_row + n, jac_column) | _numbered(own, block_row, block_column)
    plan = plan_of(fronts_of(n + m, own.column, own.row), own.order, n, source)
    rows, columns, lower, upper = (x.astype(INDEX) for x in (jac_row, jac_column, block_row, block_column))
    return block(Pattern(n, m, rows, columns, lower, upper, plan))


def analyse_tree(
    shape: Shape, functions: Sequence[int], m: int, jac_row: np.ndarray, jac_column: np.ndarray
) -> Pattern:
    """The same where W is that of a tree of bodies; `functions` are the addresses of those of `tree.solve`."""
    n, ends = sum(shape.velocities), jac_row[coupled_rows(jac_row, jac_column)]
    high, low = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    own = ordering(m, 0, NONE, NONE, high, low)
    fronts = fronts_of(m, own.column, own.row, DENSE_WORK)
    plan = plan_of(fronts, own.order, 0, _numbered(own, high, low), given=True)
    tree = articulated(shape, functions, jac_row, jac_column, m, np.stack([high, low]))
    none, rows, columns = (x.astype(INDEX) for x in (NONE, jac_row, jac_column))
    return block(Pattern(n, m, rows, columns, none, none, plan, tree))


def factor_entries(pattern: Pattern) -> int:
    """How many entries L has below its diagonal."""
    return pattern.plan.numbers - pattern.m - (0 if pattern.tree.edges else pattern.n)


def _numbered(own: Ordering, row: np.ndarray, column: np.ndarray) -> dict[tuple[int, int], int]:
    """The number of each entry, by its places in the order: the higher one first."""
    low, high = np.sort(own.place[np.array([row, column], dtype=np.int64)], axis=0)
    return {ends: k for k, ends in enumerate(zip(high.tolist(), low.tolist(), strict=True))}
