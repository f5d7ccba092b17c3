"""All solutions of a generic member from one of them: along loops in the family solutions are permuted.

Two members, A and B, and several ways between them, bent differently in the complex line through both. Each solution
known at one end is followed once along each way; new ends are added. Solutions of an irreducible family are all reached
from any of them; new ways are taken until some bring nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..tolerances import SAME_SIGNATURE
from .paths import DONE, HomotopyProblem, track

WAYS = 6
"""Greatest number of ways to a second member, two at once; more for few solutions."""
FEW = 12
LONG = 4.0
"""Ways bend aside by up to 2 to this power times their length, because the places of branch points are unknown."""
PATIENCE = 50
"""Greatest number of steps of a path of a loop: the few longer paths would delay all others, and there are other
loops."""


class SystemFamily(Protocol):
    """Square systems, whose members are arrays of numbers."""

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray: ...
    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> HomotopyProblem:
        """Return the systems on ways from one member to the other; see `paths.along`."""

    def signature(self, x: np.ndarray) -> np.ndarray:
        """Return numbers that differ for different solutions, (numbers, solutions)."""


@dataclass(eq=False)
class SolutionSet:
    """The solutions that are known at a member."""

    family: SystemFamily
    numbers: np.ndarray
    x: np.ndarray
    followed: list[int] = field(default_factory=list)
    """For each way, the number of solutions that were followed along it."""

    @property
    def count(self) -> int:
        return self.x.shape[1]

    def add(self, x: np.ndarray) -> int:
        """Add the new ones of these solutions, in place, and return their number."""
        fresh = new_ones(self.family, self.x, x)
        self.x = np.concatenate([self.x, x[:, fresh]], axis=1)
        return len(fresh)


def new_ones(family: SystemFamily, known: np.ndarray, x: np.ndarray, same: float = SAME_SIGNATURE) -> list[int]:
    """Return the numbers of the columns of x that are neither known nor repeated."""
    old, new = family.signature(known).T, family.signature(x).T
    both = np.concatenate([old, new])
    count, fresh = len(old), list[int]()
    taken = np.arange(len(both)) < count
    for k, one in enumerate(new):
        far = np.abs(both[taken] - one).max(axis=1)
        if not far.size or far.min() > same * max(1.0, np.abs(one).max()):
            taken[count + k] = True
            fresh.append(k)
    return fresh


def search(family: SystemFamily, here: SolutionSet, random: np.random.Generator, most: int) -> None:
    """Add solutions to `here`, in place, by loops through random second members, until several members bring nothing
    new."""
    quiet = 0
    while quiet < patience(here.count) and here.count < most:
        quiet = 0 if extend(family, here, random) else quiet + 1


def patience(count: int) -> int:
    """Return the number of second members without a new solution that end the search. The number is larger for few
    solutions: these cost little, and fewer loops permute them."""
    return max(2, FEW // count)


def extend(family: SystemFamily, here: SolutionSet, random: np.random.Generator) -> int:
    """Return the number of solutions found with one second member, and add them in place. New ways are taken as long as
    they bring some."""
    there, first = SolutionSet(family, family.random_member(random, here.numbers), here.x[:, :0]), here.count
    here.followed.clear()
    bends: list[complex] = []
    brought = True
    while not bends or (brought and len(bends) < WAYS):
        more = 2 + FEW // (2 * here.count)
        bends += [complex(*random.normal(size=2)) * 2.0 ** random.uniform(0, LONG) for _ in range(more)]
        for end in (here, there):
            end.followed += [0] * more
        before = here.count
        while _follow(family, here, there, bends):
            pass
        brought = here.count > before or here.count != there.count
    return here.count - first


def _follow(family: SystemFamily, here: SolutionSet, there: SolutionSet, bends: list[complex]) -> bool:
    """Follow each solution along each way where it was not followed yet, both ways at once. Return whether there was
    any."""
    x, start, bend = [], [], []
    for end, one in enumerate((here, there)):
        for w, first in enumerate(one.followed):
            x.append(one.x[:, first:])
            start += [float(end)] * (one.count - first)
            bend += [bends[w]] * (one.count - first)
            one.followed[w] = one.count
    if not start:
        return False
    at = np.array(start)
    homotopy = family.between(here.numbers, there.numbers, at, np.array(bend))
    ends = track(homotopy, np.concatenate(x, axis=1), steps=PATIENCE)
    there.add(ends.x[:, (ends.status == DONE) & (at == 0.0)])
    here.add(ends.x[:, (ends.status == DONE) & (at == 1.0)])
    return True
