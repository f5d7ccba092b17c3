"""Symbols for forces in space: a coil for a spring, cylinder and piston for a damper, an arrow for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..stage import Stage
from ..style import ELASTIC, LOAD
from .pieces import BY_DEPTH, OVER_BODIES, Line, Solid, dot, line, solid

COILS = 7
"""Of a spring: as many at any length, so that it is seen to stretch."""
LONGEST_ARROW = 8.0
"""The arrow of the largest force, in units of half a joint's symbol; the others are in proportion."""
SIDES = 8
"""Of an arrow's head."""

Pieces = Iterator[Line | Solid]
Look = dict[str, Any]


def force_pieces(stage: Stage, element: ElementSketch) -> Pieces:
    """The pieces of one force; joints, and kinds without a symbol, have none."""
    if element.kind in KINDS:
        yield from KINDS[element.kind](stage, element)


def spring(stage: Stage, element: ElementSketch) -> Pieces:
    """A coil; where it damps as well, about a damper."""
    start, way, x, y = _between(stage, element)
    angle = np.linspace(0.0, 2 * np.pi * COILS, 12 * COILS + 1)
    rise = np.clip(angle / angle[-1], 0, 1) * 0.7 + 0.15
    lead = np.array([0.0, 0.15]), np.array([0.85, 1.0])
    part = np.concatenate([lead[0], rise, lead[1]])
    radius = stage.symbol * np.concatenate([[0, 0], np.full(len(angle), 0.9), [0, 0]])
    turn = np.concatenate([[0, 0], angle, [0, 0]])
    path = start[:, None] + part[:, None] * way[:, None]
    path = path + (radius * np.cos(turn))[:, None] * x[:, None] + (radius * np.sin(turn))[:, None] * y[:, None]
    yield line(path, color=ELASTIC, linewidth=1.4 * stage.fine)
    if element.constants.get("damping"):
        yield from _cylinder_and_piston(stage, element)
    yield from _ends(stage, element)


def damper(stage: Stage, element: ElementSketch) -> Pieces:
    yield from _cylinder_and_piston(stage, element)
    yield from _ends(stage, element)


def arrow(stage: Stage, element: ElementSketch) -> Pieces:
    """From the point that the force acts on, in its direction; its length is in proportion to the force, by one
    scale for all arrows and times."""
    if element.name not in stage.whole.forces:
        return
    largest = max(np.linalg.norm(force, axis=1).max(initial=0.0) for force in stage.whole.forces.values())
    start = stage.shown.place(element.markers[min(1, len(element.markers) - 1)])
    way = stage.shown.forces[element.name] * (LONGEST_ARROW * stage.symbol / (largest or 1.0))
    along, x, y = directions(way)
    head = np.minimum(1.8 * stage.symbol, 0.6 * np.linalg.norm(way, axis=1))[:, None]
    tip = start + way
    base = tip - head * along
    how: Look = {"color": LOAD, "linewidth": 2 * stage.fine, "solid_capstyle": "butt"}
    yield line(np.stack([start, base], axis=1), OVER_BODIES, **how)
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    rim = [base + 0.38 * head * (np.cos(a) * x + np.sin(a) * y) for a in angles]
    sides = [(0, 1 + k, 1 + (k + 1) % SIDES) for k in range(SIDES)]
    yield solid(np.stack([tip, *rim], axis=1), [*sides, tuple(range(SIDES, 0, -1))], LOAD)


def _cylinder_and_piston(stage: Stage, element: ElementSketch) -> Pieces:
    """The cylinder stands in the middle, of constant length if there is room for it. The piston goes from its one end
    to the other as the distance d goes from its least to its largest: it is so far beyond the middle,

        half · (-0.6 + 1.2 (d - least) / travel).
    """
    start, way, _, _ = _between(stage, element)
    distance = np.linalg.norm(way, axis=1)
    first, second = (stage.whole.place(marker) for marker in element.markers[:2])
    distances = np.linalg.norm(second - first, axis=1)
    least, travel = float(distances.min()), float(np.ptp(distances))
    half = min(1.8 * stage.symbol, 0.3 * least)
    beyond = -0.6 + 1.2 * (distance - least) / travel if travel > 1e-6 * (least + travel) else np.zeros(len(distance))
    along = directions(way)[0]
    middle, end = start + way / 2, start + way
    bottom, top = middle - half * along, middle + half * along
    piston = middle + (half * beyond)[:, None] * along
    plate = 0.12 * half * along
    thin: Look = {"color": ELASTIC, "linewidth": 1.4 * stage.fine}
    wide: Look = {"solid_capstyle": "butt"}
    yield line(np.stack([start, bottom], axis=1), BY_DEPTH, **thin)
    yield line(np.stack([bottom, top], axis=1), BY_DEPTH, color=ELASTIC, linewidth=9 * stage.fine, **wide)
    inside = np.stack([bottom + 0.1 * half * along, top], axis=1)
    yield line(inside, OVER_BODIES, color="white", linewidth=6.5 * stage.fine, **wide)
    disk = np.stack([piston - plate, piston + plate], axis=1)
    yield line(disk, OVER_BODIES, color=ELASTIC, linewidth=5.5 * stage.fine, **wide)
    yield line(np.stack([piston, end], axis=1), OVER_BODIES, **thin)


def _ends(stage: Stage, element: ElementSketch) -> Pieces:
    """A small dot at either end; on the ground a square one."""
    for marker in element.markers[:2]:
        shape = "s" if stage.is_ground(marker[0]) else "o"
        size = 4 * stage.fine
        yield dot(stage.shown.place(marker), color=ELASTIC, marker=shape, markersize=size, markeredgewidth=0)


def _between(stage: Stage, element: ElementSketch) -> tuple[np.ndarray, ...]:
    """The start, the way to the end, and two directions across it."""
    start, end = (stage.shown.place(marker) for marker in element.markers[:2])
    return (start, end - start, *directions(end - start)[1:])


def directions(way: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors along a way at each pose, and two across it; zero where there is no way."""
    length = np.linalg.norm(way, axis=1, keepdims=True)
    along = way / np.where(length > 0.0, length, 1.0)
    least = np.eye(3)[np.abs(along).max(axis=0).argmin()]  # one for all poses, or the rest would jump
    x = np.cross(along, least)
    size = np.linalg.norm(x, axis=1, keepdims=True)
    x = x / np.where(size > 0.0, size, 1.0)
    return along, x, np.cross(along, x)


KINDS: dict[str, Callable[[Stage, ElementSketch], Pieces]] = {
    "spring": spring,
    "damper": damper,
    "arrow": arrow,
}
