"""The bodies between points: uniform rods, and uniform plates with these corners, in closed form."""

from __future__ import annotations

from cmath import phase
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import sympy as sp

from ...errors import ModelError
from ...symbolic.functions import as_sympy
from ...tolerances import COLLINEARITY

Point = tuple[float, float]


class Corner(NamedTuple):
    """A point whose coordinates are expressions of parameters, used like a complex number."""

    real: Any
    imag: Any


@dataclass(frozen=True)
class UniformBody:
    """A uniform body whose frame is at its centre of mass, with the x axis from its first point to its second."""

    position: tuple[Any, Any]
    angle: Any
    markers: Mapping[str, tuple[Any, Any]]
    """The points of the body, in body axes, in m."""
    size: Any
    """The length of a rod, in m; the area of a plate, in m²."""
    gyration: Any
    """The moment of inertia over the mass: the squared radius of gyration, in m²."""
    is_plate: bool
    ring: tuple[str, ...] = ()
    """The points of a plate in order around it."""


def shape_of(
    who: str, outline: Sequence[str], places: Mapping[str, tuple[Any, Any]], number: Callable[[Any], float] = float,
    dimension: Callable[..., Any] | None = None, massive: bool = True,
) -> UniformBody:  # fmt: skip
    """Return the body with these points: a plate, or a rod if there are two points or all lie on a line.

    Points may be expressions of parameters, which `number` evaluates. With `dimension` every length of the body is one
    of its values: ``dimension("length", value)`` is the distance of the first two points, ``dimension("P_along",
    value)`` and ``dimension("P_across", value)`` are the coordinates of another point along their line and to the left
    of it. A plate without mass (`massive` is false) needs no outline: its points are taken around their convex hull.
    """
    values = {name: (number(places[name][0]), number(places[name][1])) for name in outline}
    for a, b in combinations(outline, 2):
        if values[a] == values[b]:
            raise ModelError(
                f"points {a} and {b} of {who} are the same place; move one of them", code="same-place", subject=who
            )
    points = [complex(*values[name]) for name in outline]
    axis = points[1] - points[0]
    turn = axis / abs(axis)
    corners: list[Any] = [(point - points[0]) * turn.conjugate() for point in points]
    corners[1] = complex(abs(axis))  # without roundoff
    xs = [corner.real for corner in corners]
    is_plate = max(abs(corner.imag) for corner in corners) > COLLINEARITY * (max(xs) - min(xs))
    order = ring_of(who, outline, corners, massive) if is_plate else []
    start, angle, c, s = places[outline[0]], phase(axis), turn.real, turn.imag

    if dimension is not None:
        sized = [Corner(0, 0), Corner(dimension("length", corners[1].real), 0)]
        for name, corner in zip(outline[2:], corners[2:], strict=True):
            along = dimension(f"{name}_along", corner.real)
            sized.append(Corner(along, dimension(f"{name}_across", corner.imag) if is_plate else 0))
        corners = sized
    elif any(isinstance(n, sp.Basic) and n.free_symbols for name in outline for n in places[name]):
        d = [sp.Matrix(places[name]) - sp.Matrix(start) for name in outline]
        length = sp.sqrt(d[1].dot(d[1]))
        c, s = d[1] / length
        angle = sp.atan2(d[1][1], d[1][0])
        corners = [Corner(c * x + s * y, c * y - s * x) for x, y in d]
        corners[:2] = Corner(0, 0), Corner(length, 0)
        if not is_plate and massive and any(sp.simplify(corner.imag) != 0 for corner in corners):
            what = f"the points of {who} lie on a line for these parameters only"
            raise ModelError(
                f"{what}, so its mass is not that of a rod; use dimensions=True, or give it no mass",
                code="collinear-by-chance", subject=who,
            )  # fmt: skip

    centre: Any
    symbolic = isinstance(corners[0], Corner)
    if is_plate:
        centre, size, gyration = polygon([corners[k] for k in order])
    else:  # the rod between the outermost points
        if symbolic:
            xs = [as_sympy(corner.real) for corner in corners]
            least, span = sp.Min(*xs), sp.Max(*xs) - sp.Min(*xs)
            if len(xs) == 2:
                least, span = sp.S.Zero, xs[1]
            centre = Corner(least + span / 2, 0)
        else:
            span = max(xs) - min(xs)
            centre, corners = complex(min(xs) + span / 2), [complex(x) for x in xs]
        size, gyration = span, span**2 / 12
    x, y = centre.real, centre.imag
    markers = {
        name: (corner.real - x, corner.imag - y) for name, corner in zip(outline, corners, strict=True)
    }  # fmt: skip
    centre_in_world = start[0] + c * x - s * y, start[1] + s * x + c * y
    placed = points[0] + turn * centre if not symbolic else None
    position = centre_in_world if placed is None else (placed.real, placed.imag)
    return UniformBody(position, angle, markers, size, gyration, is_plate, tuple(outline[k] for k in order))


def polygon(corners: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return the centre of mass, area and squared radius of gyration of a uniform plate with the corners p₀, p₁, ...

    The plate is the sum of the triangles (0, p, q) over its edges from p to q, clockwise ones being negative, so that
    areas outside cancel. In the triangle r = u p + v q with u, v ≥ 0 and u + v ≤ 1, and dA = c du dv with c = p × q.
    With ∫u = ∫v = 1/6, ∫u² = ∫v² = 1/12 and ∫uv = 1/24,

        ∫ dA = c/2,     ∫ r dA = c (p + q)/6,     ∫ r² dA = c (p² + p·q + q²)/12.

    The last integral is about the origin; about the centre of mass (Steiner) it is less by the area times the square of
    their distance. Points are complex numbers, or a `Corner` of expressions.
    """
    area = x = y = second = 0.0
    for p, q in _edges(corners):
        cross = p.real * q.imag - p.imag * q.real
        area += cross / 2
        x += cross * (p.real + q.real) / 6
        y += cross * (p.imag + q.imag) / 6
        squares = p.real**2 + p.imag**2 + p.real * q.real + p.imag * q.imag + q.real**2 + q.imag**2
        second += cross * squares / 12
    x, y = x / area, y / area
    kind = Corner if isinstance(corners[0], Corner) else complex
    return kind(x, y), abs(area), second / area - x**2 - y**2


def ring_of(who: str, outline: Sequence[str], corners: Sequence[complex], massive: bool = True) -> list[int]:
    """Return the indices in `outline` of the corners of a plate in order around it: in the given order if the edges
    meet in corners only, else in order around their centre if all are corners of their convex hull. A plate with mass
    and a point inside this hull must be named in order, because its outline is not unique."""
    named = [*range(len(corners))]
    try:
        check_edges(who, outline, corners)
    except ModelError:
        middle = sum(corners) / len(corners)
        around = sorted(named, key=lambda k: phase(corners[k] - middle))
        ring = [corners[k] for k in around]
        turns = [_side(p, q, r) for p, q, r in zip(ring, ring[1:] + ring[:1], ring[2:] + ring[:2], strict=True)]
        if massive and min(turns) < 0:
            raise
        return around
    return named


def _edges(corners: Sequence[Any]) -> list[tuple[Any, Any]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def check_edges(who: str, outline: Sequence[str], corners: Sequence[complex]) -> None:
    """Check that the edges of a plate meet in its corners only."""
    edges, count = _edges(corners), len(corners)
    for k, m in combinations(range(count), 2):
        if m - k not in (1, count - 1) and segments_intersect(*edges[k], *edges[m]):
            first, second = (f"{outline[n]}-{outline[(n + 1) % count]}" for n in (k, m))
            raise ModelError(
                f"edges {first} and {second} of {who} meet; name its points in order around the plate",
                code="edges-cross", first=first, second=second, subject=who,
            )  # fmt: skip


def segments_intersect(a: complex, b: complex, c: complex, d: complex) -> bool:
    """Return whether the segments ab and cd have a point in common: an end of one lies on the other, or each has its
    ends on both sides of the other."""
    ends = (a, b, c), (a, b, d), (c, d, a), (c, d, b)
    sides = [_side(*points) for points in ends]
    for side, (p, q, end) in zip(sides, ends, strict=True):
        if side == 0 and ((p - end).conjugate() * (q - end)).real <= 0:  # the directions to p and q are opposite
            return True
    return sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0


def _side(a: complex, b: complex, p: complex) -> int:
    """Return the side of the line from a to b on which a point lies: left 1, right -1, on it 0."""
    cross = ((b - a).conjugate() * (p - a)).imag
    return 0 if abs(cross) <= COLLINEARITY * abs(b - a) * abs(p - a) else 1 if cross > 0 else -1
