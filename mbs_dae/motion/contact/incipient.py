"""A slip in space that sets out from rest. Compiled.

Where friction is at its bound and all but holds, a slip begins as slowly as what draws it grows, and its direction is
not free: it is drawn into that in which friction balances all but a little, at the rate μ N w/|s|, which is infinite
where s = 0. (w: how friction accelerates the slip.) A step that does not resolve this rate takes friction from all
directions in turn, and a point that slips stands still, within any tolerance. What s tends to is known: the limit of
Coulomb's law at s = 0,

    f = -μ N ṡ/|ṡ|,     as     ṡ + (w d) f/|f| = 0,   |f| = μ N

with one more unknown, d: by what force friction falls short. It is smooth, where d = 0, too. As long as ṡ and s have
one direction both laws are one. Of a force that grows in a time T, and turns, they differ at ρT behind the onset: not by
the direction of friction, but by ρ², and by that of s, which is forgotten as soon as friction draws it. Velocities are
right to ρ⁴, then; at `RISEN` the law of s takes over. Its rates are finite there, and explicit steps follow them
(`longest`).
"""

import numpy as np

from ...compiled.contacts import CLOSED, INCIPIENT, OPEN
from ...kernels.abi import compiled
from .rubbing import across, never_sticks, sliding, speed_of

BOUND = 1e-9
"""Friction is at its bound if it is as near to it as this part."""
PARALLEL = 1e-5
"""Slip and its acceleration have one direction up to this angle."""
RISEN = 5e-3
"""... and as long as friction falls short by less than this part of it, whatever they seem to be."""
HALF, ENDED = 0.5, -1.0
"""Friction falls far short that does so by this part of it; and a guard of what is no longer incipient."""
FAINT = 1e-10
"""A part of how fast bodies move, which is nothing beside what can be told of a slip."""
EASED = 1e-8
"""... by this part of the force more."""
STABLE = 2.0
"""An explicit step is so long, over the time in which friction alone would end a slip: the least of the real intervals of
stability of all methods."""


@compiled
def falls_short(contacts, c, size):
    """By what part of its size friction falls short."""
    return max(contacts.short[c] / size, 0.0) if size > 0.0 else 0.0


@compiled
def put_incipient(contacts, c, number, column):
    """Newton's equations of a slip that sets out, but for W: its forces are used from `number` on, its N is unknown
    `column`; behind it are its forces along slips, and d. How the direction bends does not matter to where Newton's
    method ends; with more than there is of it forces across that do nothing (of several points, the sum of which is
    nil) stay as they are."""
    slips, size, w = contacts.slips[c], 0.0, 0.0
    last, amount, matrix = column + 1 + slips, contacts.amount, contacts.matrix
    for k in range(slips):
        size += amount[number + k] ** 2
    size = np.sqrt(size)
    towards = contacts.towards[contacts.slip[c] :]
    for k in range(slips):
        own = amount[number + k] / size if size > 0.0 else -contacts.heading[contacts.slip[c] + k]
        towards[k] = own
    for k in range(slips):
        for j in range(slips):
            w += towards[k] * contacts.delassus[number + k, number + j] * towards[j]
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
    return contacts.short[c] + BOUND * across(contacts, c, contacts.force)


@compiled
def stays_incipient(contacts, c):
    """Positive as long as the slip of a point has the direction of its acceleration, that against its friction, or
    friction falls short by next to nothing: of a slip that has just begun roundoff and errors of steps make the
    direction. Where friction falls far short a slip is no longer incipient, for its rates are as those of all else."""
    first, along, aside = contacts.slip[c], 0.0, 0.0
    slip, held = speed_of(contacts, c), across(contacts, c, contacts.force)
    if held == 0.0:
        return ENDED
    short = contacts.short[c] / held
    if slip == 0.0:
        return min(RISEN, HALF - short)
    for k in range(first, first + contacts.slips[c]):
        along -= contacts.rate[k] * contacts.force[k] / held
    for k in range(first, first + contacts.slips[c]):
        aside += (contacts.rate[k] + along * contacts.force[k] / held) ** 2
    parallel = PARALLEL + (FAINT * contacts.pace[0] - np.sqrt(aside)) / slip
    return min(max(min(parallel, RISEN), RISEN - short), HALF - short)


@compiled
def longest(contacts):
    """How long an explicit step may be from here, by the last evaluation, if it is to resolve how slips are directed."""
    least, number = np.inf, 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        number += 1 if contacts.gap[c] >= 0 else 0
        speed = speed_of(contacts, c)
        if contacts.slips[c] > 1 and contacts.state[c] == CLOSED and not never_sticks(contacts, c) and speed > 0.0:
            for k in range(contacts.slips[c]):
                least = min(least, STABLE * speed / max(_slowing(contacts, number + k), SLOW * speed))
        number += contacts.slips[c]
    return least


SLOW = 1e-100
"""A rate of nothing."""


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
                total += abs(contacts.delassus[number, other + k] * contacts.amount[other + k])
        other += contacts.slips[c]
    return total
