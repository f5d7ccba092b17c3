"""All solutions of a generic member from one of them: along loops in the family they change places.

Two members, A and B, and several ways between them, bent differently in the complex line through both. Each solution
known at one end is followed once along each way; what arrives and is new is kept. Solutions of an irreducible family
are all reached from any of them; new ways are taken until some bring nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .paths import DONE, Problem, track

SAME = 1e-6
"""Signatures that differ by less, relative to their size, are of one solution."""
WAYS = 6
"""How many ways to a second member are taken, two at once; of few solutions more."""
FEW = 12
LONG = 4.0
"""Ways go far aside, up to 2 to this power times as far as they lead, since where branch points are is not known."""
PATIENCE = 50
"""So many steps a path of a loop has: the few that take longer would hold up all others, and there are other loops."""


class Family(Protocol):
    """Square systems, of which members are arrays of numbers."""

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray: ...
    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> Problem:
        """The systems on ways from one member to the other; see `paths.along`."""

    def signature(self, x: np.ndarray) -> np.ndarray:
        """Numbers by which solutions are told apart, (numbers, solutions)."""


@dataclass(eq=False)
class Known:
    """The solutions known at a member."""

    family: Family
    numbers: np.ndarray
    x: np.ndarray
    gone: list[int] = field(default_factory=list)
    """For each way how many of the solutions were followed along it."""

    @property
    def count(self) -> int:
        return self.x.shape[1]

    def add(self, x: np.ndarray) -> int:
        """Those that are new; how many."""
        fresh = new_ones(self.family, self.x, x)
        self.x = np.concatenate([self.x, x[:, fresh]], axis=1)
        return len(fresh)


def new_ones(family: Family, known: np.ndarray, x: np.ndarray, same: float = SAME) -> list[int]:
    """Which of x are not among the known ones, nor twice."""
    old, own = family.signature(known).T, family.signature(x).T
    seen = np.concatenate([old, own])
    count, fresh = len(old), list[int]()
    taken = np.arange(len(seen)) < count
    for k, one in enumerate(own):
        far = np.abs(seen[taken] - one).max(axis=1)
        if not far.size or far.min() > same * max(1.0, np.abs(one).max()):
            taken[count + k] = True
            fresh.append(k)
    return fresh


def searched(family: Family, here: Known, random: np.random.Generator, most: int) -> None:
    """Look for other solutions along ways to other second members, until these bring nothing new: some
    of them."""
    quiet = 0
    while quiet < patience(here.count) and here.count < most:
        quiet = 0 if extended(family, here, random) else quiet + 1


def patience(count: int) -> int:
    """How many second members may bring nothing new before the search ends. Of few solutions, more: they cost little,
    and there are fewer loops along which they change places."""
    return max(2, FEW // count)


def extended(family: Family, here: Known, random: np.random.Generator) -> int:
    """How many solutions were found with one second member. New ways to it are taken as long as they bring some."""
    there, first = Known(family, family.random_member(random, here.numbers), here.x[:, :0]), here.count
    here.gone.clear()
    bends: list[complex] = []
    brought = True
    while not bends or (brought and len(bends) < WAYS):
        more = 2 + FEW // (2 * here.count)
        bends += [complex(*random.normal(size=2)) * 2.0 ** random.uniform(0, LONG) for _ in range(more)]
        for end in (here, there):
            end.gone += [0] * more
        before = here.count
        while _followed(family, here, there, bends):
            pass
        brought = here.count > before or here.count != there.count
    return here.count - first


def _followed(family: Family, here: Known, there: Known, bends: list[complex]) -> bool:
    """Follow what was not followed yet along each way, there and back, all at once. Whether there was something."""
    x, start, bend = [], [], []
    for end, one in enumerate((here, there)):
        for w, known in enumerate(one.gone):
            x.append(one.x[:, known:])
            start += [float(end)] * (one.count - known)
            bend += [bends[w]] * (one.count - known)
            one.gone[w] = one.count
    if not start:
        return False
    at = np.array(start)
    way = family.between(here.numbers, there.numbers, at, np.array(bend))
    ends = track(way, np.concatenate(x, axis=1), steps=PATIENCE)
    there.add(ends.x[:, (ends.status == DONE) & (at == 0.0)])
    here.add(ends.x[:, (ends.status == DONE) & (at == 1.0)])
    return True
