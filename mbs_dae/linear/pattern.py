"""The structure of the KKT matrix: what never changes, found once (the mathematics is in `kkt`)."""

from typing import NamedTuple

import numpy as np

from ..kernels.blocks import INDEX, Indices, block
from .fronts.plan import Plan, plan_of
from .fronts.tree import fronts_of
from .order import NONE, ordering


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


def analyse(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:  # fmt: skip
    """Order the unknowns, and put those together that are eliminated at once."""
    own = ordering(n, m, jac_row, jac_column, block_row, block_column)
    place = own.place
    source = dict[tuple[int, int], int]()
    for row, column in ((jac_row + n, jac_column), (block_row, block_column)):
        low, high = np.sort(place[np.array([row, column], dtype=np.int64)], axis=0)
        source |= {ends: k for k, ends in enumerate(zip(high.tolist(), low.tolist(), strict=True))}
    plan = plan_of(fronts_of(n + m, own.column, own.row), own.order, n, source)
    rows, columns, lower, upper = (x.astype(INDEX) for x in (jac_row, jac_column, block_row, block_column))
    return block(Pattern(n, m, rows, columns, lower, upper, plan))
