"""The parts of a compiled model that do not depend on values of parameters: rows, kernels, index maps, patterns. All
systems of a model share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from math import hypot
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..coordinates import CoordinateSet, JointCoordinates, Layout, coordinate_set
from ..errors import ModelError
from ..kernels.functions import addresses
from ..linear.pattern import Pattern, analyse, analyse_augmented, analyse_tree, groups_of
from ..linear.tree.solve import factorise_tree, solve_tree
from ..model.breaks import switches
from ..model.element import Element
from ..model.fields import Scalar
from ..model.measures import Measure
from ..model.model import Model
from ..model.parameters import Number
from ..symbolic.derive import Reading
from ..symbolic.markers import marker_symbols
from ..tolerances import LIGHT_MASS
from .batch import BatchBuilder, Instance, instance_of
from .contacts import ContactsBuilder
from .dynamics import DynamicsBuilder, dynamics_instances
from .program import ProgramBuilder
from .signals import SignalsBuilder
from .tree.maps import Entries, shape_of, structure_of

FEW = 4
"""The number of latest results that `Remembering.latest` keeps."""


class Groups(NamedTuple):
    """The groups of columns that neither rows nor entries of M join."""

    many: int
    column: np.ndarray
    """The group of each column."""
    held: np.ndarray
    """Whether the group of each column has rows."""

    def largest(self, masses: np.ndarray) -> np.ndarray:
        """Return the largest mass in the group of each column, for one design or for several, one in a row."""
        found = np.zeros((self.many, *masses.shape[:-1]))
        np.maximum.at(found, self.column, masses.T)
        return found[self.column].T

    def are_light(self, masses: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Return, for each column, whether its mass is so small relative to the largest on the diagonal of its group
        that the augmented matrix is needed; False for columns in groups without rows."""
        return self.held & (masses <= LIGHT_MASS * self.largest(diagonal))


class Remembering:
    """A frozen object with a cache of results computed from it."""

    def once(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``make(self, *arguments)``, computed at the first call. Use few different arguments: every result is
        kept as long as the object lives. (If two threads call at the same time, both compute, and one of the results is
        kept.)"""
        return self.kept((make, *arguments), lambda: make(self, *arguments))

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return ``make()``, computed at the first call with this key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def latest(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``make(self, *arguments)`` for arguments without end: only the FEW latest results are kept."""
        return self.lately(make, arguments, lambda: make(self, *arguments))

    def lately(self, what: Any, key: Any, make: Callable[[], Any]) -> Any:
        """Return ``make()`` for this key, of which only the FEW latest results for `what` are kept."""
        for known, made in (kept := self._made.get(what, ())):
            if known == key:
                return made
        made = make()
        self._made[what] = ((key, made), *kept[: FEW - 1])
        return made

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}


@dataclass(frozen=True)
class Row:
    """One scalar equation: its element, its number within the element, and its unit."""

    element: str
    number: int
    unit: str

    @property
    def power(self) -> int:
        """The power of the model's length by which a residual is measured: 0 of rad, 2 of m², else 1."""
        return {"rad": 0, "m²": 2}.get(self.unit.removesuffix("/s"), 1)


Lengths = tuple[float, list[tuple[Any, ...]]]
"""The longest of the constant lengths, and the components of lengths that depend on parameters."""


@dataclass(frozen=True, eq=False)
class Structure(Remembering):
    model: Model
    coordinates: CoordinateSet
    program: ProgramBuilder
    rows: tuple[Row, ...]
    tree: Mapping[str, Any]
    """The options of `Model.compile` for the choice of the tree of joint coordinates."""

    @cached_property
    def of_bodies(self) -> Structure:
        """The structure with the same joint coordinates in which runs solve the equations of bodies
        (`JointCoordinates.deep`)."""
        other = structure_in(self.model, self.coordinates.set, deep=True, **self.tree)
        return replace(other, tree=self.tree)

    @cached_property
    def layout(self) -> Layout:
        return self.coordinates.layout

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The element of each row."""
        return tuple(row.element for row in self.rows)

    @cached_property
    def rows_of(self) -> dict[str, np.ndarray]:
        """The numbers of the rows that belong to each element."""
        found: dict[str, list[int]] = {name: [] for name in self.model.elements}
        for k, row in enumerate(self.rows):
            if row.element in found:
                found[row.element].append(k)
        return {name: np.array(numbers, dtype=int) for name, numbers in found.items()}

    def batch(self, instances: Sequence[Instance]) -> BatchBuilder:
        kernels = self.coordinates.kernels
        return BatchBuilder(instances, kernels, kernels.layout)

    @cached_property
    def with_breaks(self) -> list[Element]:
        """The elements whose laws switch at some times."""
        return [element for element in self.model.elements.values() if switches(element)]

    @cached_property
    def switching(self) -> list[tuple[str, Element]]:
        """The names and elements, among those with breaks, that have equations."""
        return [(element.name, element) for element in self.with_breaks if self.rows_of[element.name].size]

    @cached_property
    def lengths(self) -> Lengths:
        """The lengths whose longest is the model's own length: distances of markers from the origins of their bodies,
        and the lengths among the constants of joints."""
        return self._lengths(fixed=False)

    @cached_property
    def lengths_around(self) -> Lengths:
        """The lengths of fixed things: positions of markers on the ground, and lengths that may be zero, like those of
        springs."""
        return self._lengths(fixed=True)

    @cached_property
    def lengths_of_shapes(self) -> Lengths:
        """The lengths among the constants of contacts, such as radii of shapes."""
        constants = [value for e in self.model.contacts for value, unit in e.constants.values() if unit == "m"]
        return self._split([(value,) for value in constants])

    def _lengths(self, fixed: bool) -> Lengths:
        elements = self.model.elements.values()
        found = [m.point for e in elements for m in e.markers if m.body.fixed is fixed]
        found += [
            (e.values[name],)
            for e in elements
            for name, f in e.fields.items()
            if f.unit == "m" and isinstance(f, Scalar) and f.positive is not fixed
        ]
        return self._split(found)

    def _split(self, found: Sequence[tuple[Number, ...]]) -> Lengths:
        """Return the longest of the lengths of vectors that are numbers, and the vectors that are not."""
        asked = [parts for parts in found if any(isinstance(x, sp.Basic) for x in parts)]
        known = (hypot(*parts) for parts in found if not any(isinstance(x, sp.Basic) for x in parts))
        return max(known, default=0.0), asked

    def quantity_or_none(self, name: str) -> tuple[Measure, int] | None:
        """Return the measure and the level of a quantity of the model by its name. A quantity that exists is cached,
        because every reading of a result looks for quantities."""
        if name not in self._quantities and (found := self.model.quantity_or_none(name)):
            self._quantities[name] = found
        return self._quantities.get(name)

    @cached_property
    def _quantities(self) -> dict[str, tuple[Measure, int]]:
        return {}

    def builder_of(self, measures: Sequence[Measure]) -> ProgramBuilder:
        """Return the program that reads measures."""
        kernels = self.coordinates.kernels
        instances = [instance_of(*m.form(), m.markers, m.label, kernels) for m in measures]
        return ProgramBuilder(self.batch(instances), self.layout.nv)

    @cached_property
    def turning(self) -> BatchBuilder:
        """The readings of the angular velocities of bodies that are not among the velocities and do not follow from
        joints."""
        if isinstance(self.coordinates, JointCoordinates):
            return self.batch([])
        (symbols,) = marker_symbols(1, self.model.dimension)
        flat, omega = self.model.dimension == 2, symbols.omega
        reading = Reading((symbols,), (omega,) if flat else tuple(axis.dot(omega) for axis in symbols.axes))
        kernels = self.coordinates.kernels
        return self.batch([instance_of(reading, {}, (b.origin,), b.name, kernels) for b in self.layout.turned])

    @cached_property
    def dynamics(self) -> DynamicsBuilder:
        """The builder of masses and forces, derived at the first use: kinematics does not need it."""
        model, kernels = self.model, self.coordinates.kernels
        states = [state for state in model.states if not (state.is_held or state.is_late)]
        acting: list[Any] = [*model.forces, *(event for event in model.events if not event.change), *states]
        instances = dynamics_instances([*model.bodies.values()], acting, model.gravity, kernels)
        places = [self.layout.signals[state.symbol] for state in states]
        return DynamicsBuilder(self.batch(instances), kernels.layout.nv, places)

    @cached_property
    def signals(self) -> SignalsBuilder:
        """The builder of inputs and of the rates of states, derived at the first use."""
        model, kernels = self.model, self.coordinates.kernels
        conditions = {condition.name: condition for condition in model.conditions}
        return SignalsBuilder(model.inputs, model.states, self.batch, kernels, self.layout, conditions, self.rows_of)

    @cached_property
    def contacts(self) -> ContactsBuilder:
        return ContactsBuilder(self.model, self.batch, self.coordinates.kernels, self.transformed, self.rows_of)

    @property
    def deciding(self) -> list[str]:
        """The owner of each switching function of a run."""
        contacts = self.contacts
        batches = self.program.batch, self.dynamics.batch, contacts.bounds, contacts.program.batch
        return [*chain.from_iterable(batch.switching for batch in batches), *contacts.switching]

    def entries(self, formed: bool) -> Entries:
        """Return the entries of Φ_v and of M (below its diagonal). In joint coordinates M has none, unless it is
        `formed`."""
        if self.transformed is not None:
            return self.once(_transformed_entries, formed)
        return Entries(*self._jacobian_entries, self.dynamics.block_row, self.dynamics.block_column)

    @property
    def transformed(self) -> JointCoordinates | None:
        """The joint coordinates to which the equations are transformed; None if there are none."""
        chosen = self.coordinates
        return chosen if isinstance(chosen, JointCoordinates) and not chosen.deep else None

    @property
    def columns(self) -> int:
        """The number of columns of Φ_v."""
        return (self.coordinates if self.transformed is not None else self.coordinates.kernels).layout.nv

    @property
    def _jacobian_entries(self) -> tuple[np.ndarray, np.ndarray]:
        if self.transformed is not None:
            return self.entries(False)[:2]
        return self.program.layout["jac_row"], self.program.layout["jac_column"]

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern of the matrix with a diagonal W."""
        return analyse(self.columns, len(self.rows), *self._jacobian_entries)

    @cached_property
    def mass_pattern(self) -> Pattern:
        """The pattern of the matrix with M for W: in joint coordinates M is that of a tree of bodies."""
        if self.transformed is None:
            return self.formed_pattern
        functions = addresses((factorise_tree, solve_tree)).tolist()
        return analyse_tree(shape_of(self.transformed), functions, len(self.rows), *self._jacobian_entries)

    @cached_property
    def formed_pattern(self) -> Pattern:
        """The pattern of the equations with all entries of M."""
        entries = self.entries(formed=True)
        if not entries.block_row.size:
            return self.pattern
        return analyse(self.columns, len(self.rows), *entries)

    def augmented_pattern(self, stiff_rows: tuple[int, ...]) -> Pattern:
        """Return the pattern of the equations with M + Φ_vᵀ C Φ_v, where C is not 0 in these rows (`kkt`)."""
        return self.latest(_augmented_pattern, stiff_rows)

    @cached_property
    def groups(self) -> Groups:
        rows = len(self.rows)
        if self.transformed is None:
            entries = self.entries(formed=True)
        else:
            links = np.array(shape_of(self.transformed).links, dtype=np.int64).reshape(-1, 2).T
            entries = Entries(*self._jacobian_entries, *links)
        many, group = groups_of(self.columns, rows, *entries)
        own, of_rows = np.split(group, [self.columns])
        return Groups(many, own, np.isin(own, of_rows))


def _augmented_pattern(structure: Structure, stiff_rows: tuple[int, ...]) -> Pattern:
    return analyse_augmented(structure.columns, len(structure.rows), *structure.entries(formed=True), stiff_rows)


def _transformed_entries(structure: Structure, formed: bool) -> Entries:
    transformed: Any = structure.transformed
    return structure_of(transformed, structure.program.layout, formed)


def structure_in(model: Model, coordinates: str, **tree: Any) -> Structure:
    """Return the structure of a model in some coordinates: index the bodies, derive or fetch the kernels."""
    if not model.bodies:
        raise ModelError(
            f"model {model.name!r} has no bodies; add one with model.body(name, ...)",
            code="no-bodies", model=model.name,
        )  # fmt: skip
    chosen = coordinate_set(model, coordinates, **tree)
    kernels = chosen.kernels
    instances, rows = [], []
    for element in model.conditions:
        relation, slots = element.form()
        settled = chosen.settled(element)
        kept = [k for k in range(relation.size) if k not in settled]
        if kept:
            instances.append(instance_of(relation.only(kept), slots, element.markers, element.who, kernels))
            rows += [Row(element.name, k, element.units[k]) for k in kept]
    for own in chosen.own_equations():
        who = f"body {own.body.name!r}"
        instances.append(Instance(own.kind, partial(getattr, own, "form"), own.slots, own.owners, who))
        rows += [Row(f"{own.body.name} rigid", k, unit) for k, unit in enumerate(own.units)]
    builder = ProgramBuilder(BatchBuilder(instances, kernels, kernels.layout), kernels.layout.nv, kernels.sharing)
    return Structure(model, chosen, builder, tuple(rows), tree)
