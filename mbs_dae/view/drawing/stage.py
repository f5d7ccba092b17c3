"""What everything that is drawn has in common, in the plane and in space: who is who, where it is, what draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...results.sketch import ElementSketch, Sketch
from .colours import COLOURS, GROUND
from .motion import Marker, Motion
from .tracks import Track

BY_DEPTH = "by depth"  # nearer things cover those behind them
OVER_BODIES = "over bodies"  # the same; but a joint is never hidden by the bodies that it joins
AS_SAID = "as said"  # in the order of its zorder: paper-like things, and what lies behind all others


@dataclass(frozen=True, eq=False)
class Piece:
    """A mark, and its points at each pose. Marks are made once; showing another pose only moves them, and how far the
    drawing reaches is read off the same paths."""

    artist: Any
    """The mark itself: an artist of matplotlib's, or what a page is told."""
    put: Callable[[np.ndarray], Any]  # moves it to the points of a pose
    track: Track
    path: np.ndarray  # of the track: shape (poses, points, dimension)
    order: str = AS_SAID

    def show(self, pose: int) -> None:
        self.put(self.path[pose])


Pieces = Iterator[Piece]
Symbol = Callable[..., Pieces]  # from a stage and an element to pieces
Ink = tuple[Any, Callable[[np.ndarray], Any]]  # an artist, and what moves it


class Pen(Protocol):
    """Makes marks at the points of the first pose, shape (points, dimension). Lengths in looks are points of paper
    (1/72 inch); in the plane all lies as its zorder says."""

    def line(self, points: np.ndarray, **how: Any) -> Ink:
        """A polyline with round ends, lifted off at points that are not finite."""
        ...

    def dot(self, points: np.ndarray, **how: Any) -> Ink:
        """A symbol of constant size on the paper at a point."""
        ...

    def area(self, points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), **how: Any) -> Ink:
        """Faces between the points of these numbers, of one colour or each of its own."""
        ...

    def word(self, points: np.ndarray, text: str, **how: Any) -> Ink:
        """A text at the first point."""
        ...


class Signs(Protocol):
    """How things look in the plane (`planar`), or in space (`spatial`)."""

    lump: Callable[..., Piece]  # stage, body, at: a body that is seen at one of its points only
    box: Callable[..., Piece]  # stage, marker: what slides on a rail
    support: Symbol  # stage, marker: the ground under a joint
    BALL: tuple[str, float]  # the colour and the size of a point that bodies turn about
    SYMBOLS: dict[str, Symbol]  # of joints, by kind; `symbols` has those that look alike in the plane and in space
    FORCES: dict[str, Symbol]
    LATER: dict[str, Symbol]  # what of a joint is seen at later poses in a still picture: that which stands for a body


@dataclass(frozen=True, eq=False)
class Stage:
    """A sketch, where it is, and what it is drawn with."""

    sketch: Sketch
    pen: Pen
    signs: Signs
    shown: Motion  # the poses to show
    whole: Motion  # the poses that rails and limits must reach
    symbol: float = 0.0  # half the size of a joint's symbol, in metres

    # --- pieces ---

    def line(self, track: Track, order: str = BY_DEPTH, **how: Any) -> Piece:
        return self._piece(self.pen.line, track, order, **how)

    def dot(self, track: Track, order: str = OVER_BODIES, **how: Any) -> Piece:
        return self._piece(self.pen.dot, track, order, **how)

    def area(
        self, track: Track, color: Any, faces: Sequence[Sequence[int]] = (), order: str = BY_DEPTH, **how: Any
    ) -> Piece:
        """In the plane the first face is what is seen."""
        if self.sketch.dimension == 2 and faces:
            track, faces = track.taking(faces[0]), ()
        return self._piece(self.pen.area, track, order, color=color, faces=faces, **how)

    def word(self, track: Track, text: str, **how: Any) -> Piece:
        return self._piece(self.pen.word, track, AS_SAID, text=text, **how)

    def _piece(self, make: Callable[..., Ink], track: Track, order: str, **how: Any) -> Piece:
        path = track.over(self.shown)[..., : self.sketch.dimension]
        return Piece(*make(path[0], **how), track, path, order)

    # --- who is who ---

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
            if element.kind not in ("", "spring", "damper", "arrow", "stop"):
                for body in {body for body, *_ in element.markers if body in kinds}:
                    kinds[body].append(element.kind)
        return kinds

    @cached_property
    def slotted(self) -> set[str]:
        """Bodies with a long hole, through which what moves in it is seen."""
        return {e.markers[0][0] for e in self.sketch.elements if e.kind == "slot"}

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
