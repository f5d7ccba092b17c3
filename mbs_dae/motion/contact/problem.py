"""The laws of the points that touch, as a problem of complementarity. Compiled."""

import numpy as np

from ...kernels.abi import compiled
from ...linear.complementarity import SEVERAL, solve_complementarity
from .bounds import COMPONENTS, given, is_given, put_bounds
from .delassus import use


@compiled
def use_points(contacts, points):
    """Use the rows of these points, and no others: of each its gap, then its slips."""
    contacts.size[0] = 0
    for c in range(contacts.gap.size):
        if points[c] == 1 and contacts.gap[c] >= 0:
            use(contacts, contacts.gap[c])
        for k in range(contacts.slips[c] * points[c]):
            use(contacts, contacts.slip[c] + k)


@compiled
def pose(mechanism, points, is_impact):
    """The problem of these points but for its w0. Points that slip (`slipping`) have the friction of that; so have all
    in an impact."""
    contacts = mechanism.contacts
    problem, laws, bounds, i = contacts.problem, 0, 0, 0
    problem.B[:] = problem.b[:] = problem.heading[:] = problem.f[:] = 0.0
    put_bounds(mechanism, is_impact)
    for i in range(contacts.size[0]):
        for j in range(contacts.size[0]):
            problem.W[i, j] = contacts.delassus[i, j]
    i = 0
    for c in range(contacts.gap.size):
        if points[c] == 0:
            continue
        if contacts.gap[c] >= 0:
            problem.first[laws], problem.bound_at[laws], problem.mu[laws] = i, bounds, 0.0
            laws, i = laws + 1, i + 1
        if contacts.slips[c] > 0:
            slips = contacts.slipping[c] == 1
            problem.first[laws], problem.bound_at[laws] = i, bounds
            problem.mu[laws] = contacts.friction[c] if slips or is_impact else contacts.static[c]
            bounds += _put_bound(contacts, c, bounds, i, not slips)
            laws += 1
            for k in range(contacts.slips[c] if slips else 0):
                problem.heading[i + k] = contacts.heading[contacts.slip[c] + k]
        i += contacts.slips[c]
    problem.first[laws], problem.bound_at[laws], problem.counts[0] = i, bounds, laws


@compiled
def _put_bound(contacts, c, at, i, rests):
    """The bound of a friction whose first unknown is i, from row `at` on; how many rows it has."""
    problem = contacts.problem
    if contacts.gap[c] >= 0:
        problem.B[at, i - 1] = 1.0
        return 1
    if is_given(contacts, c):
        problem.b[at] = given(contacts, c, rests)
        return 1
    for d in range(contacts.bound[c]):
        problem.b[at + d] = contacts.b[COMPONENTS * c + d]
        for j in range(contacts.size[0]):
            problem.B[at + d, j] = contacts.B[COMPONENTS * c + d, j]
    return contacts.bound[c]


@compiled
def bound_now(contacts, law, mu):
    """The bound that the solution gives a friction law, with this coefficient."""
    problem, square = contacts.problem, 0.0
    for row in range(problem.bound_at[law], problem.bound_at[law + 1]):
        part = problem.b[row]
        for j in range(contacts.size[0]):
            part += problem.B[row, j] * problem.f[j]
        square += part * part
    return mu * np.sqrt(square)


@compiled
def is_solved(contacts):
    """Solve it; whether there is a solution."""
    return solve_complementarity(contacts.problem) <= SEVERAL
