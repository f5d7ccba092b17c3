"""What every peer returns, and how its time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Ready:
    """A problem in a solver with a setting, ready to be timed.

    `bare` is the compiled run alone, of which everything is prepared. `called` is what a person types in Python who has
    the model built: from the initial values, with the start and the end for output, to the values that are asked for.
    """

    solver: str
    setting: str
    bare: Callable[[], object]
    called: Callable[[], object]
    outcome: Callable[[], Run]
    """Runs once more, and notes every step."""

    def run(self, repeat: int = 3) -> Run:
        """With the time of the bare run, the best of several."""
        seconds, _ = timed(self.bare, repeat)
        return replace(self.outcome(), seconds=seconds)


def timed(solve: Callable[[], T], repeat: int) -> tuple[float, T]:
    """Seconds of processor time of the fastest of some runs, and what the last of them returned. All solvers run on one
    thread; while another process has the processor, this clock stands."""
    best = float("inf")
    for _ in range(max(1, repeat)):
        start = time.process_time()
        result = solve()
        best = min(best, time.process_time() - start)
    return best, result


@dataclass(frozen=True)
class Compared:
    """Of one solver: milliseconds, bare and as called, medians of the rounds; and the ratios to another solver's in the
    same round, their medians."""

    bare: float
    called: float
    bare_ratio: float
    called_ratio: float
    rounds: int


MOST_SECONDS = 4.0
"""For all rounds of one solver; it takes part in three at least,"""
LONG = 2.0
"""or in the first alone where a run takes longer than this."""


def compared_in_rounds(solvers: Sequence[Ready], rounds: int = 15) -> list[Compared]:
    """With the first of them. What else a machine does changes its speed within seconds, so all take their turn in each
    round, and ratios are those of times next to each other: slow solvers sit out some rounds."""
    times = np.full((rounds, len(solvers), 2), np.nan)
    times[0] = [(timed(one.bare, 1)[0], timed(one.called, 1)[0]) for one in solvers]
    spent = times[0].max(axis=1)
    share = [1 if one > LONG else min(rounds, max(3, int(MOST_SECONDS / (2 * one)))) for one in spent]
    for k in range(rounds):
        for j, one in enumerate(solvers):
            if k < share[j] > 1:
                often = max(1, min(20, int(0.02 / spent[j])))
                times[k, j] = timed(one.bare, often)[0], timed(one.called, often)[0]
    ratios = np.nanmedian(times / times[:, :1], axis=0)
    middle = 1e3 * np.nanmedian(times, axis=0)
    return [Compared(*middle[j], *ratios[j], share[j]) for j in range(len(solvers))]


def nearest(table: Mapping[int, T], n: int) -> T:
    """The entry of a table by problem size whose size is nearest, counted in factors."""
    return table[min(table, key=lambda size: abs(log(size / n)))]


def drift(energy: np.ndarray) -> float:
    """Largest distance of an energy from its first value."""
    return float(np.max(np.abs(energy - energy[0])))
