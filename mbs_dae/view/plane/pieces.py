"""What a picture of a mechanism in the plane is made of: artists that know their path. They lie over one another as
their zorder says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text

from ..stage import AS_SAID, Stage


@dataclass(frozen=True, eq=False)
class PlanePiece:
    """An artist, and its points at each pose: shape (poses, points, 2)."""

    artist: Any
    path: np.ndarray

    def show(self, pose: int) -> None:
        points = self.path[pose]
        if isinstance(self.artist, Polygon):
            self.artist.set_xy(points)
        elif isinstance(self.artist, Line2D):
            self.artist.set_data(points[:, 0], points[:, 1])
        else:
            self.artist.set_position(points[0])


def line(path: np.ndarray, order: str = AS_SAID, **how: Any) -> PlanePiece:
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    return PlanePiece(Line2D(path[0, :, 0], path[0, :, 1], **how), path[..., :2])


def dot(path: np.ndarray, order: str = AS_SAID, **how: Any) -> PlanePiece:
    return line(path[:, None, :], **{"marker": "o", "linestyle": "none", "zorder": 5, **how})


def area(path: np.ndarray, color: Any, faces: Sequence[Any] = (), order: str = AS_SAID, **how: Any) -> PlanePiece:
    path = path[:, list(faces[0]) if faces else slice(None), :2]
    how = {"facecolor": color, "linewidth": 0, "zorder": 2.5, **how}
    return PlanePiece(Polygon(path[0], closed=True, joinstyle="round", **how), path)


def lump(stage: Stage, body: str, at: np.ndarray, **how: Any) -> PlanePiece:
    """A large dot."""
    place = stage.shown.places(body, at[None])[:, 0]
    return dot(place, markersize=10 * stage.fine, markeredgewidth=0, **{"zorder": 4, **how})


def word(path: np.ndarray, text: str, **how: Any) -> PlanePiece:
    x, y, _ = path[0, 0]
    return PlanePiece(Text(x, y, text, clip_on=True, **how), path[..., :2])
