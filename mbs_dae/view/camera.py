"""Describe the direction from which a figure is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..results.result import Result

VIEW = (24.0, -58.0)  # elevation and azimuth in degrees: x to the right, y to the back, z up


@dataclass(frozen=True, eq=False)
class Camera:
    """The direction of view: unit vectors to the right and up on the paper, and out of it, towards the eye. The
    projection is parallel: lengths on the paper are to scale, whatever their depth."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray

    @classmethod
    def of(cls, ax: object) -> Camera:
        """Return the camera of 3-D axes, with z up except for the roll; flat axes are seen from above."""
        elev, azim, roll = np.radians([getattr(ax, "elev", 90.0), getattr(ax, "azim", -90.0), getattr(ax, "roll", 0.0)])
        toward = np.array([np.cos(elev) * np.cos(azim), np.cos(elev) * np.sin(azim), np.sin(elev)])
        right = np.array([-np.sin(azim), np.cos(azim), 0.0])
        up = np.cross(toward, right)
        return cls(np.cos(roll) * right - np.sin(roll) * up, np.cos(roll) * up + np.sin(roll) * right, toward)

    def on_paper(self, points: np.ndarray) -> np.ndarray:
        """Project points, shape (..., 3) in the world, to the paper, shape (..., 2), in metres."""
        return points @ np.stack([self.right, self.up], axis=-1)

    def depth(self, points: np.ndarray) -> np.ndarray:
        """Return how far points stand out of the paper, towards the eye [m]."""
        return points @ self.toward

    def in_space(self, places: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Return the points at these places on the paper and at this depth, shape (..., 3)."""
        return places @ np.stack([self.right, self.up]) + depth[..., None] * self.toward


def view_of(result: Result, view: Any) -> tuple[float, ...]:
    """Return elevation, azimuth and, if given, roll in degrees; an empty tuple if `view` is None."""
    if view is None:
        return ()
    if result.sketch.dimension == 2:
        raise ModelError(
            f"view={view!r} is for mechanisms in space, and {result.title!r} is in the plane; omit it",
            code="not-spatial", argument="view", value=view, result=result.title,
        )  # fmt: skip
    return checked_view(view)


def checked_view(view: Any) -> tuple[float, ...]:
    try:
        elev, azim, *roll = (float(angle) for angle in view)
    except (TypeError, ValueError):
        elev, azim, roll = np.nan, np.nan, []
    if not (np.isfinite([elev, azim, *roll]).all() and -90 <= elev <= 90 and len(roll) <= 1):
        what = f"view must be (elevation, azimuth) in degrees, elevation from -90 to 90, not {view!r}"
        raise ModelError(
            f"{what}; write e.g. view=({VIEW[0]:g}, {VIEW[1]:g}); a third angle rolls the picture",
            code="not-a-view", argument="view", value=view,
        )  # fmt: skip
    return elev, azim, *roll
