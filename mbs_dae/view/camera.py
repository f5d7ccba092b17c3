"""From where a figure is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Camera:
    """From where it is seen: unit vectors to the right and up on the paper, and out of it, towards the eye. The
    projection is parallel: lengths on the paper are to scale, whatever their depth."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray

    @classmethod
    def of(cls, ax: object) -> Camera:
        """That of 3-D axes, where z is up but for the roll; flat ones are seen from above."""
        elev, azim, roll = np.radians([getattr(ax, "elev", 90.0), getattr(ax, "azim", -90.0), getattr(ax, "roll", 0.0)])
        toward = np.array([np.cos(elev) * np.cos(azim), np.cos(elev) * np.sin(azim), np.sin(elev)])
        right = np.array([-np.sin(azim), np.cos(azim), 0.0])
        up = np.cross(toward, right)
        return cls(np.cos(roll) * right - np.sin(roll) * up, np.cos(roll) * up + np.sin(roll) * right, toward)

    def on_paper(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) in the world, (..., 2) on the paper, in metres."""
        return points @ np.stack([self.right, self.up], axis=-1)

    def depth(self, points: np.ndarray) -> np.ndarray:
        """How far points stand out of the paper."""
        return points @ self.toward

    def in_space(self, places: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """The points at these places on the paper and at this depth."""
        return places @ np.stack([self.right, self.up]) + depth[..., None] * self.toward
