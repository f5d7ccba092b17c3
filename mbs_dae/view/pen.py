"""Draw marks of planar figures as artists of matplotlib, which overlap in the order of their zorder."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text

from .drawing.stage import Ink


def line(points: np.ndarray, **how: Any) -> Ink:
    artist = Line2D(*points.T, **{"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how})
    return artist, lambda points: artist.set_data(*points.T)


def dot(points: np.ndarray, **how: Any) -> Ink:
    return line(points, **{"marker": "o", "linestyle": "none", "zorder": 5, **how})


def area(points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), **how: Any) -> Ink:
    look = {"facecolor": color, "linewidth": 0, "zorder": 2.5, **how}
    artist = Polygon(points, closed=True, joinstyle="round", **look)
    return artist, artist.set_xy


def word(points: np.ndarray, text: str, **how: Any) -> Ink:
    x, y = points[0]
    artist = Text(x, y, text, clip_on=True, **how)
    return artist, lambda points: artist.set_position(points[0])
