"""Motion and laws of contact together, for many contacts: the cost of a step is that of a sparse matrix. Compiled.

The unknowns are x and λ, and the forces f along the rows of G, with

    [W Φ_vᵀ; Φ_v 0] [x; λ] = [b + Gᵀ f; g],      y = G x + y₀,

    gaps        0 ≤ f,  0 ≤ y,  f y = 0
    slips       |f_s| ≤ r,  and where y_s is not zero f_s = -r y_s/|y_s|

with r = μ N, and N the force along the gap of the same point, or |Σ factors · λ| for friction in a joint. (If a point
is known to slip along d, f_s = -r d.) G W⁻¹ Gᵀ, which is full wherever joints connect bodies, is never formed.

*With given r* the laws say f = P(f̄ - ρ y) for f̄ = f and any ρ > 0, P being the projection onto f ≥ 0 or the disk.
With an earlier f̄, this is a motion with springs of stiffness ρ that push like contacts. Its x is the minimum of a
convex function with the gradient W x - b - Gᵀ P(f̄ - ρ y). Newton's method finds it from anywhere, with a line search
(`_length`); its matrix is W + Gᵀ D G, D = ρ P', in place of W. A contact couples only the columns of its own bodies, so
the matrix stays sparse. Repeating f̄ = P(f̄ - ρ y) reduces the deflection of the springs to nothing, by a factor of
about ρ G W⁻¹ Gᵀ each time (the proximal point method of Rockafellar, the augmented Lagrangian of Alart and Curnier). G
need not have full rank: if forces are not unique, the result is the one to which f̄ leads.

*The radii* follow N each time that f̄ follows f. The update alone is a fixed point iteration, slow where friction and
normal forces depend much on each other. So after some rounds Newton's method includes the radii, r = μ P(f̄ - ρ y) of
the gap: D then is not symmetric, there is no function to minimise, and a step must reduce the residual. Both take
turns.

*Each round begins* with a whole step in which points persist in their state in f̄ (`persist`): those that push and
stick continue to do so, whatever their springs say at the present position of bodies. Otherwise motion against stiff
springs would take a short step for each of them, as many as there are points.

Friction in f̄ begins with a part of its old value (`FADE`): with the full value, friction at rest would carry forever
what gaps can carry; with zero, forces that are not unique would differ from step to step, and a heap would tremble.
"""

from math import isfinite, sqrt

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector
from .complementarity import ENDLESS
from .kkt import Factor, solve
from .pattern import Pattern
from .rows import add_transposed_product, row_dot, schur_diagonal
from .springs import (
    FIRMER,
    SOFT,
    STIFF,
    Proximal,
    become,
    natural_residual,
    persist,
    put_forces,
    put_matrix,
    put_radii,
    put_unit,
)
from .unsymmetric import eliminate_real, solve_real
from .vectors import all_finite, axpy, copy, dot

INNER, NEAR = 0.1, 1e-2
"""A round ends when the residual of the motion is less than INNER times the residual of the laws, or, if radii are
included, NEAR times; a residual of the laws above NEAR counts as NEAR."""
ROUNDS, WITHIN, ALONG = 3, 30, 12
"""Rounds with given radii and steps in each, then steps that include the radii."""
FADE = 0.9
SHORT = 0.05
"""The shortest of these steps."""


@compiled_apart
def solve_proximal(
    p: Proximal, pattern: Pattern, factor: Factor, factors: Vector, enough: float, most: int, refinements: int
) -> float:
    """Put x, λ, f, y into p, starting from its x and λ without contacts and an earlier f. `pattern` and `factor` are
    those of W. Return the natural residual relative to the y without contacts: less than `enough`, or the value after
    `most` steps. x and λ satisfy their equations with f in any case."""
    springs = p.springs
    scale, left = _begin(p, pattern, factor, factors, refinements), ENDLESS
    if scale == 0.0 or not isfinite(scale):
        return scale
    while left > enough and p.tally[0] < most:
        for _ in range(ROUNDS):
            off = _look(p, pattern, factor, False) / scale
            for k in range(WITHIN):
                if off <= max(INNER * min(left, NEAR), 0.1 * enough):
                    break
                if k == 0:
                    persist(p)
                _find_step(p, factor)
                _go(p, 1.0 if k == 0 else _length(p, pattern, factor))
                off = _look(p, pattern, factor, False) / scale
            left = max(_settle(p, factors) / scale, off)
            if left <= enough:
                break
        if left > enough:
            left = _take_along(p, pattern, factor, factors, enough, left, scale)
        if not isfinite(left):
            return ENDLESS
        if p.tally[0] >= most // 2 and springs.firmness[1] == STIFF:  # jammed: restart with soft springs
            springs.firmness[1], left = SOFT, ENDLESS
            become(p, SOFT)
            springs.anchor[:] = 0.0
    _solve(p, pattern, factor, refinements)
    _put_rates(p)
    return left if all_finite(p.x) else ENDLESS


@compiled
def _begin(p: Proximal, pattern: Pattern, factor: Factor, factors: Vector, refinements: int) -> float:
    """Put units, radii, and the motion with the present f; return the scale of residuals, from the motion without
    contacts."""
    springs = p.springs
    laws, rows, scale = p.laws, p.rows, 0.0
    p.tally[:] = 0
    springs.factored_tangent[:] = -1.0
    springs.firmness[0], springs.firmness[1] = SOFT, STIFF
    for i in range(p.x.size):
        springs.inertia[i] = factor.weight[i] + factor.soft[i]
        springs.mobility[i] = 1.0 / springs.inertia[i] if springs.inertia[i] > 0.0 else 0.0
    for row in range(springs.kept.size):
        springs.kept[row] = factor.kept[row] if factor.independence[row] >= factor.truncation[0] else 0.0
    for c in range(laws.gap.size):
        first, end, largest = laws.slip[c], laws.slip[c] + laws.slips[c], 0.0
        if laws.gap[c] >= 0:
            mobility = schur_diagonal(rows, laws.gap[c], springs.mobility)
            put_unit(p, laws.gap[c], sqrt(mobility) if p.asked[c] == 1 else 0.0)
        for r in range(first, end if p.asked[c] == 1 else first):
            largest = max(largest, schur_diagonal(rows, r, springs.mobility))
        for r in range(first, end):
            put_unit(p, r, sqrt(largest))
    _put_rates(p)
    for r in range(p.rate.size):
        scale = max(scale, abs(p.rate[r]) / springs.unit[r] if springs.stiffness[r] > 0.0 else 0.0)
    put_radii(p, factors)
    for c in range(laws.gap.size):
        if laws.gap[c] < 0 and p.asked[c] == 1:
            scale = max(scale, p.radius[c] * springs.unit[laws.slip[c]])
    p.scale[0] = scale
    if not isfinite(scale):
        return ENDLESS
    _solve(p, pattern, factor, refinements)
    copy(p.force, springs.anchor)
    for c in range(laws.gap.size):
        for r in range(laws.slip[c], laws.slip[c] + laws.slips[c]):
            springs.anchor[r] *= FADE
    return scale


@compiled
def _solve(p: Proximal, pattern: Pattern, factor: Factor, refinements: int) -> None:
    """Solve for x and λ with the present f."""
    springs = p.springs
    copy(p.f, springs.rest_f)
    add_transposed_product(p.rows, p.force, springs.rest_f)
    solve(pattern, factor, springs.rest_f, p.g, p.x, p.multipliers, refinements)


@compiled
def _settle(p: Proximal, factors: Vector) -> float:
    """Make the forces the new f̄, update radii and stiffen springs. Return the residual of the laws."""
    springs = p.springs
    copy(p.force, springs.anchor)
    put_radii(p, factors)
    if springs.firmness[0] < springs.firmness[1]:
        become(p, springs.firmness[0] * FIRMER)
    return natural_residual(p)


@compiled
def _take_along(
    p: Proximal, pattern: Pattern, factor: Factor, factors: Vector, enough: float, left: float, scale: float
) -> float:
    """Make steps that include the radii; return the residual of the laws."""
    off = _look(p, pattern, factor, True) / scale
    for _ in range(ALONG):
        if off <= max(NEAR * min(left, NEAR), 0.1 * enough):
            left = max(_settle(p, factors) / scale, off)
            off = _look(p, pattern, factor, True) / scale
            if left <= enough:
                break
        _find_step(p, factor)
        length, before = 1.0, off
        _go(p, length)
        off = _look(p, pattern, factor, True) / scale
        while not off < (1.0 - 0.1 * length) * before and length > SHORT:
            length *= 0.5
            _go(p, -length)
            off = _look(p, pattern, factor, True) / scale
        if not off < before:
            break
    return left


@compiled
def _put_rates(p: Proximal) -> None:
    for r in range(p.rate.size):
        p.rate[r] = p.offset[r] + row_dot(p.rows, r, p.x) if p.still[r] == 0 else 0.0


@compiled
def _look(p: Proximal, pattern: Pattern, factor: Factor, along_with: bool) -> float:
    """Evaluate forces at x, and the residuals b + Gᵀ f - W x - Φ_vᵀ λ and g - Φ_v x. Return the length of the first, in
    the norm of 1/W_ii."""
    springs = p.springs
    _put_rates(p)
    put_forces(p, p.rate, p.force, along_with)
    copy(p.f, springs.rest_f)
    add_transposed_product(p.rows, p.force, springs.rest_f)
    _subtract_inertia(pattern, factor, p.x, springs.rest_f)
    copy(p.g, springs.rest_g)
    jacobian, square = factor.jacobian, 0.0
    for e in range(jacobian.size):
        row, column = pattern.jac_row[e], pattern.jac_column[e]
        springs.rest_f[column] -= jacobian[e] * p.multipliers[row]
        springs.rest_g[row] -= jacobian[e] * p.x[column]
    for i in range(p.x.size):
        square += springs.rest_f[i] ** 2 * springs.mobility[i]
    return sqrt(square)


@compiled
def _subtract_inertia(pattern: Pattern, factor: Factor, x: Vector, out: Vector) -> None:
    for i in range(pattern.n):
        out[i] -= factor.weight[i] * x[i]
    for k in range(factor.beside.size):
        row, column = pattern.block_row[k], pattern.block_column[k]
        out[row] -= factor.beside[k] * x[column]
        out[column] -= factor.beside[k] * x[row]


@compiled
def _find_step(p: Proximal, factor: Factor) -> None:
    """Compute Newton's step for the present residuals."""
    springs = p.springs
    anew, n = False, p.x.size
    for k in range(springs.tangent.size):
        anew = anew or springs.tangent[k] != springs.factored_tangent[k]
    if anew:
        put_matrix(p, factor)
        eliminate_real(p.elimination, springs.kept)
        copy(springs.tangent, springs.factored_tangent)
        p.tally[1] += 1
    p.tally[0] += 1
    copy(springs.rest_f, springs.step)
    copy(springs.rest_g, springs.step[n:])
    solve_real(p.elimination, springs.step)
    for r in range(p.rate.size):
        springs.step_rate[r] = row_dot(p.rows, r, springs.step) if springs.stiffness[r] > 0.0 else 0.0


@compiled
def _go(p: Proximal, length: float) -> None:
    n = p.x.size
    axpy(length, p.springs.step[:n], p.x)
    axpy(length, p.springs.step[n:], p.multipliers)


@compiled
def _length(p: Proximal, pattern: Pattern, factor: Factor) -> float:
    """Return how far to go along the step: to the end, or nearly to the minimum of the function along it. Its slope
    there,

    -step·rest + α step·W step - (f(y + α G step) - f(y)) · G step,

    increases with α.
    """
    springs = p.springs
    n, down = p.x.size, 0.0
    for i in range(n):
        down += springs.step[i] * springs.rest_f[i]
        springs.rest_f[i] = 0.0
    _subtract_inertia(pattern, factor, springs.step, springs.rest_f)
    bend = -dot(springs.rest_f, springs.step)
    low, high, at_low, at_high = 0.0, 1.0, -down, _slope(p, 1.0, down, bend)
    if down <= 0.0 or at_high <= 0.1 * down:
        return 1.0
    for _ in range(40):
        between = low + (high - low) * min(max(-at_low / (at_high - at_low), 0.1), 0.9)
        slope = _slope(p, between, down, bend)
        if abs(slope) <= 0.1 * down:
            return between
        if slope < 0.0:
            low, at_low = between, slope
        else:
            high, at_high = between, slope
    return low if low > 0.0 else high


@compiled
def _slope(p: Proximal, length: float, down: float, bend: float) -> float:
    springs = p.springs
    for r in range(p.rate.size):
        springs.trial_rate[r] = p.rate[r] + length * springs.step_rate[r]
    put_forces(p, springs.trial_rate, springs.trial_force, False)
    slope = length * bend - down
    for r in range(p.rate.size):
        if springs.stiffness[r] > 0.0:
            slope -= (springs.trial_force[r] - p.force[r]) * springs.step_rate[r]
    return slope
