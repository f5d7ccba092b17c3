"""The elimination of `linear.kkt` in lanes: by the same functions, and kernels of the same fronts, so each lane has the
result that it would have alone. Where rows are doubtful nothing is chosen here: see `terms`. Compiled."""

from typing import NamedTuple

import numpy as np

from ...kernels.abi import compiled_apart
from ...kernels.blocks import AtIndices, Integers, block
from ...kernels.lanes import AtLanes, Lanes, lanes
from ...linear.fronts.kernel import in_lanes
from ...linear.fronts.wide import by_loops
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
    compliance: Lanes
    stiffness: Lanes
    joined: Lanes
    scale: Lanes
    unsettled: Lanes
    tail_x: Lanes
    tail_g: Lanes


def wide_factor(pattern: Pattern) -> WideFactor:
    n, m, plan, entries = pattern.n, pattern.m, pattern.plan, pattern.jac_row.size
    augmented = pattern.group.size > 0
    sizes = [n, pattern.block_row.size, n, entries, m, m, m, m, 3, plan.numbers, plan.handed, plan.room, n, m, n + m]
    columns, rows = (n, m) if augmented else (0, 0)
    sizes += [columns, rows, pattern.joined, 2 * pattern.groups, 1, columns, rows]
    kernels = [in_lanes(int(one)) or wide_front_in_lanes.compile().address for one in plan.kernels]
    factor = WideFactor(np.array(kernels, dtype=np.int64), *lanes(*sizes))
    factor.kept[:] = factor.share[:] = 1.0
    return block(factor)


@compiled_apart
def wide_front_in_lanes(
    eliminated: int, taken_in: int, given_out: int, first: int, x_count: int, index: AtIndices, limits: AtLanes,
    weight: AtLanes, soft: AtLanes, beside: AtLanes, jacobian: AtLanes, kept: AtLanes, share: AtLanes,
    square: AtLanes, distance: AtLanes, handed: AtLanes, numbers: AtLanes, x: AtLanes, room: AtLanes,
) -> None:  # fmt: skip
    """Eliminate a wide front, in all lanes: the kernel for fronts without one of their own."""
    matrix, rows = (weight, soft, beside, jacobian), (limits, kept, share, square, distance)
    by_loops((eliminated, taken_in), first, x_count, index, matrix, rows, handed, numbers, x, room)


@compiled_apart
def factorise(pattern: Pattern, factor: WideFactor, truncation: float) -> None:
    """Put L and D. Rows of less `independence` than the truncation are left out; where it is 0 all are regularised."""
    factorise_entries(pattern, factor, truncation, 0.0)


@compiled_apart
def solve(
    pattern: Pattern, factor: WideFactor, f: Lanes, g: Lanes, x: Lanes, multipliers: Lanes, refinements: int
) -> None:
    """Solve for x and λ; `refinements` corrections against the matrix without the extras on its diagonal."""
    solve_entries(pattern, factor, f, g, x, multipliers, refinements)
