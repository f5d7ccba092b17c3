"""Symbols for what is round in space: disks that roll, wheels in mesh, cams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..motion import Marker
from ..stage import Stage
from ..style import DARK
from . import solids
from .motion import SpatialMotion
from .pieces import AS_SAID, BY_DEPTH, OVER_BODIES, Line, Solid, dot, line, solid

Pieces = Iterator[Line | Solid]

ROUND = 72
"""Points on a circle."""
UNKNOWN = 3.0
"""The radius of the larger of two wheels whose sizes nothing tells, in units of half a joint's symbol."""


def disk(stage: Stage, element: ElementSketch) -> Pieces:
    """A disk of its radius, with a spoke, on the plane that it rolls on."""
    plane, rim = element.markers[:2]
    radius = float(element.constants["radius"])
    ways = stage.whole.seen_from(plane, rim)[:, :2]
    reached = np.concatenate([ways - radius, ways + radius])
    yield patch(stage, plane, reached, 0.0)
    yield from wheel(stage, rim, radius)


def wheel(stage: Stage, marker: Marker, radius: float, alpha: float = 1.0, **how: Any) -> Pieces:
    """About the marker's axis, with one spoke, so that its turning is seen; what stands on the ground needs none."""
    rim = solids.circle(radius, ROUND)
    colour = stage.colour(marker[0])
    path = stage.shown.at_marker(marker, rim)
    if not stage.is_ground(marker[0]):
        yield solid(path, [tuple(range(ROUND))], colour, BY_DEPTH, alpha=0.3 * alpha, **how)
        spoke = stage.shown.at_marker(marker, np.array([[0.0, 0.0, 0.0], [radius, 0.0, 0.0]]))
        yield line(spoke, color=colour, linewidth=2 * stage.fine, alpha=alpha, **how)
    yield line(path[:, [*range(ROUND), 0]], color=colour, linewidth=2.5 * stage.fine, alpha=alpha, **how)


def patch(stage: Stage, plane: Marker, reached: np.ndarray, margin: float) -> Solid:
    """As much of the plane through a marker, at right angles to its axis, as is reached on it."""
    low, high = reached.min(axis=0) - margin, reached.max(axis=0) + margin
    corners = np.array([[low[0], low[1], 0], [high[0], low[1], 0], [high[0], high[1], 0], [low[0], high[1], 0]])
    path = stage.shown.at_marker(plane, corners)
    order = AS_SAID if stage.is_ground(plane[0]) else BY_DEPTH
    return solid(path, [(0, 1, 2, 3)], stage.colour(plane[0]), order, alpha=0.13, zorder=1.1)


def mesh(stage: Stage, element: ElementSketch) -> Pieces:
    """The pitch circles of two wheels, or of a pinion and the pitch line of its rack."""
    first, second = element.markers[:2]
    if "radius" in element.constants:
        radius = float(element.constants["radius"])
        yield from wheel(stage, first, radius)
        ways = stage.whole.seen_from(second, first)[:, 0]
        ends = np.array([[ways.min() - radius, 0, 0], [ways.max() + radius, 0, 0]])
        yield line(stage.shown.at_marker(second, ends), color=stage.colour(second[0]), linewidth=2.5 * stage.fine)
    else:
        for marker, radius in zip((first, second), pitch_radii(stage, element), strict=True):
            yield from wheel(stage, marker, radius)


def pitch_radii(stage: Stage, element: ElementSketch) -> tuple[float, float]:
    """On parallel axes the two radii that share their distance as the ratio says. On others (bevel gears) the markers
    do not tell how large the wheels are: they are drawn small, in the right proportion."""
    first, second = element.markers[:2]
    ratio = float(element.constants["ratio"])
    distance = distance_of_axes(stage.whole, first, second)
    share = abs(1 - ratio) if element.constants.get("mesh") == "internal" else 1 + ratio
    if distance > 0.0 and share > 1e-9:
        return distance / share, ratio * distance / share
    larger = UNKNOWN * stage.symbol
    return larger / max(1.0, ratio), larger * ratio / max(1.0, ratio)


def distance_of_axes(motion: SpatialMotion, first: Marker, second: Marker) -> float:
    """Of two axes that stay parallel and at one distance; else 0."""
    seen = motion.seen_from(first, second)
    along = np.einsum("ki,ki->k", motion.axes(first)[:, 2], motion.axes(second)[:, 2])
    distances = np.hypot(seen[:, 0], seen[:, 1])
    steady = np.ptp(distances) < 1e-3 * distances.max(initial=0.0)
    return float(distances.mean()) if steady and np.abs(along).min() > 1 - 1e-6 else 0.0


def contact(stage: Stage, element: ElementSketch) -> Pieces:
    """The cam's curve, the face of a flat follower, and a dot where they touch."""
    cam, follower = element.markers[:2]
    touching = stage.shown.place(follower)
    if element.outline:
        curve = np.array([(x, y, 0.0) for x, y in element.outline])
        colour = stage.colour(cam[0])
        path = stage.shown.at_marker(cam, curve)
        if np.isfinite(curve).all():
            yield solid(path, [tuple(range(len(curve)))], colour, BY_DEPTH, alpha=0.3)
        yield line(path[:, [*range(len(curve)), 0]], color=colour, linewidth=2 * stage.fine)
        if element.constants.get("follower") == "flat":
            touching = touch_point(stage.shown, element)
            yield _face(stage, element)
    yield dot(touching, color=DARK, markersize=5 * stage.fine, markeredgewidth=0)


def touch_point(motion: SpatialMotion, element: ElementSketch) -> np.ndarray:
    """Where the flat face touches the cam: the point of the curve whose normal is the face's."""
    cam, follower = element.markers[:2]
    curve = np.array(element.outline)
    away = np.einsum("kij,kj->ki", motion.axes(cam), motion.axes(follower)[:, 1])
    known = -np.pi + 2 * np.pi * np.arange(len(curve)) / len(curve)
    normal = np.arctan2(away[:, 1], away[:, 0])
    x, y = (np.interp(normal, known, curve[:, k], period=2 * np.pi) for k in (0, 1))
    across = motion.axes(cam)
    return motion.place(cam) + x[:, None] * across[:, 0] + y[:, None] * across[:, 1]


def _face(stage: Stage, element: ElementSketch) -> Line:
    """As long as the way of the touching point on it."""
    follower = element.markers[1]
    away = touch_point(stage.whole, element) - stage.whole.place(follower)
    ways = np.einsum("ki,ki->k", stage.whole.axes(follower)[:, 0], away)
    ends = [[min(ways.min(), 0) - stage.symbol, 0, 0], [max(ways.max(), 0) + stage.symbol, 0, 0]]
    path = stage.shown.at_marker(follower, np.array(ends))
    return line(path, OVER_BODIES, color=stage.colour(follower[0]), linewidth=4 * stage.fine)
