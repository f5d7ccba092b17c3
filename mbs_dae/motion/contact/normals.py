"""Directions of the normal forces in joints with friction. Compiled.

Friction in a joint is μ |N|, with N = b + B f, and has a kink where N passes zero. No step may cross it. So a direction
e of N is held within a step, and friction is

    μ σ |N|,        σ = 1 where e · N >= 0,  -1 beyond.

A normal force of one component has σ |N| = e N, which is linear, on both sides of zero. One of several components has a
smooth σ |N| where all of them vanish at one instant, N ~ (t - t₀) n: the force of a guide or pin whose load keeps its
line and changes its sense. The guard is e · N. Behind an instant at which N vanishes, e turns round; where N has only
turned by a right angle, e is its direction there. Each step that is accepted takes e anew, so N may turn by any angle
in time.

Below `NORMAL_ROUNDOFF` of all loads, N is roundoff, and its guard is positive. The friction that has the
wrong sign there is of that size.
"""

import numpy as np

from ...compiled.contact_records import Contacts
from ...compiled.dynamics import KINETIC
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...linear.vectors import largest
from ...tolerances import NORMAL_ROUNDOFF, TURN_THRESHOLD
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS, component


@compiled
def components(contacts: Contacts, c: int) -> int:
    """Return the number of components of the normal force of point c: 0 for one with a gap, or with a given bound."""
    if contacts.gap_row[c] >= 0 or contacts.normals.row_count[c] == 0:
        return 0
    return contacts.normals.components[c]


@compiled
def sense(contacts: Contacts, c: int, forces: Vector) -> float:
    """Return σ of point c with these forces along rows; 1 where no direction is held."""
    along = 0.0
    for d in range(contacts.normals.components[c]):
        along += contacts.normals.fixed_direction[COMPONENTS * c + d] * component(contacts, c, d, forces)
    return -1.0 if along < 0.0 else 1.0


@compiled
def put_normals(mechanism: Mechanism) -> None:
    """Put the N of all points into `value`, and the size of N that is roundoff into `noise`: a part of the largest
    multiplier, of the largest load on a body, or of m v²/L, which stabilisation makes of the roundoff of positions."""
    contacts, tr, most = mechanism.contacts, mechanism.machine.transformation, 0.0
    normals = contacts.normals
    loads = tr.fc if tr.edges > 0 else mechanism.machine.f
    for c in range(contacts.gap_row.size):
        many, factor = components(contacts, c), 1.0
        if many > 0 and most == 0.0:
            most = 2.0 * mechanism.scalars[KINETIC] / mechanism.machine.extent
            most = max(most, largest(mechanism.machine.multipliers))
            for k in range(min(loads.size, contacts.groups.arm.size)):
                most = max(most, abs(loads[k]) / contacts.groups.arm[k])
        for r in range(many * normals.row_count[c] if many > 0 else 0):
            factor = max(factor, abs(normals.factors[normals.output[c] + r]))
        for d in range(many):
            normals.value[COMPONENTS * c + d] = component(contacts, c, d, contacts.delassus.amount)
        normals.noise[c] = NORMAL_ROUNDOFF * factor * most


@compiled
def size_of_normal(contacts: Contacts, c: int) -> float:
    """Return |N| of point c at the last accelerations."""
    square = 0.0
    for d in range(COMPONENTS * c, COMPONENTS * c + components(contacts, c)):
        square += contacts.normals.value[d] ** 2
    return np.sqrt(square)


@compiled
def guard_of_normal(contacts: Contacts, c: int) -> float:
    """Return e · N plus `noise`: positive until N is below zero by more than roundoff."""
    normals = contacts.normals
    along = 0.0
    for d in range(COMPONENTS * c, COMPONENTS * c + components(contacts, c)):
        along += normals.fixed_direction[d] * normals.value[d]
    return along + normals.noise[c]


@compiled
def note_normals(contacts: Contacts) -> None:
    """Keep the N of the last accelerations, at the end of a step, in `end_value`."""
    normals = contacts.normals
    for d in range(normals.value.size):
        normals.end_value[d] = normals.value[d]


@compiled
def follow_normal(contacts: Contacts, c: int) -> float:
    """Take e from the N at the end of a step, unless N is beyond zero; return the guard there."""
    normals = contacts.normals
    along, square = 0.0, 0.0
    first, end = COMPONENTS * c, COMPONENTS * c + components(contacts, c)
    for d in range(first, end):
        along += normals.fixed_direction[d] * normals.end_value[d]
        square += normals.end_value[d] ** 2
    if along <= 0.0 and holds_side(contacts, c):
        return along + normals.noise[c]
    for d in range(first, end):
        normals.fixed_direction[d] = normals.end_value[d] / np.sqrt(square) if square > 0.0 else 0.0
    return np.sqrt(square) + normals.noise[c]


@compiled
def holds_side(contacts: Contacts, c: int) -> bool:
    """Return whether a direction of point c is held."""
    held = False
    for d in range(COMPONENTS * c, COMPONENTS * c + components(contacts, c)):
        held = held or contacts.normals.fixed_direction[d] != 0.0
    return held


@compiled
def turn_normal(contacts: Contacts, c: int, most: float) -> None:
    """Note that N of point c is at right angles to e: keep -e in `end_value` for the next step, which takes it if N has
    vanished. `most` is the largest guard in this step."""
    normals = contacts.normals
    normals.vanishing_size[c] = max(TURN_THRESHOLD * most, 2.0 * normals.noise[c])
    for d in range(COMPONENTS * c, COMPONENTS * c + components(contacts, c)):
        normals.end_value[d] = -normals.fixed_direction[d]


@compiled
def release_normals(contacts: Contacts) -> None:
    """Hold no direction: friction is μ |N| while states are chosen."""
    contacts.normals.fixed_direction[:] = 0.0


@compiled
def hold_normals(contacts: Contacts, closed: int) -> None:
    """Hold the directions of the last N of all points that slip, whose state is `closed`, for the next step."""
    normals = contacts.normals
    for c in range(contacts.gap_row.size):
        first, end = COMPONENTS * c, COMPONENTS * c + components(contacts, c)
        size = size_of_normal(contacts, c)
        turns = normals.vanishing_size[c] > 0.0 and size <= normals.vanishing_size[c]
        for d in range(first, end):
            normals.fixed_direction[d] = 0.0
            if contacts.state[c] == closed and (turns or size > 0.0):
                normals.fixed_direction[d] = normals.end_value[d] if turns else normals.value[d] / size
        normals.vanishing_size[c] = 0.0
