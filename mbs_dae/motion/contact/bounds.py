"""What bounds friction: μ |b + B f|, from the forces f along all rows that are used. Compiled.

Of a contact it is the normal force, one of the f. Of friction in a joint it is the part of its reaction that presses
its surfaces together: a sum of multipliers, which are those without contacts and what the f add to them. Of friction on
a measure it is given.
"""

import numpy as np

from ...kernels.abi import compiled

BOUND = 1e-9
"""Friction is at its bound if it is as near to it as this part."""
COMPONENTS = 3
"""So many rows are set aside for each point."""


@compiled
def put_bounds(mechanism, is_impact):
    """b and B of all points without a gap, by the last responses; b from the multipliers of the last solution. In an
    impact there are but impulses: what is given, or was carried before, bounds none."""
    contacts, multipliers = mechanism.contacts, mechanism.machine.multipliers
    for c in range(contacts.gap.size):
        for d in range(contacts.bound[c] if contacts.gap[c] < 0 else 0):
            at, rows, b = COMPONENTS * c + d, contacts.bound_rows[c], 0.0
            first = contacts.bound_from[c] + d * rows
            for i in range(contacts.size[0]):
                contacts.B[at, i] = 0.0
                for r in range(rows):
                    contacts.B[at, i] += contacts.factors[first + r] * contacts.answer[i, contacts.bound_row[c] + r]
            for r in range(rows):
                b += contacts.factors[first + r] * multipliers[contacts.bound_row[c] + r]
            contacts.b[at] = 0.0 if is_impact else b


@compiled
def given(contacts, c, rests):
    """The bound of a point on which it is given."""
    return contacts.factors[contacts.bound_from[c] + (1 if rests else 0)]


@compiled
def is_given(contacts, c):
    return contacts.gap[c] < 0 and contacts.bound_rows[c] == 0


@compiled
def pressure(contacts, c, forces):
    """|b + B f| of a joint."""
    square = 0.0
    for d in range(contacts.bound[c]):
        part = component(contacts, c, d, forces)
        square += part * part
    return np.sqrt(square)


@compiled
def component(contacts, c, d, forces):
    """One item of b + B f."""
    at = COMPONENTS * c + d
    part = contacts.b[at]
    for i in range(contacts.size[0]):
        part += contacts.B[at, i] * forces[i]
    return part
