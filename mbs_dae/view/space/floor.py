"""Draw the floor under a mechanism in space: a grid with squares of a round size, and the shadows on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..drawing.stage import Ink
from . import pen

SQUARES = 8  # least number of squares along the longest side of a mechanism
SHADOW = "#EDEDED"  # opaque, so that overlapping shadows are no darker
ON_FLOOR: dict[str, Any] = {"zorder": 0.8}


@dataclass(frozen=True, eq=False)
class Floor:
    """A floor at the height `level`, from one corner (x, y) to the other; the sides of its squares are `step`."""

    level: float
    step: float
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def under(cls, low: np.ndarray, high: np.ndarray, upright: bool) -> Floor:
        """Return the floor below a box with these two corners; above it if the picture is upside down."""
        step = round_step((high - low).max() / SQUARES)
        first, last = np.floor(low[:2] / step + 1e-9), np.ceil(high[:2] / step - 1e-9)
        return cls(float(low[2] if upright else high[2]), step, step * first, step * np.maximum(last, first + 1))

    @property
    def corners(self) -> np.ndarray:
        (x0, y0), (x1, y1) = self.low, self.high
        return np.array([(x, y, self.level) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))])

    @property
    def grid(self) -> np.ndarray:
        """All lines of the grid as one line with gaps (nan) between them, shape (points, 3)."""
        (x0, y0), (x1, y1) = self.low, self.high
        along, across = (np.arange(a, b + self.step / 2, self.step) for a, b in zip(self.low, self.high, strict=True))
        gap = (np.nan, np.nan)
        ends = [p for x in along for p in ((x, y0), (x, y1), gap)] + [
            p for y in across for p in ((x0, y), (x1, y), gap)
        ]
        return np.column_stack([ends, np.full(len(ends), self.level)])

    def _below(self, points: np.ndarray) -> np.ndarray:
        return np.column_stack([points[:, :2], np.where(np.isfinite(points[:, 2]), self.level, np.nan)])

    # --- the pen of shadows: they fall straight down ---

    def line(self, points: np.ndarray, linewidth: float = 1.0, **how: Any) -> Ink:
        return self._fallen(pen.line(points, color=SHADOW, linewidth=linewidth, **ON_FLOOR))

    def dot(self, points: np.ndarray, markersize: float = 1.0, **how: Any) -> Ink:
        return self._fallen(pen.dot(points, color=SHADOW, markersize=markersize, markeredgewidth=0, **ON_FLOOR))

    def area(self, points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), **how: Any) -> Ink:
        return self._fallen(pen.area(points, SHADOW, faces, edge=SHADOW, lit=False, **ON_FLOOR))

    def word(self, points: np.ndarray, text: str, **how: Any) -> Ink:
        raise NotImplementedError("words cast no shadow")

    def _fallen(self, ink: Ink) -> Ink:
        artist, put = ink
        return artist, lambda points: put(self._below(points))


def round_step(least: float) -> float:
    """Return the smallest length of the form 1, 2 or 5 times a power of ten that is at least `least`."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-6)))
