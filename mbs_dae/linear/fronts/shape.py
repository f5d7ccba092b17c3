"""The shape of a front: the numbers in its elimination, whatever their values.

With u = l d the elimination of pivot k subtracts l_ik u_jk from each remaining entry (i, j):

    l_ik = u_ik / d_k,        a_ij ← a_ij - l_ik u_jk,        k < j ≤ i.

The shape lists the entries by the places of their unknowns in the front; structural zeros are not computed.
`linear.kkt` describes the pivot of a λ: the parts that x and that λ have subtracted from it are summed apart, and
handed on apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

X, ROW = "x", "λ"
SUM, OF_X, OF_ROWS = "a", "p", "m"
"""The kind of a number of the matrix: an entry, or, on the diagonal of a λ, the part that x, or other λ, have
subtracted."""
Place = tuple[int, int, str]
"""Row and column of a number, j ≤ i, and its kind."""


@dataclass(frozen=True)
class FrontShape:
    pivots: str
    """The kind of each pivot: an x or the λ of a row."""
    border: str
    """The kind of each unknown of the border."""
    entries: tuple[tuple[int, int], ...]
    """The entries of the matrix itself below the diagonal in the columns of the pivots."""
    children: tuple[tuple[Place, ...], ...]
    """For each child, the numbers that it hands on."""
    given: bool = False
    """Whether the matrix has entries among λ itself: it is Φ W⁻¹ Φᵀ, whose diagonal is `weight`."""
    full: bool = False
    """Whether all its entries count as present: its elimination then consists of loops, without a kernel of its own."""

    @cached_property
    def unknowns(self) -> str:
        return self.pivots + self.border

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The rows of the items of L in the column of each pivot."""
        return self._structure[0]

    @cached_property
    def handed_on(self) -> tuple[Place, ...]:
        """The numbers that it hands on."""
        return self._structure[1]

    @property
    def indices(self) -> int:
        """The number of indices of a front of this shape: its entries, its unknowns, its children."""
        return len(self.entries) + len(self.unknowns) + len(self.children)

    @property
    def numbers(self) -> int:
        """The number of stored numbers of a front: L, and the reciprocals of pivots."""
        return sum(map(len, self.columns)) + len(self.pivots)

    def updates(self, k: int) -> Iterator[tuple[Place, int, int]]:
        """Yield the numbers from which the elimination of pivot k subtracts the product of items i and j of its
        column."""
        for j, i in combinations_with_replacement(self.columns[k], 2):
            part = OF_X if self.pivots[k] == X else OF_ROWS
            yield (i, j, part if i == j and self.unknowns[i] == ROW else SUM), i, j

    @cached_property
    def _structure(self) -> tuple[tuple[tuple[int, ...], ...], tuple[Place, ...]]:
        places = {(i, k, SUM) for i, k in self.entries}
        places |= {(k, k, SUM) for k, sort in enumerate(self.pivots) if sort == X}
        places |= {(k, k, OF_X) for k, sort in enumerate(self.pivots) if sort == ROW and self.given}
        places.update(*self.children)
        if self.full:
            places = set()
            for j, i in combinations_with_replacement(range(len(self.unknowns)), 2):
                is_row_diagonal = i == j and self.unknowns[i] == ROW
                places |= {(i, i, OF_X), (i, i, OF_ROWS)} if is_row_diagonal else {(i, j, SUM)}
        columns = []
        for k, pivot in enumerate(self.pivots):
            part = OF_X if pivot == X else OF_ROWS
            column = sorted(i for i, j, _ in places if j == k and i > k)
            columns.append(tuple(column))
            for j, i in combinations_with_replacement(column, 2):
                places.add((i, j, part if i == j and self.unknowns[i] == ROW else SUM))
        return tuple(columns), tuple(sorted(place for place in places if place[1] >= len(self.pivots)))
