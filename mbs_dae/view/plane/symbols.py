"""The textbook's symbols in the plane: of joints, and for forces a spring's zigzag, cylinder and piston for a damper.
(`view.symbols` has those that the plane and space have in common.)"""

from __future__ import annotations

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import Piece, Stage
from ..style import DARK, ELASTIC, GROUND
from ..symbols import ALIKE, Pieces, Shape, Symbol, between, cylinder_and_piston, directions, slider_box, supports
from .pieces import ball, dot, hatched

TEETH = 6  # of a spring: as many at any length, so that it is seen to stretch
APART = 1.1
"""How far spring and damper side by side are off the line between their ends, in units of half a joint's symbol."""
WIDE = 0.7  # half the width of a damper's cylinder, in the same unit


def pin(stage: Stage, element: ElementSketch) -> Pieces:
    """A small circle where the first marker is (the second is there as well)."""
    yield ball(stage, element.markers[0])
    yield from supports(stage, element)


def weld(stage: Stage, element: ElementSketch) -> Pieces:
    yield dot(stage.shown.place(element.markers[1]), marker="s", color=DARK, markersize=6 * stage.fine)
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield hatched(stage, marker, depth=0.5)


# --- forces -------------------------------------------------------------------------------------------------------

def spring(stage: Stage, element: ElementSketch) -> Pieces:
    """A zigzag; where it damps as well, with a damper beside it."""
    shapes = [zigzag(0, 1)]
    if element.constants.get("damping"):
        fork: list[Shape] = [[(0, 0, 0), (0.1, 0, 0)], [(0.1, 0, -APART), (0.1, 0, APART)]]
        mirrored: list[Shape] = [[(1 - part, farther, off) for part, farther, off in shape] for shape in fork]
        dashpot = damper_shapes(stage, element, 0.1, 0.9)
        shapes = [*fork, *mirrored, _aside(zigzag(0.1, 0.9), APART), *(_aside(shape, -APART) for shape in dashpot)]
    for shape in shapes:
        yield between(stage, element, shape)
    yield from _ends(stage, element)


def damper(stage: Stage, element: ElementSketch) -> Pieces:
    for shape in damper_shapes(stage, element, 0, 1):
        yield between(stage, element, shape)
    yield from _ends(stage, element)


def zigzag(start: float, end: float) -> Shape:
    lead = 0.15 * (end - start)
    first, last = start + lead, end - lead
    teeth = [(first + (last - first) * (k + 0.5) / TEETH, 0.0, 0.8 * (-1) ** k) for k in range(TEETH)]
    return [(start, 0, 0), (first, 0, 0), *teeth, (last, 0, 0), (end, 0, 0)]


def damper_shapes(stage: Stage, element: ElementSketch, start: float, end: float) -> list[Shape]:
    half, piston = cylinder_and_piston(stage, element)
    return [
        [(start, 0, 0), (0.5, -half, 0)],
        [(0.5, half, WIDE), (0.5, -half, WIDE), (0.5, -half, -WIDE), (0.5, half, -WIDE)],
        [(*piston, -0.7 * WIDE), (*piston, 0.7 * WIDE)],
        [(*piston, 0), (end, 0, 0)],
    ]


def _aside(shape: Shape, way: float) -> Shape:
    return [(part, farther, off + way) for part, farther, off in shape]


def _ends(stage: Stage, element: ElementSketch) -> Pieces:
    """A small dot at either end; on the ground a wall as well, unless a joint has its support there."""
    first, second = element.markers[:2]
    for marker, other in ((first, second), (second, first)):
        place, size = stage.shown.place(marker), 4 * stage.fine
        yield stage.pen.dot(place, color=ELASTIC, markersize=size, markeredgewidth=0, zorder=4.2)
        if stage.is_ground(marker[0]) and not _is_supported(stage, marker):
            yield _wall(stage, marker, other)


def _wall(stage: Stage, marker: Marker, other: Marker) -> Piece:
    """A hatched line across the direction in which the other end is at first."""
    along, across, _ = directions((stage.whole.place(other) - stage.whole.place(marker))[:1])
    gap = (np.nan, np.nan)
    strokes = [p for y in (-0.8, -0.3, 0.2, 0.7, 1.2) for p in ((0.0, y), (-0.5, y - 0.4), gap)]
    points = np.array([(0.0, -1.4), (0.0, 1.4), gap, *strokes])
    path = stage.shown.place(marker)[:, None] + stage.symbol * (points[:, :1] * along + points[:, 1:] * across)
    return stage.pen.line(path, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)


def _is_supported(stage: Stage, marker: Marker) -> bool:
    others = (m for e in stage.sketch.elements if e.kind in ("pin", "link", "weld") for m in e.markers)
    return any(m[0] == marker[0] and np.hypot(m[1] - marker[1], m[2] - marker[2]) <= stage.symbol for m in others)


SYMBOLS: dict[str, Symbol] = {**ALIKE, "pin": pin, "weld": weld}
FORCES: dict[str, Symbol] = {"spring": spring, "damper": damper}
LATER: dict[str, Symbol] = {"slider": slider_box}
"""What of a joint is seen at later poses in a still picture: that which stands for a body."""
