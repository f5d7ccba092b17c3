"""The textbook's symbols for joints: one function for each kind, from markers to pieces. (`force_symbols` has those
for forces.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import Stage, slider_markers
from ..style import DARK, GROUND
from .drawing import PlanePiece, area, dot, line
from .motion import PlanarMotion

CIRCLE = np.linspace(0.0, 2 * np.pi, 73)


def joint_pieces(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """The pieces of one joint; kinds without a symbol have none."""
    if element.kind in KINDS and len(element.markers) >= 2:
        yield from KINDS[element.kind](stage, element)


def pin(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A small circle where the first marker is (the second is there as well)."""
    yield _hole(stage, element.markers[0])
    yield from _supports(stage, element)


def weld(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    place = stage.shown.place(element.markers[1])
    yield dot(place, marker="s", color=DARK, markersize=6 * stage.fine)
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield _hatched(stage, marker, depth=0.5)


def link(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A massless rod: a thin line with a pin at either end."""
    ends = [stage.shown.place(marker) for marker in element.markers[:2]]
    yield line(np.stack(ends, axis=1), color=DARK, linewidth=1.8 * stage.fine)
    for marker in element.markers[:2]:
        yield _hole(stage, marker)
    yield from _supports(stage, element)


def slider(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A box on a rail."""
    rail, box = slider_markers(stage, element)
    yield line(_rail(stage, rail, box), color=stage.colour(rail[0]), linewidth=2 * stage.fine, zorder=1)
    yield slider_box(stage, element)


def slider_box(stage: Stage, element: ElementSketch, **how: Any) -> PlanePiece:
    _, box = slider_markers(stage, element)
    a, b = 1.5 * stage.symbol, stage.symbol
    path = stage.shown.at_marker(box, np.array([[-a, -b], [a, -b], [a, b], [-a, b]]))
    how = {"facecolor": stage.colour(box[0]), "edgecolor": "white", "linewidth": 1, "zorder": 4, **how}
    return area(path, **how)


def slot(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """A pin in a long hole: a wide line with a white one on it is a hole with round ends."""
    rail, follower = element.markers[:2]
    path = _rail(stage, rail, follower)
    yield line(path, color=stage.colour(rail[0]), linewidth=11 * stage.fine, zorder=3.2)
    yield line(path, color="white", linewidth=8 * stage.fine, zorder=3.3)
    yield _hole(stage, follower)
    if stage.is_ground(follower[0]):
        yield from _support(stage, follower)


def runner(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """The blade of a skate, along the x axis of the second marker."""
    ends = stage.symbol * np.array([[-2.0, 0.0], [2.0, 0.0]])
    yield line(stage.shown.at_marker(element.markers[1], ends), color=DARK, linewidth=3.5 * stage.fine, zorder=4)


def mesh(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """The pitch circles of two wheels, or of a pinion and the pitch line of its rack."""
    first, second = element.markers[:2]
    if "radius" in element.constants:
        radius = float(element.constants["radius"])
        yield from _wheel(stage, first, radius)
        ways = stage.whole.seen_from(second, first)[:, 0]
        ends = np.array([[ways.min() - radius, 0.0], [ways.max() + radius, 0.0]])
        yield line(stage.shown.at_marker(second, ends), color=stage.colour(second[0]), linewidth=2.5 * stage.fine)
    else:
        for marker, wheel_radius in zip((first, second), pitch_radii(stage.shown, element), strict=False):
            yield from _wheel(stage, marker, wheel_radius)


def pitch_radii(motion: PlanarMotion, element: ElementSketch) -> tuple[float, ...]:
    """The two radii that share the distance of the centres as the ratio says; none if it does not stay the same."""
    first, second = element.markers[:2]
    distances = np.hypot(*(motion.place(second) - motion.place(first)).T)
    ratio = element.constants.get("ratio")
    if ratio is None or np.ptp(distances) > 1e-3 * distances.max() or distances.max() == 0:
        return ()
    ratio = float(ratio)
    share = abs(1 - ratio) if element.constants.get("mesh") == "internal" else 1 + ratio
    if share < 1e-9:
        return ()
    radius = float(distances.mean() / share)
    return radius, ratio * radius


def contact(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    """The cam's curve, the face of a flat follower, and a dot where they touch."""
    cam, follower = element.markers[:2]
    touching = stage.shown.place(follower)
    if element.outline:
        curve = np.array(element.outline)
        colour = stage.colour(cam[0])
        path = stage.shown.at_marker(cam, curve)
        if np.isfinite(curve).all():
            yield area(path, color=colour, alpha=0.25, linewidth=0, zorder=2)
        yield line(path[:, [*range(len(curve)), 0]], color=colour, linewidth=2 * stage.fine, zorder=2.1)
        if element.constants.get("follower") == "flat":
            touching = touch_point(stage.shown, element)
            yield _face(stage, element)
    yield dot(touching, color=DARK, markersize=5 * stage.fine, markeredgewidth=0)


def touch_point(motion: PlanarMotion, element: ElementSketch) -> np.ndarray:
    """Where the flat face touches the cam: the point of the curve whose normal is the face's."""
    cam, follower = element.markers[:2]
    curve = np.array(element.outline)
    normal = motion.angle(follower) + np.pi / 2 - motion.angle(cam)
    known = -np.pi + 2 * np.pi * np.arange(len(curve)) / len(curve)
    on_cam = [np.interp(normal, known, curve[:, k], period=2 * np.pi) for k in (0, 1)]
    x, y, angle = (*motion.place(cam).T, motion.angle(cam))
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([x + c * on_cam[0] - s * on_cam[1], y + s * on_cam[0] + c * on_cam[1]], axis=-1)


def _face(stage: Stage, element: ElementSketch) -> PlanePiece:
    """As long as the way of the touching point on it."""
    follower = element.markers[1]
    away = touch_point(stage.whole, element) - stage.whole.place(follower)
    angle = stage.whole.angle(follower)
    ways = away[:, 0] * np.cos(angle) + away[:, 1] * np.sin(angle)
    ends = [[min(ways.min(), 0) - stage.symbol, 0.0], [max(ways.max(), 0) + stage.symbol, 0.0]]
    path = stage.shown.at_marker(follower, np.array(ends))
    return line(path, color=stage.colour(follower[0]), linewidth=4 * stage.fine)


def _wheel(stage: Stage, marker: Marker, radius: float) -> Iterator[PlanePiece]:
    """A circle with one spoke, so that its turning is seen; what stands on the ground needs none."""
    rim = radius * np.stack([np.cos(CIRCLE), np.sin(CIRCLE)], axis=-1)
    path = stage.shown.at_marker(marker, np.vstack([[0.0, 0.0], rim]))
    colour = stage.colour(marker[0])
    if stage.is_ground(marker[0]):
        path = path[:, 1:]
    else:
        yield area(path[:, 1:], color=colour, alpha=0.12, linewidth=0, zorder=2)
    yield line(path, color=colour, linewidth=2 * stage.fine, zorder=2.1)


def _rail(stage: Stage, rail: Marker, follower: Marker) -> np.ndarray:
    """As long as the way of what slides on it, and a little more."""
    ways = stage.whole.seen_from(rail, follower)[:, 0]
    ends = np.array([[ways.min() - 3 * stage.symbol, 0.0], [ways.max() + 3 * stage.symbol, 0.0]])
    return stage.shown.at_marker(rail, ends)


def _hole(stage: Stage, marker: Marker) -> PlanePiece:
    place = stage.shown.place(marker)
    how = {"markerfacecolor": "white", "markeredgecolor": DARK, "markeredgewidth": 1.2 * stage.fine}
    return dot(place, markersize=6 * stage.fine, **how)


def _supports(stage: Stage, element: ElementSketch) -> Iterator[PlanePiece]:
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield from _support(stage, marker)


def _support(stage: Stage, marker: Marker) -> Iterator[PlanePiece]:
    """The ground under a joint: a triangle on a hatched line."""
    corners = np.array([[0.0, 0.0], [-0.9, -1.5], [0.9, -1.5]])
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * corners
    yield area(path, facecolor="white", edgecolor=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)
    yield _hatched(stage, marker, depth=1.5)


def _hatched(stage: Stage, marker: Marker, depth: float) -> PlanePiece:
    """A line with strokes below it, so far below the marker."""
    gap = (np.nan, np.nan)
    strokes = [p for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for p in ((x, -depth), (x - 0.4, -depth - 0.5), gap)]
    points = np.array([(-1.4, -depth), (1.4, -depth), gap, *strokes])
    path = stage.shown.place(marker)[:, None, :] + stage.symbol * points
    return line(path, color=GROUND, linewidth=1.2 * stage.fine, zorder=1.8)


KINDS: dict[str, Callable[[Stage, ElementSketch], Iterator[PlanePiece]]] = {
    "pin": pin,
    "slider": slider,
    "slot": slot,
    "link": link,
    "weld": weld,
    "runner": runner,
    "mesh": mesh,
    "contact": contact,
}
