"""Forms on actual markers, gathered by kernel, ready to be evaluated all at once.

A `Batch` is arrays only: the addresses of the kernels, where each instance finds its coordinates and constants, and
where its outputs begin. What the outputs mean is the matter of those who lay them out: `program` for constraints,
`dynamics` for masses and forces, `reading.Reader` for readings.
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
from ..model.parameters import Along, Evaluator, Number, Parameter, Signal, slope_of
from ..model.tables import TableSymbol
from ..symbolic.codegen import kernel_module
from ..symbolic.derive import Composed, Form
from ..symbolic.markers import LABELS

VALUE = 0
"""The level of the values themselves. (Derivatives of them are batches of their own: `slopes`.)"""


class Batch(NamedTuple):
    """What the compiled core reads."""

    kernels: IntegerTable
    """Their addresses, one row a level."""
    instances: Integers
    gather: Integers
    """Per kernel and instance, where its local q (with its signals behind) and v stand."""
    gather_at: Integers
    parameters: Design[Vector]
    parameters_at: Integers
    tables: Design[Vector]
    out_at: Integers
    out_size: int
    mode_at: Integers
    """Where its branches are held (nan: they are free) among the parameters; where the switching functions that decide
    them stand among the outputs; and how they do (`symbolic.branches`)."""
    switch_at: Integers
    switch_kind: Integers
    slope_at: Integers
    """Where the partial derivatives of the switching functions stand, of which function each is, and by what: a place
    in (q, v, t), one after the other."""
    slope_of: Integers
    slope_by: Integers


@compiled_apart
def evaluate(batch: Batch, level: int, t: float, q: Vector, v: Vector, out: Vector):
    """All outputs of all kernels of a level at (t, q, v). q and v include the coordinates of the ground."""
    for g in range(batch.kernels.shape[1]):
        call_one(batch, level, g, t, q, v, out)


@compiled
def call_one(batch, level, g, t, q, v, out):
    """The outputs of one kernel, for all its instances."""
    index, own = batch.gather[batch.gather_at[g] :], out[batch.out_at[g] :]
    parameters = batch.parameters[batch.parameters_at[g] :]
    call_kernel(batch.kernels[level, g], (batch.instances[g], t), (q, v, index, parameters, batch.tables, own))


class WideBatch(NamedTuple):
    """The same for numbers side by side: index maps and tables are those of all lanes, parameters are of each lane."""

    batch: Batch
    kernels: Integers
    """Their addresses, of values."""
    parameters: Lanes
    out: Lanes


def in_lanes(batch: Batch) -> WideBatch | None:
    """Of a batch, to be filled with the parameters of others of the same structure; None where a kernel is a function
    in Python."""
    addresses = [cache.widened(int(address)) for address in batch.kernels[VALUE]]
    if not all(addresses):
        return None
    parameters, out = lanes(batch.parameters.size, batch.out_size + 1)
    return block(WideBatch(batch, np.array(addresses, dtype=np.int64), parameters, out))


@compiled
def evaluate_in_lanes(wide, t, q, v):
    """All outputs at (t, q, v) of each lane, into `wide.out`; t stands in an array of one place."""
    batch = wide.batch
    for g in range(wide.kernels.size):
        index, own = batch.gather[batch.gather_at[g] :], wide.out[batch.out_at[g] :]
        parameters = wide.parameters[batch.parameters_at[g] :]
        arrays = t, q, v, index, parameters, batch.tables, own
        call_kernel(wide.kernels[g], (batch.instances[g],), arrays)


@dataclass(frozen=True)
class Instance:
    """One form on actual markers, with what stands in its slots."""

    meaning: str
    """All that its kernel depends on besides the coordinate set."""
    compose: Callable[[], Composed]
    slots: Mapping[str, Number]
    owners: tuple[Any, ...]
    """Whose coordinates it is in, one after the other: bodies, mostly."""
    who: str
    signals: tuple[Signal, ...] = ()
    """What it reads besides."""
    kernel: Callable[[], cache.Kernel] | None = None
    """Where the kernel comes from if it is not derived."""
    slopes: Callable[[bool], cache.Kernel] | None = None
    """The same for that of its slopes, by the numbers in its slots as well or not."""


def instance_of(
    form: Form, slots: Mapping[sp.Symbol, Number], markers: tuple[Marker, ...], who: str, coordinates: KernelCoordinates
) -> Instance:
    """A form on markers in a coordinate set."""
    maps = [coordinates.marker_map(LABELS[k]) for k in range(len(markers))]
    values = {str(s): n for s, n in slots.items()}
    for mp, marker in zip(maps, markers, strict=True):
        values |= {str(s): n for s, n in zip(mp.slots, coordinates.marker_slots(marker), strict=True)}
    values |= {str(s): n for s, n in reference_turns(form, markers).items()}
    signals = tuple(slots[s] for s in form.signals)
    compose = lru_cache(lambda: form.compose(maps))  # values and their slopes ask for it
    return Instance(form.meaning, compose, values, tuple(m.body for m in markers), who, signals)


@dataclass(frozen=True)
class Group:
    """All instances of one kernel."""

    kernel: cache.Kernel
    members: list[int]


@dataclass(frozen=True)
class Place:
    """Where an instance stands in a batch."""

    member: int
    out: int
    """Where its outputs begin."""
    columns: tuple[int, ...]
    """Where its local velocities stand among those of the system."""
    layout: dict[str, Any]


class Designs(Protocol):
    """Expressions of parameters in many designs: the numbers of all, and what gives those of one."""

    count: int

    def __call__(self, number: Number) -> np.ndarray: ...
    def at(self, k: int) -> Any: ...


class Swept(NamedTuple):
    """A parameter, and the values that it takes one after the other."""

    parameter: Parameter
    values: Sequence[float]


class BatchBuilder:
    """Derives (or fetches) the kernels and lays out the index maps, once; `fill` puts numbers in, again and again."""

    def __init__(self, instances: Sequence[Instance], coordinates: KernelCoordinates, layout: Layout):
        self.instances = list(instances)
        self.coordinates = coordinates
        self.layout = layout
        self.groups = self._grouped()
        self._who: list[str] = []
        """Whose each slot is."""
        self.switching: list[str] = []
        """Whose each switching function is."""
        self._asked: list[tuple[int, Any]] = []
        """The slots that depend on parameters."""
        self._layout = self._laid_out()

    @property
    def out_size(self) -> int:
        """How many outputs there are."""
        return self._layout["out_size"]

    @property
    def room(self) -> int:
        """How many numbers stand in slots, with a place behind them."""
        return self._constants.size

    def fill(self, evaluate: Evaluator) -> Batch:
        """The batch with the values of the parameters put in."""
        return block(Batch(**self._layout, parameters=self.numbers(evaluate)))

    def numbers(self, evaluate: Evaluator) -> np.ndarray:
        """What stands in all slots; with nothing behind it, so that there is always a place."""
        out = self._constants.copy()
        for k, value in self._asked:
            out[k] = value(evaluate) if isinstance(value, Computed) else evaluate(value)
        return self._free(self._finite(out))

    def _free(self, out: np.ndarray) -> np.ndarray:
        """With all branches free."""
        out[..., self._layout["mode_at"]] = np.nan
        return out

    def numbers_along(self, evaluate: Evaluator, parameter: sp.Symbol, values: Sequence[float]) -> np.ndarray:
        """The same for many values of one parameter, row by row."""
        out = np.tile(np.nan_to_num(self.numbers(evaluate)), (len(values), 1))
        for k, value in self._asked:
            if parameter in value.free_symbols:
                out[:, k] = evaluate.along(value, parameter, values)
        return self._free(self._finite(out))

    def slopes(self, evaluate: Evaluator, parameters: Sequence[sp.Symbol]) -> np.ndarray:
        """How they change with parameters: (parameters, slots)."""
        out = np.zeros((len(parameters), len(self._constants)))
        rows = {parameter: row for row, parameter in enumerate(parameters)}
        along = [Along(evaluate, parameter) for parameter in parameters]
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
        """How they change with a parameter, or with another one, at many values of the first, row by row."""
        out, by = np.zeros((len(values), len(self._constants))), parameter if by is None else by
        for k, value in self._asked:
            if by in value.free_symbols:
                out[:, k] = evaluate.along(slope_of(value, by), parameter, values)
        return self._finite(out)

    def numbers_of(self, designs: Designs) -> np.ndarray:
        """The same for many designs, a row for each; nan in rows of designs for which a number has no value."""
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
                f"a number in {self._who[k]} is not a finite real number for these parameters; mend its expression or "
                "the parameters"
            )
        return out

    def places(self) -> Iterator[Place]:
        """Every instance, kernel by kernel."""
        at = 0
        for group in self.groups:
            layout = group.kernel.layout
            for member in group.members:
                yield Place(member, at, self.local(member, self.layout.v), layout)
                at += layout["outputs"]

    def local(self, member: int, places: Mapping[Any, tuple[int, ...]]) -> tuple[int, ...]:
        """The coordinates of all its owners, one after the other."""
        return tuple(place for owner in self.instances[member].owners for place in places[owner])

    def read_of_q(self, member: int) -> list[int]:
        """Where all that it reads of q stands: coordinates, then signals."""
        return [*self.local(member, self.layout.q), *self.signals_of(member)]

    def signals_of(self, member: int) -> list[int]:
        """Where the signals that it reads stand in q."""
        return [self.layout.signals[signal] for signal in self.instances[member].signals]

    def _grouped(self) -> list[Group]:
        groups: dict[str, Group] = {}
        for k, instance in enumerate(self.instances):
            if instance.meaning not in groups:
                groups[instance.meaning] = Group(self._kernel(instance), [])
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
        """Tell the slots that ask for parameters from those that do not; gives back all tables, one after the other."""
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
