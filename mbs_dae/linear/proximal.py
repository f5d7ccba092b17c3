"""Motion and laws of contact in one, for many contacts: the cost of a step is that of a sparse matrix. Compiled.

Wanted are x and λ, and the forces f along the rows of G, with

    [W Φ_vᵀ; Φ_v 0] [x; λ] = [b + Gᵀ f; g],      y = G x + y₀,

    gaps        0 ≤ f,  0 ≤ y,  f y = 0
    slips       |f_s| ≤ r,  and where y_s is not zero f_s = -r y_s/|y_s|

with r = μ N, and N the force along the gap of the same point, or |Σ factors · λ| of what rubs in a joint. (Where it is
known that a point slips along d, f_s = -r d.) G W⁻¹ Gᵀ, which is full wherever joints connect bodies, is never formed.

*With r given* the laws say f = P(f̄ - ρ y) for f̄ = f and any ρ > 0, P being the projection onto f ≥ 0 or the disk. With
an f̄ from before, the same is a motion with springs of stiffness ρ that push as a contact does. Its x is the least of a
convex function with the gradient W x - b - Gᵀ P(f̄ - ρ y). Newton's method finds it from anywhere, with a search along
the line (`_length`); its matrix is W + Gᵀ D G, D = ρ P', in the place of W. A contact couples the columns of its own
bodies only, so the matrix stays sparse. With f̄ = P(f̄ - ρ y) again and again what springs give way becomes nothing, by
a factor of about ρ G W⁻¹ Gᵀ each time (the proximal point method of Rockafellar, the augmented Lagrangian of Alart and
Curnier). All of it needs no G of full rank: where forces are not unique, those are found to which f̄ leads.

*The radii* follow N each time that f̄ follows f. This alone is a fixed point, slow where friction and what presses
depend much on each other. So after some rounds Newton's method takes the radii along, r = μ P(f̄ - ρ y) of the gap: D
then is not symmetric, there is no function to be least, and a step must make the residual less. Both take turns.

*Each round begins* with a whole step in which points persist in what they do in f̄ (`persist`): those that push and
stick go on to do so, whatever their springs say where bodies are before it. What comes up against stiff springs would
else take a short step for each of them, as many as there are points.

Of friction f̄ begins with a part of what it was (`FADE`): what gaps can carry, friction at rest does not take over for
ever; and not with nothing, for then forces that are not unique are others in each step, and a heap trembles.
"""

from math import isfinite, sqrt

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector
from .kkt import Factor, solve
from .laws import ENDLESS
from .pattern import Pattern
from .rows import along, pull, reply
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
"""A round ends where the motion is as near to its springs as these parts of what the laws are off, or of `NEAR`; the
second one where radii are taken along."""
ROUNDS, WITHIN, ALONG = 3, 30, 12
"""Rounds with given radii and steps in each, then steps that take the radii along."""
FADE = 0.9
SHORT = 0.05
"""The shortest of these steps."""


@compiled_apart
def solve_proximal(
    p: Proximal, pattern: Pattern, factor: Factor, factors: Vector, enough: float, most: int, refinements: int
):  # fmt: skip
    """x, λ, f, y from the x and λ without contacts, which stand there, and an f from before. `pattern` and `factor` are
    those of W. The natural residual that is left, relative to the y without contacts: less than `enough`, or what it
    was after so many steps. x and λ satisfy their equations with f, whatever is left."""
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
        if p.tally[0] >= most // 2 and springs.firmness[1] == STIFF:  # jammed: anew, with soft springs all the way
            springs.firmness[1], left = SOFT, ENDLESS
            become(p, SOFT)
            springs.anchor[:] = 0.0
    _solve(p, pattern, factor, refinements)
    _put_rates(p)
    return left if all_finite(p.x) else ENDLESS


@compiled
def _begin(p, pattern, factor, factors, refinements):
    """Units, radii, and the motion with the f that stands there; the scale of all, which is that without."""
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
            put_unit(p, laws.gap[c], sqrt(reply(rows, laws.gap[c], springs.mobility)) if p.asked[c] == 1 else 0.0)
        for r in range(first, end if p.asked[c] == 1 else first):
            largest = max(largest, reply(rows, r, springs.mobility))
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
def _solve(p, pattern, factor, refinements):
    """x and λ by f."""
    springs = p.springs
    copy(p.f, springs.rest_f)
    pull(p.rows, p.force, springs.rest_f)
    solve(pattern, factor, springs.rest_f, p.g, p.x, p.multipliers, refinements)


@compiled
def _settle(p, factors):
    """The forces become the f̄, radii follow, springs become firmer. What the laws are off."""
    springs = p.springs
    copy(p.force, springs.anchor)
    put_radii(p, factors)
    if springs.firmness[0] < springs.firmness[1]:
        become(p, springs.firmness[0] * FIRMER)
    return natural_residual(p)


@compiled
def _take_along(p, pattern, factor, factors, enough, left, scale):
    """Steps that take the radii along; what the laws are off."""
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
def _put_rates(p):
    for r in range(p.rate.size):
        p.rate[r] = p.offset[r] + along(p.rows, r, p.x) if p.still[r] == 0 else 0.0


@compiled
def _look(p, pattern, factor, along_with):
    """Forces at x, and what they leave of b + Gᵀ f - W x - Φ_vᵀ λ and of g - Φ_v x. The length of the first, in the
    norm of 1/W_ii."""
    springs = p.springs
    _put_rates(p)
    put_forces(p, p.rate, p.force, along_with)
    copy(p.f, springs.rest_f)
    pull(p.rows, p.force, springs.rest_f)
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
def _subtract_inertia(pattern, factor, x, out):
    for i in range(pattern.n):
        out[i] -= factor.weight[i] * x[i]
    for k in range(factor.beside.size):
        row, column = pattern.block_row[k], pattern.block_column[k]
        out[row] -= factor.beside[k] * x[column]
        out[column] -= factor.beside[k] * x[row]


@compiled
def _find_step(p, factor):
    """Newton's step, for what is left at x."""
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
        springs.step_rate[r] = along(p.rows, r, springs.step) if springs.stiffness[r] > 0.0 else 0.0


@compiled
def _go(p, length):
    n = p.x.size
    axpy(length, p.springs.step[:n], p.x)
    axpy(length, p.springs.step[n:], p.multipliers)


@compiled
def _length(p, pattern, factor):
    """How far to go along the step: to the end, or to where the function is least along it, nearly. Its slope there,

    -step·rest + α step·W step - (f(y + α G step) - f(y)) · G step,

    increases with α."""
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
def _slope(p, length, down, bend):
    springs = p.springs
    for r in range(p.rate.size):
        springs.trial_rate[r] = p.rate[r] + length * springs.step_rate[r]
    put_forces(p, springs.trial_rate, springs.trial_force, False)
    slope = length * bend - down
    for r in range(p.rate.size):
        if springs.stiffness[r] > 0.0:
            slope -= (springs.trial_force[r] - p.force[r]) * springs.step_rate[r]
    return slope
