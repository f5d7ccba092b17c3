"""The elimination of `linear.kkt` in lanes: by the same functions, and kernels of the same fronts, so each lane has
what it would have alone. Where rows are doubtful nothing is chosen here: see `terms`. Compiled."""

from typing import NamedTuple

import numpy as np

from ...kernels.abi import compiled_apart
from ...kernels.blocks import Integers, block
from ...kernels.lanes import Lanes, lanes
from ...linear.fronts.kernel import in_lanes
from ...linear.kkt import factorise_entries, solve_entries
from ...linear.pattern import Pattern


class WideFactor(NamedTuple):
    """The numbers of eight factorisations of one pattern: see `linear.kkt.Factor`."""

    kernels: Integers
    weight: Lanes
    beside: Lanes
    soft: Lanes
    jacobian: Lanes
    kept: Lanes
    row_square: Lanes
    independence: Lanes
    share: Lanes
    limits: Lanes
    numbers: Lanes
    handed: Lanes
    wide: Lanes
    rest_x: Lanes
    rest_g: Lanes
    part: Lanes


def wide_factor(pattern: Pattern) -> WideFactor:
    n, m, plan, entries = pattern.n, pattern.m, pattern.plan, pattern.jac_row.size
    sizes = n, pattern.block_row.size, n, entries, m, m, m, m, 3, plan.numbers, plan.handed, plan.room, n, m, n + m
    factor = WideFactor(np.array([in_lanes(int(one)) for one in plan.kernels], dtype=np.int64), *lanes(*sizes))
    factor.kept[:] = factor.share[:] = 1.0
    return block(factor)


@compiled_apart
def factorise(pattern: Pattern, factor: WideFactor, truncation: float):
    """L and D. Rows of less `independence` than the truncation are left out; where it is 0 all are given a little."""
    factorise_entries(pattern, factor, truncation, 0.0)


@compiled_apart
def solve(
    pattern: Pattern, factor: WideFactor, f: Lanes, g: Lanes, x: Lanes, multipliers: Lanes, refinements: int
):  # fmt: skip
    """Solve for x and λ; `refinements` corrections against the matrix without the extras on its diagonal."""
    solve_entries(pattern, factor, f, g, x, multipliers, refinements)
