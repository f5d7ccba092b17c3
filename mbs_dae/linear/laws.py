"""Contact and friction as laws between f and w = W f + w0, and the residuals of these laws. Compiled.

A unilateral law pushes or is open: 0 ≤ f, 0 ≤ w, f w = 0. A friction law confines f_c to a disk and opposes w_c:

    |f_c| ≤ r,   f_c = -r w_c / |w_c| where w_c is not zero,   r = μ |b + B f|.

The direction of a slip in progress is known, `heading`, the direction of the slip and not of its rate w_c: f_c = -r
heading.

Both laws say that f_c is the projection of f_c - ρ w_c, for any ρ > 0: onto f ≥ 0, or onto the disk (its radius is that
of the f on the left). The distance between the two is the natural residual: zero where the laws hold, and nowhere else.

Rows are in different units, so every law gets its own: x = f / s, y = s w, with 1/s² the largest diagonal entry of W in
the law (one for all its rows: a disk stays a disk). Then the diagonal of A = s W s is 1, ρ = 1 suits all, and divided
by the largest entry of s w0 (or of a bound b) all numbers are relative.
"""

from math import isfinite, sqrt
from typing import NamedTuple

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Matrix, Vector, Work, zeros
from .vectors import all_finite

ROUNDOFF = 1e-2
"""The part of the sum of the terms of w by which the tolerance grows: times `LAW_RESIDUAL` it is a few ε."""
ENDLESS = 1e300
"""The residual of numbers that are not finite."""
NO_FORCE, HELD, SLIDES = range(3)
"""Modes of a law: open, or without friction; a gap that is closed, or a friction that sticks; a friction that slips."""
DAMPING, FRICTION = range(2)
"""Places in `relaxation`: δ, which is added to W, and θ, a factor of friction."""
SWEEP_COUNT, NEWTON_COUNT, TRIAL_COUNT, UNDETERMINED = range(4)
"""Places in `tally`."""


class ScaledLaws(NamedTuple):
    """The problem in units of its laws: y = A x + q (+ δ x), r = θ |d + C x|."""

    unit: Work[Vector] = zeros("unknowns")
    scale: Work[Vector] = zeros(1)
    """One number: f = scale unit x."""
    relaxation: Work[Vector] = zeros(2)
    """δ (`DAMPING`) and θ (`FRICTION`) of auxiliary problems; 0 and 1 for the problem itself."""
    A: Work[Matrix] = zeros("unknowns", "unknowns")
    q: Work[Vector] = zeros("unknowns")
    C: Work[Matrix] = zeros("bounds", "unknowns")
    d: Work[Vector] = zeros("bounds")
    x: Work[Vector] = zeros("unknowns")
    y: Work[Vector] = zeros("unknowns")


class LawModes(NamedTuple):
    """The linear equations of a Newton step, in which each law has a mode."""

    mode: Work[Integers] = zeros("unknowns")
    """NO_FORCE, HELD or SLIDES, the same for all unknowns of a friction."""
    direction: Work[Vector] = zeros("unknowns")
    """The direction of the force of a law that slides."""
    turn_rate: Work[Vector] = zeros("laws")
    """The rate at which this direction turns with the trial force z: r / |z|; in sweeps, the radius r."""
    gradient: Work[Vector] = zeros("bounds")
    """The gradient of the radius r in the rows of its bound."""
    matrix: Work[Matrix] = zeros("unknowns", "unknowns")
    residual: Work[Vector] = zeros("unknowns")
    step: Work[Vector] = zeros("unknowns")
    free: Work[Integers] = zeros("unknowns")
    """The unknown of the problem for each unknown of the step."""
    order: Work[Integers] = zeros("unknowns")
    """The order of pivots."""
    best: Work[Vector] = zeros("unknowns")
    """The x with the least natural residual so far."""
    previous_x: Work[Vector] = zeros("unknowns")
    other_x: Work[Vector] = zeros("unknowns")
    """An x, or a y, to which an attempt returns or with which it is compared."""
    choice: Work[Integers] = zeros("laws")
    """The mode of each law in the combination of modes that is tried."""


class Complementarity(NamedTuple):
    """A problem of f and w. Its size may change from call to call: it is in the leading parts of the arrays."""

    first: Work[Integers] = zeros("laws_and_one")
    """Law c has the unknowns first[c] : first[c + 1]."""
    bound_at: Work[Integers] = zeros("laws_and_one")
    """Its bound is made of the rows bound_at[c] : bound_at[c + 1] of B and b; a law without any is unilateral."""
    counts: Work[Integers] = zeros(1)
    """The number of laws."""
    W: Work[Matrix] = zeros("unknowns", "unknowns")
    w0: Work[Vector] = zeros("unknowns")
    f: Work[Vector] = zeros("unknowns")
    w: Work[Vector] = zeros("unknowns")
    mu: Work[Vector] = zeros("laws")
    heading: Work[Vector] = zeros("unknowns")
    """A direction over the rows of a law that slides along it; 0 for other laws."""
    B: Work[Matrix] = zeros("bounds", "unknowns")
    b: Work[Vector] = zeros("bounds")
    tally: Work[Integers] = zeros(4)
    """The numbers of sweeps (`SWEEP_COUNT`), of Newton steps (`NEWTON_COUNT`) and of combinations of modes that have
    been tried (`TRIAL_COUNT`); the number of unknowns that the laws do not determine (`UNDETERMINED`)."""
    scaled: ScaledLaws = ScaledLaws()
    modes: LawModes = LawModes()


@compiled
def unknowns(p: Complementarity) -> int:
    return p.first[p.counts[0]]


@compiled
def is_unilateral(p: Complementarity, law: int) -> bool:
    return p.bound_at[law] == p.bound_at[law + 1]


@compiled
def put_into_units(p: Complementarity) -> bool:
    """Put x, A, q, C, d of the problem; return whether all its numbers are finite. `scale` is 0 if nothing acts."""
    scaled = p.scaled
    n, scale = unknowns(p), 0.0
    for law in range(p.counts[0]):
        begin, end, size = p.first[law], p.first[law + 1], 0.0
        for i in range(begin, end):
            size = max(size, abs(p.W[i, i]))
        unit = 1.0 / sqrt(size) if size > 0.0 else 1.0
        for i in range(begin, end):
            scaled.unit[i] = unit
            scale = max(scale, abs(p.w0[i]) * unit)
        for k in range(p.bound_at[law], p.bound_at[law + 1]):
            scale = max(scale, p.mu[law] * abs(p.b[k]) / unit)
    scaled.scale[0], finite = scale, isfinite(scale)
    inverse = 1.0 / scale if scale > 0.0 else 0.0
    for law in range(p.counts[0]):
        begin, end = p.first[law], p.first[law + 1]
        for i in range(begin, end):
            unit = scaled.unit[i]
            for j in range(n):
                scaled.A[i, j] = unit * p.W[i, j] * scaled.unit[j]
            scaled.q[i] = p.w0[i] * unit * inverse
            scaled.x[i] = p.f[i] / unit * inverse if isfinite(p.f[i]) else 0.0
            finite = finite and all_finite(scaled.A[i, :n]) and isfinite(scaled.q[i]) and isfinite(p.heading[i])
        for k in range(p.bound_at[law], p.bound_at[law + 1]):
            of_unit = p.mu[law] / scaled.unit[begin]
            for j in range(n):
                scaled.C[k, j] = of_unit * p.B[k, j] * scaled.unit[j]
            scaled.d[k] = of_unit * p.b[k] * inverse
            finite = finite and all_finite(scaled.C[k, :n]) and isfinite(scaled.d[k])
    return finite


@compiled
def put_solution(p: Complementarity) -> None:
    """Put f and w, from x and y."""
    scaled = p.scaled
    scale = scaled.scale[0]
    for i in range(unknowns(p)):
        p.f[i] = scaled.x[i] * scaled.unit[i] * scale
        p.w[i] = scaled.y[i] / scaled.unit[i] * scale


@compiled
def put_y(p: Complementarity) -> float:
    """Put y = A x + q + δ x and return the largest sum of absolute values of its terms."""
    scaled = p.scaled
    n, largest = unknowns(p), 0.0
    for i in range(n):
        total, size = scaled.q[i] + scaled.relaxation[DAMPING] * scaled.x[i], 0.0
        for j in range(n):
            term = scaled.A[i, j] * scaled.x[j]
            total += term
            size += abs(term)
        scaled.y[i] = total
        largest = max(largest, size)
    return largest


@compiled
def bound(p: Complementarity, row: int) -> float:
    """Return a row of d + C x."""
    scaled = p.scaled
    total = scaled.d[row]
    for j in range(unknowns(p)):
        total += scaled.C[row, j] * scaled.x[j]
    return total


@compiled
def radius(p: Complementarity, law: int) -> float:
    total = 0.0
    for row in range(p.bound_at[law], p.bound_at[law + 1]):
        total += bound(p, row) ** 2
    return p.scaled.relaxation[FRICTION] * sqrt(total)


@compiled
def heading_length(p: Complementarity, law: int) -> float:
    """Return the length of `heading`: 0 for a law without a slip in progress."""
    total = 0.0
    for i in range(p.first[law], p.first[law + 1]):
        total += p.heading[i] ** 2
    return sqrt(total)


@compiled
def residual(p: Complementarity) -> float:
    """Return the largest item of the natural residual, with the present y."""
    scaled = p.scaled
    worst = 0.0
    for law in range(p.counts[0]):
        begin, end = p.first[law], p.first[law + 1]
        if is_unilateral(p, law):
            for i in range(begin, end):
                worst = max(worst, abs(min(scaled.x[i], scaled.y[i])))
            continue
        length, longest, slip = 0.0, radius(p, law), heading_length(p, law)
        for i in range(begin, end):
            length += (scaled.x[i] - scaled.y[i]) ** 2
        length = sqrt(length)
        share = longest / length if length > longest else 1.0
        for i in range(begin, end):
            wanted = share * (scaled.x[i] - scaled.y[i]) if slip == 0.0 else -longest * p.heading[i] / slip
            worst = max(worst, abs(scaled.x[i] - wanted))
    return worst


@compiled
def how_solved(p: Complementarity) -> float:
    """Return the natural residual of x, relative to w0 and the roundoff of the terms of w. y is updated."""
    n, terms = unknowns(p), put_y(p)
    if not (all_finite(p.scaled.x[:n]) and all_finite(p.scaled.y[:n])):
        return ENDLESS
    return residual(p) / (1.0 + ROUNDOFF * terms)


@compiled
def sweep(p: Complementarity) -> None:
    """Satisfy all laws once with the others unchanged, each with the sum of its |A_ij| for ρ (projected Jacobi): large
    enough that all together do not overshoot. The result does not depend on the order of laws."""
    scaled, modes = p.scaled, p.modes
    n = unknowns(p)
    put_y(p)
    for law in range(p.counts[0]):
        begin, end, most = p.first[law], p.first[law + 1], 0.0
        for i in range(begin, end):
            total = scaled.relaxation[DAMPING]
            for j in range(n):
                total += abs(scaled.A[i, j])
            most = max(most, total)
        for i in range(begin, end):
            modes.step[i] = scaled.x[i] - scaled.y[i] / most if most > 0.0 else scaled.x[i]
            if is_unilateral(p, law):
                scaled.x[i] = max(modes.step[i], 0.0)
    for law in range(p.counts[0]):
        modes.turn_rate[law] = radius(p, law)
    for law in range(p.counts[0]):
        begin, end, length, slip = p.first[law], p.first[law + 1], 0.0, heading_length(p, law)
        if is_unilateral(p, law):
            continue
        for i in range(begin, end):
            length += modes.step[i] ** 2
        length, longest = sqrt(length), modes.turn_rate[law]
        share = longest / length if length > longest else 1.0
        for i in range(begin, end):
            scaled.x[i] = share * modes.step[i] if slip == 0.0 else -longest * p.heading[i] / slip
