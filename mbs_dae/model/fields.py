"""The arguments of an element besides its markers, declared in its class.

A `scalar` becomes a slot of the kernel: one machine code for all lengths. A `function` becomes part of the expression:
one machine code for all profiles of this form. An `expression` may depend on time and on named quantities of the model.
A `choice` selects among forms of the equation.

Laws are expressions of symbols for the arguments of the law: ``mbs.length`` and ``mbs.rate`` in those of springs and
dampers,

>>> model = mbs.PlanarModel("weight on a rubber band", gravity=(0, -10))
>>> weight = model.body("weight", mass=0.9, inertia=0.1, position=(0, -1.2))
>>> band = mbs.SpringDamper("band", model.ground, weight, law=100 * (mbs.length - 1) ** 2 + 2 * mbs.rate)
>>> print(round(mbs.equilibrium(model.plus(band))["weight.y"], 6))  # 100 s² = 9 N
-1.3

``mbs.speed`` in the torque of a motor,

>>> model = mbs.PlanarModel("fan")
>>> fan = model.body("fan", mass=1.0, inertia=0.01)
>>> A = model.add(mbs.Revolute("A", model.ground, fan))
>>> motor, air = mbs.Motor("motor", A, 2.0 * (1 - mbs.speed / 10)), mbs.ViscousFriction("air", A, 0.2)
>>> print(mbs.simulate(model.plus(motor, air), [0, 2])["fan.omega"][-1].round(4))  # 2 - 0.2 ω = 0.2 ω
5.0

and ``mbs.theta``, the angle, in the profile of a cam and in the law of a torsion spring.

>>> model = mbs.PlanarModel("cam")
>>> follower = model.body("follower", position=(0.05, 0.1))
>>> cam = mbs.CamFollower("cam", model.ground, follower, profile=0.1 * (1 + mbs.theta / np.pi))
>>> print(round(mbs.assemble(model.plus(cam), fix={"follower.x": 0.0})["follower.y"], 6))  # at a right angle
0.15
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.expressions import called, expression_of
from ..symbolic.functions import as_sympy
from ..symbolic.markers import t
from ..unit_system import warn_of_degrees
from .motion import Motion
from .parameters import check_choice, check_number, is_constant
from .tables import Table

theta = sp.Symbol("theta", real=True)
"""The angle, in rad, in a cam profile, and in the law of a torsion spring."""
length = sp.Symbol("length", real=True)
"""The length, in m, in the law of a spring."""
rate = sp.Symbol("rate", real=True)
"""The rate of the length, in m/s, or of the angle, in rad/s, in the law of a spring or damper."""
speed = sp.Symbol("speed", real=True)
"""The angular velocity, in rad/s, in the torque curve of a motor; the speed of slip, in m/s, in a friction law."""

REQUIRED: Any = object()


@dataclass(frozen=True)
class Field:
    """An argument that a class declares for its elements.

    `default` may be a function of the placed markers (and of constants declared before it, by name): the value in the
    reference placement.
    """

    unit: str = ""
    default: Any = REQUIRED
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    def check(self, value: Any, who: str) -> Any:
        return value

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        """Check the value with the values of the parameters."""

    def numbers(self, value: Any) -> dict[str, Any]:
        """Return the number that a value is, or its components, by suffixes of the field's name."""
        return {"": value} if is_constant(value) else {}

    def with_number(self, value: Any, part: str, number: Any) -> Any:
        """Return the value with another number in the place of one of its numbers."""
        return number


@dataclass(frozen=True)
class Scalar(Field):
    """A constant that is a number: see `scalar`."""

    positive: bool = False
    non_negative: bool = False

    def check(self, value: Any, who: str) -> Any:
        found = self._checked(value, who)
        if self.unit == "rad":
            warn_of_degrees(value, f"{self.name} of {who}")
        return found

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        self._checked(number(value), who)

    def _checked(self, value: Any, who: str) -> Any:
        what = f"{self.name} of {who}"
        return check_number(value, what, positive=self.positive, non_negative=self.non_negative)


@dataclass(frozen=True)
class Law:
    """A function as an expression of its variables. A law may be called with other expressions."""

    expression: sp.Expr
    variables: tuple[sp.Symbol, ...]
    given: Any = None
    """The table or the motion from which the law was made; else None."""

    def __call__(self, *places: Any) -> sp.Expr:
        return self.expression.xreplace(dict(zip(self.variables, map(as_sympy, places), strict=True)))


@dataclass(frozen=True)
class Function(Field):
    """A function of one or more variables, which the equation calls with expressions. A table is a function of the
    first variable."""

    of: sp.Symbol | tuple[sp.Symbol, ...] = theta
    jumps: bool = True
    """Whether the function may jump: in an equation it may not, since its slope is needed."""

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

    def numbers(self, value: Law) -> dict[str, Any]:
        return super().numbers(value.expression)

    def with_number(self, value: Law, part: str, number: Any) -> Law:
        return Law(as_sympy(number), value.variables)

    def check_value(self, value: Law, number: Callable[[Any], float], who: str) -> None:
        for segment in value.given.segments if isinstance(value.given, Motion) else ():
            check_number(number(segment.over), f"a duration in the {self.name} of {who}", positive=True)


@dataclass(frozen=True)
class Option(Field):
    """A constant that is one of several options: see `choice`."""

    options: tuple[Any, ...] = ()

    def check(self, value: Any, who: str) -> Any:
        return check_choice(value, self.options, f"{self.name} of {who}")


@dataclass(frozen=True)
class Expression(Field):
    """A sympy expression of time, parameters and named quantities: ``50 * sp.sin(mbs.t) - c * model["crank.omega"]``"""

    def check(self, value: Any, who: str) -> sp.Expr:
        what = f"{self.name} of {who}"
        return expression_of(value(t) if isinstance(value, Table | Motion) else value, what, jumps=True)

    def with_number(self, value: sp.Expr, part: str, number: Any) -> sp.Expr:
        return as_sympy(number)


def scalar(unit: str = "", *, default: Any = REQUIRED, positive: bool = False, non_negative: bool = False) -> Any:
    """Declare a constant that is a number, or an expression of parameters: the length of a link.

    `unit` is its unit, which the error for a missing value states. `default` is a value, or a function of the placed
    markers: the value in the reference placement. `positive` and `non_negative` are checked. Returns the field.

    >>> class Level(mbs.Joint):
    ...     height = mbs.scalar("m", default=lambda i: i.y)
    ...     @staticmethod
    ...     def phi(i, height):
    ...         return [i.y - height]
    >>> model = mbs.PlanarModel("lift")
    >>> cabin = model.body("cabin", position=(0, 2))
    >>> levels = Level("as placed", cabin), Level("third", cabin, 9)
    >>> [round(mbs.assemble(model.plus(level))["cabin.y"], 6) for level in levels]
    [2.0, 9.0]
    """
    return Scalar(unit, default, positive=positive, non_negative=non_negative)


def function(
    unit: str = "", *, of: sp.Symbol | tuple[sp.Symbol, ...] = theta, default: Any = REQUIRED, jumps: bool = True
) -> Any:
    """Declare a function of one or more variables: the profile of a cam, the law of a spring.

    The user gives an expression of the symbols `of` (default: `mbs.theta`), a `Table`, a `Motion`, a number or any
    callable, and the equation calls it. `unit` is the unit of its values, `default` its default. With ``jumps=False`` a
    function that jumps is refused. Returns the field.

    >>> class Rail(mbs.Joint):
    ...     height = mbs.function("m", of=mbs.length, jumps=False)
    ...     @staticmethod
    ...     def phi(i, height):
    ...         return [i.y - height(i.x)]
    >>> model = mbs.PlanarModel("roller coaster")
    >>> car = model.body("car", position=(1, 1))
    >>> rail = model.add(Rail("rail", car, height=mbs.length**2))
    >>> print(round(mbs.assemble(model, fix={"car.x": 3.0})["car.y"], 6))
    9.0
    """
    return Function(unit, default, of=of, jumps=jumps)


def expression(unit: str = "", *, default: Any = REQUIRED) -> Any:
    """Declare a constant that may change in time: a number, an expression of `mbs.t`, parameters and quantities of the
    model, a `Table` or a `Motion` over time. `unit` is its unit, `default` its default. Returns the field.

    >>> class Wind(mbs.ForceElement):
    ...     strength = mbs.expression("N")
    ...     @staticmethod
    ...     def force(i, strength):
    ...         return [(strength, 0)]
    >>> model = mbs.PlanarModel("sail")
    >>> boat = model.body("boat", mass=2.0, inertia=1.0)
    >>> wind = model.add(Wind("wind", boat, strength=4 * mbs.t))
    >>> print(mbs.simulate(model, [0, 3])["boat.vx"].round(6))  # 2 t²/2
    [0. 9.]
    """
    return Expression(unit, default)


def choice(*options: Any, default: Any = REQUIRED) -> Any:
    """Declare a constant that is one of the `options`: it selects among forms of the equation. Returns the field.

    >>> class Side(mbs.Joint):
    ...     side = mbs.choice("left", "right", default="left")
    ...     @staticmethod
    ...     def phi(i, side):
    ...         return [i.x + 1 if side == "left" else i.x - 1]
    >>> model = mbs.PlanarModel("door")
    >>> leaf = model.body("leaf")
    >>> print(round(mbs.assemble(model.plus(Side("wall", leaf, side="right")))["leaf.x"], 6))
    1.0
    >>> Side("wall", leaf, side="middle")
    Traceback (most recent call last):
    mbs_dae.errors.ModelError: side of Side 'wall' is 'middle'; choose one of 'left', 'right'
    """
    if not options:
        raise ModelError("a choice has no options; write e.g. choice('left', 'right', default='left')", code="empty")
    return Option(default=default, options=options)


# --- signatures of elements for `help` and editors; calls are checked elsewhere, with better messages ----------------

PLACE = "Place"
KINDS: dict[type[Field], str] = {Scalar: "Number", Expression: "Expression", Function: "Law"}
"""The types of constants, as annotations: a number or an expression of parameters; an expression of time and of
quantities as well; a function."""


class _Follows:
    def __repr__(self) -> str:
        return "..."


FOLLOWS = _Follows()
"""A default that follows from the reference placement, or from other arguments."""


def annotation(field: Field) -> str:
    if isinstance(field, Option):
        return f"Literal[{', '.join(map(repr, field.options))}]"
    return getattr(field, "annotation", KINDS.get(type(field), "Any"))


def places(names: Iterable[str], optional: int = 0) -> list[Parameter]:
    """Return the parameters of markers, the optional ones by name; and of the world point that can stand for the
    markers of all bodies."""
    names = [*names]
    count = len(names) - optional
    markers = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=PLACE) for name in names[:count]]
    words = [(name, f"{PLACE} | None") for name in names[count:]]
    words += [(name, "Vector | None") for name in ("at", "axis", "x_axis")]
    return markers + [Parameter(n, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for n, kind in words]


def coordinate(*kinds: str) -> list[Parameter]:
    """Return the positional parameters that give a coordinate: "Joint | Measure", or markers."""
    return [Parameter(name, Parameter.POSITIONAL_ONLY, annotation=k) for name, k in zip("ij", kinds, strict=False)]


COORDINATE = [p.replace(default=None) if p.name == "j" else p for p in coordinate(f"{PLACE} | Joint | Measure", PLACE)]
"""Parameters for a coordinate: a joint, a measure, or markers."""


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
    """Return the parameters of a class: the named ones of `make` (an ``__init__``); `where` the element acts, for
    *args; its constants, for **constants. Parameters without a default that follow one with a default are
    keyword-only."""
    parameters = [p for p in signature(make).parameters.values() if p.name != "self"]
    arguments = {p.name: p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    open_places = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        asked = {*arguments} - GENERAL - {p.name for p in where}
        derived = bool(asked)  # constants follow from other arguments of the class
        here = [p for p in where if open_places or p.kind is p.KEYWORD_ONLY]
        constants = [constant(name, field) for name, field in fields.items() if name not in arguments]
        constants = [p.replace(default=FOLLOWS) if derived and p.default is p.empty else p for p in constants]
        constants = constants if open_places else [p.replace(kind=p.KEYWORD_ONLY) for p in constants]
        arguments = {p.name: p for p in (*here, *arguments.values(), *constants)}
    if any(p.kind is p.POSITIONAL_ONLY for p in arguments.values()):
        arguments["name"] = arguments["name"].replace(kind=Parameter.POSITIONAL_ONLY)
    ordered, optional = [], False
    for p in sorted(arguments.values(), key=lambda p: (p.kind, p.name != "name")):
        optional = optional or p.default is not p.empty
        by_name = optional and p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ordered.append(p.replace(kind=p.KEYWORD_ONLY) if by_name else p)
    return Signature(sorted(ordered, key=lambda p: p.kind))
