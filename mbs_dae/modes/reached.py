"""Which modes can be reached from which: circuits and branches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..poses.arcs.points import BranchPoint, TurningPoint


class Way(NamedTuple):
    """From a mode to the next one on a curve, through what lies between them there."""

    first: int
    last: int
    points: tuple[TurningPoint | BranchPoint, ...]


@dataclass(frozen=True)
class Reached:
    """The number of the circuit and of the branch of each mode, the ways between them, and which curves could not be
    followed."""

    circuits: tuple[int, ...]
    branches: tuple[int, ...]
    ways: tuple[Way, ...]
    unfollowed: tuple[str, ...]


def joined(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Numbers from 0 on, in the order in which they come: the same for all that pairs connect."""
    leader = list(range(count))

    def first(k: int) -> int:
        while leader[k] != k:
            k = leader[k]
        return k

    for i, j in pairs:
        a, b = sorted((first(i), first(j)))
        leader[b] = a
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(first(k), len(numbers)) for k in range(count))
