"""Draw in the corners of a picture in space: the directions of the axes, and the size of the floor's squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

from ...unit_system import told
from ..camera import Camera
from ..drawing.colours import COLOURS, GROUND

ARROW = 0.22  # length of an axis seen from the side (inches)
TRIAD = 0.62  # side of the square in the left corner for the axes (inches)
NOTE = (1.6, 0.2)  # width and height of the words in the right corner (inches)
END_ON = 0.12  # part of its full length below which an axis seen end-on has no name


class Corners:
    """The axes and the note, made once and then moved by `stand` to the edges of the picture."""

    def __init__(self, ax: Any, step: float):
        self.ax = ax
        camera, middle = Camera.of(ax), np.full(2, TRIAD / 2)
        self.triad: list[Any] = []
        for name, axis, colour in zip("xyz", np.eye(3), (COLOURS[1], COLOURS[2], COLOURS[0]), strict=True):
            way = ARROW * camera.on_paper(axis)
            if np.hypot(*way) > END_ON * ARROW:
                self.triad.append(Line2D(*np.transpose([middle, middle + way]), color=colour, linewidth=1.4))
                x, y = middle + way + 0.09 * way / np.hypot(*way)
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
