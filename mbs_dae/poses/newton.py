"""Position, velocity and acceleration solves at one pose. Compiled.

Position: Newton on Φ(q, t) = 0. Each step is the least one (norm W) that cancels the linearised residual.
Velocity: Φ_v v = ν. Acceleration: Φ_v a = γ. All with the factorisation of the same matrix.

A residual Φ_k means a gap of |Φ_k| / |row k|: how far, in the norm W, the bodies are from where they belong. Gaps
are lengths whatever the unit of Φ_k, so one tolerance, relative to the model's length, serves all joints.
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
from ..kernels.blocks import Vector
from ..linear.kkt import factorise, solve
from ..linear.vectors import all_finite, axpy, copy
from ..tolerances import LOOSE, NIL, TIGHT


@compiled_apart
def evaluate_and_factorise(machine: Machine, t: float, q: Vector, v: Vector, positions_only: bool):
    """Evaluate at (t, q, v) and factorise. With `positions_only`, rows that restrict velocities alone are left out.
    Returns whether all numbers are finite."""
    observe(machine, t, q, v)
    if positions_only:
        leave_out_velocity_rows(machine)
    return factorise_observed(machine)


@compiled
def factorise_observed(machine):
    """Factorise what was evaluated last, if all its numbers are finite."""
    strange = 0
    for e in range(machine.factor.jacobian.size):
        strange += 0 if abs(machine.factor.jacobian[e]) < np.inf else 1
    if strange == 0:
        factorise(machine.pattern, machine.factor)
        machine.counts[FACTORISATIONS] += 1
    return strange == 0


@compiled_apart
def gaps(machine: Machine, residuals: Vector):
    """The gaps that residuals mean, by what was evaluated and factorised last, in machine.g; the largest."""
    squares = machine.factor.row_square
    if machine.square.size > 0:
        put_squares(machine)
        squares = machine.square
    return put_gaps(residuals, squares, machine.g)


@compiled
def put_gaps(residuals, squares, out):
    """Residuals over the lengths of their rows; the residual itself of a row that no motion changes. The largest."""
    longest = largest = 0.0
    for row in range(out.size):
        longest = max(longest, squares[row])
    for row in range(out.size):
        square = squares[row]
        out[row] = abs(residuals[row]) / (np.sqrt(square) if square > NIL * longest else 1.0)
        largest = max(largest, out[row])
    return largest


@compiled
def largest_gap(machine):
    """The largest gap of the last evaluation, of rows that are not left out; infinite if a residual is not finite."""
    gaps(machine, machine.phi)
    largest = 0.0
    for row in range(machine.program.rows):
        if not np.isfinite(machine.g[row]):
            return np.inf
        if machine.factor.kept[row] > 0.0:
            largest = max(largest, machine.g[row])
    return largest


@compiled
def solve_here(machine, refinements):
    """x and the multipliers for the right sides f and g, by the last factorisation."""
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, refinements)


@compiled_apart
def correct_velocity(machine: Machine, v: Vector, refinements: int):
    """The least change of v, in place, with which Φ_v v = ν, by what was evaluated and factorised last."""
    machine.f[:] = 0.0
    copy(machine.nu, machine.g)
    subtract_rates(machine, 1.0, v)
    solve_here(machine, refinements)
    in_own_velocities(machine)
    axpy(1.0, machine.x[: machine.norm.size], v)


@compiled_apart
def newton_step(machine: Machine, refinements: int):
    """The least correction that cancels the linearised residual of the last evaluation: in machine.x; its length."""
    machine.f[:] = 0.0
    for row in range(machine.pattern.m):
        machine.g[row] = -machine.phi[row]
    solve_here(machine, refinements)
    total = 0.0
    for k in range(machine.pattern.n):
        total += machine.factor.weight[k] * machine.x[k] ** 2
    return np.sqrt(total)


@compiled_apart
def close(machine: Machine, t: float, q: Vector, v: Vector, iterations: int):
    """Newton from q (changed in place) until the gaps are closed to roundoff; leaves the factor of the last pose."""
    previous = np.inf
    for _ in range(iterations):
        if not evaluate_and_factorise(machine, t, q, v, True):
            return NOT_FINITE
        gap = largest_gap(machine)
        if not np.isfinite(gap):
            return NOT_FINITE
        if gap <= TIGHT * machine.extent or (gap <= LOOSE * machine.length and gap > 0.5 * previous):
            return DONE
        previous = gap
        newton_step(machine, 1)
        machine.counts[CORRECTIONS] += 1
        in_own_velocities(machine)
        move(machine.manifold, q, machine.x)
    return NOT_CONVERGED


@compiled_apart
def finish(machine: Machine, t: float, q: Vector, v: Vector, closed: Vector, near: float, far: float):
    """Newton from a pose q that is closed but for gaps less than `near`, into `closed`. Whether it is, no farther than
    `far` from q; machine.g then are the gaps that are left."""
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
def complete(machine: Machine, t: float, q: Vector, v: Vector, a: Vector):
    """The velocity and acceleration at the pose that `close` has just left. On entry v is a first guess: where the
    equations leave freedom, the solution nearest to it is taken."""
    if machine.program.velocity_rows > 0 and not evaluate_and_factorise(machine, t, q, v, False):
        return NOT_FINITE
    correct_velocity(machine, v, 2)
    observe(machine, t, q, v)
    copy(machine.gamma, machine.g)
    solve_here(machine, 2)
    return DONE if take_accelerations(machine, a) and all_finite(v) else NOT_FINITE


@compiled_apart
def dependent_rows(machine: Machine, threshold: float):
    """How many rows of the last factorisation depend on others."""
    count = 0
    for row in range(machine.pattern.m):
        if machine.factor.independence[row] < threshold:
            count += 1
    return count
