"""Steps along the curve Φ(q) = 0 of a mechanism with one freedom, by its arc length s. Compiled.

The curve has the metric of the norm W. Its tangent is the velocity with Φ_v v = 0 and v·W v = 1, in the predicted
direction. Its curvature is the least acceleration with Φ_v a = γ: the least one is at right angles (W) to all free
motions, so v keeps its length, and s is the arc length. Drivers do not occur: a pose where a driver turns back is a
regular pose of the curve.

A step is predicted by q + h v + h²/2 a, closed by the least change, and accepted as steps in time are (`continuation`).
Its length h follows from its ends: the smooth motion through both, with the chord d, has

    u·W d = u·W (h/2 (v₀ + v₁) + h²/12 (a₀ - a₁)),      u = (v₀ + v₁)/2,

up to O(h⁵). Time is held: only the part of γ that is quadratic in v belongs to the curve.
"""

import numpy as np

from ...compiled.machine import HALVINGS, POSES, Machine, observe, subtract_rates
from ...compiled.manifold import count_turns, difference, move, way
from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME, NOT_FINITE, SINGULAR
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import all_finite, copy
from ...tolerances import CURVE_STEP, ROW_DEPENDENCE
from ..continuation import accept, begin, is_smooth, keeps_branch, orient
from ..newton import close, dependent_rows, solve_here

ASIDE = 0.61
"""Factor by which a step that ends in a singular pose is shortened: the next one ends elsewhere."""
ITERATIONS = 12


@compiled
def size_of(machine: Machine, x: Vector) -> float:
    """Return the length of a step, (velocities,), in the norm W."""
    total = 0.0
    for k in range(machine.norm.size):
        total += machine.norm[k] * x[k] * x[k]
    return np.sqrt(total)


@compiled_apart
def bend(machine: Machine, t: float, q: Vector, v: Vector, a: Vector, timed: int) -> int:
    """Replace v by the tangent nearest to it, and a by the curvature, in place, at the pose that `close` has just left;
    return a status."""
    n = machine.norm.size
    machine.f[:] = 0.0
    machine.g[:] = 0.0
    subtract_rates(machine, 1.0, v)
    solve_here(machine, 2)
    for k in range(n):
        v[k] += machine.x[k]
    size = size_of(machine, v)
    if not 0.0 < size < np.inf:
        return NOT_FINITE
    for k in range(n):
        v[k] /= size
    observe(machine, t, q, v)
    copy(machine.gamma, machine.g)
    if timed == 1:
        _hold_time(machine, t, q, v, a)
    machine.f[:] = 0.0
    solve_here(machine, 2)
    copy(machine.x[:n], a[:n])
    return DONE if all_finite(a) else NOT_FINITE


@compiled
def _hold_time(machine: Machine, t: float, q: Vector, v: Vector, still: Vector) -> None:
    """Leave in machine.g the part of γ that is quadratic in v: the even part less that of rest. `still` becomes
    zero."""
    for k in range(v.size):
        v[k] = -v[k]
    observe(machine, t, q, v)
    for k in range(v.size):
        v[k] = -v[k]
    for row in range(machine.g.size):
        machine.g[row] = 0.5 * (machine.g[row] + machine.gamma[row])
    still[:] = 0.0
    observe(machine, t, q, still)
    for row in range(machine.g.size):
        machine.g[row] -= machine.gamma[row]


@compiled
def length_of_step(machine: Machine, h: float) -> float:
    """Return the arc length between both ends of a step, from an estimate h."""
    here, there, prediction, chord = machine.here, machine.there, machine.way, machine.x
    difference(machine.manifold, here.q, there.q, chord)
    for _ in range(4):
        way(machine.manifold, h, here, there, prediction)
        off = square = 0.0
        for k in range(machine.norm.size):
            u = 0.5 * (here.v[k] + there.v[k])
            off += machine.norm[k] * u * (chord[k] - prediction[k])
            square += machine.norm[k] * u * u
        h += off / square if square > 0.25 else 0.0
    return h


@compiled_apart
def stride(machine: Machine, t: float, h: float, redundant: int, timed: int) -> float:
    """Make a step of estimated length h from the machine's place. Return its length, or the negative status if it does
    not close or ends in a singular pose."""
    here, there = machine.here, machine.there
    copy(here.q, there.q)
    for k in range(machine.norm.size):
        there.v[k] = here.v[k] + h * here.a[k]
        machine.x[k] = h * (here.v[k] + 0.5 * h * here.a[k])
    move(machine.manifold, there.q, machine.x)
    status = close(machine, t, there.q, there.v, ITERATIONS)
    if status == DONE and dependent_rows(machine, ROW_DEPENDENCE) > redundant:
        return -float(SINGULAR)
    if status == DONE:
        status = bend(machine, t, there.q, there.v, there.a, timed)
    if status != DONE:
        return -float(status)
    length = length_of_step(machine, h)
    count_turns(machine.manifold, length, here, there)
    return length if length > 0.0 else -float(NOT_FINITE)


@compiled_apart
def distance_beyond(machine: Machine, q: Vector, home: Vector, tangent: Vector, angles: Vector) -> float:
    """Return the distance of a pose beyond the plane through `home` across its tangent; machine.x becomes the
    difference from `home`, angles up to whole turns."""
    difference(machine.manifold, home, q, machine.x)
    total = 0.0
    for k in range(machine.norm.size):
        if angles[k] > 0.0:
            machine.x[k] -= 2.0 * np.pi * np.rint(machine.x[k] / (2.0 * np.pi))
        total += machine.norm[k] * machine.x[k] * tangent[k]
    return total


@compiled_apart
def trace(
    machine: Machine, t: float, path: Trajectory, first: int, pace: Vector, home: Vector, tangent: Vector,
    angles: Vector, redundant: int, timed: int,
) -> int:  # fmt: skip
    """Compute poses first+1 .. of a path by arc length (in place of time), each from the one before. `pace` holds the
    next step, the longest one for any coordinate, and the last pose's distance beyond the plane through `home`. Return
    a status; counts[POSES] becomes the number of poses."""
    begin(machine, t, path.q[first], path.v[first], path.a[first])
    machine.reached[0] = path.t[first]
    h, n = pace[0], machine.norm.size
    for k in range(first + 1, path.t.size):
        largest = 0.0  # the largest component of the tangent, by weight
        for i in range(n):
            largest = max(largest, machine.norm[i] * machine.here.v[i] ** 2)
        h = min(h, pace[1] * machine.length / np.sqrt(largest))
        length = -float(ENDLESS)
        while True:
            length = stride(machine, t, h, redundant, timed)
            if length > 0.0:
                orient(machine)
                if is_smooth(machine, length) and keeps_branch(machine):
                    break
            if h < CURVE_STEP * machine.length:
                machine.counts[POSES] = k
                return -int(length) if length < 0.0 else SINGULAR
            h *= ASIDE if length == -float(SINGULAR) else 0.5
            machine.counts[HALVINGS] += 1
        accept(machine, machine.reached[0] + length)
        path.t[k] = machine.reached[0]
        copy(machine.here.q, path.q[k])
        copy(machine.here.v, path.v[k])
        copy(machine.here.a, path.a[k])
        h = pace[0] = 2.0 * h
        before, pace[2] = pace[2], distance_beyond(machine, machine.here.q, home, tangent, angles)
        if before < 0.0 <= pace[2] and size_of(machine, machine.x[:n]) < 2.0 * length:
            machine.counts[POSES] = k + 1
            return HOME
    machine.counts[POSES] = path.t.size
    return DONE
