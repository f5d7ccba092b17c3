"""Laws of contact as stiff springs: the pieces of `proximal`, which says what they are for. Compiled."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from .order import ordering
from .pattern import Pattern
from .rows import Rows, pull
from .unsymmetric import Elimination, new_elimination, places

SOFT, STIFF, FIRMER = 1e3, 1e5, 10.0
"""ρ, relative to 1/W_rr: at first, when it is found which points push; at last, so much that a few f̄ do, with roundoff
of ε ρ in f; and how it grows from one f̄ to the next."""


class Laws(NamedTuple):
    """Which rows are the gap and the slips of which point, and what bounds friction."""

    gap: Integers
    """The row of each point's gap, -1 without one; its first row of slip, and how many it has."""
    slip: Integers
    slips: Integers
    bound: Integers
    """Without a gap, so many sums of factors[bound_from ...] times multipliers from bound_row on, each of so many
    items; without rows the factors themselves, for sliding and for rest."""
    bound_from: Integers
    bound_row: Integers
    bound_rows: Integers


class Proximal(NamedTuple):
    rows: Rows
    """The rows of a point have the same columns."""
    laws: Laws
    elimination: Elimination
    """Of W + Gᵀ D G with Φ_v."""
    diagonal: Integers
    beside: Integers
    above: Integers
    """Where the diagonal of W stands in its matrix, entries of W beside it, and their mirror images;"""
    jacobian: Integers
    mirrored: Integers
    """and so the entries of Φ_v."""
    item_at: Integers
    """Columns i and j of point c go to item_at[c] + i k + j of these, k being how many it has."""
    item: Integers

    # --- the problem and its solution
    asked: Work[Integers] = zeros("points")
    """1 for a point whose laws are asked; others have no forces."""
    still: Work[Integers] = zeros("lines")
    """1 for a row that no force moves, and that is still: it has none."""
    rests: Work[Integers] = zeros("points")
    mu: Work[Vector] = zeros("points")
    f: Work[Vector] = zeros("n")
    """The b of the equations."""
    g: Work[Vector] = zeros("m")
    heading: Work[Vector] = zeros("lines")
    """The direction of a slip that is known; of others 0."""
    offset: Work[Vector] = zeros("lines")
    """y₀."""
    x: Work[Vector] = zeros("n")
    multipliers: Work[Vector] = zeros("m")
    force: Work[Vector] = zeros("lines")
    rate: Work[Vector] = zeros("lines")
    """y."""
    radius: Work[Vector] = zeros("points")
    scale: Work[Vector] = zeros(1)
    """The largest y/√W_rr without contacts, and μ N √W_rr that is given: residuals are relative to it."""
    tally: Work[Integers] = zeros(2)
    """Newton's steps and factorisations of the last solution."""

    # --- on the way
    anchor: Work[Vector] = zeros("lines")
    """f̄."""
    unit: Work[Vector] = zeros("lines")
    """√W_rr, nearly: forces times it and rates over it are compared."""
    stiffness: Work[Vector] = zeros("lines")
    """ρ."""
    firm: Work[Vector] = zeros(2)
    """What it is now, relative to 1/W_rr, and up to which it grows."""
    bent: Work[Vector] = zeros("shape")
    """What D is made of: of each point its share of ρ along the gap, along slips, and what a slip takes of the gap's;
    then of each row the direction in which a slip is not held. And that of which there is a factor."""
    drawn: Work[Vector] = zeros("shape")
    kept: Work[Vector] = zeros("m")
    toward: Work[Vector] = zeros("lines")
    """G times the step."""
    trial: Work[Vector] = zeros("lines")
    other: Work[Vector] = zeros("lines")
    step: Work[Vector] = zeros("unknowns")
    """Of x, then of λ."""
    rest_f: Work[Vector] = zeros("n")
    rest_g: Work[Vector] = zeros("m")
    inertia: Work[Vector] = zeros("n")
    mobility: Work[Vector] = zeros("n")
    """The diagonal of W, and its inverse."""


def new_proximal(base: Pattern, rows: Rows, laws: Laws, lines: int) -> Proximal:
    """For a matrix of this pattern, and such rows."""
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
    fields: tuple[Any, ...] = rows, laws, new_elimination(pattern, 1), *maps, item_at, places(pattern, row, column)
    sizes = {"points": points, "lines": lines, "n": base.n, "m": base.m, "unknowns": base.n + base.m}
    return block(Proximal(*fields), shape=3 * points + lines, **sizes)


@compiled
def put_unit(p, r, unit):
    """A row that moves nothing, or is not asked (0), has no stiffness and no force."""
    p.unit[r] = unit if unit > 0.0 else 1.0
    p.stiffness[r] = SOFT / (unit * unit) if unit > 0.0 and p.still[r] == 0 else 0.0
    if p.stiffness[r] == 0.0:
        p.force[r] = 0.0


@compiled
def become(p, firm):
    """All springs become so firm."""
    for r in range(p.stiffness.size):
        p.stiffness[r] *= firm / p.firm[0]
    p.firm[0] = firm


@compiled
def put_radii(p, factors):
    """The most that friction may be, by the forces and multipliers that stand there."""
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
def put_forces(p, rate, force, along_with):
    """P(f̄ - ρ y), and what D is made of there; the radii are given, or those of these forces."""
    laws, points, bent = p.laws, p.laws.gap.size, p.bent
    for c in range(points):
        if p.asked[c] == 0:
            continue
        first, end, radius, pushes = laws.slip[c], laws.slip[c] + laws.slips[c], p.radius[c], 0.0
        square, firm, headed = 0.0, 0.0, is_headed(p, c)
        if laws.gap[c] >= 0:
            r = laws.gap[c]
            force[r] = max(p.anchor[r] - p.stiffness[r] * rate[r], 0.0)
            pushes = p.stiffness[r] if force[r] > 0.0 else 0.0
            radius = p.mu[c] * force[r] if along_with else radius
        for r in range(first, end):
            force[r] = -p.heading[r] if headed else p.anchor[r] - p.stiffness[r] * rate[r]
            square, firm = square + force[r] ** 2, max(firm, p.stiffness[r])
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
def is_headed(p, c):
    """Whether it is known where a point slips."""
    headed = False
    for r in range(p.laws.slip[c], p.laws.slip[c] + p.laws.slips[c]):
        headed = headed or p.heading[r] != 0.0
    return headed


@compiled
def persist(p):
    """What pushes in f̄ pushes on, and a slip does not turn back against its f̄, it sticks: in D, and in what is left of
    the equations, where forces go on along their springs beyond P."""
    laws, points = p.laws, p.laws.gap.size
    p.other[:] = 0.0
    for c in range(points):
        r, first, end, onward, firm = laws.gap[c], laws.slip[c], laws.slip[c] + laws.slips[c], 0.0, 0.0
        if p.asked[c] == 1 and r >= 0 and p.bent[c] == 0.0 and p.anchor[r] > 0.0:
            p.bent[c] = p.stiffness[r]
            p.other[r] = p.anchor[r] - p.stiffness[r] * p.rate[r]
        for k in range(first, end):
            onward += p.bent[3 * points + k] * p.anchor[k]
            firm = max(firm, p.stiffness[k])
        if p.asked[c] == 1 and onward < 0.0 and not is_headed(p, c):
            p.bent[points + c] = firm
            for k in range(first, end):
                p.bent[3 * points + k] = 0.0
                p.other[k] = p.anchor[k] - p.stiffness[k] * p.rate[k] - p.force[k]
    pull(p.rows, p.other, p.rest_f)


@compiled
def holds(p, c):
    """Whether the friction of a point is less than its bound."""
    holding = p.asked[c] == 1
    for r in range(p.laws.slip[c], p.laws.slip[c] + p.laws.slips[c]):
        holding = holding and p.bent[3 * p.laws.gap.size + r] == 0.0
    return holding


@compiled
def put_matrix(p, factor):
    """W + Gᵀ D G. Along slips D is ρ (1 - d dᵀ), d being where they are not held; and μ ρ d of the gap in them."""
    matrix, rows, laws, points = p.elimination.matrix, p.rows, p.laws, p.laws.gap.size
    matrix[:] = 0.0
    for i in range(p.inertia.size):
        matrix[p.diagonal[i]] = p.inertia[i]
    for k in range(p.beside.size):
        matrix[p.beside[k]] = matrix[p.above[k]] = factor.beside[k]
    for e in range(p.jacobian.size):
        matrix[p.jacobian[e]] = matrix[p.mirrored[e]] = factor.jacobian[e]
    for c in range(points):
        push, hold, takes = p.bent[c], p.bent[points + c], p.bent[2 * points + c]
        if p.asked[c] == 0 or (push == 0.0 and hold == 0.0):
            continue
        first, end = laws.slip[c], laws.slip[c] + laws.slips[c]
        normal = laws.gap[c] if laws.gap[c] >= 0 else first
        at, size, item = rows.at[normal], rows.at[normal + 1] - rows.at[normal], p.item_at[c]
        for i in range(size):
            off_i = 0.0
            for r in range(first, end):
                off_i += p.bent[3 * points + r] * rows.value[rows.at[r] + i]
            for j in range(size):
                entry, off_j = (push * rows.value[at + i] + takes * off_i) * rows.value[at + j], 0.0
                if hold > 0.0:
                    for r in range(first, end):
                        off_j += p.bent[3 * points + r] * rows.value[rows.at[r] + j]
                        entry += hold * rows.value[rows.at[r] + i] * rows.value[rows.at[r] + j]
                matrix[p.item[item]] += entry - hold * off_i * off_j
                item += 1


@compiled
def natural_residual(p):
    """How far forces are from what laws make of them: the largest of |f - P(f - y/W_rr)| √W_rr."""
    laws, worst = p.laws, 0.0
    for c in range(laws.gap.size):
        if p.asked[c] == 0:
            continue
        r = laws.gap[c]
        if r >= 0:
            worst = max(worst, abs(min(p.force[r] * p.unit[r], p.rate[r] / p.unit[r])))
        first, end, square = laws.slip[c], laws.slip[c] + laws.slips[c], 0.0
        for r in range(first, end):
            square += (p.force[r] * p.unit[r] - p.rate[r] / p.unit[r]) ** 2
        longest = p.radius[c] * p.unit[first] if end > first else 0.0
        share = longest / sqrt(square) if square > longest * longest else 1.0
        for r in range(first, end):
            force, rate = p.force[r] * p.unit[r], p.rate[r] / p.unit[r]
            wanted = -longest * p.heading[r] if is_headed(p, c) else share * (force - rate)
            worst = max(worst, abs(force - wanted))
    return worst
