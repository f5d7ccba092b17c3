"""Names in `derivatives=`: parameters of a model, its constants, and values given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.structure import Structure
from ..errors import ModelError, unknown_name
from ..model.fields import Option
from ..model.joints import Gear
from ..model.model import Model
from ..model.parameters import Evaluator, Parameter, free_parameters
from ..symbolic.branches import SWITCHING
from ..symbolic.expressions import slope_between_jumps
from ..tolerances import CORNER_JUMP, SAME_INSTANT
from .constants import are_alike, constants_of, numbers_in, with_constants_free
from .inputs import inputs_made_of, with_laws_written


class DesignVariables(NamedTuple):
    """A model in which all quantities of `derivatives=` are parameters, except values given, which it does not have."""

    model: Model
    names: tuple[str, ...]
    symbols: tuple[Parameter, ...]
    told: str
    """A remark on names on which nothing depends; empty if there are none."""
    alike: bool = True
    """Whether all equations have the form that they have with constants as numbers."""


class StartChange(NamedTuple):
    """The change of the initial state of a run with one quantity."""

    x: np.ndarray
    """The small motion of its bodies."""
    q: np.ndarray
    """The change of q in places of signals, with zeros for bodies."""
    v: np.ndarray


def design_variables(
    model: Model, names: Any, given: Collection[str] = (), run: bool = False
) -> DesignVariables | None:
    """Return the model and the symbols for `derivatives=`, names or symbols of parameters; None without any. Names of
    values `given` (fixed or initial ones) may be among them. In a `run` inputs stay as they are."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(
            f'derivatives must be a list of names, not {names!r}; e.g. derivatives=("r", "l")',
            code="not-a-list", names=names,
        )  # fmt: skip
    variables = tuple(str(getattr(one, "symbol", one)) for one in names)
    if not variables:
        return None
    if len({*variables}) < len(variables):
        twice = next(name for name in variables if variables.count(name) > 1)
        raise ModelError(f"derivatives names {twice!r} twice; leave one out", code="given-twice", twice=twice)
    if gear := next((e for e in model.conditions if isinstance(e, Gear) and e.pressure_angle != 0), None):
        what = f"{gear.who} has a pressure_angle, whose force has no derivatives here"
        raise ModelError(
            f"{what}; leave pressure_angle= out (motions and efforts are the same), or derivatives=",
            code="pressure-angle-with-derivatives", gear=gear.who,
        )  # fmt: skip
    values, alike = {name: Parameter(name) for name in variables if name in given}, True
    constants = tuple(name for name in variables if name not in values and name not in model.parameters)
    if constants:
        check_constants(model, constants, given)
        free = model.compile().latest(_with_constants, constants)
        model, alike = free, are_alike(model, free)
    symbols = tuple(values.get(name) or model.parameters[name].symbol for name in variables)
    if inputs := tuple(one.name for one in inputs_made_of(model, symbols)):
        model = model if run else model.compile().latest(_with_laws, inputs)
    numbers = numbers_in(model)
    check_corners(model, numbers, symbols)
    idle = sorted({*map(str, symbols)} - {*map(str, free_parameters(numbers))} - {*values})
    told = f"nothing in the model depends on {', '.join(idle)}: derivatives by it are 0" if idle else ""
    return DesignVariables(model, variables, symbols, told, alike)


FARTHER = 10.0
"""A slope has a kink where it jumps by more than `CORNER_JUMP` of its size, and hardly more over a way `FARTHER` times
as long."""


def corner_of(e: sp.Expr, symbol: sp.Symbol, known: Mapping[sp.Symbol, float]) -> str:
    """Return "jumps" or "has a kink" if an expression, or its slope by a symbol, has two values on both sides of the
    `known` values; empty if it is smooth there. (Between two close places a smooth value changes by next to nothing,
    and in proportion to their distance.)"""
    size = SAME_INSTANT * max(abs(known[symbol]), 1.0)
    for law, what in ((e, "jumps"), (slope_between_jumps(e, symbol), "has a kink")):
        near, far = (
            [Evaluator({**known, symbol: known[symbol] + side * size})(law) for side in (-reach, reach)]
            for reach in (1.0, FARTHER)
        )
        jump, allowed = abs(near[1] - near[0]), CORNER_JUMP * max(map(abs, near + far))
        if jump > allowed and jump > 0.5 * abs(far[1] - far[0]):
            return what
    return ""


def check_corners(model: Model, numbers: Iterable[Any], symbols: Iterable[Parameter]) -> None:
    """Refuse parameters at whose values a number of the model jumps or has a kink."""
    known = {one.symbol: one.value for one in model.parameters.values()}
    for e in numbers:
        if not (isinstance(e, sp.Basic) and e.has(*SWITCHING)):
            continue
        for symbol in e.free_symbols & {*symbols} & {*known}:
            if e.free_symbols <= {*known} and (what := corner_of(e, symbol, known)):
                told = f"{e} {what} at {symbol} = {known[symbol]:g}: there is a derivative to one side alone"
                raise ModelError(
                    f"derivatives by {symbol}: {told}; take another value, or a smooth expression",
                    code="kink", symbol=symbol,
                )  # fmt: skip


def _with_constants(system: System, names: tuple[str, ...]) -> Model:
    """Return the model in which these constants are parameters, with the values that they have in this design."""
    model, number = system.model, system.evaluator
    constants = constants_of(model)
    freed: Model = system.structure.once(_freed, names)
    values = {parameter.symbol.name: parameter.value for parameter in model.parameters.values()}
    return freed.with_values({**values, **{name: number(constants[name].value) for name in names}})


def _freed(structure: Structure, names: tuple[str, ...]) -> Model:
    """Return the model in which these constants are parameters, compiled: one for all designs."""
    freed = with_constants_free(structure.model, names)
    freed.compile()
    return freed


def _with_laws(system: System, names: tuple[str, ...]) -> Model:
    written: Model = system.structure.once(_written, names)
    return written.with_values({p.symbol.name: p.value for p in system.model.parameters.values()})


def _written(structure: Structure, names: tuple[str, ...]) -> Model:
    written = with_laws_written(structure.model, names)
    written.compile()
    return written


def check_constants(model: Model, names: Iterable[str], given: Iterable[str] = ()) -> None:
    """Refuse names that are no constants of the model; `given` are values that an error names, too."""
    known = constants_of(model)
    for name in names:
        if name not in known:
            _check_kind(model, name)
            raise unknown_name(
                "parameter or constant", name, [*given, *model.parameters, *known], f"model {model.name!r}"
            )


def _check_kind(model: Model, name: str) -> None:
    """Refuse what has this name and is no number that equations depend on."""
    owner, _, last = name.rpartition(".")
    element, body = model.elements.get(owner), model.bodies.get(owner)
    if (body is not None and last == "length") and body.span is not None:
        what = f"the length of link {owner!r} is in its markers, its centre and its inertia"
        raise ModelError(
            f"{what}; give it as a parameter, length=model.parameter('l', {body.span}), and ask for that",
            code="is-a-constant", span=body.span,
        )  # fmt: skip
    field = element.fields.get(last) if element is not None else None
    if element is not None and isinstance(field, Option):
        what = f"{last} of {element.who} is one of {', '.join(map(repr, field.options))}, a matter of structure"
        raise ModelError(f"{what}: nothing is differentiated by it; compare models with both", code="no-derivative")
    if element is not None and (field is not None or last in ("function", "law", "every", "when")):
        what = f"{last} of {element.who} is a law and no number"
        raise ModelError(
            f"{what}; make the number in it a parameter, k = model.parameter('k', ...), and ask for that",
            code="is-a-constant",
        )  # fmt: skip
    if element is not None and isinstance(getattr(element, last, None), int | float):
        what = f"{last} of {element.who} is a part of the form of its equations, and no number in them"
        raise ModelError(f"{what}: nothing is differentiated by it; compare models with several", code="no-derivative")
    if name in model.elements or name in model.bodies:
        kind = element.kind if (element := model.elements.get(name)) else "body"
        known = [one for one in constants_of(model) if one.rpartition(".")[0] == name]
        what = f"{name!r} is a {kind}, and not a number"
        raise ModelError(
            f"{what}; ask for one of its constants: {', '.join(known) or 'it has none'}", code="is-an-element"
        )
    if model.quantity_or_none(name):
        what = f"{name!r} follows from the motion: it is read, and nothing depends on it"
        raise ModelError(
            f"{what}; ask for parameters and constants, or give its value (fix=, initial=) and ask for it",
            code="is-a-reading",
        )  # fmt: skip


def motion_variables(model: Model, names: Any) -> DesignVariables | None:
    """Return the model and the symbols for a motion that equations of places determine; refuse rows of velocities."""
    variables = design_variables(model, names)
    if variables is not None and model.compile().program.velocity_rows:
        who = next(row.element for row in model.compile().rows if row.unit.endswith("/s"))
        what = f"{who} restricts velocities, and places follow from the whole motion before"
        raise ModelError(
            f"{what}: derivatives of kinematics need equations of places; leave derivatives= out",
            code="nonholonomic", subject=who,
        )  # fmt: skip
    return variables


LAWS = "restitution", "friction", "static friction", "smooth"
"""The numbers in the laws of contacts and of friction."""


def check_laws(variables: DesignVariables, verb: str) -> None:
    """Refuse derivatives by a law of contacts or friction that is 0."""
    number = variables.model.evaluator()
    for one in (*variables.model.contacts, *variables.model.frictions):
        for law, value in zip(LAWS, one.laws, strict=True):
            if {*variables.symbols} & getattr(value, "free_symbols", set()) and number(value) == 0.0:
                what = f"{one.who} has {law} 0 and is asked for it: there is a derivative to one side alone"
                raise ModelError(
                    f"derivatives of {verb}: {what}; take one a little larger",
                    code="no-derivative", verb=verb, subject=one.who, law=law,
                )  # fmt: skip
