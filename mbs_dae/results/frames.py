"""Positions and axes of bodies and markers in a result, from its coordinates and its sketch, so that a result from a
file has them, too. The plane is a part of space: z is 0, and all rotations are about z."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import check_name
from ..rotations import about_z, from_quaternion
from .sketch import ElementSketch, Sketch

Marker = tuple[Any, ...]
"""(body, position and axes of the marker in those of the body), as in `ElementSketch`."""


class Placed(Protocol):
    """A result with coordinates and a sketch."""

    @property
    def q(self) -> np.ndarray: ...
    @property
    def coordinate_names(self) -> tuple[str, ...]: ...
    @property
    def sketch(self) -> Sketch: ...


class FramePath(NamedTuple):
    """The position and axes of a body or a marker over time, in the world."""

    point: np.ndarray
    """Shape (times, 3), in m."""
    axes: np.ndarray
    """Shape (times, 3, 3), with the axes as columns."""

    def parts(self, vectors: np.ndarray) -> np.ndarray:
        """Return the components of vectors in the world, (times, 2 or 3), along these axes."""
        size = vectors.shape[1]
        return np.einsum("tkc,tk->tc", self.axes[:, :size, :size], vectors)


def in_space(points: Any) -> np.ndarray:
    """Return points of the plane, shape (..., 2), with z = 0; points of space as they are."""
    points = np.asarray(points, dtype=float)
    return np.concatenate([points, np.zeros((*points.shape[:-1], 3 - points.shape[-1]))], axis=-1)


def on_body(marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Return the point and the axes (columns) of a marker in those of its body."""
    numbers = marker[1:]
    if len(numbers) == 3:
        return in_space(numbers[:2]), about_z(numbers[2])
    return np.array(numbers[:3], dtype=float), np.reshape(numbers[3:], (3, 3))


def of_body(result: Placed, body: str) -> FramePath:
    return of_coordinates(coordinates(result, body)) if body in moving(result) else of_world(len(result.q))


def coordinates(result: Placed, body: str) -> np.ndarray:
    """Return the coordinates of a moving body over time: x, y and its angle; in space x, y, z and a unit quaternion."""
    check_name("body", body, moving(result), "the result")
    start = result.coordinate_names.index(f"{body}.x")
    return result.q[:, start : start + (3 if result.sketch.dimension == 2 else 7)]


def of_coordinates(own: np.ndarray) -> FramePath:
    if own.shape[1] == 3:
        return FramePath(in_space(own[:, :2]), about_z(own[:, 2]))
    return FramePath(own[:, :3], from_quaternion(own[:, 3:]))


def of_world(times: int) -> FramePath:
    """Return the frame of the ground."""
    return FramePath(np.zeros((times, 3)), np.tile(np.eye(3), (times, 1, 1)))


def moving(result: Placed) -> list[str]:
    return [body.name for body in result.sketch.bodies]


def elements(result: Placed, kind: str, name: str) -> Iterator[ElementSketch]:
    """Yield the sketch of an element; for a sweep that changes it, the sketch at each value."""
    check_name(kind, name, [e.name for e in result.sketch.elements], "the result")
    for sketch in result.sketch.variants or (result.sketch,):
        yield next(e for e in sketch.elements if e.name == name)


def at_element(result: Placed, name: str, place: int) -> FramePath:
    """Return the frame of a marker of an element, by its index among the element's markers."""
    return _placed(result, [e.markers[place] for e in elements(result, "element", name)])


def at_marker(result: Placed, name: str) -> FramePath:
    """Return the frame of a named marker, "rod.tip"."""
    return _placed(result, [sketch.markers[name] for sketch in result.sketch.variants or (result.sketch,)])


def _placed(result: Placed, markers: list[Marker]) -> FramePath:
    points, axes = map(np.array, zip(*map(on_body, markers), strict=True))
    body = of_body(result, markers[0][0])
    return FramePath(body.point + (body.axes @ points[:, :, None])[:, :, 0], body.axes @ axes)


def named(result: Placed, axes: str, owner: str = "") -> FramePath:
    """Return a frame by its name in ``axes=``: "world", a body or a marker, "rod.tip"; for an element, the `owner`,
    also its "first" or "second" body."""
    own = next((e.markers for e in result.sketch.elements if e.name == owner), ())
    bodies = {"world": "", "ground": ""} | {body: body for body in moving(result)}
    if own:
        bodies |= {"first": own[0][0], "second": own[min(1, len(own) - 1)][0]}
    check_name("axes", axes, [*bodies, *result.sketch.markers], "the result")
    return of_body(result, bodies[axes]) if axes in bodies else at_marker(result, axes)


def along(result: Placed, wrench: np.ndarray, axes: str, owner: str = "") -> np.ndarray:
    """Return a force and a moment in the world, side by side, along the axes that `named` has under this name."""
    frame, size = named(result, axes, owner), result.sketch.dimension
    if axes == "world":
        return wrench
    parts = np.split(wrench, [size], axis=1)
    return np.concatenate([frame.parts(part) if part.shape[1] == size else part for part in parts], axis=1)
