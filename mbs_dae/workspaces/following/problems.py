"""What is followed: singular poses, and poses along a line.

A mechanism is singular with its two values held where some u ≠ 0 has Jᵀ u = 0: the rows depend on each other. So

    Φ(x, p) = 0,      J(x, p)ᵀ u = 0,      ½ (u·u - 1) = 0

are m + n + 1 equations in n + 2 + m unknowns (x, p, u): whatever freedom is left with the values held, and however many
limits are held besides, they leave a curve. Its picture in the plane of the values is where poses come and go: along it
uᵀ (J dx + P dp) = 0, so Pᵀ u stands at right angles on it.

Along a line (or any other section) as many linear conditions as there is freedom are added to Φ = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...coordinates import body_coordinates
from ...poses.closing import turned_over
from .equations import LOOSE, TIGHT, Equations, Point, Terms

THROWS = 24
"""How often bodies are thrown about."""
LONGEST = 0.3
"""A step of Newton's method towards a singular pose."""
SINGULAR = 1e-11
"""Equations of singular poses that are missed by less than this are met."""


@dataclass(frozen=True, eq=False)
class Singular:
    """Poses in which rows depend on each other."""

    equations: Equations
    turns: np.ndarray
    """What a whole turn adds to each value; 0 where it is none."""

    def value(self, z: Point) -> tuple[np.ndarray, np.ndarray]:
        terms, u = self.equations.at(z), z.u
        (m, n), k, J = terms.J.shape, terms.P.shape[1], self.ranked(terms)
        out = np.zeros((m + n + 1, n + k + len(J)))
        out[:m, :n], out[:m, n : n + k] = terms.J, terms.P
        out[m:-1, :n], out[m:-1, n : n + k], out[m:-1, n + k :] = terms.H, terms.K, J.T
        out[-1, n + k :] = u
        return np.concatenate([terms.phi, J.T @ u, [0.5 * (u @ u - 1.0)]]), out

    def ranked(self, terms: Terms) -> np.ndarray:
        """The rows that are asked for their rank."""
        return terms.J[self.equations.ranked] if self.equations.apart else terms.J

    def moved(self, z: Point, step: np.ndarray) -> Point:
        return self.equations.moved(z, step)

    def between(self, one: Point, other: Point) -> np.ndarray:
        return self.equations.between(one, other, self.turns)

    def normal(self, z: Point) -> np.ndarray:
        """Pᵀ u."""
        return self.equations.at(z).P.T @ z.u

    def near(self, q: np.ndarray, p: np.ndarray, rank: int = 0, rounds: int = 30) -> Point | None:
        """A singular pose near to a pose: Newton's method, the least steps, from the multipliers of the smallest
        singular value, or of the next ones by `rank`: each has a singular curve of its own. None where it finds
        none."""
        bare = Point(q, p, np.zeros(0))
        J = self.ranked(self.equations.at(bare))
        m, n = J.shape
        last = min(m - 1, n)
        if rank > last:
            return None
        z = Point(q, p, np.linalg.svd(J)[0][:, last - rank])
        for _ in range(rounds):
            value, jacobian = self.value(z)
            size = float(np.abs(value).max())
            if not np.isfinite(size):
                return None
            if size < SINGULAR:
                return z
            step = np.linalg.lstsq(jacobian, -value, rcond=1e-12)[0]
            longest = float(np.abs(step).max())
            z = self.moved(z, step * min(1.0, LONGEST / longest))
        return None


@dataclass(frozen=True, eq=False)
class Section:
    """Poses with A d = 0 for the way d (of bodies and values) from a point of it."""

    equations: Equations
    turns: np.ndarray
    base: Point
    A: np.ndarray

    @cached_property
    def of_values(self) -> bool:
        """Whether A asks for values alone."""
        return not self.A[:, : self.equations.system.nv].any()

    def value(self, z: Point) -> tuple[np.ndarray, np.ndarray]:
        terms, n = self.equations.at(z), self.equations.system.nv
        if self.of_values:
            gap = self.A[:, n:] @ ((z.p - self.base.p) / self.equations.scale)
        else:
            gap = self.A @ self.equations.between(self.base, z)
        return np.concatenate([terms.phi, gap]), np.vstack([np.hstack([terms.J, terms.P]), self.A])

    def moved(self, z: Point, step: np.ndarray) -> Point:
        return self.equations.moved(z, step)

    def between(self, one: Point, other: Point) -> np.ndarray:
        return self.equations.between(one, other, self.turns)


def line(equations: Equations, turns: np.ndarray, base: Point, direction: np.ndarray) -> Section:
    """Poses whose values are on a line through those of a pose, in the plane of the values."""
    n = equations.system.nv
    A = np.zeros((1, n + 2))
    A[0, n:] = np.array([-direction[1], direction[0]]) / np.linalg.norm(direction)
    return Section(equations, turns, base, A)


def closed_pose(equations: Equations, z: Point, rounds: int = 20) -> Point | None:
    """The pose near to a point with the same values: Newton's method, the least steps."""
    return closed_poses(equations, [z], rounds)[0]


def closed_poses(equations: Equations, points: Sequence[Point], rounds: int = 20) -> list[Point | None]:
    """Return for each point the pose near to it with the same values, by Newton's method, the least steps, all side by
    side; None where it does not converge. Where roundoff lets it gain nothing any more, it ends."""
    if not points:
        return []
    q, p = (np.array([point[k] for point in points]) for k in (0, 1))
    sizes, before = np.full(len(points), np.inf), np.full(len(points), np.inf)
    left = np.arange(len(points))
    for _ in range(rounds):
        phi, J, _ = equations.linear(q[left], p[left])
        size = sizes[left] = np.abs(phi).max(axis=1, initial=0.0)
        gains = (size >= TIGHT) & ((size >= LOOSE) | (size <= 0.25 * before[left])) & np.isfinite(size)
        before[left] = size
        left, phi, J = left[gains], phi[gains], J[gains]
        if not left.size:
            break
        steps = least(J, -phi)
        longest = np.abs(steps).max(axis=1, initial=1e-300)
        steps *= np.minimum(1.0, LONGEST / longest)[:, None]
        q[left] = equations.moved_poses(q[left], steps)
    ends = zip(q, p, points, sizes, strict=True)
    return [Point(one, other, point.u) if size < LOOSE else None for one, other, point, size in ends]


def least(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the least solutions of J x = right, side by side; of as many equations as unknowns the only ones, where
    they are independent."""
    if J.shape[1] == J.shape[2]:
        with suppress(np.linalg.LinAlgError):
            steps = np.asarray(np.linalg.solve(J, right[:, :, None]))[:, :, 0]
            if np.isfinite(steps).all():
                return steps
        if len(J) > 1:
            return np.concatenate([least(J[k : k + 1], right[k : k + 1]) for k in range(len(J))])
    return np.array([np.linalg.lstsq(*one, rcond=1e-12)[0] for one in zip(J, right, strict=True)])


def thrown(equations: Equations, point: Point, values: np.ndarray, most: int = THROWS) -> Iterator[Point | None]:
    """Poses with these values from bodies turned and moved at random; None for a throw that comes to none."""
    system, random = equations.system, np.random.default_rng(20)
    turns = np.tile(body_coordinates(system.model.dimension).turns, len(system.bodies))
    for done in range(0, most, THROWS):
        count = min(THROWS, most - done)
        steps = random.uniform(-1.0, 1.0, (count, system.nv)) * np.where(turns, np.pi, 1.0)
        thrown_about = equations.moved_poses(np.repeat(point.q[None], count, axis=0), steps)
        for found in closed_poses(equations, [Point(q, values.astype(float), point.u) for q in thrown_about], 40):
            over = found is not None and system.model.dimension == 3 and turned_over(system, found.q)
            yield None if over else found


def closed_free(equations: Equations, z: Point) -> Point | None:
    """The least change, of poses and values, that satisfies all equations."""
    for _ in range(30):
        terms = equations.at(z)
        size = float(np.abs(terms.phi).max(initial=0.0))
        if not np.isfinite(size):
            return None
        if size < 1e-12:
            return z
        step = np.linalg.lstsq(np.hstack([terms.J, terms.P]), -terms.phi, rcond=1e-12)[0]
        z = equations.moved(z, step * min(1.0, LONGEST / float(np.abs(step).max())))
    return None


def smallest(J: np.ndarray) -> float:
    """The smallest singular value of rows, each made of length 1."""
    length = np.linalg.norm(J, axis=1, keepdims=True)
    return float(np.linalg.svd(J / np.where(length > 0.0, length, 1.0), compute_uv=False)[-1])
