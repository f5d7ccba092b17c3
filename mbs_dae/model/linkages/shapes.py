"""The bodies between points: uniform rods, and uniform plates with these corners, in closed form."""

from __future__ import annotations

from cmath import phase
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...errors import ModelError

Point = tuple[float, float]
STRAIGHT = 1e-9  # points are on a line if they are no farther off than this, relative to their span


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
    points = [complex(*places[name]) for name in outline]
    way = points[1] - points[0]
    turn = way / abs(way)
    corners = [(point - points[0]) * turn.conjugate() for point in points]
    corners[1] = complex(abs(way))  # without roundoff
    xs = [corner.real for corner in corners]
    span = max(xs) - min(xs)
    is_plate = max(abs(corner.imag) for corner in corners) > STRAIGHT * span
    if is_plate:
        _check_edges(who, outline, corners)
        centre, size, gyration = polygon(corners)
    else:  # the rod between the outermost points
        centre, size, gyration = complex(min(xs) + span / 2), span, span**2 / 12
        corners = [complex(x) for x in xs]
    at = points[0] + turn * centre
    markers = {name: _pair(corner - centre) for name, corner in zip(outline, corners, strict=True)}
    return Shape(_pair(at), phase(way), markers, size, gyration, is_plate)


def polygon(corners: Sequence[complex]) -> tuple[complex, float, float]:
    """Centre of mass, area and squared radius of gyration of a uniform plate with the corners p₀, p₁, ...

    It is the sum of the triangles (0, p, q) over its edges from p to q, those counted as negative that turn clockwise;
    so what lies outside of it cancels. In the triangle r = u p + v q with u, v ≥ 0 and u + v ≤ 1, and dA = c du dv with
    c = p × q. With ∫u = ∫v = 1/6, ∫u² = ∫v² = 1/12 and ∫uv = 1/24,

        ∫ dA = c/2,     ∫ r dA = c (p + q)/6,     ∫ r² dA = c (p² + p·q + q²)/12.

    The last one is about the origin; about the centre of mass (Steiner) it is less by the area times the square of
    their distance. Points are complex numbers: p̄ q = p·q + i (p × q).
    """
    p, q = np.array(_edges(corners)).T
    product = p.conj() * q
    area = float(product.imag.sum()) / 2
    centre = complex(product.imag @ (p + q)) / 6 / area
    second = float(product.imag @ (abs(p) ** 2 + product.real + abs(q) ** 2)) / 12
    return centre, abs(area), second / area - abs(centre) ** 2


def _pair(point: complex) -> Point:
    return point.real, point.imag


def _edges(corners: Sequence[complex]) -> list[tuple[complex, complex]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _check_edges(who: str, outline: Sequence[str], corners: Sequence[complex]) -> None:
    """The edges of a plate meet in its corners only."""
    edges, count = _edges(corners), len(corners)
    for k, m in combinations(range(count), 2):
        if m - k not in (1, count - 1) and _touch(*edges[k], *edges[m]):
            first, second = (f"{outline[n]}-{outline[(n + 1) % count]}" for n in (k, m))
            raise ModelError(f"edges {first} and {second} of {who} meet; name its points in order around the plate")


def _touch(a: complex, b: complex, c: complex, d: complex) -> bool:
    """Whether two segments have a point in common: an end of one lies on the other, or each has its ends on both sides
    of the other."""
    sides = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    ends = (a, b, c), (a, b, d), (c, d, a), (c, d, b)
    if any(side == 0 and _between(*three) for side, three in zip(sides, ends, strict=True)):
        return True
    return sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0


def _between(a: complex, b: complex, p: complex) -> bool:
    """Whether a point of the line through a and b lies between them: it sees them in opposite directions."""
    return ((a - p).conjugate() * (b - p)).real <= 0


def _side(a: complex, b: complex, p: complex) -> int:
    """On which side of the line from a to b a point lies: left 1, right -1, on it 0."""
    cross = ((b - a).conjugate() * (p - a)).imag
    return 0 if abs(cross) <= STRAIGHT * abs(b - a) * abs(p - a) else 1 if cross > 0 else -1
