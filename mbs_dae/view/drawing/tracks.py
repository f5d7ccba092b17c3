"""Describe the paths of the points of a drawing for all poses: points ride on a body or a marker, or stretch along a
way. A track evaluated over a motion is an array; a page evaluates the same track in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ...results.sketch import ElementSketch
from .motion import DrawnMotion, Marker, in_space

ROPE = 25  # points on a rope: more than any polyline of few corners has


class Track(Protocol):
    def over(self, motion: DrawnMotion) -> np.ndarray:
        """Return the points at each pose in the world, shape (poses, points, 3)."""
        ...

    def taking(self, numbers: Sequence[int]) -> Track:
        """Return the track of the points with these indices, in this order."""
        ...


@dataclass(frozen=True, eq=False)
class OnBody:
    """Points in the axes of a body."""

    body: str
    points: np.ndarray

    def over(self, motion: DrawnMotion) -> np.ndarray:
        return motion.places(self.body, self.points)

    def taking(self, numbers: Sequence[int]) -> OnBody:
        return replace(self, points=self.points[list(numbers)])


@dataclass(frozen=True, eq=False)
class Rigid(OnBody):
    """The points of a mesh, which no parameter moves in their body."""


@dataclass(frozen=True, eq=False)
class AtMarker:
    """Points in the axes of a marker; if `upright`, in world axes about the marker."""

    marker: Marker
    points: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))
    upright: bool = False

    def over(self, motion: DrawnMotion) -> np.ndarray:
        if self.upright:
            return motion.place(self.marker)[:, None] + in_space(self.points)
        return motion.at_marker(self.marker, self.points)

    def taking(self, numbers: Sequence[int]) -> AtMarker:
        return replace(self, points=self.points[list(numbers)])


@dataclass(frozen=True, eq=False)
class Rail(AtMarker):
    """A straight line along an axis of a marker, extended by `beyond` past the travel of another marker."""

    follower: Marker = ()
    axis: int = 0
    beyond: float = 0.0


@dataclass(frozen=True, eq=False)
class Span:
    """A shape on the way from a marker to another one, or along the force at the marker. Its points are (part of the
    way, additional length along, lengths across in two directions); lengths are in units of a constant length `unit`,
    which is at most the part `at_most` of the way."""

    start: Marker
    way: Marker | ForceArrow
    shape: np.ndarray
    unit: float
    at_most: float | None = None

    def over(self, motion: DrawnMotion) -> np.ndarray:
        start, way = motion.place(self.start), self.spans(motion)
        size: Any = self.unit
        if self.at_most is not None:
            size = np.minimum(size, self.at_most * np.linalg.norm(way, axis=1))[:, None, None]
        part, *sizes = (column[:, None] for column in self.shape.T)
        off = sum(each * one[:, None] for each, one in zip(sizes, directions(way), strict=False))
        return start[:, None] + part * way[:, None] + size * off

    def spans(self, motion: DrawnMotion) -> np.ndarray:
        """Return the vectors from start to end at each pose, shape (poses, 3)."""
        if isinstance(self.way, ForceArrow):
            return self.way.scale * motion.forces[self.way.name]
        return motion.place(self.way) - motion.place(self.start)

    def taking(self, numbers: Sequence[int]) -> Span:
        return replace(self, shape=self.shape[list(numbers)])


@dataclass(frozen=True, eq=False)
class Sagging:
    """A rope of this length [m] between two markers: straight if it is taut, else a parabola that hangs against the
    axis `down` of the world."""

    start: Marker
    end: Marker
    length: float
    down: int

    def over(self, motion: DrawnMotion) -> np.ndarray:
        start, end = (motion.place(marker)[:, None] for marker in (self.start, self.end))
        part = np.linspace(0.0, 1.0, ROPE)[:, None]
        straight, hanging = start + part * (end - start), -4 * part * (1 - part) * np.eye(3)[self.down]

        def shape(sag: np.ndarray) -> np.ndarray:
            return straight + sag[:, None, None] * hanging

        least, most = np.zeros(len(motion)), np.full(len(motion), self.length)
        for _ in range(40):  # a deeper sag makes the rope longer, and the sag is less than the length: bisection
            middle = (least + most) / 2
            too_long = np.linalg.norm(np.diff(shape(middle), axis=1), axis=2).sum(axis=1) > self.length
            least, most = np.where(too_long, least, middle), np.where(too_long, middle, most)
        return shape(least)

    def taking(self, numbers: Sequence[int]) -> Sagging:
        raise NotImplementedError("a rope is drawn whole")


@dataclass(frozen=True)
class ForceArrow:
    """The arrow of a force, with a length of `scale` metres for each newton."""

    name: str
    scale: float


@dataclass(frozen=True, eq=False)
class TouchOfCam:
    """The point where the flat face of a follower touches its cam."""

    element: ElementSketch

    def over(self, motion: DrawnMotion) -> np.ndarray:
        return touch_point(motion, self.element)[:, None]

    def taking(self, numbers: Sequence[int]) -> TouchOfCam:
        return self


@dataclass(frozen=True, eq=False)
class SampledPath:
    """Points by their places at each pose, shape (poses, points, 3)."""

    path: np.ndarray

    def over(self, motion: DrawnMotion) -> np.ndarray:
        return self.path

    def taking(self, numbers: Sequence[int]) -> SampledPath:
        return SampledPath(self.path[:, list(numbers)])


def touch_point(motion: DrawnMotion, element: ElementSketch) -> np.ndarray:
    """Return the point of the cam's curve whose normal is that of the face, in the world, shape (poses, 3)."""
    cam, follower = element.markers[:2]
    curve, axes = np.array(element.outline), motion.axes(cam)
    away = np.einsum("kij,kj->ki", axes, motion.axes(follower)[:, 1])
    known = -np.pi + 2 * np.pi * np.arange(len(curve)) / len(curve)
    normal = np.arctan2(away[:, 1], away[:, 0])
    x, y = (np.interp(normal, known, curve[:, k], period=2 * np.pi) for k in (0, 1))
    return motion.place(cam) + x[:, None] * axes[:, 0] + y[:, None] * axes[:, 1]


def directions(way: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unit vectors along a way at each pose, and two across it; the first of these lies in the plane if the way
    does. All are zero where the way has no length."""
    along = unit(way)
    x = unit(np.cross(np.eye(3)[least_of(along)], along))
    return along, x, np.cross(along, x)


def least_of(along: np.ndarray) -> int:
    """Return the axis farthest from a way, one for all poses, so that vectors across the way do not jump."""
    return int(2 - np.abs(along).max(axis=0)[::-1].argmin())


def unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0.0, length, 1.0)


def points_of(points: Any) -> np.ndarray:
    """Return points of the plane or of space as rows of three."""
    return in_space(points).reshape(-1, 3)
