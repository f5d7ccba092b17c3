"""The equations of a system with their work space, ready for runs."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.contact_records import ContactCalls, Contacts
from ..compiled.contacts import EVENTS, GIVEN, STEPS
from ..compiled.dynamics import Dynamics
from ..compiled.machine import Machine
from ..coordinates import JointCoordinates
from ..kernels.blocks import block
from ..kernels.functions import addresses, call_table
from ..kernels.images import Image
from ..linear.kkt import new_factor
from ..model.bodies.body import Body
from ..tolerances import MASS_CONTRAST
from .contact.constrained import find_constrained_held
from .contact.forces import contact_powers, push
from .contact.guards import PRESS, RUB, TOUCH
from .contact.impacts import strike
from .contact.keeping import keep_closed
from .contact.states import choose_states
from .mechanism_record import Mechanism, Switches, state_layout
from .switching.sliding import return_to_surfaces, slide


def mechanism(system: System, refinements: int = 0, faint: float = 0.0, asks: int = EVENTS) -> Mechanism:
    """Return work space for repeated evaluations, with at least this many refinements of every solution. `asks` tells
    what contacts are needed for."""
    return system.once(_image, refinements, faint, asks).new()


def _image(system: System, refinements: int, faint: float, asks: int) -> Image:
    key = refinements, faint, asks
    return image_of_design(system, _image, key, lambda: Image(prototype(system, *key)), numbers_of)


Numbers = Callable[[System], Mapping[str, Any]]
"""The numbers that depend on a design, by the paths to them: see `Image.filled`."""


def image_of_design(system: System, of: Any, key: Any, make: Callable[[], Image], numbers: Numbers) -> Image:
    """Return the image for a system. One is made for all designs of a structure and filled with the numbers of each;
    where more than numbers depends on the design it is made anew. A few are kept for each `key` and function `of`."""
    if isinstance(system.coordinates, JointCoordinates) or system.structure.contacts.points:
        return make()
    image = system.structure.lately(of, (key, system.has_light_bodies, system.stiff_rows), make)
    return image.filled(numbers(system))


def numbers_of(system: System) -> dict[str, Any]:
    """Return the numbers of a mechanism that depend on the design, without trees of joints and contacts."""
    own, number, weight = system.structure, system.evaluator, system.column_weight
    found = {f"machine.{path}": value for path, value in system.numbers.items()}
    found |= {f"signals.{path}": value for path, value in own.signals.numbers(number).items()}
    return found | {
        "machine.factor.compliance": system.compliance,
        "dynamics.batch.parameters": own.dynamics.batch.numbers(number),
        "contacts.groups.arm": own.contacts.arms(system.length),
        "contacts.groups.lightest": np.zeros(0),
        "contacts.groups.heaviest": np.zeros(0),
        "contacts.groups.column_mass": np.zeros(0),
        "contacts.laws.drag_sizes.parameters": own.contacts.drag_sizes.numbers(number),
        "geometric": weight,
        "shape.weight": weight,
        "length": system.length,
    }


def forms_masses(system: System, asks: int) -> bool:
    """Return whether M has entries even in joint coordinates: problems of many contacts and light bodies need them."""
    return system.has_light_bodies or (asks == STEPS and bool(system.structure.contacts.points))


def prototype(system: System, refinements: int, faint: float, asks: int) -> Mechanism:
    parts = _parts(system, faint, asks, forms_masses(system, asks))
    often = max(refinements, parts.machine.transformation.deep)
    return block(parts._replace(refinements=often), outputs=parts.dynamics.batch.out_size + 1)


def _parts(system: System, faint: float, asks: int, formed: bool) -> Mechanism:
    """Return the parts of a mechanism; with `formed` M has entries."""
    weight, own = system.column_weight, system.structure
    machine = system.augmented_prototype if system.has_light_bodies else system.prototype(formed)
    dynamics = own.dynamics.fill(system.evaluator, inertias=own.transformed is None)  # else trees have them
    state, shape = state_layout(system.layout), new_factor(system.pattern, weight)
    contacts, plain = contacts_of(system, machine, asks), system.pattern
    switches = switches_of(system, machine, dynamics, contacts)
    known = machine, dynamics, system.signals, switches, contacts, state
    return Mechanism(*known, system.length, weight, 0, float(faint), plain, shape)


def contacts_of(system: System, machine: Machine, asks: int) -> Contacts:
    builder, calls = system.structure.contacts, ContactCalls(0, 0, 0, 0, 0, 0)
    if builder.points:
        parts = push, contact_powers, keep_closed, choose_states, strike, find_constrained_held
        calls = call_table(ContactCalls, *parts)
    state = system.layout.q_size + 2 * system.layout.v_size
    numbers = system.evaluator, machine.transformation, calls, machine.pattern, state, asks, system.length
    masses, own = masses_of(system), np.zeros(0)
    if builder.points and asks != GIVEN:
        own = system.diagonal / system.column_weight
    present = np.concatenate([own, np.ravel([*masses.values()])])
    present = present[present > 0.0]
    far = bool(present.size) and bool(present.min() < MASS_CONTRAST * present.max())
    return builder.fill(*numbers, masses, own, system.structure.groups.column, far)


def masses_of(system: System) -> dict[Body, tuple[float, float]]:
    """Return of all bodies the mass, and the largest moment of inertia over the squared length of the model."""
    number, square = system.evaluator, system.length**2
    return {
        body: (
            float(number(body.mass)),
            max(float(number(one)) for one in np.ravel(np.array(body.inertia, object))) / square,
        )
        for body in system.bodies
    }


def switches_of(system: System, machine: Machine, dynamics: Dynamics, contacts: Contacts) -> Switches:
    points = contacts.points
    batches = machine.program.batch, dynamics.batch, contacts.normals.readings, contacts.program.batch
    layout = system.layout
    kinds = np.full(points.entries, RUB)
    kinds[points.entry] = TOUCH
    kinds[system.structure.contacts.normal_entries] = PRESS
    kinds = np.concatenate([*(batch.switch_kind for batch in batches), kinds])
    blind = np.concatenate([~np.isin(np.arange(one.switch_at.size), one.slope_of) for one in batches]).astype(np.int64)
    blind = np.append(blind, np.zeros(points.entries, dtype=np.int64))
    watched = {event.who for event in system.model.events if not event.change}
    of_events = np.array([who in watched for who in system.structure.deciding], dtype=np.int64)
    laws = sum(batch.switch_at.size for batch in batches[:3])
    parts = (slide, return_to_surfaces) if laws else ()  # only laws hold a motion on their surfaces
    functions = addresses(parts)
    bodies, width = system.structure.program.batch.layout, state_layout(layout).size
    ways, own = bodies.q_size + bodies.v_size + 1, 2 * layout.q_size + layout.v_size
    known = kinds, functions, blind, of_events, laws - int(of_events.sum())
    return block(Switches(*known), switches=kinds.size, laws=laws, ways=ways, own=own, width=width)
