"""Hold what all pieces of a drawing share in the plane and in space: the sketch, its motion, and the pen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...results.sketch import ElementSketch, Sketch
from .colours import COLOURS, GROUND
from .motion import DrawnMotion, Marker
from .tracks import Track

BY_DEPTH = "by depth"  # nearer things cover farther ones
OVER_BODIES = "over bodies"  # by depth; but bodies never hide the joint that connects them
AS_SAID = "as said"  # in the order of zorder: paper-like things, and the background


@dataclass(frozen=True, eq=False)
class DrawnPiece:
    """A mark, and its points at each pose. A mark is made once; showing another pose only moves its points. The extent
    of the drawing is computed from the same paths."""

    artist: Any
    """The mark itself: an artist of matplotlib, or the description of a mark for a page."""
    put: Callable[[np.ndarray], Any]  # moves the mark to the points of a pose
    track: Track
    path: np.ndarray  # path of the track, shape (poses, points, dimension)
    order: str = AS_SAID

    def show(self, pose: int) -> None:
        self.put(self.path[pose])


Pieces = Iterator[DrawnPiece]
Symbol = Callable[..., Pieces]  # a function from a stage and an element to pieces
Ink = tuple[Any, Callable[[np.ndarray], Any]]  # an artist, and the function that moves it


class Pen(Protocol):
    """Makes marks at the points of the first pose, shape (points, dimension). Lengths in looks are points of paper
    (1/72 inch); in the plane, marks overlap in the order of their zorder."""

    def line(self, points: np.ndarray, **how: Any) -> Ink:
        """Make a polyline with round ends, with gaps at points that are not finite."""
        ...

    def dot(self, points: np.ndarray, **how: Any) -> Ink:
        """Make a symbol of constant size on the paper at a point."""
        ...

    def area(self, points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), **how: Any) -> Ink:
        """Make faces between the points of these indices, of one colour or each of its own."""
        ...

    def word(self, points: np.ndarray, text: str, **how: Any) -> Ink:
        """Make a text at the first point."""
        ...


class Signs(Protocol):
    """The looks of things in the plane (`planar`) or in space (`spatial`)."""

    lump: Callable[..., DrawnPiece]  # stage, body, at: a body that is drawn at a single point
    box: Callable[..., DrawnPiece]  # stage, marker: the box that slides on a rail
    support: Symbol  # stage, marker: the ground under a joint
    BALL: tuple[str, float]  # the colour and the size of a point about which bodies turn
    SYMBOLS: dict[str, Symbol]  # of joints, by kind; `symbols` has those that are alike in the plane and in space
    FORCES: dict[str, Symbol]
    LATER: dict[str, Symbol]  # symbols of joints at later poses in a still picture: those that represent a body


@dataclass(frozen=True, eq=False)
class DrawingStage:
    """A sketch, its motion, and the pen and signs that draw it."""

    sketch: Sketch
    pen: Pen
    signs: Signs
    shown: DrawnMotion  # the poses to show
    whole: DrawnMotion  # the poses that rails and limits must cover
    symbol: float = 0.0  # half the size of a joint's symbol, in metres

    # --- pieces ---

    def line(self, track: Track, order: str = BY_DEPTH, **how: Any) -> DrawnPiece:
        return self._piece(self.pen.line, track, order, **how)

    def dot(self, track: Track, order: str = OVER_BODIES, **how: Any) -> DrawnPiece:
        return self._piece(self.pen.dot, track, order, **how)

    def area(
        self, track: Track, color: Any, faces: Sequence[Sequence[int]] = (), order: str = BY_DEPTH, **how: Any
    ) -> DrawnPiece:
        """Return a piece of faces; in the plane, only the first face is visible."""
        if self.sketch.dimension == 2 and faces:
            track, faces = track.taking(faces[0]), ()
        return self._piece(self.pen.area, track, order, color=color, faces=faces, **how)

    def word(self, track: Track, text: str, **how: Any) -> DrawnPiece:
        return self._piece(self.pen.word, track, AS_SAID, text=text, **how)

    def _piece(self, make: Callable[..., Ink], track: Track, order: str, **how: Any) -> DrawnPiece:
        path = track.over(self.shown)[..., : self.sketch.dimension]
        return DrawnPiece(*make(path[0], **how), track, path, order)

    # --- roles of bodies ---

    @cached_property
    def colours(self) -> dict[str, str]:
        return {body.name: COLOURS[k % len(COLOURS)] for k, body in enumerate(self.sketch.bodies)}

    def colour(self, body: str) -> str:
        return self.colours.get(body, GROUND)

    def is_ground(self, body: str) -> bool:
        return body not in self.colours

    @cached_property
    def fine(self) -> float:
        """The factor of line widths and symbol sizes: 1 for up to twelve bodies, less for more, at least 0.35."""
        return max(0.35, min(1.0, (12 / max(1, len(self.sketch.bodies))) ** 0.5))

    @cached_property
    def joint_kinds(self) -> dict[str, list[str]]:
        """The kinds of the joints that hold each body."""
        kinds: dict[str, list[str]] = {name: [] for name in self.colours}
        for element in self.sketch.elements:
            if element.kind not in ("", "spring", "damper", "arrow", "stop"):
                for body in {body for body, *_ in element.markers if body in kinds}:
                    kinds[body].append(element.kind)
        return kinds

    @cached_property
    def slotted(self) -> set[str]:
        """The bodies with a slot, through which the moving pin is visible."""
        return {e.markers[0][0] for e in self.sketch.elements if e.kind == "slot"}

    @cached_property
    def drawn_by_joints(self) -> set[str]:
        """The bodies that a symbol represents: a slider's box, a sleeve, a wheel, a cam, a shape that touches
        others."""
        bodies: set[str] = set()
        for e in self.sketch.elements:
            if e.kind in ("slider", "sleeve"):
                bodies |= {body for body, *_ in slider_markers(self, e)}
            elif e.kind in ("mesh", "contact"):  # wheels and cams, and shapes larger than a point or a line
                pairs = zip(e.markers, e.shapes, strict=True) if e.shapes else ()
                large = [m for m, shape in pairs if shape.radius or len(shape.corners) > 1]
                bodies |= {m[0] for m in (large if e.shapes else e.markers[:2])}
            elif e.kind == "disk" and e.markers[1:]:
                bodies.add(e.markers[1][0])
        return bodies


def slider_markers(stage: DrawingStage, element: ElementSketch) -> tuple[Marker, Marker]:
    """Return (rail, box): the markers in their order, but the rail is on the ground if one of them is. The two markers
    have one axis in common, so the joint is the same in either order."""
    rail, box = element.markers[:2]
    return (box, rail) if stage.is_ground(box[0]) else (rail, box)


def one_after_the_other(paths: list[np.ndarray]) -> np.ndarray:
    """Join paths of one thing over later poses; if a path has fewer corners, its last corner is repeated."""
    most = max(path.shape[1] for path in paths)
    corners = [np.minimum(np.arange(most), path.shape[1] - 1) for path in paths]
    return np.concatenate([path[:, indices] for path, indices in zip(paths, corners, strict=True)])


def all_pieces(groups: dict[str, list[Any]]) -> Iterator[Any]:
    for group in groups.values():
        yield from group


def reach(pieces: Sequence[Any], dimension: int, points: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest corner of all paths and of further points."""
    points = np.concatenate(
        [np.reshape(points, (-1, dimension)), *(piece.path.reshape(-1, dimension) for piece in pieces)]
    )
    points = points[np.isfinite(points).all(axis=1)] if len(points) else np.zeros((1, dimension))
    return points.min(axis=0), points.max(axis=0)
