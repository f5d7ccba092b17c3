"""Draw what surrounds a mechanism in space: the floor under it, a grid with squares of a round size and with shadows;
and, in the corners of the picture, the directions of the axes and the size of the squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

from ...unit_system import told
from ..camera import Camera
from ..drawing.colours import COLOURS, GROUND
from ..drawing.stage import Ink
from . import pen

SQUARES = 8  # least number of squares along the longest side of a mechanism
SHADOW = "#EDEDED"  # opaque, so that overlapping shadows are no darker
ON_FLOOR: dict[str, Any] = {"zorder": 0.8}
ARROW = 0.22  # length of an axis seen from the side (inches)
TRIAD = 0.62  # side of the square in the left corner for the axes (inches)
NOTE = (1.6, 0.2)  # width and height of the words in the right corner (inches)
END_ON = 0.12  # part of its full length below which an axis seen end-on has no name


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

        def put_on_floor(points: np.ndarray) -> None:
            put(np.column_stack([points[:, :2], np.where(np.isfinite(points[:, 2]), self.level, np.nan)]))

        return artist, put_on_floor


def round_step(least: float) -> float:
    """Return the smallest length of the form 1, 2 or 5 times a power of ten that is at least `least`."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-6)))


class Corners:
    """The axes and the note, made once and then moved by `stand` to the edges of the picture."""

    def __init__(self, ax: Any, step: float):
        self.ax = ax
        camera, middle = Camera.of(ax), np.full(2, TRIAD / 2)
        self.triad: list[Any] = []
        for name, axis, colour in zip("xyz", np.eye(3), (COLOURS[1], COLOURS[2], COLOURS[0]), strict=True):
            arrow = ARROW * camera.on_paper(axis)
            if np.hypot(*arrow) > END_ON * ARROW:
                self.triad.append(Line2D(*np.transpose([middle, middle + arrow]), color=colour, linewidth=1.4))
                x, y = middle + arrow + 0.09 * arrow / np.hypot(*arrow)
                self.triad.append(Text(x, y, name, color=colour, fontsize=8, ha="center", va="center", style="italic"))
        note = f"one square: {told(step, 'm')}"
        self.note = Text(0.0, 0.0, note, color=GROUND, fontsize=8, ha="right", va="bottom")
        for artist in (*self.triad, self.note):
            artist.set_in_layout(False)
            ax.add_artist(artist)
            artist.set_clip_on(False)
        self.stand(np.zeros(2), np.array([1.0, 0.0]))

    def stand(self, left: np.ndarray, right: np.ndarray) -> None:
        """Move to these corners, given in coordinates of the axes."""
        inches = self.ax.figure.dpi_scale_trans
        for artist in self.triad:
            artist.set_transform(inches + ScaledTranslation(left[0], left[1], self.ax.transAxes))
        self.note.set_transform(inches + ScaledTranslation(right[0], right[1], self.ax.transAxes))

    @staticmethod
    def boxes(room: Bbox, dpi: float) -> list[Bbox]:
        """Return the boxes that axes and note cover in the lower corners of a room [pixels]."""
        wide, high = np.multiply(NOTE, dpi)
        side = TRIAD * dpi
        return [Bbox.from_bounds(room.x0, room.y0, side, side), Bbox.from_bounds(room.x1 - wide, room.y0, wide, high)]
