"""The trace test: is a set of solutions complete? Also, a search for missing solutions.

Constants of the equations are moved along a line, F(x) + s γ = 0: that is a curve C of points (X, s), X being places
and attitudes. The solutions in question lie in the slice s = 0, which is not a general one: some points of C are at
infinity there, since a loop of moving bodies has more solutions where it does not close. So this slice is combined with
a general slice ℓ(X) = τ, and both are moved together:

    s (ℓ(X) - τ) = h.

Over all points of C in this curve, and over no part of them, the sums of s and of s X are affine in h: sums of
algebraic functions over all their branches are rational, so their poles decide.

- Where s → s₀ ≠ 0 and X → ∞, h goes as s₀ ℓ(X), and where s → ∞, as s X or faster: s and s X are O(h) there.
- Where s → 0 and X → ∞, s is small, and s X is O(h) as ℓ(X) is of the size of X: no ratio of its numbers is special.

So no pole lies at a finite h, and the sums grow at most as h: second differences vanish. X itself has poles where s → 0
and s X is finite, so its sum is affine for some mechanisms only. (Theory: Leykin, Rodriguez and Sottile, "Trace test",
2018.)

At a general h loops through numbers, γ, ℓ, τ and h permute all points. So they are found from the known solutions; and
where h goes to 0, the points with s = 0 are all solutions, also those that loops with s = 0 have not reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tolerances import AFFINE_TRACE, CURVED_TRACE, PENCIL_ZERO, TRACE_FLOOR
from .closure import MechanismFamily
from .monodromy import SolutionSet, extend, patience
from .paths import DONE, along, newton, track

WIDE = 30.0
"""The size of h: so large that no point contributes too little to the sum, and that roundoff does not show."""
LARGEST = 600
"""Greatest number of points for which the test is made."""


@dataclass(frozen=True, eq=False)
class Pencil:
    """The points (x, s) with s (ℓ(X) - τ) = h, x with s in its last row. Members are (numbers at s = 0, their shift γ
    by s, weights of X, τ, h): loops through all of them permute points that loops with some of them held permute too
    seldom."""

    family: MechanismFamily

    def parts(self, member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return numbers, shift, weights, τ, h of a member."""
        count = self.family.closure.count
        return member[:count], member[count : 2 * count], member[2 * count : -2], member[-2], member[-1]

    def member(self, numbers: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Return a member with these numbers and a random line, slice and h."""
        closure = self.family.closure
        shift = np.zeros(closure.count, complex)
        shift[-closure.rows :] = closure.metric * normal(random, closure.rows) * closure.system.length
        size = len(self.family.signature(np.zeros((closure.system.layout.q_size, 1)))) + 1
        return np.concatenate([numbers, shift, normal(random, size), WIDE * normal(random, 1)])

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray:
        return self.member(self.family.random_member(random, self.parts(near)[0]), random)

    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> PencilHomotopy:
        return PencilHomotopy(self, first, second, start, bend)

    def signature(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([self.family.signature(x[:-1]), x[-1:]])

    def bounded(self, x: np.ndarray) -> np.ndarray:
        """Return s X and s."""
        return np.concatenate([self.family.signature(x[:-1]) * x[-1], x[-1:]])


def normal(random: np.random.Generator, size: int) -> np.ndarray:
    """Return complex random numbers of about the size 1."""
    return random.normal(size=size) + 1j * random.normal(size=size)


@dataclass(frozen=True, eq=False)
class PencilHomotopy:
    """Paths of parameters from one member to another; see `Homotopy`."""

    pencil: Pencil
    first: np.ndarray
    second: np.ndarray
    start: np.ndarray
    bend: np.ndarray

    def evaluate(self, x: np.ndarray, s: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        family, X, by = self.pencil.family, x[:-1], x[-1]
        rows, n = family.rows, family.rows.size
        c = along(s, self.start, self.bend, paths)
        member = self.first[:, None] + (self.second - self.first)[:, None] * c
        numbers, shift, weights, tau, h = self.pencil.parts(member)
        F, J = family.closure.evaluate(X, numbers + shift * by)
        off = (weights * family.signature(X)).sum(axis=0) - tau  # BLAS is slower here
        phi, jacobian = np.empty((s.size, n + 1), complex), np.empty((s.size, n + 1, n + 1), complex)
        phi[:, :n], phi[:, n] = F[:, rows], by * off - h
        jacobian[:, :n, :n], jacobian[:, n, :n] = J[:, rows], (by * family.closure.slope(X, weights)).T
        jacobian[:, :n, n], jacobian[:, n, n] = shift[-F.shape[1] :][rows].T, off
        return phi, jacobian

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        return np.concatenate([self.pencil.family.closure.moved(x[:-1], step[:-1]), x[-1:] + step[-1:]])

    def rates(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate([self.pencil.family.closure.rates(x[:-1], v[:-1]), v[-1:]])

    def normalised(self, x: np.ndarray) -> np.ndarray:
        self.pencil.family.closure.normalised(x[:-1])
        return x

    def size(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(1.0, np.abs(self.pencil.signature(x)).max(axis=0))

    def length(self, step: np.ndarray) -> np.ndarray:
        size = np.abs(step[:-1] / self.pencil.family.closure.scale[:, None]).max(axis=0)
        return np.maximum(size, np.abs(step[-1]))


class TraceTest:
    """The test of the solutions known at a generic member. Its points stay from one test to the next."""

    def __init__(self, family: MechanismFamily, numbers: np.ndarray, random: np.random.Generator) -> None:
        self.random = random
        self.pencil = Pencil(family)
        self._begin(self.pencil.member(numbers, random))
        self.ratio = np.nan
        """The second difference of the sum, relative to the sum of absolute second differences: the largest of all
        coordinates."""

    def _begin(self, member: np.ndarray) -> None:
        size = self.pencil.family.closure.system.layout.q_size + 1
        self.points = SolutionSet(self.pencil, member, np.zeros((size, 0)))

    def __call__(self, solutions: SolutionSet) -> bool | None:
        """Return whether the solutions are complete, with those that the test finds and adds to them; None if the test
        is inconclusive."""
        x = np.concatenate([solutions.x, np.zeros((1, solutions.count))])
        self._add(x, self._at(0.0))
        if not self.points.count:
            return None
        quiet, complete = 0, self._affine(solutions)
        while not complete and quiet < patience(self.points.count) and self.points.count < LARGEST:
            quiet += 1
            if extend(self.pencil, self.points, self.random):
                quiet, complete = 0, self._affine(solutions)
        if self.points.count >= LARGEST:
            return None
        if complete is None:
            # another line and slice for the next test: one point may be so far away that roundoff hides the others
            points = self.points
            self._begin(self.pencil.member(self.pencil.parts(points.numbers)[0], self.random))
            self._add(points.x, points.numbers)
        return complete

    def _at(self, part: float) -> np.ndarray:
        """Return the member with this part of h."""
        return np.append(self.points.numbers[:-1], part * self.points.numbers[-1])

    def _add(self, x: np.ndarray, member: np.ndarray) -> None:
        """Add the ends of paths from points of another member, in place."""
        paths = x.shape[1]
        homotopy = self.pencil.between(member, self.points.numbers, np.zeros(paths), normal(self.random, paths))
        ends = track(homotopy, x)
        self.points.add(ends.x[:, ends.status == DONE])

    def _affine(self, solutions: SolutionSet) -> bool | None:
        """Make the test at h, 0 and -h with the known points. Solutions found at 0 are added to `solutions`."""
        still = np.zeros(self.points.count)
        sums, x = [self.pencil.bounded(self.points.x)], self.points.x
        for ahead in (0.0, -1.0):
            homotopy = self.pencil.between(self._at(ahead + 1.0), self._at(ahead), still, still)
            ends = track(homotopy, x)
            if (ends.status != DONE).any():
                return None
            x = newton(homotopy, ends.x, 1.0, 2)[0]
            if not ahead:
                solutions.add(x[:-1, np.abs(x[-1]) < PENCIL_ZERO])
            sums.append(self.pencil.bounded(x))
        second = sums[0] - 2 * sums[1] + sums[2]
        sizes = np.abs(second).sum(axis=1)
        self.ratio = float((np.abs(second.sum(axis=1)) / np.maximum(sizes, TRACE_FLOOR * sizes.max())).max())
        return True if self.ratio < AFFINE_TRACE else False if self.ratio > CURVED_TRACE else None
