"""Circuits and branches: connections between modes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..poses.arcs.points import BranchPoint, TurningPoint


class Way(NamedTuple):
    """A way from a mode to the next one on a curve, through the singular poses between them."""

    first: int
    last: int
    points: tuple[TurningPoint | BranchPoint, ...]


@dataclass(frozen=True)
class Reached:
    """The number of the circuit and of the branch of each mode, the ways between modes, and the curves that could not
    be followed."""

    circuits: tuple[int, ...]
    branches: tuple[int, ...]
    ways: tuple[Way, ...]
    unfollowed: tuple[str, ...]


def joined(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return a number, from 0 on, for each item, in order of appearance: equal for all items that pairs connect."""
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
