"""In which order fronts are eliminated, and where each finds its numbers.

Fronts of one shape that may follow each other are one call of their kernel, which walks through their indices and their
numbers as these stand in memory. Of what may be done next, the shape with the most fronts goes first; fronts that wait
for one of the same shape, as those along a chain do, are in the same call.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...kernels.blocks import INDEX, Indices, Integers, block
from .kernel import kernel_of
from .shape import ROW, Shape, X
from .tree import Front
from .wide import room_of, wide_front, wide_indices


class Plan(NamedTuple):
    """The calls of an elimination, one after the other. With nothing in it there is nothing to eliminate."""

    kernels: Integers
    """Their addresses; wide fronts have one for all (`wide`)."""
    fronts: Integers
    """How many fronts a call has."""
    index_at: Integers
    handed_at: Integers
    numbers_at: Integers
    """Where its own indices, its handed on and its kept numbers begin."""
    indices: Indices
    handed: int
    """How many numbers are handed on in all; and kept."""
    numbers: int
    room: int
    """Work space of wide fronts."""
    given: int
    """1 where the matrix is that of λ alone (`Shape.given`)."""


def plan_of(
    fronts: Sequence[Front], order: np.ndarray, x_count: int, source: dict[tuple[int, int], int], given: bool = False
) -> Plan:
    """For fronts whose unknowns are those of `order`. `source` says which entry of the matrix stands at (higher, lower)
    place: the number of an entry of Φ_v, or of W below its diagonal."""
    kinds = [X if unknown < x_count else ROW for unknown in order.tolist()]
    below: dict[int, list[int]] = defaultdict(list)
    for i, k in source:
        below[k].append(i)
    shapes, made = dict[int, Shape](), dict[Shape, Shape]()
    for front in fronts:  # those of children are known before
        shape = _shape_of(front, kinds, below, shapes, given)
        shapes[id(front)] = made.setdefault(shape, shape)
    return _laid_out(_calls(fronts, shapes), shapes, order, source, given)


def _shape_of(
    front: Front, kinds: Sequence[str], below: dict[int, list[int]], shapes: dict[int, Shape], given: bool
) -> Shape:
    local = {place: k for k, place in enumerate((*front.pivots, *front.border))}
    entries = sorted((local[i], local[k]) for k in front.pivots for i in below[k])
    children = []
    for child in front.children:
        shape = shapes[id(child)]
        border, first = [local[place] for place in child.border], len(shape.pivots)
        handed_on = [(border[i - first], border[j - first], what) for i, j, what in shape.handed_on]
        children.append(tuple((max(i, j), min(i, j), what) for i, j, what in handed_on))
    pivots, around = ("".join(kinds[place] for place in places) for places in (front.pivots, front.border))
    return Shape(pivots, around, tuple(entries), tuple(children), given, front.wide)


def _calls(fronts: Sequence[Front], shapes: dict[int, Shape]) -> list[list[Front]]:
    parent = {id(child): front for front in fronts for child in front.children}
    left = {id(front): len(front.children) for front in fronts}
    ready: dict[Shape, list[Front]] = {}
    for front in fronts:
        if not front.children:
            ready.setdefault(shapes[id(front)], []).append(front)
    calls = []
    while ready:
        shape = max(ready, key=lambda one: len(ready[one]))
        calls.append(list[Front]())
        while waiting := ready.get(shape):
            taken = waiting[:1] if shape.full else waiting
            calls[-1] += taken
            ready[shape] = waiting[len(taken) :]
            if not ready[shape]:
                del ready[shape]
            for front in taken:
                if (above := parent.get(id(front))) is not None:
                    left[id(above)] -= 1
                    if not left[id(above)]:
                        ready.setdefault(shapes[id(above)], []).append(above)
            if shape.full:
                break
    return calls


def _laid_out(
    calls: Sequence[Sequence[Front]], shapes: dict[int, Shape], order: np.ndarray, source: dict[tuple[int, int], int],
    given: bool,
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
            index += (wide_indices if shape.full else _indices)(shape, entries, unknowns, children)
            begins[id(front)] = handed
            handed += len(shape.handed_on)
            numbers += shape.numbers
    kernels, counts, index_at, handed_at, numbers_at = np.array(table, dtype=np.int64).reshape(-1, 5).T.copy()
    indices = np.array(index, dtype=INDEX)
    return block(Plan(kernels, counts, index_at, handed_at, numbers_at, indices, handed, numbers, room, int(given)))


def _indices(shape: Shape, entries: list[int], unknowns: list[int], children: list[int]) -> list[int]:
    """As kernels read them."""
    return [*entries, *unknowns, *children]
