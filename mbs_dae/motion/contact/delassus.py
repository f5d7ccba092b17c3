"""Responses of the mechanism to forces along the rows of contacts. Compiled.

With the factor of [M Φ_vᵀ; Φ_v 0], a unit force along a row r makes accelerations x_r and multipliers λ_r,

    [M Φ_vᵀ; Φ_v 0] [x_r; λ_r] = [G_rᵀ; 0],          W_ir = G_i x_r,

the Delassus matrix: symmetric and positive semidefinite, whatever joints there are. W serves forces (x are then
accelerations), impulses (velocities) and corrections of positions (displacements) alike.

A light body between two heavy ones is pushed by forces that are far larger than their difference, which is all that
moves it. So sums of responses have twice the digits (`twofold`), and so have residuals g - G x of rows; and where
forces are corrected, those of the equations of bodies and joints, M x + Φ_vᵀ λ = Q + Gᵀ f, by which responses lose the
errors of their own (`refine_solution`).

A small force that depends on a large one has the roundoff of the large one (`put_spread`).
"""

import numpy as np

from ...compiled.contact_records import FREE, Contacts
from ...compiled.machine import in_own_velocities
from ...compiled.tree.transformation import take_term
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import NO_PIVOT
from ...linear.kkt import put_right_sides, solve, subtract_products
from ...linear.rows import row_dot_size
from ...linear.twofold import add_product, two_sum
from ...linear.vectors import largest
from ..mechanism_record import Mechanism

NONE = 1e-14
"""A force counts as zero below this part of the terms that it is made of."""
FIRM = 1e-5
"""Masses are far apart if the ratio of the smaller to the larger is less than this. Forces are right to 1e-11 of the
largest, ε over this number, where the least pivot is larger, and where masses differ by less."""
REFINED = 2
"""The number of refinements of responses and solutions where forces are corrected: without them the regularisation of
rows of joints (`tolerances.DELTA`) would be as large as the least pivot."""


@compiled
def use(contacts: Contacts, row: int) -> int:
    """Take one more row into use; return its number among the rows in use."""
    delassus = contacts.delassus
    n = delassus.used_count[0]
    delassus.used[n] = row
    delassus.used_count[0] = n + 1
    return n


@compiled_apart
def respond(mechanism: Mechanism, least: int) -> None:
    """Put the accelerations by unit forces along the rows in use, and W between these rows, from the last factor and
    the last rows. Solutions are refined `least` times at least. Forces along rows that joints alone keep as they are
    (`constrained`) move nothing: W is 0 for them, not its roundoff."""
    contacts, machine, rows = mechanism.contacts, mechanism.machine, mechanism.contacts.rows
    delassus, constrained = contacts.delassus, contacts.constrained
    n = delassus.used_count[0]
    delassus.amount_tail[:] = 0.0
    for i in range(n):
        constrained.displacement[:] = constrained.combination[:] = 0.0
        for e in range(rows.at[delassus.used[i]], rows.at[delassus.used[i] + 1]):
            constrained.displacement[rows.column[e]] = rows.value[e]
        x, multipliers, times = delassus.response[i], delassus.multipliers[i], max(mechanism.refinements, least)
        solve(machine.pattern, machine.factor, constrained.displacement, constrained.combination, x, multipliers, times)
        if constrained.state[delassus.used[i]] != FREE:
            x[:] = 0.0
    for i in range(n):
        _put_products(contacts, i, n)
    put_mobilities(mechanism)


@compiled
def leave_out(contacts: Contacts, i: int) -> None:
    """Put 0 into W and into the response of row i in use, which no force moves."""
    delassus = contacts.delassus
    delassus.response[i][:] = 0.0
    for j in range(delassus.used_count[0]):
        delassus.W[i, j] = delassus.W[j, i] = 0.0


@compiled
def _put_products(contacts: Contacts, i: int, n: int) -> None:
    """Put row i of W. A row of G has few entries that are not zero."""
    delassus = contacts.delassus
    rows, row, w = contacts.rows, delassus.used[i], delassus.W[i]
    for j in range(n):
        w[j] = 0.0
    if contacts.constrained.state[row] != FREE:
        return
    for e in range(rows.at[row], rows.at[row + 1]):
        if rows.value[e] != 0.0:
            for j in range(n):
                w[j] += rows.value[e] * delassus.response[j, rows.column[e]]


@compiled
def put_mobilities(mechanism: Mechanism) -> None:
    """Put G M⁻¹ Gᵀ of each row, with the diagonals of the inertias of bodies as if no joint held them, into `mobility`.
    W of a row is a sum of terms of this size, so ε times this is its roundoff: W of a row that joints keep still is no
    more. Put the squared length of each row, in the norm of displacements, into `squared_length`."""
    contacts, machine, tr = mechanism.contacts, mechanism.machine, mechanism.machine.transformation
    delassus = contacts.delassus
    program, terms, mobility = contacts.program, contacts.tree.terms, delassus.mobility
    mobility[:] = 0.0
    delassus.squared_length[:] = 0.0
    if tr.edges > 0 and tr.deep == 0:
        for term in range(terms.row.size):
            take_term(tr, terms, term, contacts.motion.outputs, contacts.equations.residual_tail)
            k = 0
            for i in range(6):
                if tr.tree.dimension == 3 or i < 2 or i == 5:
                    mass = tr.inertia[terms.edge[term], (k + 1) * (k + 2) // 2 - 1]
                    mobility[terms.row[term]] += tr.part[0][i] ** 2 / mass if mass > 0.0 else 0.0
                    delassus.squared_length[terms.row[term]] += tr.part[0][i] ** 2 * tr.unit[i]
                    k += 1
        return
    for k in range(program.jac_to.size):
        e = program.jac_to[k]
        mass, entry = machine.factor.weight[program.jac_column[e]], contacts.motion.outputs[program.jac_from[k]]
        mobility[program.jac_row[e]] += entry * entry / mass if mass > 0.0 else 0.0
        delassus.squared_length[program.jac_row[e]] += entry * entry / mechanism.geometric[program.jac_column[e]]


@compiled
def row_size(contacts: Contacts, i: int) -> float:
    """Return the root of the larger one of W and `mobility` of row i in use: the unit of accelerations along the row,
    and the reciprocal unit of forces. It is 1 for rows that nothing moves."""
    return np.sqrt(squared_size(contacts, i))


@compiled
def squared_size(contacts: Contacts, i: int) -> float:
    delassus = contacts.delassus
    row = delassus.used[i]
    square = max(delassus.W[i, i], delassus.mobility[row])
    return square if square > 0.0 and contacts.constrained.state[row] == FREE else 1.0


@compiled
def put_masses(contacts: Contacts) -> float:
    """Put into `lightest` and `heaviest` the least and the largest mass of the bodies that feel a force along each row
    in use: entries of W connect rows, directly or over others. The effective mass 1/W of a row counts as a mass, too:
    that of a rotor is its inertia over the squared arm. Return the least ratio of both masses, of rows that forces
    move."""
    delassus = contacts.delassus
    n, changed, least = delassus.used_count[0], True, 1.0
    light, heavy = contacts.corrections.lightest, contacts.corrections.heaviest
    for i in range(n):
        row, own = delassus.used[i], delassus.W[i, i]
        point = contacts.points.of_row[row]
        turned = delassus.squared_length[row] / own if own > 0.0 else np.inf  # inertia over arm² for a rotor
        light[i], heavy[i] = min(contacts.groups.lightest[point], turned), contacts.groups.heaviest[point]
    while changed:
        changed = False
        for i in range(n):
            for j in range(n):
                felt = delassus.W[i, j] != 0.0 and (light[j] < light[i] or heavy[j] > heavy[i])
                if felt:
                    light[i], heavy[i], changed = min(light[i], light[j]), max(heavy[i], heavy[j]), True
    for i in range(n):
        if heavy[i] > 0.0 and delassus.W[i, i] != 0.0:
            least = min(least, light[i] / heavy[i])
    return least


@compiled
def put_spread(contacts: Contacts, least: float) -> bool:
    """Put 1 into `is_spread` for neighbourhoods with a force that is an unknown, is not zero, and is less than the part
    `least` of the largest load, by `force_size`; return whether there are any. Squares are compared, in units of rows.
    Forces against the accelerations without contacts count as loads, too: a contact bears their difference."""
    delassus, corrections = contacts.delassus, contacts.corrections
    most, found, n, part = 0.0, False, delassus.used_count[0], least * least
    corrections.is_spread[:] = 0
    for i in range(n):
        unit = squared_size(contacts, i)
        against = corrections.free_force[i] if delassus.W[i, i] > NO_PIVOT * unit else 0.0
        corrections.squared_load[i] = max(delassus.amount[i] ** 2, against**2) * unit
        corrections.squared_force[i] = corrections.force_size[i] ** 2 * unit if corrections.is_unknown[i] == 1 else 0.0
        most = max(most, corrections.squared_load[i])
    for i in range(n):
        found = found or _is_small(contacts, i, part * most)
    if not found:
        return False
    _put_neighbours(contacts)
    corrections.largest_force[:], found = 0.0, False
    for i in range(n):
        k = corrections.neighbourhood[i]
        corrections.largest_force[k] = max(corrections.largest_force[k], corrections.squared_load[i])
    for i in range(n):
        k = corrections.neighbourhood[i]
        if _is_small(contacts, i, part * corrections.largest_force[k]):
            corrections.is_spread[k], found = 1, True
    return found


@compiled
def _is_small(contacts: Contacts, i: int, most: float) -> bool:
    """Return whether the force along row i in use is an unknown of its own, is not zero, and has a square less than
    `most`."""
    return 0.0 < contacts.corrections.squared_force[i] < most and contacts.corrections.force_size[i] > least_force(
        contacts, i
    )


@compiled
def _put_neighbours(contacts: Contacts) -> None:
    """Put into `neighbourhood` of each row in use the least number of a row that entries of W connect with it."""
    n, own, changed = contacts.delassus.used_count[0], contacts.corrections.neighbourhood, True
    for i in range(n):
        own[i] = i
    while changed:
        changed = False
        for i in range(n):
            for j in range(n):
                if contacts.delassus.W[i, j] != 0.0 and own[j] < own[i]:
                    own[i], changed = own[j], True


@compiled
def put_free_force(contacts: Contacts, i: int, x: Vector, start: Vector) -> None:
    """Put the force along row i in use that would stop start[i] and all terms of G x into `free_force`."""
    own = contacts.delassus.W[i, i]
    size = abs(start[i]) + row_dot_size(contacts.rows, contacts.delassus.used[i], x)
    contacts.corrections.free_force[i] = size / own if own > 0.0 else 0.0


@compiled
def least_force(contacts: Contacts, i: int) -> float:
    """Return the size below which the force along row i in use counts as zero: a part of the forces that would stop all
    terms of its acceleration."""
    return NONE * (contacts.corrections.free_force[i] + opposing_force(contacts, i, contacts.delassus.amount))


@compiled
def is_far_apart(contacts: Contacts, i: int) -> bool:
    """Return whether the masses of bodies that feel the force along row i in use are far apart; False for a row that
    joints alone hold."""
    return (
        contacts.delassus.W[i, i] != 0.0 and contacts.corrections.lightest[i] < FIRM * contacts.corrections.heaviest[i]
    )


@compiled
def is_spread(contacts: Contacts, i: int) -> bool:
    """Return whether the force along row i in use is corrected because its neighbourhood has forces of far different
    size."""
    return (
        contacts.delassus.W[i, i] != 0.0 and contacts.corrections.is_spread[contacts.corrections.neighbourhood[i]] == 1
    )


@compiled
def is_corrected(contacts: Contacts, i: int) -> bool:
    """Return whether the force along row i in use may lose digits beside larger masses or forces."""
    return is_spread(contacts, i) or is_far_apart(contacts, i)


@compiled
def keep_uncertain(contacts: Contacts) -> None:
    """Keep in use only the rows between masses that are far apart: an error message names their contacts."""
    delassus = contacts.delassus
    many, contacts.corrections.uncertain[0] = 0, 1
    for i in range(delassus.used_count[0]):
        if is_far_apart(contacts, i):
            delassus.used[many], many = delassus.used[i], many + 1
    delassus.used_count[0] = many


@compiled
def put_paces(mechanism: Mechanism, x: Vector) -> None:
    """Put into `pace` of each group the acceleration (by the norm of displacements) that the largest load of the group
    gives its heaviest body. The loads are those of the accelerations x without contacts: a light body alone may have an
    acceleration of any size."""
    contacts, of = mechanism.contacts, mechanism.contacts.groups.of_column
    groups = contacts.groups
    pace, mass = groups.pace, groups.mass
    pace[:] = mass[:] = 0.0
    for column in range(of.size):
        own, g = groups.column_mass[column], of[column]
        if g >= 0:
            mass[g] = max(mass[g], own)
            pace[g] = max(pace[g], own * abs(x[column]) * np.sqrt(mechanism.geometric[column]))
    for g in range(pace.size):
        pace[g] = pace[g] / mass[g] if mass[g] > 0.0 else 0.0


@compiled
def pace_along(contacts: Contacts, row: int) -> float:
    """Return the acceleration along a row when displacements accelerate by the pace of its group."""
    return contacts.groups.pace[contacts.groups.of_row[row]] * np.sqrt(contacts.delassus.squared_length[row])


@compiled
def own_pace(mechanism: Mechanism) -> float:
    """Return the acceleration of the size of the motion itself: its speed squared over the length of the model."""
    return largest(mechanism.contacts.motion.rate_size) ** 2 / mechanism.machine.extent


@compiled
def fastest(mechanism: Mechanism) -> float:
    """Return the largest acceleration of the last solution, in the norm of displacements."""
    x, most = mechanism.machine.x, 0.0
    for column in range(mechanism.contacts.corrections.acceleration_tail.size):
        most = max(most, abs(x[column]) * np.sqrt(mechanism.geometric[column]))
    return most


@compiled
def along_row(mechanism: Mechanism, row: int, most: float) -> float:
    """Return the largest acceleration along a row that displacements accelerated by at most `most` can make."""
    contacts, total = mechanism.contacts, 0.0
    for column in range(contacts.corrections.acceleration_tail.size):
        total += abs(contacts.delassus.G[row, column]) / np.sqrt(mechanism.geometric[column])
    return total * most


@compiled
def force_to_stop(mechanism: Mechanism, i: int, least: float) -> float:
    """Return the force along row i in use that would stop all terms of its present acceleration, and `least` in
    addition: far smaller forces are roundoff. It is 0 for a row that nothing moves."""
    contacts, x = mechanism.contacts, mechanism.machine.x
    delassus = contacts.delassus
    row, own = delassus.used[i], delassus.W[i, i]
    size = abs(contacts.motion.gamma[row]) + least
    for column in range(x.size):
        size += abs(delassus.G[row, column] * x[column])
    return size / own if own > 0.0 else 0.0


@compiled
def opposing_force(contacts: Contacts, i: int, amounts: Vector) -> float:
    """Return the force along row i in use that would balance the terms of W f, whatever their signs, with these amounts
    as f; 0 for a row that nothing moves."""
    delassus = contacts.delassus
    size, own = 0.0, delassus.W[i, i]
    for j in range(delassus.used_count[0]):
        size += abs(delassus.W[i, j] * amounts[j])
    return size / own if own > 0.0 else 0.0


@compiled
def is_moved(contacts: Contacts, i: int) -> bool:
    """Return whether forces move row i in use: its W is more than the roundoff of its terms."""
    return contacts.delassus.W[i, i] > NO_PIVOT * row_size(contacts, i) ** 2


@compiled
def add_responses(mechanism: Mechanism, amounts: Vector, tails: Vector) -> None:
    """Add the responses, times these amounts of two parts, the second one small beside the first, to the solution
    machine.x and to the multipliers. The sums have two parts as well; the second ones are put into `acceleration_tail`
    and `multiplier_tail`."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus = contacts.delassus
    x, multipliers, lost_x, lost = (
        machine.x,
        machine.multipliers,
        contacts.corrections.acceleration_tail,
        contacts.corrections.multiplier_tail,
    )
    lost_x[:] = lost[:] = 0.0
    for i in range(delassus.used_count[0]):
        if amounts[i] != 0.0:
            response, answer = delassus.response[i], delassus.multipliers[i]
            for k in range(lost_x.size):
                if response[k] != 0.0:
                    add_product(response[k], amounts[i], tails[i], x, lost_x, k)
            for k in range(lost.size):
                if answer[k] != 0.0:
                    add_product(answer[k], amounts[i], tails[i], multipliers, lost, k)
    for k in range(lost_x.size):
        x[k], lost_x[k] = two_sum(x[k], lost_x[k])
    for k in range(lost.size):
        multipliers[k], lost[k] = two_sum(multipliers[k], lost[k])


@compiled
def put_residual(
    mechanism: Mechanism, row: int, target: float, rest: float, residual: Vector, residual_tail: Vector, i: int
) -> None:
    """Put target + rest - G x of a row into residual[i], with the x of two parts from `add_responses`."""
    contacts, rows, x = mechanism.contacts, mechanism.contacts.rows, mechanism.machine.x
    residual[i], residual_tail[i] = target, rest
    for e in range(rows.at[row], rows.at[row + 1]):
        if rows.value[e] != 0.0:
            column = rows.column[e]
            add_product(
                -rows.value[e], x[column], contacts.corrections.acceleration_tail[column], residual, residual_tail, i
            )
    residual[i] += residual_tail[i]


@compiled
def refine_solution(mechanism: Mechanism, f: Vector, g: Vector, amounts: Vector, tails: Vector) -> None:
    """Correct the solution of two parts from `add_responses` by the residuals of the equations of bodies and joints,
    with loads f, rates g and forces of these amounts along the rows in use. Nothing is done for a tree of bodies, which
    has no M for this: its responses are as exact as their own refinement."""
    contacts, machine, rows = mechanism.contacts, mechanism.machine, mechanism.contacts.rows
    constrained, corrections = contacts.constrained, contacts.corrections
    pattern, factor, unsettled = machine.pattern, machine.factor, mechanism.machine.factor.unsettled[0]
    if pattern.tree.edges > 0:
        return
    for _ in range(REFINED):
        put_right_sides(pattern, factor, f, g)
        for i in range(contacts.delassus.used_count[0]):
            row = contacts.delassus.used[i]
            for e in range(rows.at[row], rows.at[row + 1] if amounts[i] != 0.0 else rows.at[row]):
                if rows.value[e] != 0.0:
                    add_product(rows.value[e], amounts[i], tails[i], factor.rest_x, factor.part, rows.column[e])
        subtract_products(
            pattern, factor, machine.x, machine.multipliers, corrections.acceleration_tail, corrections.multiplier_tail
        )
        for k in range(pattern.n):
            constrained.displacement[k] = factor.rest_x[k]
        for row in range(pattern.m):
            constrained.combination[row] = factor.rest_g[row] if factor.kept[row] > 0.0 else 0.0
        times = mechanism.refinements
        solve(
            pattern,
            factor,
            constrained.displacement,
            constrained.combination,
            corrections.acceleration_step,
            corrections.multiplier_step,
            times,
        )
        _add_step(machine.x, corrections.acceleration_tail, corrections.acceleration_step)
        _add_step(machine.multipliers, corrections.multiplier_tail, corrections.multiplier_step)
    factor.unsettled[0] = unsettled


@compiled
def _add_step(x: Vector, tail: Vector, step: Vector) -> None:
    for k in range(tail.size):
        x[k], tail[k] = two_sum(x[k], tail[k] + step[k])


@compiled
def put_rate_tails(mechanism: Mechanism, v: Vector) -> None:
    """Put the roundoff of the rates G v - ν of all rows into `rate_tail`, from the velocities v of the machine's own
    coordinates."""
    contacts, rows, tr = mechanism.contacts, mechanism.contacts.rows, mechanism.machine.transformation
    motion, corrections = contacts.motion, contacts.corrections
    if tr.deep == 1:
        v = tr.vc
    for row in range(motion.rate.size):
        corrections.offset[row], corrections.rate_tail[row] = -motion.nu[row], 0.0
        for e in range(rows.at[row], rows.at[row + 1]):
            add_product(rows.value[e], v[rows.column[e]], 0.0, corrections.offset, corrections.rate_tail, row)
        corrections.rate_tail[row] += corrections.offset[row] - motion.rate[row]


@compiled
def responses(mechanism: Mechanism, amounts: Vector, tails: Vector) -> None:
    """Put the sum of responses with these amounts, as velocities or a small motion of the machine's own coordinates,
    into machine.x."""
    mechanism.machine.x[:] = 0.0
    mechanism.machine.multipliers[:] = 0.0
    add_responses(mechanism, amounts, tails)
    in_own_velocities(mechanism.machine)


@compiled
def put_jump(mechanism: Mechanism) -> None:
    """Put the jump of velocities by the impulses `amount`, in the machine's own coordinates, into machine.x, refined if
    the impulses were corrected. Overwrites contacts.delassus.f and contacts.delassus.g."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus = contacts.delassus
    machine.x[:] = machine.multipliers[:] = delassus.f[:] = delassus.g[:] = 0.0
    add_responses(mechanism, delassus.amount, delassus.amount_tail)
    if contacts.corrections.corrected[0] == 1:
        refine_solution(mechanism, delassus.f, delassus.g, delassus.amount, delassus.amount_tail)
    in_own_velocities(machine)
