"""How a point rubs where it slips: its coefficient and its direction. Compiled."""

import numpy as np

from ...compiled.contact_records import HOLDS
from ...kernels.abi import compiled

AWAY = 1e-12
"""A slip of less than this part of what it is made of has no direction of its own: it has that in which it set out."""


@compiled
def sliding(contacts, c):
    """The coefficient of a point that slips, or whose friction at its bound holds it, at the last evaluation."""
    laws = contacts.laws
    if contacts.choice.departure[c] == HOLDS:
        return resting(contacts, c)
    return laws.friction[c] if laws.coefficient[c] < 0 else contacts.normals.factors[laws.coefficient[c]]


@compiled
def resting(contacts, c):
    """The coefficient of friction of a point that sticks."""
    laws = contacts.laws
    return laws.static[c] if laws.coefficient[c] < 0 else contacts.normals.factors[laws.coefficient[c] + 1]


@compiled
def never_sticks(contacts, c):
    return contacts.laws.smooth[c] != 0.0


@compiled
def drives_apart(contacts, c):
    """Whether a point has a force of the size of friction that acts along its row, whatever the slip is: what drives
    the wheels of a gear apart."""
    return contacts.laws.smooth[c] < 0.0


@compiled
def across(contacts, c, values):
    """The size of what these values along rows are across the normal of a point: of its slip, of its friction."""
    square = 0.0
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        square += values[row] ** 2
    return np.sqrt(square)


@compiled
def speed_of(contacts, c):
    """How fast a point slips."""
    return across(contacts, c, contacts.motion.rate)


@compiled
def direction(contacts, c, k):
    """Component k of the direction in which point c slips: where there is one only that in which it set out, until it
    has stopped; else as it slips, and beyond a stop, where a step is made again, the opposite. In the step that ends
    with it a slip in space goes straight to its stop: on the way it may turn without end, by velocities that cannot be
    seen, and then no implicit equations with its direction have a solution. Of friction that never sticks it is
    s/√(s² + v²)."""
    motion, sliding = contacts.motion, contacts.sliding
    first, speed, onward = contacts.slip[c], speed_of(contacts, c), 0.0
    if drives_apart(contacts, c):
        return -1.0  # friction acts against it
    if never_sticks(contacts, c):
        return motion.rate[first + k] / np.hypot(speed, contacts.laws.smooth[c])
    if contacts.slips[c] == 1:
        return sliding.heading[first]
    for i in range(contacts.slips[c]):
        onward += motion.rate[first + i] * sliding.heading[first + i]
    if speed <= AWAY * contacts.choice.point_pace[c] or sliding.holds_direction[c] != 0:
        return sliding.heading[first + k]
    return motion.rate[first + k] / speed * (1.0 if onward > 0.0 else -1.0)
