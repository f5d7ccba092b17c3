"""Draw the shapes of bodies that may touch, at their markers and in the colours of their bodies, in the plane and in
space.

A shape is drawn once, by the first contact that has it, however many others it meets."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch, ShapeSketch
from .bodies import hull
from .colours import DARK, paler
from .motion import Marker, in_space
from .stage import AS_SAID, BY_DEPTH, DrawingStage, Pieces, Symbol
from .symbols import BEHIND, ROUND, circle, contact, wheel
from .tracks import AtMarker, points_of

PARALLELS, MERIDIANS = 8, 16  # of round shapes in space
APART = 1.1  # distance between the strokes under a line, in units of half a joint's symbol
MOST_STROKES = 600
BEYOND = 2.0  # extent of a line beyond its contacts, in the same unit
OUTLINE = 8  # number of corners that show a label where a body ends


def touching(stage: DrawingStage, element: ElementSketch, **how: Any) -> Pieces:
    """Draw both shapes of a contact; for a contact defined by its gap, draw `symbols.contact`."""
    if not element.shapes:
        yield from contact(stage, element)
    for k, (marker, shape) in enumerate(zip(element.markers, element.shapes, strict=False)):
        if _first_of(stage, marker, shape) == (element.name, k):
            yield from LOOKS[shape.kind](stage, marker, shape, **how)


def moving(stage: DrawingStage, element: ElementSketch, **how: Any) -> Pieces:
    """Draw the shapes of a contact that belong to moving bodies."""
    for k, (marker, shape) in enumerate(zip(element.markers, element.shapes, strict=False)):
        if not stage.is_ground(marker[0]) and _first_of(stage, marker, shape) == (element.name, k):
            yield from LOOKS[shape.kind](stage, marker, shape, **how)


def _first_of(stage: DrawingStage, marker: Marker, shape: ShapeSketch) -> tuple[str, int]:
    return next((e.name, k) for e, k in _all_of(stage, marker, shape))


def _all_of(stage: DrawingStage, marker: Marker, shape: ShapeSketch) -> Iterator[tuple[ElementSketch, int]]:
    for element in stage.sketch.elements:
        for k, pair in enumerate(zip(element.markers, element.shapes, strict=False)):
            if pair == (marker, shape):
                yield element, k


def outline_of(stage: DrawingStage, body: str) -> np.ndarray | None:
    """Return the outline of a body that is drawn by a shape, shape (poses, corners, 3); None for other bodies."""
    for element in stage.sketch.elements:
        for marker, shape in zip(element.markers, element.shapes, strict=False):
            if marker[0] == body and _size(shape) > 0.0 and shape.kind != "hollow":
                ends = _size(shape) * circle(1.0, OUTLINE)
                if shape.kind == "solid":
                    ends = in_space(_solid(shape, stage.sketch.dimension)[0])
                    ends = ends[np.argmax(circle(1.0, OUTLINE)[:, :2] @ ends[:, :2].T, axis=1)]
                return stage.shown.at_marker(marker, ends)
    return None


def _size(shape: ShapeSketch) -> float:
    """Return how far a shape reaches from its marker [m]."""
    far = np.linalg.norm(in_space(shape.corners), axis=1).max() if shape.corners else 0.0
    return float(far) + shape.radius


# --- bodies ---------------------------------------------------------------------------------------------------------


def solid(stage: DrawingStage, marker: Marker, shape: ShapeSketch, alpha: float = 1.0, **how: Any) -> Pieces:
    """Draw the region within a radius of the hull of its corners; a point is a dot."""
    if _size(shape) == 0.0 or (len(shape.corners) == 1 and not shape.radius):
        place = AtMarker(marker, points_of(shape.corners)[:1])
        yield stage.dot(place, color=DARK, markersize=5 * stage.fine, markeredgewidth=0, alpha=alpha, **how)
        return
    if stage.sketch.dimension == 2 and len(shape.corners) == 1:
        yield from wheel(stage, marker, shape.radius, alpha, **how)
        return
    points, faces = _solid(shape, stage.sketch.dimension)
    track = AtMarker(marker, points)
    if stage.sketch.dimension == 2:
        yield from _filled(stage, track.taking(faces[0]) if faces else track, alpha, **how)
        return
    colour: Any = stage.colour(marker[0])
    if len(shape.corners) == 1:  # a ball has eight sectors of two shades, so that its rotation is visible
        pale = paler(colour, 0.55)
        middles = np.array([points[list(face)].mean(axis=0) for face in faces])
        sectors = np.floor(np.arctan2(middles[:, 1], middles[:, 0]) / (np.pi / 4)).astype(int)
        colour = [colour if sector % 2 else pale for sector in sectors]
    yield stage.area(track, colour, faces, BY_DEPTH, alpha=0.45 * alpha, **how)


def outline(stage: DrawingStage, marker: Marker, shape: ShapeSketch, alpha: float = 1.0, **how: Any) -> Pieces:
    """Draw a closed filled line through the corners in the plane of its marker, if all corners are finite."""
    if np.isfinite(shape.corners).all():
        yield from _filled(stage, AtMarker(marker, points_of(shape.corners)), alpha, **how)


def hollow(stage: DrawingStage, marker: Marker, shape: ShapeSketch, alpha: float = 1.0, **how: Any) -> Pieces:
    """Draw a ring; for a bowl in space, three rings at right angles."""
    ring = circle(shape.radius)[[*range(ROUND), 0]]
    look = {"color": stage.colour(marker[0]), "linewidth": 2.5 * stage.fine, **BEHIND, **how}
    ways = ([0, 1, 2],) if stage.sketch.dimension == 2 else ([0, 1, 2], [0, 2, 1], [2, 0, 1])
    for way in ways:
        faint = 1.0 if len(ways) == 1 else 0.5
        yield stage.line(AtMarker(marker, ring[:, way]), alpha=faint * alpha, **look)


def flat(stage: DrawingStage, marker: Marker, shape: ShapeSketch, alpha: float = 1.0, **how: Any) -> Pieces:
    """Draw the part of a line or a plane that bodies reach; a line on the ground is hatched below."""
    low, high = _reached(stage, marker, shape)
    colour = stage.colour(marker[0])
    if stage.sketch.dimension == 3:
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        order = AS_SAID if stage.is_ground(marker[0]) else BY_DEPTH
        patch = AtMarker(marker, points_of(corners))
        yield stage.area(patch, colour, order=order, **{"alpha": 0.13 * alpha, "zorder": 1.1, **how})
        return
    look = {"color": colour, "alpha": alpha, "zorder": 1.6, **how}
    edge = AtMarker(marker, points_of([(low[0], 0.0), (high[0], 0.0)]))
    yield stage.line(edge, linewidth=2 * stage.fine, **look)
    if stage.is_ground(marker[0]) and stage.symbol:
        strokes = AtMarker(marker, points_of(_strokes(low[0], high[0], stage.symbol)))
        yield stage.line(strokes, linewidth=1.0 * stage.fine, **look)


LOOKS: dict[str, Symbol] = {"solid": solid, "outline": outline, "hollow": hollow, "flat": flat}


def _filled(stage: DrawingStage, track: AtMarker, alpha: float, **how: Any) -> Pieces:
    colour = stage.colour(track.marker[0])
    yield stage.area(track, colour, **{"alpha": 0.25 * alpha, "zorder": 2, **how})
    look = {"color": colour, "linewidth": 2 * stage.fine, "alpha": alpha, **BEHIND, **how}
    yield stage.line(track.taking([*range(len(track.points)), 0]), **look)


def _reached(stage: DrawingStage, marker: Marker, shape: ShapeSketch) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits along the axes of a line or a plane between which other bodies reach, over all poses."""
    lows, highs = [], []
    for element, k in _all_of(stage, marker, shape):
        ways = stage.whole.seen_from(marker, element.markers[1 - k])[:, : stage.sketch.dimension - 1]
        size = _size(element.shapes[1 - k]) + BEYOND * stage.symbol
        lows.append(ways.min(axis=0) - size)
        highs.append(ways.max(axis=0) + size)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _strokes(start: float, end: float, unit: float) -> np.ndarray:
    """Return short strokes below a line, as one line with gaps (nan) between them."""
    count = int(np.clip((end - start) / (APART * unit), 1, MOST_STROKES))
    along = start + (np.arange(count) + 0.7) * (end - start) / count
    long = min(0.6 * unit, (end - start) / count)
    strokes = np.full((count, 3, 2), np.nan)
    strokes[:, 0] = np.stack([along, 0 * along], axis=-1)
    strokes[:, 1] = np.stack([along - long, 0 * along - long], axis=-1)
    return strokes.reshape(-1, 2)


def _solid(shape: ShapeSketch, dimension: int) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    return _hull_of(shape.corners, shape.radius, dimension)


@cache
def _hull_of(corners: Any, radius: float, dimension: int) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Return the points of a round body and its faces; in the plane the only face goes around the body."""
    points = (in_space(corners)[:, None] + radius * _ball(dimension, radius > 0.0)).reshape(-1, 3)
    points = points[np.unique(points.round(12), axis=0, return_index=True)[1]]
    faces, _ = hull(tuple(map(tuple, points)))
    used = sorted({k for face in faces for k in face}) or range(len(points))
    number = {k: n for n, k in enumerate(used)}
    return points[list(used)], tuple(tuple(number[k] for k in face) for face in faces)


def _ball(dimension: int, is_round: bool) -> np.ndarray:
    """Return unit vectors in all directions, or one zero vector if the shape has no radius."""
    if not is_round:
        return np.zeros((1, 3))
    if dimension == 2:
        return circle(1.0)
    tilt = np.pi * np.arange(1, PARALLELS) / PARALLELS
    rings = [np.sin(a) * circle(1.0, MERIDIANS) + [0, 0, np.cos(a)] for a in tilt]
    return np.concatenate([*rings, [[0, 0, 1], [0, 0, -1]]])
