"""Draw symbols that are alike in the plane and in space: sliders, wheels and cams, arrows, and shapes on a line between
two points. Each function turns the markers of one kind of element into pieces."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from .colours import DARK, ELASTIC, LOAD
from .motion import Marker
from .stage import BY_DEPTH, OVER_BODIES, DrawingStage, DrawnPiece, Pieces, Symbol, slider_markers
from .tracks import AtMarker, ForceArrow, Rail, Sagging, Span, TouchOfCam, Track, points_of, touch_point

ROUND = 72  # points on a circle
UNKNOWN = 3.0  # radius of the larger wheel of a gear of unknown size, in units of half a joint's symbol
LONGEST_ARROW = 8.0  # length of the arrow of the largest force, in the same unit; others are in proportion
HEAD, SIDES = 1.7, 8  # length of an arrow's head in that unit, and number of its sides in space
BEYOND = 3.0  # length of a rail beyond the travel of its slider, at either end, in the same unit
RAIL = {2: 0, 3: 2}  # rails lie along the x axis of their marker in the plane, along z in space
BEHIND: dict[str, Any] = {"zorder": 2.1}  # in the plane wheels and cams lie behind bars

# --- sliders ---------------------------------------------------------------------------------------------------------


def ball(stage: DrawingStage, marker: Marker) -> DrawnPiece:
    """Draw a point about which bodies turn."""
    colour, size = stage.signs.BALL
    look: dict[str, Any] = {"markerfacecolor": colour, "markeredgecolor": DARK, "markeredgewidth": 1.2 * stage.fine}
    return stage.dot(AtMarker(marker), markersize=size * stage.fine, **look)


def supports(stage: DrawingStage, element: ElementSketch) -> Pieces:
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield from stage.signs.support(stage, marker)


def link(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a massless rod as a thin line with a pin at either end."""
    yield from supports(stage, element)
    yield between(stage, element, [(0.0,), (1.0,)], color=DARK, linewidth=1.8 * stage.fine, zorder=3)
    for marker in element.markers[:2]:
        yield ball(stage, marker)


def rope(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a thin line that sags where the rope is slack."""
    yield from supports(stage, element)
    first, second = element.markers[:2]
    track = Sagging(first, second, float(element.constants.get("length", 0.0)), down=stage.sketch.dimension - 1)
    yield stage.line(track, color=DARK, linewidth=1.2 * stage.fine, zorder=3)
    for marker in (first, second):
        yield stage.dot(AtMarker(marker), color=DARK, markersize=3.5 * stage.fine, markeredgewidth=0)


def slider(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a box on a rail."""
    rail, box = slider_markers(stage, element)
    yield stage.line(rail_path(stage, rail, box), color=stage.colour(rail[0]), linewidth=2.5 * stage.fine, zorder=1)
    yield from slider_box(stage, element)


def slider_box(stage: DrawingStage, element: ElementSketch, **how: Any) -> Pieces:
    yield stage.signs.box(stage, slider_markers(stage, element)[1], **how)


def slot(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw a pin in a slot: a wide line with a white one on it looks like a hole with round ends. The slot lies on its
    body, and under the body with the pin."""
    rail, follower = element.markers[:2]
    path = rail_path(stage, rail, follower)
    yield stage.line(path, color=stage.colour(rail[0]), linewidth=10 * stage.fine, zorder=2.8)
    yield stage.line(path, OVER_BODIES, color="white", linewidth=7 * stage.fine, zorder=2.9)
    yield ball(stage, follower)
    if stage.is_ground(follower[0]):
        yield from stage.signs.support(stage, follower)


def runner(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the blade of a skate, along the x axis of the second marker."""
    blade = AtMarker(element.markers[1], points_of([[-2.0 * stage.symbol, 0.0], [2.0 * stage.symbol, 0.0]]))
    yield stage.line(blade, OVER_BODIES, color=DARK, linewidth=3.5 * stage.fine, zorder=4)


def way_along(stage: DrawingStage, rail: Marker, follower: Marker) -> tuple[float, float]:
    """Return the ends of a follower's travel on a rail, extended by `BEYOND`; on a body, with the rail's marker."""
    ways = stage.whole.seen_from(rail, follower)[:, RAIL[stage.sketch.dimension]]
    start, end = ways.min() - BEYOND * stage.symbol, ways.max() + BEYOND * stage.symbol
    return (start, end) if stage.is_ground(rail[0]) else (min(start, 0.0), max(end, 0.0))


def rail_path(stage: DrawingStage, rail: Marker, follower: Marker) -> Track:
    axis = RAIL[stage.sketch.dimension]
    ends = np.outer(way_along(stage, rail, follower), np.eye(3)[axis])
    return Rail(rail, ends, follower=follower, axis=axis, beyond=BEYOND * stage.symbol)


# --- wheels and cams -------------------------------------------------------------------------------------------------


def circle(radius: float, points: int = ROUND, start: float = 0.0) -> np.ndarray:
    """Return points on a circle about the z axis, the last one next to the first, shape (points, 3)."""
    angles = start + 2 * np.pi * np.arange(points) / points
    return radius * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)


def wheel(
    stage: DrawingStage, marker: Marker, radius: float, alpha: float = 1.0, height: float = 0.0, **how: Any
) -> Pieces:
    """Draw a wheel about the marker's axis, at this height along it, with one spoke, so that its rotation is visible; a
    wheel on the ground has no spoke."""
    colour, rim = stage.colour(marker[0]), AtMarker(marker, circle(radius) + [0.0, 0.0, height])
    look = {"color": colour, "alpha": alpha, **BEHIND, **how}
    if not stage.is_ground(marker[0]):
        yield stage.area(rim, colour, alpha=0.2 * alpha, **{"zorder": 2, **how})
        spoke = AtMarker(marker, points_of([[0.0, 0.0, height], [radius, 0.0, height]]))
        yield stage.line(spoke, linewidth=2 * stage.fine, **look)
    yield stage.line(rim.taking([*range(ROUND), 0]), linewidth=2.5 * stage.fine, **look)


def mesh(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the pitch circles of two wheels, or of a pinion and the pitch line of its rack."""
    first, second = element.markers[:2]
    if "radius" in element.constants:
        radius = float(element.constants["radius"])
        yield from wheel(stage, first, radius)
        ways = stage.whole.seen_from(second, first)[:, 0]
        rack = AtMarker(second, points_of([[ways.min() - radius, 0.0], [ways.max() + radius, 0.0]]))
        yield stage.line(rack, color=stage.colour(second[0]), linewidth=2.5 * stage.fine)
    else:
        heights = (float(element.constants.get(name, 0.0)) for name in ("h_i", "h_j"))
        for marker, radius, height in zip((first, second), pitch_radii(stage, element), heights, strict=False):
            yield from wheel(stage, marker, radius, height=height)


def pitch_radii(stage: DrawingStage, element: ElementSketch) -> tuple[float, ...]:
    """Return the pitch radii of a gear [m]. On parallel axes, a ratio divides the distance of the axes into two radii;
    there are none if the distance is not constant. On other axes the sizes are unknown, and the wheels are drawn small,
    in the right proportion."""
    first, second = element.markers[:2]
    if "r_i" in element.constants:
        return float(element.constants["r_i"]), float(element.constants["r_j"])
    if "ratio" not in element.constants:
        return ()
    ratio, motion = float(element.constants["ratio"]), stage.whole
    along = np.einsum("ki,ki->k", motion.axes(first)[:, 2], motion.axes(second)[:, 2])
    if np.abs(along).min() < 1 - 1e-6:
        larger = UNKNOWN * stage.symbol
        return larger / max(1.0, ratio), larger * ratio / max(1.0, ratio)
    distances = np.hypot(*motion.seen_from(first, second)[:, :2].T)
    share = abs(1 - ratio) if element.constants.get("mesh") == "internal" else 1 + ratio
    if share < 1e-9 or np.ptp(distances) > 1e-3 * distances.max() or distances.max() == 0.0:
        return ()
    radius = float(distances.mean() / share)
    return radius, ratio * radius


def contact(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw the cam's curve, the face of a flat follower, and a dot at the point of contact."""
    cam, follower = element.markers[:2]
    touching: Track = AtMarker(follower)
    if element.outline:
        curve, colour = AtMarker(cam, points_of(element.outline)), stage.colour(cam[0])
        if np.isfinite(curve.points).all():
            yield stage.area(curve, colour, alpha=0.25, zorder=2)
        yield stage.line(curve.taking([*range(len(curve.points)), 0]), color=colour, linewidth=2 * stage.fine, **BEHIND)
        if element.constants.get("follower") == "flat":
            touching = TouchOfCam(element)
            away = touch_point(stage.whole, element) - stage.whole.place(follower)
            ways = np.einsum("ki,ki->k", stage.whole.axes(follower)[:, 0], away)  # place along the face
            ends = [[min(ways.min(), 0) - stage.symbol, 0.0], [max(ways.max(), 0) + stage.symbol, 0.0]]
            face, colour = AtMarker(follower, points_of(ends)), stage.colour(follower[0])
            yield stage.line(face, OVER_BODIES, color=colour, linewidth=4 * stage.fine)
    yield stage.dot(touching, color=DARK, markersize=5 * stage.fine, markeredgewidth=0)


ALIKE: dict[str, Symbol] = {
    "link": link, "rope": rope, "slider": slider, "slot": slot, "runner": runner, "mesh": mesh, "contact": contact,
}  # fmt: skip

# --- forces -------------------------------------------------------------------------------------------------------


def arrow(stage: DrawingStage, element: ElementSketch) -> Pieces:
    """Draw an arrow from the point on which the force acts, with one scale for all arrows and times."""
    if element.name in stage.whole.forces:
        start = element.markers[min(1, len(element.markers) - 1)]
        yield from arrow_of(stage, start, element.name, stage.whole.forces, LOAD)


def arrow_of(stage: DrawingStage, start: Marker, name: str, alike: Mapping[str, np.ndarray], colour: str) -> Pieces:
    """Draw an arrow whose length is proportional to the force; the largest of all forces in `alike` has the longest
    arrow. The head is a cone, in the plane its outline."""
    largest = max(np.linalg.norm(force, axis=1).max(initial=0.0) for force in alike.values())
    push = ForceArrow(name, LONGEST_ARROW * stage.symbol / (largest or 1.0))

    def shape(points: Shape) -> Track:
        return Span(start, push, np.array(points, dtype=float), HEAD * stage.symbol, at_most=0.6)

    shaft, count = shape([(0, 0), (1, -1)]), 2 if stage.sketch.dimension == 2 else SIDES
    yield stage.line(shaft, OVER_BODIES, color=colour, linewidth=2 * stage.fine, solid_capstyle="butt", zorder=4.5)
    rim = [(1, -1, 0.4 * c, 0.4 * s) for c, s, _ in circle(1.0, count)]
    sides = [(0, 1 + k, 1 + (k + 1) % count) for k in range(count)]
    faces = [*sides, tuple(range(count, 0, -1))]
    yield stage.area(shape([(1, 0, 0, 0), *rim]), colour, faces, OVER_BODIES, zorder=4.5)


Shape = Sequence[tuple[float, ...]]
"""A polyline of points (part of the way, additional length along, lengths across in two directions); lengths are in
units of half a joint's symbol. Hence a shape can stretch with the distance, or keep its size on paper, or both."""


def between(stage: DrawingStage, element: ElementSketch, shape: Shape, order: str = BY_DEPTH, **how: Any) -> DrawnPiece:
    """Draw a shape on the line between the first two markers."""
    first, second = element.markers[:2]
    track = Span(first, second, np.array(shape, dtype=float), stage.symbol)
    how = {"color": ELASTIC, "linewidth": 1.4 * stage.fine, "zorder": 2.2, **how}
    return stage.line(track, order, **how)


def cylinder_and_piston(stage: DrawingStage, element: ElementSketch) -> tuple[float, tuple[float, float]]:
    """Return half the length of a damper's cylinder, in units of half a joint's symbol, and the place of its piston as
    a part of the way and a constant. The cylinder stands in the middle, with a constant length if there is room for it.
    The piston goes from one end of the cylinder to the other as the distance d goes from its least to its largest
    value; beyond the middle, its place is

        half · (-0.6 + 1.2 (d - least) / travel),

    a function linear in d."""
    first, second = (stage.whole.place(marker) for marker in element.markers[:2])
    distances = np.linalg.norm(second - first, axis=1)
    least, travel = float(distances.min()), float(np.ptp(distances))
    half = min(1.8, 0.3 * least / stage.symbol) if stage.symbol else 0.0
    slope = 1.2 * half / travel if travel > 1e-6 * (least + travel) else 0.0
    return half, (0.5 + slope * stage.symbol, (-0.6 * half - slope * least) if slope else 0.0)
