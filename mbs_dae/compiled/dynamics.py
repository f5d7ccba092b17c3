"""Masses and forces of a system, ready to be evaluated: where each output belongs in M, Q and the energies."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..coordinates import KernelCoordinates
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Integers, Vector, block
from ..model.bodies.body import Body
from ..model.events import Event
from ..model.forces.base import ForceElement
from ..model.forces.given import PythonForce
from ..model.parameters import Evaluator, Number
from ..symbolic.loads import WORKS
from .batch import VALUE, Batch, BatchBuilder, Instance, evaluate, instance_of
from .python_kernel import python_instance

KINETIC, POTENTIAL = 0, 1
POWER = 2
"""Where powers begin among the scalars; they follow in the order of `WORKS`."""
SCALARS = POWER + len(WORKS)
"""How many scalars there are."""


class Dynamics(NamedTuple):
    """What the compiled core reads. Masses go to the diagonal of M (items 0 .. n-1) and to its entries beside it."""

    batch: Batch
    mass_from: Integers
    mass_item: Integers
    force_from: Integers
    force_column: Integers
    scalar_from: Integers
    scalar_kind: Integers
    """Energies and powers: each output is added to KINETIC, POTENTIAL, or POWER + k for the k-th of `WORKS`."""


@compiled_apart
def evaluate_forces(dynamics: Dynamics, t: float, q: Vector, v: Vector, out: Vector, forces: Vector, scalars: Vector):
    """Q, and the energies and powers, at (t, q, v). The outputs are left in `out`, with the masses among them."""
    evaluate(dynamics.batch, VALUE, t, q, v, out)
    forces[:] = 0.0
    scalars[:] = 0.0
    for k in range(dynamics.force_from.size):
        forces[dynamics.force_column[k]] += out[dynamics.force_from[k]]
    for k in range(dynamics.scalar_from.size):
        scalars[dynamics.scalar_kind[k]] += out[dynamics.scalar_from[k]]


@compiled_apart
def take_masses(dynamics: Dynamics, out: Vector, weight: Vector, beside: Vector):
    """M from the outputs of the last evaluation."""
    weight[:] = 0.0
    beside[:] = 0.0
    n = weight.size
    for k in range(dynamics.mass_from.size):
        item, value = dynamics.mass_item[k], out[dynamics.mass_from[k]]
        if item < n:
            weight[item] += value
        else:
            beside[item - n] += value


class DynamicsBuilder:
    """The index maps, laid out once; `fill` puts numbers in."""

    def __init__(self, batch: BatchBuilder, columns: int):
        self.batch = batch
        self.columns = columns
        self.block_row, self.block_column, self.layout = self._laid_out()

    def fill(self, evaluate: Evaluator) -> Dynamics:
        return block(Dynamics(batch=self.batch.fill(evaluate), **self.layout))

    def _laid_out(self) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        beside: dict[tuple[int, int], int] = {}
        masses, forces, scalars = [], [], []
        for place in sorted(self.batch.places(), key=lambda place: place.member):
            at, layout = place.out, place.layout
            if "values" in layout:
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
        tables = [np.array(pairs, dtype=np.int64).reshape(-1, 2) for pairs in (masses, forces, scalars)]
        names = ("mass_from", "mass_item", "force_from", "force_column", "scalar_from", "scalar_kind")
        columns = [column.copy() for table in tables for column in table.T]
        entries = np.array([*beside], dtype=np.int64).reshape(-1, 2)
        return entries[:, 0].copy(), entries[:, 1].copy(), dict(zip(names, columns, strict=True))


def dynamics_instances(
    bodies: Sequence[Body],
    forces: Sequence[ForceElement | Event],
    gravity: tuple[Number, ...],
    coordinates: KernelCoordinates,
) -> list[Instance]:
    """The inertia of every body, then every force; and events, which act on nothing and are watched like the branches
    of forces."""
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
