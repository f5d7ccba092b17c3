"""Draw stops as hatched bars that a body meets at the ends of its travel. Stops of angles, displacements and
coordinates have a place; those of other measures are not drawn."""

from collections.abc import Callable

import numpy as np

from ...results.sketch import ElementSketch
from ...tolerances import VISIBLE_CHANGE
from .bodies import corners_of
from .motion import Marker, on_body
from .stage import AS_SAID, DrawingStage, DrawnPiece, Pieces
from .symbols import RAIL
from .tracks import AtMarker

WIDE = 1.6  # half the length of a bar, in units of half a joint's symbol
ARM = 0.6  # part of an arm's length, from its pin, at which it meets a bar
BAR, BOX = 0.6, 1.5  # half the thickness of a rod, and half the length of a box, in that unit
STROKES = (-1.0, -0.5, 0.0, 0.5, 1.0)


def stop(stage: DrawingStage, element: ElementSketch) -> Pieces:
    place = PLACES.get(str(element.constants.get("measure", "")))
    for side, outward in (("lower", -1.0), ("upper", 1.0)):
        if place and side in element.constants:
            yield from place(stage, element, float(element.constants[side]), outward)


def _of_angle(stage: DrawingStage, element: ElementSketch, limit: float, outward: float) -> Pieces:
    """Draw a bar beside an arm of the second body, turned to its stop; the bar is on the ground if one body is."""
    if len(element.markers) < 2:
        return
    still, turning = element.markers[:2]
    if stage.is_ground(turning[0]):
        still, turning, limit, outward = turning, still, -limit, -outward
    body = next((body for body in stage.sketch.bodies if body.name == turning[0]), None)
    if body is None:
        return
    point, axes = on_body(turning)
    arms = ((corners_of(stage, body) - point) @ axes)[:, :2]
    length = np.hypot(*arms.T)
    if length.max(initial=0.0) == 0.0:
        return
    x, y = arms[length.argmax()] / length.max()
    c, s = np.cos(limit), np.sin(limit)
    along = np.array([c * x - s * y, s * x + c * y, 0.0])
    away = outward * np.array([-along[1], along[0], 0.0])
    yield _bar(stage, still, ARM * length.max() * along + BAR * stage.symbol * away, along, away)


def _of_displacement(stage: DrawingStage, element: ElementSketch, limit: float, outward: float) -> Pieces:
    """Draw a bar across the rail, where the box ends."""
    rail, follower = element.markers[:2]
    along, across = np.eye(3)[[RAIL[stage.sketch.dimension], 1]]
    end = limit + outward * _half(stage, follower)
    yield _bar(stage, rail, end * along, across, outward * along)


def _of_coordinate(stage: DrawingStage, element: ElementSketch, limit: float, outward: float) -> Pieces:
    """Draw a bar across the way of a point that moves along one world axis only; another point has no single stop."""
    places = stage.whole.place(element.markers[0])
    axis = "xyz".index(str(element.constants["measure"]))
    others = [k for k in range(3) if k != axis]
    if np.ptp(places, axis=0)[others].max() > VISIBLE_CHANGE * np.ptp(places):
        return
    along, across = np.eye(3)[[axis, stage.sketch.dimension - 1 if axis != stage.sketch.dimension - 1 else 0]]
    at = np.where(along == 1.0, limit + outward * _half(stage, element.markers[0]), places[0])
    numbers = (0.0,) * 3 if stage.sketch.dimension == 2 else (*np.zeros(3), *np.eye(3).ravel())
    yield _bar(stage, ("", *numbers), at, across, outward * along)


def _half(stage: DrawingStage, marker: Marker) -> float:
    return (BOX if marker[0] in stage.drawn_by_joints else BAR) * stage.symbol


def _bar(stage: DrawingStage, carrier: Marker, at: np.ndarray, along: np.ndarray, outward: np.ndarray) -> DrawnPiece:
    """Draw a bar with strokes on the side that the body does not reach."""
    gap = np.full((1, 2), np.nan)
    strokes = [np.array([(x, 0.0), (x - 0.4, 0.5)]) for x in np.multiply(WIDE / 1.2, STROKES)]
    flat = np.concatenate([[(-WIDE, 0.0), (WIDE, 0.0)], *(part for one in strokes for part in (gap, one))])
    points = at + stage.symbol * (flat[:, :1] * along + flat[:, 1:] * outward)
    colour = stage.colour(carrier[0])
    return stage.line(AtMarker(carrier, points), AS_SAID, color=colour, linewidth=1.6 * stage.fine, zorder=2.8)


PLACES: dict[str, Callable[[DrawingStage, ElementSketch, float, float], Pieces]] = {
    "angle": _of_angle, "displacement": _of_displacement, **dict.fromkeys("xyz", _of_coordinate),
}  # fmt: skip
