"""Motions in the plane: frames are (x, y, angle)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...results.result import Result
from ..motion import Marker, Motion, interpolated


@dataclass(frozen=True, eq=False)
class PlanarMotion(Motion):
    """Markers are (body, x, y, angle) in body axes."""

    dimension = 2

    def places(self, body: str, points: np.ndarray) -> np.ndarray:
        x, y, angle = self._frame(body)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        px, py = np.asarray(points, dtype=float).reshape(-1, 2).T
        return np.stack([x[:, None] + c * px - s * py, y[:, None] + s * px + c * py], axis=-1)

    def at_marker(self, marker: Marker, points: np.ndarray) -> np.ndarray:
        body, x, y, angle = marker
        c, s = np.cos(angle), np.sin(angle)
        return self.places(body, np.asarray(points, dtype=float).reshape(-1, 2) @ [[c, s], [-s, c]] + [x, y])

    def angle(self, marker: Marker) -> np.ndarray:
        """How the marker is turned: shape (poses,)."""
        return self._frame(marker[0])[2] + marker[3]

    @classmethod
    def read(cls, result: Result) -> dict[str, np.ndarray]:
        return _of_bodies(result, ("x", "y", "angle"))

    def read_between(self, result: Result, times: np.ndarray) -> dict[str, np.ndarray]:
        rates = _of_bodies(result, ("vx", "vy", "omega"))
        return {b: interpolated(self.values, frame, rates[b], times) for b, frame in self.frames.items()}

    def _frame(self, body: str) -> np.ndarray:
        return self.frames[body].T if body in self.frames else np.zeros((3, len(self)))


def _of_bodies(result: Result, levels: tuple[str, str, str]) -> dict[str, np.ndarray]:
    return {
        body.name: np.stack([result[f"{body.name}.{level}"] for level in levels], axis=-1)
        for body in result.sketch.bodies
    }
