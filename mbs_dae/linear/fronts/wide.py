"""Fronts with many unknowns and nearly full entries, eliminated by loops. Compiled.

The loops are one kernel for all such fronts, called like the kernels of shapes (`kernel`); a model without wide fronts
compiles none of it.

The front is a full square below its diagonal, row by row; behind it stand, for each unknown, the parts that x and that
other λ have subtracted from the diagonal of a λ (see `shape`).
"""

from itertools import chain

from numpy import int64

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import AtIndices, AtReals
from ...kernels.lanes import choose
from ...tolerances import ZERO_ROW
from .shape import OF_ROWS, SUM, FrontShape, Place

HEAD = 7
"""The number of indices at the head of a front: the numbers of pivots, unknowns, entries of Φ_v, entries of W, numbers
of children, and numbers handed on, and whether the matrix is `given` (`FrontShape`)."""


def room_of(shape: FrontShape) -> int:
    many = len(shape.unknowns)
    return many * (many + 3)


def wide_indices(shape: FrontShape, entries: list[int], unknowns: list[int], children: list[int]) -> list[int]:
    """Return the indices of a front. Behind the head stand the unknowns; for each entry its number and its place
    (entries of Φ_v first); for each number of a child its source and its place; and the places of the numbers handed
    on."""
    many = len(unknowns)

    def place(one: Place) -> int:
        i, j, what = one
        return many * i + j if what == SUM else many * (many + (what == OF_ROWS)) + i

    all_entries = zip(shape.entries, entries, strict=True)
    own = sorted((shape.unknowns[i] == shape.unknowns[k], e, place((i, k, SUM))) for (i, k), e in all_entries)
    of_w = sum(is_of_w for is_of_w, _, _ in own)
    handed = zip(children, shape.children, strict=True)
    of_children = [(at + k, place(one)) for at, numbers in handed for k, one in enumerate(numbers)]
    head = len(shape.pivots), many, len(own) - of_w, of_w, len(of_children), len(shape.handed_on), shape.given
    pairs = chain.from_iterable([*((e, at) for _, e, at in own), *of_children])
    return [*head, *unknowns, *pairs, *map(place, shape.handed_on)]


@compiled_apart
def wide_front(
    eliminated: int, forward: int, backward: int, first: int, x_count: int, index: AtIndices, limits: AtReals,
    weight: AtReals, soft: AtReals, beside: AtReals, jacobian: AtReals, kept: AtReals, share: AtReals,
    square: AtReals, distance: AtReals, handed: AtReals, numbers: AtReals, x: AtReals, room: AtReals,
) -> None:  # fmt: skip
    """Eliminate one front, substitute forward, or substitute backward: the common kernel of wide fronts."""
    matrix, rows = (weight, soft, beside, jacobian), (limits, kept, share, square, distance)
    by_loops((eliminated, forward), first, x_count, index, matrix, rows, handed, numbers, x, room)


@compiled
def by_loops(
    counts: tuple[int, int], first: int, x_count: int, index: AtIndices,
    matrix: tuple[AtReals, AtReals, AtReals, AtReals], rows: tuple[AtReals, ...], handed: AtReals, numbers: AtReals,
    x: AtReals, room: AtReals,
) -> None:  # fmt: skip
    """Eliminate a front, or substitute forward or backward, for one matrix or for several in lanes. The count that is
    not 0 selects the task."""
    if counts[0] > 0:
        _eliminate(index, first, x_count, matrix, rows, handed, numbers, room)
    elif counts[1] > 0:
        _forward_substitute(index, numbers, x)
    else:
        _back_substitute(index, numbers, x)


@compiled
def _eliminate(
    index: AtIndices, first: int, x_count: int, matrix: tuple[AtReals, AtReals, AtReals, AtReals],
    rows: tuple[AtReals, ...], handed: AtReals, numbers: AtReals, a: AtReals,
) -> None:  # fmt: skip
    pivots, many = int64(index[0]), int64(index[1])
    _gather(index, x_count, matrix, handed, a)
    column, at = many * (many + 2), int64(0)
    for k in range(pivots):
        of_x = many * many if index[HEAD + k] < x_count else many * (many + 1)
        if index[HEAD + k] < x_count:
            reciprocal = 1.0 / a[many * k + k]
        else:
            taken = a[many * many + k], a[many * (many + 1) + k]
            reciprocal = _reciprocal_of_row(rows, index[HEAD + k] - x_count, taken)
        numbers[at] = reciprocal
        for i in range(k + 1, many):
            a[column + i] = a[many * i + k]
        for i in range(k + 1, many):
            l = a[column + i] * reciprocal
            numbers[at + i - k] = l
            for j in range(k + 1, i + 1):
                a[many * i + j] -= l * a[column + j]
            a[of_x + i] += l * a[column + i]
        at += many - k
    places = HEAD + many + 2 * (int64(index[2]) + int64(index[3]) + int64(index[4]))
    for e in range(int64(index[5])):
        handed[first + e] = a[index[places + e]]


@compiled
def _gather(
    index: AtIndices, x_count: int, matrix: tuple[AtReals, AtReals, AtReals, AtReals], handed: AtReals, a: AtReals
) -> None:
    """Put the front before its elimination into a."""
    weight, soft, beside, jacobian = matrix
    pivots, many, given = int64(index[0]), int64(index[1]), index[6] == 1
    of_rows, of_w, of_children = int64(index[2]), int64(index[3]), int64(index[4])
    for e in range(many * (many + 2)):
        a[e] = 0.0
    for k in range(pivots):
        unknown = index[HEAD + k]
        if unknown < x_count:
            a[many * k + k] = weight[unknown] + soft[unknown]
        elif given:
            a[many * many + k] = weight[unknown]
    own = HEAD + many
    for e in range(own, own + 2 * of_rows, 2):
        a[index[e + 1]] = jacobian[index[e]]
    own += 2 * of_rows
    for e in range(own, own + 2 * of_w, 2):
        entry = beside[index[e]]
        a[index[e + 1]] = -entry if given else entry
    own += 2 * of_w
    for e in range(own, own + 2 * of_children, 2):
        a[index[e + 1]] += handed[index[e]]


@compiled
def _reciprocal_of_row(rows: tuple[AtReals, ...], row: int, taken: tuple[float, float]) -> float:
    """Return the reciprocal of the pivot of a row, with the formula of the kernels of shapes (`kernel`)."""
    limits, kept, share, square, distance = rows
    x, by_rows = taken
    least, extra, truncation = limits[0], limits[1], limits[2]
    square[row], distance[row] = x, x + by_rows
    own = max(share[row], ZERO_ROW)
    apart = (x + by_rows) * own
    counts = ((x > least) & (apart >= truncation * x)) | (truncation <= 0.0)
    is_kept = (kept[row] > 0.0) | (kept[row] < 0.0)
    return choose(counts & is_kept, -own / (apart + extra * max(x, least * own)), 0.0)


@compiled
def _forward_substitute(index: AtIndices, numbers: AtReals, x: AtReals) -> None:
    """Replace the right side of a front, in x, by D⁻¹ L⁻¹ times itself."""
    pivots, many = int64(index[0]), int64(index[1])
    at = int64(0)
    for k in range(pivots):
        pivot = x[index[HEAD + k]]
        for i in range(k + 1, many):
            x[index[HEAD + i]] -= numbers[at + i - k] * pivot
        x[index[HEAD + k]] = pivot * numbers[at]
        at += many - k


@compiled
def _back_substitute(index: AtIndices, numbers: AtReals, x: AtReals) -> None:
    """Replace the right side of a front, in x, by L⁻ᵀ times itself."""
    pivots, many = int64(index[0]), int64(index[1])
    at = pivots * many - pivots * (pivots - 1) // 2
    for k in range(pivots - 1, -1, -1):
        at -= many - k
        pivot = x[index[HEAD + k]]
        for i in range(k + 1, many):
            pivot -= numbers[at + i - k] * x[index[HEAD + i]]
        x[index[HEAD + k]] = pivot
