"""The order in which the unknowns of a sparse symmetric matrix are eliminated, and the resulting entries of L."""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.sparse.csgraph import connected_components

NONE = np.zeros(0, dtype=np.int64)


class Ordering(NamedTuple):
    n: int
    """The number of x."""
    m: int
    """The number of λ."""
    order: np.ndarray
    """order[k] is the k-th unknown to be eliminated; x are 0 .. n-1, the λ of row r is n + r."""
    row: np.ndarray
    """The rows of the items of L, row by row, in increasing columns."""
    column: np.ndarray
    """The columns of the items of L."""

    @property
    def place(self) -> np.ndarray:
        """The position of each unknown in the elimination."""
        return np.argsort(self.order)


def ordering(
    n: int, m: int, jac_row: np.ndarray, jac_column: np.ndarray, block_row: np.ndarray = NONE,
    block_column: np.ndarray = NONE,
) -> Ordering:  # fmt: skip
    """Return the order for [W Φ_vᵀ; Φ_v 0] with these entries of Φ_v, and of W below its diagonal. The order does not
    depend on numbers of the matrix."""
    size, ends = n + m, np.array([[*jac_row + n, *block_row], [*jac_column, *block_column]], dtype=np.int64)
    order, filled = _eliminated(n, m, ends)
    column, row = np.sort(np.argsort(order)[filled], axis=0)
    return Ordering(n, m, order, *np.divmod(np.sort(row * size + column), max(size, 1)))


BLOCK = 6
"""The largest number of x that W couples if they belong to one body."""


def _wait_for_bodies(waits: list[set[int]], n: int, coupled: np.ndarray) -> None:
    """Let a λ wait for all x of every block that its row touches, if W is made of the blocks of bodies: then the row is
    measured in the norm of W⁻¹ itself."""
    graph = sps.csr_matrix((np.ones(coupled.shape[1]), coupled), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    members: dict[int, list[int]] = {}
    for x, k in enumerate(label.tolist()):
        members.setdefault(k, []).append(x)
    for wanted in waits:
        for x in list(wanted):
            if 1 < len(block := members[label[x]]) <= BLOCK:
                wanted.update(block)


def _eliminated(n: int, m: int, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of minimum degree, where a λ waits for all x of its row, so that its pivot is a squared length
    (`kkt`); and the ends of each item of L: an unknown that is eliminated couples all its neighbours. `ends` are the
    two unknowns of each entry. The x that W does not couple with others come first: only λ that wait for them are
    affected."""
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
