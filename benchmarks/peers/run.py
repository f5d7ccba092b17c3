"""What every peer returns, and how its time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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


def nearest(table: Mapping[int, T], n: int) -> T:
    """The entry of a table by problem size whose size is nearest, counted in factors."""
    return table[min(table, key=lambda size: abs(log(size / n)))]


def drift(energy: np.ndarray) -> float:
    """Largest distance of an energy from its first value."""
    return float(np.max(np.abs(energy - energy[0])))
