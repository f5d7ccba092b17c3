"""The fastest settings of all solvers: ``python benchmarks/search.py [problem ...]`` calls what is here.

Every solver offers families of settings (`families`), each of which has a step. The step is halved until the error is
within the bound, then made longer again by small factors while it stays there: for all solvers alike, lucky ones
included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .run import Ready, Run, timed

FINER = 1.06
"""Between two numbers of steps that are tried."""


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
        limit = min([most, *(1.5 * one.seconds for one in found)])
        if one := _fewest(lambda steps, family=family: family(seconds / steps), make, error, bound, first, limit):
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
        best, spent = _tried(family(steps), make, error, bound)
        if best is None:
            if spent > limit or steps > 1_000_000:
                return None
            steps *= 2
    fails = 0
    while fails < 4 and steps > 3:
        steps = min(steps - 1, round(steps / FINER))
        one, _ = _tried(family(steps), make, error, bound)
        fails = 0 if one else fails + 1
        best = one or best
    return best


def _tried(
    setting: Any, make: Callable[[Any], Ready], error: Callable[[Run], float], bound: float
) -> tuple[Found | None, float]:
    """What comes within the bound; and the time of the bare run."""
    start = time.process_time()
    try:
        ready = make(setting)
        spent, _ = timed(ready.bare, 1)
        run = ready.outcome()
    except Exception:   # each solver raises its own kinds where a step is too long
        return None, time.process_time() - start
    if not error(run) <= bound:
        return None, spent
    return Found(setting, ready, run, min(spent, timed(ready.bare, 3 if spent < 0.3 else 1)[0])), spent
