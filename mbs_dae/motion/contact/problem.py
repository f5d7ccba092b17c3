"""The laws of the points that touch, as a problem of complementarity. Compiled.

Touching points fall into groups that do not feel each other: balls that lie about, the stops of two mechanisms. Each is
a problem of its own, found by the entries of W. The total cost is that of the largest group times their number; and
each group has a scale of its own.
"""

import numpy as np

from ...compiled.contact_records import HOLDS, Contacts
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers
from ...linear.complementarity import SEVERAL, solve_complementarity
from ...linear.laws import Complementarity
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS, given, is_given, put_bounds
from .delassus import (
    use,
)
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
    """Solve the problem, group by group; return whether there is a solution."""
    groups = _put_into_groups(contacts)
    for group in range(groups):
        if groups > 1:
            _take(contacts, group)
        if solve_complementarity(contacts.partition.part if groups > 1 else contacts.problem) > SEVERAL:
            return False
        if groups > 1:
            _give_back(contacts, group)
    return True


@compiled
def put_changes(contacts: Contacts) -> None:
    """Put W f, the changes of rates by the amounts f, into `rate_change`."""
    delassus = contacts.delassus
    for i in range(delassus.used_count[0]):
        delassus.rate_change[i] = 0.0
        for j in range(delassus.used_count[0]):
            delassus.rate_change[i] += delassus.W[i, j] * delassus.amount[j]


@compiled
def _put_into_groups(contacts: Contacts) -> int:
    """Put the laws of the problem into `queue`, group after group, group k from `begin`[k] on; return the number of
    groups. Laws are in one group if entries of W or of a bound connect them, directly or over others."""
    partition = contacts.partition
    p, queue, begins = contacts.problem, partition.queue, partition.begin
    laws, filled, groups = p.counts[0], 0, 0
    for law in range(laws):
        partition.seen[law] = 0
    for start in range(laws):
        if partition.seen[start] == 1:
            continue
        begins[groups], groups = filled, groups + 1
        queue[filled], partition.seen[start], at = start, 1, filled
        filled += 1
        while at < filled:
            law = queue[at]
            at += 1
            for other in range(laws):
                if partition.seen[other] == 0 and (_is_felt(p, law, other) or _is_felt(p, other, law)):
                    queue[filled], partition.seen[other] = other, 1
                    filled += 1
    begins[groups] = filled
    return groups


@compiled
def _is_felt(p: Complementarity, law: int, other: int) -> bool:
    """Return whether the unknowns of `law` occur in `other`."""
    for j in range(p.first[law], p.first[law + 1]):
        for i in range(p.first[other], p.first[other + 1]):
            if p.W[i, j] != 0.0:
                return True
        for row in range(p.bound_at[other], p.bound_at[other + 1]):
            if p.B[row, j] != 0.0:
                return True
    return False


@compiled
def _take(contacts: Contacts, group: int) -> None:
    """Put the problem of one group into `part`, and the numbers of its unknowns in the whole problem into `unknown`."""
    partition = contacts.partition
    whole, part, place = contacts.problem, partition.part, partition.unknown
    begin, end, n, rows = partition.begin[group], partition.begin[group + 1], 0, 0
    for k in range(begin, end):
        law = partition.queue[k]
        part.first[k - begin], part.bound_at[k - begin], part.mu[k - begin] = n, rows, whole.mu[law]
        for i in range(whole.first[law], whole.first[law + 1]):
            place[n], n = i, n + 1
        rows += whole.bound_at[law + 1] - whole.bound_at[law]
    part.first[end - begin], part.bound_at[end - begin], part.counts[0] = n, rows, end - begin
    for i in range(n):
        part.w0[i], part.f[i], part.heading[i] = whole.w0[place[i]], whole.f[place[i]], whole.heading[place[i]]
        for j in range(n):
            part.W[i, j] = whole.W[place[i], place[j]]
    rows = 0
    for k in range(begin, end):
        law = partition.queue[k]
        for row in range(whole.bound_at[law], whole.bound_at[law + 1]):
            part.b[rows] = whole.b[row]
            for j in range(n):
                part.B[rows, j] = whole.B[row, place[j]]
            rows += 1


@compiled
def _give_back(contacts: Contacts, group: int) -> None:
    partition = contacts.partition
    part = partition.part
    for i in range(part.first[part.counts[0]]):
        contacts.problem.f[partition.unknown[i]], contacts.problem.w[partition.unknown[i]] = part.f[i], part.w[i]
