"""Whether a step from pose to pose stayed on its branch. Compiled.

Branches meet in singular poses. A step that passes such a point may end on another branch, closed to roundoff and
wrong. Three tests guard against it: the step must be smooth, short against its distance from singular poses, and very
short if it has passed one.
"""

import numpy as np

from ..compiled.machine import Machine
from ..compiled.manifold import difference, way
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from ..linear.kkt import solve
from ..tolerances import CROSSING, DEPENDENT, SMOOTH, STANDING

LONG, CLEAR, SHORT = 0.25, 3.0, 0.05
"""A step may be this long at most (relative to the model's length), and so many times longer than the nearness of a
singular pose; but it may always be short."""


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
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, 0)
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
