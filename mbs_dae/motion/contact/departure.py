"""A start from rest at a dead centre: the way in which slips that joints keep still for the moment set out. Compiled.

At a dead centre the row of a slip depends on those of joints, G = c Φ_v, and at rest nothing tells its direction:

    s = G v - ν = 0,        ṡ = G v̇ - γ = c γ_Φ - γ = 0        for v = 0.

A force along the row moves nothing, but joints carry it, and other frictions feel that. The motion leaves the dead
centre with v = v̇ t, and γ is quadratic in v, so

    s = β t³/2 + ...,       β = (c γ_Φ - γ)(v = v̇).

So the slip sets out in the direction of β, and friction is against it from the beginning. Friction may change v̇ where
others feel it; the direction stands if it is that of the new v̇, too. Where it is not, or where v̇ is none but for
roundoff, nothing sets out.
"""

import numpy as np

from ...compiled.contacts import OPEN, STILL, put_rows
from ...compiled.machine import take_accelerations
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ..derivative import Mechanism, evaluate
from .delassus import add_responses
from .guards import LEEWAY, TOUCHES
from .kept import depends, factorise_joints
from .rubbing import across, never_sticks

ALONG = 0.9
"""The cosine between two directions that are one."""


@compiled
def may_depart(contacts, c):
    """Whether joints keep all slips of a point still that touches."""
    if contacts.slips[c] == 0 or contacts.state[c] == OPEN or never_sticks(contacts, c):
        return False
    stays = True
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        stays = stays and contacts.kept[row] == STILL
    return stays


@compiled_apart
def find_departures(mechanism: Mechanism, q: Vector, v: Vector, a: Vector, again: bool):
    """Mark the points whose slips set out, in `departs`, with their `heading`, by the forces that were chosen last. Or
    `again`, whether all that are marked set out as they were; if not none is marked. Leaves the evaluation at v."""
    contacts, machine, t, found = mechanism.contacts, mechanism.machine, mechanism.switches.now[0], False
    add_responses(mechanism, contacts.problem.f)
    moves, holds = take_accelerations(machine, a) and _accelerates(mechanism), True
    factorise_joints(mechanism)
    for c in range(contacts.gap.size):
        if not may_depart(contacts, c):
            continue
        first, size, along = contacts.slip[c], 0.0, 0.0
        for row in range(first, first + contacts.slips[c]):
            depends(mechanism, row)  # puts c, in `taken`
            contacts.towards[row] = 0.0
            for turn in range(3):  # what is quadratic in v: of a, of -a, less twice that of v = 0
                evaluate(mechanism, t, q, v if turn == 2 else a)
                put_rows(contacts)
                for i in range(a.size if turn < 2 else 0):
                    a[i] = -a[i]
                bend, part = -contacts.gamma[row], abs(contacts.gamma[row])
                for k in range(machine.gamma.size):
                    bend += contacts.taken[k] * machine.gamma[k]
                    part += abs(contacts.taken[k] * machine.gamma[k])
                weight = 1.0 if turn < 2 else -2.0
                contacts.towards[row] += weight * bend
                size += abs(weight) * part
        way = across(contacts, c, contacts.towards)
        sets_out = moves and way > LEEWAY * size
        if again and contacts.departs[c] == 1:
            for row in range(first, first + contacts.slips[c]):
                along += contacts.towards[row] * contacts.heading[row]
            holds = holds and sets_out and along > ALONG * way
        elif not again and sets_out:
            contacts.departs[c], found = 1, True
            for row in range(first, first + contacts.slips[c]):
                contacts.heading[row] = contacts.towards[row] / way
    if again and not holds:
        contacts.departs[:] = 0
    return holds if again else found


@compiled
def _accelerates(mechanism):
    """Whether forces leave something to accelerate, M v̇, beside what they are made of."""
    contacts, machine, tr = mechanism.contacts, mechanism.machine, mechanism.machine.transformation
    pattern, jacobian, left, most, total = machine.pattern, machine.factor.jacobian, contacts.f, 0.0, 0.0
    for i in range(pattern.n):
        left[i] = machine.f[i]
        most = max(most, abs(left[i]) / np.sqrt(mechanism.geometric[i]))
    for e in range(pattern.jac_row.size):
        column, part = pattern.jac_column[e], jacobian[e] * machine.multipliers[pattern.jac_row[e]]
        left[column] -= part
        most = max(most, abs(part) / np.sqrt(mechanism.geometric[column]))
    for i in range(contacts.size[0]):
        for column in range(pattern.n):
            left[column] += contacts.G[contacts.used[i], column] * contacts.problem.f[i]
    for edge in range(tr.edges if tr.deep == 0 else 0):  # before joints take their part of it
        for i in range(6):
            most = max(most, abs(tr.wrench[edge, i]) * np.sqrt(tr.unit[i]))
    for i in range(pattern.n):
        total = max(total, abs(left[i]) / np.sqrt(mechanism.geometric[i]))
    return total > TOUCHES * most
