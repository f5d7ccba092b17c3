"""Laws of contact as stiff springs: the parts of `proximal`, which explains their use. Compiled."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from .kkt import Factor
from .order import ordering
from .pattern import Pattern
from .rows import Rows, add_transposed_product
from .unsymmetric import Elimination, new_elimination, places

SOFT, STIFF, FIRMER = 1e3, 1e5, 10.0
"""ρ, relative to 1/W_rr: its first value, while the pushing points are determined; its last one, so large that a few f̄
suffice, with roundoff of ε ρ in f; and its growth from one f̄ to the next."""


class Laws(NamedTuple):
    """The rows of the gap and the slips of each point, and the bounds of friction."""

    gap: Integers
    """The row of the gap of each point, -1 without one."""
    slip: Integers
    """The first row of slip of each point."""
    slips: Integers
    """The number of rows of slip of each point."""
    bound: Integers
    """The number of components of the bound of a point without a gap: sums of factors[bound_from ...] times multipliers
    from bound_row on, of bound_rows terms each; without rows the factors themselves, for sliding and for rest."""
    bound_from: Integers
    """The first factor of each bound."""
    bound_row: Integers
    """The first multiplier of each bound."""
    bound_rows: Integers
    """The number of multipliers of each bound."""


class EntryPlaces(NamedTuple):
    """Places of entries in the matrix of the elimination."""

    diagonal: Integers
    """The diagonal of W."""
    beside: Integers
    """Entries of W below the diagonal."""
    above: Integers
    """Their mirror images."""
    jacobian: Integers
    """Entries of Φ_v."""
    mirrored: Integers
    """Their mirror images."""
    item_at: Integers
    """Columns i and j of point c, which has k columns, go to item[item_at[c] + i k + j]."""
    item: Integers


class ContactSprings(NamedTuple):
    """Springs in the place of contacts, and the work space of their Newton's method."""

    anchor: Work[Vector] = zeros("lines")
    """f̄."""
    unit: Work[Vector] = zeros("lines")
    """√W_rr, approximately: residuals compare forces times this unit and rates divided by it."""
    stiffness: Work[Vector] = zeros("lines")
    """ρ."""
    firmness: Work[Vector] = zeros(2)
    """ρ W_rr, and the value up to which it grows."""
    tangent: Work[Vector] = zeros("shape")
    """The parts of D: for each point its share of ρ along the gap, its share along slips, and the share that a slip
    takes of the gap's; then for each row the direction in which a slip is free."""
    factored_tangent: Work[Vector] = zeros("shape")
    """The parts of the D that was factorised last."""
    kept: Work[Vector] = zeros("m")
    """1 for each row of joints that does not depend on others, else 0."""
    step_rate: Work[Vector] = zeros("lines")
    """G times the step."""
    trial_rate: Work[Vector] = zeros("lines")
    trial_force: Work[Vector] = zeros("lines")
    step: Work[Vector] = zeros("unknowns")
    """The step of x, then that of λ."""
    rest_f: Work[Vector] = zeros("n")
    rest_g: Work[Vector] = zeros("m")
    inertia: Work[Vector] = zeros("n")
    """The diagonal of W."""
    mobility: Work[Vector] = zeros("n")
    """Its inverse."""


class Proximal(NamedTuple):
    """A problem of x, λ and f (`proximal`)."""

    rows: Rows
    """The rows G; all rows of a point have the same columns."""
    laws: Laws
    elimination: Elimination
    """The factors of W + Gᵀ D G with Φ_v."""
    places: EntryPlaces
    asked: Work[Integers] = zeros("points")
    """1 for a point whose laws hold; others have no forces."""
    still: Work[Integers] = zeros("lines")
    """1 for a row at rest that no force moves: it has no force."""
    rests: Work[Integers] = zeros("points")
    mu: Work[Vector] = zeros("points")
    f: Work[Vector] = zeros("n")
    """The b of the equations."""
    g: Work[Vector] = zeros("m")
    heading: Work[Vector] = zeros("lines")
    """The direction of a slip that is known; else 0."""
    offset: Work[Vector] = zeros("lines")
    """y₀."""
    x: Work[Vector] = zeros("n")
    multipliers: Work[Vector] = zeros("m")
    force: Work[Vector] = zeros("lines")
    rate: Work[Vector] = zeros("lines")
    """y."""
    radius: Work[Vector] = zeros("points")
    scale: Work[Vector] = zeros(1)
    """The largest y/√W_rr without contacts, or given μ N √W_rr: residuals are relative to it."""
    tally: Work[Integers] = zeros(2)
    """The numbers of Newton steps and factorisations of the last solution."""
    springs: ContactSprings = ContactSprings()


def new_proximal(base: Pattern, rows: Rows, laws: Laws, lines: int) -> Proximal:
    """Return a problem for a matrix of this pattern, and rows G."""
    points, pairs, n = laws.gap.size, [], max(base.n, 1)
    for c in range(points):
        row = laws.gap[c] if laws.gap[c] >= 0 else laws.slip[c]
        own = rows.column[rows.at[row] : rows.at[row + 1]].astype(np.int64)
        pairs.append(np.stack([np.repeat(own, own.size), np.tile(own, own.size)]))
    item_at = np.cumsum([0, *(pair.shape[1] for pair in pairs)]).astype(np.int64)
    row, column = np.concatenate([np.zeros((2, 0), dtype=np.int64), *pairs], axis=1)
    given = [x.astype(np.int64) for x in (base.block_row, base.block_column)]
    below = np.unique(np.concatenate([np.maximum(*given) * n + np.minimum(*given), (row * n + column)[row > column]]))
    pattern = ordering(base.n, base.m, base.jac_row, base.jac_column, *np.divmod(below, n))
    every, jac_row, jac_column = (
        np.arange(base.n),
        base.n + base.jac_row.astype(np.int64),
        base.jac_column.astype(np.int64),
    )
    ends = (every, every), tuple(given), tuple(given[::-1]), (jac_row, jac_column), (jac_column, jac_row)
    maps = [places(pattern, *both) for both in ends]
    diagonal, beside, above, jacobian, mirrored = maps
    entries = EntryPlaces(diagonal, beside, above, jacobian, mirrored, item_at, places(pattern, row, column))
    sizes = {"points": points, "lines": lines, "n": base.n, "m": base.m, "unknowns": base.n + base.m}
    return block(Proximal(rows, laws, new_elimination(pattern, 1), entries), shape=3 * points + lines, **sizes)


@compiled
def put_unit(p: Proximal, r: int, unit: float) -> None:
    """Set the unit and the stiffness of a row; a row that moves nothing (unit 0) has no stiffness and no force."""
    springs = p.springs
    springs.unit[r] = unit if unit > 0.0 else 1.0
    springs.stiffness[r] = SOFT / (unit * unit) if unit > 0.0 and p.still[r] == 0 else 0.0
    if springs.stiffness[r] == 0.0:
        p.force[r] = 0.0


@compiled
def become(p: Proximal, firm: float) -> None:
    """Scale all springs to the firmness `firm`."""
    springs = p.springs
    for r in range(springs.stiffness.size):
        springs.stiffness[r] *= firm / springs.firmness[0]
    springs.firmness[0] = firm


@compiled
def put_radii(p: Proximal, factors: Vector) -> None:
    """Put the radii of friction, from the present forces and multipliers."""
    laws = p.laws
    for c in range(laws.gap.size):
        if laws.slips[c] == 0:
            continue
        square, first, rows = 0.0, laws.bound_from[c] if laws.gap[c] < 0 else 0, 0
        if laws.gap[c] >= 0:
            square = p.force[laws.gap[c]] ** 2
        elif laws.bound_rows[c] == 0:
            square = factors[first + p.rests[c]] ** 2
        else:
            rows = laws.bound_rows[c]
            for d in range(laws.bound[c]):
                part = 0.0
                for k in range(rows):
                    part += factors[first + d * rows + k] * p.multipliers[laws.bound_row[c] + k]
                square += part * part
        p.radius[c] = p.mu[c] * sqrt(square)


@compiled
def put_forces(p: Proximal, rate: Vector, force: Vector, along_with: bool) -> None:
    """Put P(f̄ - ρ y) into `force`, and the parts of D; the radii are given, or follow from these forces
    (`along_with`)."""
    springs = p.springs
    laws, points, bent = p.laws, p.laws.gap.size, springs.tangent
    for c in range(points):
        if p.asked[c] == 0:
            continue
        first, end, radius, pushes = laws.slip[c], laws.slip[c] + laws.slips[c], p.radius[c], 0.0
        square, firm, headed = 0.0, 0.0, is_headed(p, c)
        if laws.gap[c] >= 0:
            r = laws.gap[c]
            force[r] = max(springs.anchor[r] - springs.stiffness[r] * rate[r], 0.0)
            pushes = springs.stiffness[r] if force[r] > 0.0 else 0.0
            radius = p.mu[c] * force[r] if along_with else radius
        for r in range(first, end):
            force[r] = -p.heading[r] if headed else springs.anchor[r] - springs.stiffness[r] * rate[r]
            square, firm = square + force[r] ** 2, max(firm, springs.stiffness[r])
        length, share = sqrt(square), 1.0
        slides = headed or length > radius
        if slides:
            share = radius / length
        for r in range(first, end):
            bent[3 * points + r] = force[r] / length if slides else 0.0
            force[r] *= share
        bent[c] = pushes
        bent[points + c] = 0.0 if headed or (slides and end - first == 1) else share * firm
        bent[2 * points + c] = p.mu[c] * pushes if slides and along_with else 0.0


@compiled
def is_headed(p: Proximal, c: int) -> bool:
    """Return whether the direction of a point's slip is known."""
    headed = False
    for r in range(p.laws.slip[c], p.laws.slip[c] + p.laws.slips[c]):
        headed = headed or p.heading[r] != 0.0
    return headed


@compiled
def persist(p: Proximal) -> None:
    """Let points persist: a point that pushes in f̄ pushes on, and a slip against its f̄ does not reverse but sticks.
    The function changes D and the residual of the equations, in which forces follow their springs beyond P."""
    springs = p.springs
    laws, points = p.laws, p.laws.gap.size
    springs.trial_force[:] = 0.0
    for c in range(points):
        r, first, end, onward, firm = laws.gap[c], laws.slip[c], laws.slip[c] + laws.slips[c], 0.0, 0.0
        if p.asked[c] == 1 and r >= 0 and springs.tangent[c] == 0.0 and springs.anchor[r] > 0.0:
            springs.tangent[c] = springs.stiffness[r]
            springs.trial_force[r] = springs.anchor[r] - springs.stiffness[r] * p.rate[r]
        for k in range(first, end):
            onward += springs.tangent[3 * points + k] * springs.anchor[k]
            firm = max(firm, springs.stiffness[k])
        if p.asked[c] == 1 and onward < 0.0 and not is_headed(p, c):
            springs.tangent[points + c] = firm
            for k in range(first, end):
                springs.tangent[3 * points + k] = 0.0
                springs.trial_force[k] = springs.anchor[k] - springs.stiffness[k] * p.rate[k] - p.force[k]
    add_transposed_product(p.rows, springs.trial_force, springs.rest_f)


@compiled
def holds(p: Proximal, c: int) -> bool:
    """Return whether the friction of a point is less than its bound."""
    holding = p.asked[c] == 1
    for r in range(p.laws.slip[c], p.laws.slip[c] + p.laws.slips[c]):
        holding = holding and p.springs.tangent[3 * p.laws.gap.size + r] == 0.0
    return holding


@compiled
def put_matrix(p: Proximal, factor: Factor) -> None:
    """Put W + Gᵀ D G. Along slips D is ρ (1 - d dᵀ), with d the free direction; and μ ρ d couples slips to the gap."""
    springs = p.springs
    matrix, rows, laws, points = p.elimination.matrix, p.rows, p.laws, p.laws.gap.size
    matrix[:] = 0.0
    for i in range(springs.inertia.size):
        matrix[p.places.diagonal[i]] = springs.inertia[i]
    for k in range(p.places.beside.size):
        matrix[p.places.beside[k]] = matrix[p.places.above[k]] = factor.beside[k]
    for e in range(p.places.jacobian.size):
        matrix[p.places.jacobian[e]] = matrix[p.places.mirrored[e]] = factor.jacobian[e]
    for c in range(points):
        push, hold, takes = springs.tangent[c], springs.tangent[points + c], springs.tangent[2 * points + c]
        if p.asked[c] == 0 or (push == 0.0 and hold == 0.0):
            continue
        first, end = laws.slip[c], laws.slip[c] + laws.slips[c]
        normal = laws.gap[c] if laws.gap[c] >= 0 else first
        at, size, item = rows.at[normal], rows.at[normal + 1] - rows.at[normal], p.places.item_at[c]
        for i in range(size):
            off_i = 0.0
            for r in range(first, end):
                off_i += springs.tangent[3 * points + r] * rows.value[rows.at[r] + i]
            for j in range(size):
                entry, off_j = (push * rows.value[at + i] + takes * off_i) * rows.value[at + j], 0.0
                if hold > 0.0:
                    for r in range(first, end):
                        off_j += springs.tangent[3 * points + r] * rows.value[rows.at[r] + j]
                        entry += hold * rows.value[rows.at[r] + i] * rows.value[rows.at[r] + j]
                matrix[p.places.item[item]] += entry - hold * off_i * off_j
                item += 1


@compiled
def natural_residual(p: Proximal) -> float:
    """Return the residual of the laws: the largest of |f - P(f - y/W_rr)| √W_rr."""
    springs = p.springs
    laws, worst = p.laws, 0.0
    for c in range(laws.gap.size):
        if p.asked[c] == 0:
            continue
        r = laws.gap[c]
        if r >= 0:
            worst = max(worst, abs(min(p.force[r] * springs.unit[r], p.rate[r] / springs.unit[r])))
        first, end, square = laws.slip[c], laws.slip[c] + laws.slips[c], 0.0
        for r in range(first, end):
            square += (p.force[r] * springs.unit[r] - p.rate[r] / springs.unit[r]) ** 2
        longest = p.radius[c] * springs.unit[first] if end > first else 0.0
        share = longest / sqrt(square) if square > longest * longest else 1.0
        for r in range(first, end):
            force, rate = p.force[r] * springs.unit[r], p.rate[r] / springs.unit[r]
            wanted = -longest * p.heading[r] if is_headed(p, c) else share * (force - rate)
            worst = max(worst, abs(force - wanted))
    return worst
