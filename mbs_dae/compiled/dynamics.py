"""Masses and forces of a system: the places of outputs of kernels in M, Q and the energies."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..coordinates import KernelCoordinates
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import INDEX, Indices, Integers, Vector, block
from ..linear.sums import Sums, put_sums, sum_of, sums_of
from ..model.bodies.body import Body
from ..model.events import Event
from ..model.forces.base import ForceElement
from ..model.forces.loads import PythonForce
from ..model.parameters import Evaluator, Number
from ..model.signals import StateVariable
from ..symbolic.loads import WORKS
from .batch import VALUE, Batch, BatchBuilder, Instance, evaluate, instance_of
from .python_kernel import python_instance

KINETIC, POTENTIAL = 0, 1
POWER = 2
"""The first power among the scalars; powers follow in the order of `WORKS`."""
SCALARS = POWER + len(WORKS)
"""The number of scalars: energies and powers."""


class Dynamics(NamedTuple):
    """Masses, forces, energies and powers, and rates of states, as compiled code reads them."""

    batch: Batch
    weight: Sums
    """The diagonal of M."""
    beside: Sums
    """The entries of M below its diagonal."""
    forces: Sums
    """Q, as sums of outputs."""
    scalar_at: Integers
    """Scalar k is the sum of the outputs scalar_from[scalar_at[k] : scalar_at[k + 1]]: KINETIC, POTENTIAL, or POWER + k
    for the k-th of `WORKS`."""
    scalar_from: Indices
    rate_from: Integers
    """The output that is the rate of each state."""
    rate_to: Integers
    """The place of this rate in q̇."""


@compiled_apart
def evaluate_forces(
    dynamics: Dynamics, t: float, q: Vector, v: Vector, out: Vector, forces: Vector, scalars: Vector
) -> None:
    """Put Q into `forces`, and energies and powers into `scalars`, at (t, q, v). `out` then holds all outputs, masses
    included."""
    evaluate(dynamics.batch, VALUE, t, q, v, out)
    add_forces(dynamics, out, forces, scalars)


@compiled
def add_forces(dynamics: Dynamics, out: Vector, forces: Vector, scalars: Vector) -> None:
    """Put Q, energies and powers from the outputs of the last evaluation."""
    put_sums(dynamics.forces, out, forces)
    for k in range(scalars.size):
        scalars[k] = sum_of(out, dynamics.scalar_from, dynamics.scalar_at[k], dynamics.scalar_at[k + 1])


@compiled_apart
def take_masses(dynamics: Dynamics, out: Vector, weight: Vector, beside: Vector) -> None:
    """Put M, its diagonal and the entries below, from the outputs of the last evaluation."""
    add_masses(dynamics, out, weight, beside)


@compiled
def add_masses(dynamics: Dynamics, out: Vector, weight: Vector, beside: Vector) -> None:
    put_sums(dynamics.weight, out, weight)
    put_sums(dynamics.beside, out, beside)


class DynamicsBuilder:
    """Lay out the index maps of masses and forces once; `fill` puts numbers in."""

    def __init__(self, batch: BatchBuilder, columns: int, states: Sequence[int] = ()):
        """The last instances of the batch are the rates of states; `states` are the places of these rates in q̇."""
        self.batch = batch
        self.columns = columns
        self.states = dict(enumerate(states, len(batch.instances) - len(states)))
        self.block_row, self.block_column, self.layout = self._laid_out()

    def fill(self, evaluate: Evaluator, inertias: bool = True) -> Dynamics:
        """Return the record with its numbers. Without `inertias` the masses, weights and energies of bodies are left
        out: their kernels are not called, and their outputs are not added."""
        batch = self.batch.fill(evaluate)
        if inertias:
            return block(Dynamics(batch=batch, **self._maps))
        own = ["mass" in group.kernel.layout for group in self.batch.groups]
        fields = {name: getattr(batch, name) for name in Batch._fields}
        fields["instances"] = np.where(own, 0, fields["instances"])
        return block(Dynamics(batch=block(Batch(**fields)), **self._maps_of_loads))

    @cached_property
    def pushed(self) -> set[int]:
        """The velocities on which loads other than the inertia of their bodies act."""
        return {*self._loads["force_column"].tolist()}

    @cached_property
    def _loads(self) -> dict[str, Any]:
        """The layout without inertias."""
        places = [place for place in self.batch.places() if "mass" in place.layout]
        inertial = [place.out + k for place in places for k in range(place.layout["outputs"])]
        found = dict(self.layout)
        pairs = ("mass_from", "mass_item"), ("force_from", "force_column"), ("scalar_from", "scalar_kind")
        for source, what in pairs:
            left = ~np.isin(found[source], inertial)
            found[source], found[what] = found[source][left], found[what][left]
        return found

    @cached_property
    def _maps_of_loads(self) -> dict[str, Any]:
        return self._maps_of(self._loads, self.columns if self.pushed else 0)

    @cached_property
    def _maps(self) -> dict[str, Any]:
        return self._maps_of(self.layout, self.columns)

    def _maps_of(self, own: dict[str, Any], pushed: int) -> dict[str, Any]:
        """Return the layout as compiled code reads it, with forces on the first `pushed` velocities."""
        n, nothing = self.columns, self.batch.out_size
        item, source = own["mass_item"], own["mass_from"]
        order = np.argsort(own["scalar_kind"], kind="stable")
        return {
            "weight": sums_of(n, item[item < n], source[item < n], nothing),
            "beside": sums_of(self.block_row.size, item[item >= n] - n, source[item >= n], nothing),
            "forces": sums_of(pushed, own["force_column"], own["force_from"], nothing),
            "scalar_at": np.searchsorted(own["scalar_kind"][order], np.arange(SCALARS + 1)),
            "scalar_from": own["scalar_from"][order].astype(INDEX),
            "rate_from": own["rate_from"],
            "rate_to": own["rate_to"],
        }

    def _laid_out(self) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        beside: dict[tuple[int, int], int] = {}
        masses, forces, scalars, rates = [], [], [], []
        for place in sorted(self.batch.places(), key=lambda place: place.member):
            at, layout = place.out, place.layout
            if "values" in layout:
                rates += [(at, self.states[place.member])] if place.member in self.states else []
                continue
            for row, column in layout.get("mass", ()):
                entry = max(place.columns[row], place.columns[column]), min(place.columns[row], place.columns[column])
                if entry[0] < self.columns:
                    diagonal = entry[0] == entry[1]
                    item = entry[0] if diagonal else self.columns + beside.setdefault(entry, len(beside))
                    masses.append((at, item))
                at += 1
            for column in layout["forces"]:
                if place.columns[column] < self.columns:
                    forces.append((at, place.columns[column]))
                at += 1
            scalars.append((at, POTENTIAL))
            if "mass" in layout:
                scalars.append((at + 1, KINETIC))
            scalars += [(at + 1 + k, POWER + WORKS.index(work)) for k, work in enumerate(layout.get("powers", ()))]
        tables = [np.array(pairs, dtype=np.int64).reshape(-1, 2) for pairs in (masses, forces, scalars, rates)]
        kinds = (("mass", "item"), ("force", "column"), ("scalar", "kind"), ("rate", "to"))
        names = [f"{what}_{which}" for what, second in kinds for which in ("from", second)]
        columns = [column.copy() for table in tables for column in table.T]
        entries = np.array([*beside], dtype=np.int64).reshape(-1, 2)
        return entries[:, 0].copy(), entries[:, 1].copy(), dict(zip(names, columns, strict=True))


def dynamics_instances(
    bodies: Sequence[Body],
    forces: Sequence[ForceElement | Event | StateVariable],
    gravity: tuple[Number, ...],
    coordinates: KernelCoordinates,
) -> list[Instance]:
    """Return the instances of the inertia of every body, then of every force; of events, which exert no force and are
    watched like the branches of forces; and of the rates of states."""
    instances = [_inertia_instance(body, gravity, coordinates) for body in bodies]
    for element in forces:
        if isinstance(element, PythonForce):
            instances.append(python_instance(element, coordinates))
            continue
        form, slots = element.form()
        instances.append(instance_of(form, slots, element.markers, element.who, coordinates))
    return instances


def _inertia_instance(body: Body, gravity: tuple[Number, ...], coordinates: KernelCoordinates) -> Instance:
    form = coordinates.inertia_form(body)
    composed = coordinates.inertia(form)
    slots = dict(zip(map(str, composed.slots), coordinates.inertia_slots(body, gravity), strict=True))
    return Instance(f"inertia {form}", lambda: composed, slots, (body,), f"body {body.name!r}")
