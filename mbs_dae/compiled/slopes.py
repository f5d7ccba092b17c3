"""Exact derivatives of the outputs of kernels by positions, velocities, time, and the numbers in their slots.

The kernels of slopes (`symbolic.slopes`) are called like those of values, with the same arrays, and write all partial
derivatives of an instance at once. If a motion varies with parameters, outputs follow by the chain rule, through the
motion and through the numbers.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ..coordinates import Layout
from ..duals import Dual, value_of
from ..kernels import cache
from ..kernels.blocks import block
from ..model.parameters import Evaluator
from ..symbolic.codegen import kernel_module
from ..symbolic.slopes import Selection, slopes
from .batch import Batch, BatchBuilder, KernelGroup, Place, PoseSequence
from .reading import read_outputs
from .structure import Structure


class SlopesBuilder:
    """Derive (or fetch) the kernels of the slopes of a batch once; `fill` puts the numbers of the batch in. Slopes by
    the numbers in slots are optional: kernels are half as long without them. With `chosen`, kernels compute only the
    chosen outputs and directions of each group of instances."""

    def __init__(self, values: BatchBuilder, by_numbers: bool, chosen: Sequence[Selection] = ()):
        self.values, self.by_numbers = values, by_numbers
        some = chosen or repeat(None)
        self.kernels = [self._kernel(group, own) for group, own in zip(values.groups, some, strict=False)]
        sizes = [k.layout["outputs"] * len(group.members) for k, group in zip(self.kernels, values.groups, strict=True)]
        *self._out_at, self.out_size = np.cumsum([0, *sizes]).tolist()

    @cached_property
    def entries(self) -> np.ndarray:
        """All partial derivatives in the order of outputs, shape (3, entries): source, output and direction
        (`SlopeEntry`)."""
        table = np.array([entry for _, some in entries_of(self) for entry in some], dtype=int).reshape(-1, 3)
        return table[np.argsort(table[:, 1], kind="stable")].T

    def fill(self, values: Batch) -> Batch:
        kernels = np.array([[kernel.address for kernel in self.kernels]], dtype=np.int64)
        own = {"kernels": kernels, "out_at": np.array(self._out_at, dtype=np.int64), "out_size": self.out_size}
        return block(Batch(**{name: getattr(values, name) for name in Batch._fields} | own))

    def _kernel(self, group: KernelGroup, chosen: Selection | None) -> cache.Kernel:
        instance = self.values.instances[group.members[0]]
        if instance.slopes is not None:
            return instance.slopes(self.by_numbers)
        title, values = f"Slopes of {instance.meaning.split(' ')[0]}", group.kernel.layout
        meaning = f"{self.values.coordinates.name} {instance.meaning} slopes{' by numbers' * self.by_numbers}"
        slots = values["slots"] if self.by_numbers else ()
        if chosen is not None:
            meaning += f" of {chosen.outputs} by {chosen.directions}"
        of = instance.compose(), slots, chosen, len(instance.signals)
        return cache.kernel(meaning, lambda: kernel_module(slopes(*of), title, values))


class SlopeEntry(NamedTuple):
    """A partial derivative: its place among the slopes, its output, and its direction among (x | v | t | numbers |
    signals) of the whole batch."""

    source: int
    output: int
    by: int


def entries_of(builder: SlopesBuilder) -> Iterator[tuple[Place, list[SlopeEntry]]]:
    """Yield the place and the partial derivatives of every instance, kernel by kernel."""
    first = 0
    for kernel, members in zip(builder.kernels, ways_of(builder.values), strict=True):
        for place, ways in members:
            entries = enumerate(kernel.layout["entries"], first)
            yield place, [SlopeEntry(k, place.out + output, ways[direction]) for k, (output, direction) in entries]
            first += kernel.layout["outputs"]


def ways_of(values: BatchBuilder) -> Iterator[list[tuple[Place, list[int]]]]:
    """Yield, for each kernel, every instance with its directions among (x | v | t | numbers | signals) of the whole
    batch."""
    size, places = values.layout.v_size, values.places()
    slot, first = 2 * size + 1, 2 * size + 1 + values.room - values.layout.q_size + len(values.layout.signals)
    for group in values.groups:
        slots, members = range(len(group.kernel.layout["slots"])), []
        for place in (next(places) for _ in group.members):
            own = [*place.columns, *(size + k for k in place.columns), 2 * size, *(slot + k for k in slots)]
            own += [first + k for k in values.signals_of(place.member)]
            members.append((place, own))
            slot += len(slots)
        yield members


def slopes_in(structure: Structure, batch: BatchBuilder, by_numbers: bool) -> SlopesBuilder:
    """Return the builder of the slopes of a batch, derived at the first call."""
    return structure.kept((SlopesBuilder, batch, by_numbers), lambda: SlopesBuilder(batch, by_numbers))


def read_varied(
    structure: Structure, builder: BatchBuilder, number: Evaluator, t: Any, q: Dual, v: Dual,
    swept: PoseSequence | None = None, sums: sps.csr_matrix | None = None,
) -> Dual:  # fmt: skip
    """Return all outputs of a batch along a motion that varies with parameters, one row for each time; in a sweep, one
    row for each of its values. With `sums` (outputs, sums) return these sums of outputs instead.

    All times and all parameters are one product: the partial derivatives at each time are a block of a matrix that
    multiplies the changes of the motion, (times and directions, parameters). Numbers in slots change alike at all
    times, and each with few parameters: they are a sparse matrix of their own.
    """
    own, values = slopes_in(structure, builder, True), builder.fill(number)
    at, size = (value_of(t), q.value, v.value), 2 * builder.layout.v_size
    moved = np.concatenate([small_motions(structure, q), v.slope], axis=2)
    if isinstance(t, Dual):  # times that move themselves
        moved = np.concatenate([moved, t.slope[:, :, None]], axis=2)
    if swept is None:
        value, partials = read_outputs(values, *at), read_outputs(own.fill(values), *at)
        numbers = sps.csr_matrix(builder.slopes(number, q.by).T)
    else:
        designs = builder.numbers_along(number, *swept)
        value, partials = (_read_designs(batch, designs, *at) for batch in (values, own.fill(values)))
        numbers = np.array([builder.slopes_along(number, *swept, symbol) for symbol in q.by])
        moved = np.concatenate([moved, np.zeros((*moved.shape[:2], 1)), numbers], axis=2)
    source, output, by = own.entries
    entries, factor = np.arange(output.size), np.ones(output.size)
    if sums is not None:
        summed = sums[output].tocoo()  # a row for each entry
        value, (entries, output, factor) = value @ sums, (summed.row, summed.col, summed.data)
    data, by, width = partials[:, source[entries]] * factor, by[entries], moved.shape[2]
    along = by < width
    ways = moved.transpose(1, 2, 0).reshape(-1, len(q.by))
    found = _blocks(data[:, along], output[along], by[along], value.shape, width, len(t)) @ ways
    if swept is None:
        given = by > size
        found += (
            _blocks(data[:, given], output[given], by[given] - size - 1, value.shape, numbers.shape[0], 1) @ numbers
        )
    return Dual(value, np.ascontiguousarray(np.asarray(found).T).reshape(len(q.by), *value.shape), q.by)


def _blocks(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, ...], width: int, blocks: int
) -> sps.csr_matrix:
    """Return a matrix of entries `data`, (times, entries), whose rows are (times, rows) below each other; each time has
    columns of its own or (with a single block) all times have the same columns."""
    step = np.arange(shape[0])[:, None]
    places = (step * shape[1] + row).ravel(), (step * (width if blocks > 1 else 0) + column).ravel()
    return sps.csr_matrix((data.ravel(), places), (shape[0] * shape[1], blocks * width))


def _read_designs(batch: Batch, designs: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the outputs of a batch, each time with the numbers of another design, shape (times, outputs)."""
    rows = []
    for k, numbers in enumerate(designs):
        batch.parameters[:] = numbers
        rows.append(read_outputs(batch, t[k : k + 1], q[k : k + 1], v[k : k + 1])[0])
    return np.array(rows)


def small_motions(structure: Structure, q: Dual) -> np.ndarray:
    """Return the small motion for each parameter, given like a velocity: dx of dq = N(q) dx, in coordinates of bodies,
    shape (parameters, times, v_size)."""
    return motions_of_places(structure.coordinates.kernels.layout, q)


def motions_of_places(layout: Layout, q: Dual) -> np.ndarray:
    """Return the small motions of places in coordinates of this layout, (parameters, times, velocities)."""
    out = np.zeros((len(q.by), len(q), layout.v_size))
    out[..., layout.plain[:, 1]] = q.slope[..., layout.plain[:, 0]]
    for of, to in layout.quaternions:
        e, de = q.value[:, of : of + 4], q.slope[..., of : of + 4]
        vector, turned = e[:, 1:], de[..., 1:]
        cross = np.cross(turned, np.broadcast_to(vector, turned.shape))
        out[..., to : to + 3] = 2.0 * (e[:, :1] * turned - de[..., :1] * vector + cross)
    return out


def places_moved(structure: Structure, q: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return dq = N(q) dx of small motions dx, `moved`."""
    return changes_of_places(structure.coordinates.kernels.layout, q, moved)


def changes_of_places(layout: Layout, q: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return dq = N(q) dx of small motions in coordinates of this layout."""
    out = np.zeros((*moved.shape[:-1], q.shape[-1]))
    out[..., layout.plain[:, 0]] = moved[..., layout.plain[:, 1]]
    for to, of in layout.quaternions:
        e, x = np.broadcast_to(q[..., to : to + 4], (*moved.shape[:-1], 4)), 0.5 * moved[..., of : of + 3]
        out[..., to] = -(e[..., 1:] * x).sum(axis=-1)
        out[..., to + 1 : to + 4] = e[..., :1] * x + np.cross(e[..., 1:], x)
    for to, of in layout.turns:
        out[..., to : to + 3] = moved[..., of : of + 3]
    return out
