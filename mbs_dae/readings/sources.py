"""Sources of loads: the weight and the inertia of every body, every force, every contact, along a motion.

At a given motion the equations determine the reactions, Φ_vᵀ λ = Q - M v̇, and the right side is a sum:

    Q - M v̇ = Σ weights + Σ inertias + Σ forces + Σ contacts.

The weight of a body is the output of its kernel at rest, its inertia -M v̇ with all velocity terms; a contact adds J_cᵀ
p, with p its forces along the rows of J_c.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.batch import Place
from ..compiled.dynamics import dynamics_instances
from ..compiled.reading import Trajectory
from .teeth import apart, distance_rows, separation

WEIGHT, INERTIA, SEPARATION = "weight of ", "inertia of ", "pressure angle of "


class SourceForces(NamedTuple):
    """The action of one source: the velocities on which it acts, and its forces, (times, columns)."""

    columns: np.ndarray
    forces: np.ndarray


class Masses(NamedTuple):
    """The entries of M over time: their rows and columns, and (times, entries); entries with equal places add up."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


class Sources(NamedTuple):
    pushes: Mapping[str, SourceForces]
    """The forces of the sources, by name."""
    masses: Masses


def sources_of(
    system: System, motion: Trajectory, contacts: np.ndarray, multipliers: np.ndarray | None = None
) -> Sources:
    """Return the sources in Cartesian coordinates. `contacts` are the forces along the rows of contacts, (times, rows);
    the `multipliers` give the separating forces of gears."""
    structure, columns = system.structure, system.structure.columns
    builder = structure.dynamics.batch
    outputs = system.outputs_of(builder, *motion[:3])
    places = {place.member: place for place in builder.places()}
    # Without velocity, the forces on a body are its weight.
    bodies = [*system.model.bodies.values()]
    rest = structure.batch(dynamics_instances(bodies, (), system.model.gravity, structure.coordinates.kernels))
    still = system.outputs_of(rest, motion.t, motion.q, np.zeros_like(motion.v))
    weight_of = {place.member: _push_of(place, still, columns) for place in rest.places()}
    weights, inertias, masses = {}, {}, []
    for k, body in enumerate(system.bodies):
        if body.fixed:
            continue
        place, weight = places[k], weight_of[k]
        # The entries of M of the body, including those above the diagonal.
        entries = [(place.columns[i], place.columns[j], place.out + n) for n, (i, j) in enumerate(place.layout["mass"])]
        entries += [(j, i, at) for i, j, at in entries if i != j]
        i, j, at = np.array([entry for entry in entries if max(entry[:2]) < columns], dtype=int).reshape(-1, 3).T
        mass = Masses(i, j, outputs[:, at])
        if weight.forces.any():
            weights[WEIGHT + body.name] = weight
        if mass.values.any():
            # The inertia is -M v̇, and the velocity terms in the forces of the body.
            push = _push_of(place, outputs, columns)
            parts = [-mass.values * motion.a[:, mass.columns], push.forces, -weight.forces]
            acting = np.concatenate([mass.rows, push.columns, weight.columns])
            inertias[INERTIA + body.name] = SourceForces(acting, np.concatenate(parts, axis=1))
            masses.append(mass)
    first = len(system.bodies)
    forces = {e.name: _push_of(places[first + k], outputs, columns) for k, e in enumerate(system.model.forces)}
    pushes = {**weights, **inertias, **forces, **dict(_contacts(system, motion, contacts))}
    for gear in apart(system) if multipliers is not None and not structure.contacts.separations else ():
        off = -separation(system, gear, multipliers)[:, None] * distance_rows(system, motion, gear)
        pushes[SEPARATION + gear.name] = SourceForces(np.arange(columns), off)
    none = np.zeros(0, dtype=int)
    rows, columns_of_mass, values = zip(Masses(none, none, np.zeros((len(motion.t), 0))), *masses, strict=True)
    whole = Masses(np.concatenate(rows), np.concatenate(columns_of_mass), np.concatenate(values, axis=1))
    return Sources(pushes, whole)


def _push_of(place: Place, outputs: np.ndarray, columns: int) -> SourceForces:
    """Return the forces of an instance; one velocity may occur several times."""
    first = place.out + len(place.layout.get("mass", ()))
    entries = [(place.columns[c], first + k) for k, c in enumerate(place.layout.get("forces", ()))]
    moving = np.array([pair for pair in entries if pair[0] < columns], dtype=int).reshape(-1, 2)
    return SourceForces(moving[:, 0], outputs[:, moving[:, 1]])


def _contacts(system: System, motion: Trajectory, contacts: np.ndarray) -> Iterator[tuple[str, SourceForces]]:
    """Yield J_cᵀ p of each contact and friction, by name."""
    structure = system.structure.contacts
    if not structure.rows:
        return
    reader, every = system.reader_by(structure.program), np.arange(system.structure.columns)
    rows = np.stack([reader.jacobian(t, q).toarray() for t, q in zip(motion.t, motion.q, strict=True)])
    for e in structure.elements:
        at = structure.rows_of[e.name]
        yield e.name, SourceForces(every, np.einsum("tr,trc->tc", contacts[:, at], rows[:, at]))
