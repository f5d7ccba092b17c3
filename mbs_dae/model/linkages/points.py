"""Mechanisms given as points and rods: the bodies between named points, and the joints where they meet.

    points ──> outlines (the points of each body) ──> shapes (its frame, mass, inertia) ──> bodies and joints

A body of two points is a uniform slender rod, a body of three and more a uniform lamina (a plate) with these corners;
if all points lie on one line, the body is a rod between the outermost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import atan2, isnan
from typing import Any

import sympy as sp

from ...errors import ModelError, check_dict, check_name, unknown_name
from ...symbolic.functions import as_sympy
from ..bodies.body import coordinates_of
from ..bodies.planar_body import PlanarBody
from ..joints import PinInSlot, Revolute
from ..parameters import Parameter, ParameterValue, check_number, finite_number, free_parameters, plain
from .shapes import UniformBody, shape_of

Outline = tuple[str, ...]  # the names of the points that a body has, in order around it


def build(
    model: Any, points: Any, rods: Any, fixed: Any, mass: Any, density: Any, sliders: Any, dimensions: bool = False
) -> None:
    """Put bodies and joints between these points into a model; see `PlanarModel.from_points`."""
    number = model.evaluator()
    places = _places(points, number)
    outlines = _outlines(rods, places)
    fixed_points = _names(fixed, places, "fixed") if fixed else ()
    guides = _guides(sliders, places, fixed_points, number)
    _check_use(outlines, places, fixed_points)

    shapes = {}
    for name, outline in outlines.items():
        dimension = partial(_dimension, model, name) if dimensions else None
        masses_or_densities = mass if density is None else density
        value = masses_or_densities.get(name) if isinstance(masses_or_densities, Mapping) else masses_or_densities
        massive = value is not None and value != 0
        shapes[name] = shape_of(f"rod {name!r}", outline, places, number, dimension, massive)
    if dimensions:
        for name in fixed_points:
            places[name] = tuple(_dimension(model, name, c, number(n)) for c, n in zip("xy", places[name], strict=True))
    masses = _masses(shapes, mass, density)
    bodies = []
    for name, shape in shapes.items():
        body = model.body(name, masses[name], masses[name] * shape.gyration, (0, 0), shape.position, shape.angle)
        object.__setattr__(body, "ring", shape.ring)
        if dimensions:
            length = model.parameters[f"{name}.length"]
            object.__setattr__(body, "span", length.symbol)
            object.__setattr__(body, "placed_span", length.value)
        for point, at in shape.markers.items():
            body.marker(point, *at)
        bodies.append(body)
    for point, place in places.items():
        # the joints of all bodies that have this point: pins on the ground, or on the first body; a slot where it
        # slides. A single joint has the name of the point; several joints also name their bodies: "B (crank-rocker)"
        members = [body for body in bodies if point in body.markers]
        pin = model.ground.at(*place) if point in fixed_points else members[0].markers[point]
        guide = guides.get(point)
        slot = [] if guide is None else [(PinInSlot, model.ground.at(*place, guide), pin)]
        pinned = members if point in fixed_points else members[1:]
        joints = [*slot, *((Revolute, pin, body.markers[point]) for body in pinned)]
        for kind, i, j in joints:
            model.add(kind(point if len(joints) == 1 else f"{point} ({i.body.name}-{j.body.name})", i, j))


def _dimension(model: Any, owner: str, what: str, value: float) -> Any:
    """Return a dimension as a new parameter of the model, "crank.length", in m."""
    name = f"{owner}.{what}"
    if name in model.parameters:
        raise ModelError(
            f"the model already has a parameter {name!r}; choose another name for {owner!r}",
            code="name-taken", owner=owner,
        )  # fmt: skip
    symbol = Parameter(name)
    model.parameters.declare(name, ParameterValue(symbol, value, "m"))
    return symbol


def _places(points: Any, number: Callable[[Any], float]) -> dict[str, Any]:
    check_dict("points", points, "names and places", '{"A": (0, 0), ...}', empty=False)
    for name in points:
        if not isinstance(name, str) or not name.isidentifier() or name == "ground":
            raise ModelError(f"{name!r} cannot name a point; use letters, digits and _", code="not-a-name", name=name)
        if name in PlanarBody.quantity_names:
            raise ModelError(
                f"{name!r} cannot name a point, it is a quantity of bodies; choose another name",
                code="name-taken", name=name,
            )  # fmt: skip
    places = {}
    for name, place in points.items():
        x, y = coordinates_of(place, f"point {name!r}", 2)
        if isnan(number(x)) or isnan(number(y)):
            unknown = sorted(str(s) for s in free_parameters([x, y]) if isnan(number(s)))
            if not unknown:
                raise ModelError(
                    f"point {name!r} is {place!r}, which is not a finite real number; change its expressions",
                    code="not-finite", name=name, place=place,
                )  # fmt: skip
            remedy = "declare them: from_points(..., parameters={'r': 0.1}), or model.add_linkage after model.parameter"
            raise ModelError(
                f"point {name!r} is {place!r}, with symbols that are not parameters: {', '.join(unknown)}; {remedy}",
                code="unknown-symbols", name=name, place=place, unknown=tuple(unknown),
            )  # fmt: skip
        places[name] = plain(as_sympy(x)), plain(as_sympy(y))
    return places


def _outlines(rods: Any, places: Mapping[str, Any]) -> dict[str, Outline]:
    """Return the points of each body by its name. Bodies without a name of their own are named by their points."""
    if isinstance(rods, Mapping):
        outlines = {name: _names(names, places, f"rod {name!r}") for name, names in rods.items()}
    elif isinstance(rods, list | tuple):
        outlines = {}
        for names in rods:
            outline = _names(names, places, "a rod")
            name = ("" if max(map(len, outline)) == 1 else "-").join(outline)
            if name in outlines:
                raise ModelError(
                    f"rods has {name!r} twice; leave one out, or give names: rods={{'bar': {names!r}}}",
                    code="given-twice", argument="rods", name=name, names=names,
                )  # fmt: skip
            outlines[name] = outline
    else:
        raise ModelError(
            f'rods must be a dict of names and points, or a list, not {rods!r}; write {{"crank": "AB"}}',
            code="not-a-dict", argument="rods", rods=rods,
        )  # fmt: skip
    if not outlines:
        raise ModelError(
            'rods is empty, and nothing can move; write rods={"crank": "AB"}', code="empty", argument="rods"
        )
    for name, outline in outlines.items():
        if name in places:
            raise ModelError(
                f"rod {name!r} has the name of a point; choose another name for one of them",
                code="name-taken", name=name,
            )  # fmt: skip
        if len(outline) < 2:
            raise ModelError(
                f"rod {name!r} has one point, {outline[0]}; name two for a rod, three or more for a plate",
                code="too-few-points", name=name, outline=outline[0],
            )  # fmt: skip
    return outlines


def _names(given: Any, places: Mapping[str, Any], what: str) -> Outline:
    """Return the points that a text or several names denote."""
    if not isinstance(given, Iterable):
        raise ModelError(
            f'{what} must name points, not {given!r}; write "AB" or ("A", "B")', code="not-a-list", value=given
        )
    if isinstance(given, str):  # the name of one point, or one point for each letter
        letters, is_point = tuple(given), [letter in places for letter in given]
        if given in places and len(given) > 1 and all(is_point):
            doubt = f"is that one point, or the points {', '.join(letters)}"
            raise ModelError(
                f"{what} is {given!r}: {doubt}? Write ({given!r},) or {letters}",
                code="ambiguous-points", value=given,
            )  # fmt: skip
        names = letters if given not in places and any(is_point) else (given,)
    else:
        names = tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in places:
            raise unknown_name("point", name, places, f"{what} is {given!r}, but from_points")
    if not names:
        raise ModelError(f'{what} names no point; write "AB" or ("A", "B")', code="empty")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ModelError(
            f"{what} names {', '.join(twice)} twice; name each point once", code="given-twice", twice=tuple(twice)
        )
    return names


def _guides(
    sliders: Any, places: Mapping[str, Any], fixed_points: Outline, number: Callable[[Any], float]
) -> dict[str, Any]:
    """Return the angle of the line on which each sliding point stays, in rad."""
    sliders, angles = sliders or {}, {}
    check_dict("sliders", sliders, "points and angles or directions", '{"C": 0}')
    for name, direction in sliders.items():
        check_name("point", name, places, "sliders names a point that is not there: from_points")
        if name in fixed_points:
            raise ModelError(
                f"point {name!r} is fixed and slides; take it out of fixed= or of sliders=",
                code="fixed-and-sliding", name=name,
            )  # fmt: skip
        if isinstance(direction, tuple | list):
            x, y = coordinates_of(direction, f"direction of slider {name!r}", 2)
            if x == 0 and y == 0:
                raise ModelError(
                    f"slider {name!r} has no direction; give an angle, or a pair such as (1, 0)",
                    code="zero-vector", name=name,
                )  # fmt: skip
            angles[name] = plain(sp.atan2(y, x)) if isinstance(x + y, sp.Basic) else atan2(y, x)
        else:
            angles[name] = _number(direction, f"angle of slider {name!r}")
    return angles


def _number(value: Any, what: str) -> Any:
    """Return a number, or an expression of parameters."""
    return check_number(value, what) if isinstance(value, sp.Basic) else finite_number(value, what)


def _check_use(outlines: Mapping[str, Outline], places: Mapping[str, Any], fixed_points: Outline) -> None:
    """Check that every point belongs to a rod, and that every rod can move."""
    used = {name for outline in outlines.values() for name in outline}
    for name in places:
        if name not in used:
            kind = "fixed point" if name in fixed_points else "point"
            raise ModelError(
                f"{kind} {name!r} belongs to no rod; name it in one, or leave it out",
                code="point-without-rod", name=name,
            )  # fmt: skip
    for name, outline in outlines.items():
        still = [point for point in outline if point in fixed_points]
        if len(still) > 1:
            remedy = "leave it out (the ground holds fixed points), or fix one point of it"
            raise ModelError(
                f"rod {name!r} is fixed at {' and '.join(still)} and cannot move; {remedy}",
                code="rod-cannot-move", name=name, still=tuple(still),
            )  # fmt: skip


def _masses(shapes: Mapping[str, UniformBody], mass: Any, density: Any) -> dict[str, Any]:
    """Return the mass of each body: given as a mass, or as a density per metre (rods) or per square metre (plates)."""
    if mass is not None and density is not None:
        raise ModelError("from_points got mass and density; give one of them", code="contradictory-arguments")
    word, values = ("density", density) if density is not None else ("mass", mass)
    if not isinstance(values, Mapping):
        if density is not None and len({shape.is_plate for shape in shapes.values()}) > 1:
            what = "density is one number, but rods have kg/m and plates kg/m²"
            raise ModelError(f"{what}; give a dict: density={{'crank': ..., ...}}", code="not-a-dict")
        values = dict.fromkeys(shapes, values or 0)
    else:
        for name in values:
            check_name("rod", name, shapes, f"{word} names a rod that is not there: from_points")
        if missing := [name for name in shapes if name not in values]:
            raise ModelError(
                f"{word} says nothing of {', '.join(missing)}; give a number for each rod",
                code="missing-entry", word=word, missing=tuple(missing),
            )  # fmt: skip
    masses = {}
    for name, shape in shapes.items():
        what = f"{word} of rod {name!r}"
        value = check_number(_number(values[name], what), what, non_negative=True)
        masses[name] = value * shape.size if density is not None else value
    return masses
