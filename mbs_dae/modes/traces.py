"""Whether a set of solutions is complete: the trace test.

Constants of the equations are moved along a line, F(x) + s γ = 0: that is a curve C of points (X, s), X being places
and attitudes. The solutions that are asked about lie in the slice s = 0, which is not a general one: some points of C
are at infinity there, since a loop of moving bodies has more solutions where it does not close. So it is taken with a
general slice ℓ(X) = τ, whose points are found by loops like the solutions themselves, and both are moved together:

    s (ℓ(X) - τ) = h.

Over all points of C in it, and over no part of them, the sums of s and of s X are affine in h: they are sums of
algebraic functions over all their branches, so rational ones, and it is to be shown where they are infinite.

- Where s → s₀ ≠ 0 and X → ∞, h goes as s₀ ℓ(X), and where s → ∞, as s X or faster: s and s X are O(h) there.
- Where s → 0 and X → ∞, s is small, and s X is O(h) as ℓ(X) is of the size of X: no ratio of its numbers is special.

So no pole lies at a finite h, and they grow as h does at most: second differences vanish. X itself has poles where
s → 0 and s X is finite, so that its sum is affine for some mechanisms only. (Leykin, Rodriguez and Sottile, "Trace
test", 2018, is the theory of it.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .equations.family import Family
from .monodromy import Known, extended, patience
from .paths import DONE, along, newton, track

AFFINE = 1e-8
"""A second difference of the sum that is less, against the sum of all second differences, is nil: roundoff leaves 1e-13
to 2e-9."""
CURVED = 1e-4
"""One that is more is not; between both the test is inconclusive."""
WIDE = 30.0
"""How far h is moved, against the median of |s|: far enough that no solution hardly contributes to the sum, and that
roundoff does not show."""
SMALL = 1e-3
"""Sums of coordinates that change less than this part of the one that changes most are measured by that."""
LARGEST = 600
"""With more points in the other slice the test is not made."""
BEGIN = 4
"""From so many solutions the first points of the other slice are sought."""


@dataclass(frozen=True, eq=False)
class Pencil:
    """The points (x, s) of curves C in slices of them, x with s in its last row. Members are a line of constants and a
    slice, (numbers at s = 0, their shift γ by s, weights of X, τ): loops through all of these are more than loops of
    slices of one curve, along which some points change places too seldom to be found."""

    family: Family

    def parts(self, member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers, shift, and slice."""
        count = self.family.closure.count
        return member[:count], member[count : 2 * count], member[2 * count :]

    def member(self, numbers: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """A random line and slice at these numbers."""
        closure = self.family.closure
        shift = np.zeros(closure.count, complex)
        shift[-closure.rows :] = closure.metric * normal(random, closure.rows) * closure.system.length
        size = len(self.family.signature(np.zeros((closure.system.layout.q_size, 1)))) + 1
        return np.concatenate([numbers, shift, normal(random, size)])

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray:
        return self.member(self.family.random_member(random, self.parts(near)[0]), random)

    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> Slice:
        return Slice(self, first, second, start, bend)

    def signature(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([self.family.signature(x[:-1]), x[-1:]])

    def bounded(self, x: np.ndarray) -> np.ndarray:
        """s and s X."""
        return np.concatenate([self.family.signature(x[:-1]) * x[-1], x[-1:]])


def normal(random: np.random.Generator, size: int) -> np.ndarray:
    """Complex numbers of about the size 1."""
    return random.normal(size=size) + 1j * random.normal(size=size)


@dataclass(frozen=True, eq=False)
class Slice:
    """From one member to another."""

    pencil: Pencil
    first: np.ndarray
    second: np.ndarray
    start: np.ndarray
    bend: np.ndarray

    def condition(
        self, x: np.ndarray, s: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | float]:
        """ℓ(X) - τ, its slopes by the unknowns, and by s of C."""
        closure = self.pencil.family.closure
        value = (weights[:-1] * closure.signature(x[:-1])).sum(axis=0) - weights[-1]  # BLAS is slower here
        return value, closure.slope(x[:-1], weights[:-1]), 0.0

    def evaluate(self, x: np.ndarray, s: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        family = self.pencil.family
        rows, n = family.rows, family.rows.size
        c = along(s, self.start, self.bend, paths)
        numbers, shift, weights = self.pencil.parts(self.first[:, None] + (self.second - self.first)[:, None] * c)
        F, J = family.closure.evaluate(x[:-1], numbers + shift * x[-1])
        value, slope, by_s = self.condition(x, s, weights)
        phi, jacobian = np.empty((s.size, n + 1), complex), np.empty((s.size, n + 1, n + 1), complex)
        phi[:, :n], phi[:, n] = F[:, rows], value
        jacobian[:, :n, :n], jacobian[:, n, :n] = J[:, rows], slope.T
        jacobian[:, :n, n], jacobian[:, n, n] = shift[-F.shape[1] :][rows].T, by_s
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
        own = np.abs(step[:-1] / self.pencil.family.closure.scale[:, None]).max(axis=0)
        return np.maximum(own, np.abs(step[-1]))


@dataclass(frozen=True, eq=False)
class Hyperbola(Slice):
    """From s (ℓ(X) - τ) = 0 to s (ℓ(X) - τ) = h, of one member."""

    h: complex = 0.0

    def condition(
        self, x: np.ndarray, s: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | float]:
        value, slope, _ = super().condition(x, s, weights)
        return x[-1] * value - s * self.h, x[-1] * slope, value


class Trace:
    """The test of the solutions known at a generic member. The points of the other slice are kept from one test to the
    next."""

    def __init__(self, family: Family, numbers: np.ndarray, random: np.random.Generator) -> None:
        self.random = random
        self.pencil = Pencil(family)
        self.member = self.pencil.member(numbers, random)
        self.others = Known(self.pencil, self.member, np.zeros((family.closure.system.layout.q_size + 1, 0)))
        self.ratio = np.nan
        """The second difference of the sum, against the sum of second differences."""

    def __call__(self, known: Known) -> bool | None:
        """Whether the solutions are complete; None: the test says nothing."""
        x = np.concatenate([known.x, np.zeros((1, known.count))])
        if not self.others.count and not self.others.add(self._begun(x)):
            return None
        quiet, found = 0, None
        while self.others.count < LARGEST and quiet < patience(self.others.count):
            quiet = 0 if extended(self.pencil, self.others, self.random) else quiet + 1
            if found := self._affine(x):
                return True
        if self.others.count >= LARGEST:
            return None
        if found is None:
            self._elsewhere()
        return found

    def _elsewhere(self) -> None:
        """Another line and slice for the next test: here one point may be so far that roundoff hides the others."""
        others = self.others
        member = self.pencil.member(self.pencil.parts(self.member)[0], self.random)
        way = self.pencil.between(self.member, member, np.zeros(others.count), normal(self.random, others.count))
        ends = track(way, others.x)
        self.member, self.others = member, Known(self.pencil, member, others.x[:, :0])
        self.others.add(ends.x[:, ends.status == DONE])

    def _affine(self, x: np.ndarray) -> bool | None:
        """The test, with the points of the other slice that are known."""
        others = self.others.x
        both = np.concatenate([x, others], axis=1)
        h = WIDE * np.median(np.abs(others[-1])) * complex(*self.random.normal(size=2))
        still = np.zeros(both.shape[1])
        lines = [Hyperbola(self.pencil, self.member, self.member, still, still, sign * h) for sign in (1.0, -1.0)]
        ends = [track(line, both) for line in lines]
        if any((one.status != DONE).any() for one in ends):
            return False
        sharp = [newton(line, one.x, 1.0, 2)[0] for line, one in zip(lines, ends, strict=True)]
        middle, _ = newton(lines[0], both, 0.0, 2)
        first, middle, last = (self.pencil.bounded(y) for y in (sharp[0], middle, sharp[1]))
        second = first - 2 * middle + last
        sizes = np.abs(second).sum(axis=1)
        self.ratio = float((np.abs(second.sum(axis=1)) / np.maximum(sizes, SMALL * sizes.max())).max())
        return True if self.ratio < AFFINE else False if self.ratio > CURVED else None

    def _begun(self, x: np.ndarray) -> np.ndarray:
        """Points in the slice: each solution lies in one with another τ, which is moved to this one."""
        found = [x[:, :0]]
        weights = self.pencil.parts(self.member)[2]
        for k in range(min(x.shape[1], BEGIN)):
            own = self.member.copy()
            own[-1] = weights[:-1] @ self.pencil.family.signature(x[:-1, [k]])[:, 0]
            bend = normal(self.random, 1)
            ends = track(self.pencil.between(own, self.member, np.zeros(1), bend), x[:, [k]])
            found.append(ends.x[:, ends.status == DONE])
        return np.concatenate(found, axis=1)
