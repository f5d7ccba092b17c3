"""By what is differentiated: parameters of a model, and constants of its elements, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import ModelError, unknown_name
from ..model.fields import Scalar
from ..model.model import Model
from ..model.parameters import Parameter


class Asked(NamedTuple):
    """A model in which all that is asked for is a parameter."""

    model: Model
    names: tuple[str, ...]
    symbols: tuple[Parameter, ...]


def asked_of(model: Model, names: Any) -> Asked | None:
    """What stands in `derivatives=`: names, or the symbols of parameters; None where there are none."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(f'derivatives must be a list of names, not {names!r}; e.g. derivatives=("r", "l")')
    given = tuple(str(getattr(one, "symbol", one)) for one in names)
    if not given:
        return None
    if len({*given}) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise ModelError(f"derivatives names {twice!r} twice; leave one out")
    constants = {name: _constant(model, name) for name in given if name not in model.parameters}
    _check_places(model)
    model = model.with_constants_free(constants) if constants else model
    return Asked(model, given, tuple(model.parameters[name].symbol for name in given))


def _check_places(model: Model) -> None:
    system = model.compile()
    if system.program.velocity_rows:
        who = next(row.element for row in system.rows if row.unit.endswith("/s"))
        what = f"{who} restricts velocities, and places follow from the whole motion before"
        raise ModelError(f"{what}: derivatives of kinematics need equations of places; leave derivatives= out")


def _constant(model: Model, name: str) -> tuple[str, str]:
    """The element and the field of a constant."""
    owner, _, field = name.rpartition(".")
    element = model.elements.get(owner)
    fields = [] if element is None else [f for f, kind in element.fields.items() if isinstance(kind, Scalar)]
    if field not in fields:
        known = [*model.parameters, *(f"{e.name}.{f}" for e in model.elements.values() for f, kind in e.fields.items()
                 if isinstance(kind, Scalar))]  # fmt: skip
        raise unknown_name("parameter or constant", name, known, f"model {model.name!r}")
    return owner, field
