"""Contact and friction as laws between f and w = W f + w0, and the solution of these problems. Compiled.

    unilateral      0 ≤ f,  0 ≤ w,  f w = 0
    friction        |f_c| ≤ r,  f_c = -r w_c/|w_c| where w_c is not zero,  r = μ |b + B f|

The direction of a slip in progress is known, `heading`, the direction of the slip and not of its rate w_c: f_c = -r
heading.

*Residual.* Both laws say that f_c is the projection of f_c - ρ w_c, for any ρ > 0: onto f ≥ 0, or onto the disk (its
radius is that of the f on the left). The distance between the two is the natural residual: zero where the laws hold,
and nowhere else.

*Units.* Rows are in different units, so every law gets its own: x = f / s, y = s w, with 1/s² the largest diagonal
entry of W in the law (one for all its rows: a disk stays a disk). Then the diagonal of A = s W s is 1, ρ = 1 suits all,
and divided by the largest entry of s w0 (or of a bound b) all numbers are relative.

*Modes.* With given modes the laws are equations: x = 0 without a force (an open gap), y = 0 where the law is held (a
closed gap, a friction that sticks), and x_c = r t where it slides, with its force along t. Newton's method takes the
modes from the trial force z = x - y: a gap has no force where z ≤ 0; a friction is held where z_c lies in the disk,
else it slides along t = z_c / |z_c|, which turns with z (unless the direction is given):

    dx_c - t dr - (r/|z_c|) (1 - t tᵀ) dz_c = r t - x_c,      dz = dx - dy,      dy = A dx.

In a plane no direction turns, the equations of a mode are linear, and the right modes give the solution in one step.
The matrix may be singular; the step is the least one (`elimination`).

*Method.* It should converge from anywhere, end at roundoff, and detect its own failure. No single method has all three.
Sweeps, projections of all laws at once, converge from anywhere but slowly; Newton's method is exact as soon as it
starts with the right modes. So they take turns, with more sweeps each time. The natural residual decides whether a
result is a solution.

A problem too hard for both is approached from an easier one: from W + δ, with δ from 1 down to nearly nothing, or from
the problem without friction, which is convex, with a factor θ of friction that grows from 0 to 1. A solution in the
plane has one of finitely many modes: finally the modes are tried, one combination after the other, if they are few;
then it is known whether there is no solution, or more than one. No result depends on the order of the laws.

*Forces that are not unique.* Where W is singular and friction does not couple, solutions f differ by vectors in the
null space of W. With W + δ there is one f only, which tends to the least one with δ, and has its modes; from there the
least step of Newton's method leads to W itself. (Least in the units above: forces count by the motion that they cause.)

*No solution.* If y ≥ 0 with W y = 0 has y·w0 < 0, then y·w < 0 for every f, which contradicts w ≥ 0: bodies are
squeezed from both sides. Such a y is the direction in which the f of W + δ goes to infinity. Friction that pushes more
than it holds (Painlevé) may leave no solution, or several: this is known if the modes were counted.
"""

from math import isfinite, sqrt
from typing import NamedTuple

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Matrix, Vector, Work, block, zeros
from ..tolerances import (
    DESCENT_DAMPING,
    DIRECTION_ROUNDOFF,
    LAW_RESIDUAL,
    LEAST_DAMPING,
    RAY_GAIN,
    RESIDUAL_FLOOR,
    SOLUTION_DIFFERENCE,
    SOLUTION_ROUNDOFF,
    UNKNOWN_SHARE,
    WEAK_CONTACT,
)
from .elimination import least_solution
from .vectors import all_finite, copy, largest

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


STEPS = 20
"""The number of steps after which Newton's method has found the modes, or cycles."""
FAR = 1e100
"""A residual from which no step leads back, relative to the rates, or accelerations, without contacts."""
FEW = 20000
"""The largest number of combinations of modes, times the third power of the unknowns over 100, that are tried."""


@compiled
def newton(p: Complementarity) -> bool:
    """Make Newton steps until all laws are satisfied, and one more if it reduces the residual; return whether they
    are."""
    n, best = unknowns(p), FAR
    for _ in range(STEPS):
        choose_modes(p, 0.0)
        open_ways = advance(p)
        p.tally[NEWTON_COUNT] += 1
        left = how_solved(p)
        if best <= LAW_RESIDUAL and not left < best:
            copy(p.modes.best[:n], p.scaled.x)
            put_y(p)
            return True
        p.tally[UNDETERMINED] = open_ways
        if left <= RESIDUAL_FLOOR or best <= LAW_RESIDUAL:
            return True
        if not left < FAR:
            return False
        best = left
        copy(p.scaled.x[:n], p.modes.best)
    return best <= LAW_RESIDUAL


@compiled
def choose_modes(p: Complementarity, margin: float) -> None:
    """Choose modes by the trial forces; a law without a force, by less than `margin`, counts as held. Laws without a
    force get x = 0."""
    scaled, modes = p.scaled, p.modes
    put_y(p)
    for law in range(p.counts[0]):
        if is_unilateral(p, law):
            for i in range(p.first[law], p.first[law + 1]):
                modes.mode[i] = HELD if scaled.x[i] - scaled.y[i] > -margin else NO_FORCE
        else:
            for i in range(p.first[law], p.first[law + 1]):
                modes.mode[i] = HELD
    _clear_forces(p)
    for law in range(p.counts[0]):
        if is_unilateral(p, law):
            continue
        begin, end, length = p.first[law], p.first[law + 1], 0.0
        longest, slip = radius(p, law), heading_length(p, law)
        for i in range(begin, end):
            length += (scaled.x[i] - scaled.y[i]) ** 2
        length = sqrt(length)
        slides = slip > 0.0 or length > longest + margin
        nothing = longest == 0.0 and not (slides and _may_grow(p, law))
        mode = NO_FORCE if nothing else SLIDES if slides else HELD
        modes.turn_rate[law] = longest / length if slip == 0.0 and mode == SLIDES else 0.0
        for i in range(begin, end):
            modes.mode[i] = mode
            if mode == SLIDES:
                modes.direction[i] = (scaled.x[i] - scaled.y[i]) / length if slip == 0.0 else -p.heading[i] / slip
    _clear_forces(p)


@compiled
def _may_grow(p: Complementarity, law: int) -> bool:
    """Return whether the bound of a law depends on a law with a force."""
    for row in range(p.bound_at[law], p.bound_at[law + 1]):
        for j in range(unknowns(p)):
            if p.scaled.relaxation[FRICTION] * p.scaled.C[row, j] != 0.0 and p.modes.mode[j] != NO_FORCE:
                return True
    return False


@compiled
def _clear_forces(p: Complementarity) -> None:
    changed = False
    for i in range(unknowns(p)):
        if p.modes.mode[i] == NO_FORCE and p.scaled.x[i] != 0.0:
            p.scaled.x[i], changed = 0.0, True
    if changed:
        put_y(p)


@compiled
def advance(p: Complementarity) -> int:
    """Solve the equations of the modes, linear at x, for the least step, and make it. Return the number of unknowns
    that the equations do not determine."""
    modes = p.modes
    many = write_equations(p)
    rank = least_solution(modes.matrix, modes.residual, modes.step, modes.order, many)
    for k in range(many):
        p.scaled.x[modes.free[k]] += modes.step[k]
    return many - rank


@compiled
def write_equations(p: Complementarity) -> int:
    """Put J and e of J dx = e for the unknowns of laws with a force, list these, and return their number."""
    scaled, modes = p.scaled, p.modes
    many = 0
    for i in range(unknowns(p)):
        if modes.mode[i] != NO_FORCE:
            modes.free[many] = i
            many += 1
    row = 0
    for law in range(p.counts[0]):
        for i in range(p.first[law], p.first[law + 1]):
            if modes.mode[i] == HELD:
                for k in range(many):
                    modes.matrix[row, k] = scaled.A[i, modes.free[k]]
                modes.matrix[row, row] += scaled.relaxation[DAMPING]
                modes.residual[row] = -scaled.y[i]
                row += 1
        if modes.mode[p.first[law]] == SLIDES:
            longest = radius(p, law)
            _put_sense(p, law, longest)
            write_sliding(p, law, row, many, longest)
            row += p.first[law + 1] - p.first[law]
    return many


@compiled
def write_sliding(p: Complementarity, law: int, row: int, many: int, longest: float) -> None:
    """Write the equations of a law that slides, with a known radius whose gradient is `modes.gradient`."""
    scaled, modes = p.scaled, p.modes
    begin, end = p.first[law], p.first[law + 1]
    for k in range(many):
        j, growth, turned = modes.free[k], 0.0, 0.0
        for one in range(p.bound_at[law], p.bound_at[law + 1]):
            growth += modes.gradient[one] * scaled.C[one, j]
        for i in range(begin, end):
            turned += modes.direction[i] * ((1.0 - scaled.relaxation[DAMPING] if i == j else 0.0) - scaled.A[i, j])
        for i in range(begin, end):
            own = 1.0 if i == j else 0.0
            trial = own * (1.0 - scaled.relaxation[DAMPING]) - scaled.A[i, j]
            modes.matrix[row + i - begin, k] = (
                own - modes.direction[i] * growth - modes.turn_rate[law] * (trial - modes.direction[i] * turned)
            )
    for i in range(begin, end):
        modes.residual[row + i - begin] = longest * modes.direction[i] - scaled.x[i]


@compiled
def _put_sense(p: Complementarity, law: int, longest: float) -> None:
    """Put the gradient of the radius by its bound. At radius 0 it has no direction, but a single row has a sign."""
    begin, end = p.bound_at[law], p.bound_at[law + 1]
    for row in range(begin, end):
        value = bound(p, row)
        if end == begin + 1:
            p.modes.gradient[row] = p.scaled.relaxation[FRICTION] * (1.0 if value >= 0.0 else -1.0)
        else:
            p.modes.gradient[row] = p.scaled.relaxation[FRICTION] ** 2 * value / longest if longest > 0.0 else 0.0


# --- all modes ----------------------------------------------------------------------------------------------------


@compiled
def can_be_counted(p: Complementarity) -> bool:
    """Return whether the modes of all laws together are few, and the equations of each of them are linear."""
    n, total = unknowns(p), 1.0
    for law in range(p.counts[0]):
        total *= _modes_of(p, law)
        if not is_unilateral(p, law) and (p.bound_at[law + 1] > p.bound_at[law] + 1 or _modes_of(p, law) > 3):
            return False
        if total * (1.0 + n * n * n / 100.0) > FEW:
            return False
    return True


@compiled
def _modes_of(p: Complementarity, law: int) -> int:
    """Return the number of modes of a law; 4, too many, if any direction of sliding in a plane is possible."""
    rows = p.first[law + 1] - p.first[law]
    return 1 << min(rows, 40) if is_unilateral(p, law) else 2 if heading_length(p, law) > 0.0 else 3 if rows == 1 else 4


@compiled
def try_modes(p: Complementarity, found: bool) -> int:
    """Count solutions with different y, including the one in x if one is `found`; x becomes the first one otherwise.
    Return -1 if none was found but may exist: some modes do not determine theirs, or miss it by little."""
    scaled, modes = p.scaled, p.modes
    n, solutions, sure = unknowns(p), 0, True
    if found:
        put_y(p)
        copy(scaled.x[:n], modes.previous_x)
        copy(scaled.y[:n], modes.other_x)
        solutions = 1
    for law in range(p.counts[0]):
        modes.choice[law] = 0
    while True:
        for i in range(n):
            scaled.x[i] = 0.0
        _put_modes(p)
        put_y(p)
        left = advance(p)
        p.tally[TRIAL_COUNT] += 1
        off = how_solved(p)
        if off <= LAW_RESIDUAL:
            if solutions == 0:
                copy(scaled.x[:n], modes.previous_x)
                copy(scaled.y[:n], modes.other_x)
                p.tally[UNDETERMINED] = left
            if solutions == 0 or _is_different(p, n):
                solutions += 1
        elif left > 0 or off < SOLUTION_ROUNDOFF:
            sure = False
        law = 0
        while law < p.counts[0] and modes.choice[law] + 1 == _modes_of(p, law):
            modes.choice[law] = 0
            law += 1
        if law == p.counts[0]:
            break
        modes.choice[law] += 1
    if solutions > 0:
        copy(modes.previous_x[:n], scaled.x)
        put_y(p)
    return solutions if sure or solutions > 0 else -1


@compiled
def _put_modes(p: Complementarity) -> None:
    """Put the modes of all laws, from the digits `modes.choice`."""
    modes = p.modes
    for law in range(p.counts[0]):
        begin, turn = p.first[law], modes.choice[law]
        if is_unilateral(p, law):
            for i in range(begin, p.first[law + 1]):
                modes.mode[i] = HELD if turn & (1 << (i - begin)) else NO_FORCE
            continue
        slip, modes.turn_rate[law] = heading_length(p, law), 0.0
        for i in range(begin, p.first[law + 1]):
            modes.mode[i] = HELD if turn == 2 else SLIDES
            modes.direction[i] = (1.0 if turn == 0 else -1.0) * (p.heading[i] / slip if slip > 0.0 else 1.0)


@compiled
def _is_different(p: Complementarity, n: int) -> bool:
    different = False
    for i in range(n):
        different = different or abs(p.scaled.y[i] - p.modes.other_x[i]) > SOLUTION_DIFFERENCE * (
            1.0 + abs(p.scaled.y[i])
        )
    return different


DONE, SEVERAL, NO_SOLUTION, NOT_FOUND = range(4)
"""Solved; solved, but there are other solutions with another w; there is no solution; none was found. f and w are
written in the first two cases only."""

ROUNDS, SWEEPS = 8, 6
"""The number of turns of sweeps and Newton's method, and the number of sweeps in the first turn, which doubles each
time."""
BRIEFLY = 3
"""Rounds after which another approach is tried first."""
FALL = 0.3
"""The factor of δ from one problem to the next."""
RUNGS = 8
"""The number of steps in which friction grows."""


def new_complementarity(laws: int, unknowns: int, bounds: int) -> Complementarity:
    """Return a problem of up to this number of laws, unknowns and rows of bounds."""
    return block(Complementarity(), laws=laws, laws_and_one=laws + 1, unknowns=unknowns, bounds=bounds)


@compiled_apart
def solve_complementarity(problem: Complementarity) -> int:
    """Put f and w that satisfy all laws into the problem, starting from its f. Return the status; `tally` counts the
    work."""
    p = problem
    scaled = p.scaled
    for k in range(p.tally.size):
        p.tally[k] = 0
    scaled.relaxation[DAMPING], scaled.relaxation[FRICTION] = 0.0, 1.0
    if not put_into_units(p):
        return NOT_FOUND
    status = DONE
    if scaled.scale[0] > 0.0:
        status = _solve(p)
    if status in (DONE, SEVERAL):
        put_solution(p)
    return status


@compiled_apart
def find_undetermined(problem: Complementarity, undetermined: Integers) -> None:
    """Set `undetermined` to 1 for each unknown that the laws do not determine at the present f, else to 0. A law whose
    f and w are both zero is taken as closed: unknowns with 0 are certainly determined, unknowns with 1 may be
    determined, too."""
    p = problem
    scaled, modes = p.scaled, p.modes
    scaled.relaxation[DAMPING], scaled.relaxation[FRICTION] = 0.0, 1.0
    for i in range(unknowns(p)):
        undetermined[i] = 0
    if not put_into_units(p) or scaled.scale[0] == 0.0:
        return
    choose_modes(p, WEAK_CONTACT)
    many = write_equations(p)
    rank = least_solution(modes.matrix, modes.residual, modes.step, modes.order, many)
    for k in range(rank):
        if rank < many and largest(modes.matrix[k, rank:many]) > UNKNOWN_SHARE:
            undetermined[modes.free[modes.order[k]]] = 1
    for k in range(rank, many):
        undetermined[modes.free[modes.order[k]]] = 1


@compiled
def _solve(p: Complementarity) -> int:
    found = _search(p, BRIEFLY)
    if p.tally[UNDETERMINED] > 0:
        found = _take_least(p, found)
    if not found:
        if _is_squeezed(p):
            return NO_SOLUTION
        found = _descend(p, 1.0) and _search(p, BRIEFLY) or _search(p, ROUNDS) or _grow(p)
        if found and p.tally[UNDETERMINED] > 0:
            _take_least(p, found)
    if found and not _is_strong(p):
        return DONE
    if not can_be_counted(p):
        return DONE if found or _is_nearly_solved(p) else NOT_FOUND
    solutions = try_modes(p, found)
    if solutions < 0:
        return NOT_FOUND
    return NO_SOLUTION if solutions == 0 else DONE if solutions == 1 else SEVERAL


@compiled
def _ease(p: Complementarity, damping: float, friction: float) -> None:
    p.scaled.relaxation[DAMPING], p.scaled.relaxation[FRICTION] = damping, friction


@compiled
def _search(p: Complementarity, rounds: int) -> bool:
    """Run sweeps and Newton's method in turns, from x; return whether x has become a solution."""
    scaled = p.scaled
    n, many = unknowns(p), SWEEPS
    for _ in range(rounds):
        for _ in range(many):
            sweep(p)
        p.tally[SWEEP_COUNT] += many
        many *= 2
        if not all_finite(scaled.x[:n]):
            _clear(p)
            return False
        copy(scaled.x[:n], p.modes.previous_x)
        if newton(p):
            return True
        copy(p.modes.previous_x[:n], scaled.x)
    return False


@compiled
def _clear(p: Complementarity) -> None:
    for i in range(unknowns(p)):
        p.scaled.x[i] = 0.0


@compiled
def _descend(p: Complementarity, friction: float) -> bool:
    """Solve a sequence of problems from W + 1, which is easily solved, to W + `DESCENT_DAMPING`; return whether the
    last one succeeded."""
    found, damping = False, 1.0
    while damping >= 0.99 * DESCENT_DAMPING:
        _ease(p, damping, friction)
        found = _search(p, BRIEFLY)
        damping *= FALL
    _ease(p, 0.0, 1.0)
    return found


@compiled
def _grow(p: Complementarity) -> bool:
    """Solve a sequence of problems from no friction to full friction; return whether the last one succeeded."""
    found = False
    for rung in range(RUNGS + 1):
        _ease(p, 0.0, rung / RUNGS)
        found = _search(p, BRIEFLY if rung < RUNGS else ROUNDS)
    return found


@compiled
def _take_least(p: Complementarity, found: bool) -> bool:
    """Replace x by the least of all solutions with the same w, if it can be found. Return whether x is a solution; a
    failed search leaves x and the answer `found` as they were."""
    n = unknowns(p)
    copy(p.scaled.x[:n], p.modes.other_x)
    _ease(p, DESCENT_DAMPING, 1.0)
    better = _search(p, BRIEFLY) or _descend(p, 1.0)
    _ease(p, 0.0, 1.0)
    if better and newton(p):
        return True
    copy(p.modes.other_x[:n], p.scaled.x)
    put_y(p)
    return found


@compiled
def _is_nearly_solved(p: Complementarity) -> bool:
    """Return whether W + δ has a solution, which x becomes, for the least δ from `DESCENT_DAMPING` to `LEAST_DAMPING`
    that has one. W of many points of one body is singular; their equations (after Newton, a given part of the approach
    of each) may then contradict each other by the errors of positions. The search begins at x = 0, because other
    methods may have ended far along the null space of W."""
    n, found, damping = unknowns(p), False, DESCENT_DAMPING
    _clear(p)
    while damping >= 0.99 * LEAST_DAMPING:
        copy(p.scaled.x[:n], p.modes.other_x)
        _ease(p, damping, 1.0)
        better = _search(p, BRIEFLY)
        if not better:
            copy(p.modes.other_x[:n], p.scaled.x)
        if found and not better:
            break
        found = better
        damping *= FALL
    _ease(p, 0.0, 1.0)
    put_y(p)
    return found


@compiled
def _is_squeezed(p: Complementarity) -> bool:
    """Return whether an x ≥ 0 with A x = 0 has q·x < 0."""
    scaled = p.scaled
    n, least, acts, gain = unknowns(p), 0.0, 0.0, 0.0
    copy(scaled.x[:n], p.modes.other_x)
    _clear(p)
    found = _descend(p, 0.0)
    size = largest(scaled.x[:n])
    for i in range(n):
        scaled.x[i] *= 1.0 / size if size > 0.0 else 0.0
    for k in range(2):  # x is a direction; its part outside the null space of W is removed
        put_y(p)
        for i in range(n):
            scaled.y[i] -= scaled.q[i]
        if k == 0:
            advance(p)
    for i in range(n):
        least, acts, gain = (
            min(least, scaled.x[i]),
            max(acts, abs(scaled.y[i])),
            gain - scaled.q[i] * scaled.x[i],
        )
    copy(p.modes.other_x[:n], scaled.x)
    return found and least > -DIRECTION_ROUNDOFF and acts < DIRECTION_ROUNDOFF and gain > RAY_GAIN


@compiled
def _is_strong(p: Complementarity) -> bool:
    """Return whether some friction may raise its own bound by more than it gives way: there may be several
    solutions."""
    scaled = p.scaled
    for law in range(p.counts[0]):
        for row in range(p.bound_at[law], p.bound_at[law + 1]):
            for j in range(unknowns(p)):
                pushes, own = 0.0, p.first[law] <= j < p.first[law + 1]
                for i in range(p.first[law], p.first[law + 1]):
                    pushes += abs(scaled.A[j, i])
                if scaled.C[row, j] != 0.0 and abs(scaled.C[row, j]) * (1.0 if own else pushes) >= (
                    1.0 if own else scaled.A[j, j]
                ):
                    return True
    return False
