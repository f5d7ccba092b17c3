"""Of all closed poses the one nearest to a reference: from a closed one, back along the constraints; and whether its
velocities and accelerations satisfy all equations. Compiled."""

from typing import NamedTuple

import numpy as np

from ..compiled.machine import Machine, subtract_rates
from ..compiled.manifold import difference, move
from ..compiled.status import DONE
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Vector, Work, block, zeros
from ..linear.vectors import copy
from ..tolerances import DEPENDENT
from .newton import close, dependent_rows, evaluate_and_factorise, gaps, solve_here

ITERATIONS, HALVINGS = 100, 8


class Scratch(NamedTuple):
    """Work space."""

    step: Work[Vector] = zeros("columns")
    back: Work[Vector] = zeros("columns")
    """The way to the reference."""
    still: Work[Vector] = zeros("v_size")
    trial: Work[Vector] = zeros("q_size")


def scratch(machine: Machine) -> Scratch:
    sizes = {"columns": machine.norm.size, "v_size": machine.here.v.size, "q_size": machine.here.q.size}
    return block(Scratch(), **sizes)


@compiled
def _distance(machine, q, reference, back):
    """How far the reference is from a pose, and the way there."""
    difference(machine.manifold, q, reference, back)
    return _size(machine, back)


@compiled
def _size(machine, step):
    total = 0.0
    for k in range(machine.norm.size):
        total += machine.norm[k] * step[k] ** 2
    return np.sqrt(total)


@compiled_apart
def slide_back(machine: Machine, t: float, q: Vector, reference: Vector, own: Scratch):
    """From a closed pose q, changed in place, slide along the constraints towards the reference until the way back is
    perpendicular to them."""
    step, back, still, trial, last = own.step, own.back, own.still, own.trial, np.inf
    n = machine.norm.size
    for _ in range(ITERATIONS):
        evaluate_and_factorise(machine, t, q, still, True)
        if n - machine.pattern.m + dependent_rows(machine, DEPENDENT) <= 0:
            return
        far = _distance(machine, q, reference, back)
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
        taken = False
        for _ in range(HALVINGS):
            copy(q, trial)
            move(machine.manifold, trial, step)
            closes = close(machine, t, trial, still, 12) == DONE
            if closes and (near or _distance(machine, trial, reference, back) < far):
                copy(trial, q)
                taken = True
                break
            for k in range(n):
                step[k] *= 0.5
        if not taken:
            return


@compiled_apart
def satisfied(machine: Machine, rates: Vector, level: int):
    """Whether velocities (level 1) or accelerations (level 2) satisfy every equation, as evaluated last; machine.g is
    what each misses by."""
    copy(machine.nu if level == 1 else machine.gamma, machine.g)
    subtract_rates(machine, 1.0, rates)
    return gaps(machine, machine.g) <= 1e-8 * (_size(machine, rates) + machine.length)
