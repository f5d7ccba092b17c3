"""What everything that is drawn has in common, in the plane and in space: who is who, where it is, how it is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..results.sketch import ElementSketch, Sketch
from .motion import Marker, Motion
from .style import COLOURS, GROUND

BY_DEPTH = "by depth"  # nearer things cover those behind them
OVER_BODIES = "over bodies"  # the same; but a joint is never hidden by the bodies that it joins
AS_SAID = "as said"  # in the order of its artist's zorder: paper-like things, and what lies behind all others


@dataclass(frozen=True, eq=False)
class Piece:
    """An artist, and its points at each pose. Artists are made once; showing another pose only moves them, and how far
    the drawing reaches is read off the same paths."""

    artist: Any
    path: np.ndarray  # shape (poses, points, dimension)
    put: Callable[[np.ndarray], Any]  # moves the artist to the points of a pose
    order: str = AS_SAID

    def show(self, pose: int) -> None:
        self.put(self.path[pose])


Pieces = Iterator[Piece]
Symbol = Callable[..., Pieces]  # from a stage and an element to pieces
Stroke = Callable[..., Piece]


class Pen(Protocol):
    """Makes pieces of paths in space, shape (poses, points, 3): `plane`, for which all lies as its zorder says,
    and `space.symbols`, for which `order` says who covers whom."""

    line: Stroke  # path, order: a polyline with round ends
    dot: Stroke  # path (poses, 3), order: a symbol of constant size on the paper at a point
    area: Stroke  # path, color, faces, order: faces between the points of these numbers; without, one through all
    lump: Stroke  # stage, body, at: a body that is seen at one of its points only
    box: Stroke  # stage, marker: what slides on a rail
    support: Symbol  # stage, marker: the ground under a joint
    word: Stroke  # path, text: a text at the first point of its path
    BALL: tuple[str, float]  # the colour and the size of a point that bodies turn about
    SYMBOLS: dict[str, Symbol]  # of joints, by kind; `view.symbols` has those that look alike in the plane and in space
    FORCES: dict[str, Symbol]
    LATER: dict[str, Symbol]  # what of a joint is seen at later poses in a still picture: that which stands for a body


@dataclass(frozen=True, eq=False)
class Stage:
    """A sketch, where it is, and what it is drawn with."""

    sketch: Sketch
    pen: Pen
    shown: Motion  # the poses to show
    whole: Motion  # the poses that rails and limits must reach
    symbol: float = 0.0  # half the size of a joint's symbol, in metres

    @classmethod
    def all_of(cls, sketch: Sketch, pen: Pen, shown: Motion, whole: Motion, symbol: float = 0.0) -> list[Stage]:
        """One stage for all poses; where dimensions change from pose to pose, one for each."""
        if not sketch.variants:
            return [cls(sketch, pen, shown, whole, symbol)]
        return [cls(sketch.variants[n], pen, shown.at([k]), whole, symbol) for k, n in enumerate(shown.numbers)]

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
    def held(self) -> dict[str, list[str]]:
        """The kinds of the joints that hold each body."""
        kinds: dict[str, list[str]] = {name: [] for name in self.colours}
        for element in self.sketch.elements:
            if element.kind not in ("", "spring", "damper", "arrow"):
                for body in {body for body, *_ in element.markers if body in kinds}:
                    kinds[body].append(element.kind)
        return kinds

    @cached_property
    def drawn_by_joints(self) -> set[str]:
        """Bodies that a symbol shows: the box of a slider, a sleeve, a wheel, a cam, a shape that touches others."""
        sliding = [e for e in self.sketch.elements if e.kind in ("slider", "sleeve")]
        slid = {body for e in sliding for body, *_ in slider_markers(self, e)}
        round_ = {m[0] for e in self.sketch.elements if e.kind in ("mesh", "contact") for m in _shown(e)}
        rolling = {e.markers[1][0] for e in self.sketch.elements if e.kind == "disk" and e.markers[1:]}
        return slid | round_ | rolling


def _shown(element: ElementSketch) -> list[Marker]:
    """Those of wheels and cams, and of shapes that are more than a point or a line."""
    if not element.shapes:
        return [*element.markers[:2]]
    pairs = zip(element.markers, element.shapes, strict=True)
    return [m for m, shape in pairs if shape.radius or len(shape.corners) > 1]


def slider_markers(stage: Stage, element: ElementSketch) -> tuple[Marker, Marker]:
    """(rail, box): as written, but the rail stands on the ground where one of them does. The two markers have one
    axis in common, so that this is the same joint."""
    rail, box = element.markers[:2]
    return (box, rail) if stage.is_ground(box[0]) else (rail, box)


def one_after_the_other(paths: list[np.ndarray]) -> np.ndarray:
    """Paths of the same thing in later poses; where it has fewer corners, the last one stands for the others."""
    most = max(path.shape[1] for path in paths)
    corners = [np.minimum(np.arange(most), path.shape[1] - 1) for path in paths]
    return np.concatenate([path[:, kept] for path, kept in zip(paths, corners, strict=True)])


def all_pieces(groups: dict[str, list[Any]]) -> Iterator[Any]:
    for group in groups.values():
        yield from group


def reach(pieces: Sequence[Any], dimension: int, also: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest corner of all paths, and of more points."""
    more = np.reshape(also, (-1, dimension))
    points = np.concatenate([more, *(piece.path.reshape(-1, dimension) for piece in pieces)])
    points = points[np.isfinite(points).all(axis=1)] if len(points) else np.zeros((1, dimension))
    return points.min(axis=0), points.max(axis=0)


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
