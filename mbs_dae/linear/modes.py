"""The modes of contact laws (no force, held, slides) and the linear system of each choice of modes. Compiled.

With given modes the laws are equations: x = 0 without a force (an open gap), y = 0 where the law is held (a closed gap,
a friction that sticks), and x_c = r t where it slides, with its force along t. Newton's method takes the modes from the
trial force z = x - y: a gap has no force where z ≤ 0; a friction is held where z_c lies in the disk, else it slides
along t = z_c / |z_c|, which turns with z (unless the direction is given):

    dx_c - t dr - (r/|z_c|) (1 - t tᵀ) dz_c = r t - x_c,      dz = dx - dy,      dy = A dx.

In a plane no direction turns, the equations of a mode are linear, and the right modes give the solution in one step.
The matrix may be singular; the step is the least one (`elimination`).

A solution in the plane has one of finitely many modes. If no other method finds a solution, all modes are tried, if
they are few: then it is known whether there is none, or more than one.
"""

from math import sqrt

from ..kernels.abi import compiled
from ..tolerances import LAW_RESIDUAL, RESIDUAL_FLOOR, SOLUTION_DIFFERENCE, SOLUTION_ROUNDOFF
from .elimination import least_solution
from .laws import (
    DAMPING,
    FRICTION,
    HELD,
    NEWTON_COUNT,
    NO_FORCE,
    SLIDES,
    TRIAL_COUNT,
    UNDETERMINED,
    Complementarity,
    bound,
    heading_length,
    how_solved,
    is_unilateral,
    put_y,
    radius,
    unknowns,
)
from .vectors import copy

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
