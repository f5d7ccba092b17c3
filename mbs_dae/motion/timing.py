"""What one evaluation of all accelerations costs: constraints, masses, forces, factorisation, solution. Compiled."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..compiled import System
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from ..tolerances import FAINT
from .derivative import Mechanism, accelerate, mechanism

UNKNOWNS = 80_000
"""Solved for between two looks at the clock: some milliseconds."""


Timed = tuple[Callable[[int], None], int]
"""Evaluates in one state, again and again; and how often."""


def timed(system: System, t: float, q: np.ndarray, v: np.ndarray, redundant: Sequence[int] = ()) -> Timed:
    """With these rows left out, because others determine them."""
    run = mechanism(system, faint=FAINT)
    run.machine.factor.kept[list(redundant)] = 0.0
    unknowns = system.nv + len(system.rows)
    often = partial(evaluate_often, run, t, q.copy(), v.copy(), system.still)
    return often, max(10, UNKNOWNS // unknowns)


def evaluation_times(these: Sequence[Timed], rounds: int = 15) -> list[float]:
    """Seconds for one evaluation of each, the best of some rounds. All take their turn in every round, so that what
    else the machine does meets all alike."""
    best = [np.inf] * len(these)
    for _ in range(rounds):
        for k, (evaluate, count) in enumerate(these):
            start = time.perf_counter()
            evaluate(count)
            best[k] = min(best[k], (time.perf_counter() - start) / count)
    return best


@compiled_apart
def evaluate_often(run: Mechanism, t: float, q: Vector, v: Vector, a: Vector, count: int):
    for _ in range(count):
        accelerate(run, t, q, v, a)
