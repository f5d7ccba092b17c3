"""Sizes of forces and accelerations along the rows of contacts, to which roundoff is compared. Compiled.

A number is roundoff if it is a small part of the terms of which it is the sum. The terms of W of a row are of the size
`mobility`, those of an acceleration of the size of the motion (`own_pace`) or of what the largest loads give heavy
bodies (`put_paces`), those of a force of the size of the forces that stop all terms of its acceleration.
"""

import numpy as np

from ...compiled.contact_records import FREE, Contacts
from ...compiled.tree.transformation import take_term
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...linear.rows import row_dot_size
from ...linear.vectors import largest
from ...tolerances import PIVOT_TOLERANCE, SUM_ROUNDOFF
from ..mechanism_record import Mechanism


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
def is_moved(contacts: Contacts, i: int) -> bool:
    """Return whether forces move row i in use: its W is more than the roundoff of its terms."""
    return contacts.delassus.W[i, i] > PIVOT_TOLERANCE * row_size(contacts, i) ** 2


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
def put_free_force(contacts: Contacts, i: int, x: Vector, start: Vector) -> None:
    """Put the force along row i in use that would stop start[i] and all terms of G x into `free_force`."""
    own = contacts.delassus.W[i, i]
    size = abs(start[i]) + row_dot_size(contacts.rows, contacts.delassus.used[i], x)
    contacts.corrections.free_force[i] = size / own if own > 0.0 else 0.0


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
def least_force(contacts: Contacts, i: int) -> float:
    """Return the size below which the force along row i in use counts as zero: a part of the forces that would stop all
    terms of its acceleration."""
    return SUM_ROUNDOFF * (contacts.corrections.free_force[i] + opposing_force(contacts, i, contacts.delassus.amount))
