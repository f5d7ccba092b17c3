"""From where a mechanism in space is seen. The projection is parallel: lengths on the paper are to scale, whatever
their depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Camera:
    """Unit vectors to the right and up on the paper, and out of it, towards the eye."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray

    @classmethod
    def of(cls, ax: object) -> Camera:
        """That of 3-D axes, where z is up; flat ones are seen from above."""
        elev, azim = np.radians([getattr(ax, "elev", 90.0), getattr(ax, "azim", -90.0)])
        toward = np.array([np.cos(elev) * np.cos(azim), np.cos(elev) * np.sin(azim), np.sin(elev)])
        right = np.array([-np.sin(azim), np.cos(azim), 0.0])
        return cls(right, np.cross(toward, right), toward)

    def on_paper(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) in the world, (..., 2) on the paper, in metres."""
        return points @ np.stack([self.right, self.up], axis=-1)

    def depth(self, points: np.ndarray) -> np.ndarray:
        """How far points stand out of the paper."""
        return points @ self.toward

    def in_space(self, places: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """The points at these places on the paper and at this depth."""
        return places @ np.stack([self.right, self.up]) + depth[..., None] * self.toward
