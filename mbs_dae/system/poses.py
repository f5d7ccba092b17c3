"""Position, velocity and acceleration solves at one pose, and a sweep of them along a motion. Compiled.

Position: Newton on Φ(q, t) = 0. Each step is the least one (norm W) that cancels the linearised residual.
Velocity: Φ_v v = ν. Acceleration: Φ_v a = γ. All with the factorisation of the same matrix.

A residual Φ_k means a gap of |Φ_k| / |row k|: how far, in the norm W, the bodies are from where they belong. Gaps
are lengths whatever the unit of Φ_k, so one tolerance, relative to the model's length, serves all joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from .evaluate import evaluate
from .kkt import Factor, Pattern, factorise, solve
from .program import Program

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
SMOOTH = 1e-3
"""How far a step may be from the smooth motion that both its ends foretell, relative to its length."""
LONG, CLEAR, SHORT = 0.25, 3.0, 0.05
"""A step may be this long at most (relative to the model's length), and so many times longer than the nearness of a
singular pose; but it may always be short."""
MOST = 20_000
"""Steps between two requested poses; a mechanism that needs more moves some thousand times its own length."""
PATIENCE = 50_000
"""Steps after which a sweep goes back to its caller, who may want to show progress or to stop."""
CROSSING = 1e-4
"""The longest step, relative to the model's length, that may pass a singular pose."""
ROLLED = 1e-5
"""How far a step may correct its forecast, relative to the model's length, where rows restrict velocities only."""


class Machine(NamedTuple):
    """A program, the pattern of its matrix, and work space for the solves."""

    program: Program
    pattern: Pattern
    factor: Factor
    length: float
    """The model's own length: tolerances are relative to it."""
    extent: float
    """How far the model reaches from the origin: roundoff is relative to it."""
    out: np.ndarray
    f: np.ndarray
    g: np.ndarray
    x: np.ndarray
    multipliers: np.ndarray
    state: np.ndarray
    """Six rows: q, v, a at the beginning and at the end of a step."""
    orientation: np.ndarray
    """Two rows, at the beginning and at the end of a step: see `orient`."""
    counts: np.ndarray
    """Kernel evaluations, factorisations, Newton corrections, steps halved."""


@compiled
def evaluate_and_factorise(machine, t, q, v, positions_only):
    """Evaluate at (t, q, v) and factorise. With `positions_only`, rows that restrict velocities alone are left out.
    Returns whether all numbers are finite."""
    program, factor = machine.program, machine.factor
    evaluate(program, t, q, v, machine.out)
    machine.counts[EVALUATIONS] += 1
    finite = True
    for e in range(program.jac_row.size):
        value = machine.out[program.jac_from[e]]
        finite = finite and np.isfinite(value)
        if positions_only and program.phi_from[program.jac_row[e]] < 0:
            value = 0.0
        factor.jacobian[e] = value
    if finite:
        factorise(machine.pattern, factor)
        machine.counts[FACTORISATIONS] += 1
    return finite


@compiled
def largest_gap(machine):
    """The largest gap of the last evaluation, as a length; infinite if a residual is not finite."""
    program, factor = machine.program, machine.factor
    largest = 0.0
    for row in range(program.rows):
        if program.phi_from[row] >= 0:
            residual = abs(machine.out[program.phi_from[row]])
            if not np.isfinite(residual):
                return np.inf
            if residual > 0.0:
                largest = max(largest, residual / np.sqrt(factor.row_square[row] + 1e-300))
    return largest


@compiled
def newton_step(machine, refinements):
    """The least correction that cancels the linearised residual of the last evaluation: in machine.x; its length."""
    program = machine.program
    machine.f[:] = 0.0
    for row in range(program.rows):
        machine.g[row] = -machine.out[program.phi_from[row]] if program.phi_from[row] >= 0 else 0.0
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, refinements)
    total = 0.0
    for k in range(machine.pattern.n):
        total += machine.factor.weight[k] * machine.x[k] ** 2
    return np.sqrt(total)


@compiled
def move(q, step):
    """Go from q by a small motion, given like a velocity: for planar coordinates the two add."""
    for k in range(step.size):
        q[k] += step[k]


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
        move(q, machine.x)
    return NOT_CONVERGED


@compiled
def complete(machine, t, q, v, a):
    """The velocity and acceleration at the pose that `close` has just left. On entry v is a first guess: where the
    equations leave freedom, the solution nearest to it is taken."""
    program, pattern, factor = machine.program, machine.pattern, machine.factor
    n = pattern.n
    if program.velocity_rows > 0 and not evaluate_and_factorise(machine, t, q, v, False):
        return NOT_FINITE
    machine.f[:] = 0.0
    for row in range(program.rows):
        machine.g[row] = machine.out[program.nu_from[row]]
    for e in range(pattern.jac_row.size):
        machine.g[pattern.jac_row[e]] -= factor.jacobian[e] * v[pattern.jac_column[e]]
    solve(pattern, factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
    for k in range(n):
        v[k] += machine.x[k]
    evaluate(program, t, q, v, machine.out)
    machine.counts[EVALUATIONS] += 1
    for row in range(program.rows):
        machine.g[row] = machine.out[program.gamma_from[row]]
    solve(pattern, factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
    finite = True
    for k in range(n):
        a[k] = machine.x[k]
        finite = finite and np.isfinite(v[k]) and np.isfinite(a[k])
    return DONE if finite else NOT_FINITE


@compiled
def dependent_rows(machine, threshold):
    """How many rows of the last factorisation depend on others."""
    count = 0
    for row in range(machine.pattern.m):
        if machine.factor.independence[row] < threshold:
            count += 1
    return count


@compiled
def is_smooth(machine, h, q0, v0, a0, q1, v1, a1):
    """Whether one smooth motion passes both ends: q₁ - q₀ = h/2 (v₀ + v₁) + h²/12 (a₀ - a₁) + O(h⁵).

    A jump to another branch fails this, because there velocities and accelerations belong to another motion.
    """
    error = length = 0.0
    for k in range(machine.pattern.n):
        w = machine.factor.weight[k]
        way = 0.5 * h * (v0[k] + v1[k]) + h * h / 12.0 * (a0[k] - a1[k])
        error += w * (q1[k] - q0[k] - way) ** 2
        length += w * ((q1[k] - q0[k]) ** 2 + (h * v0[k]) ** 2)
    return np.sqrt(error) <= SMOOTH * np.sqrt(length) + 1e-9 * machine.length


@compiled
def orient(machine):
    """Solve Φ_vᵀ λ = (a fixed load) with the last factor; λ stands in machine.orientation[1].

    λ goes to infinity at a singular pose and comes back from there with its sign turned. So a λ that turns against the
    one before tells that a singular pose, where branches meet, lies between.
    """
    for k in range(machine.pattern.n):
        machine.f[k] = np.sqrt(machine.factor.weight[k]) * (1.0 + 0.5 * np.sin(1.0 + 2.0 * k))
    machine.g[:] = 0.0
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.orientation[1], 0)
    # once more with what the answer itself weighs most (inverse iteration): the part that goes to infinity stands out
    for row in range(machine.pattern.m):
        machine.g[row] = machine.orientation[1, row] * machine.factor.row_square[row]
    machine.f[:] = 0.0
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, 0)
    for k in range(machine.pattern.n):
        machine.f[k] = machine.factor.weight[k] * machine.x[k]
    machine.g[:] = 0.0
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.orientation[1], 0)
    for row in range(machine.pattern.m):
        machine.orientation[1, row] *= np.sqrt(machine.factor.row_square[row])


@compiled
def keeps_branch(machine, q0, q1):
    """Whether a smooth step can be trusted not to have passed a meeting of branches and left on the other one.

    `independence`, a squared sine, tells how near the end is to such a point; a step much longer than that might have
    passed it unseen. A step that has passed it (see `orient`) must be very short: short enough to tell the branches
    apart, as long as they are farther from each other than that.
    """
    longest = 0.0
    for k in range(machine.pattern.n):
        longest = max(longest, machine.factor.weight[k] * (q1[k] - q0[k]) ** 2)
    nearness, turned = 1.0, 0.0
    for row in range(machine.pattern.m):
        independence = machine.factor.independence[row]
        if independence >= DEPENDENT:
            nearness = min(nearness, independence)
        turned += machine.orientation[0, row] * machine.orientation[1, row]
    if turned < 0.0 and longest > (CROSSING * machine.length) ** 2:
        return False
    return longest <= max(min(CLEAR**2 * nearness, LONG**2), SHORT**2) * machine.length**2


@compiled
def roll(machine, h, q0, v0, a0, t1, q1, v1, a1):
    """Where rows restrict velocities only, positions are not given but integrated: from the smooth motion through both
    ends, q₁ = q₀ + h/2 (v₀ + v₁) + h²/12 (a₀ - a₁), closed again; repeated, since v₁ and a₁ change with q₁."""
    n = machine.pattern.n
    for _ in range(3):
        largest = 0.0
        for k in range(n):
            way = 0.5 * h * (v0[k] + v1[k]) + h * h / 12.0 * (a0[k] - a1[k])
            machine.x[k] = q0[k] + way - q1[k]
            largest = max(largest, machine.factor.weight[k] * machine.x[k] ** 2)
        if largest > (ROLLED * machine.length) ** 2:
            return JUMPED
        move(q1, machine.x)
        status = close(machine, t1, q1, v1, 25)
        if status == DONE:
            status = complete(machine, t1, q1, v1, a1)
        if status != DONE:
            return status
    return DONE


@compiled
def advance(machine, t0, q0, v0, a0, t1, q1, v1, a1):
    """One pose from the last: predict, close, complete, and see whether the step is smooth and keeps clear of other
    branches. q1, v1, a1 are set."""
    h = t1 - t0
    for k in range(machine.pattern.n):
        q1[k] = q0[k]
        v1[k] = v0[k] + h * a0[k]
        machine.x[k] = h * (v0[k] + 0.5 * h * a0[k])
    move(q1, machine.x)
    status = close(machine, t1, q1, v1, 25)
    if status == DONE:
        status = complete(machine, t1, q1, v1, a1)
    if status == DONE and machine.program.velocity_rows > 0:
        status = roll(machine, h, q0, v0, a0, t1, q1, v1, a1)
    if status == DONE:
        orient(machine)
        if not (is_smooth(machine, h, q0, v0, a0, q1, v1, a1) and keeps_branch(machine, q0, q1)):
            status = JUMPED
    return status


@compiled
def begin(machine, t, q, v):
    """To be called before the first `advance` from a pose: remember its orientation."""
    if evaluate_and_factorise(machine, t, q, v, True):
        orient(machine)
        accept(machine)


@compiled
def accept(machine):
    """The end of a step becomes the beginning of the next."""
    for row in range(machine.pattern.m):
        machine.orientation[0, row] = machine.orientation[1, row]


@compiled
def copy_state(q0, v0, a0, q1, v1, a1):
    """(q1, v1, a1) become (q0, v0, a0)."""
    for k in range(q0.size):
        q1[k] = q0[k]
        v1[k] = v0[k]
        a1[k] = a0[k]


@compiled
def sweep(machine, times, start, stop, redundant, nearly_redundant, q, v, a, depth):
    """Poses start .. stop-1, each from the one before. A step that does not close or is not smooth is halved, up to
    `depth` times. It may come back early, with DONE, if that takes long. Returns (status, poses done, time reached); at
    a status other than DONE the last good state between
    two requested times stands in row `poses done`.

    `redundant` is how many rows depend on others in general, and `nearly_redundant` how many almost do. More of the
    first at a requested time is a singular pose; more of the second (NEAR) a pose close to one, and its state stands in
    row `poses done`.
    """
    q0, v0, a0 = machine.state[0], machine.state[1], machine.state[2]
    q1, v1, a1 = machine.state[3], machine.state[4], machine.state[5]
    begin(machine, times[start - 1], q[start - 1], v[start - 1])
    patience = PATIENCE
    for k in range(start, stop):
        copy_state(q[k - 1], v[k - 1], a[k - 1], q0, v0, a0)
        copy_state(q0, v0, a0, q1, v1, a1)
        t0, target = times[k - 1], times[k]
        smallest = (target - t0) / 2.0**depth
        h = target - t0
        steps = 0
        while t0 < target:
            steps += 1
            if steps > MOST:
                copy_state(q0, v0, a0, q[k], v[k], a[k])
                return ENDLESS, k, t0
            last = t0 + 1.000001 * h >= target
            t1 = target if last else t0 + h
            status = advance(machine, t0, q0, v0, a0, t1, q1, v1, a1)
            if status == DONE and last:
                if dependent_rows(machine, DEPENDENT) > redundant:
                    status = SINGULAR
                elif dependent_rows(machine, NEARLY) > nearly_redundant:
                    accept(machine)
                    copy_state(q1, v1, a1, q[k], v[k], a[k])
                    return NEAR, k, t1
            if status == DONE:
                t0 = t1
                accept(machine)
                copy_state(q1, v1, a1, q0, v0, a0)
                h *= 2.0
                continue
            if status == SINGULAR or h <= smallest or t0 + 0.5 * h <= t0:
                copy_state(q0, v0, a0, q[k], v[k], a[k])
                return status, k, t0
            h *= 0.5
            machine.counts[HALVINGS] += 1
        copy_state(q0, v0, a0, q[k], v[k], a[k])
        patience -= steps
        if patience < 0:
            return DONE, k + 1, times[k]
    return DONE, stop, times[stop - 1]
