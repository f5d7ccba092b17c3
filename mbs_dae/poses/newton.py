"""Position, velocity and acceleration solves at one pose. Compiled.

Position: Newton on Φ(q, t) = 0. Each step is the least one (norm W) that cancels the linearised residual. Velocity: Φ_v
v = ν. Acceleration: Φ_v a = γ. All three use the factorisation of one matrix.

A residual Φ_k corresponds to a gap of |Φ_k| / |row k|: the distance, in the norm W, that the bodies must move. Gaps are
lengths whatever the unit of Φ_k, so one tolerance, relative to the model's length, serves all joints.
"""

import numpy as np

from ..compiled.machine import (
    CORRECTIONS,
    FACTORISATIONS,
    Machine,
    in_own_velocities,
    leave_out_velocity_rows,
    observe,
    put_squares,
    subtract_rates,
    take_accelerations,
)
from ..compiled.manifold import difference, move
from ..compiled.status import DONE, NOT_CONVERGED, NOT_FINITE
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Vector
from ..linear.kkt import factorise, solve
from ..linear.vectors import all_finite, axpy, copy
from ..tolerances import CLOSURE_LIMIT, CLOSURE_TOLERANCE, RATE_INDEPENDENCE, ROW_DEPENDENCE, ZERO_ROW


@compiled_apart
def evaluate_and_factorise(machine: Machine, t: float, q: Vector, v: Vector, positions_only: bool) -> bool:
    """Evaluate at (t, q, v) and factorise. With `positions_only`, rows that restrict velocities alone are left out.
    Return whether all entries of the Jacobian are finite."""
    observe(machine, t, q, v)
    if positions_only:
        leave_out_velocity_rows(machine)
    return factorise_observed(machine)


@compiled
def factorise_observed(machine: Machine) -> bool:
    """Factorise the matrix of the last evaluation, if its Jacobian is finite; return whether it is."""
    strange = 0
    for e in range(machine.factor.jacobian.size):
        strange += 0 if abs(machine.factor.jacobian[e]) < np.inf else 1
    if strange == 0:
        factorise(machine.pattern, machine.factor)
        machine.counts[FACTORISATIONS] += 1
    return strange == 0


@compiled_apart
def gaps(machine: Machine, residuals: Vector) -> float:
    """Put the gaps of residuals, by the rows of the last evaluation, into machine.g; return the largest."""
    squares = machine.factor.row_square
    if machine.square.size > 0:
        put_squares(machine)
        squares = machine.square
    return put_gaps(residuals, squares, machine.g)


@compiled
def put_gaps(residuals: Vector, squares: Vector, out: Vector) -> float:
    """Put residuals over the lengths of their rows into `out`, the residual itself for a row that no motion changes;
    return the largest."""
    longest = largest = 0.0
    for row in range(out.size):
        longest = max(longest, squares[row])
    for row in range(out.size):
        square = squares[row]
        out[row] = abs(residuals[row]) / (np.sqrt(square) if square > ZERO_ROW * longest else 1.0)
        largest = max(largest, out[row])
    return largest


@compiled
def largest_gap(machine: Machine) -> float:
    """Return the largest gap of the last evaluation, over the rows in use; infinite if a gap is not finite."""
    gaps(machine, machine.phi)
    largest = 0.0
    for row in range(machine.program.rows):
        if not np.isfinite(machine.g[row]):
            return np.inf
        if machine.factor.kept[row] > 0.0:
            largest = max(largest, machine.g[row])
    return largest


@compiled
def solve_here(machine: Machine, refinements: int) -> None:
    """Solve for machine.x and the multipliers with the right-hand sides f and g, by the last factorisation."""
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, refinements)


@compiled_apart
def correct_velocity(machine: Machine, v: Vector, refinements: int) -> None:
    """Change v, in place, by the least amount to Φ_v v = ν, by the last evaluation and factorisation."""
    machine.f[:] = 0.0
    copy(machine.nu, machine.g)
    subtract_rates(machine, 1.0, v)
    solve_here(machine, refinements)
    in_own_velocities(machine)
    axpy(1.0, machine.x[: machine.norm.size], v)


@compiled_apart
def newton_step(machine: Machine, refinements: int) -> float:
    """Put the least correction that cancels the linearised residual of the last evaluation into machine.x; return its
    length."""
    machine.f[:] = 0.0
    for row in range(machine.pattern.m):
        machine.g[row] = -machine.phi[row]
    solve_here(machine, refinements)
    total = 0.0
    for k in range(machine.pattern.n):
        total += machine.factor.weight[k] * machine.x[k] ** 2
    return np.sqrt(total)


@compiled_apart
def close(machine: Machine, t: float, q: Vector, v: Vector, iterations: int) -> int:
    """Move q by Newton's method, in place, until the gaps are closed to roundoff; leave the factor of the last pose;
    return a status."""
    previous = np.inf
    for _ in range(iterations):
        if not evaluate_and_factorise(machine, t, q, v, True):
            return NOT_FINITE
        gap = largest_gap(machine)
        if not np.isfinite(gap):
            return NOT_FINITE
        if gap <= CLOSURE_TOLERANCE * machine.extent or (
            gap <= CLOSURE_LIMIT * machine.length and gap > 0.5 * previous
        ):
            return DONE
        previous = gap
        newton_step(machine, 1)
        machine.counts[CORRECTIONS] += 1
        in_own_velocities(machine)
        move(machine.manifold, q, machine.x)
    return NOT_CONVERGED


@compiled_apart
def finish(machine: Machine, t: float, q: Vector, v: Vector, closed: Vector, near: float, far: float) -> bool:
    """Write into `closed` the pose that Newton's method reaches from a pose q with gaps less than `near`. Return
    whether it closes, no farther than `far` from q; machine.g becomes the remaining gaps."""
    if not evaluate_and_factorise(machine, t, q, v, True) or not gaps(machine, machine.phi) < near:
        return False
    copy(q, closed)
    if close(machine, t, closed, v, 20) != DONE:
        return False
    difference(machine.manifold, q, closed, machine.x)
    square = 0.0
    for k in range(machine.norm.size):
        square += machine.norm[k] * machine.x[k] ** 2
    gaps(machine, machine.phi)
    return square <= far * far


@compiled_apart
def complete(machine: Machine, t: float, q: Vector, v: Vector, a: Vector) -> int:
    """Compute the velocity and acceleration at the pose that `close` has just left, in v and a; return a status. On
    entry v is a first guess: where the equations leave freedom, the solution nearest to it is taken."""
    if machine.program.velocity_rows > 0 and not evaluate_and_factorise(machine, t, q, v, False):
        return NOT_FINITE
    correct_velocity(machine, v, 2)
    observe(machine, t, q, v)
    copy(machine.gamma, machine.g)
    solve_here(machine, 2)
    return DONE if take_accelerations(machine, a) and all_finite(v) else NOT_FINITE


@compiled_apart
def dependent_rows(machine: Machine, threshold: float) -> int:
    """Return the number of rows of the last factorisation that depend on others."""
    count = 0
    for row in range(machine.pattern.m):
        if machine.factor.independence[row] < threshold:
            count += 1
    return count


@compiled_apart
def count_dependent(machine: Machine, moments: Vector, q: Vector, v: Vector, out: Integers) -> int:
    """Move from the pose q at the first moment along v, and close at each moment: write the number of dependent rows
    and of nearly dependent rows, one pair after the other, into `out`. Return the number of moments at which the
    mechanism closes."""
    there, closes = machine.there, 0
    for k in range(moments.size):
        copy(q, there.q)
        for i in range(v.size):
            there.v[i] = (moments[k] - moments[0]) * v[i]
        move(machine.manifold, there.q, there.v)
        if close(machine, moments[k], there.q, v, 20) == DONE:
            if machine.program.velocity_rows > 0:
                evaluate_and_factorise(machine, moments[k], there.q, v, False)
            out[2 * closes] = dependent_rows(machine, ROW_DEPENDENCE)
            out[2 * closes + 1] = dependent_rows(machine, RATE_INDEPENDENCE)
            closes += 1
    return closes


def dependent_counts(
    machine: Machine, moments: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[list[int], list[int]]:
    """Return the numbers of dependent and of nearly dependent rows (`count_dependent`) as lists, for the moments at
    which the mechanism closes."""
    out = np.zeros(2 * moments.size, dtype=np.int64)
    closes = count_dependent(machine, moments, q, v, out)
    return out[: 2 * closes : 2].tolist(), out[1 : 2 * closes : 2].tolist()
