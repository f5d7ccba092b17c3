"""Slips in space that begin from rest. Compiled.

Where friction at its bound all but holds, a slip begins as slowly as the load grows. Its direction is then not free: it
is drawn, at the rate w μ N/|s|, into the one in which friction balances nearly everything; this rate is infinite where
s = 0 (w: the acceleration of the slip by friction). A step that does not resolve this rate has friction from all
directions in turn, and a point that should slip stands still, within any tolerance. The limit of the law is known,
though:

    f = -μ N ṡ/|ṡ|,     or     ṡ + w d f/|f| = 0,   |f| = μ N

with one more unknown d, the force by which friction falls short. This law is smooth, even where d = 0, and as long as
ṡ and s have one direction both laws are the same. Where a force grows in a time T, and turns, friction at ρT after the
onset has the same direction by both laws, up to ρ²; s has not, and turns there as soon as it is drawn. Velocities are
right to ρ⁴. At ρ = `RISEN` the law of s takes over, with rates that explicit steps can follow (`longest`).
"""

import numpy as np

from ...compiled.contact_records import CLOSED, INCIPIENT, OPEN, Contacts
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...linear.vectors import dot
from ...tolerances import (
    ANGLE_ROUNDOFF,
    CREEP_DEVIATION,
    CREEP_SPEED,
    DIRECTION_CURVATURE,
    FRICTION_TOLERANCE,
    PARALLEL_ANGLE,
    TURN_ANGLE,
)
from .rubbing import across, kinetic_coefficient, never_sticks, speed_of

RISEN, FAR = 5e-3, 0.5
"""A slip is incipient while friction falls short by less than the first part of its size; and, while slip and
acceleration are parallel, by less than the second: rates are then no larger than those of all else."""
OFTEN = 20.0
"""The number of steps that resolve the direction of a creeping slip, over which it has to go straight on."""
ENDS, STRAIGHT = 1, 2
"""Reasons for which the direction of a slip is held over a step."""
STABLE = 2.0
"""The length of an explicit step over the time in which friction alone would end a slip: less than the intervals of
stability of all methods."""


@compiled
def falls_short(contacts: Contacts, c: int, size: float) -> float:
    """Return the part of its size by which friction falls short of its bound; 0 if it has no size."""
    return max(contacts.sliding.friction_deficit[c] / size, 0.0) if size > 0.0 else 0.0


@compiled
def put_incipient(contacts: Contacts, c: int, number: int, column: int) -> None:
    """Add Newton's equations of a slip that begins, without the terms of W: its forces are in use from `number` on, its
    N is unknown `column`, followed by its forces along slips, and d. The limit of Newton's method does not depend on
    the curvature of directions. So a little is added to it, and forces of several points across their slips whose sum
    is zero, on which W has no effect, stay as they are."""
    slips, size, w = contacts.slip_count[c], 0.0, 0.0
    last, amount, matrix = column + 1 + slips, contacts.delassus.amount, contacts.equations.matrix
    for k in range(slips):
        size += amount[number + k] ** 2
    size = np.sqrt(size)
    towards = contacts.sliding.friction_direction[contacts.slip_row[c] :]
    for k in range(slips):
        own = amount[number + k] / size if size > 0.0 else -contacts.sliding.heading[contacts.slip_row[c] + k]
        towards[k] = own
    for k in range(slips):
        for j in range(slips):
            w += towards[k] * contacts.delassus.W[number + k, number + j] * towards[j]
    bends = w * (DIRECTION_CURVATURE + falls_short(contacts, c, size))
    for k in range(slips):
        for j in range(slips):
            matrix[column + 1 + k, column + 1 + j] += bends * ((1.0 if j == k else 0.0) - towards[k] * towards[j])
        matrix[column + 1 + k, last] += w * towards[k]
        matrix[last, column + 1 + k] = w * towards[k]
    matrix[last, column] = -w * kinetic_coefficient(contacts, c)


@compiled
def beyond(contacts: Contacts, c: int, normal: float) -> float:
    """Return the difference between the friction of an incipient slip and its bound."""
    return abs(across(contacts, c, contacts.force) - kinetic_coefficient(contacts, c) * normal)


@compiled
def friction_update_weight(contacts: Contacts) -> float:
    """Return the part, 0 to 1, of a change of held friction forces that reaches the accelerations: where a slip begins
    the direction of friction turns with the force. It is 1 where no slip begins."""
    most = -1.0
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == INCIPIENT:
            most = max(most, falls_short(contacts, c, across(contacts, c, contacts.force)))
    return 1.0 if most < 0.0 else min(most + DIRECTION_CURVATURE, 1.0)


@compiled
def is_let_go(contacts: Contacts, c: int) -> float:
    """Return a guard that is positive as long as friction falls short of its bound, or nearly: on a body that other
    contacts hold, friction is at its bound."""
    return contacts.sliding.friction_deficit[c] + FRICTION_TOLERANCE * across(contacts, c, contacts.force)


@compiled
def stays_incipient(contacts: Contacts, c: int) -> float:
    """Return a guard that is positive as long as the slip of a point has the direction of its acceleration, opposite to
    its friction; or nearly, where friction falls short by very little."""
    first, along, aside = contacts.slip_row[c], 0.0, 0.0
    slip, held = speed_of(contacts, c), across(contacts, c, contacts.force)
    if held == 0.0:
        return -FAR
    short = contacts.sliding.friction_deficit[c] / held
    if slip == 0.0:
        return min(RISEN, FAR - short)
    for k in range(first, first + contacts.slip_count[c]):
        along -= contacts.motion.rate[k] * contacts.force[k] / held
    for k in range(first, first + contacts.slip_count[c]):
        aside += (contacts.motion.rate[k] + along * contacts.force[k] / held) ** 2
    angle = (np.sqrt(aside) - ANGLE_ROUNDOFF * contacts.choice.point_pace[c]) / slip
    return min(max(min(PARALLEL_ANGLE - angle, RISEN), min(TURN_ANGLE - angle, RISEN - short)), FAR - short)


@compiled
def strays(contacts: Contacts, c: int) -> float:
    """Return the part of a slip at right angles to its heading, relative to the largest admissible one."""
    along, square, first = 0.0, 0.0, contacts.slip_row[c]
    for k in range(first, first + contacts.slip_count[c]):
        along += contacts.motion.rate[k] * contacts.sliding.heading[k]
    for k in range(first, first + contacts.slip_count[c]):
        square += (contacts.motion.rate[k] - along * contacts.sliding.heading[k]) ** 2
    return (
        np.sqrt(square) / (CREEP_DEVIATION * contacts.choice.point_pace[c])
        if contacts.choice.point_pace[c] > 0.0
        else np.inf
    )


@compiled
def goes_straight(contacts: Contacts, c: int, number: int, x: Vector) -> bool:
    """Return whether a creeping slip goes so straight on, over `OFTEN` steps that resolve its direction, that the
    direction may be held; the forces along it begin at `number`. x are the accelerations."""
    first, slip, along, square, most, held = (
        contacts.slip_row[c],
        speed_of(contacts, c),
        0.0,
        0.0,
        0.0,
        contacts.sliding.holds_direction[c],
    )
    if not 0.0 < slip < CREEP_SPEED * contacts.choice.point_pace[c] or (held == STRAIGHT and strays(contacts, c) > 0.5):
        return False
    for k in range(first, first + contacts.slip_count[c]):
        change = dot(contacts.delassus.G[k], x) - contacts.motion.gamma[k]
        along += change * (contacts.sliding.heading[k] if held == STRAIGHT else contacts.motion.rate[k] / slip)
        square += change * change
        most = max(most, _slowing(contacts, number + k - first))
    if most <= 0.0:
        return False  # no friction slows the slip, and no step is short
    aside, step = np.sqrt(max(square - along * along, 0.0)), OFTEN * STABLE * slip / most
    return aside * step * (1.0 + most * step / slip) < 0.5 * CREEP_DEVIATION * contacts.choice.point_pace[c]


@compiled
def longest(contacts: Contacts, x: Vector, held: bool) -> float:
    """Return the longest explicit step from here, by the last evaluation, that resolves the directions of slips, except
    those whose direction may be `held`; put these into `straight`."""
    sliding = contacts.sliding
    least, number = np.inf, 0
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        number += 1 if contacts.gap_row[c] >= 0 else 0
        speed = speed_of(contacts, c)
        turns = contacts.slip_count[c] > 1 and contacts.state[c] == CLOSED and sliding.holds_direction[c] != ENDS
        turns = turns and not never_sticks(contacts, c)
        sliding.straight[c] = 1 if held and turns and goes_straight(contacts, c, number, x) else 0
        if turns and sliding.straight[c] == 0 and speed > 0.0:
            for k in range(contacts.slip_count[c]):
                slowing = _slowing(contacts, number + k)
                least = min(least, STABLE * speed / slowing) if slowing > 0.0 else least
        number += contacts.slip_count[c]
    return least


@compiled
def _slowing(contacts: Contacts, number: int) -> float:
    """Return the acceleration along row `number` in use that the frictions of all slips together could make."""
    total, other = 0.0, 0
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        other += 1 if contacts.gap_row[c] >= 0 else 0
        for k in range(contacts.slip_count[c]):
            if contacts.state[c] == CLOSED:
                total += abs(contacts.delassus.W[number, other + k] * contacts.delassus.amount[other + k])
        other += contacts.slip_count[c]
    return total
