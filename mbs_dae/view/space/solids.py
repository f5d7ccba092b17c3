"""Shapes as corners and faces, in the axes of what they belong to. Faces go round counter-clockwise as seen from
outside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

Shape = tuple[np.ndarray, tuple[tuple[int, ...], ...]]

SIDES = 12
"""Of what ought to be round."""


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


def circle(radius: float, points: int, start: float = 0.0) -> np.ndarray:
    """Points on a circle about the z axis, the last one before the first."""
    angles = start + 2 * np.pi * np.arange(points) / points
    return radius * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)


@cache
def hull(points: tuple[tuple[float, ...], ...]) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]:
    """The faces of the convex hull of distinct points, and its edges, as numbers of points; of points in one plane a
    single face; of points on a line one edge, between its ends."""
    array = np.array(points, dtype=float).reshape(-1, 3)
    if len(array) < 2:
        return (), ()
    centred = array - array.mean(axis=0)
    _, widths, directions = np.linalg.svd(centred)
    widths = np.concatenate([widths, np.zeros(3 - len(widths))])
    if widths[1] < 1e-6 * widths[0]:
        along = centred @ directions[0]
        return (), ((int(along.argmin()), int(along.argmax())),)
    from scipy.spatial import ConvexHull

    if widths[2] < 1e-6 * widths[0]:
        faces = [_ring(centred @ directions[:2].T, range(len(array)))]
    else:
        body = ConvexHull(centred)
        normals = body.equations[:, :3]
        planes: list[list[int]] = []
        for k in range(len(normals)):
            same = next((p for p in planes if np.abs(body.equations[p[0]] - body.equations[k]).max() < 1e-6), None)
            planes.append([k]) if same is None else same.append(k)
        faces = []
        for plane in planes:
            normal = normals[plane[0]]
            x = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
            corners = sorted({int(c) for k in plane for c in body.simplices[k]})
            faces.append(_ring(centred @ np.stack([x, np.cross(normal, x)], axis=-1), corners))
    edges = {(min(a, b), max(a, b)) for face in faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
    return tuple(faces), tuple(sorted(edges))


def _ring(flat: np.ndarray, corners: Sequence[int]) -> tuple[int, ...]:
    """The convex hull of some of the points in a plane, counter-clockwise."""
    from scipy.spatial import ConvexHull

    chosen = list(corners)
    return tuple(chosen[k] for k in ConvexHull(flat[chosen]).vertices)
