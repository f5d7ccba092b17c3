"""The forces of contacts and of friction that slips or sticks. Compiled.

Their states being held, forces follow from equations, and are as smooth as all else in a step:

    closed      g̈ = 0
    sticking    ṡ = 0
    incipient   f_s = -μ N ṡ/|ṡ|  (see `incipient`)
    slipping    f_s = -μ N s/|s|,      N the normal force, or what presses in a joint, |b + B f|, or given
                                       (s/√(s² + v²), v given, where nothing sticks; μ may depend on |s|)

They are linear but for |b + B f|, whose sense is held over a step (`normals`). There Newton's method takes N for an
unknown; of a guide in the plane, where b + B f is a number, its first step is the last. Where contacts depend on each
other (a table on four legs) the least forces are taken; frictions that hold a body together, measured by what each
could hold: on a body that is about to be shoved they are in one proportion to that, and let go together.

Masses may differ by many decades. Elimination compares pivots in units that masses and joints give each row
(`delassus.row_size`). Where the masses in one group of contacts differ by `FIRM` and a pivot is as small, as it is
where a light body is pressed between heavy ones, forces of twice the digits are corrected for residuals of the
accelerations themselves until a correction is nothing, as those of joints are (`linear.kkt`). So are forces that are
far below others of their group: each is right to a part of its own size. Forces that do not settle, and accelerations
that no force makes what the states ask for, are refused.
"""

import numpy as np

from ...compiled.contacts import CLOSED, FREE, HOLDS, INCIPIENT, OPEN, STICKING, put_rows
from ...compiled.machine import DONE, NOT_CONVERGED, NOT_FINITE, take_accelerations
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import scaled_solution
from ...linear.twofold import two_product, two_sum
from ...linear.vectors import copy, dot
from ...tolerances import CORRECTED, OFTEN, UNCERTAIN
from ..derivative import Mechanism
from .bounds import COMPONENTS, component, given, is_given, pressure, put_bounds
from .delassus import (
    FIRM,
    REFINED,
    add_responses,
    along_row,
    fastest,
    force_to_stop,
    is_corrected,
    is_far_apart,
    is_moved,
    is_spread,
    keep_uncertain,
    least_force,
    opposing_force,
    own_pace,
    pace_along,
    put_masses,
    put_paces,
    put_residual,
    put_spread,
    refine_solution,
    respond,
    row_size,
    use,
)
from .incipient import beyond, put_incipient, weight_of_changes
from .kept import depends, factorise_joints
from .normals import put_normals, sense
from .rubbing import across, direction, resting, sliding

SETTLED, ROUNDS = 1e-13, 100
"""Newton's method ends where forces change by less than this part of the largest."""
WEIGHED, SHARED = 2, 90
"""Rounds in which frictions that stick are weighed by what they could hold; and at most, if some ask for more. These
end where forces settle: then frictions of one motion reach their bounds at one instant, when none could hold more."""
APART = 2.0**20
"""The unit of what presses in a joint that slips: as unknowns of large units they are no part of the least forces."""
LEAST = 1e-6
"""The least weight of a friction that sticks."""
WITHIN = 0.9
"""Of what it can hold, a friction is to hold this part where others can take the rest: less and less as it nears it, so
that forces change smoothly with loads."""
SPREAD = 1e-6
"""Elimination leaves some ε, 1e-15 over the least pivot, of the largest force of a group: 1e-9 of one that is this part
of it over the pivot. Smaller ones are corrected."""
FAINT = 1e-4
"""Smaller normal forces of joints count as this part of those that balance all terms of their equation, and have their
roundoff."""
MISSED = 1e-3
"""An acceleration along a held row that forces leave there is an error if it is more than this part of its terms. A row
that elimination leaves out depends on others but for the root of `NO_PIVOT`, 1e-6, and lacks as small a part; a row
that roundoff has lost lacks all of its acceleration. This is the mean of both, in decades."""
FORCES_LOST = 26
"""A status: the forces of contacts are lost in roundoff."""


@compiled_apart
def push(mechanism: Mechanism, a: Vector):
    """Accelerations and multipliers with the forces of contacts, from those without, at the last evaluation."""
    contacts, machine = mechanism.contacts, mechanism.machine
    put_rows(contacts)
    contacts.force[:] = 0.0
    n = _use_closed(contacts)
    respond(mechanism, 0)
    least, most = own_pace(mechanism), fastest(mechanism)
    for i in range(contacts.size[0]):
        row, size = contacts.used[i], least
        size += along_row(mechanism, row, most)
        free = contacts.free_force[i] = force_to_stop(mechanism, i, 0.0)
        contacts.made_of[row] = free + size / contacts.delassus[i, i] if is_moved(contacts, i) else 0.0
    put_bounds(mechanism, False)
    contacts.amount[:] = contacts.short[:] = 0.0
    contacts.status[0] = NOT_CONVERGED
    contacts.weight[:] = 1.0
    contacts.tail[:] = 0.0
    copy(machine.x[: contacts.f.size], contacts.f)  # the solution without forces of contacts
    copy(machine.multipliers, contacts.g)
    weakest, unsettled, far_apart, determined, rank = 1.0, 0.0, put_masses(contacts) < FIRM, True, 0
    for k in range(ROUNDS):
        linear = _put_equations(contacts, contacts.f, n)
        rank = scaled_solution(contacts.matrix, contacts.right, contacts.rest, contacts.order, n, contacts.units)
        weakest, determined = 1.0, True
        for i in range(n if far_apart else 0):
            if is_far_apart(contacts, _row_of(contacts, contacts.order[i])):
                weakest = min(weakest, contacts.matrix[i, i]) if i < rank else weakest
                determined = determined and i < rank
        settled = _take_forces(contacts)
        _put_most(contacts)
        shared = rank == n or k >= SHARED or (k >= WEIGHED and not _are_strained(contacts)) or (settled and k > WEIGHED)
        contacts.choices[0] += 1 if rank < n else 0
        if (settled or linear) and shared:
            contacts.status[0] = DONE
            break
        if k < SHARED:
            _weigh(contacts, k < WEIGHED)
    add_responses(mechanism, contacts.amount, contacts.amount_tail)
    contacts.choices[0] += 1 if far_apart else 0
    far_apart = far_apart and contacts.status[0] == DONE
    _put_unknowns(contacts, n)
    spread = contacts.status[0] == DONE and put_spread(contacts, _least_part(contacts, rank))
    if spread:
        copy(contacts.rest, contacts.plain)
        unsettled = _correct(mechanism, n)
        if not unsettled <= UNCERTAIN:  # digits of small forces are roundoff: nothing hangs on them
            spread, unsettled = False, 0.0
            _take_back(mechanism)
    if not spread and far_apart and weakest < FIRM:
        unsettled = _correct(mechanism, n)
    for i in range(contacts.size[0]):
        if is_moved(contacts, i):
            contacts.made_of[contacts.used[i]] += opposing_force(contacts, i, contacts.amount)
    if far_apart and not (unsettled <= UNCERTAIN and _are_held(mechanism, n, most, determined)):
        contacts.status[0] = FORCES_LOST
    put_normals(mechanism)
    if not take_accelerations(machine, a):
        contacts.status[0] = NOT_FINITE
    if contacts.status[0] == FORCES_LOST:
        keep_uncertain(contacts)


@compiled
def _least_part(contacts, rank):
    """Return the part of the largest force down to which elimination leaves forces 1e-9 of their size at most, by the
    least pivot of this rank."""
    least = 1.0
    for k in range(rank):
        least = min(least, contacts.matrix[k, k])
    return SPREAD / max(least, FIRM)


@compiled
def _put_unknowns(contacts, n):
    """Tell which rows in use have forces that are unknowns of their own, and the sizes of all forces."""
    contacts.solved_for[:] = 0
    for i in range(contacts.size[0]):
        contacts.size_of_force[i], point = abs(contacts.amount[i]), contacts.point[contacts.used[i]]
        if contacts.slips[point] > 1 and contacts.used[i] != contacts.gap[point]:  # friction in space is a vector
            contacts.size_of_force[i] = across(contacts, point, contacts.force)
    for k in range(n):
        if contacts.unknown[k] >= 0:
            contacts.solved_for[contacts.unknown[k]] = 1


@compiled
def _correct(mechanism, n):
    """Correct the forces, and the solution with them, for what is left of all equations, as long as each correction is
    less than half as large as the one before; how large the last one is, relative to what it corrects."""
    contacts, machine, unsettled = mechanism.contacts, mechanism.machine, np.inf
    counts = weight_of_changes(contacts)
    _leave_to_joints(mechanism)
    respond(mechanism, REFINED)
    copy(contacts.f, machine.x)
    copy(contacts.g, machine.multipliers)
    put_bounds(mechanism, False)
    _put_solution(mechanism)
    for _ in range(OFTEN):
        _put_equations(contacts, contacts.f, n)
        _put_residuals(mechanism, n)
        scaled_solution(contacts.matrix, contacts.right, contacts.step, contacts.order, n, contacts.units)
        change = 0.0
        for i in range(n):
            row, number = _row_of(contacts, i), contacts.unknown[i]
            if not is_corrected(contacts, row) or (number >= 0 and contacts.solved_for[number] == 0):
                contacts.step[i] = 0.0
            size = _size_of(contacts, i, row)
            if contacts.unknown[i] >= -contacts.gap.size and contacts.step[i] != 0.0:
                change = max(change, counts * abs(contacts.step[i]) / size) if size > 0.0 else np.inf
        if not change < 0.5 * unsettled:
            return max(change, unsettled)
        for i in range(n):
            contacts.rest[i], contacts.tail[i] = two_sum(contacts.rest[i], contacts.tail[i] + contacts.step[i])
        _take_forces(contacts)
        _put_most(contacts)
        copy(contacts.f, machine.x)
        copy(contacts.g, machine.multipliers)
        _put_solution(mechanism)
        unsettled = change
        if change <= CORRECTED:
            break
    return unsettled


@compiled
def _size_of(contacts, i, row):
    """Return the size by which corrections of unknown i, along the row used as this number, are judged."""
    number, size = contacts.unknown[i], abs(contacts.rest[i])
    if number < 0 or not is_spread(contacts, row):
        return max(size, FAINT * contacts.balancing[i])
    point = contacts.point[contacts.used[row]]
    if contacts.used[row] != contacts.gap[point]:  # friction in space is a vector
        size = max(size, across(contacts, point, contacts.force) / contacts.weight[point])
    return max(size, least_force(contacts, row))


@compiled
def _take_back(mechanism):
    """Return to the forces before corrections, and to the solution with them; none of them are spread."""
    contacts, machine = mechanism.contacts, mechanism.machine
    contacts.spread[:] = 0
    contacts.tail[:] = 0.0
    copy(contacts.plain, contacts.rest)
    _take_forces(contacts)
    _put_most(contacts)
    copy(contacts.f, machine.x)
    copy(contacts.g, machine.multipliers)
    add_responses(mechanism, contacts.amount, contacts.amount_tail)


@compiled
def _leave_to_joints(mechanism):
    """Put 0 into `solved_for` for rows in use that depend on those of joints: at a dead centre no force moves them."""
    contacts, ready = mechanism.contacts, False
    for i in range(contacts.size[0]):
        if contacts.solved_for[i] == 1 and contacts.kept[contacts.used[i]] == FREE and not is_moved(contacts, i):
            if not ready:
                factorise_joints(mechanism)
                copy(contacts.f, contacts.step_x)
                copy(contacts.g, contacts.step_g)
                ready = True
            contacts.solved_for[i] = 0 if depends(mechanism, contacts.used[i]) else 1
    if ready:
        copy(contacts.step_x, contacts.f)
        copy(contacts.step_g, contacts.g)


@compiled
def _put_solution(mechanism):
    """Add what the forces make to the solution without them, and refine it."""
    contacts, machine = mechanism.contacts, mechanism.machine
    add_responses(mechanism, contacts.amount, contacts.amount_tail)
    refine_solution(mechanism, machine.f, machine.g, contacts.amount, contacts.amount_tail)


@compiled
def _put_residuals(mechanism, n):
    """Put the residuals of the equations into `right`: those of rows that are held from the accelerations themselves,
    for W has lost digits of them; all others from the matrix."""
    contacts = mechanism.contacts
    for i in range(n):
        held = contacts.unknown[i] >= 0 and contacts.kept[contacts.used[contacts.unknown[i]]] == FREE
        left, size = contacts.right[i], abs(contacts.right[i])
        for j in range(n):
            term = contacts.matrix[i, j] * contacts.rest[j]
            left, size = left - term, size + abs(term)
        contacts.balancing[i] = size / abs(contacts.matrix[i, i]) if contacts.matrix[i, i] != 0.0 else 0.0
        contacts.right[i] = left
        if held:
            row = contacts.used[contacts.unknown[i]]
            contacts.balancing[i] = max(contacts.balancing[i], contacts.made_of[row])
            put_residual(mechanism, row, contacts.gamma[row], 0.0, contacts.right, contacts.rounding, i)
            for j in range(n):
                if contacts.unknown[j] < -contacts.gap.size:  # by what an incipient slip accelerates
                    contacts.right[i] -= contacts.matrix[i, j] * contacts.rest[j]


@compiled
def _are_held(mechanism, n, most, determined):
    """Return whether the forces hold all rows that states ask them to hold; bodies would have accelerations of up to
    `most`, in lengths, without contacts. Where elimination has not `determined` all forces between far masses, a row
    may lack no more than a part of what heavy bodies do. A row that joints keep still is not held by forces."""
    contacts, x, ready = mechanism.contacts, mechanism.machine.x, False
    put_paces(mechanism, contacts.f)
    for i in range(n):
        number = contacts.unknown[i]
        contacts.right[i] = contacts.balancing[i] = 0.0
        if number < 0 or contacts.kept[contacts.used[number]] != FREE or _sets_out(contacts, number):
            continue
        if not is_far_apart(contacts, number):
            continue
        row = contacts.used[number]
        size = abs(contacts.gamma[row])
        for column in range(contacts.f.size):
            size += abs(contacts.G[row, column]) * (abs(x[column]) + abs(contacts.f[column]))
        contacts.balancing[i] = MISSED * size + UNCERTAIN * along_row(mechanism, row, most)
        if not determined:
            contacts.balancing[i] = MISSED * (abs(contacts.gamma[row]) + pace_along(contacts, row))
        put_residual(mechanism, row, contacts.gamma[row], 0.0, contacts.right, contacts.rounding, i)
    for i in range(n):  # `depends` overwrites the solution without contacts
        if not abs(contacts.right[i]) <= contacts.balancing[i]:
            if not ready:
                factorise_joints(mechanism)
                ready = True
            if not depends(mechanism, contacts.used[contacts.unknown[i]]):
                return False
    return True


@compiled
def _row_of(contacts, k):
    """Return the number, among the rows in use, of a row along which unknown k acts."""
    number, point, points = contacts.unknown[k], contacts.unknown[k], contacts.gap.size
    if number < 0:
        point = -1 - number if number >= -points else -1 - number - points
        for i in range(contacts.size[0]):
            if contacts.point[contacts.used[i]] == point:
                number = i
    return number


@compiled
def _sets_out(contacts, number):
    """Whether a row that is used is a slip that sets out, and accelerates."""
    row, found = contacts.used[number], False
    for c in range(contacts.gap.size):
        own = contacts.slip[c] <= row < contacts.slip[c] + contacts.slips[c]
        found = found or (own and contacts.state[c] == INCIPIENT)
    return found


@compiled
def _use_closed(contacts):
    """Use all rows of points that are not open. The unknowns, in `unknown`, are the forces along those of them that
    hold something, by their numbers; the N of slips without a gap, by -1 less the number of the point; and by what
    friction falls short, by as much less again as there are points. How many."""
    n, points = 0, contacts.gap.size
    contacts.size[0] = 0
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        if contacts.gap[c] >= 0:
            contacts.unknown[n] = use(contacts, contacts.gap[c])
            n += 1
        elif contacts.state[c] != STICKING:
            contacts.unknown[n] = -1 - c
            n += 1
        for k in range(contacts.slips[c]):
            number = use(contacts, contacts.slip[c] + k)
            if contacts.state[c] != CLOSED:
                contacts.unknown[n] = number
                n += 1
        if contacts.state[c] == INCIPIENT:
            contacts.unknown[n] = -1 - points - c
            n += 1
    return n


@compiled
def _put_equations(contacts, x, n):
    """matrix · unknowns = right: of forces along rows by how they accelerate, of an N by what it is made of, which is
    linear around the present forces. The units of both stand in `units`. Whether all are linear as they stand."""
    linear, column, number, points = True, 0, 0, contacts.gap.size
    units = contacts.units
    contacts.matrix[:] = 0.0
    for i in range(n):
        if contacts.unknown[i] >= 0:
            row = contacts.used[contacts.unknown[i]]
            if contacts.kept[row] != FREE:  # nothing moves it: its force is the least one
                contacts.matrix[i, i], contacts.right[i] = 1.0, 0.0
            else:
                contacts.right[i] = contacts.gamma[row] - dot(contacts.G[row], x)
        elif contacts.unknown[i] >= -points:
            linear = _put_pressure(contacts, -1 - contacts.unknown[i], i) and linear
        else:
            contacts.right[i], linear = 0.0, False
    for c in range(contacts.gap.size):  # column by column: what each unknown does along all rows
        if contacts.state[c] == OPEN:
            continue
        slips, state, gaps = contacts.slips[c], contacts.state[c], 1 if contacts.gap[c] >= 0 else 0
        if state == INCIPIENT:
            put_incipient(contacts, c, number + gaps, column)
        if gaps == 1 or state != STICKING:
            size, unit = row_size(contacts, number), _unit(contacts, c)
            units[0, column], units[1, column] = (1.0 / size if gaps == 1 else size), 1.0 / (unit * size)
            if gaps == 1:
                _add_effect(contacts, number, 1.0, column, n)
            for k in range(slips if state == CLOSED else 0):
                share = unit * sliding(contacts, c) * direction(contacts, c, k)
                _add_effect(contacts, number + gaps + k, -share, column, n)
            column += 1
        for k in range(slips if state != CLOSED else 0):
            size = row_size(contacts, number + gaps + k)
            units[0, column], units[1, column] = 1.0 / size, 1.0 / (contacts.weight[c] * size)
            _add_effect(contacts, number + gaps + k, contacts.weight[c], column, n)
            column += 1
        if state == INCIPIENT:
            units[0, column] = units[1, column] = 1.0 / row_size(contacts, number + gaps)
            column += 1
        number += gaps + slips
    return linear


@compiled
def _put_pressure(contacts, c, i):
    """The equation N = σ |b + B f| of a point (`normals`), in row i, but for its f: their share is -`pressing` in
    `_add_effect`. Whether it is linear as it stands."""
    contacts.matrix[i, i] = _unit(contacts, c)
    if is_given(contacts, c):
        contacts.right[i] = given(contacts, c, contacts.departs[c] == HOLDS)
        return True
    size, sign = pressure(contacts, c, contacts.amount), sense(contacts, c, contacts.amount)
    contacts.right[i] = 0.0
    for d in range(contacts.bound[c]):
        at = COMPONENTS * c + d
        share = sign * component(contacts, c, d, contacts.amount) / size if size > 0.0 else contacts.side[at]
        contacts.pressing[at] = share
        contacts.right[i] += share * contacts.b[at]
    return False


@compiled
def _unit(contacts, c):
    """Return the unit of the normal force of a point as an unknown."""
    return APART if contacts.gap[c] < 0 and contacts.state[c] == CLOSED else 1.0


@compiled
def _add_effect(contacts, number, amount, column, n):
    """What an unknown does by so much force along a row that is used, to all equations."""
    for i in range(n):
        unknown = contacts.unknown[i]
        if unknown >= 0:
            contacts.matrix[i, column] += amount * contacts.delassus[unknown, number]
        elif unknown >= -contacts.gap.size and not is_given(contacts, -1 - unknown):
            for d in range(contacts.bound[-1 - unknown]):
                at = COMPONENTS * (-1 - unknown) + d
                contacts.matrix[i, column] -= amount * contacts.pressing[at] * contacts.B[at, number]


@compiled
def _take_forces(contacts):
    """The forces along all rows that are used, in `amount`, from the unknowns, in `rest`; whether as before."""
    column, number, largest, change, counts = 0, 0, 0.0, 0.0, weight_of_changes(contacts)
    for c in range(contacts.gap.size):
        if contacts.state[c] == OPEN:
            continue
        slips, state, gaps, normal, tail = contacts.slips[c], contacts.state[c], contacts.gap[c] >= 0, 0.0, 0.0
        part = counts if gaps else 1.0
        if gaps or state != STICKING:
            unit = _unit(contacts, c)
            normal, tail = unit * contacts.rest[column], unit * contacts.tail[column]
            column += 1
        for k in range((1 if gaps else 0) + slips):
            force, left, slip = normal, tail, k - (1 if gaps else 0)
            if slip >= 0 and state != CLOSED:
                force, left = two_product(contacts.weight[c], contacts.rest[column])
                left += contacts.weight[c] * contacts.tail[column]
                column += 1
            elif slip >= 0:
                share = -sliding(contacts, c) * direction(contacts, c, slip)
                force, left = two_product(share, normal)
                left += share * tail
            change, largest = max(change, part * abs(force - contacts.amount[number])), max(largest, abs(force))
            contacts.amount[number] = contacts.force[contacts.used[number]] = force
            contacts.amount_tail[number] = left
            number += 1
        if state == INCIPIENT:
            change = max(change, beyond(contacts, c, normal), abs(contacts.rest[column] - contacts.short[c]))
            contacts.short[c] = contacts.rest[column]
            column += 1
    return change <= SETTLED * largest


@compiled
def _put_most(contacts):
    """The most that each friction which sticks could be."""
    for c in range(contacts.gap.size):
        contacts.most[c] = resting(contacts, c) * most_pressed(contacts, c, contacts.amount, True)


@compiled
def _weigh(contacts, anew):
    """The weights of frictions that stick, those of normal forces being 1. Of all forces with one sum the least in
    Σ f²/w² has f in proportion to w²: to what each friction could hold, relative to the largest force. So what a stop
    holds as well friction does not hold alone. One that would hold nearly all that it can has its weight made less."""
    largest = 0.0
    for i in range(contacts.size[0]):
        largest = max(largest, abs(contacts.amount[i]))
    for c in range(contacts.gap.size):
        if contacts.state[c] != STICKING or contacts.slips[c] == 0:
            continue
        held, most = across(contacts, c, contacts.force), max(contacts.most[c], 0.0)
        if anew and largest > 0.0:
            contacts.weight[c] = max(np.sqrt(most / largest), LEAST)
        elif held > WITHIN * most:
            contacts.weight[c] = max(contacts.weight[c] * np.sqrt(WITHIN * most / held), LEAST)


@compiled
def _are_strained(contacts):
    """Whether a friction that sticks would hold nearly all that it can, or more."""
    for c in range(contacts.gap.size):
        sticks = contacts.state[c] == STICKING and contacts.slips[c] > 0
        if sticks and across(contacts, c, contacts.force) > WITHIN * contacts.most[c]:
            return True
    return False


@compiled
def most_pressed(contacts, c, forces, rests):
    """The N of a point."""
    if contacts.gap[c] >= 0:
        return contacts.force[contacts.gap[c]]
    return given(contacts, c, rests) if is_given(contacts, c) else pressure(contacts, c, forces)


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


@compiled
def contact_works(contacts, rates):
    """Add to the rates of works, with the velocities of the last evaluation, what contacts take away and what obstacles
    that move by themselves give: with the mean of both ends of a step this is what impulses do to the energy."""
    contacts.lost[0] = 0.0
    for row in range(contacts.force.size):
        contacts.lost[0] -= contacts.force[row] * contacts.rate[row]
        rates[2] += contacts.force[row] * contacts.nu[row]
    rates[1] += contacts.lost[0]
