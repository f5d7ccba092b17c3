"""What a picture of a mechanism is made of: pieces that know their path, and the bodies.

A piece is a matplotlib artist and where its points are at every pose. So artists are made once, and showing another
pose only moves them; how far the drawing reaches is read off the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from ..results.sketch import BodySketch, ElementSketch, Sketch
from .motion import Motion
from .style import COLOURS, GROUND

NEAR = 1e-9
"""Points nearer to each other than this part of the body's size are one."""


@dataclass(frozen=True, eq=False)
class Piece:
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


def line(path: np.ndarray, **how: Any) -> Piece:
    """A polyline with round ends."""
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    return Piece(Line2D(path[0, :, 0], path[0, :, 1], **how), path)


def dot(path: np.ndarray, **how: Any) -> Piece:
    """A symbol of constant size on the paper at a point; shape (poses, 2)."""
    return line(path[:, None, :], **{"marker": "o", "linestyle": "none", "zorder": 5, **how})


def area(path: np.ndarray, **how: Any) -> Piece:
    return Piece(Polygon(path[0], closed=True, joinstyle="round", **{"zorder": 2.5, **how}), path)


@dataclass(frozen=True, eq=False)
class Stage:
    """What everything that is drawn has in common."""

    sketch: Sketch
    shown: Motion
    """The poses to show."""
    whole: Motion
    """The poses that rails and limits must reach."""
    symbol: float = 0.0
    """Half the size of a joint's symbol, in metres."""

    @classmethod
    def all_of(cls, sketch: Sketch, shown: Motion, whole: Motion, symbol: float = 0.0) -> list[Stage]:
        """One stage for all poses; where dimensions change from pose to pose, one for each."""
        if not sketch.variants:
            return [cls(sketch, shown, whole, symbol)]
        return [cls(sketch.variants[n], shown.at([k]), whole, symbol) for k, n in enumerate(shown.numbers)]

    @cached_property
    def colours(self) -> dict[str, str]:
        return {body.name: COLOURS[k % len(COLOURS)] for k, body in enumerate(self.sketch.bodies)}

    def colour(self, body: str) -> str:
        return self.colours.get(body, GROUND)

    def is_ground(self, body: str) -> bool:
        return body not in self.colours

    @cached_property
    def fine(self) -> float:
        """Factor of line widths and symbols: 1 for a handful of bodies, less in a crowd."""
        return max(0.35, min(1.0, (12 / max(1, len(self.sketch.bodies))) ** 0.5))

    @cached_property
    def drawn_by_joints(self) -> set[str]:
        """Bodies that a joint's symbol shows: the box of a slider, a wheel, a cam."""
        slid = {body for e in self.sketch.elements if e.kind == "slider" for body, *_ in slider_markers(self, e)}
        round_ = {body for e in self.sketch.elements if e.kind in ("mesh", "contact") for body, *_ in e.markers[:2]}
        return slid | round_


def slider_markers(stage: Stage, element: ElementSketch) -> tuple:
    """(rail, box): as written, but the rail stands on the ground where one of them does. The two markers have one
    axis in common, so that this is the same joint."""
    rail, box = element.markers[:2]
    return (box, rail) if stage.is_ground(box[0]) else (rail, box)


def body_pieces(stage: Stage, body: BodySketch, **how: Any) -> Iterator[Piece]:
    """A bar through two points, a plate through more; a single point needs its joint, or its centre of mass."""
    how = {"color": stage.colour(body.name), **how}
    path = skeleton(stage, body)
    if path.shape[1] >= 3:
        alpha = how.pop("alpha", 1.0)
        yield area(path, alpha=0.3 * alpha, linewidth=0, **how)
        yield line(np.concatenate([path, path[:, :1]], axis=1), linewidth=2.5 * stage.fine, alpha=alpha, **how)
    elif path.shape[1] == 2 and not hangs(body):
        yield line(path, linewidth=6 * stage.fine, **how)
    elif path.shape[1] == 2:
        yield line(path, linewidth=4 * stage.fine, **how)
        yield dot(path[:, 1], markersize=10 * stage.fine, markeredgewidth=0, **{**how, "zorder": 4})
    elif body.name not in stage.drawn_by_joints:
        yield dot(path[:, 0], markersize=10 * stage.fine, markeredgewidth=0, **{**how, "zorder": 4})


def skeleton(stage: Stage, body: BodySketch) -> np.ndarray:
    """The corners of a body at each pose. One that hangs on a point (or flies on none) is seen by its centre of
    mass, unless its joint shows it."""
    corners = outline(body.points)
    if len(corners) == 0:
        corners = np.array([body.com])
    elif hangs(body) and body.name not in stage.drawn_by_joints:
        corners = outline((*body.points, body.com))
    return stage.shown.places(body.name, corners)


def skeletons(stages: list[Stage]) -> dict[str, np.ndarray]:
    """Of every body, over the poses of all stages."""
    each = [[skeleton(stage, body) for body in stage.sketch.bodies] for stage in stages]
    bodies = stages[0].sketch.bodies
    return {body.name: one_after_the_other(list(paths)) for body, *paths in zip(bodies, *each, strict=True)}


def one_after_the_other(paths: list[np.ndarray]) -> np.ndarray:
    """Paths of the same thing in later poses; where it has fewer corners, the last one stands for the others."""
    most = max(path.shape[1] for path in paths)
    corners = [np.minimum(np.arange(most), path.shape[1] - 1) for path in paths]
    return np.concatenate([path[:, kept] for path, kept in zip(paths, corners, strict=True)])


def hangs(body: BodySketch) -> bool:
    return len(outline(body.points)) == 1


def outline(points: tuple) -> np.ndarray:
    """The convex hull: its corners in order; the two ends where all points lie on a line; or the one point."""
    distinct = _distinct(np.asarray(points, dtype=float).reshape(-1, 2))
    if len(distinct) < 3:
        return distinct
    centred = distinct - distinct.mean(axis=0)
    _, widths, directions = np.linalg.svd(centred, full_matrices=False)
    if widths[1] < 1e-6 * widths[0]:
        along = centred @ directions[0]
        return distinct[[along.argmin(), along.argmax()]]
    from scipy.spatial import ConvexHull

    return distinct[ConvexHull(distinct).vertices]


def _distinct(points: np.ndarray) -> np.ndarray:
    least = NEAR * np.abs(points).max(initial=0.0)
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.hypot(*(point - other)) > least for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 2)


def reach(pieces: list[Piece]) -> tuple[np.ndarray, np.ndarray]:
    """The lower left and the upper right corner of all paths."""
    if not pieces:
        return np.zeros(2), np.zeros(2)
    points = np.concatenate([piece.path.reshape(-1, 2) for piece in pieces])
    points = points[np.isfinite(points).all(axis=1)]
    return points.min(axis=0), points.max(axis=0)
