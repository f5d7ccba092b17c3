"""The forces of contacts that are closed, slip or stick. Compiled.

Their states being held, forces follow from linear equations, and are as smooth as all else in a step:

    closed      g̈ = 0
    sticking    g̈ = 0 and ṡ = 0
    slipping    g̈ = 0 and f_s = -μ f_n s/|s|

Where contacts depend on each other (a table on four legs) the least forces are taken.
"""

import numpy as np

from ...compiled.contacts import OPEN, STICKING, put_rows
from ...compiled.machine import DONE, NOT_FINITE, take_accelerations
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import least_solution
from ...linear.vectors import dot
from ..derivative import Mechanism
from .delassus import add_responses, respond, use

AWAY = 1e-12
"""A slip of less than this part of what it is made of has no direction of its own: it has that in which it set out."""


@compiled_apart
def push(mechanism: Mechanism, a: Vector):
    """Accelerations and multipliers with the forces of contacts, from those without, at the last evaluation."""
    contacts, machine = mechanism.contacts, mechanism.machine
    put_rows(contacts)
    contacts.force[:] = 0.0
    n = _use_closed(contacts)
    respond(mechanism)
    _put_equations(contacts, machine.x, n)
    least_solution(contacts.matrix, contacts.right, contacts.rest, contacts.order, n)
    _take_forces(contacts, n)
    add_responses(mechanism, contacts.amount)
    contacts.status[0] = DONE if take_accelerations(machine, a) else NOT_FINITE


@compiled
def _use_closed(contacts):
    """Use all rows of points that are not open; of these the unknown forces, in `unknown`. How many there are."""
    n = 0
    contacts.size[0] = 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        contacts.unknown[n] = use(contacts, contacts.gap[c])
        n += 1
        for k in range(contacts.slips[c]):
            number = use(contacts, contacts.slip[c] + k)
            if contacts.state[c] == STICKING:
                contacts.unknown[n] = number
                n += 1
    return n


@compiled
def _put_equations(contacts, x, n):
    """matrix · (unknown forces) = right."""
    W, A = contacts.delassus, contacts.matrix
    for i in range(n):
        for j in range(n):
            A[i, j] = W[contacts.unknown[i], contacts.unknown[j]]
        row = contacts.used[contacts.unknown[i]]
        contacts.right[i] = contacts.gamma[row] - dot(contacts.G[row], x)
    at = 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        slips = contacts.slips[c]
        if contacts.state[c] == STICKING:
            at += 1 + slips
            continue
        for k in range(slips):
            share = contacts.friction[c] * direction(contacts, c, k)
            for i in range(n):
                A[i, at] -= share * W[contacts.unknown[i], contacts.unknown[at] + 1 + k]
        at += 1


@compiled
def _take_forces(contacts, n):
    """The forces along all rows that are used, in `amount`, from those that were unknown, in `rest`."""
    contacts.amount[:] = 0.0
    for i in range(n):
        contacts.amount[contacts.unknown[i]] = contacts.rest[i]
    number = 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        if contacts.state[c] != STICKING:
            for k in range(contacts.slips[c]):
                push_back = contacts.friction[c] * direction(contacts, c, k)
                contacts.amount[number + 1 + k] = -push_back * contacts.amount[number]
        number += 1 + contacts.slips[c]
    for i in range(contacts.size[0]):
        contacts.force[contacts.used[i]] = contacts.amount[i]


@compiled
def direction(contacts, c, k):
    """Component k of the direction in which point c slips: in the plane that in which it set out, until it has stopped;
    in space as it slips, and beyond a stop, where a step is made again, the opposite."""
    first = contacts.slip[c]
    if contacts.slips[c] == 1:
        return contacts.heading[first]
    x, y = contacts.rate[first], contacts.rate[first + 1]
    size = np.sqrt(x * x + y * y)
    if size <= AWAY * contacts.pace[0]:
        return contacts.heading[first + k]
    onward = x * contacts.heading[first] + y * contacts.heading[first + 1]
    return contacts.rate[first + k] / size * (1.0 if onward > 0.0 else -1.0)


@compiled_apart
def contact_powers(mechanism: Mechanism, work: Vector):
    """Add to the rates of works what friction takes away, and what obstacles that move by themselves give."""
    contacts = mechanism.contacts
    for i in range(contacts.size[0]):
        row = contacts.used[i]
        work[2] += contacts.force[row] * contacts.nu[row]
    for c in range(contacts.gap.size):
        for k in range(contacts.slips[c]):
            row = contacts.slip[c] + k
            work[1] -= contacts.force[row] * contacts.rate[row]
