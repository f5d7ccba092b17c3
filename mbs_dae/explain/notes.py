"""What looks like a slip in a model that is right in itself: told by `diagnose`, never refused."""

from collections.abc import Iterator
from math import degrees, hypot, tau

from ..compiled import System
from ..model.model import Model

EARTH = (9.0, 10.5)  # gravity that is meant in m/s²
LONG = 50.0  # metres: mechanisms are shorter, but for cranes and bridges


def notes(system: System) -> tuple[str, ...]:
    """Angles that may be degrees, lengths that may be millimetres, elements that were made and not added."""
    return (*_angles(system.model), *_units(system), *_forgotten(system.model))


def _angles(model: Model) -> Iterator[str]:
    number = model.evaluator()
    for body in (model.ground, *model.bodies.values()):
        own = [("angle", getattr(body, "angle", 0))]
        own += [(f"angle of marker {m.name!r}", getattr(m, "angle", 0)) for m in body.markers.values()]
        for what, given in own:
            if abs(angle := number(given)) > tau:
                found = f"{what} of body {body.name!r} is {angle:g} rad ({degrees(angle):.4g}°): angles are in radians"
                yield f"{found}; if degrees are meant, write np.radians({angle:g})"


def _units(system: System) -> Iterator[str]:
    strength = hypot(*map(system.evaluator, system.model.gravity))
    if EARTH[0] < strength < EARTH[1] and system.length > LONG:
        what = f"the model is {system.length:g} m long, with a gravity of {strength:g} m/s²: lengths are in metres"
        yield f"{what}; if millimetres are meant, divide them by 1000"


def _forgotten(model: Model) -> Iterator[str]:
    made: dict[str, list[str]] = {}
    for body in model.bodies.values():
        for name, who in body.waiting.items():
            if name not in model.elements:
                made.setdefault(who, []).append(body.name)
    for who, bodies in made.items():
        yield f"{who} was made on {' and '.join(bodies)} and not added; write model.add(...)"
