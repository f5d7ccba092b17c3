"""From design to design: poses along a parameter instead of time. Compiled.

With p the parameter, Φ(q, p) = 0 at every value gives Φ_q q' = -Φ_p, the "velocity" along the sweep. So a step in p is
a step in time to the solver: foretold from the last value, closed by Newton, and accepted only if it is smooth. Φ_p is
exact: kernels tell how Φ changes with the numbers in their slots, and sympy how these change with p.
"""

from __future__ import annotations

from typing import NamedTuple

from ..compiled.derivatives import Derivatives, differentiate
from ..compiled.machine import Machine
from ..compiled.manifold import move
from ..compiled.status import DONE
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.vectors import all_finite, copy
from .continuation import is_smooth
from .newton import close, complete, evaluate_and_factorise, solve_here

ITERATIONS = 12
"""Of Newton, in one step: one that takes more is too long."""


class Designs(NamedTuple):
    """Values of a parameter, and what it makes of the numbers in the equations."""

    p: Vector
    numbers: Matrix
    """A row for each value,"""
    slopes: Matrix
    """and how they change there."""
    equations: Derivatives
    """Of Φ, by places and by these numbers."""
    columns: int
    """Where those of the numbers begin."""


class Poses(NamedTuple):
    """Closed poses, one a row, and their velocities and accelerations in time."""

    q: Matrix
    slope: Matrix
    """q' = dq/dp."""
    v: Matrix
    a: Matrix

    def row(self, k: int) -> Poses:
        return Poses(*(x[k : k + 1] for x in self))


@compiled_apart
def slope_of(machine: Machine, t: float, designs: Designs, k: int, q: Vector, slope: Vector):
    """q' at a closed pose of design k; leaves the machine at this design, and its factor. Whether all is finite."""
    equations, columns = designs.equations, designs.columns
    slope[:] = 0.0
    _put(machine, designs, k)
    differentiate(equations, t, q, slope, slope, machine.multipliers)
    if not evaluate_and_factorise(machine, t, q, slope, True):
        return False
    machine.f[:] = 0.0
    machine.g[:] = 0.0
    for e in range(equations.row.size):
        if equations.column[e] >= columns:
            machine.g[equations.row[e]] -= equations.values[e] * designs.slopes[k, equations.column[e] - columns]
    solve_here(machine, 2)
    copy(machine.x[: machine.norm.size], slope)
    return all_finite(slope)


@compiled
def _put(machine, designs, k):
    """The numbers of a design."""
    copy(designs.numbers[k], machine.program.batch.parameters)
    copy(designs.numbers[k], designs.equations.constraints.batch.parameters)


@compiled_apart
def _step(machine: Machine, t: float, designs: Designs, k: int, v: Vector, a: Vector):
    """The pose of design k, with its slope for a velocity, from that of the design before it, where the machine stands;
    and its velocity and acceleration in time. Whether the step closes and is smooth."""
    h, here, there = designs.p[k] - designs.p[k - 1], machine.here, machine.there
    copy(here.q, there.q)
    for i in range(machine.norm.size):
        machine.x[i] = h * here.v[i]
    move(machine.manifold, there.q, machine.x)
    _put(machine, designs, k)
    if close(machine, t, there.q, here.a, ITERATIONS) != DONE:
        return False
    v[:] = 0.0
    closed = slope_of(machine, t, designs, k, there.q, there.v) and complete(machine, t, there.q, v, a) == DONE
    return closed and is_smooth(machine, h)


@compiled_apart
def follow_designs(machine: Machine, t: float, designs: Designs, poses: Poses, start: int, stop: int):
    """Poses start .. stop-1, each from the one before it. How many there are then: all, or those before the first step
    that fails. Between designs q'' is taken for zero."""
    here, there = machine.here, machine.there
    here.a[:] = 0.0
    there.a[:] = 0.0
    for k in range(start, stop):
        copy(poses.q[k - 1], here.q)
        copy(poses.slope[k - 1], here.v)
        if not _step(machine, t, designs, k, poses.v[k], poses.a[k]):
            return k
        copy(there.q, poses.q[k])
        copy(there.v, poses.slope[k])
    return stop
