"""What a picture of a mechanism in the plane is made of: artists that know their path. They lie over one another as
their zorder says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text

from ..motion import Marker, in_space
from ..stage import AS_SAID, Piece, Stage
from ..style import DARK, GROUND


def line(path: np.ndarray, order: str = AS_SAID, **how: Any) -> Piece:
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    artist = Line2D(path[0, :, 0], path[0, :, 1], **how)
    return Piece(artist, path[..., :2], lambda points: artist.set_data(points[:, 0], points[:, 1]))


def dot(path: np.ndarray, order: str = AS_SAID, **how: Any) -> Piece:
    return line(path[:, None, :], **{"marker": "o", "linestyle": "none", "zorder": 5, **how})


def area(path: np.ndarray, color: Any, faces: Sequence[Any] = (), order: str = AS_SAID, **how: Any) -> Piece:
    path = path[:, list(faces[0]) if faces else slice(None), :2]
    how = {"facecolor": color, "linewidth": 0, "zorder": 2.5, **how}
    artist = Polygon(path[0], closed=True, joinstyle="round", **how)
    return Piece(artist, path, artist.set_xy)


def word(path: np.ndarray, text: str, **how: Any) -> Piece:
    x, y, _ = path[0, 0]
    artist = Text(x, y, text, clip_on=True, **how)
    return Piece(artist, path[..., :2], lambda points: artist.set_position(points[0]))


def lump(stage: Stage, body: str, at: np.ndarray, **how: Any) -> Piece:
    """A large dot."""
    place = stage.shown.places(body, at[None])[:, 0]
    return dot(place, markersize=10 * stage.fine, markeredgewidth=0, **{"zorder": 4, **how})


def ball(stage: Stage, marker: Marker) -> Piece:
    """A small circle."""
    edge = 1.2 * stage.fine
    look: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": DARK, "markeredgewidth": edge}
    return dot(stage.shown.place(marker), markersize=6 * stage.fine, **look)


def box(stage: Stage, marker: Marker, **how: Any) -> Piece:
    path = stage.shown.at_marker(marker, stage.symbol * np.array([[-1.5, -1], [1.5, -1], [1.5, 1], [-1.5, 1]]))
    return area(path, stage.colour(marker[0]), **{"edgecolor": "white", "linewidth": 1, "zorder": 4, **how})


def support(stage: Stage, marker: Marker) -> Iterator[Piece]:
    """A triangle on a hatched line."""
    corners = in_space([[0.0, 0.0], [-0.9, -1.5], [0.9, -1.5]])
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * corners
    yield area(path, "white", edgecolor=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)
    yield hatched(stage, marker, depth=1.5)


def hatched(stage: Stage, marker: Marker, depth: float, right: Any = (1, 0, 0), up: Any = (0, 1, 0)) -> Piece:
    """A line with strokes below it, so far below the marker."""
    gap = (np.nan, np.nan)
    strokes = [p for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for p in ((x, -depth), (x - 0.4, -depth - 0.5), gap)]
    points = np.array([(-1.4, -depth), (1.4, -depth), gap, *strokes])
    offsets = points[:, :1] * np.asarray(right) + points[:, 1:] * np.asarray(up)
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * offsets
    return line(path, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)
