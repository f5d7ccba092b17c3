"""The sketch of a model: the numbers for a drawing."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import product
from math import cos, hypot, isfinite, nan, pi, sin

import sympy as sp

from ..kernels.abi import lookup, wrap
from ..model.contacts.geometry import HalfSpace, Hollow, Outline, Polytope, RoundedBox, ShapeGeometry
from ..model.contacts.stops import Stop
from ..model.element import Element
from ..model.fields import Expression, Option, Scalar, theta
from ..model.model import Model
from ..model.parameters import Evaluator
from ..model.tables import TableSymbol
from ..results.sketch import BodySketch, ElementSketch, Point, ShapeSketch, Sketch

OUTLINE_POINTS = 180
SHAPED = ("mesh", "contact", "disk", "sleeve", "spring", "damper", "arrow", "rope", "stop")
"""Kinds whose pictures depend on constants."""


def sketch_of(model: Model, number: Evaluator | None = None) -> Sketch:
    """Return the sketch of a model; `number` is an existing evaluator of its parameters."""
    number = number or model.evaluator()
    points: dict[str, dict[Point, None]] = {name: {} for name in model.bodies}
    elements = []
    for element in model.elements.values():
        markers = tuple((m.body.name, *map(number, m.numbers)) for m in element.feeling)
        more = _shape(element, number) if element.sketch in SHAPED else {}
        elements.append(ElementSketch(element.name, element.sketch, markers, **more))
        for owner, *place in markers:
            if owner in points and element.sketch:
                points[owner][tuple(place[: model.dimension])] = None
    for body in model.bodies.values():
        for marker in body.markers.values():
            points[body.name][tuple(map(number, marker.point))] = None
    bodies = tuple(
        BodySketch(name, tuple(points[name]), tuple(map(number, body.com)), (*body.meshes,))
        for name, body in model.bodies.items()
    )
    named = {m.label: m for body in (model.ground, *model.bodies.values()) for m in body.markers.values()}
    places = {name: (m.body.name, *map(number, m.numbers)) for name, m in named.items()}
    gravity = tuple(map(number, model.gravity))
    size = hypot(*gravity)
    up = tuple(-g / size for g in gravity) if size else ()
    return Sketch(bodies, tuple(elements), model.dimension, markers=places, up=up)


def _shape(element: Element, number: Evaluator) -> dict:
    """Return the shape of a wheel, a cam, a damper or a force, from the constants of its element."""
    if isinstance(element, Stop):
        limits: dict = {name: number(value) for name, value in element.limits.items()}
        return {"constants": limits | {"measure": element.measure.kind if element.measure.own is None else ""}}
    fields, values = getattr(element, "fields", {}), getattr(element, "values", {})
    constants = {n: number(values[n]) for n, f in fields.items() if isinstance(f, Scalar)}
    constants |= {n: str(values[n]) for n, f in fields.items() if isinstance(f, Option)}
    constants |= {n: number(value) for n, value in getattr(element, "drawn", {}).items()}
    for name, field in fields.items():
        if isinstance(field, Expression):
            with suppress(TypeError):  # the expression changes with time or motion, and has no value
                if isfinite(value := number(values[name])):
                    constants[name] = value
    if shapes := getattr(element, "shapes", ()):
        geometries = [(shape.whole or shape).geometry for shape in shapes]
        return {"shapes": tuple(_shape_sketch(one, element.dimension, number) for one in geometries)}
    if element.sketch != "contact" or "profile" not in values:
        return {"constants": constants}
    radius = _numeric(values["profile"](theta), number)
    return {"constants": constants, "outline": _outline(radius, flat=constants.get("follower") == "flat")}


def _shape_sketch(geometry: ShapeGeometry, dimension: int, number: Evaluator) -> ShapeSketch:
    if isinstance(geometry, Outline):
        return ShapeSketch("outline", _outline(_numeric(geometry.profile(theta), number), flat=False))
    if isinstance(geometry, Hollow):
        return ShapeSketch("hollow", radius=number(geometry.opening))
    if isinstance(geometry, HalfSpace):
        return ShapeSketch("flat")
    if isinstance(geometry, RoundedBox):
        halves = tuple(map(number, geometry.halves))
        corners = dict.fromkeys(product(*((-half, half) if half else (0.0,) for half in halves)))
        return ShapeSketch("solid", tuple(corners), number(geometry.radius))
    assert isinstance(geometry, Polytope)
    points, radius = tuple(tuple(map(number, point)) for point in geometry.points), number(geometry.radius)
    return ShapeSketch("solid" if radius or dimension == 3 else "outline", points, radius)


def _outline(radius: Callable[[float], float], flat: bool) -> tuple[Point, ...]:
    """Return the curve of a cam. Under a flat follower h = radius(ψ) is the distance of the tangent with normal n =
    (cos ψ, sin ψ); the envelope of all tangents is h n + h' n⊥."""
    step = 1e-5
    points = []
    for k in range(OUTLINE_POINTS):
        psi = -pi + 2 * pi * k / OUTLINE_POINTS
        h = radius(psi)
        slope = (radius(psi + step) - radius(psi - step)) / (2 * step) if flat else 0.0
        points.append((h * cos(psi) - slope * sin(psi), h * sin(psi) + slope * cos(psi)))
    return tuple(points)


def _numeric(profile: sp.Expr, number: Evaluator) -> Callable[[float], float]:
    """Return the profile as a function of floats; nan where it has no real value, for cams that are only a segment."""
    function, symbols = _function(profile)
    values = [s.table.data if isinstance(s, TableSymbol) else number(s) for s in symbols]

    def radius(angle: float) -> float:
        try:
            return float(function(angle, *values))
        except (ArithmeticError, TypeError, ValueError):
            return nan

    return radius


@lru_cache(maxsize=64)
def _function(profile: sp.Expr) -> tuple[Callable, list[sp.Symbol]]:
    """Return the function of a profile, cached, and its arguments: parameters and tables."""
    symbols = sorted(profile.free_symbols - {theta}, key=str)
    functions = {"Wrap": wrap, "SmoothWrap": wrap}
    functions |= dict.fromkeys(("Lookup", "BentLookup"), lambda table, order, x: lookup(table, 0, order, x))
    return sp.lambdify([theta, *symbols], profile, modules=[functions, "math"]), symbols
