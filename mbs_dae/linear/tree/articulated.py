"""A tree of bodies as W, never multiplied out: articulated bodies, and rows carried along the tree.

With R the twists of all bodies for the velocities of their joints and I their inertias, W = Rᵀ I R. Eliminating
velocities from the leaves to the root needs no entry of W. The elimination of all that is behind an edge leaves a 6 x 6
matrix, which adds to the inertia of the edge's body. For each velocity of the edge, with its twist S,

    U = I S,      d = Sᵀ U,      I becomes I - U Uᵀ / d,

and the remaining I is moved to the parent's point and added there. A right side f goes the same way, with the force F
handed on from behind: z = f - Sᵀ F, F becomes F + U z / d. On the way out a is the motion of the parent, seen from the
body's point: x = (z - Uᵀ a) / d, a becomes a + S x.

The elimination is L D Lᵀ of W with leaves first. A row Φ_k goes in like a right side, only along its own path to the
root; its z_k is its row of L D. So Φ W⁻¹ Φᵀ = Σ z_k z_l / d, which is then eliminated, λ after λ: each pivot is the
squared distance of a row from the span of those before it in the norm of W⁻¹, like in `kkt`, where all x come before.

The work is proportional to the number of bodies, and to the lengths of the paths of the rows. Inertias are seen from
the points of the bodies themselves: with a common point, small bodies far from it would be lost in roundoff.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...kernels.passes import Pass, laid_out
from .kernels import (
    AXES,
    BELOW,
    COLUMNS,
    ELIMINATION,
    INWARD,
    MOVING,
    OUTWARD,
    RESISTING,
    KernelKind,
    Stage,
    product_kernel,
)

NOWHERE = np.zeros(0, dtype=np.int64)
FACTORISE, SOLVE = 0, 1
"""The places of the functions in `Articulated.functions`."""


class Articulated(NamedTuple):
    """The passes along a tree; without edges there is none, and W has entries."""

    edges: int
    functions: Integers
    """The addresses of the compiled functions, which are compiled only for models with a tree."""
    elimination: Pass
    inward: Pass
    outward: Pass
    moving: Pass
    resisting: Pass
    columns: Pass
    """The rows of Φ go inward like right sides, each along its own path."""
    slots: int
    """The number of forces on their paths, those of the columns included."""
    row_at: Integers
    """Row k of Φ has the entries row_at[k] : row_at[k + 1]."""
    products: Pass
    """The pass that multiplies the rows to Φ W⁻¹ Φᵀ."""
    coupled: int
    """The number of off-diagonal entries of Φ W⁻¹ Φᵀ, below its diagonal."""


NO_PASS = Pass(*(NOWHERE for _ in Pass._fields))
_NONE: tuple[Any, ...] = 0, NOWHERE, *[NO_PASS] * 6, 0, NOWHERE, NO_PASS, 0
NO_TREE = Articulated(*_NONE)


class Limbs(NamedTuple):
    """The numbers of a tree: the first three are given at every evaluation."""

    twist: Work[Matrix]
    """S of each velocity, seen from the body of its edge."""
    arm: Work[Matrix]
    """The position of the body of an edge relative to its parent."""
    inertia: Work[Matrix]
    """The inertia of the body of each edge (`kernels.BELOW`)."""
    hanging: Work[Matrix]
    """The inertia of all that is behind a body, at its point."""
    momentum: Work[Matrix] = zeros("limb_velocities", 6)
    """U of each velocity."""
    inverse: Work[Vector] = zeros("limb_velocities")
    """1/d of each velocity."""
    force: Work[Matrix] = zeros("slots", 6)
    """The forces on their paths."""
    motion: Work[Matrix] = zeros("limbs", 6)
    """The motion of each body."""
    left: Work[Vector] = zeros("limb_entries")
    """z of the rows, entry by entry of Φ."""
    scaled: Work[Vector] = zeros("limb_entries")
    """z/d of the rows."""
    square: Work[Vector] = zeros("m")
    """The squared lengths of rows in the norm of W⁻¹."""
    coupling: Work[Vector] = zeros("limb_items")
    """The entries of Φ W⁻¹ Φᵀ below its diagonal."""


def sizes_of(tree: Articulated, velocities: int, entries: int) -> dict[str, int]:
    """Return the lengths of the arrays of a tree."""
    names = ("slots", "limbs", "limb_velocities", "limb_entries", "limb_items")
    numbers = (tree.slots, tree.edges, velocities, entries, tree.coupled) if tree.edges else (0,) * len(names)
    return dict(zip(names, numbers, strict=True))


def given_to(limbs: Limbs) -> tuple[np.ndarray, ...]:
    """Return the arrays that every evaluation fills: twists, arms, inertias."""
    return limbs.twist, limbs.arm, limbs.inertia


NO_LIMBS = Limbs(*(np.zeros((0, 6)) for _ in range(4)))


def packed(dimension: int) -> int:
    """Return the number of numbers of the inertia of a body."""
    return len(BELOW[dimension])


class TreeShape(NamedTuple):
    """The shape of a tree: for each edge the one that leads to its parent (-1 for the ground), and its number of
    velocities; velocities are numbered edge by edge."""

    dimension: int
    parents: Sequence[int]
    velocities: Sequence[int]

    @property
    def first(self) -> list[int]:
        return np.cumsum([0, *self.velocities]).tolist()

    @property
    def depths(self) -> list[int]:
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else 0)
        return found

    @property
    def links(self) -> list[tuple[int, int]]:
        """Pairs of velocities that join all velocities of each tree on the ground: those of an edge, and the first one
        of an edge with the last one before it on the path to the ground."""
        first, found, last = self.first, list[tuple[int, int]](), list[int]()
        for e, parent in enumerate(self.parents):
            before = last[parent] if parent >= 0 else -1
            for velocity in range(first[e], first[e + 1]):
                if before >= 0:
                    found.append((velocity, before))
                before = velocity
            last.append(before)
        return found

    def kind(self, e: int) -> KernelKind:
        return KernelKind(self.dimension, self.velocities[e], self.parents[e] < 0)

    def inward(self) -> list[tuple[int, KernelKind]]:
        """Return the level and the kind of each edge on the way in; the first of the edges with a common parent comes
        first."""
        depths, found, inner, served = self.depths, list[tuple[int, KernelKind]](), set(self.parents), set[int]()
        for e, parent in enumerate(self.parents):
            adds = parent >= 0 and parent in served
            found.append((adds - 2 * depths[e], self.kind(e)._replace(is_end=e not in inner, adds=adds)))
            served.add(parent)
        return found


def articulated(
    shape: TreeShape, functions: Sequence[int], row: np.ndarray, column: np.ndarray, rows: int,
    coupled: np.ndarray,
) -> Articulated:  # fmt: skip
    """Return the passes along a tree. `row` and `column` are those of the entries of Φ, in their order; `coupled` are
    the pairs of rows between which Φ W⁻¹ Φᵀ has entries, the later row first."""
    first, edges = shape.first, range(len(shape.parents))
    above = [max(parent, 0) for parent in shape.parents]
    inward = shape.inward()
    outward = [(depth, shape.kind(e)) for e, depth in enumerate(shape.depths)]

    def through(
        stage: Stage, kinds: Sequence[tuple[int, KernelKind]], places: Callable[[int], tuple[int, ...]]
    ) -> Pass:
        return laid_out([(level, kind, places(e)) for e, (level, kind) in enumerate(kinds)], stage.kernel)

    def by_edge(e: int) -> tuple[int, ...]:
        return e, first[e], above[e]

    groups, slots = groups_of(row, column), len(shape.parents)
    on_way = visits(shape, groups)
    return Articulated(
        edges=len(edges),
        functions=np.array(functions, dtype=np.int64),
        elimination=through(ELIMINATION, inward, by_edge),
        inward=through(INWARD, inward, lambda e: (e, first[e], e, above[e], first[e])),
        outward=through(OUTWARD, outward, by_edge),
        moving=through(MOVING, outward, by_edge),
        resisting=through(RESISTING, inward, by_edge),
        columns=laid_out([way_of(shape, visit, slots) for visit in on_way], COLUMNS.kernel),
        slots=slots + sum(len(visit.group.rows) for visit in on_way),
        row_at=np.searchsorted(row, np.arange(rows + 1)),
        products=_products(groups, coupled),
        coupled=coupled.shape[1],
    )


def local_masses(shape: TreeShape, limbs: Limbs) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each velocity, after a factorisation, the mass that it moves while the next joints behind its body
    stand still and all further joints are free, and the sum of the sizes of the terms of this mass, for bodies turned
    in any way. A pivot d that is far smaller has lost this mass in a difference.

    With I + H the articulated inertia of a body, where H is that of the bodies behind: Sᵀ I S + Σ Sᵀ Xᵀ (I + H) X S
    over the bodies behind.
    """
    axes, below = AXES[shape.dimension], BELOW[shape.dimension]
    own, hanging = (np.zeros((len(shape.parents), 6, 6)) for _ in range(2))
    inner = np.isin(np.arange(len(shape.parents)), shape.parents)
    for k, (i, j) in enumerate(below):
        own[:, i, j] = own[:, j, i] = limbs.inertia[:, k]
        hanging[inner, i, j] = hanging[inner, j, i] = limbs.hanging[inner, k]
    twist = np.zeros_like(limbs.twist)
    twist[:, axes] = limbs.twist[:, axes]
    edge = np.repeat(np.arange(len(shape.parents)), shape.velocities)
    sizes = abs(own)
    sizes[:, 3:, 3:] = sizes[:, 3:, 3:].max(axis=(1, 2), keepdims=True)  # the roundoff after a turn of the tensor
    found, terms = (np.einsum("ki,kij,kj->k", s, I[edge], s) for s, I in ((twist, own), (abs(twist), sizes)))
    whole, arms = own + hanging, limbs.arm.copy()
    if shape.dimension == 2:
        arms[:, 2] = 0.0
    first, inner_edges = shape.first, [(e, parent) for e, parent in enumerate(shape.parents) if parent >= 0]
    pairs = [(k, e) for e, parent in inner_edges for k in range(first[parent], first[parent + 1])]
    if pairs:
        velocity, behind = np.array(pairs).T
        moved = twist[velocity]
        moved[:, :3] -= np.cross(arms[behind], moved[:, 3:])
        np.add.at(found, velocity, np.einsum("ki,kij,kj->k", moved, whole[behind], moved))
        np.add.at(terms, velocity, np.einsum("ki,kij,kj->k", abs(moved), abs(whole[behind]), abs(moved)))
    return found, terms


class RowGroup(NamedTuple):
    """Neighbouring rows that have entries in the same columns: they go along the tree side by side."""

    rows: tuple[int, ...]
    begins: tuple[int, ...]
    """The first entry of each row."""
    columns: tuple[int, ...]


class Visit(NamedTuple):
    """The passage of a group through an edge on its path to the ground: the slots of the first of its forces there and
    at the parent, and the number of entries before those of the edge."""

    group: RowGroup
    edge: int
    slot: int
    next_slot: int
    before: int
    is_end: bool
    adds: bool
    """Whether the parent has received a force before, like `KernelKind.adds`."""

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(begin + self.before for begin in self.group.begins)


MOST = 6
"""The largest number of rows side by side: as many as two bodies can have between them."""


Ends = Mapping[int, Set[int]]
"""The edges at whose bodies forces of rows act, row by row."""


def groups_of(row: np.ndarray, column: np.ndarray, ends: Ends | None = None) -> list[RowGroup]:
    """Return the groups of rows that have entries; the rows of a group have the same ends."""
    found, known = list[RowGroup](), ends or {}
    for r in np.unique(row).tolist():
        begin, end = np.searchsorted(row, (r, r + 1)).tolist()
        columns, last = tuple(column[begin:end].tolist()), found[-1] if found else RowGroup((), (), ())
        alike = last.columns == columns and last.rows[-1] == r - 1 and known.get(r) == known.get(r - 1)
        if alike and len(last.rows) < MOST:
            found[-1] = RowGroup((*last.rows, r), (*last.begins, begin), columns)
        else:
            found.append(RowGroup((r,), (begin,), columns))
    return found


def visits(shape: TreeShape, groups: Sequence[RowGroup], ends: Ends | None = None) -> list[Visit]:
    """Return the visits of all groups of rows. Slots are counted from 0. At the `ends` there are forces before."""
    edge_of = np.repeat(np.arange(len(shape.parents)), shape.velocities).tolist()
    out, slots, known = list[Visit](), 0, ends or {}
    for group in groups:
        entries: dict[int, int] = {}
        for k, c in enumerate(group.columns):
            entries.setdefault(edge_of[c], k)
        visited, given = set(entries), set(known.get(group.rows[0], ()))
        for e in [*entries, *given]:
            while e >= 0:
                visited.add(e)
                e = shape.parents[e]
        way = sorted(visited)
        slot = {e: slots + k * len(group.rows) for k, e in enumerate(way)}
        slots += len(way) * len(group.rows)
        for e in reversed(way):  # edges behind come first
            parent = shape.parents[e]
            is_end, adds = e not in given, parent in given
            given.add(parent)
            out.append(Visit(group, e, slot[e], slot.get(parent, 0), entries.get(e, 0), is_end, adds and parent >= 0))
    return out


def way_of(shape: TreeShape, visit: Visit, slots: int = 0) -> tuple[int, KernelKind, tuple[int, ...]]:
    """Return the level, kind and places of a visit; the first `slots` slots belong to others."""
    e = visit.edge
    places = e, shape.first[e], slots + visit.slot, slots + visit.next_slot, *visit.entries
    kind = shape.kind(e)._replace(rows=len(visit.group.rows), is_end=visit.is_end, adds=visit.adds)
    return visit.adds - 2 * shape.depths[e], kind, places


def coupled_rows(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return pairs of entries in a common column: the two entries, the later row first."""
    order = np.lexsort((row, column))
    found = [np.zeros((2, 0), dtype=np.int64)]
    for own in np.split(order, np.flatnonzero(np.diff(column[order])) + 1):
        later, earlier = np.tril_indices(own.size)
        found.append(np.stack([own[later], own[earlier]]))
    return np.concatenate(found, axis=1)


LONGEST = 8
"""The largest number of neighbouring velocities that are multiplied at once."""


def _products(groups: Sequence[RowGroup], coupled: np.ndarray) -> Pass:
    """Return the pass that computes the entries of Φ W⁻¹ Φᵀ from the rows: for each two groups the velocities that both
    have, in runs of neighbours."""
    known = {pair: k for k, pair in enumerate(map(tuple, coupled.T.tolist()))}

    def item(one: int, other: int) -> int:
        return known[max(one, other), min(one, other)]

    number = np.repeat(np.arange(len(groups)), [len(group.columns) for group in groups])
    column = np.array([c for group in groups for c in group.columns], dtype=np.int64)
    begins = np.cumsum([0, *(len(group.columns) for group in groups)])
    one, other = coupled_rows(number, column)
    ordered = np.lexsort((one, number[other], number[one]))
    members, run = [], 0
    pairs = np.stack([one[ordered], other[ordered]]).T.tolist()
    while run < len(pairs):
        a, b = pairs[run]
        length, i, j = 1, groups[number[a]], groups[number[b]]
        ends = min(int(begins[number[a] + 1]) - a, int(begins[number[b] + 1]) - b, LONGEST, len(pairs) - run)
        while length < ends and pairs[run + length] == [a + length, b + length]:
            length += 1
        run += length
        starts = [begin + a - int(begins[number[a]]) for begin in i.begins]
        if i is j:
            items = [item(i.rows[k], i.rows[l]) for k in range(len(i.rows)) for l in range(k)]
            members.append((0, (len(i.rows), 0, length), (*starts, *items, *i.rows)))
        else:
            starts += [begin + b - int(begins[number[b]]) for begin in j.begins]
            items = [item(k, l) for k in i.rows for l in j.rows]
            members.append((0, (len(i.rows), len(j.rows), length), (*starts, *items)))
    return laid_out(members, product_kernel)
