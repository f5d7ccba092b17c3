"""Continuation from pose to pose: one step, or many along a motion, in time or along a parameter.

A step that fails is halved; after an accepted step the next one is twice as long. `walk` is compiled, for poses of one
system at many times, forwards or backwards; `follow` calls a Python function for each step.

Branches meet in singular poses. A step that passes such a point may end on another branch, closed to roundoff and
wrong. Three tests guard against it: the step must be smooth, short against its distance from singular poses, and very
short if it has passed one.

The motion q(t) is analytic through a change point, the pose where Φ_v loses rank, as long as it stays on its branch;
only the linear equations at that one pose fail to determine v and a. So poses, velocities and accelerations are
computed at six times around it, where they are regular, and the polynomial through all eighteen is evaluated at the
change point (`bridge`). The polynomial through the four inner times must agree, or the bridge is refused.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scipy.interpolate import KroghInterpolator

from ..compiled.machine import EVALUATIONS, HALVINGS, POSES, Machine
from ..compiled.manifold import accelerations, count_turns, difference, move, rates, restore, velocities, way
from ..compiled.reading import Trajectory
from ..compiled.status import DONE, ENDLESS, JUMPED, NEAR, SINGULAR
from ..coordinates import Motion
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector
from ..linear.vectors import copy
from ..tolerances import (
    CHANGE_POINT_AGREEMENT,
    CROSSING_STEP,
    RATE_INDEPENDENCE,
    ROLLING_CORRECTION,
    ROW_DEPENDENCE,
    STEP_DEVIATION,
    ZERO_STEP,
)
from .newton import close, complete, dependent_rows, evaluate_and_factorise, solve_here

MOST = 20_000
"""Greatest number of steps between two requested poses; a mechanism that needs more moves some thousand times its own
length."""
DEPTH = 45
"""Greatest number of times that a step along a motion is halved."""
PATIENCE = 200_000
"""Number of evaluations after which a walk returns to its caller, who may want to show progress or to stop."""
LONG, CLEAR, SHORT = 0.25, 3.0, 0.05
"""A step is at most LONG (relative to the model's length), and at most CLEAR times the distance of a singular pose;
SHORT is always allowed."""
REACH = 0.02
"""Distance of the nearest of the six poses from a change point, in model lengths."""

Place = TypeVar("Place")


@compiled
def end_of_step(now: float, h: float, end: float) -> float:
    """Return the end of a step of h: the given end, if it is no farther, up to roundoff."""
    return end if abs(end - now) <= 1.000001 * abs(h) else now + h


def follow(
    step: Callable[[Place, float, float], Place | None], here: Place, start: float, end: float, depth: int
) -> tuple[Place, float]:
    """Step from a place at `start` to the one at `end`; a step may fail (None). Return the last place and its
    argument."""
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
def is_smooth(machine: Machine, h: float) -> bool:
    """Return whether one smooth motion passes both ends: q₁ - q₀ = h/2 (v₀ + v₁) + h²/12 (a₀ - a₁) + O(h⁵).

    A jump to another branch fails this test, because velocities and accelerations there belong to another motion.
    """
    here, there, foretold, done = machine.here, machine.there, machine.way, machine.x
    way(machine.manifold, h, here, there, foretold)
    difference(machine.manifold, here.q, there.q, done)
    error = length = 0.0
    for k in range(machine.norm.size):
        w = machine.norm[k]
        error += w * (done[k] - foretold[k]) ** 2
        length += w * (done[k] ** 2 + (h * here.v[k]) ** 2)
    return np.sqrt(error) <= STEP_DEVIATION * np.sqrt(length) + ZERO_STEP * machine.length


@compiled_apart
def orient(machine: Machine) -> None:
    """Solve Φ_vᵀ λ = (a fixed load) with the last factor, and put λ into machine.orientation[1].

    λ goes to infinity at a singular pose and comes back from there with its sign turned. So if λ turns against the one
    before, a singular pose, where branches meet, lies between.
    """
    for k in range(machine.pattern.n):
        machine.f[k] = np.sqrt(machine.factor.weight[k]) * (1.0 + 0.5 * np.sin(1.0 + 2.0 * k))
    machine.g[:] = 0.0
    solve_here(machine, 0)
    # once more with the most weighted part of the answer (inverse iteration), so that the part that goes to infinity
    # dominates
    for row in range(machine.pattern.m):
        machine.g[row] = machine.multipliers[row] * machine.factor.row_square[row]
    machine.f[:] = 0.0
    solve_here(machine, 0)
    for k in range(machine.pattern.n):
        machine.f[k] = machine.factor.weight[k] * machine.x[k]
    machine.g[:] = 0.0
    solve_here(machine, 0)
    for row in range(machine.pattern.m):
        machine.orientation[1, row] = machine.multipliers[row] * np.sqrt(machine.factor.row_square[row])


@compiled_apart
def keeps_branch(machine: Machine) -> bool:
    """Return whether a smooth step has certainly not passed a meeting of branches and left on the other one.

    `independence`, a squared sine, measures the distance of the end from such a point; a step much longer than this
    distance might have passed the point unseen. A step that has passed it (see `orient`) must be shorter than CROSSING
    model lengths, which separates branches that are farther apart.
    """
    longest = 0.0
    difference(machine.manifold, machine.here.q, machine.there.q, machine.x)
    for k in range(machine.norm.size):
        longest = max(longest, machine.norm[k] * machine.x[k] ** 2)
    nearness, turned = 1.0, 0.0
    for row in range(machine.pattern.m):
        independence = machine.factor.independence[row]
        if independence >= ROW_DEPENDENCE:
            nearness = min(nearness, independence)
        turned += machine.orientation[0, row] * machine.orientation[1, row]
    if turned < 0.0 and longest > (CROSSING_STEP * machine.length) ** 2:
        return False
    return longest <= max(min(CLEAR**2 * nearness, LONG**2), SHORT**2) * machine.length**2


@compiled_apart
def settle(machine: Machine, t: float) -> int:
    """Close the end of the step, and compute its velocity and acceleration; return a status."""
    there = machine.there
    status = close(machine, t, there.q, there.v, 25)
    return complete(machine, t, there.q, there.v, there.a) if status == DONE else status


@compiled_apart
def roll(machine: Machine, h: float, t1: float) -> int:
    """Integrate positions where rows restrict velocities only: q₁ = q₀ + h/2 (v₀ + v₁) + h²/12 (a₀ - a₁), closed again,
    repeated since v₁ and a₁ change with q₁; return a status."""
    here, there = machine.here, machine.there
    for _ in range(3):
        largest = 0.0
        way(machine.manifold, h, here, there, machine.way)
        difference(machine.manifold, here.q, there.q, machine.x)
        for k in range(machine.norm.size):
            machine.x[k] = machine.way[k] - machine.x[k]
            largest = max(largest, machine.norm[k] * machine.x[k] ** 2)
        if largest > (ROLLING_CORRECTION * machine.length) ** 2:
            return JUMPED
        move(machine.manifold, there.q, machine.x)
        status = settle(machine, t1)
        if status != DONE:
            return status
    return DONE


@compiled_apart
def advance(machine: Machine, t0: float, t1: float) -> int:
    """Make one step: predict its end, settle it, and test that the step is smooth and keeps clear of other branches;
    return a status."""
    h, here, there = t1 - t0, machine.here, machine.there
    copy(here.q, there.q)
    for k in range(machine.norm.size):
        there.v[k] = here.v[k] + h * here.a[k]
        machine.x[k] = h * (here.v[k] + 0.5 * h * here.a[k])
    move(machine.manifold, there.q, machine.x)
    status = settle(machine, t1)
    if status == DONE and machine.program.velocity_rows > 0:
        status = roll(machine, h, t1)
    if status == DONE:
        orient(machine)
        if not (is_smooth(machine, h) and keeps_branch(machine)):
            status = JUMPED
        count_turns(machine.manifold, h, here, there)
    return status


@compiled
def accept(machine: Machine, t: float) -> None:
    """Make the end of a step, at time t, the beginning of the next."""
    copy(machine.orientation[1], machine.orientation[0])
    copy(machine.there.q, machine.here.q)
    copy(machine.there.v, machine.here.v)
    copy(machine.there.a, machine.here.a)
    machine.reached[0] = t


@compiled_apart
def begin(machine: Machine, t: float, q: Vector, v: Vector, a: Vector) -> None:
    """Put the machine at a pose, with its velocity and acceleration."""
    if evaluate_and_factorise(machine, t, q, v, True):
        orient(machine)
    copy(q, machine.there.q)
    copy(v, machine.there.v)
    copy(a, machine.there.a)
    accept(machine, t)


@compiled_apart
def go_on(machine: Machine, end: float, redundant: int, nearly_redundant: int) -> int:
    """Move from the machine's state to the time `end`. A step that does not close or is not smooth is halved, up to
    DEPTH times. At a status other than DONE and NEAR the machine holds the last good state before.

    `redundant` is the number of rows that depend on others in general, `nearly_redundant` the number that nearly do.
    More of the first at the end mean a singular pose (SINGULAR), more of the second a pose close to one (NEAR)."""
    h = end - machine.reached[0]
    smallest = abs(h) * 0.5 ** float(DEPTH)
    for _ in range(MOST):
        t0 = machine.reached[0]
        t1 = end_of_step(t0, h, end)
        status = advance(machine, t0, t1)
        if status == DONE and t1 == end and dependent_rows(machine, ROW_DEPENDENCE) > redundant:
            return SINGULAR
        if status == DONE:
            accept(machine, t1)
            if t1 == end:
                return NEAR if dependent_rows(machine, RATE_INDEPENDENCE) > nearly_redundant else DONE
            h *= 2.0
        elif abs(h) <= smallest or t0 + 0.5 * h == t0:
            return status
        else:
            h *= 0.5
            machine.counts[HALVINGS] += 1
    return ENDLESS


@compiled_apart
def walk(machine: Machine, path: Trajectory, start: int, stop: int, redundant: int, nearly_redundant: int) -> int:
    """Compute states start .. stop-1 of a path, each from the one before; see `go_on`. Return a status, after PATIENCE
    evaluations early with DONE. The machine holds the number of finished states and the time reached. At a status other
    than DONE the state reached is in the row after the finished ones."""
    begin(machine, path.t[start - 1], path.q[start - 1], path.v[start - 1], path.a[start - 1])
    here, last = machine.here, machine.counts[EVALUATIONS] + PATIENCE
    for k in range(start, stop):
        machine.counts[POSES] = k
        status = go_on(machine, path.t[k], redundant, nearly_redundant)
        copy(here.q, path.q[k])
        copy(here.v, path.v[k])
        copy(here.a, path.a[k])
        if status != DONE:
            return status
        machine.counts[POSES] = k + 1
        if machine.counts[EVALUATIONS] > last:
            break
    return DONE


# --- across a change point ------------------------------------------------------------------------------------------


def bridge(machine: Machine, path: Trajectory, k: int) -> bool:
    """Set state k of the path from both its sides; return False if no smooth motion passes it."""
    t, q, v, a = path
    before = (q[k - 1], v[k - 1], a[k - 1])
    weight = machine.norm
    speed = float(np.sqrt(weight @ before[1][: weight.size] ** 2))
    if speed == 0.0:
        return False
    for step in REACH * machine.length / speed * 0.5 ** np.arange(5):
        nodes = _around(machine, t[k - 1], before, t[k], step)
        if nodes is None:
            continue
        inner = {d: nodes[d] for d in (-2, -1, 1, 2)}
        fine, coarse = (_polynomial(machine, t[k], step, n).derivatives(t[k], 3) for n in (nodes, inner))
        scale = machine.length * (speed / machine.length) ** np.arange(3)[:, None]
        if (np.abs(fine - coarse) <= CHANGE_POINT_AGREEMENT * scale).all():
            q[k] = fine[0]
            restore(machine.manifold, q[k])
            velocities(machine.manifold, fine[0], fine[1], v[k])
            velocities(machine.manifold, fine[0], fine[2], a[k])
            return True
    return False


def _around(machine: Machine, t0: float, start: Motion, middle: float, step: float) -> dict[int, Motion] | None:
    """Return the states at middle ± 1, 2, 3 steps, reached smoothly from `start`; None if one fails."""
    nodes: dict[int, Motion] = {}
    here, now, any_rank = start, t0, machine.pattern.m  # the rank of these poses does not matter
    for d in (-1, -2, -3, -1, 1, 2, 3):
        there = middle + d * step
        if d not in nodes:
            begin(machine, now, *here)
            if go_on(machine, there, any_rank, any_rank) != DONE:
                return None
            nodes[d] = machine.here.q.copy(), machine.here.v.copy(), machine.here.a.copy()
        here, now = nodes[d], there
    return nodes


def _polynomial(machine: Machine, middle: float, step: float, nodes: dict[int, Motion]) -> KroghInterpolator:
    """Return the polynomial with the value, slope and curvature of each node, for coordinates as plain numbers."""
    times = np.repeat([middle + d * step for d in sorted(nodes)], 3)
    values = []
    for _, (q, v, a) in sorted(nodes.items()):
        slope, curvature = np.zeros((2, q.size))
        rates(machine.manifold, q, v, slope)
        accelerations(machine.manifold, q, v, a, curvature)
        values += [q, slope, curvature]
    return KroghInterpolator(times, np.stack(values))
