"""The order in which fronts are eliminated, and the places of their numbers; and the passes over all fronts, which
eliminate and substitute.

Fronts of one shape that may follow each other are one call of their kernel, which walks through their indices and their
numbers in the order of memory. Among the fronts that are ready, the shape with the most fronts goes first; fronts that
wait for one of the same shape, like those along a chain, are in the same call.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.abi import call_kernel, compiled
from ...kernels.blocks import INDEX, Indices, Integers, Vector, block
from .kernel import kernel_of
from .shape import ROW, FrontShape, X
from .tree import Front
from .wide import room_of, wide_front, wide_indices


class Plan(NamedTuple):
    """The calls of an elimination, one after the other. An empty plan eliminates nothing."""

    kernels: Integers
    """The addresses of the kernels; wide fronts have a common one (`wide`)."""
    fronts: Integers
    """The number of fronts of each call."""
    index_at: Integers
    """The first index of each call."""
    handed_at: Integers
    """The first number handed on by each call."""
    numbers_at: Integers
    """The first stored number of each call."""
    indices: Indices
    """The indices of all fronts."""
    handed: int
    """The number of all numbers handed on."""
    numbers: int
    """The number of all numbers stored."""
    room: int
    """The size of the work space of wide fronts."""
    given: int
    """1 if the matrix has λ alone (`FrontShape.given`)."""


def plan_of(
    fronts: Sequence[Front], order: np.ndarray, x_count: int, source: dict[tuple[int, int], int], given: bool = False
) -> Plan:
    """Return the plan for fronts whose unknowns are those of `order`. `source` maps the places (higher, lower) of each
    entry of the matrix to the number of an entry of Φ_v, or of W below its diagonal."""
    kinds = [X if unknown < x_count else ROW for unknown in order.tolist()]
    below: dict[int, list[int]] = defaultdict(list)
    for i, k in source:
        below[k].append(i)
    shapes, unique = dict[int, FrontShape](), dict[FrontShape, FrontShape]()
    for front in fronts:  # children come before their parents
        shape = _shape_of(front, kinds, below, shapes, given)
        shapes[id(front)] = unique.setdefault(shape, shape)
    return _laid_out(_calls(fronts, shapes), shapes, order, source, given)


def _shape_of(
    front: Front, kinds: Sequence[str], below: dict[int, list[int]], shapes: dict[int, FrontShape], given: bool
) -> FrontShape:
    local = {place: k for k, place in enumerate((*front.pivots, *front.border))}
    entries = sorted((local[i], local[k]) for k in front.pivots for i in below[k])
    children = []
    for child in front.children:
        shape = shapes[id(child)]
        border, first = [local[place] for place in child.border], len(shape.pivots)
        handed_on = [(border[i - first], border[j - first], what) for i, j, what in shape.handed_on]
        children.append(tuple((max(i, j), min(i, j), what) for i, j, what in handed_on))
    pivots, around = ("".join(kinds[place] for place in places) for places in (front.pivots, front.border))
    return FrontShape(pivots, around, tuple(entries), tuple(children), given, front.wide)


def _calls(fronts: Sequence[Front], shapes: dict[int, FrontShape]) -> list[list[Front]]:
    parent = {id(child): front for front in fronts for child in front.children}
    unfinished = {id(front): len(front.children) for front in fronts}
    ready: dict[FrontShape, list[Front]] = {}
    for front in fronts:
        if not front.children:
            ready.setdefault(shapes[id(front)], []).append(front)
    calls = []
    while ready:
        shape = max(ready, key=lambda one: len(ready[one]))
        calls.append(list[Front]())
        while queue := ready.get(shape):
            batch = queue[:1] if shape.full else queue
            calls[-1] += batch
            ready[shape] = queue[len(batch) :]
            if not ready[shape]:
                del ready[shape]
            for front in batch:
                if (parent_front := parent.get(id(front))) is not None:
                    unfinished[id(parent_front)] -= 1
                    if not unfinished[id(parent_front)]:
                        ready.setdefault(shapes[id(parent_front)], []).append(parent_front)
            if shape.full:
                break
    return calls


def _laid_out(
    calls: Sequence[Sequence[Front]], shapes: dict[int, FrontShape], order: np.ndarray,
    source: dict[tuple[int, int], int], given: bool,
) -> Plan:  # fmt: skip
    index: list[int] = []
    table: list[tuple[int, int, int, int, int]] = []
    begins: dict[int, int] = {}
    handed = numbers = room = 0
    for call in calls:
        shape = shapes[id(call[0])]
        kernel = wide_front.compile().address if shape.full else kernel_of(shape)
        table.append((kernel, len(call), len(index), handed, numbers))
        room = max(room, room_of(shape)) if shape.full else room
        for front in call:
            places = [*front.pivots, *front.border]
            entries = [source[places[i], places[k]] for i, k in shape.entries]
            unknowns = [int(order[place]) for place in places]
            children = [begins[id(child)] for child in front.children]
            in_order = [*entries, *unknowns, *children]  # as kernels read them
            index += wide_indices(shape, entries, unknowns, children) if shape.full else in_order
            begins[id(front)] = handed
            handed += len(shape.handed_on)
            numbers += shape.numbers
    kernels, counts, index_at, handed_at, numbers_at = np.array(table, dtype=np.int64).reshape(-1, 5).T.copy()
    indices = np.array(index, dtype=INDEX)
    return block(Plan(kernels, counts, index_at, handed_at, numbers_at, indices, handed, numbers, room, int(given)))


# --- passes over all fronts, compiled; for plain numbers or in lanes, as `factor.kernels` are -------------------------


@compiled
def eliminate(plan: Plan, x_count: int, factor: Any, weight: Vector, beside: Vector) -> None:
    """Eliminate the matrix with this diagonal and these entries below it, among x or, if the matrix is `given`, among
    λ."""
    for k in range(plan.fronts.size):
        _call(plan, k, (plan.fronts[k], 0, 0), x_count, factor, weight, beside)


@compiled
def forward_substitute(plan: Plan, x_count: int, factor: Any) -> None:
    """Replace factor.part by D⁻¹ L⁻¹ times itself."""
    for k in range(plan.fronts.size):
        _call(plan, k, (0, plan.fronts[k], 0), x_count, factor, factor.weight, factor.beside)


@compiled
def back_substitute(plan: Plan, x_count: int, factor: Any) -> None:
    """Replace factor.part by L⁻ᵀ times itself."""
    for k in range(plan.fronts.size - 1, -1, -1):
        _call(plan, k, (0, 0, plan.fronts[k]), x_count, factor, factor.weight, factor.beside)


@compiled
def _call(
    plan: Plan, k: int, counts: tuple[int, int, int], x_count: int, factor: Any, weight: Vector, beside: Vector
) -> None:
    eliminated, forward, backward = counts
    index, numbers = plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :]
    matrix = weight, factor.soft, beside, factor.jacobian
    rows = factor.kept, factor.share, factor.row_square, factor.independence
    call_kernel(
        factor.kernels[k],
        (eliminated, forward, backward, plan.handed_at[k], x_count),
        (index, factor.limits, *matrix, *rows, factor.handed, numbers, factor.part, factor.wide),
    )
