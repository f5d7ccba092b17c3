"""Draw symbols of joints and forces in space from the solids of which they consist. (`symbols` has the symbols that are
alike in the plane and in space.)"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from .colours import DARK, ELASTIC, FOOT, GROUND, METAL
from .motion import Marker
from .stage import AS_SAID, BY_DEPTH, OVER_BODIES, DrawingStage, DrawnPiece, Pieces, Symbol, slider_markers
from .symbols import ball, between, circle, cylinder_and_piston, rail_path, slider_box, supports, way_along, wheel
from .tracks import AtMarker, OnBody, points_of

BALL = (METAL, 8.0)
BLOCK = (2.2, 1.5, 0.9)  # half the sides of a body's block along its axes, in units of half a joint's symbol
TURNS_OF_A_THREAD = 60  # a finer thread would be a grey area
COILS = 7  # of a spring: the same number at any length, so that stretching is visible


# --- solids: corners and faces, which go round counter-clockwise as seen from outside ---

Solid = tuple[np.ndarray, tuple[tuple[int, ...], ...]]

SIDES = 12  # of a cylinder


def cuboid(x: float, y: float, z: float) -> Solid:
    """Return a cuboid of these half lengths about the origin."""
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    corners = np.array([(sx, sy, sz) for sz in (-1, 1) for sx, sy in signs]) * [x, y, z]
    return corners, ((3, 2, 1, 0), (4, 5, 6, 7), *((k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4)))


def cylinder(radius: float, half: float, sides: int = SIDES) -> Solid:
    """Return a cylinder about the z axis; its first side faces the x axis."""
    rim = circle(radius, sides, -np.pi / sides)
    corners = np.concatenate([rim - [0, 0, half], rim + [0, 0, half]])
    around = ((k, (k + 1) % sides, (k + 1) % sides + sides, k + sides) for k in range(sides))
    return corners, (*around, tuple(reversed(range(sides))), tuple(range(sides, 2 * sides)))


def pyramid(half: float, height: float) -> Solid:
    """Return a pyramid that stands with its tip at the origin."""
    corners = np.array([[0, 0, 0], *([x * half, y * half, -height] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))])
    return corners, (*((0, k, k % 4 + 1) for k in range(1, 5)), (4, 3, 2, 1))


# --- pieces ---


def lump(stage: DrawingStage, body: str, at: np.ndarray, color: str, **how: Any) -> DrawnPiece:
    """Draw a body as a block, so that its attitude is visible."""
    corners, faces = cuboid(*(half * stage.symbol for half in BLOCK))
    return stage.area(OnBody(body, corners + at), color, faces, edge="white", **how)


def box(stage: DrawingStage, marker: Marker, **how: Any) -> DrawnPiece:
    return block(stage, marker, (0.9, 0.9, 1.6), stage.colour(marker[0]), **how)


def block(
    stage: DrawingStage, marker: Marker, halves: tuple[float, float, float], color: str, **how: Any
) -> DrawnPiece:
    corners, faces = cuboid(*halves)
    return stage.area(AtMarker(marker, stage.symbol * corners), color, faces, OVER_BODIES, edge="white", **how)


def support(stage: DrawingStage, marker: Marker) -> Iterator[DrawnPiece]:
    """Draw a support as a foot on hatched paper."""
    corners, faces = pyramid(0.85, 1.7)
    hatching = [((x - 0.35, -1.15, -1.7), (x + 0.35, 1.15, -1.7), (np.nan,) * 3) for x in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    strokes = np.array([point for stroke in hatching for point in stroke])
    paper = AtMarker(marker, stage.symbol * strokes, upright=True)
    yield stage.line(paper, AS_SAID, color=GROUND, linewidth=0.9 * stage.fine, zorder=1.7)
    yield stage.area(AtMarker(marker, stage.symbol * corners, upright=True), FOOT, faces)


# --- joints ---


def pin(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a short cylinder along the axis, which turns with the second body unless this is the ground."""
    yield from supports(stage, element)
    moving = element.markers[0] if stage.is_ground(element.markers[1][0]) else element.markers[1]
    yield _round(stage, moving, 0.6, 1.25, METAL)


def spherical(stage: DrawingStage, element: ElementSketch) -> Pieces:
    yield from supports(stage, element)
    yield ball(stage, element.markers[0])


def weld(stage: DrawingStage, element: ElementSketch) -> Pieces:
    yield from supports(stage, element)
    yield block(stage, element.markers[1], (0.55, 0.55, 0.55), DARK)


def sleeve(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a sleeve on a shaft, with a thread on the shaft if the joint has a pitch."""
    rail, box = slider_markers(stage, element)
    yield stage.line(rail_path(stage, rail, box), color=stage.colour(rail[0]), linewidth=2.5 * stage.fine)
    if pitch := abs(float(element.constants.get("pitch", 0.0))):
        yield from _thread(stage, element, pitch)
    yield from sleeve_box(stage, element)


def sleeve_box(stage: DrawingStage, element: ElementSketch, **how: Any) -> Pieces:
    _, box = slider_markers(stage, element)
    yield _round(stage, box, 0.95, 1.6, stage.colour(box[0]), **how)


def cross(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the two pins of a Cardan joint along the x axis of the first shaft's marker and the y axis of the
    second's."""
    yield from supports(stage, element)
    first, second = element.markers[:2]
    for marker, direction in ((first, (1, 0, 0)), (second, (0, 1, 0))):
        ends = AtMarker(marker, 1.5 * stage.symbol * np.array([direction, np.negative(direction)]))
        yield stage.line(ends, OVER_BODIES, color=DARK, linewidth=4.5 * stage.fine, solid_capstyle="butt")
        yield stage.line(ends, OVER_BODIES, color=METAL, linewidth=2.7 * stage.fine, solid_capstyle="butt")
    yield stage.dot(AtMarker(first), color=DARK, markersize=3.5 * stage.fine, markeredgewidth=0)


def face(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the plane of the first marker, and a dot at the place of the second marker on it."""
    plane, follower = element.markers[:2]
    yield _patch(stage, plane, stage.whole.seen_from(plane, follower)[:, :2], 3 * stage.symbol)
    yield ball(stage, follower)


def disk(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a disk of its radius, with a spoke, on the plane on which it rolls."""
    plane, rim = element.markers[:2]
    radius = float(element.constants["radius"])
    ways = stage.whole.seen_from(plane, rim)[:, :2]
    yield _patch(stage, plane, np.concatenate([ways - radius, ways + radius]), 0.0)
    yield from disk_alone(stage, element)


def disk_alone(stage: DrawingStage, element: ElementSketch, **how: Any) -> Pieces:
    yield from wheel(stage, element.markers[1], float(element.constants["radius"]), **how)


# --- parts of symbols ---


def _patch(stage: DrawingStage, plane: Marker, reached: np.ndarray, margin: float) -> DrawnPiece:
    """Draw the part that is reached of the plane through a marker, at right angles to the marker's z axis."""
    (left, near), (right, far) = reached.min(axis=0) - margin, reached.max(axis=0) + margin
    corners = AtMarker(plane, points_of([(left, near), (right, near), (right, far), (left, far)]))
    order = AS_SAID if stage.is_ground(plane[0]) else BY_DEPTH
    return stage.area(corners, stage.colour(plane[0]), order=order, alpha=0.13, zorder=1.1)


def _round(stage: DrawingStage, marker: Marker, radius: float, half: float, color: str, **how: Any) -> DrawnPiece:
    """Draw a cylinder about the marker's axis with a stripe on its side, so that its rotation is visible."""
    corners, faces = cylinder(radius, half)
    track = AtMarker(marker, stage.symbol * corners)
    return stage.area(track, [DARK, *[color] * (len(faces) - 1)], faces, OVER_BODIES, **how)


def _thread(stage: DrawingStage, element: ElementSketch, pitch: float) -> Pieces:
    """Draw a helix on the shaft, right-handed for a positive pitch; draw none if it would be too fine to see."""
    rail, nut = slider_markers(stage, element)
    start, end = way_along(stage, rail, nut)
    turns = (end - start) / pitch
    if not 0 < turns <= TURNS_OF_A_THREAD:
        return
    along = np.linspace(start, end, int(12 * turns) + 2)
    angle = 2 * np.pi * along / float(element.constants["pitch"])
    radius = 0.65 * stage.symbol
    helix = AtMarker(rail, np.stack([radius * np.cos(angle), radius * np.sin(angle), along], axis=-1))
    yield stage.line(helix, OVER_BODIES, color=DARK, linewidth=0.9 * stage.fine)


# --- forces -------------------------------------------------------------------------------------------------------


def spring_or_damper(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a coil, or cylinder and piston; for a spring with damping, the coil about them. A small dot stands at either
    end, a square one on the ground."""
    if element.kind == "spring":
        angle = np.linspace(0.0, 2 * np.pi * COILS, 12 * COILS + 1)
        part = 0.15 + 0.7 * angle / angle[-1]
        coil = np.stack([part, 0 * angle, 0.9 * np.cos(angle), 0.9 * np.sin(angle)], axis=-1)
        ends = [[(x, 0.0, 0.0, 0.0) for x in way] for way in ((0.0, 0.15), (0.85, 1.0))]
        yield between(stage, element, [*ends[0], *coil, *ends[1]])
    if element.kind == "damper" or element.constants.get("damping"):
        yield from _dashpot(stage, element)
    for marker in element.markers[:2]:
        how: dict[str, Any] = {"marker": "s" if stage.is_ground(marker[0]) else "o", "markersize": 4 * stage.fine}
        yield stage.dot(AtMarker(marker), color=ELASTIC, markeredgewidth=0, **how)


def _dashpot(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the cylinder, its hollow and the disk of the piston as lines of different widths."""
    half, (part, farther) = cylinder_and_piston(stage, element)
    wide: dict[str, Any] = {"solid_capstyle": "butt"}
    disk = [(part, farther - 0.12 * half), (part, farther + 0.12 * half)]
    yield between(stage, element, [(0, 0), (0.5, -half)])
    yield between(stage, element, [(0.5, -half), (0.5, half)], linewidth=9 * stage.fine, **wide)
    hollow = [(0.5, -0.9 * half), (0.5, half)]
    yield between(stage, element, hollow, OVER_BODIES, color="white", linewidth=6.5 * stage.fine, **wide)
    yield between(stage, element, disk, OVER_BODIES, linewidth=5.5 * stage.fine, **wide)
    yield between(stage, element, [(part, farther), (1, 0)], OVER_BODIES)


SYMBOLS: dict[str, Symbol] = {
    "pin": pin, "ball": spherical, "weld": weld, "sleeve": sleeve, "cross": cross, "face": face, "disk": disk,
}  # fmt: skip
FORCES: dict[str, Symbol] = {"spring": spring_or_damper, "damper": spring_or_damper}
LATER: dict[str, Symbol] = {"slider": slider_box, "sleeve": sleeve_box, "disk": disk_alone}
