"""Φ, Φ_v, ν and γ of a system on boxes, by the kernels that the solver runs.

A box is a lane: time, coordinates and velocities are intervals, many side by side. The numbers in the slots (lengths,
places of markers) are double numbers, taken as exact: a proof holds for the mechanism with exactly these numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.batch import VALUE
from ..compiled.program import tells_positions
from ..errors import ModelError, counted
from ..kernels import cache
from .functions import NAMES
from .intervals import Bounds, Interval, hull, interval
from .laws import Decisions, compare
from .sources import code_of

ROOM = 2_000_000
"""Largest number of entries of matrices that are evaluated side by side."""
PHI, JACOBIAN, NU, GAMMA = "phi", "jacobian", "nu", "gamma"


@dataclass(frozen=True, eq=False)
class Enclosure:
    """Requested quantities of all rows, lane by lane: (lanes, rows), and Φ_v (lanes, rows, columns); the others are
    empty."""

    phi: Interval
    jacobian: Interval
    nu: Interval
    gamma: Interval
    switching: Bounds
    """Lanes in which a law of time may switch: values hold at each time, but slopes in time do not."""
    refused: Bounds
    """Lanes in which a law of the state may switch: nothing is known."""


@dataclass(frozen=True, eq=False)
class IntervalEquations:
    """Rows of a Cartesian system that constrain positions."""

    system: System
    rows: np.ndarray
    """Numbers of these rows in the system."""
    entries: np.ndarray
    """Outputs, rows and columns of the entries of Φ_v; entries of one place are added."""
    outputs: dict[str, np.ndarray] = field(repr=False)
    """Outputs of Φ, ν and γ, by name."""

    @property
    def scale(self) -> np.ndarray:
        """Unit of each coordinate of a box: 1 for lengths, 1 over the model's own length for turns."""
        return 1.0 / np.sqrt(self.system.weight)

    @property
    def at_once(self) -> int:
        """The number of lanes that are evaluated side by side."""
        return max(1, ROOM // (len(self.rows) * self.system.nv))

    def enclose(self, t: Interval, q: Interval, v: Interval | None, names: Collection[str]) -> Enclosure:
        """Enclose the requested quantities over boxes: t is (lanes,), q and v are (coordinates, lanes)."""
        lanes = q.shape[1]
        decisions = Decisions(lanes, self.system.length)
        outputs = self._outputs(t, q, v, names, decisions)
        nothing = Interval(np.zeros((lanes, 0)))
        parts = {name: outputs[at].transposed() if name in names else nothing for name, at in self.outputs.items()}
        jacobian = self._jacobian(outputs, lanes) if JACOBIAN in names else nothing
        return Enclosure(parts[PHI], jacobian, parts[NU], parts[GAMMA], decisions.switching, decisions.refused)

    def _jacobian(self, outputs: Any, lanes: int) -> Interval:
        source, row, column = self.entries
        shape = (len(self.rows), self.system.nv, lanes)
        lower, upper = np.zeros(shape), np.zeros(shape)
        place = row * self.system.nv + column
        _, first = np.unique(place, return_index=True)
        lower[row[first], column[first]] = outputs.lower[source[first]]
        upper[row[first], column[first]] = outputs.upper[source[first]]
        for k in np.setdiff1d(np.arange(place.size), first):
            at = row[k], column[k]
            total = Interval(lower[at], upper[at]) + outputs[source[k]]
            lower[at], upper[at] = total.lower, total.upper
        return Interval(np.ascontiguousarray(np.moveaxis(lower, 2, 0)), np.ascontiguousarray(np.moveaxis(upper, 2, 0)))

    def _outputs(self, t: Interval, q: Interval, v: Interval | None, names: Collection[str], decisions: Any) -> Any:
        batch, lanes = self.system.program.batch, q.shape[1]
        outputs = np.zeros(batch.out_size + 1, dtype=bool)
        for name, places in self.outputs.items():
            outputs[places] = name in names
        outputs[self.entries[0]] = JACOBIAN in names
        out = _Outputs(np.zeros((batch.out_size + 1, lanes)))
        ends = [*batch.out_at[1:], batch.out_size]
        for g, instances in enumerate(batch.instances):
            first, size = int(batch.out_at[g]), (ends[g] - batch.out_at[g]) // instances
            group_outputs = outputs[first : first + size * instances].reshape(instances, size).any(axis=0)
            if group_outputs.any():
                self._evaluate(g, first, frozenset(np.flatnonzero(group_outputs).tolist()), (t, q, v), decisions, out)
        return out

    def _evaluate(self, g: int, first: int, outputs: frozenset[int], at: Any, decisions: Decisions, out: Any) -> None:
        """Evaluate one kernel for all its instances; where an interval may lie in one of two periods, in both."""
        batch, (t, q, v) = self.system.program.batch, at
        instances = int(batch.instances[g])
        ends = [*batch.gather_at[1:], batch.gather.size - 1]
        width = int((ends[g] - batch.gather_at[g]) // instances)  # entries of `gather` for each instance
        places = batch.gather[batch.gather_at[g] :][: width * instances].reshape(instances, width)
        ends = [*batch.parameters_at[1:], batch.parameters.size - 1]
        slots = (ends[g] - batch.parameters_at[g]) // instances
        numbers = batch.parameters[batch.parameters_at[g] :][: slots * instances].reshape(instances, slots)
        source, structure = cache.source_of(int(batch.kernels[VALUE, g])), self.system.structure.program.batch
        layout = structure.groups[g].kernel.layout
        codes = [(code_of(source, outputs), True)]
        if layout["modes"]:  # the state chooses between branches: values must not jump, slopes may
            values = frozenset(range(layout["phi"]))
            codes = [(code_of(source, values), True), (code_of(source, outputs - values), False)]
        size = (([*batch.out_at[1:], batch.out_size])[g] - first) // instances
        names = {
            **NAMES, **decisions.names(), "compare": compare, "t": t, "q": _Gathered(q, places), "index": range(width),
            "v": _Gathered(v, places), "parameters": _Slots(numbers), "tables": batch.tables,
        }  # fmt: skip
        for later in (False, True):
            results: dict[int, Any] = {}
            for code, decisions.strict in codes:
                decisions.begin(later)
                try:
                    exec(code, {**names, "out": results})
                except TypeError as exc:
                    who = structure.instances[structure.groups[g].members[0]].who
                    raise ModelError(
                        f"nothing can be proven of {who}: {exc}; write its law with other functions",
                        code="not-provable", reason=str(exc), subject=who,
                    ) from exc  # fmt: skip
            for k, value in results.items():
                out.put(first + k + size * np.arange(instances), interval(value), later)
            if not decisions.between.any():
                return
        decisions.between[:] = False


class _Gathered:
    """Coordinates that a kernel reads as ``q[index[from_ + k]]``: the k-th of each instance, in each lane."""

    def __init__(self, values: Interval | None, places: np.ndarray):
        self.values, self.places = values, places

    def __getitem__(self, k: int) -> Interval:
        assert self.values is not None
        return self.values[self.places[:, k]]


class _Slots:
    """Numbers that a kernel reads as ``parameters[const + k]``: one for each instance, equal in all lanes."""

    def __init__(self, numbers: np.ndarray):
        self.numbers = numbers

    def __getitem__(self, k: int) -> Interval:
        return Interval(self.numbers[:, k : k + 1])


class _Outputs:
    def __init__(self, lower: Bounds):
        self.lower, self.upper = lower, lower.copy()

    def put(self, at: np.ndarray, value: Interval, join: bool) -> None:
        if join:
            value = hull(value, Interval(self.lower[at], self.upper[at]))
        self.lower[at], self.upper[at] = value.lower, value.upper

    def __getitem__(self, at: Any) -> _Part:
        return _Part(self.lower[at], self.upper[at])


class _Part(Interval):
    __slots__ = ()

    def transposed(self) -> Interval:
        return Interval(self.lower.T, self.upper.T)


def equations_of(system: System) -> IntervalEquations:
    """Return the equations of the bodies in Cartesian coordinates, whatever the system's own are."""
    return system.cartesian.once(_equations)


def _equations(system: System) -> IntervalEquations:
    program, layout = system.program, system.structure.program.layout
    for instance in system.structure.program.batch.instances:
        if instance.signals:
            what = (
                f"{instance.who} reads {', '.join(sorted(map(str, instance.signals)))}, which has equations of its own"
            )
            raise ModelError(
                f"{what}, and nothing is proven of these; write a number or a function of time for it",
                code="not-provable", instance=instance.who,
            )  # fmt: skip
    rows = np.flatnonzero(tells_positions(program))
    place = np.cumsum(tells_positions(program)) - 1
    row, column = layout["jac_row"][layout["jac_to"]], layout["jac_column"][layout["jac_to"]]
    mask = np.isin(row, rows)
    entries = np.array([layout["jac_from"][mask], place[row[mask]], column[mask]])
    sources = {PHI: layout["phi_from"], NU: layout["nu_from"], GAMMA: layout["gamma_from"]}
    return IntervalEquations(system, rows, entries, {name: np.asarray(at)[rows] for name, at in sources.items()})


def check_driven(equations: IntervalEquations) -> None:
    """Raise a `ModelError` if there are fewer equations than freedoms, or if no body moves."""
    system, rows = equations.system, len(equations.rows)
    if not system.nv:
        raise ModelError(
            f"no body of {system.model.name!r} moves: there is nothing to be proven",
            code="nothing-moves", model=system.model.name,
        )  # fmt: skip
    if rows < system.nv:
        freedoms = system.nv - rows
        what = f"{system.model.name!r} has {counted(freedoms, 'degree')} of freedom left, so no pose is the only one"
        rolling = len(system.rows) - rows
        also = (
            f" ({counted(rolling, 'equation')} of velocities alone say nothing of where bodies are)" if rolling else ""
        )
        raise ModelError(
            f"{what}{also}; drive it, e.g. mbs.Driver('motor', mbs.angle(i, j), omega * mbs.t), or fix it",
            code="undriven-freedom", model=system.model.name, freedoms=freedoms,
        )  # fmt: skip
