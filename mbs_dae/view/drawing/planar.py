"""Draw the textbook's symbols of joints and forces in the plane, overlapping in the order of their zorder. (`symbols`
has the symbols that are alike in the plane and in space.)"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from .colours import DARK, ELASTIC, GROUND
from .motion import Marker, in_space
from .stage import DrawingStage, DrawnPiece, Pieces, Symbol
from .symbols import Shape, ball, between, cylinder_and_piston, slider_box, supports
from .tracks import AtMarker, OnBody, directions

TEETH = 6  # of a spring: the same number at any length, so that stretching is visible
APART = 1.1
"""The distance of parallel spring and damper from the line between their ends, in units of half a joint's symbol."""
BALL = ("white", 6.0)
WIDE = 0.7  # half the width of a damper's cylinder, in the same unit


# --- pieces ---


def lump(stage: DrawingStage, body: str, at: np.ndarray, **how: Any) -> DrawnPiece:
    """Draw a body as a large dot."""
    look = {"markersize": 10 * stage.fine, "markeredgewidth": 0, "zorder": 4}
    return stage.dot(OnBody(body, at[None]), **look | how)


def box(stage: DrawingStage, marker: Marker, **how: Any) -> DrawnPiece:
    corners = AtMarker(marker, stage.symbol * np.array([[-1.5, -1], [1.5, -1], [1.5, 1], [-1.5, 1]]))
    return stage.area(corners, stage.colour(marker[0]), **{"edgecolor": "white", "linewidth": 1, "zorder": 4, **how})


def support(stage: DrawingStage, marker: Marker) -> Iterator[DrawnPiece]:
    """Draw a support as a triangle on a hatched line."""
    corners = in_space([[0.0, 0.0], [-0.9, -1.5], [0.9, -1.5]])
    track = AtMarker(marker, stage.symbol * corners, upright=True)
    yield stage.area(track, "white", edgecolor=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)
    yield hatched(stage, marker, depth=1.5)


def hatched(
    stage: DrawingStage, marker: Marker, depth: float, right: Any = (1, 0, 0), up: Any = (0, 1, 0)
) -> DrawnPiece:
    """Draw a line with strokes below it, at this depth below the marker."""
    gap = (np.nan, np.nan)
    strokes = [p for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for p in ((x, -depth), (x - 0.4, -depth - 0.5), gap)]
    points = np.array([(-1.4, -depth), (1.4, -depth), gap, *strokes])
    offsets = points[:, :1] * np.asarray(right) + points[:, 1:] * np.asarray(up)
    track = AtMarker(marker, stage.symbol * offsets, upright=True)
    return stage.line(track, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)


# --- joints ---


def pin(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a small circle at the first marker, with which the second one coincides."""
    yield ball(stage, element.markers[0])
    yield from supports(stage, element)


def weld(stage: DrawingStage, element: ElementSketch) -> Pieces:
    yield stage.dot(AtMarker(element.markers[1]), marker="s", color=DARK, markersize=6 * stage.fine)
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield hatched(stage, marker, depth=0.5)


# --- forces -------------------------------------------------------------------------------------------------------


def spring_or_damper(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a zigzag, or cylinder and piston; for a spring with damping, both side by side."""
    shapes = [zigzag(0, 1)] if element.kind == "spring" else damper_shapes(stage, element, 0, 1)
    if element.kind == "spring" and element.constants.get("damping"):
        fork: list[Shape] = [[(0, 0, 0), (0.1, 0, 0)], [(0.1, 0, -APART), (0.1, 0, APART)]]
        mirrored: list[Shape] = [[(1 - part, farther, off) for part, farther, off in shape] for shape in fork]
        coil: Shape = [(part, farther, off + APART) for part, farther, off in zigzag(0.1, 0.9)]
        dashpot = damper_shapes(stage, element, 0.1, 0.9)
        shapes = [*fork, *mirrored, coil, *([(p, farther, off - APART) for p, farther, off in s] for s in dashpot)]
    for shape in shapes:
        yield between(stage, element, shape)
    # A small dot at either end; on the ground also a wall, unless a joint has its support there.
    supported = [m for e in stage.sketch.elements if e.kind in ("pin", "link", "rope", "weld") for m in e.markers]
    first, second = element.markers[:2]
    for marker, other in ((first, second), (second, first)):
        yield stage.dot(AtMarker(marker), color=ELASTIC, markersize=4 * stage.fine, markeredgewidth=0, zorder=4.2)
        near = (np.hypot(m[1] - marker[1], m[2] - marker[2]) for m in supported if m[0] == marker[0])
        if stage.is_ground(marker[0]) and not any(distance <= stage.symbol for distance in near):
            # a hatched line across the initial direction to the other end
            along, across, _ = directions((stage.whole.place(other) - stage.whole.place(marker))[:1])
            yield hatched(stage, marker, 0.0, across, along)


def zigzag(start: float, end: float) -> Shape:
    lead = 0.15 * (end - start)
    first, last = start + lead, end - lead
    teeth = [(first + (last - first) * (k + 0.5) / TEETH, 0.0, 0.8 * (-1) ** k) for k in range(TEETH)]
    return [(start, 0, 0), (first, 0, 0), *teeth, (last, 0, 0), (end, 0, 0)]


def damper_shapes(stage: DrawingStage, element: ElementSketch, start: float, end: float) -> list[Shape]:
    half, piston = cylinder_and_piston(stage, element)
    return [
        [(start, 0, 0), (0.5, -half, 0)],
        [(0.5, half, WIDE), (0.5, -half, WIDE), (0.5, -half, -WIDE), (0.5, half, -WIDE)],
        [(*piston, -0.7 * WIDE), (*piston, 0.7 * WIDE)],
        [(*piston, 0), (end, 0, 0)],
    ]


SYMBOLS: dict[str, Symbol] = {"pin": pin, "weld": weld}
FORCES: dict[str, Symbol] = {"spring": spring_or_damper, "damper": spring_or_damper}
LATER: dict[str, Symbol] = {"slider": slider_box}
