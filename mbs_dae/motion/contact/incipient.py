"""A slip in space that sets out from rest. Compiled.

Where friction at its bound all but holds, a slip begins as slowly as what draws it grows. Its direction is not free
then: it is drawn into that in which friction balances all but a little, at the rate w μ N/|s|, which is infinite where
s = 0 (w: how friction accelerates the slip). A step that does not resolve this rate has friction from all directions in
turn, and a point that should slip stands still, within any tolerance. What the law tends to is known, though:

    f = -μ N ṡ/|ṡ|,     or     ṡ + w d f/|f| = 0,   |f| = μ N

with one unknown more, d: by what force friction falls short. This is smooth, where d = 0, too, and as long as ṡ and s
have one direction both laws are one. Where a force grows in a time T, and turns, then ρT behind the onset friction has
the same direction by both laws, but for ρ²; s has not, and forgets it as soon as it is drawn. Velocities are right to
ρ⁴. At ρ = `RISEN` the law of s takes over, with rates that explicit steps can follow (`longest`).
"""

import numpy as np

from ...compiled.contact_records import CLOSED, INCIPIENT, OPEN
from ...kernels.abi import compiled
from ...linear.vectors import dot
from .bounds import BOUND
from .rubbing import across, never_sticks, sliding, speed_of

RISEN, FAR = 5e-3, 0.5
"""A slip is incipient while friction falls short by less than the first part of it; and, while slip and acceleration
are parallel, by less than the second: rates are no larger then than those of all else."""
PARALLEL, TURNED, FAINT = 1e-5, 3e-3, 1e-10
"""They are to the first angle, and in any case to the second; where they differ by less than this part of how fast
bodies move, roundoff and errors of steps make the direction."""
SLOWLY, STRAY, OFTEN = 1e-4, 1e-9, 20.0
"""A slip creeps that is slower than this part of how fast bodies move; and it goes straight on until it is aside by the
second part of that."""
ENDS, STRAIGHT = 1, 2
"""Why the direction of a slip is held over a step."""
EASED = 1e-8
"""In Newton's method directions bend by so much more, relative to forces."""
STABLE = 2.0
"""How long an explicit step may be, over the time in which friction alone would end a slip: less than the intervals of
stability of all methods."""


@compiled
def falls_short(contacts, c, size):
    """By what part of its size friction falls short."""
    return max(contacts.sliding.friction_deficit[c] / size, 0.0) if size > 0.0 else 0.0


@compiled
def put_incipient(contacts, c, number, column):
    """Newton's equations of a slip that sets out, but for W: its forces are used from `number` on, its N is unknown
    `column`; behind it are its forces along slips, and d. Where Newton's method ends does not depend on how directions
    bend. So they bend a little more than they do, and forces of several points across their slips that together do
    nothing, which W does not know, stay as they are."""
    slips, size, w = contacts.slips[c], 0.0, 0.0
    last, amount, matrix = column + 1 + slips, contacts.delassus.amount, contacts.equations.matrix
    for k in range(slips):
        size += amount[number + k] ** 2
    size = np.sqrt(size)
    towards = contacts.sliding.friction_direction[contacts.slip[c] :]
    for k in range(slips):
        own = amount[number + k] / size if size > 0.0 else -contacts.sliding.heading[contacts.slip[c] + k]
        towards[k] = own
    for k in range(slips):
        for j in range(slips):
            w += towards[k] * contacts.delassus.W[number + k, number + j] * towards[j]
    bends = w * (EASED + falls_short(contacts, c, size))
    for k in range(slips):
        for j in range(slips):
            matrix[column + 1 + k, column + 1 + j] += bends * ((1.0 if j == k else 0.0) - towards[k] * towards[j])
        matrix[column + 1 + k, last] += w * towards[k]
        matrix[last, column + 1 + k] = w * towards[k]
    matrix[last, column] = -w * sliding(contacts, c)


@compiled
def beyond(contacts, c, normal):
    """How far the friction of an incipient slip is from its bound."""
    return abs(across(contacts, c, contacts.force) - sliding(contacts, c) * normal)


@compiled
def weight_of_changes(contacts):
    """How much a change of forces that are held matters: where slips are incipient they turn, and what that does to
    their accelerations is but this part of it."""
    most = -1.0
    for c in range(contacts.gap.size):
        if contacts.state[c] == INCIPIENT:
            most = max(most, falls_short(contacts, c, across(contacts, c, contacts.force)))
    return 1.0 if most < 0.0 else min(most + EASED, 1.0)


@compiled
def is_let_go(contacts, c):
    """Positive as long as friction falls short, or all but: of a body that others hold it neither does nor holds."""
    return contacts.sliding.friction_deficit[c] + BOUND * across(contacts, c, contacts.force)


@compiled
def stays_incipient(contacts, c):
    """Positive as long as the slip of a point has the direction of its acceleration, that against its friction; or
    nearly, where friction falls short by next to nothing."""
    first, along, aside = contacts.slip[c], 0.0, 0.0
    slip, held = speed_of(contacts, c), across(contacts, c, contacts.force)
    if held == 0.0:
        return -FAR
    short = contacts.sliding.friction_deficit[c] / held
    if slip == 0.0:
        return min(RISEN, FAR - short)
    for k in range(first, first + contacts.slips[c]):
        along -= contacts.motion.rate[k] * contacts.force[k] / held
    for k in range(first, first + contacts.slips[c]):
        aside += (contacts.motion.rate[k] + along * contacts.force[k] / held) ** 2
    angle = (np.sqrt(aside) - FAINT * contacts.choice.point_pace[c]) / slip
    return min(max(min(PARALLEL - angle, RISEN), min(TURNED - angle, RISEN - short)), FAR - short)


@compiled
def strays(contacts, c):
    """What of a slip is aside from its heading, relative to what may be."""
    along, square, first = 0.0, 0.0, contacts.slip[c]
    for k in range(first, first + contacts.slips[c]):
        along += contacts.motion.rate[k] * contacts.sliding.heading[k]
    for k in range(first, first + contacts.slips[c]):
        square += (contacts.motion.rate[k] - along * contacts.sliding.heading[k]) ** 2
    return np.sqrt(square) / (STRAY * contacts.choice.point_pace[c]) if contacts.choice.point_pace[c] > 0.0 else np.inf


@compiled
def goes_straight(contacts, c, number, x):
    """Whether a slip that creeps would go so straight on, for `OFTEN` times as long as a step that resolves its
    direction, that the direction may be held; the forces along it begin at `number`."""
    first, slip, along, square, most, held = (
        contacts.slip[c],
        speed_of(contacts, c),
        0.0,
        0.0,
        0.0,
        contacts.sliding.holds_direction[c],
    )
    if not 0.0 < slip < SLOWLY * contacts.choice.point_pace[c] or (held == STRAIGHT and strays(contacts, c) > 0.5):
        return False
    for k in range(first, first + contacts.slips[c]):
        change = dot(contacts.delassus.G[k], x) - contacts.motion.gamma[k]
        along += change * (contacts.sliding.heading[k] if held == STRAIGHT else contacts.motion.rate[k] / slip)
        square += change * change
        most = max(most, _slowing(contacts, number + k - first))
    if most <= 0.0:
        return False  # no friction slows it, and no step is short
    aside, step = np.sqrt(max(square - along * along, 0.0)), OFTEN * STABLE * slip / most
    return aside * step * (1.0 + most * step / slip) < 0.5 * STRAY * contacts.choice.point_pace[c]


@compiled
def longest(contacts, x, held):
    """How long an explicit step may be from here, by the last evaluation, if it is to resolve where slips go: those but
    for which it may be `held`."""
    sliding = contacts.sliding
    least, number = np.inf, 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        number += 1 if contacts.gap[c] >= 0 else 0
        speed = speed_of(contacts, c)
        turns = contacts.slips[c] > 1 and contacts.state[c] == CLOSED and sliding.holds_direction[c] != ENDS
        turns = turns and not never_sticks(contacts, c)
        sliding.straight[c] = 1 if held and turns and goes_straight(contacts, c, number, x) else 0
        if turns and sliding.straight[c] == 0 and speed > 0.0:
            for k in range(contacts.slips[c]):
                slowing = _slowing(contacts, number + k)
                least = min(least, STABLE * speed / slowing) if slowing > 0.0 else least
        number += contacts.slips[c]
    return least


@compiled
def _slowing(contacts, number):
    """The acceleration along a row that is used which all slips together could make."""
    total, other = 0.0, 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        other += 1 if contacts.gap[c] >= 0 else 0
        for k in range(contacts.slips[c]):
            if contacts.state[c] == CLOSED:
                total += abs(contacts.delassus.W[number, other + k] * contacts.delassus.amount[other + k])
        other += contacts.slips[c]
    return total
