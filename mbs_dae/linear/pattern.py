"""The structure of the KKT matrix: what never changes, found once (the mathematics is in `kkt`)."""

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.csgraph import connected_components

from ..kernels.blocks import Indices, Integers, block
from .ldl import INDEX, Structure, structure

NONE = np.zeros(0, dtype=np.int64)


class Pattern(NamedTuple):
    """Index maps of every stage of a factorisation."""

    n: int
    """Number of x."""
    m: int
    """Number of λ."""
    jac_row: Indices
    jac_column: Indices
    block_row: Indices
    """The entries of W below its diagonal."""
    block_column: Indices
    order: Integers
    """order[k]: which unknown is the k-th to be eliminated; x are 0 .. n-1, the λ of row r is n + r."""
    L: Structure
    jac_item: Indices
    """Jacobian entry e adds to item jac_item[e] of L."""
    block_item: Indices
    fill_item: Indices
    """The items that the matrix does not have."""


def analyse(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Pattern:  # fmt: skip
    """Order the unknowns and find the structure of L. No number of the matrix is looked at."""
    size, ends = n + m, np.array([[*jac_row + n, *block_row], [*jac_column, *block_column]], dtype=np.int64)
    order, filled = eliminated(n, m, ends)
    place = np.argsort(order)

    def items(ends: np.ndarray) -> np.ndarray:
        """Places in the lower triangle, numbered by rows."""
        low, high = np.sort(place[ends], axis=0)
        return high * size + low

    all_items = np.sort(items(filled))
    L = structure(size, *np.divmod(all_items, max(size, 1)))
    item = np.searchsorted(all_items, items(ends))
    added = item[: jac_row.size], item[jac_row.size :], np.setdiff1d(np.arange(all_items.size), item)
    given, found = ([x.astype(INDEX) for x in maps] for maps in ((jac_row, jac_column, block_row, block_column), added))
    fields: tuple[Any, ...] = (n, m, *given, order, L, *found)
    return block(Pattern(*fields))


BLOCK = 6
"""So many x are coupled by W at most where they are those of one body."""


def _wait_for_bodies(waits: list[set[int]], n: int, coupled: np.ndarray) -> None:
    """Where W is made of the blocks of bodies, a λ waits for all x of every block that its row touches: then the norm
    in which it is measured is that of W⁻¹ itself."""
    graph = sps.csr_matrix((np.ones(coupled.shape[1]), coupled), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    members: dict[int, list[int]] = {}
    for x, k in enumerate(label.tolist()):
        members.setdefault(k, []).append(x)
    for wanted in waits:
        for x in list(wanted):
            if 1 < len(block := members[label[x]]) <= BLOCK:
                wanted.update(block)


def eliminated(n: int, m: int, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimum degree, where a λ has to wait for all x of its row: then its pivot is a squared length (`kkt`). `ends`
    are the two unknowns of each entry. What comes back is the order, and the ends of each item of L: an unknown that is
    eliminated couples all its neighbours. The x that W does not couple with others may as well come first: only λ that
    wait for them are concerned."""
    neighbours: list[set[int]] = [set() for _ in range(n + m)]
    for one, other in ends.T.tolist():
        neighbours[one].add(other)
        neighbours[other].add(one)
    waits, coupled = [set(around) for around in neighbours[n:]], ends[:, ends[0] < n]
    _wait_for_bodies(waits, n, coupled)
    rows_of: list[list[int]] = [[] for _ in range(n)]
    for row, wanted in enumerate(waits):
        for column in wanted:
            rows_of[column].append(row)

    ready = [(len(neighbours[k]), k) for k in range(n)] + [(0, n + row) for row in range(m) if not waits[row]]
    heapify(ready)
    done = np.zeros(n + m, dtype=bool)
    order, filled = [], list[tuple[int, int]]()
    while ready:
        degree, k = heappop(ready)
        if done[k] or degree != len(neighbours[k]):
            continue  # an older entry; there is a newer one
        done[k] = True
        order.append(k)
        around = neighbours[k]
        filled += [(k, other) for other in around]
        for other in around:
            neighbours[other] |= around
            neighbours[other] -= {other, k}
        if k < n:
            for row in rows_of[k]:
                waits[row].discard(k)
        for other in around:
            if other < n or not waits[other - n]:
                heappush(ready, (len(neighbours[other]), other))
    found = np.array(order, dtype=np.int64)
    first_free = np.argsort((found >= n) | np.isin(found, coupled), kind="stable")
    return found[first_free], np.array(filled, dtype=np.int64).reshape(-1, 2).T
