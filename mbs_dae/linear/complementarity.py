"""Problems of contact: f and w = W f + w0 that satisfy unilateral and friction laws (`laws`). Compiled.

    unilateral      0 ≤ f,  0 ≤ w,  f w = 0
    friction        |f_c| ≤ r,  f_c = -r w_c/|w_c| where w_c is not zero,  r = μ |b + B f|

A method should converge from anywhere, end at roundoff, and detect its own failure. No single method has all three.
Sweeps, projections of all laws at once, converge from anywhere but slowly; Newton's method (`modes`) is exact as soon
as it starts with the right modes. So they take turns, with more sweeps each time. The natural residual decides whether
a result is a solution.

A problem too hard for both is approached from an easier one: from W + δ, with δ from 1 down to nearly nothing, or from
the problem without friction, which is convex, with a factor θ of friction that grows from 0 to 1. Finally the modes are
tried, one combination after the other, if they are few (in the plane). No result depends on the order of the laws.

*Forces that are not unique.* Where W is singular and friction does not couple, solutions f differ by vectors in the
null space of W. With W + δ there is one f only, which tends to the least one with δ, and has its modes; from there the
least step of Newton's method leads to W itself. (Least in the units of `laws`: forces count by the motion that they
cause.)

*No solution.* If y ≥ 0 with W y = 0 has y·w0 < 0, then y·w < 0 for every f, which contradicts w ≥ 0: bodies are
squeezed from both sides. Such a y is the direction in which the f of W + δ goes to infinity. Friction that pushes more
than it holds (Painlevé) may leave no solution, or several: this is known if the modes were counted.
"""

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, block
from ..tolerances import DESCENT_DAMPING, DIRECTION_ROUNDOFF, LEAST_DAMPING, RAY_GAIN, UNKNOWN_SHARE, WEAK_CONTACT
from .elimination import least_solution
from .laws import (
    DAMPING,
    FRICTION,
    SWEEP_COUNT,
    UNDETERMINED,
    Complementarity,
    put_into_units,
    put_solution,
    put_y,
    sweep,
    unknowns,
)
from .modes import advance, can_be_counted, choose_modes, newton, try_modes, write_equations
from .vectors import all_finite, copy, largest

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
