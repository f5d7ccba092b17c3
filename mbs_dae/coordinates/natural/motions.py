"""The motion of bodies as a motion of points and vectors, and back: for all times and all bodies at once.

A body with the columns X and the weights C (`frame`) has the place X c(0) and the axes X C[:, 1:].
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...duals import Dual
from ...rotations import about_z, from_quaternion, quaternion
from ...rotations.orientation import continued
from ..base import Layout, Motion
from .frame import TURN
from .skeleton import POINT, Skeleton

MANY = 2**15
"""The number of pairs of bodies and times that are computed at once: arrays of them stay small."""


class Motions:
    """The places of bodies, points and vectors in both coordinate sets: rows for bodies, or for points and vectors."""

    def __init__(self, skeleton: Skeleton, layout: Layout, cartesian: Layout):
        bodies = [*skeleton.base]
        self.size = bodies[0].dimension
        self.q, self.v = (np.array([places[body] for body in bodies]) for places in (cartesian.q, cartesian.v))
        """The place and the attitude of each body; in space its turns stand behind."""
        self.base = np.array([layout.v[body] for body in bodies])
        self.turns = np.array([layout.q[body][len(layout.v[body]) :] for body in bodies])
        self.ends_on_point = np.array([base[-1].kind == POINT for base in skeleton.base.values()])
        self.at = np.array([layout.q[thing] for thing in skeleton.things])
        self.is_point = np.array([[thing.kind == POINT] for thing in skeleton.things])
        found = [
            next((body, place) for body, place in thing.places.items() if body.fixed or not thing.fixed)
            for thing in skeleton.things
        ]
        self.owner = np.array([bodies.index(body) for body, _ in found])
        self.places = tuple(place for _, place in found)
        """The body that each point or vector belongs to, and the place there."""

    def from_bodies(self, places: np.ndarray, motion: Motion, out: Motion) -> None:
        """Put x = r + A s, ẋ = ṙ + ω × A s, ẍ = r̈ + α × A s + ω × (ω × A s) into out; for a vector without r. `places`
        are the numbers s."""
        size, width = self.size, self.turns.shape[1]
        for some in self._in_parts(len(motion[0])):
            own = [x[some][:, at] for x, at in zip(motion, (self.q, self.v, self.v), strict=True)]
            A = from_quaternion(own[0][..., 3:7]) if size == 3 else about_z(own[0][..., 2])[..., :2, :2]
            omega, alpha = (x[..., size:] for x in own[1:])
            if size == 3:
                omega, alpha = (np.einsum("tbck,tbk->tbc", A, x) for x in (omega, alpha))
            arm = (A[:, self.owner] @ places[..., None])[..., 0]
            omega, alpha = omega[:, self.owner], alpha[:, self.owner]
            rate = swept(omega, arm)
            parts = arm, rate, swept(alpha, arm) + swept(omega, rate)
            for x, part, of_body in zip(out, parts, own, strict=True):
                x[some][:, self.at] = part + np.where(self.is_point, of_body[:, self.owner, :size], 0.0)
            out[0][some][:, self.turns] = own[0][..., -width:]

    def to_bodies(self, weights: np.ndarray, motion: Motion, out: Motion) -> None:
        """Put the Cartesian motion of bodies into out; `weights` are C of each body."""
        place, ways = weights[..., :1], weights[..., 1:]
        for some in self._in_parts(len(motion[0])):
            X, dX, ddX = (self._columns(x[some][:, self.base]) for x in motion)
            A, dA, ddA = X @ ways, dX @ ways, ddX @ ways
            omega, alpha = _turning(A, dA), _turning(A, ddA)
            attitude = turns = motion[0][some][:, self.turns]
            if self.size == 2:
                angle = np.arctan2(A[..., 1, 0], A[..., 0, 0])[..., None]
                attitude = angle + 2 * np.pi * np.round((turns - angle) / (2 * np.pi))
            else:
                U, _, V = np.linalg.svd(A)  # U V is the rotation nearest to A, which is one within a tolerance only
                attitude = np.concatenate([quaternion(U @ V), turns], axis=-1)
                omega, alpha = (np.einsum("tbkc,tbk->tbc", A, x) for x in (omega, alpha))
            ways_of = zip(out, (self.q, self.v, self.v), (X, dX, ddX), (attitude, omega, alpha), strict=True)
            for x, at, columns, turned in ways_of:
                x[some][:, at] = np.concatenate([(columns @ place)[..., 0], turned], axis=-1)
        if self.size == 3:
            attitudes = self.q[:, 3:7]
            out[0][:, attitudes] = continued(out[0][:, attitudes])

    def vary_things(self, places: Any, q: np.ndarray, x: np.ndarray, v: Any) -> tuple[Dual, Dual]:
        """Places and velocities of all points and vectors, (times, things, dimension), with their derivatives: of
        bodies in the places q that have small motions x, (parameters, times, v), and velocities v."""
        size, own = self.size, q[:, self.q]
        A = from_quaternion(own[..., 3:7]) if size == 3 else about_z(own[..., 2])[..., :2, :2]
        turns, omega = x[:, :, self.v][..., size:], v[:, self.v][..., size:]
        if size == 3:
            turns = np.einsum("tbck,ptbk->ptbc", A, turns)
        turned: Any = Dual(A, np.stack([swept(turns, A[..., k]) for k in range(size)], axis=-1), v.by)
        if size == 3:
            omega = np.einsum("tbck,tbk->tbc", turned, omega)
        r = Dual(own[..., :size], x[:, :, self.v][..., :size], v.by)
        arm = (turned[:, self.owner] @ places[..., None])[..., 0]
        rate, of_body = swept(omega[:, self.owner], arm), v[:, self.v][..., :size]
        parts: Any = zip((arm, rate), (r, of_body), strict=True)
        at, moved = (part + np.where(self.is_point, origin[:, self.owner], 0.0) for part, origin in parts)
        return at, moved

    def vary_bodies(
        self, weights: Any, motion: tuple[Any, Any, Any]
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """The small motions of bodies and the changes of their velocities and accelerations with each parameter,
        (parameters, times, velocities). `weights` are C of each body."""
        place, ways = weights[..., :1], weights[..., 1:]
        X, dX, ddX = (x[:, self.base].each(self._columns) for x in motion)
        A, dA, ddA = X @ ways, dX @ ways, ddX @ ways
        turns, omega, alpha = _turning(A.value, A.slope), _turning(A, dA), _turning(A, ddA)
        if self.size == 3:
            turns = np.einsum("tbkc,ptbk->ptbc", A.value, turns)
            omega, alpha = (np.einsum("tbkc,tbk->tbc", A, x) for x in (omega, alpha))
        found = tuple(np.zeros((len(weights.by), len(motion[0]), self.v.max() + 1)) for _ in range(3))
        parts = zip(found, (X, dX, ddX), (turns, omega.slope, alpha.slope), strict=True)
        for out, columns, turned in parts:
            out[:, :, self.v] = np.concatenate([(columns @ place)[..., 0].slope, turned], axis=-1)
        return found

    def _columns(self, own: np.ndarray) -> np.ndarray:
        """Return X (or Ẋ, Ẍ) of every body: (times, bodies, dimension, columns)."""
        X = own.reshape(*own.shape[:2], -1, self.size).swapaxes(-1, -2)
        if self.size == 3:
            return X
        first, second = X[..., 0], X[..., 1]
        d = np.where(self.ends_on_point[:, None], second - first, second)
        return np.stack([first, d, d @ TURN.T], axis=-1)

    def _in_parts(self, times: int) -> Iterator[slice]:
        length = max(1, MANY // len(self.owner))
        for begin in range(0, times, length):
            yield slice(begin, begin + length)


def swept(omega: Any, arm: Any) -> Any:
    """Return ω × arm; in the plane ω is about its normal."""
    return omega * (arm @ TURN.T) if arm.shape[-1] == 2 else np.cross(omega, arm)


def _turning(A: Any, rate: Any) -> Any:
    """Return ½ Σ a_j × ȧ_j over the axes."""
    if A.shape[-1] == 2:
        return 0.5 * (A[..., 0, :] * rate[..., 1, :] - A[..., 1, :] * rate[..., 0, :]).sum(axis=-1)[..., None]
    return 0.5 * np.cross(A, rate, axis=-2).sum(axis=-1)
