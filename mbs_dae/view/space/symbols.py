"""Symbols in space: of joints, and of forces a coil for a spring, cylinder and piston for a damper; one function
for each kind, from markers to pieces. (`view.symbols` has those that the plane and space have in common.)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import AS_SAID, BY_DEPTH, OVER_BODIES, Piece, Stage, slider_markers
from ..style import DARK, ELASTIC
from ..symbols import ALIKE, Pieces, Symbol, along, between, cylinder_and_piston, slider_box, supports, way_along, wheel
from . import solids
from .pieces import METAL, area, ball, block, dot, line

TURNS_OF_A_THREAD = 60  # more would be a grey area
COILS = 7  # of a spring: as many at any length, so that it is seen to stretch


def pin(stage: Stage, element: ElementSketch) -> Pieces:
    """A short cylinder along the axis, which turns with the second body."""
    yield from supports(stage, element)
    moving = element.markers[0] if stage.is_ground(element.markers[1][0]) else element.markers[1]
    yield _round(stage, moving, 0.6, 1.25, METAL)


def spherical(stage: Stage, element: ElementSketch) -> Pieces:
    yield from supports(stage, element)
    yield ball(stage, element.markers[0])


def weld(stage: Stage, element: ElementSketch) -> Pieces:
    yield from supports(stage, element)
    yield block(stage, element.markers[1], (0.55, 0.55, 0.55), DARK)


def sleeve(stage: Stage, element: ElementSketch) -> Pieces:
    """A sleeve on a shaft; where its advance is told, with a thread on it."""
    rail, box = slider_markers(stage, element)
    path = along(stage, rail, way_along(stage, rail, box))
    yield line(path, color=stage.colour(rail[0]), linewidth=2.5 * stage.fine)
    if pitch := abs(float(element.constants.get("pitch", 0.0))):
        yield from _thread(stage, element, pitch)
    yield from sleeve_box(stage, element)


def sleeve_box(stage: Stage, element: ElementSketch, **how: Any) -> Pieces:
    _, box = slider_markers(stage, element)
    yield _round(stage, box, 0.95, 1.6, stage.colour(box[0]), **how)


def cross(stage: Stage, element: ElementSketch) -> Pieces:
    """The two pins of a Cardan joint: along the x axis of the first shaft's marker, and the y axis of the second's."""
    yield from supports(stage, element)
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
    yield ball(stage, follower)


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


def _round(stage: Stage, marker: Marker, radius: float, half: float, color: str, **how: Any) -> Piece:
    """A cylinder about the marker's axis, with a stripe on its side: so that it is seen to turn."""
    corners, faces = solids.cylinder(radius, half)
    path = stage.shown.at_marker(marker, stage.symbol * corners)
    return area(path, [DARK, *[color] * (len(faces) - 1)], faces, OVER_BODIES, **how)


def _thread(stage: Stage, element: ElementSketch, pitch: float) -> Pieces:
    """A helix on the shaft, right-handed where the pitch is positive; where it would be too fine to see, none."""
    rail, nut = slider_markers(stage, element)
    start, end = way_along(stage, rail, nut)
    turns = (end - start) / pitch
    if not 0 < turns <= TURNS_OF_A_THREAD:
        return
    along = np.linspace(start, end, int(12 * turns) + 2)
    angle = 2 * np.pi * along / float(element.constants["pitch"])
    radius = 0.65 * stage.symbol
    path = stage.shown.at_marker(rail, np.stack([radius * np.cos(angle), radius * np.sin(angle), along], axis=-1))
    yield line(path, OVER_BODIES, color=DARK, linewidth=0.9 * stage.fine)


# --- forces -------------------------------------------------------------------------------------------------------

def spring(stage: Stage, element: ElementSketch) -> Pieces:
    """A coil; where it damps as well, about a damper."""
    angle = np.linspace(0.0, 2 * np.pi * COILS, 12 * COILS + 1)
    part = 0.15 + 0.7 * angle / angle[-1]
    coil = np.stack([part, 0 * angle, 0.9 * np.cos(angle), 0.9 * np.sin(angle)], axis=-1)
    ends = [[(x, 0.0, 0.0, 0.0) for x in way] for way in ((0.0, 0.15), (0.85, 1.0))]
    yield between(stage, element, [*ends[0], *coil, *ends[1]])
    if element.constants.get("damping"):
        yield from _dashpot(stage, element)
    yield from _ends(stage, element)


def damper(stage: Stage, element: ElementSketch) -> Pieces:
    yield from _dashpot(stage, element)
    yield from _ends(stage, element)


def _dashpot(stage: Stage, element: ElementSketch) -> Pieces:
    """Cylinder, what is hollow of it, and the disk of the piston are lines of different widths."""
    half, (part, farther) = cylinder_and_piston(stage, element)
    wide: dict[str, Any] = {"solid_capstyle": "butt"}
    disk = [(part, farther - 0.12 * half), (part, farther + 0.12 * half)]
    yield between(stage, element, [(0, 0), (0.5, -half)])
    yield between(stage, element, [(0.5, -half), (0.5, half)], linewidth=9 * stage.fine, **wide)
    hollow = [(0.5, -0.9 * half), (0.5, half)]
    yield between(stage, element, hollow, OVER_BODIES, color="white", linewidth=6.5 * stage.fine, **wide)
    yield between(stage, element, disk, OVER_BODIES, linewidth=5.5 * stage.fine, **wide)
    yield between(stage, element, [(part, farther), (1, 0)], OVER_BODIES)


def _ends(stage: Stage, element: ElementSketch) -> Pieces:
    """A small dot at either end; on the ground a square one."""
    for marker in element.markers[:2]:
        how = {"marker": "s" if stage.is_ground(marker[0]) else "o", "markersize": 4 * stage.fine}
        yield stage.pen.dot(stage.shown.place(marker), color=ELASTIC, markeredgewidth=0, **how)


SYMBOLS: dict[str, Symbol] = {
    **ALIKE,
    **{"pin": pin, "ball": spherical, "weld": weld, "sleeve": sleeve, "cross": cross, "face": face, "disk": disk},
}
FORCES: dict[str, Symbol] = {"spring": spring, "damper": damper}
LATER: dict[str, Symbol] = {"slider": slider_box, "sleeve": sleeve_box, "disk": disk_alone}
"""What of a joint is seen at later poses in a still picture: that which stands for a body."""
