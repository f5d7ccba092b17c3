"""Steps along the curve Φ(q) = 0 of a mechanism with one freedom, by its arc length s. Compiled.

The curve has the metric of the norm W. Its tangent is the velocity with Φ_v v = 0 and v·W v = 1; which of the two
directions is decided by the one foretold. Its curvature is the least acceleration with Φ_v a = γ: as the least one it
stands at right angles (W) to all that Φ_v leaves free, so v keeps its length, and s is the arc length. Nothing in this
speaks of a driver: where one turns back is a regular pose of the curve.

A step is foretold by q + h v + h²/2 a, closed by the least change, and judged as steps in time are (`continuation`).
How long it has become follows from its ends: of the smooth motion through both, that with the chord d has

    u·W d = u·W (h/2 (v₀ + v₁) + h²/12 (a₀ - a₁)),      u = (v₀ + v₁)/2,

but for O(h⁵). What depends on time is held: of γ only the part that is quadratic in v belongs to the curve.
"""

import numpy as np

from ...compiled.machine import HALVINGS, POSES, Machine, observe, subtract_rates
from ...compiled.manifold import count_turns, difference, move, way
from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME, NOT_FINITE, SINGULAR
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import all_finite, copy
from ...tolerances import DEPENDENT
from ..continuation import accept, begin, is_smooth, keeps_branch, orient
from ..newton import close, dependent_rows, solve_here

SMALLEST = 1e-9
"""The shortest step, in lengths of the model: a curve that is not smooth on this scale has an end or a corner."""
ASIDE = 0.61
"""By how much a step is shortened that ends in a singular pose: the next one does not."""
ITERATIONS = 12


@compiled
def size_of(machine, x):
    total = 0.0
    for k in range(machine.norm.size):
        total += machine.norm[k] * x[k] * x[k]
    return np.sqrt(total)


@compiled_apart
def bend(machine: Machine, t: float, q: Vector, v: Vector, a: Vector, timed: int):
    """The tangent nearest to v, in its place, and the curvature, at the pose that `close` has just left."""
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
def _hold_time(machine, t, q, v, still):
    """Leave in machine.g what γ has with the square of v: the even part less that of rest. `still` becomes zero."""
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
def length_of_step(machine, h):
    """The arc length between both ends of a step, of which h is an estimate."""
    here, there, foretold, done = machine.here, machine.there, machine.way, machine.x
    difference(machine.manifold, here.q, there.q, done)
    for _ in range(4):
        way(machine.manifold, h, here, there, foretold)
        off = square = 0.0
        for k in range(machine.norm.size):
            u = 0.5 * (here.v[k] + there.v[k])
            off += machine.norm[k] * u * (done[k] - foretold[k])
            square += machine.norm[k] * u * u
        h += off / square if square > 0.25 else 0.0
    return h


@compiled_apart
def stride(machine: Machine, t: float, h: float, redundant: int, timed: int):
    """A step of some h from where the machine stands. Its length; less than zero where it does not close (the status,
    with a minus), or ends in a singular pose."""
    here, there = machine.here, machine.there
    copy(here.q, there.q)
    for k in range(machine.norm.size):
        there.v[k] = here.v[k] + h * here.a[k]
        machine.x[k] = h * (here.v[k] + 0.5 * h * here.a[k])
    move(machine.manifold, there.q, machine.x)
    status = close(machine, t, there.q, there.v, ITERATIONS)
    if status == DONE and dependent_rows(machine, DEPENDENT) > redundant:
        return -float(SINGULAR)
    if status == DONE:
        status = bend(machine, t, there.q, there.v, there.a, timed)
    if status != DONE:
        return -float(status)
    done = length_of_step(machine, h)
    count_turns(machine.manifold, done, here, there)
    return done if done > 0.0 else -float(NOT_FINITE)


@compiled
def _fastest(machine):
    """The largest part of the tangent that a single coordinate has."""
    most = 0.0
    for k in range(machine.norm.size):
        most = max(most, machine.norm[k] * machine.here.v[k] ** 2)
    return np.sqrt(most)


@compiled_apart
def ahead_of(machine: Machine, q: Vector, home: Vector, tangent: Vector, angles: Vector):
    """How far a pose is beyond the plane through `home` across its tangent; in machine.x the way from there, angles
    but for whole turns."""
    difference(machine.manifold, home, q, machine.x)
    total = 0.0
    for k in range(machine.norm.size):
        if angles[k] > 0.0:
            machine.x[k] -= 2.0 * np.pi * np.rint(machine.x[k] / (2.0 * np.pi))
        total += machine.norm[k] * machine.x[k] * tangent[k]
    return total


@compiled_apart
def trace(
    machine: Machine, t: float, path: Trajectory, first: int, pace: Vector, home: Vector,
    tangent: Vector, angles: Vector, redundant: int, timed: int,
):  # fmt: skip
    """Poses first+1 .. of a path by arc length (in the place of time), each from the one before. `pace` is the next
    step, the longest one for any coordinate, and how far the last pose was beyond the plane through `home`. A status;
    how many poses there are then is counts[POSES]."""
    begin(machine, t, path.q[first], path.v[first], path.a[first])
    machine.reached[0] = path.t[first]
    h, n = pace[0], machine.norm.size
    for k in range(first + 1, path.t.size):
        h = min(h, pace[1] * machine.length / _fastest(machine))
        done = -float(ENDLESS)
        while True:
            done = stride(machine, t, h, redundant, timed)
            if done > 0.0:
                orient(machine)
                if is_smooth(machine, done) and keeps_branch(machine):
                    break
            if h < SMALLEST * machine.length:
                machine.counts[POSES] = k
                return -int(done) if done < 0.0 else SINGULAR
            h *= ASIDE if done == -float(SINGULAR) else 0.5
            machine.counts[HALVINGS] += 1
        accept(machine, machine.reached[0] + done)
        path.t[k] = machine.reached[0]
        copy(machine.here.q, path.q[k])
        copy(machine.here.v, path.v[k])
        copy(machine.here.a, path.a[k])
        h = pace[0] = 2.0 * h
        before, pace[2] = pace[2], ahead_of(machine, machine.here.q, home, tangent, angles)
        if before < 0.0 <= pace[2] and size_of(machine, machine.x[:n]) < 2.0 * done:
            machine.counts[POSES] = k + 1
            return HOME
    machine.counts[POSES] = path.t.size
    return DONE
