"""Responses of the mechanism to forces along the rows of contacts. Compiled.

With the factor of [M Φ_vᵀ; Φ_v 0], a unit force along a row r makes accelerations x_r and multipliers λ_r,

    [M Φ_vᵀ; Φ_v 0] [x_r; λ_r] = [G_rᵀ; 0],          W_ir = G_i x_r,

the Delassus matrix: symmetric and positive semidefinite, whatever joints there are. W serves forces (x are then
accelerations), impulses (velocities) and corrections of positions (displacements) alike.

A light body between two heavy ones is pushed by forces that are far larger than their difference, which is all that
moves it. So sums of responses have twice the digits (`twofold`), and where forces are corrected, so have the residuals
of all equations (`digits`).
"""

from ...compiled.contact_records import FREE, Contacts
from ...compiled.machine import in_own_velocities
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.kkt import solve
from ...linear.twofold import add_product, two_sum
from ..mechanism_record import Mechanism
from .digits import refine_solution
from .sizes import put_mobilities


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
def leave_out(contacts: Contacts, i: int) -> None:
    """Put 0 into W and into the response of row i in use, which no force moves."""
    delassus = contacts.delassus
    delassus.response[i][:] = 0.0
    for j in range(delassus.used_count[0]):
        delassus.W[i, j] = delassus.W[j, i] = 0.0


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
