"""Bodies in space: a rod through two points, a plate or a hull through more. One that has a single point is a block, so
that its attitude is seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...results.sketch import BodySketch
from ..stage import Stage, corners_of, hangs
from ..style import COLOURS
from . import solids
from .pieces import BY_DEPTH, Line, Solid, line, solid

BLOCK = (2.2, 1.5, 0.9)
"""Half the sides of a block along the body's axes, in units of half a joint's symbol."""
AXIS = 4.5
"""Of a free block, how long its axes are, in the same unit."""
AXES = {"x": COLOURS[1], "y": COLOURS[2], "z": COLOURS[0]}


def body_pieces(stage: Stage, body: BodySketch, alpha: float = 1.0, **how: Any) -> Iterator[Line | Solid]:
    corners = corners_of(stage, body)
    path = stage.shown.places(body.name, corners)
    faces, edges = solids.hull(tuple(map(tuple, corners)))
    colour, look = stage.colour(body.name), {"alpha": alpha, **how}
    if faces:
        yield solid(path, faces, colour, BY_DEPTH, **{**look, "alpha": 0.3 * alpha})
        yield line(_strung(path, edges), color=colour, linewidth=2.5 * stage.fine, **look)
    elif hangs(stage, body):
        if edges:
            yield line(path, color=colour, linewidth=4 * stage.fine, **look)
        if body.name not in stage.drawn_by_joints:
            yield block(stage, body, corners[-1], colour, **look)
    elif edges:
        yield line(path[:, edges[0]], color=colour, linewidth=6 * stage.fine, **look)
        if stage.held[body.name] in ([], ["ball"]):  # a rod that may spin about itself, unseen
            yield block(stage, body, np.array(body.com, dtype=float), colour, **look)
    elif body.name not in stage.drawn_by_joints:
        yield block(stage, body, corners[0], colour, **look)
    if not faces and not stage.held[body.name]:
        yield from triad(stage, body, np.array(body.com, dtype=float), **look)


def skeleton(stage: Stage, body: BodySketch) -> np.ndarray:
    """The corners of a body at each pose; of a rod its two ends."""
    corners = corners_of(stage, body)
    faces, edges = solids.hull(tuple(map(tuple, corners)))
    if not faces and edges:
        corners = corners[list(edges[0])]
    elif len(faces) == 1:
        corners = corners[list(faces[0])]
    return stage.shown.places(body.name, corners)


def block(stage: Stage, body: BodySketch, at: np.ndarray, colour: str, **look: Any) -> Solid:
    corners, faces = solids.box(*(half * stage.symbol for half in BLOCK))
    path = stage.shown.places(body.name, corners + at)
    return solid(path, faces, colour, BY_DEPTH, edge="white", **look)


def triad(stage: Stage, body: BodySketch, at: np.ndarray, **look: Any) -> Iterator[Line]:
    """The axes of a body that no joint holds."""
    for direction, colour in zip(np.eye(3), AXES.values(), strict=True):
        path = stage.shown.places(body.name, np.stack([at, at + AXIS * stage.symbol * direction]))
        yield line(path, color=colour, linewidth=1.6 * stage.fine, **look)


def _strung(path: np.ndarray, edges: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Edges as one line that is lifted off between them."""
    gap = np.full((len(path), 1, 3), np.nan)
    return np.concatenate([part for a, b in edges for part in (path[:, [a, b]], gap)], axis=1)
