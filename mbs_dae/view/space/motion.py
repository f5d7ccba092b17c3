"""Motions in space: frames are (x, y, z, e0, e1, e2, e3), a place and a unit quaternion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...results.result import Result
from ...rotations import from_quaternion, quaternion_rates
from ..motion import Marker, Motion, interpolated

AT_REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class SpatialMotion(Motion):
    """Markers are (body, x, y, z, and the nine numbers of the frame, row by row) in body axes."""

    dimension = 3

    def places(self, body: str, points: np.ndarray) -> np.ndarray:
        points = np.asarray(points, dtype=float).reshape(-1, 3)
        if body not in self.frames:
            return np.tile(points, (len(self), 1, 1))
        frame = self.frames[body]
        return frame[:, None, :3] + np.einsum("kij,pj->kpi", from_quaternion(frame[:, 3:]), points)

    def at_marker(self, marker: Marker, points: np.ndarray) -> np.ndarray:
        body, *numbers = marker
        axes = np.reshape(numbers[3:], (3, 3))
        return self.places(body, np.asarray(points, dtype=float).reshape(-1, 3) @ axes.T + numbers[:3])

    @classmethod
    def read(cls, result: Result) -> dict[str, np.ndarray]:
        return {body.name: _continuous(_own(result, body.name)[0]) for body in result.sketch.bodies}

    def read_between(self, result: Result, times: np.ndarray) -> dict[str, np.ndarray]:
        """Cubics for places; for quaternions as well, which then are made one long again. The turning of a body between
        two poses is beyond half a turn only where a result is too coarse to show it."""
        frames = {}
        for body, frame in self.frames.items():
            _, v = _own(result, body)
            attitude = frame[:, 3:] / np.linalg.norm(frame[:, 3:], axis=1, keepdims=True)
            rates = np.concatenate([v[:, :3], quaternion_rates(attitude, v[:, 3:])], axis=1)
            between = interpolated(self.values, np.concatenate([frame[:, :3], attitude], axis=1), rates, times)
            between[:, 3:] /= np.linalg.norm(between[:, 3:], axis=1, keepdims=True)
            frames[body] = between
        return frames


def _own(result: Result, body: str) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates and the velocities of a body over time: seven, and (ṙ, ω in body axes)."""
    k = result.coordinate_names.index(f"{body}.x") // 7
    return np.asarray(result.q[:, 7 * k : 7 * k + 7]), np.asarray(result.v[:, 6 * k : 6 * k + 6])


def _continuous(frame: np.ndarray) -> np.ndarray:
    """e and -e are one attitude; of the two, that which is nearer to the one before it."""
    steps = np.einsum("ki,ki->k", frame[1:, 3:], frame[:-1, 3:])
    signs = np.cumprod(np.concatenate([[1.0], np.where(steps < 0.0, -1.0, 1.0)]))
    return np.concatenate([frame[:, :3], frame[:, 3:] * signs[:, None]], axis=1)
