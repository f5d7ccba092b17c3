"""What is needed to draw a mechanism that nobody drew: bodies as their points, elements as symbols at markers."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.model import PlanarModel

Point = tuple[float, float]


@dataclass(frozen=True)
class BodySketch:
    name: str
    points: tuple[Point, ...]
    """The distinct places of the body's markers, in body axes."""


@dataclass(frozen=True)
class ElementSketch:
    """`kind` as in `Element.sketch`; one (body, x, y, angle) for each marker, in body axes."""

    name: str
    kind: str
    markers: tuple[tuple[str, float, float, float], ...]


@dataclass(frozen=True)
class Sketch:
    bodies: tuple[BodySketch, ...]
    """The moving bodies; the ground is where the symbols on it stand."""
    elements: tuple[ElementSketch, ...]


def sketch_of(model: PlanarModel) -> Sketch:
    number = model.evaluator()
    points: dict[str, dict[Point, None]] = {name: {} for name in model.bodies}
    elements = []
    for element in model.elements.values():
        markers = tuple((m.body.name, number(m.x), number(m.y), number(m.angle)) for m in element.markers)
        elements.append(ElementSketch(element.name, element.sketch, markers))
        for body, x, y, _ in markers:
            if body in points and element.sketch:
                points[body][x, y] = None
    for body in model.bodies.values():
        for marker in body.markers.values():
            points[body.name][number(marker.x), number(marker.y)] = None
    return Sketch(tuple(BodySketch(name, tuple(p)) for name, p in points.items()), tuple(elements))
