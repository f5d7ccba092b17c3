"""A sketch of a mechanism without a drawing: bodies as their points, elements as symbols at markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Point = tuple[float, ...]  # two coordinates in the plane, three in space


@dataclass(frozen=True, eq=False)
class MeshSketch:
    """A surface of triangles in body axes: its corners, and three numbers of corners for each triangle,
    counterclockwise as seen from outside."""

    points: np.ndarray
    faces: np.ndarray


@dataclass(frozen=True)
class BodySketch:
    name: str
    points: tuple[Point, ...]  # the distinct points of the body's markers, in body axes
    com: Point
    meshes: tuple[MeshSketch, ...] = ()
    """The meshes, from files, with which the body is drawn."""


@dataclass(frozen=True)
class ShapeSketch:
    """A shape at a marker where bodies touch, in its axes: "solid", all points within a radius of the hull of its
    corners; "outline", a closed line through its corners; "hollow", the inside of a ring or a bowl of this radius;
    "flat", a line or a plane."""

    kind: str
    corners: tuple[Point, ...] = ()
    radius: float = 0.0


@dataclass(frozen=True)
class ElementSketch:
    """An element: `kind` as in `Element.sketch`; `markers` has (body, x, y, angle) for each marker, in body axes; in
    space (body, x, y, z, and the nine numbers of its frame, row by row)."""

    name: str
    kind: str
    markers: tuple[tuple[Any, ...], ...]
    constants: Mapping[str, float | str] = field(default_factory=dict)
    """The scalars and choices of gears, cams and forces that define radii, shapes and directions."""
    outline: tuple[Point, ...] = ()
    """The curve of a cam in the axes of the first marker, at equally spaced angles from -π on: polar angles for a point
    follower, directions of the normal for a flat one."""
    shapes: tuple[ShapeSketch, ...] = ()
    """The shapes of a contact of two shapes: one for each marker."""


@dataclass(frozen=True)
class Sketch:
    bodies: tuple[BodySketch, ...]  # the moving bodies; symbols show the ground
    elements: tuple[ElementSketch, ...]
    dimension: int = 2
    variants: tuple[Sketch, ...] = ()
    """The sketch at each value of a sweep that changes dimensions; this sketch is the first."""
    markers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The named markers, "rod.tip", each as in `ElementSketch`."""
    up: Point = ()
    """The direction against gravity, if there is any."""


def swept(sketches: Sequence[Sketch]) -> Sketch:
    """Return the sketches of all values of a sweep as one."""
    first = sketches[0]
    return first if all(sketch == first for sketch in sketches) else replace(first, variants=tuple(sketches))
