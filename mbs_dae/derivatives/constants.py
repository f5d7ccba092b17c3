"""Constants of a model by name, "spring.stiffness", "crank.mass", "gravity.y", and models in which they are free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ..errors import ModelError
from ..model.bodies.body import Body
from ..model.bodies.planar_body import PlanarBody
from ..model.element import Element
from ..model.events import Event, Reset
from ..model.model import Model
from ..model.parameters import Number, Parameter, ParameterValue
from ..model.signals import StateVariable

Made = TypeVar("Made", bound=Model)


@dataclass(frozen=True)
class Constant:
    """A number in the equations of a model; it need not be a parameter."""

    value: Number
    unit: str
    free: Callable[[Model, Parameter], None]
    """Put a parameter in place of the number, in a model of its own: the model changes in place."""


def constants_of(model: Model) -> Mapping[str, Constant]:
    """Return the constants of gravity, bodies and elements by name: all with a place of their own in the equations."""
    found = dict[str, Constant]()
    for axis, value in zip("xyz", model.gravity, strict=False):
        found[f"gravity.{axis}"] = Constant(value, "m/s²", partial(_free_gravity, "xyz".index(axis)))
    for body in model.bodies.values():
        found |= {f"{body.name}.{name}": constant for name, constant in _of_body(body)}
    for element in model.elements.values():
        for name, (value, unit) in element.constants.items():
            found[f"{element.name}.{name}"] = Constant(value, unit, partial(_free_constant, element.name, name))
    return found


def _of_body(body: Body) -> Iterator[tuple[str, Constant]]:
    yield "mass", Constant(body.mass, "kg", partial(_free_number, body.name, "mass", ()))
    for k, (axis, value) in enumerate(zip("xyz", body.com, strict=False)):
        yield f"com_{axis}", Constant(value, "m", partial(_free_number, body.name, "com", (k,)))
    if isinstance(body, PlanarBody):
        yield "inertia", Constant(body.inertia, "kg m²", partial(_free_number, body.name, "inertia", ()))
        return
    for r, first in enumerate("xyz"):
        for c, second in enumerate("xyz"[r:], r):
            free = partial(_free_number, body.name, "inertia", (r, c))
            yield f"inertia_{first}{second}", Constant(body.inertia[r][c], "kg m²", free)


def with_constants_free(model: Made, names: Iterable[str]) -> Made:
    """Return a copy of the model in which these constants are parameters of the same names. The copy has bodies of its
    own, since markers refer to bodies, and elements to markers."""
    freed, known, number = deepcopy(model), constants_of(model), model.evaluator()
    for name in names:
        constant, parameter = known[name], Parameter(name)
        freed.parameters.declare(name, ParameterValue(parameter, number(constant.value), constant.unit))
        constant.free(freed, parameter)
    return freed


def _free_gravity(k: int, model: Model, parameter: Parameter) -> None:
    model.gravity = (*model.gravity[:k], parameter, *model.gravity[k + 1 :])


def _free_constant(owner: str, name: str, model: Model, parameter: Parameter) -> None:
    element = model.elements[owner]
    if element.is_written:
        what = f"expressions of others read {element.who}, and were written with its numbers"
        raise ModelError(
            f"{what}; make {name} a parameter of the model, and ask for that",
            code="no-derivative", element=element.who, name=name,
        )  # fmt: skip
    _become(element, element.with_constant(name, parameter))
    for other in model.elements.values():
        if element in other.speaks_of:
            _become(other, other.renewed())


def _become(element: Element, other: Element) -> None:
    """Give an element the contents of another one, in place: other elements may refer to it."""
    vars(element).update(vars(other))
    for body in element.bodies:
        body.waiting.pop(element.name, None)


def are_alike(model: Model, freed: Model) -> bool:
    """Return whether all equations have the same form in both models. A number that is 0 or 1, or equal to another one,
    is part of the form of an equation, but not where it is free."""
    pairs = ((element.forms(), freed.elements[name].forms()) for name, element in model.elements.items())
    return all([f.meaning for f, _ in own] == [f.meaning for f, _ in others] for own, others in pairs)


def _free_number(owner: str, what: str, place: tuple[int, ...], model: Model, parameter: Parameter) -> None:
    """Put a parameter in place of a number of a body, of a component of its vector, or of its symmetric matrix."""
    body = model.bodies[owner]
    value = getattr(body, what)
    if len(place) == 1:
        value = tuple(parameter if (k,) == place else n for k, n in enumerate(value))
    elif place:
        value = tuple(
            tuple(parameter if (r, c) in (place, place[::-1]) else n for c, n in enumerate(row))
            for r, row in enumerate(value)
        )
    object.__setattr__(body, what, value if place else parameter)


def numbers_in(model: Model) -> list[Any]:
    """Return all numbers of a model, and all expressions of parameters in place of numbers."""
    numbers: list[Any] = [*model.gravity]
    for body in [model.ground, *model.bodies.values()]:
        numbers += [*body.numbers, body.span, *(n for marker in body.markers.values() for n in marker.numbers)]
    for element in model.elements.values():
        numbers += [n for marker in element.markers for n in marker.numbers]
        numbers += [n for _, slots in element.forms() for n in slots.values()]
        numbers += [*element.laws, *element.values.values()]
        if isinstance(element, StateVariable):
            numbers += [element.initial, element.scale]
        if isinstance(element, Event) and isinstance(element.action, Reset):
            numbers += [*element.action.values.values()]
    return numbers
