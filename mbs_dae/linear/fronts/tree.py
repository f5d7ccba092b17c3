"""Which unknowns are eliminated together: the fronts of a matrix, and what each one hands on.

A front eliminates some unknowns, its pivots, and adds what that makes of the matrix to the unknowns that they were
coupled to, its border. What it adds is summed up by the front that eliminates the first of the border: its parent. So
the fronts form a forest, and along the tree of a mechanism, from its leaves to its root, what is handed on is the
inertia of all that hangs there, as the bearings feel it.

Any part of the forest of single pivots that is connected can be one front: joining changes no product and no sum, only
where numbers wait for each other. Pivots are joined from the leaves on, as long as the work of a front stays small: a
front of moderate size keeps its numbers in registers, and shapes that are small repeat.
"""

from dataclasses import dataclass

import numpy as np

WORK = 120
"""So many products a front has at most, if it has more than one pivot. Larger ones save little, and take long to
compile."""
DENSE_WORK = 1000
"""The same in a matrix of λ alone, where nearly all entries are there: each number that is handed on costs as much as a
product then, and shapes do not repeat within it."""
WIDE = 14
"""A pivot with a longer border is eliminated by loops, as if all entries of its front were there."""
FULL = 0.7
"""Such pivots are joined if so much of the entries is there."""


@dataclass
class Front:
    """Numbers are places in the order of elimination."""

    pivots: list[int]
    border: tuple[int, ...]
    children: list["Front"]
    wide: bool
    work: int
    """Products of its elimination."""
    entries: int
    """How many its columns have."""


def fronts_of(size: int, low: np.ndarray, high: np.ndarray, most: int = WORK) -> list[Front]:
    """The fronts of a matrix, children before their parents. Item k of L, with all that fills in, stands in column
    low[k] and row high[k] > low[k]. A front has `most` products, if it has more than one pivot."""
    down = np.lexsort((high, low))
    begins = np.searchsorted(low[down], np.arange(size + 1))
    rows = high[down].tolist()
    waiting: list[list[Front]] = [[] for _ in range(size)]
    done: list[Front] = []
    for k in range(size):
        border = tuple(rows[begins[k] : begins[k + 1]])
        many = len(border)
        front = _joined(Front([k], border, [], many > WIDE, many * (many + 3) // 2, many), waiting[k], done, most)
        if border:
            waiting[border[0]].append(front)
        else:
            done.append(front)
    return done


def _joined(front: Front, children: list[Front], done: list[Front], most: int) -> Front:
    """With those children taken in for which there is room, the smallest first; the others are done."""
    own = list[Front]()
    for child in sorted(children, key=lambda one: (one.work, one.pivots[0])):
        if _may_join(front, child, most):
            front.work += child.work
            front.entries += child.entries
            front.pivots = sorted(front.pivots + child.pivots)
            own += child.children
        else:
            own.append(child)
            done.append(child)
    front.children = sorted(own, key=lambda one: one.pivots[0])
    return front


def _may_join(front: Front, child: Front, most: int) -> bool:
    if not front.wide:
        return not child.wide and front.work + child.work <= most
    many = len(front.pivots) + len(child.pivots)
    return child.wide and front.entries + child.entries >= FULL * many * (len(front.border) + (many - 1) / 2)
