"""The textbook's symbols for forces: a zigzag for a spring, cylinder and piston for a damper, an arrow for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import Stage
from ..style import ELASTIC, GROUND, LOAD
from .drawing import PlanePiece, area, dot, line

TEETH = 6
"""Of a spring: as many at any length, so that it is seen to stretch."""
LONGEST_ARROW = 8.0
"""The arrow of the largest force, in units of half a joint's symbol; the others are in proportion."""
APART = 1.1
"""How far spring and damper side by side are off the line between their ends, in the same unit."""


def force_pieces(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """The pieces of one force; joints, and kinds without a symbol, have none."""
    if element.kind in KINDS:
        yield from KINDS[element.kind](stage, element)


def spring(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A zigzag; where it damps as well, with a damper beside it."""
    if element.constants.get("damping"):
        fork: list[Shape] = [[(0, 0, 0), (0.1, 0, 0)], [(0.1, 0, -APART), (0.1, 0, APART)]]
        mirrored: list[Shape] = [[(1 - part, farther, off) for part, farther, off in shape] for shape in fork]
        yield from _between(stage, element, [*fork, *mirrored])
        yield from _between(stage, element, [zigzag(0.1, 0.9)], aside=APART)
        yield from _between(stage, element, cylinder_and_piston(stage, element, 0.1, 0.9), aside=-APART)
    else:
        yield from _between(stage, element, [zigzag(0, 1)])
    yield from _ends(stage, element)


def damper(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    yield from _between(stage, element, cylinder_and_piston(stage, element, 0, 1))
    yield from _ends(stage, element)


def arrow(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """From the point that the force acts on, in its direction; its length is in proportion to the force, by one
    scale for all arrows and times."""
    if element.name not in stage.whole.forces:
        return
    largest = max(np.hypot(*force.T).max(initial=0.0) for force in stage.whole.forces.values())
    start = stage.shown.place(element.markers[min(1, len(element.markers) - 1)])
    way = stage.shown.forces[element.name] * (LONGEST_ARROW * stage.symbol / (largest or 1.0))
    along, across = _directions(way)
    head = np.minimum(1.6 * stage.symbol, 0.6 * np.hypot(*way.T))[:, None]
    tip = start + way
    base = tip - head * along
    how = {"color": LOAD, "zorder": 4.5}
    yield line(np.stack([start, base], axis=1), linewidth=2 * stage.fine, solid_capstyle="butt", **how)
    yield area(np.stack([tip, base + 0.4 * head * across, base - 0.4 * head * across], axis=1), linewidth=0, **how)


# --- along a line between two points -----------------------------------------------------------------------------

Shape = Sequence[tuple[float, float, float]]
"""A polyline of (part of the way, how much farther along, how far across), the last two in units of half a joint's
symbol: so it can stretch with the distance, or keep its size on paper, or both."""


def zigzag(start: float, end: float) -> Shape:
    lead = 0.15 * (end - start)
    first, last = start + lead, end - lead
    teeth = [(first + (last - first) * (k + 0.5) / TEETH, 0.0, 0.8 * (-1) ** k) for k in range(TEETH)]
    return [(start, 0, 0), (first, 0, 0), *teeth, (last, 0, 0), (end, 0, 0)]


def cylinder_and_piston(stage: Stage, element: ElementSketch, start: float, end: float) -> list[Shape]:
    """The cylinder stands in the middle, of constant size if there is room for it. The piston goes from its one end to
    the other as the distance d goes from its least to its largest: so far beyond the middle,

        half · (-0.6 + 1.2 (d - least) / travel),

    which is linear in d, and so a part of the way and a constant."""
    first, second = (stage.whole.place(marker) for marker in element.markers[:2])
    distances = np.hypot(*(second - first).T)
    least, travel = float(distances.min()), float(np.ptp(distances))
    half = min(1.8, 0.3 * least / stage.symbol) if stage.symbol else 0.0
    slope = 1.2 * half / travel if travel > 1e-6 * (least + travel) else 0.0
    piston = 0.5 + slope * stage.symbol, (-0.6 * half - slope * least) if slope else 0.0
    wide = 0.7
    return [
        [(start, 0, 0), (0.5, -half, 0)],
        [(0.5, half, wide), (0.5, -half, wide), (0.5, -half, -wide), (0.5, half, -wide)],
        [(*piston, -0.7 * wide), (*piston, 0.7 * wide)],
        [(*piston, 0), (end, 0, 0)],
    ]


def _between(stage: Stage, element: ElementSketch, shapes: Sequence[Shape], aside: float = 0.0) -> Iterator[PlanePiece]:
    """Shapes on the line between the first two markers, or that far beside it."""
    start, end = (stage.shown.place(marker) for marker in element.markers[:2])
    along, across = _directions(end - start)
    for shape in shapes:
        part, farther, off = (column[:, None] for column in np.array(shape, dtype=float).T)
        path = start[:, None] + part * (end - start)[:, None]
        path = path + stage.symbol * (farther * along[:, None] + (off + aside) * across[:, None])
        yield line(path, color=ELASTIC, linewidth=1.4 * stage.fine, zorder=2.2)


def _ends(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A small dot at either end; on the ground a wall as well, unless a joint has its support there."""
    first, second = element.markers[:2]
    for marker, other in ((first, second), (second, first)):
        yield dot(stage.shown.place(marker), color=ELASTIC, markersize=4 * stage.fine, markeredgewidth=0, zorder=4.2)
        if stage.is_ground(marker[0]) and not _is_supported(stage, marker):
            yield _wall(stage, marker, other)


def _wall(stage: Stage, marker: Marker, other: Marker) -> PlanePiece:
    """A hatched line across the direction in which the other end is at first."""
    place = stage.shown.place(marker)
    along, across = _directions((stage.whole.place(other) - stage.whole.place(marker))[:1])
    gap = (np.nan, np.nan)
    strokes = [p for y in (-0.8, -0.3, 0.2, 0.7, 1.2) for p in ((0.0, y), (-0.5, y - 0.4), gap)]
    points = np.array([(0.0, -1.4), (0.0, 1.4), gap, *strokes])
    path = place[:, None] + stage.symbol * (points[:, :1] * along + points[:, 1:] * across)
    return line(path, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)


def _is_supported(stage: Stage, marker: Marker) -> bool:
    others = (m for e in stage.sketch.elements if e.kind in ("pin", "link", "weld") for m in e.markers)
    return any(m[0] == marker[0] and np.hypot(m[1] - marker[1], m[2] - marker[2]) <= stage.symbol for m in others)


def _directions(way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors along and across; zero where there is no way."""
    length = np.hypot(*way.T)
    along = way / np.where(length > 0.0, length, 1.0)[:, None]
    return along, np.stack([-along[:, 1], along[:, 0]], axis=-1)


KINDS: dict[str, Callable[[Stage, ElementSketch], Iterator[PlanePiece]]] = {
    "spring": spring,
    "damper": damper,
    "arrow": arrow,
}
