"""How many rows depend on others in a pose, and in poses beside it along the motion. Compiled."""

import numpy as np

from ..compiled.machine import Machine
from ..compiled.manifold import move
from ..compiled.status import DONE
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Integers, Vector
from ..linear.vectors import copy
from ..tolerances import DEPENDENT, NEARLY
from .newton import close, dependent_rows, evaluate_and_factorise


@compiled_apart
def count_dependent(machine: Machine, moments: Vector, q: Vector, v: Vector, out: Integers):
    """From the pose q at the first of these moments, closed at each of them: how many rows depend on others there, and
    how many almost do, one after the other. At how many it closes."""
    there, closes = machine.there, 0
    for k in range(moments.size):
        copy(q, there.q)
        for i in range(v.size):
            there.v[i] = (moments[k] - moments[0]) * v[i]
        move(machine.manifold, there.q, there.v)
        if close(machine, moments[k], there.q, v, 20) == DONE:
            if machine.program.velocity_rows > 0:
                evaluate_and_factorise(machine, moments[k], there.q, v, False)
            out[2 * closes] = dependent_rows(machine, DEPENDENT)
            out[2 * closes + 1] = dependent_rows(machine, NEARLY)
            closes += 1
    return closes


def dependent_beside(
    machine: Machine, moments: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[list[int], list[int]]:
    """The same as lists, of the moments at which it closes."""
    out = np.zeros(2 * moments.size, dtype=np.int64)
    closes = count_dependent(machine, moments, q, v, out)
    return out[: 2 * closes : 2].tolist(), out[1 : 2 * closes : 2].tolist()
