"""Symbols for joints in space: one function for each kind, from markers to pieces. (`force_symbols` has those for
forces, `wheels` those for what is round.)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import AS_SAID, BY_DEPTH, OVER_BODIES, Piece, Stage, slider_markers
from ..style import DARK, GROUND
from ..symbols import Pieces, Symbol, contact, mesh, wheel
from . import solids
from .pieces import area, dot, line

METAL = "#D3D8DC"
STRIPE = DARK
"""On what is round: so that it is seen to turn."""
TURNS_OF_A_THREAD = 60
"""More would be a grey area."""


def pin(stage: Stage, element: ElementSketch) -> Pieces:
    """A short cylinder along the axis, which turns with the second body."""
    yield from _supports(stage, element)
    moving = element.markers[0] if stage.is_ground(element.markers[1][0]) else element.markers[1]
    yield _round(stage, moving, 0.6, 1.25, METAL)


def ball(stage: Stage, element: ElementSketch) -> Pieces:
    yield from _supports(stage, element)
    yield _ball(stage, element.markers[0])


def weld(stage: Stage, element: ElementSketch) -> Pieces:
    yield from _supports(stage, element)
    yield _block(stage, element.markers[1], (0.55, 0.55, 0.55), DARK)


def link(stage: Stage, element: ElementSketch) -> Pieces:
    """A massless rod: a thin line with a ball at either end."""
    yield from _supports(stage, element)
    ends = [stage.shown.place(marker) for marker in element.markers[:2]]
    yield line(np.stack(ends, axis=1), color=DARK, linewidth=1.8 * stage.fine)
    for marker in element.markers[:2]:
        yield _ball(stage, marker)


def slider(stage: Stage, element: ElementSketch) -> Pieces:
    """A box on a rail."""
    rail, box = slider_markers(stage, element)
    yield line(_rail(stage, rail, box), color=stage.colour(rail[0]), linewidth=2.5 * stage.fine)
    yield from slider_box(stage, element)


def slider_box(stage: Stage, element: ElementSketch, **how: Any) -> Pieces:
    _, box = slider_markers(stage, element)
    yield _block(stage, box, (0.9, 0.9, 1.6), stage.colour(box[0]), **how)


def sleeve(stage: Stage, element: ElementSketch) -> Pieces:
    """A sleeve on a shaft; where its advance is told, with a thread on it."""
    rail, box = slider_markers(stage, element)
    yield line(_rail(stage, rail, box), color=stage.colour(rail[0]), linewidth=2.5 * stage.fine)
    if pitch := abs(float(element.constants.get("pitch", 0.0))):
        yield from _thread(stage, element, pitch)
    yield from sleeve_box(stage, element)


def sleeve_box(stage: Stage, element: ElementSketch, **how: Any) -> Pieces:
    _, box = slider_markers(stage, element)
    yield _round(stage, box, 0.95, 1.6, stage.colour(box[0]), **how)


def cross(stage: Stage, element: ElementSketch) -> Pieces:
    """The two pins of a Cardan joint: along the x axis of the first shaft's marker, and the y axis of the second's."""
    yield from _supports(stage, element)
    first, second = element.markers[:2]
    for marker, direction in ((first, (1, 0, 0)), (second, (0, 1, 0))):
        ends = 1.5 * stage.symbol * np.array([direction, np.negative(direction)])
        path = stage.shown.at_marker(marker, ends)
        yield line(path, OVER_BODIES, color=DARK, linewidth=4.5 * stage.fine, solid_capstyle="butt")
        yield line(path, OVER_BODIES, color=METAL, linewidth=2.7 * stage.fine, solid_capstyle="butt")
    yield dot(stage.shown.place(first), color=DARK, markersize=3.5 * stage.fine, markeredgewidth=0)


def face(stage: Stage, element: ElementSketch) -> Pieces:
    """The plane of the first marker, and a dot where the second one is on it."""
    plane, follower = element.markers[:2]
    yield _patch(stage, plane, stage.whole.seen_from(plane, follower)[:, :2], 3 * stage.symbol)
    yield _ball(stage, follower)


def slot(stage: Stage, element: ElementSketch) -> Pieces:
    """A ball in a straight groove."""
    rail, follower = element.markers[:2]
    path = _rail(stage, rail, follower)
    yield line(path, color=stage.colour(rail[0]), linewidth=8 * stage.fine)
    yield line(path, OVER_BODIES, color="white", linewidth=5.5 * stage.fine)
    yield _ball(stage, follower)
    if stage.is_ground(follower[0]):
        yield from _support(stage, follower)


def runner(stage: Stage, element: ElementSketch) -> Pieces:
    """The blade of a skate, along the x axis of the second marker."""
    ends = stage.symbol * np.array([[-2.5, 0, 0], [2.5, 0, 0]])
    yield line(stage.shown.at_marker(element.markers[1], ends), OVER_BODIES, color=DARK, linewidth=3.5 * stage.fine)


def disk(stage: Stage, element: ElementSketch) -> Pieces:
    """A disk of its radius, with a spoke, on the plane that it rolls on."""
    plane, rim = element.markers[:2]
    radius = float(element.constants["radius"])
    ways = stage.whole.seen_from(plane, rim)[:, :2]
    yield _patch(stage, plane, np.concatenate([ways - radius, ways + radius]), 0.0)
    yield from disk_alone(stage, element)


def disk_alone(stage: Stage, element: ElementSketch, **how: Any) -> Pieces:
    yield from wheel(stage, element.markers[1], float(element.constants["radius"]), **how)


# --- parts of symbols ---


def _patch(stage: Stage, plane: Marker, reached: np.ndarray, margin: float) -> Piece:
    """As much of the plane through a marker, at right angles to its axis, as is reached on it."""
    (left, near), (right, far) = reached.min(axis=0) - margin, reached.max(axis=0) + margin
    path = stage.shown.at_marker(plane, [(left, near), (right, near), (right, far), (left, far)])
    order = AS_SAID if stage.is_ground(plane[0]) else BY_DEPTH
    return area(path, stage.colour(plane[0]), order=order, alpha=0.13, zorder=1.1)


def _ball(stage: Stage, marker: Marker) -> Piece:
    how: dict[str, Any] = {"markerfacecolor": METAL, "markeredgecolor": DARK, "markeredgewidth": 1.2 * stage.fine}
    return dot(stage.shown.place(marker), markersize=8 * stage.fine, **how)


def _block(stage: Stage, marker: Marker, halves: tuple[float, float, float], color: str, **how: Any) -> Piece:
    corners, faces = solids.box(*halves)
    path = stage.shown.at_marker(marker, stage.symbol * corners)
    return area(path, color, faces, OVER_BODIES, edge="white", **how)


def _round(stage: Stage, marker: Marker, radius: float, half: float, color: str, **how: Any) -> Piece:
    """A cylinder about the marker's axis, with a stripe on its side."""
    corners, faces = solids.cylinder(radius, half)
    path = stage.shown.at_marker(marker, stage.symbol * corners)
    return area(path, [STRIPE, *[color] * (len(faces) - 1)], faces, OVER_BODIES, **how)


def _rail(stage: Stage, rail: Marker, follower: Marker) -> np.ndarray:
    """As long as the way of what slides on it, and a little more; on a body it begins at that body's own marker."""
    start, end = _reach_along(stage, rail, follower)
    return stage.shown.at_marker(rail, np.array([[0, 0, start], [0, 0, end]]))


def _reach_along(stage: Stage, rail: Marker, follower: Marker) -> tuple[float, float]:
    ways = stage.whole.seen_from(rail, follower)[:, 2]
    start, end = ways.min() - 3 * stage.symbol, ways.max() + 3 * stage.symbol
    return (start, end) if stage.is_ground(rail[0]) else (min(start, 0.0), max(end, 0.0))


def _thread(stage: Stage, element: ElementSketch, pitch: float) -> Pieces:
    """A helix on the shaft, right-handed where the pitch is positive; where it would be too fine to see, none."""
    rail, nut = slider_markers(stage, element)
    start, end = _reach_along(stage, rail, nut)
    turns = (end - start) / pitch
    if not 0 < turns <= TURNS_OF_A_THREAD:
        return
    along = np.linspace(start, end, int(12 * turns) + 2)
    angle = 2 * np.pi * along / float(element.constants["pitch"])
    radius = 0.65 * stage.symbol
    path = stage.shown.at_marker(rail, np.stack([radius * np.cos(angle), radius * np.sin(angle), along], axis=-1))
    yield line(path, OVER_BODIES, color=DARK, linewidth=0.9 * stage.fine)


def _supports(stage: Stage, element: ElementSketch) -> Pieces:
    for marker in stage.grounded(element):
        yield from _support(stage, marker)


def _support(stage: Stage, marker: Marker) -> Pieces:
    """The ground under a joint: a foot on hatched paper."""
    corners, faces = solids.pyramid(0.85, 1.7)
    place = stage.shown.place(marker)[:, None]
    hatching = [((x - 0.35, -1.15, -1.7), (x + 0.35, 1.15, -1.7), (np.nan,) * 3) for x in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    strokes = np.array([point for stroke in hatching for point in stroke])
    yield line(place + stage.symbol * strokes, AS_SAID, color=GROUND, linewidth=0.9 * stage.fine, zorder=1.7)
    yield area(place + stage.symbol * corners, "#C4C4C4", faces)


SYMBOLS: dict[str, Symbol] = {
    "pin": pin,
    "ball": ball,
    "weld": weld,
    "link": link,
    "slider": slider,
    "sleeve": sleeve,
    "cross": cross,
    "face": face,
    "slot": slot,
    "runner": runner,
    "disk": disk,
    "mesh": mesh,
    "contact": contact,
}
LATER: dict[str, Symbol] = {"slider": slider_box, "sleeve": sleeve_box, "disk": disk_alone}
"""What of a joint is seen at later poses in a still picture: that which stands for a body."""
