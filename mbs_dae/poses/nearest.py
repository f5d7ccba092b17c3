"""The closed pose nearest to a reference, from a closed pose back along the constraints; and a test that velocities and
accelerations satisfy all equations. Compiled."""

from typing import NamedTuple

import numpy as np

from ..compiled.machine import Machine, subtract_rates
from ..compiled.manifold import difference, move
from ..compiled.status import DONE
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector, Work, block, zeros
from ..linear.vectors import copy
from ..tolerances import ROW_DEPENDENCE
from .newton import close, dependent_rows, evaluate_and_factorise, gaps, solve_here

ITERATIONS, HALVINGS = 100, 8


class Scratch(NamedTuple):
    """Work space for `project_reference`."""

    step: Work[Vector] = zeros("columns")
    back: Work[Vector] = zeros("columns")
    """The difference from the pose to the reference, like a velocity."""
    still: Work[Vector] = zeros("v_size")
    trial: Work[Vector] = zeros("q_size")


def scratch(machine: Machine) -> Scratch:
    sizes = {"columns": machine.norm.size, "v_size": machine.here.v.size, "q_size": machine.here.q.size}
    return block(Scratch(), **sizes)


@compiled
def _size(machine: Machine, step: Vector) -> float:
    """Return the length of a step, (velocities,), in the norm W."""
    total = 0.0
    for k in range(machine.norm.size):
        total += machine.norm[k] * step[k] ** 2
    return np.sqrt(total)


@compiled_apart
def project_reference(machine: Machine, t: float, q: Vector, reference: Vector, work: Scratch) -> None:
    """Slide from a closed pose q, changed in place, along the constraints towards the reference, until the difference
    to the reference is perpendicular to them: then q is the closed pose nearest to the reference."""
    step, back, still, trial, last = work.step, work.back, work.still, work.trial, np.inf
    n = machine.norm.size
    for _ in range(ITERATIONS):
        evaluate_and_factorise(machine, t, q, still, True)
        if n - machine.pattern.m + dependent_rows(machine, ROW_DEPENDENCE) <= 0:
            return
        difference(machine.manifold, q, reference, back)
        distance = _size(machine, back)
        for k in range(n):
            machine.f[k] = machine.norm[k] * back[k]
        machine.g[:] = 0.0
        solve_here(machine, 2)
        copy(machine.x[:n], step)
        size = _size(machine, step)
        if size < 1e-13 * machine.length:
            return
        near = size < min(1e-5 * machine.length, 0.5 * last)  # there roundoff hides that the distance shrinks
        last = size
        success = False
        for _ in range(HALVINGS):
            copy(q, trial)
            move(machine.manifold, trial, step)
            success = close(machine, t, trial, still, 12) == DONE
            if success and not near:
                difference(machine.manifold, trial, reference, back)
                success = _size(machine, back) < distance
            if success:
                copy(trial, q)
                break
            for k in range(n):
                step[k] *= 0.5
        if not success:
            return


@compiled_apart
def satisfied(machine: Machine, rates: Vector, level: int) -> bool:
    """Return whether velocities (level 1) or accelerations (level 2) satisfy every equation, as evaluated last;
    machine.g becomes the error of each."""
    copy(machine.nu if level == 1 else machine.gamma, machine.g)
    subtract_rates(machine, 1.0, rates)
    return gaps(machine, machine.g) <= 1e-8 * (_size(machine, rates) + machine.length)
