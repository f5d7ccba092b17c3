"""Fronts with many unknowns, of which nearly all entries are there: eliminated by loops. Compiled.

The front is a full square below its diagonal, row by row; behind it stand, for each unknown, what x and what other λ
have taken from the diagonal of a λ (see `shape`).
"""

from itertools import chain

from numpy import int64

from ...kernels.abi import compiled
from ...kernels.lanes import choose
from ...tolerances import NIL
from .shape import OF_ROWS, SUM, Place, Shape

HEAD = 6
"""What the indices of a front begin with: how many pivots, unknowns, entries of Φ_v and of W, and numbers of children
it has, and how many it hands on."""


def room_of(shape: Shape) -> int:
    many = len(shape.unknowns)
    return many * (many + 3)


def wide_indices(shape: Shape, entries: list[int], unknowns: list[int], children: list[int]) -> list[int]:
    """Behind the head the unknowns, for each entry its number and its place (those of Φ_v first), for each number of a
    child where it stands and its place, and the places of what is handed on."""
    many = len(unknowns)

    def place(one: Place) -> int:
        i, j, what = one
        return many * i + j if what == SUM else many * (many + (what == OF_ROWS)) + i

    all_entries = zip(shape.entries, entries, strict=True)
    own = sorted((shape.unknowns[i] == shape.unknowns[k], e, place((i, k, SUM))) for (i, k), e in all_entries)
    of_w = sum(is_of_w for is_of_w, _, _ in own)
    handed = zip(children, shape.children, strict=True)
    of_children = [(at + k, place(one)) for at, numbers in handed for k, one in enumerate(numbers)]
    head = len(shape.pivots), many, len(own) - of_w, of_w, len(of_children), len(shape.handed_on)
    pairs = chain.from_iterable([*((e, at) for _, e, at in own), *of_children])
    return [*head, *unknowns, *pairs, *map(place, shape.handed_on)]


@compiled
def eliminate_wide(index, first, x_count, factor, numbers, weight, beside, given):
    pivots, many = int64(index[0]), int64(index[1])
    a, unknowns = factor.wide, index[HEAD : HEAD + many]
    _gather(index, x_count, factor, weight, beside, given)
    column, at = a[many * (many + 2) :], int64(0)
    for k in range(pivots):
        of_x = many * many if unknowns[k] < x_count else many * (many + 1)
        if unknowns[k] < x_count:
            reciprocal = 1.0 / a[many * k + k]
        else:
            taken = a[many * many + k], a[many * (many + 1) + k]
            reciprocal = _reciprocal_of_row(factor, unknowns[k] - x_count, taken)
        numbers[at] = reciprocal
        for i in range(k + 1, many):
            column[i] = a[many * i + k]
        for i in range(k + 1, many):
            l = column[i] * reciprocal
            numbers[at + i - k] = l
            own = a[many * i : many * (i + 1)]
            for j in range(k + 1, i + 1):
                own[j] -= l * column[j]
            a[of_x + i] += l * column[i]
        at += many - k
    places = HEAD + many + 2 * (int64(index[2]) + int64(index[3]) + int64(index[4]))
    for e in range(int64(index[5])):
        factor.handed[first + e] = a[index[places + e]]


@compiled
def _gather(index, x_count, factor, weight, beside, given):
    """The front before its elimination."""
    pivots, many = int64(index[0]), int64(index[1])
    of_rows, of_w, of_children = int64(index[2]), int64(index[3]), int64(index[4])
    a, unknowns, own = factor.wide, index[HEAD : HEAD + many], index[HEAD + many :]
    for e in range(many * (many + 2)):
        a[e] = 0.0
    for k in range(pivots):
        if unknowns[k] < x_count:
            a[many * k + k] = weight[unknowns[k]] + factor.soft[unknowns[k]]
        elif given == 1:
            a[many * many + k] = weight[unknowns[k]]
    for e in range(of_rows):
        a[own[2 * e + 1]] = factor.jacobian[own[2 * e]]
    own = own[2 * of_rows :]
    for e in range(of_w):
        entry = beside[own[2 * e]]
        a[own[2 * e + 1]] = -entry if given == 1 else entry
    own = own[2 * of_w :]
    for e in range(of_children):
        a[own[2 * e + 1]] += factor.handed[own[2 * e]]


@compiled
def _reciprocal_of_row(factor, row, taken):
    """As kernels of fronts write it (`kernel`)."""
    x, rows = taken
    least, extra, truncation = factor.limits[0], factor.limits[1], factor.limits[2]
    factor.row_square[row], factor.independence[row] = x, x + rows
    share = max(factor.share[row], NIL)
    apart = (x + rows) * share
    counts = ((x > least) & (apart >= truncation * x)) | (truncation <= 0.0)
    is_kept = (factor.kept[row] > 0.0) | (factor.kept[row] < 0.0)
    return choose(counts & is_kept, -share / (apart + extra * max(x, least * share)), 0.0)


@compiled
def take_in_wide(index, numbers, x):
    pivots, many = int64(index[0]), int64(index[1])
    unknowns, at = index[HEAD : HEAD + many], int64(0)
    for k in range(pivots):
        value = x[unknowns[k]]
        for i in range(k + 1, many):
            x[unknowns[i]] -= numbers[at + i - k] * value
        x[unknowns[k]] = value * numbers[at]
        at += many - k


@compiled
def give_out_wide(index, numbers, x):
    pivots, many = int64(index[0]), int64(index[1])
    unknowns, at = index[HEAD : HEAD + many], pivots * many - pivots * (pivots - 1) // 2
    for k in range(pivots - 1, -1, -1):
        at -= many - k
        value = x[unknowns[k]]
        for i in range(k + 1, many):
            value -= numbers[at + i - k] * x[unknowns[i]]
        x[unknowns[k]] = value
