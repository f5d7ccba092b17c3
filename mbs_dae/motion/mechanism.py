"""What moves, made ready for runs: the equations of a system with their work space."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sps
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components

from ..compiled import System
from ..compiled.contacts import EVENTS, STEPS, Contacts
from ..compiled.dynamics import Dynamics
from ..compiled.machine import Machine
from ..compiled.masses import mass_matrix
from ..coordinates import JointCoordinates
from ..kernels.blocks import block
from ..kernels.functions import addresses
from ..kernels.images import Image
from ..linear.kkt import new_factor
from ..tolerances import FELT, SHARE, SOFT
from .contact.forces import contact_powers, push
from .contact.guards import RUB, TOUCH
from .contact.impacts import strike
from .contact.keeping import keep_closed
from .contact.kept import find_kept
from .contact.states import choose_states
from .derivative import Mechanism, evaluate, state_layout
from .switching.sliding import return_to_surfaces, slide
from .switching.switches import Switches


def mechanism(system: System, refinements: int = 0, faint: float = 0.0, asks: int = EVENTS) -> Mechanism:
    """Work space for one evaluation after another; every solution is refined at least so often. `asks` is what is asked
    of contacts."""
    return system.once(_image, refinements, faint, asks).new()


def _image(system: System, refinements: int, faint: float, asks: int) -> Image:
    key = refinements, faint, asks
    return image_of_design(system, _image, key, lambda: Image(prototype(system, *key)), numbers_of)


Numbers = Callable[[System], Mapping[str, Any]]
"""What depends on a design, by the paths that lead there: see `Image.filled`."""


def image_of_design(system: System, of: Any, key: Any, make: Callable[[], Image], numbers: Numbers) -> Image:
    """The image for a system. One is made for all designs of a structure and filled with the numbers of each; where
    more than numbers depends on the design it is made anew. A few are kept, with this `key`, of what they are images
    `of`."""
    if (soft := plain_softness(system)) is None:
        return make()
    image = system.structure.lately(of, (key, bool(soft.any())), make)
    return image.filled(numbers(system))


def plain_softness(system: System) -> np.ndarray | None:
    """The `soft` of a system of which all that depends on its design are numbers of kernels, lengths and masses; None
    for others: trees of joints, contacts, and bodies so light that it is to be looked at how they move."""
    if isinstance(system.coordinates, JointCoordinates) or system.structure.contacts.points:
        return None
    soft, light = system.once(_given_for_light)
    return None if light.any() else soft


def numbers_of(system: System) -> dict[str, Any]:
    """What a mechanism has of the design, but for trees of joints and contacts."""
    own, number, weight = system.structure, system.evaluator, system.column_weight
    found = {f"machine.{path}": value for path, value in system.numbers.items()}
    found |= {f"signals.{path}": value for path, value in own.signals.numbers(number).items()}
    return found | {
        "machine.factor.soft": plain_softness(system),
        "dynamics.batch.parameters": own.dynamics.batch.numbers(number),
        "contacts.arm": own.contacts.arms(system.length),
        "geometric": weight,
        "shape.weight": weight,
        "length": system.length,
    }


def forms_masses(system: System, asks: int) -> bool:
    """Whether M has entries in joint coordinates, too: problems of many contacts ask for them."""
    return asks == STEPS and bool(system.structure.contacts.points)


def prototype(system: System, refinements: int, faint: float, asks: int) -> Mechanism:
    parts = _parts(system, faint, asks, forms_masses(system, asks))
    soft = parts.machine.factor.soft[:] = system.once(_softness)
    often = max(refinements, 3 if soft.any() else parts.machine.transformation.deep)
    return block(parts._replace(refinements=often), outputs=parts.dynamics.batch.out_size + 1)


def _parts(system: System, faint: float, asks: int, formed: bool) -> Mechanism:
    """With `formed` M has entries."""
    weight, machine, own = system.column_weight, system.prototype(formed), system.structure
    dynamics = own.dynamics.fill(system.evaluator, inertias=own.transformed is None)  # else trees have them
    state, shape = state_layout(system.layout), new_factor(system.pattern, weight)
    contacts, plain = contacts_of(system, machine, asks), system.pattern
    switches = switches_of(system, machine, dynamics, contacts)
    known = machine, dynamics, system.signals, switches, contacts, state
    return Mechanism(*known, system.length, weight, 0, float(faint), plain, shape)


def contacts_of(system: System, machine: Machine, asks: int) -> Contacts:
    builder, functions = system.structure.contacts, np.zeros(0, dtype=np.int64)
    if builder.points:
        parts = (push, contact_powers, keep_closed, choose_states, strike, find_kept)
        functions = addresses(parts)
    state = system.layout.q_size + system.layout.v_size
    numbers = system.evaluator, machine.transformation, functions, machine.pattern, state, asks, system.length
    return builder.fill(*numbers)


def switches_of(system: System, machine: Machine, dynamics: Dynamics, contacts: Contacts) -> Switches:
    batches = machine.program.batch, dynamics.batch, contacts.bounds, contacts.program.batch
    layout = system.layout
    kinds = np.full(contacts.entries, RUB)
    kinds[contacts.entry] = TOUCH
    kinds = np.concatenate([*(batch.switch_kind for batch in batches), kinds])
    blind = np.concatenate([~np.isin(np.arange(one.switch_at.size), one.slope_of) for one in batches]).astype(np.int64)
    blind = np.append(blind, np.zeros(contacts.entries, dtype=np.int64))
    laws = sum(batch.switch_at.size for batch in batches[:3])
    parts = (slide, return_to_surfaces) if laws else ()  # only laws hold a motion on their surfaces
    functions = addresses(parts)
    bodies, width = system.structure.program.batch.layout, state_layout(layout).size
    ways, own = bodies.q_size + bodies.v_size + 1, 2 * layout.q_size + layout.v_size
    return block(Switches(kinds, functions, blind), switches=kinds.size, laws=laws, ways=ways, own=own, width=width)


def _softness(system: System) -> np.ndarray:
    """What columns of little mass are given for the factorisation, so that rows which they hand on between heavy bodies
    are not lost in roundoff; refinement takes it away. Not where light bodies are free to move by themselves: there it
    is their own mass that counts, and no refinement finds it under one that is larger. Looked at in the placement and
    in poses beside it (always the same ones), where bodies are not in line with their own axes."""
    weight, (soft, light) = system.column_weight, system.once(_given_for_light)
    if not light.any() or not system.rows:
        return np.where(light, 0.0, soft)
    random, free = np.random.default_rng(3), np.zeros(soft.size, dtype=bool)
    bare = block(_parts(system, 0.0, EVENTS, formed=False), outputs=system.dynamics.batch.out_size + 1)
    for far in (0.0, 0.3, 0.3):
        aside = far * system.length * random.standard_normal(system.nv) / np.sqrt(system.weight)
        evaluate(bare, 0.0, system.moved(system.placement, aside), system.still)
        jacobian, mass = bare.machine.factor.jacobian, mass_matrix(system, bare.machine)
        if np.isfinite(jacobian).all() and np.isfinite(mass.data).all():
            free |= _free(bare.machine, mass, soft, weight, light)
    return np.where(free & light, 0.0, soft)


def _given_for_light(system: System) -> tuple[np.ndarray, np.ndarray]:
    """The `soft` of all columns, and those of little mass among them: not those of none."""
    masses = system.masses
    soft = np.maximum(SOFT * (system.heaviest or 1.0) * system.column_weight - masses, 0.0)
    return soft, (soft > 0.0) & (masses > 0.0)


def _free(
    machine: Machine, mass: sps.csr_matrix, soft: np.ndarray, weight: np.ndarray, light: np.ndarray
) -> np.ndarray:
    """The columns that take part in a motion of light bodies by themselves, all others at rest, of which the mass that
    they are given has a large part of the energy: a refinement leaves this part of an error.

    The columns in question are the light ones and those that share a row or an entry of M with them, in groups that
    have no row in common."""
    pattern, factor, n, scale = machine.pattern, machine.factor, soft.size, 1.0 / np.sqrt(weight)
    places = pattern.jac_row, pattern.jac_column
    rows = sps.csr_matrix((factor.jacobian * scale[places[1]], places), (pattern.m, n))
    mass = sps.csr_matrix(sps.diags(scale) @ mass @ sps.diags(scale))
    touching = (abs(rows).T @ abs(rows) + abs(mass)).tocsr()
    near = np.flatnonzero(touching @ light + light)
    free = np.zeros(n, dtype=bool)
    count, group = connected_components(touching[near][:, near])
    for k in range(count):
        columns = near[group == k]
        own = rows[:, columns].toarray()
        squares, motions = np.linalg.eigh(own.T @ own)
        idle = motions[:, squares <= SHARE**2 * max(squares[-1], 1.0)]
        if not idle.size:
            continue
        given = (soft / weight)[columns]
        added = idle.T @ (given[:, None] * idle)
        parts, ways = eigh(added, idle.T @ mass[columns][:, columns].toarray() @ idle + added)
        felt = (np.sqrt(given)[:, None] * (idle @ ways))[:, parts > FELT]
        free[columns] |= (felt**2 > FELT).any(axis=1)
    return free
