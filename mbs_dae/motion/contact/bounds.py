"""What bounds friction: μ |b + B f|, from the forces f along all rows that are used. Compiled.

Of a contact it is the normal force, one of the f. Of friction in a joint it is the part of its reaction that presses
its surfaces together: a sum of multipliers, which are those without contacts and what the f add to them. Of friction on
a measure it is given.
"""

import numpy as np

from ...compiled.contact_records import OPEN
from ...kernels.abi import compiled

BOUND = 1e-9
"""Friction is at its bound if it is as near to it as this part."""
COMPONENTS = 3
"""So many rows are set aside for each point."""
NEGATIVE = 1e-9
"""A coefficient of friction is negative below minus this number, and a force of friction below minus this part of the
largest that it has had, or of the forces on bodies. Where |x| turns, steps end within 1e-11 of their
length, so that |x| may be negative by as much."""


@compiled
def put_bounds(mechanism, is_impact):
    """b and B of all points without a gap, by the last responses; b from the multipliers of the last solution. In an
    impact there are but impulses: what is given, or was carried before, bounds none."""
    contacts, multipliers = mechanism.contacts, mechanism.machine.multipliers
    normals = contacts.normals
    for c in range(contacts.gap.size):
        for d in range(normals.components[c] if contacts.gap[c] < 0 else 0):
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
def given(contacts, c, rests):
    """The bound of a point on which it is given."""
    return contacts.normals.factors[contacts.normals.output[c] + (1 if rests else 0)]


@compiled
def is_given(contacts, c):
    return contacts.gap[c] < 0 and contacts.normals.row_count[c] == 0


@compiled
def note_sizes(contacts):
    """Keep the sizes of friction of the last evaluation."""
    for c in range(contacts.gap.size):
        place = contacts.laws.coefficient[c]
        if place < 0 and is_given(contacts, c):
            place = contacts.normals.output[c]
        for k in range(2):
            read = place >= 0 and contacts.state[c] != OPEN
            contacts.laws.sizes[c, k] = contacts.normals.factors[place + k] if read else 0.0


@compiled
def reads_sizes(contacts):
    """Return whether friction that builds up over a speed, or a point that is not open, has a size that may change."""
    found = contacts.laws.drag_is_force.size > 0
    for c in range(contacts.gap.size):
        found = found or (contacts.state[c] != OPEN and (contacts.laws.coefficient[c] >= 0 or is_given(contacts, c)))
    return found


@compiled
def drives(contacts, force):
    """Return whether one of the sizes kept by `note_sizes` is negative, or one of friction that builds up over a speed;
    `force` is the largest one on bodies."""
    laws = contacts.laws
    found = False
    for c in range(contacts.gap.size):
        sliding, rest = laws.sizes[c, 0], laws.sizes[c, 1]
        laws.largest_sizes[c] = max(laws.largest_sizes[c], sliding, rest)
        scale = 1.0 if laws.coefficient[c] >= 0 else max(laws.largest_sizes[c], force)
        found = found or min(sliding, rest) < -NEGATIVE * scale
    for d in range(laws.drag_is_force.size):
        laws.largest_drag[d] = max(laws.largest_drag[d], laws.drag[d])
        scale = max(laws.largest_drag[d], force) if laws.drag_is_force[d] == 1 else 1.0
        found = found or laws.drag[d] < -NEGATIVE * scale
    return found


@compiled
def pressure(contacts, c, forces):
    """|b + B f| of a joint."""
    square = 0.0
    for d in range(contacts.normals.components[c]):
        part = component(contacts, c, d, forces)
        square += part * part
    return np.sqrt(square)


@compiled
def component(contacts, c, d, forces):
    """One item of b + B f."""
    at = COMPONENTS * c + d
    part = contacts.normals.b[at]
    for i in range(contacts.delassus.used_count[0]):
        part += contacts.normals.B[at, i] * forces[i]
    return part
