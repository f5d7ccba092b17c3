"""Problems of contact with held modes: the modes of a solution, for neighbouring problems. Compiled.

With modes held the laws are equations, smooth functions of W, w0 and the bounds: x = 0 for open laws, y = 0 for closed
and sticking ones, x_c = r t for sliding ones, along the same side in one row, along t = z/|z| of the trial force
z = x - y else. The radius is smooth, too: in one row r = σ (d + C x) with its sign σ held.

The solution of the equations satisfies the laws as long as the inequalities of the modes hold:

    open   y >= 0        closed   x >= 0        sticks   r - |x| >= 0        slides   -y·t >= 0        σ (d + C x) >= 0

Their left sides are the margins. Where a margin is zero the solution has a kink.
"""

from math import sqrt

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import least_solution
from ...linear.laws import (
    EXACT,
    ROUNDOFF,
    Complementarity,
    bound,
    is_unilateral,
    put_into_units,
    put_solution,
    respond,
    unknowns,
)
from ...linear.modes import CLOSED, FAR, OPEN, SHARP, SLIDES, STEPS, write_sliding
from ...linear.vectors import all_finite, copy

NONE = 1e-8
"""A radius of several rows below this part of the scale of the problem counts as zero."""


@compiled_apart
def read_modes(problem: Complementarity) -> None:
    """Put the modes, directions and signs of bounds of the solution f into `modes`; roundoff decides only where a
    margin is zero."""
    p = problem
    scaled, modes = p.scaled, p.modes
    scaled.relaxation[0], scaled.relaxation[1] = 0.0, 1.0
    put_into_units(p)
    respond(p)
    for law in range(p.counts[0]):
        begin, end = p.first[law], p.first[law + 1]
        if is_unilateral(p, law):
            for i in range(begin, end):
                modes.mode[i], modes.direction[i] = CLOSED if scaled.x[i] > scaled.y[i] else OPEN, 0.0
            continue
        for row in range(p.bound_at[law], p.bound_at[law + 1]):
            modes.gradient[row] = 1.0 if bound(p, row) >= 0.0 else -1.0
        longest, length = held_radius(p, law), 0.0
        for i in range(begin, end):
            length += (scaled.x[i] - scaled.y[i]) ** 2
        length = sqrt(length)
        for i in range(begin, end):
            modes.mode[i] = SLIDES if length > longest else OPEN if longest == 0.0 else CLOSED
            modes.direction[i] = (scaled.x[i] - scaled.y[i]) / length if length > 0.0 else 0.0


@compiled_apart
def solve_held(problem: Complementarity) -> int:
    """Solve for f and w with the modes in `modes`, from the f of the problem. Return how many unknowns the modes do not
    determine; -1 where there is no solution."""
    p = problem
    scaled, modes = p.scaled, p.modes
    scaled.relaxation[0], scaled.relaxation[1] = 0.0, 1.0
    if not put_into_units(p):
        return -1
    n, best, undetermined = unknowns(p), FAR, 0
    for i in range(n):
        if modes.mode[i] == OPEN:
            scaled.x[i] = 0.0
    for _ in range(STEPS):
        undetermined = _advance(p)
        terms = respond(p)
        left = _left(p) / (1.0 + ROUNDOFF * terms)
        if not (all_finite(scaled.x[:n]) and left < FAR):
            return -1
        if left >= best and best <= EXACT:
            copy(modes.best[:n], scaled.x)
            respond(p)
            break
        if left < best:
            copy(scaled.x[:n], modes.best)
        best = min(left, best)
        if left <= SHARP:
            break
    put_solution(p)
    return undetermined if best <= EXACT else -1


@compiled
def held_radius(p: Complementarity, law: int) -> float:
    """Return the radius of a law, with the sign that is held."""
    begin, end, total = p.bound_at[law], p.bound_at[law + 1], 0.0
    if end == begin + 1:
        return p.modes.gradient[begin] * bound(p, begin)
    for row in range(begin, end):
        total += bound(p, row) ** 2
    return sqrt(total)


@compiled
def _advance(p: Complementarity) -> int:
    """Take one step of Newton's method with these modes; return how many unknowns are not determined."""
    scaled, modes = p.scaled, p.modes
    respond(p)
    many = row = 0
    for i in range(unknowns(p)):
        if modes.mode[i] != OPEN:
            modes.free[many] = i
            many += 1
    for law in range(p.counts[0]):
        begin, end = p.first[law], p.first[law + 1]
        for i in range(begin, end):
            if modes.mode[i] == CLOSED:
                for k in range(many):
                    modes.matrix[row, k] = scaled.A[i, modes.free[k]]
                modes.residual[row], row = -scaled.y[i], row + 1
        if modes.mode[begin] == SLIDES:
            longest = held_radius(p, law)
            _turn(p, law, longest)
            _slide(p, law, row, many, longest)
            row += end - begin
    rank = least_solution(modes.matrix, modes.residual, modes.step, modes.order, many)
    for k in range(many):
        scaled.x[modes.free[k]] += modes.step[k]
    return many - rank


@compiled
def _slide(p: Complementarity, law: int, row: int, many: int, longest: float) -> None:
    """Write the equations of a law that slides into `matrix`, from `row` on. A radius of several rows grows along the
    direction that it has; the sign of a single one stays for the next problem."""
    begin, end = p.bound_at[law], p.bound_at[law + 1]
    if end > begin + 1:
        for one in range(begin, end):
            p.modes.gradient[one] = bound(p, one) / longest if longest > 0.0 else 0.0
    write_sliding(p, law, row, many, longest)


@compiled
def _turn(p: Complementarity, law: int, longest: float) -> None:
    """Put the direction of a law that slides in several rows into `direction`: that of the trial force."""
    scaled, modes = p.scaled, p.modes
    begin, end, length = p.first[law], p.first[law + 1], 0.0
    modes.turn_rate[law] = 0.0
    if end == begin + 1:
        return
    for i in range(begin, end):
        length += (scaled.x[i] - scaled.y[i]) ** 2
    length = sqrt(length)
    if length > 0.0:
        modes.turn_rate[law] = longest / length
        for i in range(begin, end):
            modes.direction[i] = (scaled.x[i] - scaled.y[i]) / length


@compiled
def _left(p: Complementarity) -> float:
    """Return the largest residual of the equations of the modes, with the y in `scaled`."""
    modes = p.modes
    worst = 0.0
    for law in range(p.counts[0]):
        longest = 0.0
        if modes.mode[p.first[law]] == SLIDES:
            longest = held_radius(p, law)
            _turn(p, law, longest)
        for i in range(p.first[law], p.first[law + 1]):
            if modes.mode[i] == CLOSED:
                worst = max(worst, abs(p.scaled.y[i]))
            elif modes.mode[i] == SLIDES:
                worst = max(worst, abs(p.scaled.x[i] - longest * modes.direction[i]))
    return worst


@compiled_apart
def put_margins(problem: Complementarity, margins: Vector) -> None:
    """Put the margins of the solution, with the y in `scaled`, times `scale`: for each law one for each of its rows,
    then one for each row of its bound. A row without a margin has 1 times `scale`."""
    p, at = problem, 0
    scaled = p.scaled
    for law in range(p.counts[0]):
        begin, end = p.first[law], p.first[law + 1]
        if is_unilateral(p, law):
            for i in range(begin, end):
                margins[at] = scaled.scale[0] * (scaled.x[i] if p.modes.mode[i] == CLOSED else scaled.y[i])
                at += 1
            continue
        margins[at] = scaled.scale[0] * _margin_of_friction(p, law)
        for i in range(begin + 1, end):
            margins[at + i - begin] = scaled.scale[0]
        at += end - begin
        single = p.bound_at[law + 1] == p.bound_at[law] + 1
        for row in range(p.bound_at[law], p.bound_at[law + 1]):
            shows = single or held_radius(p, law) <= NONE
            margins[at] = scaled.scale[0] * (
                (p.modes.gradient[row] if single else 1.0) * bound(p, row) if shows else 1.0
            )
            at += 1


@compiled
def _margin_of_friction(p: Complementarity, law: int) -> float:
    modes = p.modes
    begin, end, length, on = p.first[law], p.first[law + 1], 0.0, 0.0
    for i in range(begin, end):
        length += p.scaled.x[i] ** 2
        on -= p.scaled.y[i] * modes.direction[i]
    return (
        on
        if modes.mode[begin] == SLIDES
        else held_radius(p, law) - sqrt(length)
        if modes.mode[begin] == CLOSED
        else 1.0
    )
