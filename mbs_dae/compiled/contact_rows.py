"""The rows of contacts: gaps, and slips of points that have friction. Compiled.

Each contact point has a row for its gap g and a row for each direction of its slip s; friction in a joint or on a
measure is a point without a gap. A row reads, like a row of a joint,

    ġ = G v - ν,      g̈ = G v̇ - γ,

and a force f along a row acts on the bodies by Gᵀ f. G is stored row by row over the columns of the system's matrix.
`observe_contacts` evaluates g, G v - ν, ν and γ; `put_rows` then puts G.
"""

from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from .batch import VALUE, evaluate
from .contact_records import Contacts
from .program import read_rows
from .tree.transformation import carry_to_ground, take_term


@compiled_apart
def observe_contacts(contacts: Contacts, t: float, q: Vector, v: Vector) -> None:
    """Evaluate gaps, the rates of gaps and slips, and γ at (t, q, v), with q and v of bodies, into
    `contacts.motion`."""
    laws, normals, groups = contacts.laws, contacts.normals, contacts.groups
    motion = contacts.motion
    program, out = contacts.program, motion.outputs
    evaluate(program.batch, VALUE, t, q, v, out)
    if normals.first_row.size > 0:
        evaluate(normals.readings, VALUE, t, q, v, normals.factors)
    if laws.drag_is_force.size > 0:
        evaluate(laws.drag_sizes, VALUE, t, q, v, laws.drag)
    read_rows(program, out, motion.phi, motion.nu, motion.gamma)
    for row in range(program.rows):
        motion.rate[row], motion.rate_size[row] = -motion.nu[row], abs(motion.nu[row])
    speed, largest = groups.speed, groups.rate
    speed[:] = largest[:] = 0.0
    for k in range(groups.of_velocity.size):
        g = groups.of_velocity[k]
        if g >= 0:
            speed[g] = max(speed[g], groups.arm[k] * abs(v[k]))
    for k in range(program.jac_to.size):
        e, entry = program.jac_to[k], out[program.jac_from[k]]
        row, column = program.jac_row[e], program.jac_column[e]
        motion.rate[row] += entry * v[column]
        motion.rate_size[row] += abs(entry) * speed[groups.of_row[row]] / groups.arm[column]
    for row in range(program.rows):
        g = groups.of_row[row]
        largest[g] = max(largest[g], motion.rate_size[row])


@compiled_apart
def put_rows(contacts: Contacts) -> None:
    """Put G of the last evaluation into `contacts.rows`; correct γ where bodies follow from joints."""
    tree = contacts.tree
    program, out, rows, tr = contacts.program, contacts.motion.outputs, contacts.rows, tree.transformation
    value, k = rows.value, 0
    value[:] = 0.0
    if tr.edges > 0 and tr.deep == 0:
        terms = tree.terms
        for term in range(terms.row.size):
            take_term(tr, terms, term, out, contacts.motion.gamma)
            k = carry_to_ground(tr, terms.edge[term], value, tree.entry_place, k)
    else:
        for k in range(tree.entry_place.size):
            value[tree.entry_place[k]] += out[program.jac_from[k]]
    for row in range(contacts.delassus.G.shape[0]):
        for e in range(rows.at[row], rows.at[row + 1]):
            contacts.delassus.G[row, rows.column[e]] = value[e]
