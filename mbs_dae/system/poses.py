"""Position, velocity and acceleration solves at one pose. Compiled.

Position: Newton on Φ(q, t) = 0. Each step is the least one (norm W) that cancels the linearised residual.
Velocity: Φ_v v = ν. Acceleration: Φ_v a = γ. All with the factorisation of the same matrix.

A residual Φ_k means a gap of |Φ_k| / |row k|: how far, in the norm W, the bodies are from where they belong. Gaps
are lengths whatever the unit of Φ_k, so one tolerance, relative to the model's length, serves all joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from .batch import evaluate
from .kkt import Factor, factorise, solve
from .manifold import Manifold, move
from .pattern import Pattern
from .program import Program, read_jacobian, read_rows
from .transformation import (
    Transformation,
    accelerations_of_joints,
    reach,
    transform_rows,
    velocities_of_joints,
)

# what a compiled solve reports
DONE = 0
NOT_CONVERGED = 1
NOT_FINITE = 2
SINGULAR = 3
JUMPED = 4
NEAR = 5
ENDLESS = 6

EVALUATIONS, FACTORISATIONS, CORRECTIONS, HALVINGS = 0, 1, 2, 3

TIGHT = 2e-15
"""Gap, relative to the model's extent, at which Newton stops: roundoff."""
LOOSE = 1e-10
"""Gap at which Newton may stop if it cannot be reduced further."""
DEPENDENT = 1e-10
"""`independence` (a squared sine) below which a row counts as dependent on others. Well above kkt.DELTA: what is added
to the rows of a dependent group adds up in the pivot of its last row."""
NEARLY = 1e-7
"""`independence` below which velocities and accelerations, though determined, have lost most of their digits."""


class Machine(NamedTuple):
    """A program, the pattern of its matrix, and work space for the solves."""

    program: Program
    transformation: Transformation
    manifold: Manifold
    pattern: Pattern
    factor: Factor
    square: np.ndarray
    """The squared length of all that a row says, where less of it is left (`shares_of_rows`); else empty."""
    said_unit: np.ndarray
    """What velocities count in it, those of what stands still included: reciprocal squared lengths."""
    norm: np.ndarray
    """One number for each velocity: the norm in which "least change" is meant. (Columns of Φ_v may be others: see
    `Transformation.deep`.)"""
    length: float
    """The model's own length: tolerances are relative to it."""
    extent: float
    """How far the model reaches from the origin: roundoff is relative to it."""
    out: np.ndarray
    phi: np.ndarray
    """Φ, ν and γ of the last evaluation."""
    nu: np.ndarray
    gamma: np.ndarray
    f: np.ndarray
    g: np.ndarray
    x: np.ndarray
    multipliers: np.ndarray
    poses: np.ndarray
    """Two rows: q at the beginning and at the end of a step."""
    motions: np.ndarray
    """Four rows: v and a at the beginning, v and a at the end of a step."""
    way: np.ndarray
    orientation: np.ndarray
    """Two rows, at the beginning and at the end of a step: see `orient`."""
    counts: np.ndarray
    """Kernel evaluations, factorisations, Newton corrections, steps halved."""


@compiled
def observe(machine, t, q, v):
    """Φ, ν, γ and Φ_v at (t, q, v)."""
    program, transformation, out = machine.program, machine.transformation, machine.out
    jacobian = machine.factor.jacobian
    machine.counts[EVALUATIONS] += 1
    if transformation.edges > 0:
        reach(transformation, q, v)
        evaluate(program.batch, t, transformation.qc, transformation.vc, out)
        read_rows(program, out, machine.phi, machine.nu, machine.gamma)
        if transformation.deep == 1:
            read_jacobian(program, out, jacobian)
        else:
            transform_rows(transformation, out, machine.gamma, jacobian, machine.factor.share)
    else:
        evaluate(program.batch, t, q, v, out)
        read_rows(program, out, machine.phi, machine.nu, machine.gamma)
        read_jacobian(program, out, jacobian)
        if program.said_row.size > 0:
            shares_of_rows(machine)


@compiled
def shares_of_rows(machine):
    """How much of each row is left, where parts of it fall on what stands still or cancel each other: its squared
    length over that of all it says, 1 at most. A row that is nothing but the roundoff of such a difference has none."""
    program, square, share = machine.program, machine.square, machine.factor.share
    jacobian = machine.factor.jacobian
    square[:] = 0.0
    for e in range(jacobian.size):
        square[program.jac_row[e]] += jacobian[e] ** 2 / machine.norm[program.jac_column[e]]
    for row in range(square.size):
        share[row] = square[row]
    for k in range(program.said_row.size):
        if k == 0 or program.said_row[k] != program.said_row[k - 1]:
            square[program.said_row[k]] = 0.0
        square[program.said_row[k]] += machine.out[program.said_from[k]] ** 2 * machine.said_unit[program.said_place[k]]
    for row in range(square.size):
        share[row] = min(share[row] / (square[row] + 1e-300), 1.0)


@compiled
def subtract_rates(machine, times, v):
    """machine.g less so many times Φ_v v, at the last evaluation."""
    transformation, pattern, jacobian, g = machine.transformation, machine.pattern, machine.factor.jacobian, machine.g
    if transformation.deep == 1:  # there the columns are those of bodies
        for e in range(jacobian.size):
            g[pattern.jac_row[e]] -= times * jacobian[e] * transformation.vc[pattern.jac_column[e]]
    else:
        for e in range(jacobian.size):
            g[pattern.jac_row[e]] -= times * jacobian[e] * v[pattern.jac_column[e]]


@compiled
def in_own_velocities(machine):
    """The last solution, machine.x, as velocities (or a small motion) of the machine's own coordinates, in place."""
    transformation = machine.transformation
    if transformation.deep == 1:
        velocities_of_joints(transformation, machine.x, transformation.step)
        for k in range(machine.norm.size):
            machine.x[k] = transformation.step[k]


@compiled
def take_accelerations(machine, a):
    """The last solution x as accelerations of the machine's own coordinates; whether all are finite."""
    if machine.transformation.deep == 1:
        accelerations_of_joints(machine.transformation, machine.x, a)
    else:
        for k in range(machine.pattern.n):
            a[k] = machine.x[k]
    finite = True
    for k in range(machine.norm.size):
        finite = finite and np.isfinite(a[k])
    return finite


@compiled
def leave_out_velocity_rows(machine):
    """Of the last evaluation, keep the rows that say where bodies are."""
    program, pattern, jacobian = machine.program, machine.pattern, machine.factor.jacobian
    if program.velocity_rows > 0:
        for e in range(jacobian.size):
            if program.phi_from[pattern.jac_row[e]] < 0:
                jacobian[e] = 0.0


@compiled
def evaluate_and_factorise(machine, t, q, v, positions_only):
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


@compiled
def largest_gap(machine):
    """The largest gap of the last evaluation, as a length; infinite if a residual is not finite."""
    largest, losing = 0.0, machine.square.size > 0
    for row in range(machine.program.rows):
        residual = abs(machine.phi[row])
        if not np.isfinite(residual):
            return np.inf
        if residual > 0.0:
            square = machine.square[row] if losing else machine.factor.row_square[row]
            largest = max(largest, residual / np.sqrt(square + 1e-300))
    return largest


@compiled
def velocity_residual(machine, v):
    """ν - Φ_v v into machine.g."""
    for row in range(machine.pattern.m):
        machine.g[row] = machine.nu[row]
    subtract_rates(machine, 1.0, v)


@compiled
def newton_step(machine, refinements):
    """The least correction that cancels the linearised residual of the last evaluation: in machine.x; its length."""
    machine.f[:] = 0.0
    for row in range(machine.pattern.m):
        machine.g[row] = -machine.phi[row]
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, refinements)
    total = 0.0
    for k in range(machine.pattern.n):
        total += machine.factor.weight[k] * machine.x[k] ** 2
    return np.sqrt(total)


@compiled
def close(machine, t, q, v, iterations):
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


@compiled
def complete(machine, t, q, v, a):
    """The velocity and acceleration at the pose that `close` has just left. On entry v is a first guess: where the
    equations leave freedom, the solution nearest to it is taken."""
    program, pattern, factor = machine.program, machine.pattern, machine.factor
    n = machine.norm.size
    if program.velocity_rows > 0 and not evaluate_and_factorise(machine, t, q, v, False):
        return NOT_FINITE
    machine.f[:] = 0.0
    velocity_residual(machine, v)
    solve(pattern, factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
    in_own_velocities(machine)
    for k in range(n):
        v[k] += machine.x[k]
    observe(machine, t, q, v)
    for row in range(program.rows):
        machine.g[row] = machine.gamma[row]
    solve(pattern, factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
    finite = take_accelerations(machine, a)
    for k in range(n):
        finite = finite and np.isfinite(v[k])
    return DONE if finite else NOT_FINITE


@compiled
def dependent_rows(machine, threshold):
    """How many rows of the last factorisation depend on others."""
    count = 0
    for row in range(machine.pattern.m):
        if machine.factor.independence[row] < threshold:
            count += 1
    return count
