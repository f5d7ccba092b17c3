"""Batches: forms on actual markers, grouped by kernel and evaluated together.

A `Batch` has arrays only: the addresses of the kernels, the places of the coordinates and constants of each instance,
and the places of its outputs. The readers give the outputs their meaning: `program` for constraints, `dynamics` for
masses and forces, `reading.Reader` for readings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import sympy as sp

from ..coordinates import Computed, KernelCoordinates, Layout
from ..errors import ModelError
from ..kernels import cache
from ..kernels.abi import call_kernel, compiled, compiled_apart
from ..kernels.blocks import Design, Integers, IntegerTable, Vector, block
from ..kernels.lanes import Lanes, lanes
from ..model.bodies.body import Marker, reference_turns
from ..model.parameters import ComplexStep, Evaluator, Number, Parameter, Signal, slope_of
from ..model.tables import TableSymbol
from ..symbolic.codegen import kernel_module
from ..symbolic.derive import Composed, Form
from ..symbolic.markers import LABELS

VALUE = 0
"""The level of values. (Derivatives of values are batches of their own: `slopes`.)"""


class Batch(NamedTuple):
    """Kernels, their instances, and index maps, as compiled code reads them."""

    kernels: IntegerTable
    """The addresses of the kernels, one row for each level."""
    instances: Integers
    """The number of instances of each kernel."""
    gather: Integers
    """For each kernel and instance, the places of its local q (signals last) in q and of its local v in v."""
    gather_at: Integers
    """The first entry of `gather` of each kernel."""
    parameters: Design[Vector]
    """The numbers in the slots of all kernels, instance by instance."""
    parameters_at: Integers
    """The first entry of `parameters` of each kernel."""
    tables: Design[Vector]
    """The numbers of all tables, one table after the other."""
    out_at: Integers
    """The first output of each kernel."""
    out_size: int
    """The number of outputs."""
    mode_at: Integers
    """The entry of `parameters` that holds each branch; nan for a free branch."""
    switch_at: Integers
    """The output that is the switching function of each branch."""
    switch_kind: Integers
    """The kind of each switching function (`symbolic.branches`)."""
    slope_at: Integers
    """The output that is each partial derivative of a switching function."""
    slope_of: Integers
    """The switching function of each partial derivative."""
    slope_by: Integers
    """The place in (q, v, t), one after the other, by which each partial derivative is taken."""


@compiled_apart
def evaluate(batch: Batch, level: int, t: float, q: Vector, v: Vector, out: Vector) -> None:
    """Put all outputs of all kernels of a level at (t, q, v) into `out`. q and v include the coordinates of the
    ground."""
    for g in range(batch.kernels.shape[1]):
        call_one(batch, level, g, t, q, v, out)


@compiled
def call_one(batch: Batch, level: int, g: int, t: float, q: Vector, v: Vector, out: Vector) -> None:
    """Put the outputs of one kernel, for all its instances, into `out`."""
    index, own = batch.gather[batch.gather_at[g] :], out[batch.out_at[g] :]
    parameters = batch.parameters[batch.parameters_at[g] :]
    call_kernel(batch.kernels[level, g], (batch.instances[g], t), (q, v, index, parameters, batch.tables, own))


class WideBatch(NamedTuple):
    """A batch for several lanes: index maps and tables are common to all lanes, parameters differ from lane to lane."""

    batch: Batch
    kernels: Integers
    """The addresses of the kernels of values for lanes."""
    parameters: Lanes
    out: Lanes


def in_lanes(batch: Batch) -> WideBatch | None:
    """Return the batch for lanes, whose parameters the caller fills with those of systems of the same structure; None
    if a kernel is a Python function."""
    addresses = [cache.widened(int(address)) for address in batch.kernels[VALUE]]
    if not all(addresses):
        return None
    parameters, out = lanes(batch.parameters.size, batch.out_size + 1)
    return block(WideBatch(batch, np.array(addresses, dtype=np.int64), parameters, out))


@compiled
def evaluate_in_lanes(wide: WideBatch, t: Vector, q: Vector, v: Vector) -> None:
    """Put all outputs at (t, q, v) of each lane into `wide.out`; t is an array with one entry."""
    batch = wide.batch
    for g in range(wide.kernels.size):
        index, own = batch.gather[batch.gather_at[g] :], wide.out[batch.out_at[g] :]
        parameters = wide.parameters[batch.parameters_at[g] :]
        arrays = t, q, v, index, parameters, batch.tables, own
        call_kernel(wide.kernels[g], (batch.instances[g],), arrays)


@dataclass(frozen=True)
class Instance:
    """A form on actual markers, with the numbers in its slots."""

    meaning: str
    """A text that names everything on which the kernel depends, except the coordinate set."""
    compose: Callable[[], Composed]
    slots: Mapping[str, Number]
    owners: tuple[Any, ...]
    """The owners of the local coordinates, one after the other: bodies, mostly."""
    who: str
    signals: tuple[Signal, ...] = ()
    """The signals that the form reads."""
    kernel: Callable[[], cache.Kernel] | None = None
    """The function that returns the kernel, if the kernel is not derived from a form."""
    slopes: Callable[[bool], cache.Kernel] | None = None
    """The function that returns the kernel of slopes in the same case; its argument says whether slopes by the numbers
    in slots are included."""


def instance_of(
    form: Form, slots: Mapping[sp.Symbol, Number], markers: tuple[Marker, ...], who: str, coordinates: KernelCoordinates
) -> Instance:
    """Return the instance of a form on markers in a coordinate set."""
    maps = [coordinates.marker_map(LABELS[k]) for k in range(len(markers))]
    values = {str(s): n for s, n in slots.items()}
    for mp, marker in zip(maps, markers, strict=True):
        values |= {str(s): n for s, n in zip(mp.slots, coordinates.marker_slots(marker), strict=True)}
    values |= {str(s): n for s, n in reference_turns(form, markers).items()}
    signals = tuple(slots[s] for s in form.signals)
    compose = lru_cache(lambda: form.compose(maps))  # values and their slopes ask for it
    return Instance(form.meaning, compose, values, tuple(m.body for m in markers), who, signals)


@dataclass(frozen=True)
class KernelGroup:
    """All instances of one kernel, by their numbers."""

    kernel: cache.Kernel
    members: list[int]


@dataclass(frozen=True)
class Place:
    """The place of an instance in a batch."""

    member: int
    out: int
    """The first output of the instance."""
    columns: tuple[int, ...]
    """The places of its local velocities among the velocities of the system."""
    layout: dict[str, Any]


class ParameterSets(Protocol):
    """Values of expressions for many designs: all designs at once, or an evaluator of one design."""

    count: int

    def __call__(self, number: Number) -> np.ndarray: ...
    def at(self, k: int) -> Any: ...


class PoseSequence(NamedTuple):
    """A parameter, and the values that the parameter takes one after the other."""

    parameter: Parameter
    values: Sequence[float]


class BatchBuilder:
    """Derive (or fetch) the kernels and lay out the index maps once; `fill` puts numbers in, as often as wanted."""

    def __init__(self, instances: Sequence[Instance], coordinates: KernelCoordinates, layout: Layout):
        self.instances = list(instances)
        self.coordinates = coordinates
        self.layout = layout
        self.groups = self._grouped()
        self._who: list[str] = []
        """The owner of each slot, for messages."""
        self.switching: list[str] = []
        """The owner of each switching function."""
        self._asked: list[tuple[int, Any]] = []
        """The slots that depend on parameters, with their expressions."""
        self._layout = self._laid_out()

    @property
    def out_size(self) -> int:
        """The number of outputs."""
        return self._layout["out_size"]

    @property
    def room(self) -> int:
        """The number of slots, and one more."""
        return self._constants.size

    def fill(self, evaluate: Evaluator) -> Batch:
        """Return the batch with the values of the parameters."""
        return block(Batch(**self._layout, parameters=self.numbers(evaluate)))

    def numbers(self, evaluate: Evaluator) -> np.ndarray:
        """Return the numbers in all slots and a 0 behind them, so that an array without slots still has an entry."""
        out = self._constants.copy()
        for k, value in self._asked:
            out[k] = value(evaluate) if isinstance(value, Computed) else evaluate(value)
        return self._free(self._finite(out))

    def _free(self, out: np.ndarray) -> np.ndarray:
        """Make all branches free, in place, and return the array."""
        out[..., self._layout["mode_at"]] = np.nan
        return out

    def numbers_along(self, evaluate: Evaluator, parameter: sp.Symbol, values: Sequence[float]) -> np.ndarray:
        """Return the numbers in all slots for many values of one parameter, shape (values, slots + 1)."""
        out = np.tile(np.nan_to_num(self.numbers(evaluate)), (len(values), 1))
        for k, value in self._asked:
            if parameter in value.free_symbols:
                out[:, k] = evaluate.along(value, parameter, values)
        return self._free(self._finite(out))

    def slopes(self, evaluate: Evaluator, parameters: Sequence[sp.Symbol]) -> np.ndarray:
        """Return the derivatives of the numbers in slots by parameters, shape (parameters, slots + 1)."""
        out = np.zeros((len(parameters), len(self._constants)))
        rows = {parameter: row for row, parameter in enumerate(parameters)}
        along = [ComplexStep(evaluate, parameter) for parameter in parameters]
        computed = [(k, value) for k, value in self._asked if isinstance(value, Computed)]
        for row, one in enumerate(along):
            out[row, [k for k, _ in computed]] = [value.slope(one) for _, value in computed]
        for k, value in self._asked:
            if isinstance(value, Computed):
                continue
            for parameter in value.free_symbols & rows.keys():
                out[rows[parameter], k] = 1.0 if value == parameter else evaluate(slope_of(value, parameter))
        return self._finite(out)

    def slopes_along(
        self, evaluate: Evaluator, parameter: sp.Symbol, values: Sequence[float], by: sp.Symbol | None = None
    ) -> np.ndarray:
        """Return the derivatives of the numbers in slots by a parameter, or by another one (`by`), at many values of
        the first, shape (values, slots + 1)."""
        out, by = np.zeros((len(values), len(self._constants))), parameter if by is None else by
        for k, value in self._asked:
            if by in value.free_symbols:
                out[:, k] = evaluate.along(slope_of(value, by), parameter, values)
        return self._finite(out)

    def numbers_of(self, designs: ParameterSets) -> np.ndarray:
        """Return the numbers in all slots for many designs, one row for each; nan in the row of a design for which a
        number has no value."""
        out = np.tile(self._constants, (designs.count, 1))
        computed = [(k, value) for k, value in self._asked if isinstance(value, Computed)]
        for k, value in self._asked:
            if not isinstance(value, Computed):
                out[:, k] = designs(value)
        for row in range(designs.count if computed else 0):
            number = designs.at(row)
            for k, value in computed:
                out[row, k] = value(number)
        out[~np.isfinite(out).all(axis=1)] = np.nan
        return self._free(out)

    def _finite(self, out: np.ndarray) -> np.ndarray:
        if not np.isfinite(out).all():
            k = int(np.argmin(np.isfinite(out).reshape(-1, out.shape[-1]).all(axis=0)))
            raise ModelError(
                f"a number in {self._who[k]} is not a finite real number for these parameters; correct its expression "
                "or the parameters",
                code="not-finite",
            )  # fmt: skip
        return out

    def places(self) -> Iterator[Place]:
        """Yield the place of every instance, kernel by kernel."""
        at = 0
        for group in self.groups:
            layout = group.kernel.layout
            for member in group.members:
                yield Place(member, at, self.local(member, self.layout.v), layout)
                at += layout["outputs"]

    def local(self, member: int, places: Mapping[Any, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the places of the coordinates of all owners of an instance, one owner after the other."""
        return tuple(place for owner in self.instances[member].owners for place in places[owner])

    def read_of_q(self, member: int) -> list[int]:
        """Return the places in q of everything that an instance reads: coordinates, then signals."""
        return [*self.local(member, self.layout.q), *self.signals_of(member)]

    def signals_of(self, member: int) -> list[int]:
        """Return the places in q of the signals that an instance reads."""
        return [self.layout.signals[signal] for signal in self.instances[member].signals]

    def _grouped(self) -> list[KernelGroup]:
        groups: dict[str, KernelGroup] = {}
        for k, instance in enumerate(self.instances):
            if instance.meaning not in groups:
                groups[instance.meaning] = KernelGroup(self._kernel(instance), [])
            groups[instance.meaning].members.append(k)
        return list(groups.values())

    def _kernel(self, instance: Instance) -> cache.Kernel:
        if instance.kernel is not None:
            return instance.kernel()
        meaning = f"{self.coordinates.name} {instance.meaning}"
        return cache.kernel(meaning, lambda: kernel_module(instance.compose(), instance.meaning.split(" ")[0]))

    def _laid_out(self) -> dict[str, Any]:
        gather: list[int] = []
        slots: list[Number] = []
        begins, size = [], 0
        switches: list[tuple[int, int, int]] = []
        slopes: list[tuple[int, int, int]] = []
        q_size, width = self.layout.q_size, self.layout.q_size + self.layout.v_size
        for group in self.groups:
            begins.append((len(gather), len(slots), size))
            layout = group.kernel.layout
            for member in group.members:
                own_q, own_v = self.read_of_q(member), self.local(member, self.layout.v)
                gather += [*own_q, *own_v]
                ways = [*own_q, *(q_size + k for k in own_v), width]  # the last one is time
                given = {**self.instances[member].slots, **dict.fromkeys(layout["modes"], 0.0)}
                names, size = layout["slots"], size + layout["outputs"]
                first = size - len(layout["modes"]) - len(layout["slopes"])
                for k, (of, by) in enumerate(layout["slopes"]):
                    slopes.append((first + len(layout["modes"]) + k, len(switches) + of, ways[by]))
                for k, (mode, kind) in enumerate(layout["modes"].items()):
                    switches.append((len(slots) + names.index(mode), first + k, kind))
                    self.switching.append(self.instances[member].who)
                slots += [given[name] for name in names]
                self._who += [self.instances[member].who] * (len(slots) - len(self._who))
        gather_at, parameters_at, out_at = np.array(begins, dtype=np.int64).reshape(-1, 3).T.copy()
        mode_at, switch_at, switch_kind = np.array(switches, dtype=np.int64).reshape(-1, 3).T.copy()
        slope_at, slope_of, slope_by = np.array(slopes, dtype=np.int64).reshape(-1, 3).T.copy()
        return {
            "kernels": np.array([[g.kernel.address for g in self.groups]], dtype=np.int64),
            "instances": np.array([len(g.members) for g in self.groups], dtype=np.int64),
            "gather": np.array([*gather, 0], dtype=np.int64),
            "gather_at": gather_at,
            "parameters_at": parameters_at,
            "tables": self._put(slots),
            "out_at": out_at,
            "out_size": size,
            "mode_at": mode_at,
            "switch_at": switch_at,
            "switch_kind": switch_kind,
            "slope_at": slope_at,
            "slope_of": slope_of,
            "slope_by": slope_by,
        }

    def _put(self, slots: Sequence[Number]) -> np.ndarray:
        """Separate slots that depend on parameters from constants; return all tables, one after the other, and a 0."""
        tables: list[np.ndarray] = []
        table_at: dict[TableSymbol, int] = {}
        self._constants = np.zeros(len(slots) + 1)
        for k, value in enumerate(slots):
            if isinstance(value, TableSymbol):
                if value not in table_at:
                    table_at[value] = sum(map(len, tables))
                    tables.append(value.table.data)
                self._constants[k] = table_at[value]
            elif isinstance(value, sp.Basic | Computed):
                self._asked.append((k, value))
            else:
                self._constants[k] = value
        return np.concatenate([*tables, [0.0]])
