"""The bodies that points make: a uniform slender rod, or a uniform plate with these corners.

A plate is a polygon with the corners p₀, p₁, ... It is the sum of the triangles (0, p, q) over its edges from p to q,
those counted as negative that turn clockwise; so what lies outside of it cancels. In the triangle r = u p + v q with
u, v ≥ 0 and u + v ≤ 1, and dA = c du dv with c = p × q. With ∫u = ∫v = 1/6, ∫u² = ∫v² = 1/12 and ∫uv = 1/24,

    ∫ dA = c/2,     ∫ r dA = c (p + q)/6,     ∫ r² dA = c (p² + p·q + q²)/12.

The last one is about the origin; about the centre of mass (Steiner) it is less by the area times the square of their
distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, hypot

from ...errors import ModelError

Point = tuple[float, float]

STRAIGHT = 1e-9
"""Points are on a line if they are no farther off than this, relative to their span."""


@dataclass(frozen=True)
class Shape:
    """A uniform body whose frame stands in its centre of mass, its x axis from its first point to its second."""

    position: Point
    angle: float
    markers: Mapping[str, Point]
    """Its points, in body axes."""
    size: float
    """Its length; of a plate, its area."""
    gyration: float
    """Its moment of inertia over its mass: the squared radius of gyration."""
    is_plate: bool


def shape_of(who: str, outline: Sequence[str], places: Mapping[str, Point]) -> Shape:
    """The body with these points in order: a plate, or a rod where there are two or all lie on a line."""
    for a, b in combinations(outline, 2):
        if places[a] == places[b]:
            raise ModelError(f"points {a} and {b} of {who} are the same place; move one of them")
    (x0, y0), (x1, y1) = places[outline[0]], places[outline[1]]
    long = hypot(x1 - x0, y1 - y0)
    c, s = (x1 - x0) / long, (y1 - y0) / long
    corners = [(long, 0.0) if name == outline[1] else _seen(places[name], (x0, y0), c, s) for name in outline]

    xs = [x for x, _ in corners]
    span = max(xs) - min(xs)
    is_plate = max(abs(y) for _, y in corners) > STRAIGHT * span
    if is_plate:
        _check_edges(who, outline, corners)
        (x, y), size, gyration = polygon(corners)
    else:  # the rod between the outermost points
        (x, y), size, gyration = (min(xs) + span / 2, 0.0), span, span**2 / 12
        corners = [(at, 0.0) for at in xs]
    return Shape(
        (x0 + c * x - s * y, y0 + s * x + c * y),
        atan2(y1 - y0, x1 - x0),
        {name: (px - x, py - y) for name, (px, py) in zip(outline, corners, strict=True)},
        size,
        gyration,
        is_plate,
    )


def polygon(corners: Sequence[Point]) -> tuple[Point, float, float]:
    """Centre of mass, area and squared radius of gyration of a uniform plate."""
    area = x = y = second = 0.0
    for (px, py), (qx, qy) in _edges(corners):
        c = px * qy - py * qx
        area += c / 2
        x += c * (px + qx) / 6
        y += c * (py + qy) / 6
        second += c * (px * px + py * py + px * qx + py * qy + qx * qx + qy * qy) / 12
    x, y = x / area, y / area
    return (x, y), abs(area), second / area - x * x - y * y


def _seen(point: Point, origin: Point, c: float, s: float) -> Point:
    """A point from a frame at `origin` that is turned by the angle with this cosine and sine."""
    dx, dy = point[0] - origin[0], point[1] - origin[1]
    return c * dx + s * dy, c * dy - s * dx


def _edges(corners: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _check_edges(who: str, outline: Sequence[str], corners: Sequence[Point]) -> None:
    """The edges of a plate meet in its corners only."""
    edges, count = _edges(corners), len(corners)
    for k, m in combinations(range(count), 2):
        if m - k not in (1, count - 1) and _touch(*edges[k], *edges[m]):
            first, second = (f"{outline[n]}-{outline[(n + 1) % count]}" for n in (k, m))
            raise ModelError(f"edges {first} and {second} of {who} meet; name its points in order around the plate")


def _touch(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments have a point in common: an end of one lies on the other, or each has its ends on both sides
    of the other."""
    sides = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    ends = (a, b, c), (a, b, d), (c, d, a), (c, d, b)
    if any(side == 0 and _between(*three) for side, three in zip(sides, ends, strict=True)):
        return True
    return sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0


def _between(a: Point, b: Point, p: Point) -> bool:
    """Whether a point of the line through a and b lies between them: it sees them in opposite directions."""
    return (a[0] - p[0]) * (b[0] - p[0]) + (a[1] - p[1]) * (b[1] - p[1]) <= 0


def _side(a: Point, b: Point, p: Point) -> int:
    """On which side of the line from a to b a point lies: left 1, right -1, on it 0."""
    ux, uy, px, py = b[0] - a[0], b[1] - a[1], p[0] - a[0], p[1] - a[1]
    cross = ux * py - uy * px
    return 0 if abs(cross) <= STRAIGHT * hypot(ux, uy) * hypot(px, py) else 1 if cross > 0 else -1
