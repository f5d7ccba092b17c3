"""Projection onto closed contacts: remove the errors of steps in gaps, in their rates, and in slips that stick.
Compiled.

All errors are removed by the least change in the norm of the masses that the joints allow: positions by displacements G
x = -g, then velocities. The rates of joints are corrected first: slips that stick and closed gaps may be one motion of
the joints (`following`), and each correction would undo the other.
"""

from ...compiled.contact_records import INCIPIENT, OPEN, STICKING, STOPS, Contacts
from ...compiled.contact_rows import put_rows
from ...compiled.machine import in_own_velocities, subtract_rates
from ...compiled.manifold import move
from ...compiled.status import DONE, NOT_FINITE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import scaled_solution
from ...linear.kkt import solve
from ...linear.vectors import axpy, copy, dot
from ..derivative import evaluate, factorise_terms
from ..mechanism_record import Mechanism
from .problem import respond, responses, use
from .sizes import row_size


@compiled_apart
def keep_closed(mechanism: Mechanism, q: Vector, v: Vector) -> None:
    """Project a state onto the surfaces of closed contacts, in place."""
    contacts = mechanism.contacts
    delassus, choice = contacts.delassus, contacts.choice
    t, closed = mechanism.switches.now[0], choice.closed_count[0]
    choice.closed_count[0] = 0
    evaluate(mechanism, t, q, v)
    choice.status[0] = DONE if factorise_terms(mechanism) else NOT_FINITE
    choice.closed_count[0] = closed
    if choice.status[0] != DONE:
        return
    put_rows(contacts)
    gaps = use_closed(contacts)
    respond(mechanism, 0)
    put_cancelling(contacts, contacts.motion.phi, gaps)
    responses(mechanism, delassus.amount, contacts.corrections.no_tail)
    move(mechanism.machine.manifold, q, mechanism.machine.x)
    _bring_back_joints(mechanism, v)
    put_cancelling(contacts, contacts.motion.rate, delassus.used_count[0])
    responses(mechanism, delassus.amount, contacts.corrections.no_tail)
    axpy(1.0, mechanism.machine.x[: mechanism.machine.norm.size], v)


@compiled
def _bring_back_joints(mechanism: Mechanism, v: Vector) -> None:
    """Make v satisfy the rates of joints, and put the rates of contacts with it."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus = contacts.delassus
    delassus.f[:] = 0.0
    copy(machine.nu, machine.g)
    subtract_rates(machine, 1.0, v)
    solve(machine.pattern, machine.factor, delassus.f, machine.g, machine.x, machine.multipliers, mechanism.refinements)
    for row in range(contacts.motion.rate.size):
        contacts.motion.rate[row] += dot(delassus.G[row], machine.x[: delassus.G.shape[1]])
    in_own_velocities(machine)
    axpy(1.0, machine.x[: machine.norm.size], v)


@compiled
def use_closed(contacts: Contacts) -> int:
    """Take into use the gaps of closed points, then the slips of points that stick, or have just stopped and begin
    anew; return the number of gaps. (A slip that goes on to the other side passes zero by itself.)"""
    contacts.delassus.used_count[0] = 0
    for c in range(contacts.gap_row.size):
        if contacts.state[c] != OPEN and contacts.gap_row[c] >= 0:
            use(contacts, contacts.gap_row[c])
    gaps = contacts.delassus.used_count[0]
    for c in range(contacts.gap_row.size):
        rests = contacts.state[c] == STICKING or (contacts.state[c] == INCIPIENT and contacts.choice.began[c] == STOPS)
        for k in range(contacts.slip_count[c] if rests else 0):
            use(contacts, contacts.slip_row[c] + k)
    return gaps


@compiled
def put_cancelling(contacts: Contacts, values: Vector, n: int) -> None:
    """Put the amounts along the first n rows in use that make these values zero into `amount`."""
    delassus, equations = contacts.delassus, contacts.equations
    for i in range(n):
        equations.right[i] = -values[delassus.used[i]]
        for j in range(n):
            equations.matrix[i, j] = delassus.W[i, j]
        equations.units[0, i] = equations.units[1, i] = 1.0 / row_size(contacts, i)
    delassus.amount[:] = 0.0
    scaled_solution(equations.matrix, equations.right, delassus.amount, equations.order, n, equations.units)
