"""The geometry of two bodies that may touch: signed distances of points from surfaces, on marker symbols.

A body that moves freely against a surface is a *hull*: the convex hull of corners, thickened by a radius (a disk has
one corner, a capsule two, a box with sharp edges has radius 0). A surface knows the distance of a point from it and the
direction in which the distance grows, the normal n, |n| = 1. So the gap of a corner is

    g = distance(corner) - radius,        and it touches at c = corner - radius n.

The gap is the distance of the bodies if the distance from the surface is a concave function of the point, which over a
hull is least at a corner: a plane, the inside of a ring. Other surfaces meet a single corner, a ball. In the plane two
separate hulls are nearest to each other at a corner of one of them: so corners of each stand against the other. At
least one of the two is round. Then the distance has a normal everywhere that turns smoothly as a corner passes another
one, and no contact is counted twice: a box that slides over the end of another does not catch on it. (Sharp corners
that pass each other would have no normal.)

At c the material of the second body slips along the surface by (velocity of the second at c) - (velocity of the first),
which has one tangential component in the plane, two orthogonal ones in space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise, product
from math import atan2, pi
from typing import Any, NamedTuple

import sympy as sp

from ...symbolic.derive import Relation
from ...symbolic.functions import Unwound, opaque
from ...symbolic.markers import LABELS, FormMarker, marker_symbols
from ...tolerances import ROOT_SHIFT
from ..fields import Law
from ..parameters import Number, constants_out


class Touch(NamedTuple):
    """The relation of a point to a surface: its distance, the normal and unit tangents."""

    distance: sp.Expr
    normal: sp.Matrix
    tangents: Sequence[sp.Matrix]


@dataclass(frozen=True)
class ShapeGeometry:
    """A shape in the axes of a marker; its data are numbers or symbols. A number that is 0 is part of the form."""

    @property
    def roundness(self) -> Number:
        """The radius of the ball about each point of the hull."""
        return 0

    def corners(self, marker: FormMarker) -> list[sp.Matrix]:
        """Return the corners of its hull; none for a surface without a hull."""
        return []

    @property
    def count(self) -> int:
        """The number of corners."""
        return 0

    def takes(self, other: ShapeGeometry) -> bool:
        """Return whether this shape is a surface whose distance from the other hull is the least distance of its
        corners."""
        return False

    @property
    def is_convex(self) -> bool:
        """Whether this shape is a hull in the plane with a distance from every corner of another one."""
        return False

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        raise NotImplementedError

    def with_slots(self, label: str) -> tuple[Any, dict[sp.Symbol, Number]]:
        """Return the geometry with symbols for its numbers, and the numbers."""
        slots: dict[sp.Symbol, Number] = {}

        def put(value: Any, name: str) -> Any:
            if isinstance(value, tuple):
                return tuple(put(item, f"{name}{k}") for k, item in enumerate(value))
            if isinstance(value, Law) or (not isinstance(value, sp.Basic) and value == 0):
                return value
            symbol = sp.Symbol(f"{name}_{label}", real=True)
            slots[symbol] = value
            return symbol

        return type(self)(*(put(getattr(self, f.name), f.name) for f in fields(self))), slots


@dataclass(frozen=True)
class RoundedBox(ShapeGeometry):
    """All points whose distance from a box about the marker is at most a radius. The box may have zero extension along
    some or all axes: a point, a disk, a ball, a capsule, a box.

    The point of the box that is nearest to another point has its coordinates, each clipped at the box's faces.
    """

    halves: tuple[Number, ...]
    radius: Number = 0

    @property
    def roundness(self) -> Number:
        return self.radius

    @property
    def count(self) -> int:
        return 2 ** sum(half != 0 for half in self.halves)

    @property
    def reach(self) -> Number:
        """The radius of the least ball around the shape."""
        return sp.sqrt(sum(half**2 for half in self.halves)) + self.radius

    def corners(self, marker: FormMarker) -> list[sp.Matrix]:
        sides = ((-half, half) if half != 0 else (0,) for half in self.halves)
        return [_placed(marker, corner) for corner in product(*sides)]

    @property
    def is_convex(self) -> bool:
        return len(self.halves) == 2

    def takes(self, other: ShapeGeometry) -> bool:
        """Return whether the other shape has one corner and one of both is round: the distance from a sharp edge has no
        slope at the edge."""
        return other.count == 1 and are_round(self, other)

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        arm = point - marker.point
        place = [axis.dot(arm) for axis in marker.axes]
        nearest = [  # x, clipped at ± half
            sp.S.Zero if half == 0 else (abs(x + half) - abs(x - half)) / 2
            for x, half in zip(place, self.halves, strict=True)
        ]
        away = point - _placed(marker, nearest)
        length = sp.sqrt(away.dot(away))
        normal = away / length
        if 0 not in self.halves:
            length, normal = self._solid(marker, place, length, normal)
        return Touch(length - self.radius, normal, tangents(normal))

    def _solid(
        self, marker: FormMarker, place: Sequence[sp.Expr], length: sp.Expr, normal: sp.Matrix
    ) -> tuple[sp.Expr, sp.Matrix]:
        """Return the distance and the normal of a point, also within the box: there the distance is minus the depth
        below the nearest face, and the normal is that of the face."""
        heights = [abs(x) - half for x, half in zip(place, self.halves, strict=True)]
        outside = sp.Or(*(height > 0 for height in heights))
        *first, last = (sp.sign(x) * axis for x, axis in zip(place, marker.axes, strict=True))
        next_to = [sp.And(*(heights[k] >= other for other in heights[k + 1 :])) for k in range(len(first))]
        sides = [*zip(first, next_to, strict=True), (last, True)]
        distance = sp.Piecewise((length, outside), (sp.Max(*heights), True))
        return distance, sp.Matrix(
            [sp.Piecewise((n, outside), *((side[c], where) for side, where in sides)) for c, n in enumerate(normal)]
        )


@dataclass(frozen=True)
class Polytope(ShapeGeometry):
    """All points whose distance from a polygon or a polyhedron is at most a radius; corners are in the marker's axes. A
    convex polygon is a surface for round bodies, and a round one for all convex bodies.

    In the plane the outside consists of strips along the edges, where the distance is that from the edge, and cones at
    the corners, where the distance is that from the corner.
    """

    points: tuple[tuple[Number, ...], ...]
    radius: Number = 0

    @property
    def roundness(self) -> Number:
        return self.radius

    @property
    def count(self) -> int:
        return len(self.points)

    @property
    def is_convex(self) -> bool:
        return self.count > 2 and len(self.points[0]) == 2

    def corners(self, marker: FormMarker) -> list[sp.Matrix]:
        return [_placed(marker, point) for point in self.points]

    def takes(self, other: ShapeGeometry) -> bool:
        """Return whether the other shape has one corner, such as the middle of a disk."""
        return self.is_convex and other.count == 1 and are_round(self, other)

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        """Return the distance and normal of a point. The corners are ordered counterclockwise."""
        place = sp.Matrix([axis.dot(point - marker.point) for axis in marker.axes])
        corners = [sp.Matrix(corner) for corner in self.points]
        edges = [b - a for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        normals = [sp.Matrix([edge[1], -edge[0]]) / sp.sqrt(edge.dot(edge)) for edge in edges]
        heights = [n.dot(place - corner) for n, corner in zip(normals, corners, strict=True)]
        regions: list[tuple[sp.Expr, sp.Matrix, Any]] = []
        for k, corner in enumerate(corners):
            arm, ends = place - corner, place - corners[k - len(corners) + 1]
            length = sp.sqrt(arm.dot(arm))
            regions += [
                (length, arm / length, sp.And(edges[k - 1].dot(arm) >= 0, edges[k].dot(arm) <= 0)),
                (heights[k], normals[k], sp.And(edges[k].dot(arm) >= 0, edges[k].dot(ends) <= 0, heights[k] >= 0)),
            ]
        # the interior, which only compliant bodies reach
        for k, (height, n) in enumerate(zip(heights, normals, strict=True)):
            regions.append((height, n, sp.And(*(height - other >= 0 for other in heights[k + 1 :]))))
        distance = sp.Piecewise(*((size, where) for size, _, where in regions))
        x, y = (sp.Piecewise(*((n[c], where) for _, n, where in regions)) for c in (0, 1))
        normal = x * marker.axes[0] + y * marker.axes[1]
        return Touch(distance - self.radius, normal, tangents(normal))

    def bulges(self, number: Callable[[Number], float]) -> bool:
        """Return whether the corners go round counterclockwise, once, with a left turn at each of them."""
        x, y = ([number(p[c]) for p in self.points] for c in (0, 1))
        sides = [(x[k] - x[k - 1], y[k] - y[k - 1]) for k in range(self.count)]
        turns = [atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]) for a, b in pairwise((*sides, sides[0]))]
        return min(turns) > 0 and sum(turns) < 3 * pi


def convex_parts(points: Sequence[Sequence[float]]) -> list[list[int]]:
    """Return the corner numbers of convex polygons, each counterclockwise, that make up a simple polygon with
    counterclockwise corners; empty if the corners are clockwise or the sides intersect.

    Ears are clipped: of three successive corners with a left turn, the middle one may be cut off if no other corner
    lies in their triangle, and every simple polygon has two such corners (Meisters). Then every diagonal is removed
    without which both of its ends still turn left (Hertel and Mehlhorn): at most four times the least number of parts
    remain.
    """

    def turn(a: int, b: int, c: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
        return (bx - ax) * (cy - by) - (by - ay) * (cx - bx)

    def is_ear(k: int) -> bool:
        a, b, c = corners[k - 1], corners[k], corners[(k + 1) % len(corners)]
        others = (p for p in corners if p not in (a, b, c))
        return turn(a, b, c) > 0.0 and not any(min(turn(a, b, p), turn(b, c, p), turn(c, a, p)) >= 0.0 for p in others)

    corners, parts = list(range(len(points))), list[list[int]]()
    while len(corners) > 2:
        ear = next((k for k in range(len(corners)) if is_ear(k)), None)
        if ear is None:
            return []
        parts.append([corners[ear - 1], corners[ear], corners[(ear + 1) % len(corners)]])
        del corners[ear]
    area = sum(turn(0, k, k + 1) for k in range(1, len(points) - 1))
    if abs(sum(turn(*part) for part in parts) - area) > 1e-9 * abs(area):
        return []

    def joined(one: list[int], other: list[int]) -> list[int] | None:
        """Return both as one convex polygon, if they share an edge i → j, j → i and its ends turn left without it; else
        None."""
        for at, j in enumerate(one):
            i = one[at - 1]
            if i in other and other[other.index(i) - 1] == j:
                k = other.index(i)
                p, q = one[at:] + one[:at], other[k:] + other[:k]  # from j to i, and from i to j
                convex = turn(p[-2], i, q[1]) > 0.0 and turn(q[-2], j, p[1]) > 0.0
                return p + q[1:-1] if convex else None
        return None

    while True:
        pairs = ((a, b, joined(parts[a], parts[b])) for a in range(len(parts)) for b in range(a))
        neighbours = next(((a, b, both) for a, b, both in pairs if both), None)
        if neighbours is None:
            return parts
        a, b, both = neighbours
        parts = [both, *(part for k, part in enumerate(parts) if k not in (a, b))]


def inset(points: Sequence[Sequence[Number]], radius: Number) -> tuple[tuple[Number, ...], ...]:
    """Return the corners of a convex polygon whose sides are shifted inwards by a radius: between sides with unit
    normals m and n, a corner p moves to p - radius (m + n) / (1 + m·n)."""
    corners = [sp.Matrix(point) for point in points]
    sides = [corner - corners[k - 1] for k, corner in enumerate(corners)]
    normals = [sp.Matrix([side[1], -side[0]]) / sp.sqrt(side.dot(side)) for side in sides]
    behind = zip(corners, normals, [*normals[1:], normals[0]], strict=True)
    return tuple(tuple(p - radius * (m + n) / (1 + m.dot(n))) for p, m, n in behind)


@dataclass(frozen=True)
class HalfSpace(ShapeGeometry):
    """The half space on the side to which the marker's last axis points: y in the plane, z in space."""

    def takes(self, other: ShapeGeometry) -> bool:
        return other.count > 0

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        *along, normal = marker.axes
        return Touch(normal.dot(point - marker.point), normal, along)


@dataclass(frozen=True)
class Hollow(ShapeGeometry):
    """The inside of a ring or of a bowl. At its centre, where bodies often begin, the distance has its maximum without
    a slope and thus no normal."""

    opening: Number

    def takes(self, other: ShapeGeometry) -> bool:
        return other.count > 0

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        arm = marker.point - point
        length = sp.sqrt(arm.dot(arm) + ROOT_SHIFT)
        return Touch(self.opening - length, arm / length, tangents(arm / length))


@dataclass(frozen=True)
class Outline(ShapeGeometry):
    """The outside of a closed curve in polar form; in space the cylinder over it along the marker's axis."""

    profile: Law

    def takes(self, other: ShapeGeometry) -> bool:
        return other.count == 1 and other.roundness == 0

    def touch(self, marker: FormMarker, point: sp.Matrix) -> Touch:
        return touch_of_curve(marker, point, opaque(self.profile))


def touch_of_curve(marker: FormMarker, point: sp.Matrix, profile: Callable[[sp.Expr], sp.Expr]) -> Touch:
    """Return the distance of a point from a curve, to first order. f = |d| - r(polar angle) vanishes on the curve, and
    grows by |∇f| = √(1 + (r'/|d|)²) along n. f / |∇f| has slope 1 on the curve."""
    x, y = marker.axes[:2]
    x_part, y_part = x.dot(point - marker.point), y.dot(point - marker.point)
    distance = sp.sqrt(x_part**2 + y_part**2)
    radius = profile(Unwound(sp.atan2(y_part, x_part), sp.S.Zero))  # closed: no jump at ±π
    lean = radius.fdiff(3) / distance
    growth = sp.sqrt(1 + lean**2)
    outwards, onwards = (x_part * x + y_part * y) / distance, (x_part * y - y_part * x) / distance
    normal = (outwards - lean * onwards) / growth
    return Touch((distance - radius) / growth, normal, [-(onwards + lean * outwards) / growth, *marker.axes[2:]])


def _placed(marker: FormMarker, coordinates: Sequence[Any]) -> sp.Matrix:
    """Return the point with these coordinates in the marker's axes."""
    pairs = zip(coordinates, marker.axes, strict=True)
    return sum((value * axis for value, axis in pairs if value != 0), marker.point)


def tangents(normal: sp.Matrix) -> list[sp.Matrix]:
    """Return unit tangents orthogonal to the normal and to each other, smooth functions of the normal.

    In the plane the tangent is the normal turned back by a right angle. In space no such pair is smooth all around a
    ball. This pair, for n = (a, b, c) in world axes, is smooth except on the circle c = -1/2: with s = 1 above it and s
    = -1 below,

        (1 - s a²/(s + c), -s ab/(s + c), -s a)   and   (-ab/(s + c), s - b²/(s + c), -b).
    """
    if len(normal) == 2:
        return [sp.Matrix([normal[1], -normal[0]])]
    a, b, c = normal
    s = sp.Piecewise((sp.S.One, c > -sp.S.Half), (-sp.S.One, True))
    k = 1 / (s + c)
    return [sp.Matrix([1 - s * k * a**2, -s * k * a * b, -s * a]), sp.Matrix([-k * a * b, s - k * b**2, -b])]


def relation_between(
    first: ShapeGeometry, second: ShapeGeometry, dimension: int, slips: bool
) -> tuple[Relation, dict[sp.Symbol, Number]]:
    """Return the gaps, and with `slips` the slip velocities, of two shapes; one is a surface for the other, or each for
    the other."""
    (shape, constants), (other, other_constants) = (
        geometry.with_slots(label) for geometry, label in zip((first, second), LABELS, strict=False)
    )
    slots = {**constants, **other_constants}
    relation = _derived(shape, other, dimension, slips, tuple(slots))
    if not any(isinstance(geometry, Outline) for geometry in (first, second)):
        return relation, slots
    relation, constants = constants_out(relation)
    return relation, {**slots, **constants}


@lru_cache(maxsize=256)
def _derived(
    first: ShapeGeometry, second: ShapeGeometry, dimension: int, slips: bool, slots: tuple[sp.Symbol, ...]
) -> Relation:
    """Return the gaps and slips of one kind of pair; cached."""
    i, j = markers = marker_symbols(2, dimension)
    pair = (first, i), (second, j)
    gaps, velocities = [], []
    for n, (k, other) in enumerate(surfaces(first, second)):
        (surface, base), (hull, body) = pair[k], pair[other]
        for corner in hull.corners(body):
            touch = surface.touch(base, corner)
            gaps.append(touch.distance - hull.roundness)
            contact = corner - hull.roundness * touch.normal
            velocity = j.velocity_at(contact) - i.velocity_at(contact)
            velocities += [(-1) ** n * tangent.dot(velocity) for tangent in touch.tangents]  # one sign for all
    return Relation(markers, tuple(gaps), tuple(velocities) if slips else (), slots=slots)


def surfaces(first: ShapeGeometry, second: ShapeGeometry) -> list[tuple[int, int]]:
    """Return pairs (number of the surface, number of the hull), 0 or 1 each: one pair, or in the plane one for each
    shape as the surface; none if the distance of the pair is not known."""
    pair = first, second
    one = [(own, 1 - own) for own in (0, 1) if pair[own].takes(pair[1 - own])]
    if one or not (first.is_convex and second.is_convex and are_round(first, second)):
        return one[:1]
    return [(0, 1), (1, 0)]


def are_round(first: ShapeGeometry, second: ShapeGeometry) -> bool:
    """Return whether one of them is round, so that there is a normal where corners meet."""
    return first.roundness != 0 or second.roundness != 0
