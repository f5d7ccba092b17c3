"""The textbook's symbols for joints: one function for each kind, from markers to pieces. (`force_symbols` has those
for forces.)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker, in_space
from ..stage import Piece, Stage, slider_markers
from ..style import DARK, GROUND
from ..symbols import Pieces, Symbol, contact, mesh
from .pieces import area, dot, line


def pin(stage: Stage, element: ElementSketch) -> Pieces:
    """A small circle where the first marker is (the second is there as well)."""
    yield _hole(stage, element.markers[0])
    yield from _supports(stage, element)


def weld(stage: Stage, element: ElementSketch) -> Pieces:
    yield dot(stage.shown.place(element.markers[1]), marker="s", color=DARK, markersize=6 * stage.fine)
    for marker in stage.grounded(element):
        yield _hatched(stage, marker, depth=0.5)


def link(stage: Stage, element: ElementSketch) -> Pieces:
    """A massless rod: a thin line with a pin at either end."""
    ends = [stage.shown.place(marker) for marker in element.markers[:2]]
    yield line(np.stack(ends, axis=1), color=DARK, linewidth=1.8 * stage.fine)
    for marker in element.markers[:2]:
        yield _hole(stage, marker)
    yield from _supports(stage, element)


def slider(stage: Stage, element: ElementSketch) -> Pieces:
    """A box on a rail."""
    rail, box = slider_markers(stage, element)
    yield line(_rail(stage, rail, box), color=stage.colour(rail[0]), linewidth=2 * stage.fine, zorder=1)
    yield from slider_box(stage, element)


def slider_box(stage: Stage, element: ElementSketch, **how: Any) -> Pieces:
    _, box = slider_markers(stage, element)
    a, b = 1.5 * stage.symbol, stage.symbol
    path = stage.shown.at_marker(box, [[-a, -b], [a, -b], [a, b], [-a, b]])
    yield area(path, stage.colour(box[0]), **{"edgecolor": "white", "linewidth": 1, "zorder": 4, **how})


def slot(stage: Stage, element: ElementSketch) -> Pieces:
    """A pin in a long hole: a wide line with a white one on it is a hole with round ends."""
    rail, follower = element.markers[:2]
    path = _rail(stage, rail, follower)
    yield line(path, color=stage.colour(rail[0]), linewidth=11 * stage.fine, zorder=3.2)
    yield line(path, color="white", linewidth=8 * stage.fine, zorder=3.3)
    yield _hole(stage, follower)
    if stage.is_ground(follower[0]):
        yield from _support(stage, follower)


def runner(stage: Stage, element: ElementSketch) -> Pieces:
    """The blade of a skate, along the x axis of the second marker."""
    path = stage.shown.at_marker(element.markers[1], stage.symbol * np.array([[-2.0, 0.0], [2.0, 0.0]]))
    yield line(path, color=DARK, linewidth=3.5 * stage.fine, zorder=4)


# --- parts of symbols ---


def _rail(stage: Stage, rail: Marker, follower: Marker) -> np.ndarray:
    """As long as the way of what slides on it, and a little more."""
    ways = stage.whole.seen_from(rail, follower)[:, 0]
    return stage.shown.at_marker(rail, [[ways.min() - 3 * stage.symbol, 0.0], [ways.max() + 3 * stage.symbol, 0.0]])


def _hole(stage: Stage, marker: Marker) -> Piece:
    edge = 1.2 * stage.fine
    look: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": DARK, "markeredgewidth": edge}
    return dot(stage.shown.place(marker), markersize=6 * stage.fine, **look)


def _supports(stage: Stage, element: ElementSketch) -> Pieces:
    for marker in stage.grounded(element):
        yield from _support(stage, marker)


def _support(stage: Stage, marker: Marker) -> Pieces:
    """The ground under a joint: a triangle on a hatched line."""
    corners = np.array([[0.0, 0.0, 0.0], [-0.9, -1.5, 0.0], [0.9, -1.5, 0.0]])
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * corners
    yield area(path, "white", edgecolor=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)
    yield _hatched(stage, marker, depth=1.5)


def _hatched(stage: Stage, marker: Marker, depth: float) -> Piece:
    """A line with strokes below it, so far below the marker."""
    gap = (np.nan, np.nan)
    strokes = [p for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for p in ((x, -depth), (x - 0.4, -depth - 0.5), gap)]
    points = in_space([(-1.4, -depth), (1.4, -depth), gap, *strokes])
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * points
    return line(path, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)


SYMBOLS: dict[str, Symbol] = {
    "pin": pin,
    "slider": slider,
    "slot": slot,
    "link": link,
    "weld": weld,
    "runner": runner,
    "mesh": mesh,
    "contact": contact,
}
LATER: dict[str, Symbol] = {"slider": slider_box}
"""What of a joint is seen at later poses in a still picture: that which stands for a body."""
