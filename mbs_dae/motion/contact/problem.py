"""The laws of the points that touch, as a problem of complementarity. Compiled."""

from ...kernels.abi import compiled
from ...linear.complementarity import SEVERAL, solve_complementarity
from .delassus import use


@compiled
def use_points(contacts, points):
    """Use the rows of these points, and no others: of each its gap, then its slips."""
    contacts.size[0] = 0
    for c in range(contacts.gap.size):
        for k in range((1 + contacts.slips[c]) * points[c]):
            use(contacts, contacts.gap[c] if k == 0 else contacts.slip[c] + k - 1)


@compiled
def pose(contacts, points, holds):
    """The problem of these points but for its w0, with the friction of points that `slipping` tells of, of others that
    of sticking if that `holds`."""
    problem, laws, bounds, i = contacts.problem, 0, 0, 0
    problem.B[:] = problem.b[:] = problem.heading[:] = problem.f[:] = 0.0
    for i in range(contacts.size[0]):
        for j in range(contacts.size[0]):
            problem.W[i, j] = contacts.delassus[i, j]
    i = 0
    for c in range(contacts.gap.size):
        if points[c] == 0:
            continue
        problem.first[laws], problem.bound_at[laws], problem.mu[laws] = i, bounds, 0.0
        laws += 1
        if contacts.slips[c] > 0:
            slips = contacts.slipping[c] == 1
            problem.first[laws], problem.bound_at[laws] = i + 1, bounds
            problem.mu[laws] = contacts.static[c] if holds and not slips else contacts.friction[c]
            problem.B[bounds, i] = 1.0
            laws, bounds = laws + 1, bounds + 1
            for k in range(contacts.slips[c] if slips else 0):
                problem.heading[i + 1 + k] = contacts.heading[contacts.slip[c] + k]
        i += 1 + contacts.slips[c]
    problem.first[laws], problem.bound_at[laws], problem.counts[0] = i, bounds, laws


@compiled
def pose_gaps(contacts):
    """The problem of the least displacement with which no gap that is used is negative."""
    problem, n = contacts.problem, contacts.size[0]
    problem.heading[:] = problem.f[:] = 0.0
    problem.counts[0] = n
    for i in range(n):
        problem.first[i], problem.bound_at[i], problem.mu[i] = i, 0, 0.0
        problem.w0[i] = contacts.phi[contacts.used[i]]
        for j in range(n):
            problem.W[i, j] = contacts.delassus[i, j]
    problem.first[n], problem.bound_at[n] = n, 0


@compiled
def is_solved(contacts):
    """Solve it; whether there is a solution."""
    return solve_complementarity(contacts.problem) <= SEVERAL
