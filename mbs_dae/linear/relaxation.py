"""Problems of contact (`laws`), nearly: one law after the other is satisfied with the others as they stand. Compiled.

The nonlinear Gauss-Seidel method of Moreau and Jean. It comes near slowly, by a factor a sweep; but a sweep costs no
more than W has entries that are not zero, what does not change costs nothing, and it asks neither that W be regular nor
that friction be weak. So it is for many contacts whose forces are not unique, in steps that have larger errors anyway.
"""

from math import sqrt

from ..kernels.abi import compiled, compiled_apart
from .laws import (
    ENDLESS,
    Complementarity,
    how_solved,
    is_unilateral,
    put_into_units,
    put_solution,
    speed,
    unknowns,
)

LOOK = 20
"""So many sweeps from one look at what is left to the next."""


@compiled_apart
def relax(problem: Complementarity, enough: float, most: int):
    """Sweep from the f that stands there until the natural residual is `enough`, or `most` times; f and w are written
    whatever has come out. The residual, relative to w0."""
    p = problem
    p.eased[0], p.eased[1] = 0.0, 1.0
    if not put_into_units(p):
        return ENDLESS
    if p.scale[0] == 0.0:
        return 0.0
    left = how_solved(p)
    _find_near(p)
    for k in range(most):
        if left <= enough:
            break
        _sweep(p)
        if k % LOOK == LOOK - 1 or k == most - 1:
            left = how_solved(p)
    put_solution(p)
    return left


@compiled
def _sweep(p):
    """With y as it stands, which follows x."""
    for law in range(p.counts[0]):
        begin, end, length, most = p.first[law], p.first[law + 1], 0.0, 0.0
        if is_unilateral(p, law):
            for i in range(begin, end):
                if p.A[i, i] > 0.0:
                    _put(p, i, max(p.x[i] - p.y[i] / p.A[i, i], 0.0))
            continue
        for i in range(begin, end):
            total = 0.0
            for j in range(begin, end):
                total += abs(p.A[i, j])
            most = max(most, total)
        for i in range(begin, end):
            p.step[i] = p.x[i] - p.y[i] / most if most > 0.0 else p.x[i]
            length += p.step[i] ** 2
        length, longest, slip = sqrt(length), _radius(p, law), speed(p, law)
        share = longest / length if length > longest else 1.0
        for i in range(begin, end):
            _put(p, i, share * p.step[i] if slip == 0.0 else -longest * p.heading[i] / slip)


@compiled
def _put(p, i, x):
    """x for the item i, and y with it. (A is symmetric, and a row of it lies together.)"""
    change = x - p.x[i]
    if change != 0.0:
        p.x[i] = x
        for k in range(p.nears[i]):
            j = p.near[i, k]
            p.y[j] += p.A[i, j] * change


@compiled
def _find_near(p):
    """Where A is not zero: bodies feel few others directly."""
    for i in range(unknowns(p)):
        p.nears[i] = 0
        for j in range(unknowns(p)):
            if p.A[i, j] != 0.0:
                p.near[i, p.nears[i]] = j
                p.nears[i] += 1
    for row in range(p.bound_at[p.counts[0]]):
        p.within[row, 0] = p.within[row, 1] = 0
        for j in range(unknowns(p)):
            if p.C[row, j] != 0.0:
                p.within[row, 0] = p.within[row, 0] if p.within[row, 1] > 0 else j
                p.within[row, 1] = j + 1


@compiled
def _radius(p, law):
    total = 0.0
    for row in range(p.bound_at[law], p.bound_at[law + 1]):
        one = p.d[row]
        for j in range(p.within[row, 0], p.within[row, 1]):
            one += p.C[row, j] * p.x[j]
        total += one * one
    return sqrt(total)
