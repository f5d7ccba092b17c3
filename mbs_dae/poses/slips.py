"""Probable mistakes in a consistent model: degrees for radians, millimetres for metres, elements that were not added.
`diagnose` and the errors of a model that does not close or move report them; none of them is an error by itself."""

from collections.abc import Iterator
from math import degrees, dist, hypot, tau
from statistics import median

import numpy as np
import sympy as sp

from ..compiled import System
from ..model.contacts import Stop
from ..model.drivers import Driver, FixedQuantity, Prescribed
from ..model.model import Model
from ..model.parameters import Evaluator, is_constant
from ..results.result import State
from ..symbolic.markers import t as time
from ..tolerances import RANK_TOLERANCE
from .local import free_motions

EARTH = (9.0, 10.5)  # in m/s²: gravity of the earth in SI units
LONG = 50.0  # in m: mechanisms are shorter, except cranes and bridges
BODIES_SHOWN = 3  # greatest number of bodies in a clause
MIXED = 300.0  # ratio of a length to half of the others that suggests mm: a length in mm would be 1000 times as long


def notes(system: System) -> tuple[str, ...]:
    """Return a note for each angle that may be in degrees, length that may be in mm, and element that was not added."""
    return (*filter(None, _angles(system.model)), *_units(system), *_values(system), *_forgotten(system.model))


def with_notes(system: System, message: str) -> str:
    """Return the message of an error, followed by the notes."""
    return "; ".join([message, *(f"note: {note}" for note in notes(system))])


def loose_bodies(model: Model) -> tuple[str, ...]:
    """Return the names of bodies without a joint and without a driver, except fixed ones."""
    joined = {marker.body for element in model.conditions for marker in element.markers}
    return tuple(body.name for body in model.bodies.values() if not body.fixed and body not in joined)


def open_ends(model: Model) -> tuple[str, ...]:
    """Return the ends of links, as "rod.head", at which no joint and no driver has a marker."""
    number = model.evaluator()
    taken: dict[str, list[tuple[float, ...]]] = {}
    for element in model.conditions:
        for marker in element.markers:
            taken.setdefault(marker.body.name, []).append(tuple(float(number(x)) for x in marker.point))
    ends = []
    for body in model.bodies.values():
        near = 1e-9 * float(number(body.span or 0.0))
        for name in ("tail", "head") if body.span is not None else ():
            end = [float(number(x)) for x in body.markers[name].point]
            if not any(dist(end, point) <= near for point in taken.get(body.name, ())):
                ends.append(f"{body.name}.{name}")
    return tuple(ends)


def free_bodies(state: State) -> str:
    """Return a clause about the bodies that have two or more freedoms and the most of all with drivers at rest, held by
    the fewest joints: a mechanism leaves its bodies one freedom for each driver, and a guide or a pin may be missing.
    Empty if no body has two."""
    system, model = state.system.cartesian, state.system.model
    motions = free_motions(system, state.t, state.motion[0][0])
    own = motions.reshape(len(system.bodies), -1, motions.shape[1])
    freedoms = [int(np.linalg.matrix_rank(part, tol=RANK_TOLERANCE)) if part.size else 0 for part in own]
    holding = [e for e in model.conditions if not isinstance(e, Prescribed)]
    joints = [[e.name for e in holding if body in e.bodies] for body in system.bodies]
    most = max(freedoms, default=0)
    fewest = min((len(names) for names, own in zip(joints, freedoms, strict=True) if own == most), default=0)
    stand = "with all drivers at rest, " if len(holding) < len(model.conditions) else ""
    clauses = [
        f"body {body.name!r} has {most} degrees of freedom, held by {' and '.join(names) or 'no joint'}"
        for body, names, own in zip(system.bodies, joints, freedoms, strict=True)
        if own == most > 1 and len(names) == fewest
    ]
    return stand + ", ".join(clauses[:BODIES_SHOWN]) if clauses else ""


def slips_in_assembly(system: System, q: np.ndarray) -> dict[str, str]:
    """Return the notes on an assembled model, by their name in `stats`: "slips", the `notes`; or "turned" if assembly
    turned a body of a planar model by more than a whole turn, followed by the notes. Without notes the result is empty,
    since a driver may begin at any angle. (Attitudes in space count no turns.)"""
    model = system.model
    markers = sum(len(body.markers) for body in (model.ground, *model.bodies.values()))
    found = system.lately(notes, (markers, *_forgotten(model)), lambda: notes(system))
    if not found or model.dimension == 3:
        return {"slips": "; ".join(found)} if found else {}
    angles = [system.layout.q[body][2] for body in system.bodies]
    turned = np.abs(q[angles] - system.placement[angles])
    k = int(np.argmax(turned))
    if turned[k] <= tau:
        return {"slips": "; ".join(found)}
    what = f"assembly turned body {system.bodies[k].name!r} by {turned[k]:.3g} rad from its placement"
    return {"turned": "; ".join([what, *found])}


def _angles(model: Model) -> Iterator[str]:
    number = model.evaluator()
    for body in (model.ground, *model.bodies.values()):
        own = [("angle", getattr(body, "angle", 0))]
        own += [(f"angle of marker {m.name!r}", getattr(m, "angle", 0)) for m in body.markers.values()]
        yield from (_in_degrees(f"{what} of body {body.name!r}", number(given)) for what, given in own)
    for element in model.elements.values():  # markers without a name: body.at(0, 0, angle=...)
        for marker in element.markers:
            if marker not in marker.body.markers.values():
                what = f"angle of a marker of {element.who} on body {marker.body.name!r}"
                yield _in_degrees(what, number(getattr(marker, "angle", 0)))
    for stop in model.contacts:
        yield from degrees_of(stop, number) if isinstance(stop, Stop) else ()


def degrees_of(stop: Stop, number: Evaluator) -> tuple[str, ...]:
    """Return a note for each limit of an angle that may be in degrees."""
    limits = stop.limits.items() if stop.measure.unit == "rad" else ()
    return tuple(filter(None, (_in_degrees(f"{name} of {stop.who}", number(value)) for name, value in limits)))


def _in_degrees(what: str, angle: float) -> str:
    """Return a note on an angle beyond one turn; empty for other angles."""
    if abs(angle) <= tau:
        return ""
    found = f"{what} is {angle:g} rad ({degrees(angle):.4g}°): angles are in radians"
    return f"{found}; if degrees are meant, write np.radians({angle:g})"


def _units(system: System) -> Iterator[str]:
    model, number = system.model, system.evaluator
    sizes = {}
    for body in (model.ground, *model.bodies.values()):
        for m in body.markers.values():
            if (size := hypot(*(float(number(x)) for x in m.point))) > 0.0:
                sizes[m.label] = size
    if len(sizes) > 2 and sizes[far := max(sizes, key=sizes.__getitem__)] > MIXED * median(sizes.values()):
        what = f"marker {far!r} is {sizes[far]:g} m from the origin of its body, and half of all markers no more than "
        yield f"{what}{median(sizes.values()):g} m: lengths are in metres; if millimetres are meant, divide by 1000"
    for body in model.bodies.values():
        span, placed = (float(number(one or 0.0)) for one in (body.span, body.placed_span))
        if 0.0 < MIXED * placed < span:
            what = f"link {body.name!r} is {span:g} m long, and placed between points {placed:.3g} m apart"
            yield f"{what}: lengths are in metres; if millimetres are meant, divide by 1000"
    strength = hypot(*map(system.evaluator, system.model.gravity))
    if EARTH[0] < strength < EARTH[1] and system.length > LONG:
        what = f"the model has a length of {system.length:g} m, and a gravity of {strength:g} m/s²"
        yield f"{what}: lengths are in metres; if millimetres are meant, divide them by 1000"


def _values(system: System) -> Iterator[str]:
    """Yield a note for each driver that begins, and each quantity that is held, at a value in degrees or millimetres:
    more than a turn that is a whole number, or more than `MIXED` lengths of the model."""
    for element in system.model.conditions:
        if isinstance(element, Driver):
            law, what = element.function.xreplace({time: sp.S.Zero}), f"the first value of {element.who}"
        elif isinstance(element, FixedQuantity):
            law, what = element.value, f"the value of {element.name!r}"
        if not isinstance(element, Driver | FixedQuantity) or not is_constant(law):
            continue
        value = system.evaluator(law)
        if element.units[0] == "rad" and abs(value) > tau and value == round(value):
            yield _in_degrees(what, value)
        elif element.units[0] == "m" and abs(value) > MIXED * system.length:
            what += f" is {value:g} m, and the longest way on a body {system.length:.3g} m: lengths are in metres"
            yield f"{what}; if millimetres are meant, divide by 1000"


def _forgotten(model: Model) -> Iterator[str]:
    made: dict[str, list[str]] = {}
    for body in model.bodies.values():
        for name, who in body.waiting.items():
            if name not in model.elements:
                made.setdefault(who, []).append(body.name)
    for who, bodies in made.items():
        yield f"{who} was made on {' and '.join(bodies)} and not added; write model.add(...)"
