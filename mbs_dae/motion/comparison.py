"""The comparison of two computations of one model: the differences of their motions, and the cost of one evaluation of
all accelerations (constraints, masses, forces, factorisation, solution)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..compiled import System
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from ..readings.motion import computed
from ..results.result import Result
from ..tolerances import ACCELERATION_INDEPENDENCE, ZERO_REACTION
from .derivative import accelerate, evaluate, factorise_terms, solve_terms
from .mechanism import mechanism
from .mechanism_record import Mechanism


@dataclass(frozen=True)
class MotionDifference:
    """The largest differences at the times that two results have in common."""

    position: float
    """Relative to the model's length; angles in radians."""
    velocity: float
    """Relative to the largest velocity, with turns times the model's length."""
    reaction: float
    """The largest difference of the components that are determined, relative to the largest reaction, with moments over
    the model's length."""




def difference(first: Result, second: Result) -> MotionDifference:
    """Return the differences of two results of the same model, computed in this process."""
    system, common = computed(first).system, min(len(first), len(second))
    (_, q0, v0, _), (_, q1, v1, _) = computed(first).motion, computed(second).motion
    way = np.sqrt(system.weight)
    apart = [way * system.between(*pair) for pair in zip(q0[:common], q1[:common], strict=True)]
    faster = way * (v1[:common] - v0[:common])[:, : system.nv]
    idle = ZERO_REACTION * (system.heaviest or 1.0) * np.abs(way * first.a).max(initial=0.0)
    return MotionDifference(
        position=float(np.abs(apart).max(initial=0.0)) / system.length,
        velocity=_ratio(faster, way * first.v),
        reaction=_reactions(system, first, second, idle),
    )


def _reactions(system: System, first: Result, second: Result, idle: float) -> float:
    model, common = system.model, min(len(first), len(second))
    apart, sizes = [np.zeros(1)], [np.array([idle])]
    for joint in model.conditions:
        here, there = first.reaction(joint.name), second.reaction(joint.name)
        lengths = np.where(np.arange(here.shape[1]) < model.dimension, 1.0, system.length)
        unique = first.is_unique(joint.name)[:common] & second.is_unique(joint.name)[:common]
        gap = np.where(unique, there[:common] - here[:common], 0.0)
        apart.append(np.ravel(gap / lengths))
        sizes.append(np.ravel(np.nan_to_num(here) / lengths))
    return _ratio(np.concatenate(apart), np.concatenate(sizes))


def _ratio(apart: np.ndarray, sizes: np.ndarray) -> float:
    """Return the largest difference over the largest size, or 0 where both are zero."""
    gap, size = np.abs(apart).max(initial=0.0), np.abs(sizes).max(initial=0.0)
    return float(gap / size) if size > 0.0 else float(gap)


# --- costs ----------------------------------------------------------------------------------------------------------


UNKNOWNS = 80_000
"""The number of unknowns that are solved for between two readings of the clock: some milliseconds."""


Timed = tuple[Callable[[int], None], int]
"""A function that evaluates in one state as often as its argument says, and the argument for one timing."""

WHOLE, TERMS, ELIMINATION, SOLUTION = 0, 1, 2, 3
"""Parts of an evaluation of all accelerations: all of it; constraints, masses and forces; the factor of the matrix; the
solution, accelerations and multipliers."""


def timed(
    system: System, t: float, q: np.ndarray, v: np.ndarray, redundant: Sequence[int] = (), part: int = WHOLE
) -> Timed:
    """Return the timed evaluation at (t, q, v), with the rows in `redundant` left out, because others determine
    them."""
    run = mechanism(system, faint=ACCELERATION_INDEPENDENCE)
    run.machine.factor.kept[list(redundant)] = 0.0
    state = t, q.copy(), v.copy(), system.still
    evaluate_often(run, *state, WHOLE, 1)  # a part reads the results of those before it
    return partial(evaluate_often, run, *state, part), max(10, UNKNOWNS // (system.nv + len(system.rows)))


def evaluation_times(these: Sequence[Timed], rounds: int = 15) -> list[float]:
    """Return the processor time in s of one evaluation of each, the best of some rounds. All take their turn in every
    round, so that other load of the machine affects all alike."""
    best = [np.inf] * len(these)
    for _ in range(rounds):
        for k, (repeat, count) in enumerate(these):
            start = time.process_time()
            repeat(count)
            best[k] = min(best[k], (time.process_time() - start) / count)
    return best


@compiled_apart
def evaluate_often(run: Mechanism, t: float, q: Vector, v: Vector, a: Vector, part: int, count: int) -> None:
    for _ in range(count):
        if part == TERMS:
            evaluate(run, t, q, v)
        elif part == ELIMINATION:
            factorise_terms(run)
        elif part == SOLUTION:
            solve_terms(run, v, a)
        else:
            accelerate(run, t, q, v, a)
