"""A sketch of a mechanism that has no drawing: bodies as their points, elements as symbols at markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Point = tuple[float, ...]  # of two coordinates in the plane, of three in space


@dataclass(frozen=True, eq=False)
class MeshSketch:
    """A surface of triangles in body axes: its corners, and three of their numbers for each triangle, round as seen
    from outside."""

    points: np.ndarray
    faces: np.ndarray


@dataclass(frozen=True)
class BodySketch:
    name: str
    points: tuple[Point, ...]  # the distinct places of the body's markers, in body axes
    com: Point
    meshes: tuple[MeshSketch, ...] = ()
    """What it is drawn by, where a file says it."""


@dataclass(frozen=True)
class ShapeSketch:
    """A shape at a marker where bodies touch, in its axes: "solid", all within a radius of the hull of its corners;
    "outline", a closed line through its corners; "hollow", the inside of a ring or a bowl of this radius; "flat", a
    line or a plane."""

    kind: str
    corners: tuple[Point, ...] = ()
    radius: float = 0.0


@dataclass(frozen=True)
class ElementSketch:
    """`kind` as in `Element.sketch`; one (body, x, y, angle) for each marker, in body axes; in space (body, x, y, z,
    and the nine numbers of its frame, row by row)."""

    name: str
    kind: str
    markers: tuple[tuple[Any, ...], ...]
    constants: Mapping[str, float | str] = field(default_factory=dict)
    """Of gears, cams and forces: the scalars and choices that tell radii, shapes and directions."""
    outline: tuple[Point, ...] = ()
    """Of a cam: its curve in the axes of the first marker, at equally spaced angles from -π on: polar angles for
    a point follower, directions of the normal for a flat one."""
    shapes: tuple[ShapeSketch, ...] = ()
    """Of a contact of two shapes: one for each marker."""


@dataclass(frozen=True)
class Sketch:
    bodies: tuple[BodySketch, ...]  # the moving bodies; the ground is where the symbols on it stand
    elements: tuple[ElementSketch, ...]
    dimension: int = 2
    variants: tuple[Sketch, ...] = ()
    """Of a sweep that changes dimensions: the sketch at each value. This one is the first."""
    markers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Those with a name, "rod.tip", each as in `ElementSketch`."""
    up: Point = ()
    """The direction against gravity, where there is any."""


def swept(sketches: Sequence[Sketch]) -> Sketch:
    """The sketches of all values of a sweep as one."""
    first = sketches[0]
    return first if all(sketch == first for sketch in sketches) else replace(first, variants=tuple(sketches))
