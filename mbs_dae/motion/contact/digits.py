"""Digits of forces: where far different masses or forces lose them, and residuals with twice the digits. Compiled.

    masses far apart    a light body between two heavy ones is pushed by forces far larger than their difference, which
                        is all that moves it (`put_masses`)
    forces spread       a small force that depends on a large one has the roundoff of the large one (`put_spread`)

There residuals g - G x of rows, and those of the equations of bodies and joints, M x + Φ_vᵀ λ = Q + Gᵀ f, are summed
with twice the digits (`twofold`), and `corrections` removes them. For a few bodies of like masses nothing here changes
a number.
"""

import numpy as np

from ...compiled.contact_records import Contacts
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...linear.kkt import put_right_sides, solve, subtract_products
from ...linear.twofold import add_product, two_sum
from ...tolerances import MASS_CONTRAST, PIVOT_TOLERANCE
from ..mechanism_record import Mechanism
from .sizes import least_force, squared_size

REFINED = 2
"""The number of refinements of responses and solutions where forces are corrected: without them the regularisation of
rows of joints (`tolerances.DELTA`) would be as large as the least pivot."""


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
def is_far_apart(contacts: Contacts, i: int) -> bool:
    """Return whether the masses of bodies that feel the force along row i in use are far apart; False for a row that
    joints alone hold."""
    return (
        contacts.delassus.W[i, i] != 0.0
        and contacts.corrections.lightest[i] < MASS_CONTRAST * contacts.corrections.heaviest[i]
    )


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
        against = corrections.free_force[i] if delassus.W[i, i] > PIVOT_TOLERANCE * unit else 0.0
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
