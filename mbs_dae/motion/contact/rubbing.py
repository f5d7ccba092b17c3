"""Coefficients and directions of friction. Compiled."""

import numpy as np

from ...compiled.contact_records import HOLDS, Contacts
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...tolerances import SLIP_FLOOR


@compiled
def kinetic_coefficient(contacts: Contacts, c: int) -> float:
    """Return the coefficient of friction of a point that slips, or whose friction at its bound holds it, at the last
    evaluation."""
    laws = contacts.laws
    if contacts.choice.departure[c] == HOLDS:
        return static_coefficient(contacts, c)
    return laws.friction[c] if laws.coefficient[c] < 0 else contacts.normals.factors[laws.coefficient[c]]


@compiled
def static_coefficient(contacts: Contacts, c: int) -> float:
    """Return the coefficient of friction of a point that sticks."""
    laws = contacts.laws
    return laws.static[c] if laws.coefficient[c] < 0 else contacts.normals.factors[laws.coefficient[c] + 1]


@compiled
def never_sticks(contacts: Contacts, c: int) -> bool:
    return contacts.laws.smooth[c] != 0.0


@compiled
def drives_apart(contacts: Contacts, c: int) -> bool:
    """Return whether the force of a point has the size of friction and acts along its row whatever the slip is, like
    the force that separates the wheels of a gear."""
    return contacts.laws.smooth[c] < 0.0


@compiled
def across(contacts: Contacts, c: int, values: Vector) -> float:
    """Return the length of the tangential part of these values along rows, such as the slip or the friction of a
    point."""
    square = 0.0
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        square += values[row] ** 2
    return np.sqrt(square)


@compiled
def speed_of(contacts: Contacts, c: int) -> float:
    """Return the speed of the slip of a point."""
    return across(contacts, c, contacts.motion.rate)


@compiled
def direction(contacts: Contacts, c: int, k: int) -> float:
    """Return component k of the direction of the slip of point c: its heading in the plane, and where the slip is too
    small or its direction is held; else the direction of the present slip, reversed beyond a stop, where a step is made
    again. In the step that ends with it a slip in space goes straight to its stop: otherwise it may turn without end,
    by velocities that cannot be seen, and implicit equations with its direction have no solution. Friction that never
    sticks has s/√(s² + v²)."""
    motion, sliding = contacts.motion, contacts.sliding
    first, speed, onward = contacts.slip_row[c], speed_of(contacts, c), 0.0
    if drives_apart(contacts, c):
        return -1.0  # friction acts against this direction
    if never_sticks(contacts, c):
        return motion.rate[first + k] / np.hypot(speed, contacts.laws.smooth[c])
    if contacts.slip_count[c] == 1:
        return sliding.heading[first]
    for i in range(contacts.slip_count[c]):
        onward += motion.rate[first + i] * sliding.heading[first + i]
    if not turns_with_slip(contacts, c):
        return sliding.heading[first + k]
    return motion.rate[first + k] / speed * (1.0 if onward > 0.0 else -1.0)


@compiled
def turns_with_slip(contacts: Contacts, c: int) -> bool:
    """Return whether the direction of a slip in space turns with the slip, and is not held."""
    is_seen = speed_of(contacts, c) > SLIP_FLOOR * contacts.choice.point_pace[c]
    return is_seen and contacts.sliding.holds_direction[c] == 0
