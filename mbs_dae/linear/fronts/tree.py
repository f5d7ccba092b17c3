"""The fronts of a matrix: unknowns that are eliminated together, and the numbers that each front hands on.

A front eliminates some unknowns, its pivots, and adds the resulting update of the matrix to the unknowns that they were
coupled to, its border. The front that eliminates the first unknown of the border, its parent, sums up the update. So
the fronts form a forest, and along the tree of a mechanism, from its leaves to its root, the numbers handed on are the
inertia of all bodies behind, as the bearings feel it.

Any connected part of the forest of single pivots can be one front: joining changes no product and no sum, only the
order of the work. Pivots are joined from the leaves on, as long as the work of a front stays small: a front of moderate
size holds its numbers in registers, and small shapes repeat.
"""

from dataclasses import dataclass

import numpy as np

WORK = 120
"""The largest number of products of a front with more than one pivot. Larger fronts save little, and take long to
compile."""
DENSE_WORK = 1000
"""The largest number of products in a matrix of λ alone, where nearly all entries are present: each number handed on
then costs as much as a product, and shapes do not repeat within the matrix."""
WIDE = 14
"""The length of the border above which a pivot is eliminated by loops, as if all entries of its front were present."""
FULL = 0.7
"""The share of present entries from which such pivots are joined."""


@dataclass
class Front:
    """A front, with unknowns as places in the order of elimination."""

    pivots: list[int]
    border: tuple[int, ...]
    children: list["Front"]
    wide: bool
    work: int
    """The number of products of its elimination."""
    entries: int
    """The number of entries of its columns."""


def fronts_of(size: int, low: np.ndarray, high: np.ndarray, most: int = WORK) -> list[Front]:
    """Return the fronts of a matrix, children before their parents. Item k of L, fill-in included, stands in column
    low[k] and row high[k] > low[k]. A front with more than one pivot has up to `most` products."""
    down = np.lexsort((high, low))
    begins = np.searchsorted(low[down], np.arange(size + 1))
    rows = high[down].tolist()
    children: list[list[Front]] = [[] for _ in range(size)]
    fronts: list[Front] = []
    for k in range(size):
        border = tuple(rows[begins[k] : begins[k + 1]])
        count = len(border)
        front = Front([k], border, [], count > WIDE, count * (count + 3) // 2, count)
        _join(front, children[k], fronts, most)
        if border:
            children[border[0]].append(front)
        else:
            fronts.append(front)
    return fronts


def _join(front: Front, children: list[Front], fronts: list[Front], most: int) -> None:
    """Join the children for which there is room to a front, in place, the smallest first; append the others to
    `fronts`."""
    grandchildren = list[Front]()
    for child in sorted(children, key=lambda one: (one.work, one.pivots[0])):
        if front.wide:
            count = len(front.pivots) + len(child.pivots)
            full_size = count * (len(front.border) + (count - 1) / 2)
            joins = child.wide and front.entries + child.entries >= FULL * full_size
        else:
            joins = not child.wide and front.work + child.work <= most
        if joins:
            front.work += child.work
            front.entries += child.entries
            front.pivots = sorted(front.pivots + child.pivots)
            grandchildren += child.children
        else:
            grandchildren.append(child)
            fronts.append(child)
    front.children = sorted(grandchildren, key=lambda one: one.pivots[0])
