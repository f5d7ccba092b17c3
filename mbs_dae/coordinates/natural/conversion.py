"""Motions of bodies as motions of points and vectors, and back. Arrays over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...model.bodies.body import Body
from ...model.parameters import Evaluator
from ...rotations import from_quaternion, quaternion
from ..base import Motion
from ..layout import Layout
from .frame import TURN
from .skeleton import POINT, Skeleton


@dataclass(frozen=True, eq=False)
class Conversion:
    skeleton: Skeleton
    layout: Layout
    weights_of: Callable[[Body], np.ndarray]
    number: Evaluator

    def from_bodies(self, cartesian: Layout, motion: Motion) -> Motion:
        """x = r + A s,  ẋ = ṙ + ω × A s,  ẍ = r̈ + α × A s + ω × (ω × A s); of a vector without r."""
        times = len(motion[0])
        q, v, a = (np.zeros((times, size)) for size in (self.layout.q_size, self.layout.v_size, self.layout.v_size))
        for thing in self.skeleton.things:
            body, place = next((b, s) for b, s in thing.places.items() if b.fixed or not thing.fixed)
            own = _pose(cartesian, body, motion)
            s = np.array([self.number(n) for n in place])
            arm = own.attitude @ s
            here = self.layout.q[thing]
            q[:, here], v[:, here] = arm, _swept(own.omega, arm)
            a[:, here] = _swept(own.alpha, arm) + _swept(own.omega, _swept(own.omega, arm))
            if thing.kind == POINT:
                for array, part in zip((q, v, a), own.place, strict=True):
                    array[:, here] += part
        for body in self.skeleton.base:
            turns = self.layout.q[body][len(self.layout.v[body]) :]
            q[:, turns] = motion[0][:, cartesian.q[body][-len(turns) :]]
        return q, v, a

    def to_bodies(self, cartesian: Layout, motion: Motion) -> Motion:
        times = len(motion[0])
        out = tuple(np.zeros((times, size)) for size in (cartesian.q_size, cartesian.v_size, cartesian.v_size))
        for body, base in self.skeleton.base.items():
            C, size = self.weights_of(body), body.dimension
            X, dX, ddX = (self._columns(array, body, base[-1].kind == POINT) for array in motion)
            turns = motion[0][:, list(self.layout.q[body][len(self.layout.v[body]) :])]
            place, ways = C[:, 0], C[:, 1:]
            A, dA, ddA = X @ ways, dX @ ways, ddX @ ways
            omega, alpha = _turning(A, dA), _turning(A, ddA)
            if size == 2:
                angle = np.arctan2(A[:, 1, 0], A[:, 0, 0])[:, None]
                attitude = angle + 2 * np.pi * np.round((turns - angle) / (2 * np.pi))
            else:
                attitude = np.concatenate([_continued(quaternion(_nearest_rotation(A))), turns], axis=1)
                omega, alpha = (np.einsum("tkc,tk->tc", A, x) for x in (omega, alpha))
            for array, own, part, rest in zip(
                out, (cartesian.q, cartesian.v, cartesian.v), (X, dX, ddX), (attitude, omega, alpha), strict=True
            ):
                array[:, own[body]] = np.concatenate([part @ place, rest], axis=1)
        return out[0], out[1], out[2]

    def _columns(self, array: np.ndarray, body: Body, points: bool) -> np.ndarray:
        """X (or Ẋ, Ẍ): (times, dimension, columns)."""
        size = body.dimension
        own = list(self.layout.v[body])
        X = array[:, own].reshape(len(array), len(own) // size, size).transpose(0, 2, 1)
        if size == 3:
            return X
        d = X[:, :, 1] - X[:, :, 0] if points else X[:, :, 1]
        return np.stack([X[:, :, 0], d, d @ TURN.T], axis=2)


@dataclass(frozen=True)
class _Pose:
    """A body over time: place, velocity and acceleration of its frame, its attitude, and ω and α in world axes."""

    place: tuple[np.ndarray, np.ndarray, np.ndarray]
    attitude: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray


def _pose(layout: Layout, body: Body, motion: Motion) -> _Pose:
    q, v, a = motion
    own, rates = list(layout.q[body]), list(layout.v[body])
    size = body.dimension
    place = q[:, own[:size]], v[:, rates[:size]], a[:, rates[:size]]
    if size == 2:
        c, s = np.cos(q[:, own[2]]), np.sin(q[:, own[2]])
        A = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
        return _Pose(place, A, v[:, rates[2:]], a[:, rates[2:]])
    A = from_quaternion(q[:, own[3:7]])
    omega, alpha = (np.einsum("tck,tk->tc", A, x[:, rates[3:]]) for x in (v, a))
    return _Pose(place, A, omega, alpha)


def _swept(omega: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """ω × arm."""
    return omega * (arm @ TURN.T) if arm.shape[1] == 2 else np.cross(omega, arm)


def _turning(A: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """½ Σ a_j × ȧ_j over the axes."""
    if A.shape[1] == 2:
        return 0.5 * (A[:, 0] * rate[:, 1] - A[:, 1] * rate[:, 0]).sum(axis=1, keepdims=True)
    return 0.5 * np.cross(A, rate, axis=1).sum(axis=2)


def _nearest_rotation(A: np.ndarray) -> np.ndarray:
    """What is left of a rotation where the constraints are met within a tolerance only."""
    U, _, V = np.linalg.svd(A)
    return U @ V


def _continued(e: np.ndarray) -> np.ndarray:
    """e and -e are the same attitude: the one nearer to the last."""
    e = np.atleast_2d(e).copy()
    flips = np.sign((e[1:] * e[:-1]).sum(axis=1))
    e[1:] *= np.cumprod(np.where(flips == 0, 1.0, flips))[:, None]
    return e
