"""The definition of a model as plain values: two models built by the same statements have the same recipe, in every
process."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp

from ...model.bodies.body import Body, Marker
from ...model.element import Element
from ...model.events import Reset
from ...model.model import Model
from ...model.tables import Table


def recipe_of(model: Model) -> list[Any]:
    """Return gravity and parameters, then bodies, then elements: the expressions of these, and all other arguments."""
    values = [(name, p.value) for name, p in model.parameters.items()]
    bodies = [(type(body).__name__, name, _plain(body.numbers)) for name, body in model.bodies.items()]
    elements = []
    for element in model.elements.values():
        form, slots = element.form()
        elements.append((type(element).__name__, form.meaning, _plain(slots), _said(element)))
    return [type(model).__name__, _plain(model.gravity), values, bodies, elements]


def _plain(said: Any) -> Any:
    if isinstance(said, Mapping):
        return sorted((str(key), _plain(value)) for key, value in said.items())
    if isinstance(said, list | tuple):
        return [_plain(value) for value in said]
    if isinstance(said, Marker):
        return said.body.name, _plain(said.numbers)
    if isinstance(said, Body):
        return said.name
    if isinstance(said, Table):
        return said.digest
    if isinstance(said, sp.Basic):
        return sp.srepr(said)
    if is_dataclass(said):
        return type(said).__name__, [_plain(getattr(said, field.name)) for field in fields(said)]
    return _said(said) if isinstance(said, Element | Reset) else repr(said)


def _said(thing: Any) -> Any:
    """Return the plain values of the public attributes of an object."""
    return _plain({name: value for name, value in vars(thing).items() if not name.startswith("_")})
