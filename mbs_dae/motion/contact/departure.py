"""Slips that joints keep still at a dead centre: how they begin when the mechanism starts from rest. Compiled.

At a dead centre the row of a slip depends on those of joints, G = c Φ_v, and at rest the direction of the slip is open:

    s = G v - ν = 0,        ṡ = G v̇ - γ = c γ_Φ - γ = 0        for v = 0.

A force along the row moves nothing, but joints carry it, and frictions of other points depend on the load of joints.
The motion leaves the dead centre with v = v̇ t, and γ is quadratic in v, so

    s = β t³/2 + ...,       β = (c γ_Φ - γ)(v = v̇).

So the slip begins in the direction of β, and friction is against this direction from the start. A pose beside the dead
centre has σ = G v̇ - γ as well, and

    s = σ t + β t³/2,

so a motion through the dead centre has a slip along σ first, which turns at t² = -2σ/β. Where σ is against β, the slip
begins in the direction of σ, if σ is more than roundoff, and else of β; in the opposite direction, if the slip has just
stopped in the direction that would be taken. Friction may change v̇ by its effect on other points:

    v̇ = 0                               friction at its static bound holds the mechanism at rest
    β of the new v̇ has this direction    the slip begins, with the friction of slipping
    otherwise                            the slip does not begin, and has no friction

Friction that holds is at its bound until states are chosen anew, even at a rest that needs less: so friction does not
jump where loads grow and the slip begins in the end. If v̇ is zero within roundoff from the start, the slip has no
friction.
"""

import numpy as np

from ...compiled.contact_records import DEPARTS, HOLDS, MOTION, OPEN, SLIPS, STILL, STOPS, Contacts
from ...compiled.contact_rows import put_rows
from ...compiled.machine import take_accelerations
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...tolerances import CONTACT_TOLERANCE, JOINT_LEEWAY, ROW_ACCELERATION
from ..derivative import evaluate
from ..mechanism_record import Mechanism
from .constrained import depends, factorise_joints
from .guards import largest_acceleration
from .problem import add_responses
from .rubbing import across, never_sticks

ALONG = 0.9
"""The cosine above which two directions count as one."""


@compiled
def may_depart(contacts: Contacts, c: int) -> bool:
    """Return whether a point touches, joints keep all its slips still, and its group is slow and not held by
    friction."""
    groups = contacts.groups
    if groups.rest[groups.of_point[c]] == MOTION or groups.holds[groups.of_point[c]] == 1:
        return False
    if contacts.slip_count[c] == 0 or contacts.state[c] == OPEN or never_sticks(contacts, c):
        return False
    stays = True
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        stays = stays and contacts.constrained.state[row] == STILL
    return stays


@compiled_apart
def find_departures(mechanism: Mechanism, q: Vector, v: Vector, a: Vector) -> bool:
    """Mark by HOLDS, with their `heading`, the points whose slips would begin under the forces chosen last; return
    whether there are any. Leaves the evaluation at v."""
    contacts, found = mechanism.contacts, False
    sliding = contacts.sliding
    add_responses(mechanism, contacts.problem.f, contacts.corrections.no_tail)
    finite = take_accelerations(mechanism.machine, a)
    _note_accelerations(mechanism)
    if finite and _remove_friction(mechanism):
        finite = take_accelerations(mechanism.machine, a)
        _note_accelerations(mechanism)
    factorise_joints(mechanism)
    for c in range(contacts.gap_row.size if finite else 0):
        g = contacts.groups.of_point[c]
        if contacts.groups.accelerates[g] == 0 or not may_depart(contacts, c):
            continue
        way, size = _put_direction(mechanism, q, v, a, c)
        if way > JOINT_LEEWAY * size:
            contacts.choice.departure[c], sliding.departure_rate[c], found = HOLDS, way, True
            for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
                sliding.heading[row] = sliding.friction_direction[row] / way
    return found


@compiled_apart
def check_departures(mechanism: Mechanism, q: Vector, v: Vector, a: Vector, holding: bool) -> bool:
    """Compare the marked points with the forces chosen last; return whether they disagree. With `holding`, mark by
    DEPARTS the slips that friction does not hold. Otherwise slips marked DEPARTS must begin along their heading and
    those marked HOLDS must not; where they disagree all marks of their group are cleared. Put 1 into `differs` for the
    groups that disagree. Leaves the evaluation at v."""
    contacts, differs = mechanism.contacts, False
    groups, choice, sliding = contacts.groups, contacts.choice, contacts.sliding
    groups.differs[:] = 0
    add_responses(mechanism, contacts.problem.f, contacts.corrections.no_tail)
    finite = take_accelerations(mechanism.machine, a)
    _note_accelerations(mechanism)
    factorise_joints(mechanism)
    for c in range(contacts.gap_row.size):
        g = groups.of_point[c]
        moves = finite and groups.accelerates[g] == 1
        if choice.departure[c] == 0 or (holding and not moves):
            continue
        (way, size), along = _put_direction(mechanism, q, v, a, c), 0.0
        for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            along += sliding.friction_direction[row] * sliding.heading[row]
        sets_out = moves and way > max(
            JOINT_LEEWAY * size, CONTACT_TOLERANCE**2 * sliding.departure_rate[c]
        )  # quadratic in a
        if holding and sets_out:
            choice.departure[c], groups.differs[g], differs = DEPARTS, 1, True
        elif not holding:
            agrees = sets_out and along > ALONG * way if choice.departure[c] == DEPARTS else not sets_out
            if not agrees:
                groups.differs[g], differs = 1, True
    for c in range(contacts.gap_row.size if not holding else 0):
        if groups.differs[groups.of_point[c]] == 1:
            choice.departure[c] = 0
    return differs


@compiled
def _remove_friction(mechanism: Mechanism) -> bool:
    """Remove the friction of slips that have just passed their bound, in groups that do not accelerate: at that instant
    friction balances all other forces, and the accelerations without friction give the direction of the slips; return
    whether there are any such slips."""
    contacts, problem, i, found = mechanism.contacts, mechanism.contacts.problem, 0, False
    delassus = contacts.delassus
    delassus.amount[:] = 0.0
    for c in range(contacts.gap_row.size):
        if contacts.choice.touching[c] == 0:
            continue
        i += 1 if contacts.gap_row[c] >= 0 else 0
        passed = contacts.choice.began[c] == SLIPS and contacts.groups.accelerates[contacts.groups.of_point[c]] == 0
        for k in range(contacts.slip_count[c] if passed else 0):
            delassus.amount[i + k], problem.f[i + k], found = -problem.f[i + k], 0.0, True
        i += contacts.slip_count[c]
    add_responses(mechanism, delassus.amount, contacts.corrections.no_tail)
    return found


@compiled
def _put_direction(mechanism: Mechanism, q: Vector, v: Vector, a: Vector, c: int) -> tuple[float, float]:
    """Put the direction in which the slips of point c begin, that of β or of σ, times |β|, into `friction_direction`.
    The accelerations are `a`, in the machine's own coordinates, and `machine.x` in the columns of G. Return |β| and the
    sum of the absolute values of its terms."""
    contacts, machine, t, size = mechanism.contacts, mechanism.machine, mechanism.switches.now[0], 0.0
    motion, sliding = contacts.motion, contacts.sliding
    sigma, rows, along, back = sliding.acceleration, contacts.rows, 0.0, 0.0
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        depends(mechanism, row)  # puts c into `combination`
        sliding.friction_direction[row] = 0.0
        for turn in range(3):  # the part that is quadratic in v: at a, at -a, less twice that at v = 0
            evaluate(mechanism, t, q, v if turn == 2 else a)
            put_rows(contacts)
            for i in range(a.size if turn < 2 else 0):
                a[i] = -a[i]
            bend, part = -motion.gamma[row], abs(motion.gamma[row])
            for k in range(machine.gamma.size):
                bend += contacts.constrained.combination[k] * machine.gamma[k]
                part += abs(contacts.constrained.combination[k] * machine.gamma[k])
            weight = 1.0 if turn < 2 else -2.0
            sliding.friction_direction[row] += weight * bend
            size += abs(weight) * part
        sigma[row] = -motion.gamma[row]  # of the last turn, at v
        for e in range(rows.at[row], rows.at[row + 1]):
            sigma[row] += rows.value[e] * machine.x[rows.column[e]]
        along += sigma[row] * sliding.friction_direction[row]
        back += sigma[row] * sliding.stopped_heading[row] if contacts.choice.began[c] == STOPS else 0.0
    rate, drawn = across(contacts, c, sliding.friction_direction), across(contacts, c, sigma)
    seen = drawn > ROW_ACCELERATION * largest_acceleration(mechanism, contacts.groups.of_point[c])
    if along < 0.0 and (back < 0.0 or (seen and back == 0.0)):
        for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            sliding.friction_direction[row] = sigma[row] * rate / drawn
    return rate, size


@compiled
def _note_accelerations(mechanism: Mechanism) -> None:
    """Put into `accelerates` for each group whether a net force, M v̇, is left beside the terms of which it is the
    sum."""
    contacts, machine, tr = mechanism.contacts, mechanism.machine, mechanism.machine.transformation
    groups, delassus = contacts.groups, contacts.delassus
    pattern, jacobian, left, of = machine.pattern, machine.factor.jacobian, delassus.f, groups.of_column
    total, most = groups.net_force, groups.force_size
    total[:] = most[:] = 0.0
    for i in range(pattern.n):
        left[i] = machine.f[i]
        most[of[i]] = max(most[of[i]], abs(left[i]) / np.sqrt(mechanism.geometric[i]))
    for e in range(pattern.jac_row.size):
        column, part = pattern.jac_column[e], jacobian[e] * machine.multipliers[pattern.jac_row[e]]
        left[column] -= part
        most[of[column]] = max(most[of[column]], abs(part) / np.sqrt(mechanism.geometric[column]))
    for i in range(delassus.used_count[0]):
        for column in range(pattern.n):
            left[column] += delassus.G[delassus.used[i], column] * contacts.problem.f[i]
    for edge in range(tr.edges if tr.deep == 0 else 0):  # before joints take their part of it
        g = groups.of_edge[edge]
        for i in range(6 if g >= 0 else 0):
            most[g] = max(most[g], abs(tr.wrench[edge, i]) * np.sqrt(tr.unit[i]))
    for i in range(pattern.n):
        total[of[i]] = max(total[of[i]], abs(left[i]) / np.sqrt(mechanism.geometric[i]))
    for g in range(total.size):
        groups.accelerates[g] = 1 if total[g] > CONTACT_TOLERANCE * most[g] else 0
