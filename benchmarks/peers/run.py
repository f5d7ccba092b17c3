"""What every peer returns, and how its time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """One solved problem; `states` has one row per entry of `t`, the last one at the end of the run."""

    solver: str
    setting: str
    seconds: float
    steps: int
    energy_error: float | None
    t: np.ndarray
    states: np.ndarray

    def error(self, reference: np.ndarray) -> float:
        """Largest difference to the reference at the end of the run."""
        return float(np.max(np.abs(self.states[-1] - reference)))


def timed(solve: Callable[[], T], repeat: int) -> tuple[float, T]:
    """Seconds of the fastest of some runs, and what the last of them returned."""
    best = float("inf")
    for _ in range(max(1, repeat)):
        start = time.perf_counter()
        result = solve()
        best = min(best, time.perf_counter() - start)
    return best, result


def timed_in_turns(solves: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """The same for several that are to be compared: each takes its turn, so that what else the machine does meets all
    alike."""
    best = [float("inf")] * len(solves)
    for _ in range(max(1, repeat)):
        for k, solve in enumerate(solves):
            best[k] = min(best[k], timed(solve, 1)[0])
    return best


def nearest(table: Mapping[int, T], n: int) -> T:
    """The entry of a table by problem size whose size is nearest, counted in factors."""
    return table[min(table, key=lambda size: abs(log(size / n)))]


def drift(energy: np.ndarray) -> float:
    """Largest distance of an energy from its first value."""
    return float(np.max(np.abs(energy - energy[0])))
