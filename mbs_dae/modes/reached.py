"""Which modes can be reached from which: circuits and branches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reached:
    """The number of the circuit and of the branch of each mode."""

    circuits: tuple[int, ...]
    branches: tuple[int, ...]


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
