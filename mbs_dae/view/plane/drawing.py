"""What a picture of a mechanism in the plane is made of: pieces that know their path, and the bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from ...results.sketch import BodySketch
from ..stage import Stage, corners_of, distinct, hangs


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


def line(path: np.ndarray, **how: Any) -> PlanePiece:
    """A polyline with round ends."""
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    return PlanePiece(Line2D(path[0, :, 0], path[0, :, 1], **how), path)


def dot(path: np.ndarray, **how: Any) -> PlanePiece:
    """A symbol of constant size on the paper at a point; shape (poses, 2)."""
    return line(path[:, None, :], **{"marker": "o", "linestyle": "none", "zorder": 5, **how})


def area(path: np.ndarray, **how: Any) -> PlanePiece:
    return PlanePiece(Polygon(path[0], closed=True, joinstyle="round", **{"zorder": 2.5, **how}), path)


def body_pieces(stage: Stage, body: BodySketch, **how: Any) -> Iterator[PlanePiece]:
    """A bar through two points, a plate through more; a single point needs its joint, or its centre of mass."""
    how = {"color": stage.colour(body.name), **how}
    path = skeleton(stage, body)
    if path.shape[1] >= 3:
        alpha = how.pop("alpha", 1.0)
        yield area(path, alpha=0.3 * alpha, linewidth=0, **how)
        yield line(np.concatenate([path, path[:, :1]], axis=1), linewidth=2.5 * stage.fine, alpha=alpha, **how)
    elif path.shape[1] == 2 and not hangs(stage, body):
        yield line(path, linewidth=6 * stage.fine, **how)
    elif path.shape[1] == 2:
        yield line(path, linewidth=4 * stage.fine, **how)
        yield dot(path[:, 1], markersize=10 * stage.fine, markeredgewidth=0, **{**how, "zorder": 4})
    elif body.name not in stage.drawn_by_joints:
        yield dot(path[:, 0], markersize=10 * stage.fine, markeredgewidth=0, **{**how, "zorder": 4})


def skeleton(stage: Stage, body: BodySketch) -> np.ndarray:
    """The corners of a body at each pose."""
    return stage.shown.places(body.name, outline(tuple(corners_of(stage, body))))


def outline(points: tuple) -> np.ndarray:
    """The convex hull: its corners in order; the two ends where all points lie on a line; or the one point."""
    apart = distinct(points, 2)
    if len(apart) < 3:
        return apart
    centred = apart - apart.mean(axis=0)
    _, widths, directions = np.linalg.svd(centred, full_matrices=False)
    if widths[1] < 1e-6 * widths[0]:
        along = centred @ directions[0]
        return apart[[along.argmin(), along.argmax()]]
    from scipy.spatial import ConvexHull

    return apart[ConvexHull(apart).vertices]
