"""The fastest settings of all solvers: ``python benchmarks/search.py [problem ...]`` calls what is here.

Every solver offers families of settings (`families`), each of which has a step. The step is halved until the error is
within the bound, then made longer again by small factors while it stays there: for all solvers alike, lucky ones
included. A family begins at half of the steps of the fastest one so far; what is slower than that by a half is given
up, and so is a family that even half of its steps would not make as fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .run import Ready, Run, timed

FINER, COARSER = 1.06, 1.15
"""Between two numbers of steps that are tried; the latter where a run is `SLOW`."""
SLOW = 0.2
LOADED = 1.0
"""Seconds; what takes less, but too long, is timed once more: the first run of its kind loads machine code."""
NEAR = 1.5
"""Families that are slower than the fastest one by more than this are given up."""


@dataclass(frozen=True)
class Found:
    setting: Any
    ready: Ready
    run: Run
    seconds: float


def fastest(
    families: Iterable[Callable[[float], Any]],
    make: Callable[[Any], Ready],
    error: Callable[[Run], float],
    bound: float,
    seconds: float,
    first: int,
    most: float,
) -> list[Found]:
    """Of each family that comes within the bound in less than `most` seconds, or 1.5 times the least so far; the
    fastest first. Runs last `seconds`; `first` is the number of steps that the search begins with."""
    found: list[Found] = []
    for family in families:
        best = min(found, key=lambda one: one.seconds, default=None)
        limit = min(most, NEAR * best.seconds) if best else most
        begin = max(first, best.run.steps // 2) if best else first
        if one := _fewest(lambda steps, family=family: family(seconds / steps), make, error, bound, begin, limit):
            found.append(one)
    return in_order(found)


def in_order(found: list[Found]) -> list[Found]:
    """The fastest first; those that come near it have taken turns once more."""
    found = sorted(found, key=lambda one: one.seconds)
    near = [one for one in found if one.seconds < 1.5 * found[0].seconds][:8]
    times = np.array([[timed(one.ready.bare, 1)[0] for one in near] for _ in range(5 if len(near) > 1 else 0)])
    if times.size:
        near = [replace(one, seconds=float(least)) for one, least in zip(near, times.min(axis=0), strict=True)]
    return sorted(near, key=lambda one: one.seconds)


def _fewest(
    family: Callable[[int], Any],
    make: Callable[[Any], Ready],
    error: Callable[[Run], float],
    bound: float,
    first: int,
    limit: float,
) -> Found | None:
    steps, best = first, None
    while best is None:
        best, spent = tried(family(steps), make, error, bound, limit)
        if best is None:
            if spent > limit or steps > 1_000_000:
                return None
            steps *= 2
    while steps == first and first > 7:     # it began too fine
        first = steps // 2
        if one := tried(family(first), make, error, bound, limit)[0]:
            steps, best = first, one
    fails = 0
    while fails < 4 and steps > 3 and best.seconds < 2.0 * limit:
        steps = min(steps - 1, round(steps / (COARSER if best.seconds > SLOW else FINER)))
        one, _ = tried(family(steps), make, error, bound, limit)
        fails = 0 if one else fails + 1
        best = one or best
    return best


def tried(
    setting: Any, make: Callable[[Any], Ready], error: Callable[[Run], float], bound: float, limit: float
) -> tuple[Found | None, float]:
    """What comes within the bound; and the time of the bare run. What takes far too long is not looked at."""
    spent = 0.0
    try:
        ready = make(setting)
        spent = _seconds(ready)
        if limit < spent < LOADED:
            spent = _seconds(ready)
        run = ready.outcome() if spent < 2.0 * limit else None
    except Exception:   # each solver raises its own kinds where a step is too long
        return None, spent
    if run is None or not error(run) <= bound:
        return None, spent
    return Found(setting, ready, run, min(spent, timed(ready.bare, 3 if spent < 0.3 else 1)[0])), spent


def _seconds(ready: Ready) -> float:
    start = time.process_time()
    with suppress(Exception):   # it will fail again
        ready.bare()
    return time.process_time() - start
