"""Shapes as corners and faces, in the axes of what they belong to. Faces go round counter-clockwise as seen from
outside."""

from __future__ import annotations

import numpy as np

from ..symbols import circle

Shape = tuple[np.ndarray, tuple[tuple[int, ...], ...]]

SIDES = 12  # of what ought to be round


def box(x: float, y: float, z: float) -> Shape:
    """Of these half lengths."""
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    corners = np.array([(sx, sy, sz) for sz in (-1, 1) for sx, sy in signs]) * [x, y, z]
    return corners, ((3, 2, 1, 0), (4, 5, 6, 7), *((k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4)))


def cylinder(radius: float, half: float, sides: int = SIDES) -> Shape:
    """About the z axis; the first of its sides is where the x axis comes out."""
    rim = circle(radius, sides, -np.pi / sides)
    corners = np.concatenate([rim - [0, 0, half], rim + [0, 0, half]])
    around = ((k, (k + 1) % sides, (k + 1) % sides + sides, k + sides) for k in range(sides))
    return corners, (*around, tuple(reversed(range(sides))), tuple(range(sides, 2 * sides)))


def pyramid(half: float, height: float) -> Shape:
    """Standing with its tip at the origin."""
    corners = np.array([[0, 0, 0], *([x * half, y * half, -height] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))])
    return corners, (*((0, k, k % 4 + 1) for k in range(1, 5)), (4, 3, 2, 1))
