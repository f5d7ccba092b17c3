"""From pose to pose: one step, and many of them along a motion, in time or along a parameter.

A step that fails is halved, one that is accepted leaves the next one twice as long. `walk` does so compiled, for poses
of one system at many times, forwards or backwards; `follow` where each step is a matter of its own.

Branches meet in singular poses. A step that passes such a point may end on another branch, closed to roundoff and
wrong. Three tests guard against it: the step must be smooth, short against its distance from singular poses, and very
short if it has passed one.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ..compiled.machine import DONE, ENDLESS, HALVINGS, JUMPED, NEAR, POSES, SINGULAR, Machine
from ..compiled.manifold import count_turns, difference, move, way
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.kkt import solve
from ..linear.vectors import copy
from ..tolerances import CROSSING, DEPENDENT, NEARLY, ROLLED, SMOOTH, STANDING
from .newton import close, complete, dependent_rows, evaluate_and_factorise, solve_here

MOST = 20_000
"""Steps between two requested poses; a mechanism that needs more moves some thousand times its own length."""
DEPTH = 45
"""How often a step along a motion may be halved."""
PATIENCE = 50_000
"""Steps after which a walk goes back to its caller, who may want to show progress or to stop."""
LONG, CLEAR, SHORT = 0.25, 3.0, 0.05
"""A step may be this long at most (relative to the model's length), and so many times longer than the nearness of a
singular pose; but it may always be short."""


Place = TypeVar("Place")


@compiled
def end_of_step(now, h, end):
    """Where a step of h leads: to the end, if that is no farther but for roundoff."""
    return end if abs(end - now) <= 1.000001 * abs(h) else now + h


def follow(
    step: Callable[[Place, float, float], Place | None], here: Place, start: float, end: float, depth: int
) -> tuple[Place, float]:
    """From a place at `start` to the one at `end` by steps that may fail (None): where it ends, and how far it came."""
    now, h = start, end - start
    for _ in range(10 * depth):
        if now == end:
            break
        target = end_of_step(now, h, end)
        there = step(here, now, target)
        if there is not None:
            here, now, h = there, target, 2.0 * h
        elif abs(h) <= abs(end - start) * 2.0**-depth:
            break
        else:
            h *= 0.5
    return here, now


@compiled_apart
def is_smooth(machine: Machine, h: float, q0: Vector, v0: Vector, a0: Vector, q1: Vector, v1: Vector, a1: Vector):
    """Whether one smooth motion passes both ends: q₁ - q₀ = h/2 (v₀ + v₁) + h²/12 (a₀ - a₁) + O(h⁵).

    A jump to another branch fails this, because there velocities and accelerations belong to another motion.
    """
    foretold, done = machine.way, machine.x
    way(machine.manifold, h, v0, a0, v1, a1, foretold)
    difference(machine.manifold, q0, q1, done)
    error = length = 0.0
    for k in range(machine.norm.size):
        w = machine.norm[k]
        error += w * (done[k] - foretold[k]) ** 2
        length += w * (done[k] ** 2 + (h * v0[k]) ** 2)
    return np.sqrt(error) <= SMOOTH * np.sqrt(length) + STANDING * machine.length


@compiled_apart
def orient(machine: Machine):
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
    solve_here(machine, 0)
    for k in range(machine.pattern.n):
        machine.f[k] = machine.factor.weight[k] * machine.x[k]
    machine.g[:] = 0.0
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.orientation[1], 0)
    for row in range(machine.pattern.m):
        machine.orientation[1, row] *= np.sqrt(machine.factor.row_square[row])


@compiled_apart
def keeps_branch(machine: Machine, q0: Vector, q1: Vector):
    """Whether a smooth step can be trusted not to have passed a meeting of branches and left on the other one.

    `independence`, a squared sine, tells how near the end is to such a point; a step much longer than that might have
    passed it unseen. A step that has passed it (see `orient`) must be very short: short enough to tell the branches
    apart, as long as they are farther from each other than that.
    """
    longest = 0.0
    difference(machine.manifold, q0, q1, machine.x)
    for k in range(machine.norm.size):
        longest = max(longest, machine.norm[k] * machine.x[k] ** 2)
    nearness, turned = 1.0, 0.0
    for row in range(machine.pattern.m):
        independence = machine.factor.independence[row]
        if independence >= DEPENDENT:
            nearness = min(nearness, independence)
        turned += machine.orientation[0, row] * machine.orientation[1, row]
    if turned < 0.0 and longest > (CROSSING * machine.length) ** 2:
        return False
    return longest <= max(min(CLEAR**2 * nearness, LONG**2), SHORT**2) * machine.length**2


@compiled_apart
def roll(machine: Machine, h: float, q0: Vector, v0: Vector, a0: Vector, t1: float, q1: Vector, v1: Vector, a1: Vector):
    """Where rows restrict velocities only, positions are not given but integrated: from the smooth motion through both
    ends, q₁ = q₀ + h/2 (v₀ + v₁) + h²/12 (a₀ - a₁), closed again; repeated, since v₁ and a₁ change with q₁."""
    n = machine.norm.size
    for _ in range(3):
        largest = 0.0
        way(machine.manifold, h, v0, a0, v1, a1, machine.way)
        difference(machine.manifold, q0, q1, machine.x)
        for k in range(n):
            machine.x[k] = machine.way[k] - machine.x[k]
            largest = max(largest, machine.norm[k] * machine.x[k] ** 2)
        if largest > (ROLLED * machine.length) ** 2:
            return JUMPED
        move(machine.manifold, q1, machine.x)
        status = close(machine, t1, q1, v1, 25)
        if status == DONE:
            status = complete(machine, t1, q1, v1, a1)
        if status != DONE:
            return status
    return DONE


@compiled_apart
def advance(
    machine: Machine, t0: float, q0: Vector, v0: Vector, a0: Vector, t1: float, q1: Vector, v1: Vector, a1: Vector
):
    """One pose from the last: predict, close, complete, and see whether the step is smooth and keeps clear of other
    branches. q1, v1, a1 are set."""
    h = t1 - t0
    copy(q0, q1)
    for k in range(machine.norm.size):
        v1[k] = v0[k] + h * a0[k]
        machine.x[k] = h * (v0[k] + 0.5 * h * a0[k])
    move(machine.manifold, q1, machine.x)
    status = close(machine, t1, q1, v1, 25)
    if status == DONE:
        status = complete(machine, t1, q1, v1, a1)
    if status == DONE and machine.program.velocity_rows > 0:
        status = roll(machine, h, q0, v0, a0, t1, q1, v1, a1)
    if status == DONE:
        orient(machine)
        if not (is_smooth(machine, h, q0, v0, a0, q1, v1, a1) and keeps_branch(machine, q0, q1)):
            status = JUMPED
        count_turns(machine.manifold, h, q0, v0, a0, q1, v1, a1)
    return status


@compiled_apart
def accept(machine: Machine):
    """The end of a step becomes the beginning of the next."""
    copy(machine.orientation[1], machine.orientation[0])


@compiled
def copy_state(q0, v0, a0, q1, v1, a1):
    """(q1, v1, a1) become (q0, v0, a0)."""
    copy(q0, q1)
    copy(v0, v1)
    copy(a0, a1)


@compiled_apart
def walk(
    machine: Machine, times: Vector, start: int, stop: int, redundant: int, nearly_redundant: int,
    q: Matrix, v: Matrix, a: Matrix,
):  # fmt: skip
    """Poses start .. stop-1, each from the one before. A step that does not close or is not smooth is halved, up to
    DEPTH times. It may come back early, with DONE, if that takes long. Returns a status; how many poses are done then,
    and the time reached, stand in the machine. At a status other than DONE the last good state between two requested
    times stands in the row after the poses done.

    `redundant` is how many rows depend on others in general, and `nearly_redundant` how many almost do. More of the
    first at a requested time is a singular pose; more of the second (NEAR) a pose close to one, and its state stands in
    that row.
    """
    q0, v0, a0 = machine.poses[0], machine.motions[0], machine.motions[1]
    q1, v1, a1 = machine.poses[1], machine.motions[2], machine.motions[3]
    if evaluate_and_factorise(machine, times[start - 1], q[start - 1], v[start - 1], True):
        orient(machine)
        accept(machine)
    patience = PATIENCE
    for k in range(start, stop):
        copy_state(q[k - 1], v[k - 1], a[k - 1], q0, v0, a0)
        copy_state(q0, v0, a0, q1, v1, a1)
        t0, target = times[k - 1], times[k]
        smallest = abs(target - t0) * 0.5 ** float(DEPTH)
        h = target - t0
        steps = 0
        while t0 != target:
            steps += 1
            if steps > MOST:
                copy_state(q0, v0, a0, q[k], v[k], a[k])
                return _ended(machine, ENDLESS, k, t0)
            t1 = end_of_step(t0, h, target)
            status = advance(machine, t0, q0, v0, a0, t1, q1, v1, a1)
            if status == DONE and t1 == target:
                if dependent_rows(machine, DEPENDENT) > redundant:
                    status = SINGULAR
                elif dependent_rows(machine, NEARLY) > nearly_redundant:
                    accept(machine)
                    copy_state(q1, v1, a1, q[k], v[k], a[k])
                    return _ended(machine, NEAR, k, t1)
            if status == DONE:
                t0 = t1
                accept(machine)
                copy_state(q1, v1, a1, q0, v0, a0)
                h *= 2.0
                continue
            if status == SINGULAR or abs(h) <= smallest or t0 + 0.5 * h == t0:
                copy_state(q0, v0, a0, q[k], v[k], a[k])
                return _ended(machine, status, k, t0)
            h *= 0.5
            machine.counts[HALVINGS] += 1
        copy_state(q0, v0, a0, q[k], v[k], a[k])
        patience -= steps
        if patience < 0:
            return _ended(machine, DONE, k + 1, times[k])
    return _ended(machine, DONE, stop, times[stop - 1])


@compiled
def _ended(machine, status, done, reached):
    machine.counts[POSES], machine.reached[0] = done, reached
    return status
