"""The Delassus matrix of contacts, and the laws of the points that touch as a problem of complementarity. Compiled.

With the factor of [M Φ_vᵀ; Φ_v 0], a unit force along a row r of contacts makes accelerations x_r and multipliers λ_r,

    [M Φ_vᵀ; Φ_v 0] [x_r; λ_r] = [G_rᵀ; 0],          W_ir = G_i x_r,

the Delassus matrix: symmetric and positive semidefinite, whatever joints there are. W serves forces (x are then
accelerations), impulses (velocities) and corrections of positions (displacements) alike.

A light body between two heavy ones is pushed by forces that are far larger than their difference, which is all that
moves it. So sums of responses have twice the digits (`twofold`), and where forces are corrected, so have the residuals
of all equations (`digits`).

Touching points fall into groups that do not feel each other: balls that lie about, the stops of two mechanisms. Each is
a problem of its own, found by the entries of W (`linear.partition`). The total cost is that of the largest group times
their number; and each group has a scale of its own.
"""

import numpy as np

from ...compiled.contact_records import FREE, HOLDS, Contacts
from ...compiled.machine import in_own_velocities
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Vector
from ...linear.complementarity import SEVERAL, solve_complementarity
from ...linear.kkt import solve
from ...linear.partition import give_back, put_into_groups, take_group
from ...linear.twofold import add_product, two_sum
from ...linear.vectors import copy
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS, given, is_given, put_bounds
from .digits import refine_solution
from .rubbing import direction, drives_apart, kinetic_coefficient, never_sticks, speed_of, static_coefficient
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


@compiled
def use_points(contacts: Contacts, points: Integers) -> None:
    """Take the rows of these points into use, and no others: for each point its gap, then its slips."""
    contacts.delassus.used_count[0] = 0
    for c in range(contacts.gap_row.size):
        if points[c] == 1 and contacts.gap_row[c] >= 0:
            use(contacts, contacts.gap_row[c])
        for k in range(contacts.slip_count[c] * points[c]):
            use(contacts, contacts.slip_row[c] + k)


@compiled
def write_laws(mechanism: Mechanism, points: Integers, is_impact: bool) -> None:
    """Pose the problem of these points except for w0. Points that slip, or begin to (`slipping`), have the coefficient
    of sliding; so have all points in an impact."""
    contacts = mechanism.contacts
    delassus, choice = contacts.delassus, contacts.choice
    problem, laws, bounds, i = contacts.problem, 0, 0, 0
    problem.B[:] = problem.b[:] = problem.heading[:] = problem.f[:] = 0.0
    put_bounds(mechanism, is_impact)
    for i in range(delassus.used_count[0]):
        for j in range(delassus.used_count[0]):
            problem.W[i, j] = delassus.W[i, j]
    i = 0
    for c in range(contacts.gap_row.size):
        if points[c] == 0:
            continue
        if contacts.gap_row[c] >= 0:
            problem.first[laws], problem.bound_at[laws], problem.mu[laws] = i, bounds, 0.0
            laws, i = laws + 1, i + 1
        if contacts.slip_count[c] > 0:
            slips = choice.slipping[c] > 0
            problem.first[laws], problem.bound_at[laws] = i, bounds
            mu = kinetic_coefficient(contacts, c) if slips or is_impact else static_coefficient(contacts, c)
            problem.mu[laws] = mu
            bounds += _put_bound(contacts, c, bounds, i, not slips or choice.departure[c] == HOLDS)
            if choice.slipping[c] == 1 or drives_apart(contacts, c):
                _put_heading(contacts, c, i, laws)
            laws += 1
        i += contacts.slip_count[c]
    problem.first[laws], problem.bound_at[laws], problem.counts[0] = i, bounds, laws


@compiled
def _put_heading(contacts: Contacts, c: int, i: int, law: int) -> None:
    """Put the direction of a friction that slips, whose first unknown is i. The direction of friction that never sticks
    is shorter than 1; its length is a factor of the coefficient."""
    problem, part = contacts.problem, 1.0
    is_faint = never_sticks(contacts, c) and not drives_apart(contacts, c)
    if is_faint:
        part = speed_of(contacts, c) / np.hypot(speed_of(contacts, c), contacts.laws.smooth[c])
    problem.mu[law] *= part
    for k in range(contacts.slip_count[c]):
        along = contacts.sliding.heading[contacts.slip_row[c] + k]
        if never_sticks(contacts, c):
            along = direction(contacts, c, k) / part if part > 0.0 else 0.0
        problem.heading[i + k] = along


@compiled
def _put_bound(contacts: Contacts, c: int, at: int, i: int, rests: bool) -> int:
    """Put the bound of a friction whose first unknown is i, from row `at` on; return its number of rows."""
    normals = contacts.normals
    problem = contacts.problem
    if contacts.gap_row[c] >= 0:
        problem.B[at, i - 1] = 1.0
        return 1
    if is_given(contacts, c):
        problem.b[at] = given(contacts, c, rests)
        return 1
    for d in range(normals.components[c]):
        problem.b[at + d] = normals.b[COMPONENTS * c + d]
        for j in range(contacts.delassus.used_count[0]):
            problem.B[at + d, j] = normals.B[COMPONENTS * c + d, j]
    return normals.components[c]


@compiled
def bound_now(contacts: Contacts, law: int, mu: float) -> float:
    """Return the bound of a friction law by the solution, with this coefficient."""
    problem, square = contacts.problem, 0.0
    for row in range(problem.bound_at[law], problem.bound_at[law + 1]):
        part = problem.b[row]
        for j in range(contacts.delassus.used_count[0]):
            part += problem.B[row, j] * problem.f[j]
        square += part * part
    return mu * np.sqrt(square)


@compiled
def write_gaps(contacts: Contacts) -> None:
    """Pose the problem of the least displacement with which no gap in use is negative."""
    delassus = contacts.delassus
    problem, n = contacts.problem, delassus.used_count[0]
    problem.heading[:] = problem.f[:] = 0.0
    problem.counts[0] = n
    for i in range(n):
        problem.first[i], problem.bound_at[i], problem.mu[i] = i, 0, 0.0
        problem.w0[i] = contacts.motion.phi[delassus.used[i]]
        for j in range(n):
            problem.W[i, j] = delassus.W[i, j]
    problem.first[n], problem.bound_at[n] = n, 0


@compiled_apart
def solve_laws(contacts: Contacts) -> bool:
    """Solve the problem, group by group; return whether there is a solution. Put f and w."""
    whole, partition = contacts.problem, contacts.partition
    groups = put_into_groups(whole, partition)
    if groups == 1:
        return solve_complementarity(whole) <= SEVERAL
    for group in range(groups):
        take_group(whole, partition, group)
        if solve_complementarity(partition.part) > SEVERAL:
            return False
        give_back(whole, partition)
    return True


@compiled
def take_solution(contacts: Contacts) -> None:
    """Put the f of the problem solved last into `amount`, without second parts, and W f into `rate_change`."""
    copy(contacts.problem.f[: contacts.delassus.used_count[0]], contacts.delassus.amount)
    contacts.delassus.amount_tail[:] = 0.0
    put_changes(contacts)


@compiled
def put_changes(contacts: Contacts) -> None:
    """Put W f, the changes of rates by the amounts f, into `rate_change`."""
    delassus = contacts.delassus
    for i in range(delassus.used_count[0]):
        delassus.rate_change[i] = 0.0
        for j in range(delassus.used_count[0]):
            delassus.rate_change[i] += delassus.W[i, j] * delassus.amount[j]
