"""Bounds of friction: μ |b + B f|, with the forces f along all rows in use. Compiled.

The friction of a contact is bounded by its normal force, one of the f. Friction in a joint is bounded by the part of
the reaction that presses its surfaces together: a sum of multipliers, those without contacts plus the effect of f on
them. Friction on a measure has a given bound.
"""

import numpy as np

from ...compiled.contact_records import OPEN, Contacts
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...tolerances import NEGATIVE_FRICTION
from ..mechanism_record import Mechanism

COMPONENTS = 3
"""The number of rows set aside for the normal force of each point."""


@compiled
def put_bounds(mechanism: Mechanism, is_impact: bool) -> None:
    """Put b and B of all points without a gap, by the last responses; b from the multipliers of the last solution. In
    an impact b is 0, for only impulses bound friction there: given forces and earlier multipliers are finite."""
    contacts, multipliers = mechanism.contacts, mechanism.machine.multipliers
    normals = contacts.normals
    for c in range(contacts.gap_row.size):
        for d in range(normals.components[c] if contacts.gap_row[c] < 0 else 0):
            at, rows, b = COMPONENTS * c + d, normals.row_count[c], 0.0
            first = normals.output[c] + d * rows
            for i in range(contacts.delassus.used_count[0]):
                normals.B[at, i] = 0.0
                for r in range(rows):
                    normals.B[at, i] += (
                        normals.factors[first + r] * contacts.delassus.multipliers[i, normals.first_row[c] + r]
                    )
            for r in range(rows):
                b += normals.factors[first + r] * multipliers[normals.first_row[c] + r]
            normals.b[at] = 0.0 if is_impact else b


@compiled
def given(contacts: Contacts, c: int, rests: bool) -> float:
    """Return the bound of a point whose bound is given, of rest if `rests`, else of sliding."""
    return contacts.normals.factors[contacts.normals.output[c] + (1 if rests else 0)]


@compiled
def is_given(contacts: Contacts, c: int) -> bool:
    return contacts.gap_row[c] < 0 and contacts.normals.row_count[c] == 0


@compiled
def note_sizes(contacts: Contacts) -> None:
    """Keep the sizes of friction of the last evaluation; those of open points, and constant ones, become 0."""
    for c in range(contacts.gap_row.size):
        place = contacts.laws.coefficient[c]
        if place < 0 and is_given(contacts, c):
            place = contacts.normals.output[c]
        for k in range(2):
            read = place >= 0 and contacts.state[c] != OPEN
            contacts.laws.sizes[c, k] = contacts.normals.factors[place + k] if read else 0.0


@compiled
def reads_sizes(contacts: Contacts) -> bool:
    """Return whether friction that builds up over a speed, or a point that is not open, has a size that may change."""
    found = contacts.laws.drag_is_force.size > 0
    for c in range(contacts.gap_row.size):
        found = found or (contacts.state[c] != OPEN and (contacts.laws.coefficient[c] >= 0 or is_given(contacts, c)))
    return found


@compiled
def drives(contacts: Contacts, force: float) -> bool:
    """Return whether a size kept by `note_sizes`, or one of friction that builds up over a speed, is negative; `force`
    is the largest force on bodies."""
    laws = contacts.laws
    found = False
    for c in range(contacts.gap_row.size):
        sliding, rest = laws.sizes[c, 0], laws.sizes[c, 1]
        laws.largest_sizes[c] = max(laws.largest_sizes[c], sliding, rest)
        scale = 1.0 if laws.coefficient[c] >= 0 else max(laws.largest_sizes[c], force)
        found = found or min(sliding, rest) < -NEGATIVE_FRICTION * scale
    for d in range(laws.drag_is_force.size):
        laws.largest_drag[d] = max(laws.largest_drag[d], laws.drag[d])
        scale = max(laws.largest_drag[d], force) if laws.drag_is_force[d] == 1 else 1.0
        found = found or laws.drag[d] < -NEGATIVE_FRICTION * scale
    return found


@compiled
def pressure(contacts: Contacts, c: int, forces: Vector) -> float:
    """Return |b + B f| of a joint."""
    square = 0.0
    for d in range(contacts.normals.components[c]):
        part = component(contacts, c, d, forces)
        square += part * part
    return np.sqrt(square)


@compiled
def component(contacts: Contacts, c: int, d: int, forces: Vector) -> float:
    """Return component d of b + B f."""
    at = COMPONENTS * c + d
    part = contacts.normals.b[at]
    for i in range(contacts.delassus.used_count[0]):
        part += contacts.normals.B[at, i] * forces[i]
    return part
