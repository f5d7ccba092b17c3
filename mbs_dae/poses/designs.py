"""From design to design: poses along a parameter instead of time. Compiled.

With p the parameter, Φ(q, p) = 0 at every value gives Φ_q q' = -Φ_p, the "velocity" along the sweep. So a step in p is
a step in time to the solver: foretold from the last value, closed by Newton, and accepted only if it is smooth. Φ_p is
a central difference, with the numbers in the equations a little below p and a little above.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.machine import DONE, Machine, observe
from ..compiled.manifold import move
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.vectors import all_finite, copy
from .continuation import is_smooth
from .newton import close, complete, evaluate_and_factorise, solve_here

ITERATIONS = 12
"""Of Newton, in one step: one that takes more is too long."""
WIDTH = 1e-6
"""How far below and above p the difference is taken, relative to p."""


class Designs(NamedTuple):
    """Values of a parameter, and what it makes of the numbers in the equations."""

    p: np.ndarray
    width: np.ndarray
    """How far apart the designs below and above are."""
    numbers: np.ndarray
    """A row for each value: those below p, at p and above, one after the other."""

    def part(self, start: int, stop: int) -> Designs:
        return Designs(*(x[start:stop] for x in self))


@compiled_apart
def slope_of(machine: Machine, t: float, width: float, numbers: Vector, q: Vector, slope: Vector):
    """q' at a closed pose; leaves the machine at this design, and its factor. Whether all is finite."""
    slope[:] = 0.0
    machine.g[:] = 0.0
    for sign in (1.0, -1.0):
        _put(machine, numbers, 0 if sign > 0.0 else 2)
        observe(machine, t, q, slope)
        for row in range(machine.pattern.m):
            machine.g[row] += sign * machine.phi[row] / width
    _put(machine, numbers, 1)
    if not evaluate_and_factorise(machine, t, q, slope, True):
        return False
    machine.f[:] = 0.0
    solve_here(machine, 2)
    copy(machine.x[: machine.norm.size], slope)
    return all_finite(slope)


@compiled
def _put(machine, numbers, side):
    """The numbers of one of the three sides."""
    parameters = machine.program.batch.parameters
    copy(numbers[side * parameters.size : (side + 1) * parameters.size], parameters)


@compiled_apart
def _step(
    machine: Machine, t: float, h: float, width: float, numbers: Vector, q0: Vector, slope0: Vector, q1: Vector,
    slope1: Vector, v1: Vector, a1: Vector,
):  # fmt: skip
    """The pose a step of h further on, with its slope, and its velocity and acceleration in time; whether the step
    closes and is smooth."""
    still = machine.motions[0]
    still[:] = 0.0
    v1[:] = 0.0
    copy(q0, q1)
    for k in range(machine.norm.size):
        machine.x[k] = h * slope0[k]
    move(machine.manifold, q1, machine.x)
    _put(machine, numbers, 1)
    if close(machine, t, q1, still, ITERATIONS) != DONE or not slope_of(machine, t, width, numbers, q1, slope1):
        return False
    return complete(machine, t, q1, v1, a1) == DONE and is_smooth(machine, h, q0, slope0, still, q1, slope1, still)


@compiled_apart
def follow_designs(
    machine: Machine, t: float, p: Vector, width: Vector, numbers: Matrix, q: Matrix, slope: Matrix, v: Matrix,
    a: Matrix,
):  # fmt: skip
    """Each row of q, slope, v and a from the one before it, but for the first. How many rows are there then: all, or
    those before the first step that fails."""
    for k in range(1, p.size):
        h = p[k] - p[k - 1]
        if not _step(machine, t, h, width[k], numbers[k], q[k - 1], slope[k - 1], q[k], slope[k], v[k], a[k]):
            return k
    return p.size
