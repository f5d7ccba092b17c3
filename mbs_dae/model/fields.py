"""What an element is told besides its markers, declared in its class.

    class Distance(mbs.Joint):
        length = mbs.scalar("m", positive=True)

    class CamFollower(mbs.Joint):
        profile = mbs.function("m")             # an expression, a Table, a Motion, or any callable

A scalar becomes a slot of the kernel: one machine code for all lengths. A function becomes part of the
expression: one machine code for all profiles of that form. An expression may speak of time and of named quantities of
the model. A choice selects among forms of the equation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any

import sympy as sp

from ..symbolic.expressions import called, expression_of
from ..symbolic.functions import as_sympy
from ..symbolic.markers import t
from .motion import Motion
from .parameters import check_choice, check_number
from .tables import Table

theta = sp.Symbol("theta", real=True)
"""The angle in a cam profile, and in the law of a torsion spring."""
length = sp.Symbol("length", real=True)
"""The length in the law of a spring."""
rate = sp.Symbol("rate", real=True)
"""The rate of the length, or of the angle, in the law of a spring or damper."""
speed = sp.Symbol("speed", real=True)
"""The angular velocity in the torque curve of a motor."""

REQUIRED: Any = object()


@dataclass(frozen=True)
class Field:
    """`default` may be a function of the placed markers (and of constants declared before it, by name): what the
    reference placement says."""

    unit: str = ""
    default: Any = REQUIRED
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    def check(self, value: Any, who: str) -> Any:
        return value

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        """What could not be checked before the parameters had values."""


@dataclass(frozen=True)
class Scalar(Field):
    positive: bool = False
    non_negative: bool = False

    def check(self, value: Any, who: str) -> Any:
        what = f"{self.name} of {who}"
        return check_number(value, what, positive=self.positive, non_negative=self.non_negative)

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        self.check(number(value), who)


@dataclass(frozen=True)
class Law:
    """A function as an expression of its variables. It may be called with other expressions."""

    expression: sp.Expr
    variables: tuple[sp.Symbol, ...]
    given: Any = None
    """The table or the motion that it was given as."""

    def __call__(self, *places: Any) -> sp.Expr:
        return self.expression.xreplace(dict(zip(self.variables, map(as_sympy, places), strict=True)))


@dataclass(frozen=True)
class Function(Field):
    """A function of one or more variables, handed to the equation as something to call with expressions. A table is a
    function of the first variable."""

    of: sp.Symbol | tuple[sp.Symbol, ...] = theta
    jumps: bool = True
    """Whether it may: that of an equation may not, for its slope is asked for."""

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return self.of if isinstance(self.of, tuple) else (self.of,)

    def check(self, value: Any, who: str) -> Law:
        what = f"the {self.name} of {who}"
        given = value if isinstance(value, Table | Motion) else None
        if given is not None:
            value = value(self.variables[0])
        elif callable(value) and not isinstance(value, sp.Basic):
            value = called(value, self.variables, what)
        expression = expression_of(value, what, ", ".join(map(str, self.variables)), self.jumps)
        return Law(expression, self.variables, given)

    def check_value(self, value: Law, number: Callable[[Any], float], who: str) -> None:
        for segment in value.given.segments if isinstance(value.given, Motion) else ():
            check_number(number(segment.over), f"a duration in the {self.name} of {who}", positive=True)


@dataclass(frozen=True)
class Choice(Field):
    options: tuple[Any, ...] = ()

    def check(self, value: Any, who: str) -> Any:
        return check_choice(value, self.options, f"{self.name} of {who}")


@dataclass(frozen=True)
class Expression(Field):
    """A sympy expression of time, parameters and named quantities: ``50 * sp.sin(mbs.t) - c * model["crank.omega"]``"""

    def check(self, value: Any, who: str) -> sp.Expr:
        what = f"{self.name} of {who}"
        return expression_of(value(t) if isinstance(value, Table | Motion) else value, what, jumps=True)


def scalar(unit: str = "", *, default: Any = REQUIRED, positive: bool = False, non_negative: bool = False) -> Any:
    return Scalar(unit, default, positive=positive, non_negative=non_negative)


def function(
    unit: str = "", *, of: sp.Symbol | tuple[sp.Symbol, ...] = theta, default: Any = REQUIRED, jumps: bool = True
) -> Any:
    return Function(unit, default, of=of, jumps=jumps)


def expression(unit: str = "", *, default: Any = REQUIRED) -> Any:
    return Expression(unit, default)


def choice(*options: Any, default: Any = REQUIRED) -> Any:
    return Choice(default=default, options=options)


# --- how an element is called, as `help` and editors show it; calls are checked elsewhere, with better messages ------

PLACE = "Place"
KINDS: dict[type[Field], str] = {Scalar: "Number", Expression: "Expression", Function: "Law"}
"""The types of constants, as annotations: a number or an expression of parameters; an expression of time and of
quantities as well; a function."""


class _Follows:
    def __repr__(self) -> str:
        return "..."


FOLLOWS = _Follows()
"""In the place of a default that follows from the reference placement, or from other arguments."""


def annotation(field: Field) -> str:
    if isinstance(field, Choice):
        return f"Literal[{', '.join(map(repr, field.options))}]"
    return getattr(field, "annotation", KINDS.get(type(field), "Any"))


def places(names: Iterable[str], optional: int = 0) -> list[Parameter]:
    """Markers, those that may be left out by name; and the world point that can stand for the markers of all bodies."""
    names = [*names]
    count = len(names) - optional
    markers = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=PLACE) for name in names[:count]]
    words = [(name, f"{PLACE} | None") for name in names[count:]]
    words += [(name, "Vector | None") for name in ("at", "axis", "x_axis")]
    return markers + [Parameter(n, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for n, kind in words]


def coordinate(*kinds: str) -> list[Parameter]:
    """What a coordinate is given by, by place only: "Joint | Measure", or markers."""
    return [Parameter(name, Parameter.POSITIONAL_ONLY, annotation=k) for name, k in zip("ij", kinds, strict=False)]


COORDINATE = [p.replace(default=None) if p.name == "j" else p for p in coordinate(f"{PLACE} | Joint | Measure", PLACE)]
"""All ways of giving it in one: a joint, a measure, or markers."""


def constant(name: str, field: Field) -> Parameter:
    default = field.default
    if default is REQUIRED:
        default = Parameter.empty
    elif callable(default):
        default = FOLLOWS
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation(field))


GENERAL = {"name", "unilateral", "restitution", "friction", "static_friction", "smooth"}
"""Parameters from which no constant of a class follows."""


def signature_of(make: Callable, where: Iterable[Parameter], fields: Mapping[str, Field]) -> Signature:
    """The parameters that `make` (an ``__init__``) names; where the element acts, for *args; its constants, for
    **constants. Those that follow one with a default and have none themselves are given by name."""
    own = [p for p in signature(make).parameters.values() if p.name != "self"]
    found = {p.name: p for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    open_places = any(p.kind is p.VAR_POSITIONAL for p in own)
    if any(p.kind is p.VAR_KEYWORD for p in own):
        asked = {*found} - GENERAL - {p.name for p in where}
        derived = bool(asked)  # from what the class asks for besides
        here = [p for p in where if open_places or p.kind is p.KEYWORD_ONLY]
        given = [constant(name, field) for name, field in fields.items() if name not in found]
        given = [p.replace(default=FOLLOWS) if derived and p.default is p.empty else p for p in given]
        given = given if open_places else [p.replace(kind=p.KEYWORD_ONLY) for p in given]
        found = {p.name: p for p in (*here, *found.values(), *given)}
    if any(p.kind is p.POSITIONAL_ONLY for p in found.values()):
        found["name"] = found["name"].replace(kind=Parameter.POSITIONAL_ONLY)
    ordered, optional = [], False
    for p in sorted(found.values(), key=lambda p: (p.kind, p.name != "name")):
        optional = optional or p.default is not p.empty
        by_name = optional and p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ordered.append(p.replace(kind=p.KEYWORD_ONLY) if by_name else p)
    return Signature(sorted(ordered, key=lambda p: p.kind))
