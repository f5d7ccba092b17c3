"""The laws of the points that touch, as a problem of complementarity. Compiled.

Touching points fall into groups that do not feel each other: balls that lie about, the stops of two mechanisms. Each is
a problem of its own, found by the entries of W (`linear.partition`). The total cost is that of the largest group times
their number; and each group has a scale of its own.
"""

import numpy as np

from ...compiled.contact_records import HOLDS, Contacts
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers
from ...linear.complementarity import SEVERAL, solve_complementarity
from ...linear.partition import give_back, put_into_groups, take_group
from ...linear.vectors import copy
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS, given, is_given, put_bounds
from .delassus import use
from .rubbing import direction, drives_apart, never_sticks, resting, sliding, speed_of


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
            problem.mu[laws] = sliding(contacts, c) if slips or is_impact else resting(contacts, c)
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
