"""Mechanisms given as points and rods: the bodies between named points, and the joints where they meet.

    points ──> outlines (which points a body has) ──> shapes (its frame, mass, inertia) ──> bodies and joints

A body of two points is a uniform slender rod, one of three and more a uniform lamina (a plate) with these corners;
if they all lie on one line, it is a rod between the outermost.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2
from typing import Any

import numpy as np

from ..errors import ModelError, check_dict, check_name, unknown_name
from .bodies.body import coordinates_of
from .bodies.planar_body import PlanarBody
from .joints import PinInSlot, Revolute
from .parameters import check_number, finite_number

Point = tuple[float, float]
Outline = tuple[str, ...]  # the names of the points that a body has, in order around it


def build(model: Any, points: Any, rods: Any, fixed: Any, mass: Any, density: Any, sliders: Any) -> None:
    """Put bodies and joints between these points into an empty model; see `PlanarModel.from_points`."""
    places = _places(points)
    outlines = _outlines(rods, places)
    held = _names(fixed, places, "fixed") if fixed else ()
    guides = _guides(sliders, places, held)
    _check_use(outlines, places, held)

    shapes = {name: shape_of(f"rod {name!r}", outline, places) for name, outline in outlines.items()}
    masses = _masses(shapes, mass, density)
    for name, shape in shapes.items():
        body = model.body(name, masses[name], masses[name] * shape.gyration, (0, 0), shape.position, shape.angle)
        for point, at in shape.markers.items():
            body.marker(point, *at)
    for point in places:
        _join(model, point, places[point], point in held, guides.get(point))


def _join(model: Any, point: str, place: Point, held: bool, guide: float | None) -> None:
    """The joints of all bodies that have a point: pins on the ground, or on the first body; a slot where it slides.

    One alone is called like the point; of several, each also tells what it joins: "B (crank-rocker)".
    """
    bodies = [body for body in model.bodies.values() if point in body.markers]
    pin = model.ground.at(*place) if held else bodies[0].markers[point]
    slot = [] if guide is None else [(PinInSlot, model.ground.at(*place, guide), pin)]
    joints = [*slot, *((Revolute, pin, body.markers[point]) for body in (bodies if held else bodies[1:]))]
    for kind, i, j in joints:
        model.add(kind(point if len(joints) == 1 else f"{point} ({i.body.name}-{j.body.name})", i, j))


def _places(points: Any) -> dict[str, Point]:
    check_dict("points", points, "names and places", '{"A": (0, 0), ...}', empty=False)
    for name in points:
        if not isinstance(name, str) or not name.isidentifier() or name == "ground":
            raise ModelError(f"{name!r} cannot name a point; use letters, digits and _")
        if name in PlanarBody.quantity_names:
            raise ModelError(f"{name!r} cannot name a point, it is a quantity of bodies; choose another name")
    return {name: _place(name, place) for name, place in points.items()}


def _place(name: str, place: Any) -> Point:
    x, y = coordinates_of(place, f"point {name!r}", 2)
    try:
        return float(x), float(y)
    except TypeError as exc:
        remedy = "say rods of parameters with model.link(...)"
        raise ModelError(f"point {name!r} is {place!r}, and from_points takes numbers; {remedy}") from exc


def _outlines(rods: Any, places: Mapping[str, Point]) -> dict[str, Outline]:
    """The points of each body. Bodies without a name of their own are called by their points."""
    if isinstance(rods, Mapping):
        found = {name: _names(given, places, f"rod {name!r}") for name, given in rods.items()}
    elif isinstance(rods, list | tuple):
        found = {}
        for given in rods:
            outline = _names(given, places, "a rod")
            name = ("" if max(map(len, outline)) == 1 else "-").join(outline)
            if name in found:
                raise ModelError(f"rods has {name!r} twice; leave one out, or give names: rods={{'bar': {given!r}}}")
            found[name] = outline
    else:
        raise ModelError(f'rods must be a dict of names and points, or a list, not {rods!r}; write {{"crank": "AB"}}')
    if not found:
        raise ModelError('rods is empty, and nothing can move; write rods={"crank": "AB"}')
    for name, outline in found.items():
        if name in places:
            raise ModelError(f"rod {name!r} has the name of a point; choose another name for one of them")
        if len(outline) < 2:
            raise ModelError(f"rod {name!r} has one point, {outline[0]}; name two for a rod, three or more for a plate")
    return found


def _names(given: Any, places: Mapping[str, Point], what: str) -> Outline:
    """The points that are meant by a text or by several names."""
    if not isinstance(given, Iterable):
        raise ModelError(f'{what} must name points, not {given!r}; write "AB" or ("A", "B")')
    names = _read(given, places, what) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in places:
            raise unknown_name("point", name, places, f"{what} is {given!r}, but from_points")
    if not names:
        raise ModelError(f'{what} names no point; write "AB" or ("A", "B")')
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ModelError(f"{what} names {', '.join(twice)} twice; name each point once")
    return names


def _read(text: str, places: Mapping[str, Point], what: str) -> Outline:
    """A text is the name of one point, or each letter of it is; never both."""
    letters, known = tuple(text), [letter in places for letter in text]
    if text in places and len(text) > 1 and all(known):
        doubt = f"is that one point, or the points {', '.join(letters)}"
        raise ModelError(f"{what} is {text!r}: {doubt}? Write ({text!r},) or {letters}")
    return letters if text not in places and any(known) else (text,)


def _guides(sliders: Any, places: Mapping[str, Point], held: Outline) -> dict[str, float]:
    """The angle of the line on which each sliding point stays."""
    sliders, found = sliders or {}, {}
    check_dict("sliders", sliders, "points and angles or directions", '{"C": 0}')
    for name, way in sliders.items():
        check_name("point", name, places, "sliders names a point that is not there: from_points")
        if name in held:
            raise ModelError(f"point {name!r} is fixed and slides; take it out of fixed= or of sliders=")
        if isinstance(way, tuple | list):
            x, y = coordinates_of(way, f"direction of slider {name!r}", 2)
            if x == 0 and y == 0:
                raise ModelError(f"slider {name!r} has no direction; give an angle, or a pair such as (1, 0)")
            found[name] = atan2(y, x)
        else:
            found[name] = finite_number(way, f"angle of slider {name!r}")
    return found


def _check_use(outlines: Mapping[str, Outline], places: Mapping[str, Point], held: Outline) -> None:
    """Every point belongs to a rod, and every rod can move."""
    used = {name for outline in outlines.values() for name in outline}
    for name in places:
        if name not in used:
            kind = "fixed point" if name in held else "point"
            raise ModelError(f"{kind} {name!r} belongs to no rod; name it in one, or leave it out")
    for name, outline in outlines.items():
        still = [point for point in outline if point in held]
        if len(still) > 1:
            remedy = "leave it out (the ground holds fixed points), or fix one point of it"
            raise ModelError(f"rod {name!r} is fixed at {' and '.join(still)} and cannot move; {remedy}")


def _masses(shapes: Mapping[str, Shape], mass: Any, density: Any) -> dict[str, float]:
    """What each body weighs: given as a mass, or as a density per metre (rods) or per square metre (plates)."""
    if mass is not None and density is not None:
        raise ModelError("from_points got mass and density; give one of them")
    word, given = ("density", density) if density is not None else ("mass", mass)
    if not isinstance(given, Mapping):
        if density is not None and len({shape.is_plate for shape in shapes.values()}) > 1:
            what = "density is one number, but rods have kg/m and plates kg/m²"
            raise ModelError(f"{what}; give a dict: density={{'crank': ..., ...}}")
        given = dict.fromkeys(shapes, given or 0)
    else:
        for name in given:
            check_name("rod", name, shapes, f"{word} names a rod that is not there: from_points")
        if left := [name for name in shapes if name not in given]:
            raise ModelError(f"{word} says nothing of {', '.join(left)}; give a number for each rod")
    found = {}
    for name, shape in shapes.items():
        what = f"{word} of rod {name!r}"
        value = check_number(finite_number(given[name], what), what, non_negative=True)
        found[name] = value * shape.size if density is not None else value
    return found


# --- shapes -------------------------------------------------------------------------------------------------------

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
