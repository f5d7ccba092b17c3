"""Continuation from design to design: poses along a parameter instead of time. Compiled.

With p the parameter, Φ(q, p) = 0 at every value gives Φ_q q' = -Φ_p, the "velocity" along the sweep. So the solver
treats a step in p like a step in time: predicted from the last value, closed by Newton's method, and accepted only if
it is smooth. Φ_p is exact: kernels give the derivatives of Φ by the numbers in their slots, and sympy those of the
numbers by p.
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
"""Greatest number of Newton steps: a step in p that needs more is too long."""


class ParameterSeries(NamedTuple):
    """Values of a parameter, and the numbers in the equations for each of them."""

    p: Vector
    numbers: Matrix
    """The numbers in the slots, a row for each value."""
    slopes: Matrix
    """Their derivatives by p, a row for each value."""
    equations: Derivatives
    """Derivatives of Φ by places and by these numbers."""
    columns: int
    """The first column of the derivatives by numbers."""


class ClosedPoses(NamedTuple):
    """Closed poses, one in each row, with their velocities and accelerations in time."""

    q: Matrix
    slope: Matrix
    """Derivatives q' by p, like velocities, (poses, velocities)."""
    v: Matrix
    a: Matrix

    def row(self, k: int) -> ClosedPoses:
        return ClosedPoses(*(x[k : k + 1] for x in self))


@compiled_apart
def slope_of(machine: Machine, t: float, designs: ParameterSeries, k: int, q: Vector, slope: Vector) -> bool:
    """Compute q' at a closed pose of design k, in `slope`; the machine keeps this design and its factor. Return whether
    all is finite."""
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
def _put(machine: Machine, designs: ParameterSeries, k: int) -> None:
    """Put the numbers of a design into the programs."""
    copy(designs.numbers[k], machine.program.batch.parameters)
    copy(designs.numbers[k], designs.equations.constraints.batch.parameters)


@compiled_apart
def _step(machine: Machine, t: float, designs: ParameterSeries, k: int, v: Vector, a: Vector) -> bool:
    """Compute the pose of design k in machine.there, with q' as its velocity, from that of the design before in
    machine.here; put velocity and acceleration in time into v and a. Return whether the step closes and is smooth."""
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
def follow_designs(
    machine: Machine, t: float, designs: ParameterSeries, poses: ClosedPoses, start: int, stop: int
) -> int:
    """Compute poses start .. stop-1, each from the one before. Return the number of poses done: `stop`, or the first
    that fails. Between designs q'' is taken as zero."""
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
