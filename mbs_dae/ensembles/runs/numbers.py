"""Compute the numbers that differ between members of a study with equations of one structure, and hold the results of
members while they run.

All numbers equal those that `System` computes for one design, to the last bit. Expressions of parameters are evaluated
for all members at once (`columns`); norms and units follow from the length of each member."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.machine import Machine
from ...coordinates import Cartesian, body_coordinates
from ...errors import MbsError
from ...motion.control import units_by
from ...motion.mechanism_record import Mechanism
from ...motion.members.workspaces import MemberWorkspace, Place, Spans, rows_of
from ...motion.record import IntegratorState
from ...tolerances import EXTENT_SHARE
from .columns import Columns

NO_ARRAYS: Mapping[str, np.ndarray] = {}


@dataclass(frozen=True, eq=False)
class MemberNumbers:
    """The numbers of all members for one system in Cartesian coordinates, one row for each member."""

    system: System
    columns: Columns

    @cached_property
    def program(self) -> np.ndarray:
        return self.system.structure.program.batch.numbers_of(self.columns)

    @cached_property
    def turning(self) -> np.ndarray:
        return self.system.structure.turning.numbers_of(self.columns)

    @cached_property
    def dynamics(self) -> np.ndarray:
        return self.system.structure.dynamics.batch.numbers_of(self.columns)

    @cached_property
    def placement(self) -> np.ndarray:
        """The reference placement of each member, shape (members, q_size)."""
        layout, of_body = self.system.layout, body_coordinates(self.system.model.dimension)
        out = np.zeros((self.columns.count, layout.q_size))
        for body, places in layout.q.items():
            if self.system.model.dimension == 2:
                out[:, list(places)] = np.transpose(of_body.placement(body, self.columns))
                continue
            for k in range(self.columns.count):  # an attitude is computed for one member at a time
                out[k, list(places)] = of_body.placement(body, self.columns.at(k))
        return out

    def _longest(self, lengths: tuple[float, list[tuple[Any, ...]]]) -> list[float]:
        """Return the largest of a number and of the lengths of vectors, for each member."""
        number, vectors = lengths
        columns = [[*map(hypot, *(self.columns(x).tolist() for x in vector))] for vector in vectors]
        return [max(each) for each in zip([number] * self.columns.count, *columns, strict=True)]

    @cached_property
    def lengths(self) -> list[float]:
        """The characteristic length of the model in each design [m]."""

        longest, structure = self._longest, self.system.structure
        lengths = longest(structure.lengths)
        if not all(lengths):
            lengths = [x or float(y) for x, y in zip(lengths, self._reach, strict=True)]
        if not all(lengths):
            lengths = [x or y or 1.0 for x, y in zip(lengths, longest(structure.lengths_around), strict=True)]
        return lengths

    @cached_property
    def _reach(self) -> np.ndarray:
        """The largest absolute coordinate of a body's origin in the reference placement, shape (members,)."""
        system = self.system
        places = [place for body in system.bodies for place in system.layout.q[body][: system.model.dimension]]
        return np.abs(self.placement[:, places]).max(axis=1, initial=0.0)

    @cached_property
    def extents(self) -> list[float]:
        """How far the model reaches from the origin in each design [m]."""
        reach, system = self._reach, self.system
        if system.model.dimension == 2:
            reach = np.maximum(reach, (np.sqrt(self.weights) * np.abs(self.placement[:, : system.nv])).max(axis=1))
        return [length + float(far) for length, far in zip(self.lengths, reach, strict=True)]

    @cached_property
    def gap_sizes(self) -> list[float]:
        """The length to which closed gaps are relative in each design, as `System.gap_size`."""
        structure = self.system.structure
        own = map(max, self._longest(structure.lengths), self._longest(structure.lengths_of_shapes))
        known = zip(own, self.lengths, self.extents, strict=True)
        return [(longest or length) + EXTENT_SHARE * extent for longest, length, extent in known]

    @cached_property
    def all_weights(self) -> np.ndarray:
        """The weights of all velocities, those of bodies at rest after the others, one row for each member."""
        coordinates = self.system.coordinates
        assert isinstance(coordinates, Cartesian)
        return coordinates.weights_by(np.array([length**2 for length in self.lengths])[:, None])

    @cached_property
    def weights(self) -> np.ndarray:
        return np.ascontiguousarray(self.all_weights[:, : self.system.nv])

    @cached_property
    def full_units(self) -> np.ndarray:
        return 1.0 / self.all_weights if self.system.program.losses.rows.size else self.all_weights[:, :0]

    @cached_property
    def units(self) -> np.ndarray:
        return units_by(self.system.layout, self.weights, np.array(self.lengths)[:, None])

    @cached_property
    def masses(self) -> np.ndarray:
        """The mass that each velocity of a body moves while its other velocities are free: see `System.masses`."""
        of_body = body_coordinates(self.system.model.dimension)
        return np.concatenate([of_body.masses_of(body, self.columns) for body in self.system.bodies]).T

    @cached_property
    def diagonal(self) -> np.ndarray:
        of_body = body_coordinates(self.system.model.dimension)
        return np.concatenate([of_body.diagonal_of(body, self.columns) for body in self.system.bodies]).T

    @cached_property
    def heaviest(self) -> np.ndarray:
        return (self.diagonal / self.weights).max(axis=1, initial=0.0)

    @property
    def heavy(self) -> np.ndarray:
        """Whether no body of a member is light or without mass, shape (members,): see `System.has_light_bodies`."""
        masses = self.masses / self.weights
        light = self.system.structure.groups.are_light(masses, self.diagonal / self.weights) | (masses == 0.0)
        return ~light.any(axis=1) & (self.heaviest > 0.0)

    @cached_property
    def finite(self) -> np.ndarray:
        """Whether all numbers of a member are finite, shape (members,)."""
        finite = np.isfinite(self.placement).all(axis=1) & np.isfinite(self.lengths)
        for numbers in (self.program, self.turning):
            finite &= np.isfinite(numbers).all(axis=1)
        return finite

    def member(self, k: int) -> System:
        """Return the system of member k, for computations with this member alone."""
        return replace(self.system, evaluator=self.columns.evaluator(k))

    # --- into workspaces: rows of all members, in the order of `places_of_...` -------------------------------------

    @cached_property
    def of_poses(self) -> np.ndarray:
        return rows_of(self._of_poses)

    @property
    def _of_poses(self) -> list[np.ndarray]:
        arrays = [self.program, self.turning, self.weights, self.weights, self.full_units]
        return [*arrays, np.array(self.lengths), np.array(self.extents), np.array(self.gap_sizes)]

    @cached_property
    def of_motion(self) -> np.ndarray:
        return rows_of(self._of_motion)

    @property
    def _of_motion(self) -> list[np.ndarray]:
        return [*self._of_poses, self.dynamics, self.weights, self.weights, np.array(self.lengths)]

    @cached_property
    def of_run(self) -> np.ndarray:
        return rows_of([*self._of_motion, self.units, self.inertias])

    @property
    def inertias(self) -> np.ndarray:
        return np.array([float(x) * length**2 for x, length in zip(self.heaviest, self.lengths, strict=True)])

    def tell_lengths(self, machine: Machine, k: int) -> None:
        """Set the lengths of member k in Python's view of a workspace, which still has those of the previous member."""
        put(machine, length=self.lengths[k], extent=self.extents[k], gap_size=self.gap_sizes[k])

    def tell_run(self, march: IntegratorState, k: int) -> None:
        """Set the lengths of member k, and the inertia that step control uses, in Python's view of a run."""
        self.tell_lengths(march.mechanism.machine, k)
        put(march.mechanism, length=self.lengths[k])
        put(march.control, inertia=float(self.inertias[k]))


def fitting(workspace: MemberWorkspace, rows: np.ndarray) -> np.ndarray:
    """Return the rows; raise a `ValueError` unless their width is the number of places, which compiled code trusts."""
    if rows.shape[1] != workspace.design.size.sum():
        raise ValueError(f"{rows.shape[1]} numbers of a member for {workspace.design.size.sum()} places")
    return rows


def places_of_poses(machine: Machine) -> list[Place]:
    """Return the places where a workspace for poses holds the numbers of a design."""
    arrays = [machine.program.batch.parameters, machine.manifold.turning.parameters, machine.norm]
    lengths = [(machine, name) for name in ("length", "extent", "gap_size")]
    return [*arrays, machine.factor.weight, machine.full_unit, *lengths]


def places_of_motion(run: Mechanism) -> list[Place]:
    arrays = [run.dynamics.batch.parameters, run.geometric, run.shape.weight]
    return [*places_of_poses(run.machine), *arrays, (run, "length")]


def places_of_run(march: IntegratorState) -> list[Place]:
    return [*places_of_motion(march.mechanism), march.control.unit, (march.control, "inertia")]


def put(block: Any, **numbers: float) -> None:
    """Set scalar fields of a block."""
    for name, number in numbers.items():
        block.put(name, number)


def columns_of(system: System, names: Sequence[str], values: np.ndarray, more: Mapping[str, Any]) -> Columns:
    """Return the parameters of a system: a column of values for each name; `more` has numbers or columns for others."""
    symbols = {p.symbol.name: p.symbol for p in system.model.parameters.values()}
    fixed = {p.symbol: p.value for p in system.model.parameters.values()}
    numbers = dict(zip(names, values.T, strict=True)) | dict(more)
    varied = {symbols[n]: x for n, x in numbers.items() if n in symbols and np.ndim(x)}
    fixed |= {symbols[n]: float(x) for n, x in numbers.items() if n in symbols and not np.ndim(x)}
    return Columns(fixed, {s: x.tolist() for s, x in varied.items()}, len(values))


def sound(system: System, columns: Columns, values: np.ndarray) -> np.ndarray:
    """Return whether the model accepts the parameters of each member, shape (members,)."""
    good, checks = np.isfinite(values).all(axis=1), system.model.checks_of({*columns.varied})
    for k in np.flatnonzero(good).tolist() if checks else ():
        number = columns.at(k)
        try:
            for check in checks:
                check(number)
        except MbsError:
            good[k] = False
    return good


# --- results of members -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MemberRows:
    """The results of members while they run: a row of 64-bit words for each, with views of its arrays by name."""

    words: np.ndarray
    arrays: Mapping[str, np.ndarray]
    """Views of the words with the arrays of the motion by name, one row for each member."""
    counters: Mapping[str, np.ndarray]
    """Views of the words with further arrays of the run by name, one row for each member."""


def rows_for(
    count: int, outcome: Spans, motion: Mapping[str, np.ndarray], run: Mapping[str, np.ndarray] = NO_ARRAYS
) -> MemberRows:  # fmt: skip
    """Return empty rows for `count` members with the spans of `outcome`, of which the first are the given arrays."""
    words, at, arrays = np.empty((count, int(outcome.size.sum())), dtype=np.int64), 0, dict[str, np.ndarray]()
    numbers = words.view(np.float64)
    for name, array in {**motion, **run}.items():
        arrays[name] = numbers[:, at : at + array.size].reshape(count, *array.shape)
        at += array.size
    return MemberRows(words, {name: arrays[name] for name in motion}, {name: arrays[name] for name in run})
