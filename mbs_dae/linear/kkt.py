"""The KKT system of all solves: [W Φ_vᵀ; Φ_v 0] [x; λ] = [f; g]. Compiled.

With W = M the solution is accelerations and multipliers; with W a norm of displacements and f = 0 it is the least x
with Φ_v x = g, for position, velocity and acceleration solves. W is symmetric and positive definite, sparse.

The matrix is factorised as L D Lᵀ, in an order with sparse L, in which the λ of a row comes after all x of that row.
Let X be the x before it and Λ the λ. Its pivot depends on nothing that comes later:

    d_k = -(Φ_k W_XX⁻¹ Φ_kᵀ - the part in the span of Λ) = -(squared distance of row k from the span of the rows Λ)

in the norm of W_XX⁻¹. So the pivots of λ are negative, those of x positive (W_kk minus the part of X, except for
motions that Λ forbids, which can only add): none can be zero by accident, and no pivoting is needed. The pivot relative
to the row's own squared length is the `independence` of the row, between 0 and 1. The independence is the rank test of
all analyses.

If W is diagonal (or made of small blocks) this is the elimination of all x, then of S = Φ_v W⁻¹ Φ_vᵀ, in another order.
If W couples bodies (natural coordinates share points), W⁻¹ and S are full, and only this order keeps the work
proportional to the size.

Redundant rows have pivot 0. Each row is given a small extra, DELTA times its own squared length, which makes the matrix
regular; iterative refinement against the true matrix then removes the extra's effect.

If W is singular, or some bodies weigh next to nothing compared with others that they are joined to, the matrix is
regular all the same if the rows restrict the massless motions. Then the matrix of the augmented Lagrangian is
factorised,

    [W + Φ_vᵀ C Φ_v   Φ_vᵀ] [x]   [f + Φ_vᵀ C g]
    [Φ_v              0   ] [λ] = [g           ],        C diagonal and positive,

which has the same solution for every C, since Φ_v x = g. So no effect is to be removed, and W + Φ_vᵀ C Φ_v is positive
definite where the solution is unique. C only influences roundoff: with μ the geometric mean of the least and the
largest mass of a group of bodies that rows join, row k has C_k = μ / (squared length of the row), or 0 if no motion
without mass moves the row (`System.stiff_rows`): so L has few additional entries.

Two heavy bodies that are pinned to a light one at one point push it with forces that are far larger than their
difference, which alone accelerates it. A sum in plain numbers loses this difference. So residuals of augmented
equations are summed with twice the digits (`twofold`), for x and λ of twice the digits: then a correction is the error
itself. The effect of roundoff of the given numbers on the solution is sampled; this effect and the last correction are
reported (`unsettled`). Equal numbers have equal roundoff, so that forces through one point still cancel each other.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import call_on_block, compiled, compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, ones, zeros
from ..kernels.lanes import any_of, choose, nothing_of
from ..tolerances import (
    CORRECTION_COUNT,
    CORRECTION_FLOOR,
    DELTA,
    LAST_CORRECTION,
    PIVOT_LOSS,
    ROW_DEPENDENCE,
    SAMPLE_ERROR,
    UNIT_ROUNDOFF,
    ZERO_ROW,
)
from .fronts.plan import back_substitute, eliminate, forward_substitute
from .pattern import Pattern
from .tree.articulated import FACTORISE, NO_LIMBS, SOLVE, Limbs, sizes_of
from .twofold import add_product, two_sum
from .vectors import axpy, copy, square_sum, sum_of_two

GOLDEN = 40503
"""2¹⁶ times the golden section, whose multiples are quasi-random."""
HALVES, BELOW = 134217729.0, 2.0**-26
"""2²⁷ + 1, by which Dekker splits a number into halves; and the factor that moves the lower half behind the last
digit."""


class Factor(NamedTuple):
    """The numbers of one factorisation, and its work space, made once and overwritten each time."""

    kernels: Integers
    """The kernels of the plan, for plain numbers."""
    weight: Work[Vector]
    """The diagonal of W."""
    beside: Work[Vector] = zeros("beside")
    """The entries of W below its diagonal."""
    soft: Work[Vector] = zeros("n")
    """The diagonal of Φ_vᵀ C Φ_v; 0 for models without light bodies."""
    compliance: Work[Vector] = zeros("augmented")
    """The numbers whose sum over the columns of row k, times the squared entries, is 1/C_k. Empty without C."""
    stiffness: Work[Vector] = zeros("augmented_rows")
    """C."""
    joined: Work[Vector] = zeros("joined")
    """The entries of W + Φ_vᵀ C Φ_v below its diagonal."""
    scale: Work[Vector] = zeros("scales")
    """The squares of the largest x and λ of each group, during a solve."""
    unsettled: Work[Vector] = zeros(1)
    """One number: the last correction of the last solution, or the sampled effect of roundoff of the given numbers,
    relative to the corrected values; 0 without C."""
    tail_x: Work[Vector] = zeros("augmented")
    """The second half of x of an augmented solution, which has twice the digits."""
    tail_g: Work[Vector] = zeros("augmented_rows")
    """The second half of λ of an augmented solution."""
    damping: Work[Vector] = zeros(1)
    """One number: the addition to DELTA. Without refinement it makes a solve the damped least-squares step
    (Levenberg-Marquardt), which stays short where Φ_v is singular."""
    truncation: Work[Vector] = zeros(1)
    """One number: rows with less `independence` are left out. If it is not 0, the others get no extra, which would blur
    the ranks of nearly dependent rows."""
    jacobian: Work[Vector] = zeros("entries")
    """The entries of Φ_v."""
    kept: Work[Vector] = ones("m")
    """1 for a row that is enforced, 0 for one that is left out: its λ is 0, its `independence` is computed all the
    same."""
    row_square: Work[Vector] = zeros("m")
    """The squared length of each row."""
    independence: Work[Vector] = zeros("m")
    """The independence of each row, between 0 and 1."""
    share: Work[Vector] = ones("m")
    """The share that is left of a row where some coordinates have been eliminated before (`transformation`); else 1.
    The quotient of `row_square` and this share counts as the row's own squared length."""
    limits: Work[Vector] = zeros(3)
    """Parameters of the kernels of fronts: the square below which a row is zero, the extra, the truncation."""
    numbers: Work[Vector] = zeros("numbers")
    """L and the reciprocals of pivots, front by front; 0 for rows that are left out."""
    handed: Work[Vector] = zeros("handed")
    """The numbers that fronts hand on."""
    wide: Work[Vector] = zeros("room")
    """The work space of wide fronts."""
    rest_x: Work[Vector] = zeros("n")
    """The residual of the first equations, during a solve."""
    rest_g: Work[Vector] = zeros("m")
    """The residual of the second equations, during a solve."""
    part: Work[Vector] = zeros("unknowns")
    limbs: Limbs = NO_LIMBS
    """The inertias of a tree of bodies (`articulated`), which then replace `weight` and `beside`."""


def new_factor(pattern: Pattern, weight: np.ndarray, limbs: Limbs = NO_LIMBS) -> Factor:
    sizes = {"n": pattern.n, "m": pattern.m, "unknowns": pattern.n + pattern.m}
    sizes |= {"entries": pattern.jac_row.size, "beside": pattern.block_row.size}
    augmented = pattern.group.size > 0
    sizes |= {"augmented": pattern.n if augmented else 0, "augmented_rows": pattern.m if augmented else 0}
    sizes |= {"joined": pattern.joined, "scales": 2 * pattern.groups}
    sizes |= {"numbers": pattern.plan.numbers, "handed": pattern.plan.handed, "room": pattern.plan.room}
    sizes |= sizes_of(pattern.tree, pattern.n, pattern.jac_row.size)
    return block(Factor(pattern.plan.kernels, np.array(weight, dtype=float), limbs=limbs), **sizes)


@compiled_apart
def factorise(pattern: Pattern, factor: Factor) -> None:
    """Compute L and D for the weight and Jacobian entries in `factor`. The fronts also give, for each row, the squared
    length and, as `independence`, the relative squared distance from the rows before."""
    if pattern.tree.edges > 0:
        call_on_block(pattern.tree.functions[FACTORISE], pattern, (factor,))
        return
    factorise_entries(pattern, factor, factor.truncation[0], factor.damping[0])


@compiled
def factorise_entries(pattern: Pattern, factor: Any, truncation: float, damping: float) -> None:
    """Compute L and D of a matrix of entries, for one matrix or for several in lanes."""
    beside = factor.beside
    if factor.compliance.size > 0:
        _augment(pattern, factor)
        beside = factor.joined
    set_limits(factor, negligible(pattern, factor), truncation, damping)
    eliminate(pattern.plan, pattern.n, factor, factor.weight, beside)
    tell_independence(factor)


@compiled
def _augment(pattern: Pattern, factor: Any) -> None:
    """Compute C of the enforced rows, and W + Φ_vᵀ C Φ_v, for one matrix or for several in lanes."""
    jacobian, stiffness, soft, joined = factor.jacobian, factor.stiffness, factor.soft, factor.joined
    nothing = nothing_of(jacobian)
    for row in range(pattern.m):
        stiffness[row] = nothing
    for k in range(pattern.n):
        soft[k] = nothing
    for k in range(pattern.joined):
        joined[k] = nothing
    for e in range(jacobian.size):
        stiffness[pattern.jac_row[e]] += jacobian[e] * jacobian[e] * factor.compliance[pattern.jac_column[e]]
    for row in range(pattern.m):
        enforced = (stiffness[row] > 0.0) & (factor.kept[row] > 0.0)
        stiffness[row] = choose(enforced, factor.share[row] / stiffness[row], 0.0)
    for e in pattern.stiff:
        soft[pattern.jac_column[e]] += stiffness[pattern.jac_row[e]] * jacobian[e] * jacobian[e]
    copy(factor.beside, joined)
    for k in range(pattern.pair_to.size):
        one, other = pattern.pair_one[k], pattern.pair_other[k]
        joined[pattern.pair_to[k]] += stiffness[pattern.jac_row[one]] * jacobian[one] * jacobian[other]


@compiled
def set_limits(factor: Any, least: float, truncation: float, damping: float) -> None:
    """Set the parameters of fronts: rows with a square below `least` are zero."""
    factor.limits[0], factor.limits[2] = least, truncation
    factor.limits[1] = damping if truncation > 0.0 else DELTA + damping


@compiled
def tell_independence(factor: Any) -> None:
    """Turn squared distances of rows into `independence`, relative to the squared lengths that the fronts gave."""
    square, independence, share = factor.row_square, factor.independence, factor.share
    for row in range(square.size):
        part = max(independence[row] / square[row], 0.0) * share[row]
        independence[row] = choose(square[row] > factor.limits[0], part, 0.0)


@compiled
def negligible(pattern: Pattern, factor: Any) -> float:
    """Return the squared length below which a row counts as zero; positive, so that it has a reciprocal. (Sums in place
    of maxima suffice: the limit is far below all other rows.)"""
    heavy = sum_of_two(factor.weight, factor.soft) + ZERO_ROW
    return ZERO_ROW * pattern.n * square_sum(factor.jacobian) / heavy + 1e-200


@compiled
def _solve_once(pattern: Pattern, factor: Any, f: Vector, g: Vector) -> None:
    """Replace f by x and g by λ, with the last factor."""
    n, part = pattern.n, factor.part
    copy(f, part)
    copy(g, part[n:])
    forward_substitute(pattern.plan, n, factor)
    back_substitute(pattern.plan, n, factor)
    for k in range(n):
        f[k] = part[k]
    for k in range(pattern.m):
        g[k] = part[n + k]


@compiled_apart
def solve(
    pattern: Pattern, factor: Factor, f: Vector, g: Vector, x: Vector, multipliers: Vector, refinements: int
) -> None:
    """Solve for x and λ, with `refinements` corrections against the matrix without the extras on its diagonal."""
    if pattern.tree.edges > 0:
        call_on_block(pattern.tree.functions[SOLVE], pattern, (factor, f, g, x, multipliers, refinements))
        return
    solve_entries(pattern, factor, f, g, x, multipliers, refinements)


@compiled
def solve_entries(
    pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector, refinements: int
) -> None:
    """Solve for x and λ with a matrix of entries, for one matrix or for several in lanes."""
    if factor.compliance.size > 0:
        _solve_augmented(pattern, factor, f, g, x, multipliers)
    else:
        solve_and_refine(pattern, factor, f, g, x, multipliers, refinements, _solve_once, _residual)


@compiled
def solve_and_refine(
    pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector, refinements: int,
    solve_once: Any, residual: Any,
) -> None:  # fmt: skip
    """Solve for x and λ with functions of the matrix: `solve_once` with the last factor, `residual` with the matrix
    itself."""
    rest_x, rest_g = factor.rest_x, factor.rest_g
    copy(f, rest_x)
    copy(g, rest_g)
    solve_once(pattern, factor, rest_x, rest_g)
    copy(rest_x, x)
    copy(rest_g, multipliers)
    for _ in range(refinements):
        residual(pattern, factor, f, g, x, multipliers)
        solve_once(pattern, factor, rest_x, rest_g)
        axpy(1.0, rest_x, x)
        axpy(1.0, rest_g, multipliers)


@compiled
def _solve_augmented(pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector) -> None:
    """Solve the equations of the augmented Lagrangian for x and λ, for one matrix or for several in lanes. The first
    correction is for the residual and for a sample of the roundoff of all terms: if this correction is small, it is the
    last one. Otherwise others replace it, for residuals of twice the digits, as long as each is less than half as large
    as the one before, and roundoff of the given numbers is sampled at the end."""
    rest_x, rest_g, n, m, nothing = factor.rest_x, factor.rest_g, pattern.n, pattern.m, nothing_of(f)
    tail_x, tail_g = factor.tail_x, factor.tail_g
    copy(f, rest_x)
    copy(g, rest_g)
    _solve_once_augmented(pattern, factor)
    for k in range(n):
        x[k], tail_x[k] = rest_x[k], nothing
    for row in range(m):
        multipliers[row], tail_g[row] = rest_g[row], nothing
    _residual_with_roundoff(pattern, factor, f, g, x, multipliers)
    _solve_once_augmented(pattern, factor)
    first = _relative_change(pattern, factor, f, g, x, multipliers)
    simple = first <= SAMPLE_ERROR
    for k in range(n):
        x[k] = choose(simple, x[k] + rest_x[k], x[k])
    for row in range(m):
        multipliers[row] = choose(simple, multipliers[row] + rest_g[row], multipliers[row])
    going, unsettled = choose(simple, nothing, 1.0), choose(simple, first, np.inf)
    if any_of(going > 0.0):
        for _ in range(CORRECTION_COUNT):
            put_right_sides(pattern, factor, f, g)
            subtract_products(pattern, factor, x, multipliers, tail_x, tail_g)
            _solve_once_augmented(pattern, factor)
            change = _relative_change(pattern, factor, f, g, x, multipliers)
            shrinking = choose(change < 0.5 * unsettled, going, 0.0)
            for k in range(n):
                value, left = two_sum(x[k], tail_x[k] + rest_x[k])
                x[k], tail_x[k] = choose(shrinking > 0.0, value, x[k]), choose(shrinking > 0.0, left, tail_x[k])
            for row in range(m):
                value, left = two_sum(multipliers[row], tail_g[row] + rest_g[row])
                multipliers[row] = choose(shrinking > 0.0, value, multipliers[row])
                tail_g[row] = choose(shrinking > 0.0, left, tail_g[row])
            unsettled = choose(going > 0.0, choose(shrinking > 0.0, change, max(unsettled, change)), unsettled)
            going = choose(change <= LAST_CORRECTION, 0.0, shrinking)
            if not any_of(going > 0.0):
                break
        _put_roundoff_of_data(pattern, factor, f, g, x, multipliers)
        _solve_once_augmented(pattern, factor)
        blurred = _relative_change(pattern, factor, f, g, x, multipliers)
        unsettled = choose(simple, unsettled, max(unsettled, choose(first < PIVOT_LOSS, blurred, max(first, blurred))))
    factor.unsettled[0] = unsettled


@compiled
def _solve_once_augmented(pattern: Pattern, factor: Any) -> None:
    """Replace f and g, in `rest_x` and `rest_g`, by x and λ."""
    rest_x, rest_g, jacobian = factor.rest_x, factor.rest_g, factor.jacobian
    for e in pattern.stiff:
        row = pattern.jac_row[e]
        rest_x[pattern.jac_column[e]] += jacobian[e] * factor.stiffness[row] * rest_g[row]
    _solve_once(pattern, factor, rest_x, rest_g)


@compiled
def _residual_with_roundoff(
    pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector
) -> None:
    """Put f - W x - Φ_vᵀ λ and g - Φ_v x into `rest_x` and `rest_g`, plus a sample of the roundoff of all terms: a part
    of the size of each. Samples are summed apart (in `part`), since the residual's own sums would round them away."""
    rest_x, rest_g, n, beside, jacobian = factor.rest_x, factor.rest_g, pattern.n, factor.beside, factor.jacobian
    rounded_x, rounded_g, at = factor.part, factor.part[n:], 0
    for k in range(n):
        term = factor.weight[k] * x[k]
        rest_x[k], rounded_x[k] = f[k] - term, _roundoff(k) * (abs(f[k]) + abs(term))
    at += n
    for row in range(pattern.m):
        rest_g[row], rounded_g[row] = g[row], _roundoff(at + row) * abs(g[row])
    at += pattern.m
    for k in range(beside.size):
        row, column, part = pattern.block_row[k], pattern.block_column[k], _roundoff(at + k)
        term, other = beside[k] * x[column], beside[k] * x[row]
        rest_x[row] -= term
        rest_x[column] -= other
        rounded_x[row] += part * abs(term)
        rounded_x[column] += part * abs(other)
    at += beside.size
    for k in range(jacobian.size):
        row, column, part = pattern.jac_row[k], pattern.jac_column[k], _roundoff(at + k)
        term, other = jacobian[k] * multipliers[row], jacobian[k] * x[column]
        rest_x[column] -= term
        rest_g[row] -= other
        rounded_x[column] += part * abs(term)
        rounded_g[row] += part * abs(other)
    for k in range(n):
        rest_x[k] += rounded_x[k]
    for row in range(pattern.m):
        rest_g[row] += rounded_g[row]


@compiled
def put_right_sides(pattern: Pattern, factor: Any, f: Vector, g: Vector) -> None:
    """Put f and g into `rest_x` and `rest_g`, as sums of two parts, the second ones in `part`."""
    n, nothing = pattern.n, nothing_of(f)
    for k in range(n):
        factor.rest_x[k], factor.part[k] = f[k], nothing
    for row in range(pattern.m):
        factor.rest_g[row], factor.part[n + row] = g[row], nothing


@compiled
def subtract_products(
    pattern: Pattern, factor: Any, x: Vector, multipliers: Vector, tail_x: Vector, tail_g: Vector
) -> None:
    """Subtract W x + Φ_vᵀ λ and Φ_v x, for x and λ of two parts, from the sums of two parts of `put_right_sides`, and
    make them sums of one part: residuals that are summed with twice the digits."""
    rest_x, rest_g, weight, beside, n = factor.rest_x, factor.rest_g, factor.weight, factor.beside, pattern.n
    jacobian, lost_x, lost_g = factor.jacobian, factor.part, factor.part[n:]
    for k in range(n):
        add_product(-weight[k], x[k], tail_x[k], rest_x, lost_x, k)
    for k in range(beside.size):
        row, column = pattern.block_row[k], pattern.block_column[k]
        add_product(-beside[k], x[column], tail_x[column], rest_x, lost_x, row)
        add_product(-beside[k], x[row], tail_x[row], rest_x, lost_x, column)
    for k in range(jacobian.size):
        row, column = pattern.jac_row[k], pattern.jac_column[k]
        add_product(-jacobian[k], multipliers[row], tail_g[row], rest_x, lost_x, column)
        add_product(-jacobian[k], x[column], tail_x[column], rest_g, lost_g, row)
    for k in range(n):
        rest_x[k] += lost_x[k]
    for row in range(pattern.m):
        rest_g[row] += lost_g[row]


@compiled
def _roundoff(k: int) -> float:
    """Return the roundoff of term k in a sample, relative to the term: of either sign, between half of `UNIT_ROUNDOFF`
    and all of it. The multiples of the golden section, modulo 1, are quasi-random, so that two neighbours never cancel
    each other's roundoff."""
    place = (k * GOLDEN) & 0xFFFF
    return UNIT_ROUNDOFF * (0.5 + (place & 0x7FFF) / 0x10000) * (1.0 if place & 0x8000 else -1.0)


@compiled
def _put_roundoff_of_data(pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector) -> None:
    """Put the residual of each equation into `rest_x` and `rest_g` for other digits behind the last one of each number
    of W, Φ_v, f and g."""
    rest_x, rest_g, jacobian = factor.rest_x, factor.rest_g, factor.jacobian
    for k in range(pattern.n):
        rest_x[k] = _behind(f[k]) - _behind(factor.weight[k]) * x[k]
    for row in range(pattern.m):
        rest_g[row] = _behind(g[row])
    for k in range(factor.beside.size):
        row, column, other = pattern.block_row[k], pattern.block_column[k], _behind(factor.beside[k])
        rest_x[row] -= other * x[column]
        rest_x[column] -= other * x[row]
    for k in range(jacobian.size):
        row, column, other = pattern.jac_row[k], pattern.jac_column[k], _behind(jacobian[k])
        rest_x[column] -= other * multipliers[row]
        rest_g[row] -= other * x[column]


@compiled
def _behind(number: float) -> float:
    """Return digits behind the last one of a number: its own lower half, moved there. So equal numbers have equal ones,
    opposite numbers opposite ones, and numbers of few digits, which have no roundoff, none."""
    shifted = HALVES * number
    return BELOW * (number - (shifted - (shifted - number)))


@compiled
def _relative_change(pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector) -> float:
    """Return the largest correction, in `rest_x` and `rest_g`, relative to each x and λ, or to a small part of the
    largest in its group, if that is more. The x and λ that f and g alone would cause count, too, each at its own mass
    or at the mean mass of its group. (The λ of rows that depend on others may be any.)"""
    n, scale, group, compliance, stiffness = pattern.n, factor.scale, pattern.group, factor.compliance, factor.stiffness
    groups, rest_x, rest_g, nothing = pattern.groups, factor.rest_x, factor.rest_g, nothing_of(f)
    doubtful, endless, largest = nothing, nothing, nothing
    for k in range(2 * groups):
        scale[k] = nothing
    for row in range(pattern.m):
        enforced, own = stiffness[row] > 0.0, group[n + row]
        doubtful = choose(enforced & (factor.independence[row] < ROW_DEPENDENCE), 1.0, doubtful)
        total, alone = multipliers[row] + rest_g[row], choose(enforced, g[row] * g[row] * stiffness[row], 0.0)
        size = choose(enforced, total * total / stiffness[row], 0.0)
        scale[own] = max(scale[own], alone)
        scale[groups + own] = max(scale[groups + own], max(size, alone))
    for k in range(n):
        total, own, mass = x[k] + rest_x[k], group[k], max(factor.weight[k] + factor.soft[k], 1.0 / compliance[k])
        alone = f[k] / mass
        scale[own] = max(scale[own], max(total * total, alone * alone) / compliance[k])
        scale[groups + own] = max(scale[groups + own], f[k] * f[k] * compliance[k])
    for k in range(n):
        change, total = rest_x[k] * rest_x[k], x[k] + rest_x[k]
        endless = choose(change < np.inf, endless, 1.0)
        part = change / max(total * total, CORRECTION_FLOOR * scale[group[k]] * compliance[k])
        largest = choose(change > 0.0, max(largest, part), largest)
    for row in range(pattern.m):
        change, total = rest_g[row] * rest_g[row], multipliers[row] + rest_g[row]
        part = change / max(total * total, CORRECTION_FLOOR * scale[groups + group[n + row]] * stiffness[row])
        counts = (doubtful < 0.5) & (stiffness[row] > 0.0) & (change > 0.0)
        largest = choose(counts, max(largest, part), largest)
    return choose(endless > 0.5, np.inf, sqrt(largest))


@compiled
def _residual(pattern: Pattern, factor: Any, f: Vector, g: Vector, x: Vector, multipliers: Vector) -> None:
    """Put f - W x - Φ_vᵀ λ into `rest_x` and g - Φ_v x into `rest_g`."""
    rest_x, rest_g, weight = factor.rest_x, factor.rest_g, factor.weight
    beside, jacobian = factor.beside, factor.jacobian
    for k in range(pattern.n):
        rest_x[k] = f[k] - weight[k] * x[k]
    copy(g, rest_g)
    for k in range(beside.size):
        row, column = pattern.block_row[k], pattern.block_column[k]
        rest_x[row] -= beside[k] * x[column]
        rest_x[column] -= beside[k] * x[row]
    for k in range(jacobian.size):
        row, column = pattern.jac_row[k], pattern.jac_column[k]
        rest_x[column] -= jacobian[k] * multipliers[row]
        rest_g[row] -= jacobian[k] * x[column]
