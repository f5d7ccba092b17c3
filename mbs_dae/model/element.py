"""Elements of a model: a name, markers, and expressions in their symbols."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import sympy as sp

from ..errors import ModelError, unknown_attribute
from ..public_class import PublicClass
from ..symbolic.derive import Form
from ..symbolic.functions import Lookup
from ..symbolic.markers import FormMarker, marker_symbols
from .bodies.body import Body, Marker, as_marker
from .fields import REQUIRED, Field, Function, Option, Scalar, places, signature_of
from .measures import Measure, Measured
from .parameters import Number, constants_out, free_parameters
from .tables import Table


class Constants(dict):
    """The constants of an element, by the names of its fields; constants do not change."""

    def __setitem__(self, name: Any, value: Any) -> NoReturn:
        raise TypeError("the constants of an element do not change; make another element")

    def __reduce__(self) -> tuple:
        return Constants, (dict(self),)


OTHER_WORDS = {
    "mu": "friction", "friction": "mu", "mu_static": "static_friction", "static_friction": "mu_static",
    "e": "restitution", "k": "stiffness", "c": "damping", "r": "radius", "min": "lower", "max": "upper",
}  # fmt: skip
"""Other words for an argument, in the literature and elsewhere in the package."""
RUBS = "friction in a joint is an element of its own: rub = mbs.Friction('rub', joint, mu=0.2), and then rub.{}"
MEETS = "contacts and stops have such events: stop = mbs.Stop('stop', mbs.angle(joint), upper=1.0), and then stop.{}"
OF_OTHERS = {"sticks": RUBS, "slips": RUBS, "touches": MEETS, "parts": MEETS}
"""Attributes of other elements, and how such an element is made."""


class Element(metaclass=PublicClass):
    """A joint, a driver or a force: it has a name and acts on markers."""

    name: str
    markers: tuple[Marker, ...]
    fields: ClassVar[dict[str, Field]] = {}
    values: Mapping[str, Any] = Constants()
    sketch: str = ""
    """The picture of the element: "pin", "slider", "sleeve", "ball", "cross", "face", "slot", "link", "rope", "weld",
    "mesh", "contact", "stop", "disk", "runner", "spring", "damper", "arrow" or "" (none)."""

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    """Whether the element exists in the plane (2), in space (3), or in both."""
    elsewhere: ClassVar[str] = ""
    """A suggestion of another element in the other dimension."""

    speaks_of: tuple[Measured, ...] = ()
    """The joints that the model must contain as well: joints with this friction, or whose coordinates the element
    uses."""
    measured: ClassVar[tuple[str, ...]] = ()
    """The kinds of measure that are coordinates of the element: "angle", "displacement", "distance"."""
    _form: tuple[Any, dict[sp.Symbol, Number]]
    is_written: bool = False
    """Whether other expressions contain the element's effort or gap."""

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Refuse unknown arguments of the constructor with an error that lists the known ones."""
        element_class: Any = cls
        who = f"{cls.__name__} {given[0]!r}" if given else cls.__name__
        known = _arguments_of(element_class)
        for word in named if known else ():
            if word not in known:
                raise _unknown_argument(who, word, known)
        try:
            if given or named:  # not for copies
                _signature_of(element_class.__init__).bind(None, *given, **named)
        except TypeError as exc:
            arguments = ", ".join(_documented_arguments(element_class))
            raise ModelError(
                f"{who}: {exc}; its arguments are: {arguments}",
                code="wrong-arguments", reason=str(exc), subject=who,
            ) from exc  # fmt: skip
        return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change an attribute from which expressions have been made."""
        if "_form" in vars(self) and not name.startswith("_"):
            remedy = f"model = model.without({self.name!r}).plus(another), or take a parameter and with_parameters(...)"
            raise ModelError(
                f"{self.who} is built, and its {name} is not set any more; write {remedy}",
                code="read-only", subject=self.who, name=name, element=self.name,
            )  # fmt: skip
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # a type checker refuses unknown attributes by itself

        def __getattr__(self, name: str) -> NoReturn:
            """Raise an error for an unknown attribute, which lists what the element has."""
            if name.startswith("_") or "_form" not in vars(self):  # asked for by copies and pickles
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            raise unknown_attribute(self, self.who, name, "; ".join(self.hints(name)))

    def hints(self, name: str) -> list[str]:
        """Return what the element has in place of an attribute that it does not have, in parts of a sentence."""
        readings = [f"model[{f'{self.name}.{word}'!r}]" for word in self.measures()]
        told = [OF_OTHERS[name].format(name)] if name in OF_OTHERS else []
        told += [f"its readings are {', '.join(readings)}"] if readings else []
        return told or [f"its arguments are: {', '.join(_documented_arguments(type(self)))}"]

    def form(self) -> tuple[Form, dict[sp.Symbol, Number]]:
        """Return the element's expressions in marker symbols, and the values of their slots."""
        return self._form

    def forms(self) -> tuple[tuple[Form, dict[sp.Symbol, Number]], ...]:
        """Return all forms of the element, each with the values of its slots."""
        return (self.form(),)

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of the element that no form contains."""
        return ()

    @property
    def loads(self) -> dict[str, str]:
        """Return the unit of each load of the element, by the name under which results have it."""
        return {}

    def check_values(self, number: Callable[[Number], float]) -> None:
        """Check the element with the values of parameters."""

    def tables(self) -> Iterator[tuple[Table, sp.Expr, Form]]:
        """Yield the tables of the element, each with the expression at which it is evaluated, and the form with this
        expression."""
        for form, slots in self.forms():
            for lookup in {found for e in form.expressions for found in e.atoms(Lookup)}:
                symbol, _, place = (x.xreplace(slots) for x in lookup.args)
                yield symbol.table, place, form

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        """The named numbers of the element with their units; each may be made a parameter."""
        return {}

    def with_constant(self, name: str, value: Number) -> Self:
        """Return a copy of the element with another number for one of its constants."""
        raise ModelError(
            f"{self.who} has no constant {name!r}; it has {', '.join(self.constants) or 'none'}",
            code="unknown-name", subject=self.who, name=name,
        )  # fmt: skip

    def renewed(self) -> Self:
        """Return a copy of the element for a model in which the elements that it refers to have changed."""
        return self

    def _unfinished(self, **changed: Any) -> Self:
        """Return a copy with these changes, whose expressions are still to be built."""
        other = copy(self)
        vars(other).pop("_form")
        vars(other).update(changed)
        return other

    def measures(self) -> dict[str, Measure]:
        """Return the element's own coordinates, by the names in drivers, results and initial values."""
        return {kind: Measure(kind, self.markers) for kind in self.measured}

    def _complete(self, form: Form, slots: dict[sp.Symbol, Number]) -> None:
        """Finish a constructor: note the element on its bodies, so that an element that is never added is noticed."""
        self._form = form, slots
        for body in self.bodies:
            body.waiting[self.name] = self.who

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.markers[0].body.dimension

    def check_dimension(self) -> None:
        """Check that all markers are in the plane or all in space, and that the class has elements there."""
        if len({m.body.dimension for m in self.markers}) > 1:
            raise ModelError(
                f"{self.who} mixes bodies in the plane with bodies in space; use those of one model",
                code="mixed-dimensions", subject=self.who,
            )  # fmt: skip
        if self.dimension not in self.dimensions:
            where = {2: "the plane", 3: "space"}[self.dimension]
            remedy = f"; {self.elsewhere}" if self.elsewhere else ""
            raise ModelError(
                f"there is no {self.kind} in {where} ({self.name!r}){remedy}",
                code="not-supported", kind=self.kind, element=self.name,
            )  # fmt: skip

    @property
    def kind(self) -> str:
        """The name of the element's class."""
        return type(self).__name__

    @property
    def who(self) -> str:
        """The kind and name of the element in messages: "Revolute 'A'"."""
        return f"{self.kind} {self.name!r}"

    @property
    def feeling(self) -> tuple[Marker, ...]:
        """The markers on which the element acts; others are only read."""
        return self.markers

    @property
    def second(self) -> int:
        """The index of the marker whose body feels the reported reaction: the second marker, or the only one."""
        return min(1, len(self.feeling) - 1)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies of the markers, each once."""
        return tuple(dict.fromkeys(m.body for m in self.markers))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class Declared(Element):
    """An element whose class declares it: constants as fields, markers as the parameters of its equation."""

    equations: ClassVar[tuple[str, ...]]
    """The names that an equation may have, in order of precedence."""
    marker_names: ClassVar[tuple[str, ...]] = ()
    __signature__: ClassVar[inspect.Signature]
    optional_markers: ClassVar[int] = 0
    """The number of markers whose default in the equation is None (the carrier of a gear); they may be omitted."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.fields = {**cls.fields, **{n: f for n, f in vars(cls).items() if isinstance(f, Field)}}
        if "equations" in vars(cls):  # a base class, which names the equations
            return
        equation = next((getattr(cls, n) for n in cls.equations if getattr(cls, n, None) is not None), None)
        if equation is None:
            equations = " nor ".join(cls.equations)
            raise ModelError(
                f"class {cls.__name__} has neither {equations}; define {cls.equations[0]}(i, j, ...)",
                code="class-without-equations", equations=tuple(cls.equations),
            )  # fmt: skip
        names = inspect.signature(equation).parameters
        cls.marker_names = tuple(n for n in names if n not in cls.fields)
        cls.optional_markers = sum(names[n].default is None for n in cls.marker_names)
        cls.__signature__ = signature_of(cls.__init__, cls.places(), cls.fields)

    @classmethod
    def places(cls) -> list[inspect.Parameter]:
        """Return the parameters that its signature shows for the markers."""
        return places(cls.marker_names, cls.optional_markers)

    def __init__(self, name: str, *args: Any, at: Any = None, axis: Any = None, x_axis: Any = None, **constants: Any):
        self.name = checked_name(name)
        things, positional = self._split(args, constants)
        self.markers = tuple(self._marker(thing, at, axis, x_axis) for thing in things)
        self.check_dimension()
        if len(things) > 1 and len(self.bodies) == 1:
            raise ModelError(
                f"{self.who} joins body {self.bodies[0].name!r} to itself; name two different bodies",
                code="body-with-itself", subject=self.who,
            )  # fmt: skip
        self.values = self._constants(positional, constants)

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Form:
        """Return the expressions of the class for these markers."""
        raise NotImplementedError

    def _built(self) -> tuple[Any, dict[sp.Symbol, Number]]:
        """Return the form with its scalars and other numbers as slots. The form is cached by class if the class
        declares scalars and choices only; other constants are part of the form."""
        inside = {n for n in self.values if not isinstance(self.fields[n], Scalar)} | self.nought
        slots = {slot(n): v for n, v in self.values.items() if n not in inside}
        others = tuple(sorted((n, self.values[n]) for n in inside))
        plain = all(isinstance(self.fields[n], Option) for n, _ in others)
        build: Any = _form_of_class if plain else _form_of_class.__wrapped__
        form, numbers = build(type(self), self.dimension, len(self.markers), others)
        return form, {**slots, **numbers}

    def finish(self) -> None:
        """Build the expressions of the element from its markers and constants."""
        raise NotImplementedError

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        groups = ((field.numbers(self.values[name]), name, field.unit) for name, field in self.fields.items())
        return {
            **super().constants,
            **{f"{n}{part}": (x, unit) for numbers, n, unit in groups for part, x in numbers.items()},
        }

    def with_constant(self, name: str, value: Number) -> Self:
        for field_name, field in self.fields.items():
            field_value = self.values[field_name]
            for part in field.numbers(field_value):
                if name == f"{field_name}{part}":
                    values = Constants({**self.values, field_name: field.with_number(field_value, part, value)})
                    other = self._unfinished(values=values, markers=self.feeling)
                    other.finish()
                    return other
        return super().with_constant(name, value)

    @property
    def nought(self) -> set[str]:
        """Return the scalars whose zero value needs another form."""
        return set()

    def check_values(self, number: Callable[[Number], float]) -> None:
        for name, field in self.fields.items():
            field.check_value(self.values[name], number, self.who)

    def _split(self, args: tuple, named: dict[str, Any]) -> tuple[list, tuple]:
        """Return the arguments that are markers, by position or by name, and the constants given by position."""
        first = [isinstance(a, Marker | Body) for a in args[: len(self.marker_names)]]
        count = [*first, False].index(False)
        things: list[Any] = list(args[:count])
        for marker_name in self.marker_names[count:]:
            if marker_name in named:
                things.append(named.pop(marker_name))
        least = len(self.marker_names) - self.optional_markers
        if len(things) < least:
            required = ", ".join(self.marker_names[:least])
            what = f"{self.who} needs {least} markers or bodies ({required}), got {len(things) + sum(first[count:])}"
            if len(args) > count:
                remedy = "model.ground for the fixed body" if hasattr(args[count], "ground") else "body.at(x, y)"
                raise ModelError(
                    f"{what}; {args[count]!r} is not a marker or a body: write {remedy}",
                    code="not-a-marker", subject=self.who, value=args[count],
                )  # fmt: skip
            raise ModelError(f"{what}; write body.at(x, y)", code="too-few-markers", subject=self.who, least=least)
        return things, args[count:]

    def _marker(self, thing: Any, at: Any, axis: Any, x_axis: Any) -> Marker:
        if at is None:
            if axis is not None or x_axis is not None:
                raise ModelError(
                    f"{self.who} got axis= without at=; give at=(x, y) too, or markers with an angle",
                    code="missing-argument", subject=self.who,
                )  # fmt: skip
            return as_marker(thing, self.who)
        if isinstance(thing, Marker):
            raise ModelError(
                f"{self.who} got a marker and at=; give bodies with at=, or markers without it",
                code="contradictory-arguments", subject=self.who,
            )  # fmt: skip
        return as_marker(thing, self.who).body.at_world(at, axis, x_axis, self.who)

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        arguments, field_names = dict(zip(self.fields, positional, strict=False)), ", ".join(self.fields) or "none"
        for name in named:
            if name not in self.fields:
                raise _unknown_argument(self.who, name, _documented_arguments(type(self)))
            if name in arguments:
                raise ModelError(
                    f"{self.who} got {name} twice; give it once", code="given-twice", subject=self.who, name=name
                )
        if len(positional) > len(self.fields):
            raise ModelError(
                f"{self.who} got {len(positional)} constants; its constants are: {field_names}",
                code="wrong-arguments", subject=self.who,
            )  # fmt: skip
        arguments |= named
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            value = arguments.get(name, field.default)
            if value is REQUIRED:
                raise ModelError(
                    f"{self.who} needs {name}; add {name}=... ({field.unit or 'no unit'})",
                    code="missing-argument", subject=self.who, name=name,
                )  # fmt: skip
            if name not in arguments and callable(value) and not isinstance(field, Function):
                parameters = inspect.signature(value).parameters
                placements = [marker.placed for marker in self.markers]
                value = value(*placements, **{n: v for n, v in values.items() if n in parameters})
                if not free_parameters([value]) and abs(float(value)) < 1e-12:
                    value = 0.0  # zero, up to roundoff
            values[name] = field.check(value, self.who)
        return Constants(values)


def _unknown_argument(who: str, word: str, known: Sequence[str]) -> ModelError:
    """Return the error for an unknown argument, with the probable one, or with all arguments."""
    other = OTHER_WORDS.get(word)
    matches = [other] if other in known else get_close_matches(word, known, n=1, cutoff=0.7)
    hint = f"write {matches[0]}=" if matches else f"its arguments are: {', '.join(known)}"
    return ModelError(f"{who} has no argument {word!r}; {hint}", code="wrong-arguments", subject=who, word=word)


_signature_of = cache(inspect.signature)


def _documented_arguments(cls: Any) -> list[str]:
    """Return the arguments that `help` shows."""
    return [*_signature_of(cls).parameters]


@cache
def _arguments_of(cls: Any) -> tuple[str, ...]:
    """Return the argument names of the constructor; none if it takes any keywords and checks them itself."""
    parameters = [*_signature_of(cls.__init__).parameters.values()][1:]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return ()
    return tuple(parameter.name for parameter in parameters if parameter.kind is not inspect.Parameter.VAR_POSITIONAL)


@cache
def _form_of_class(
    cls: Any, dimension: int, count: int, others: tuple[tuple[str, Any], ...]
) -> tuple[Form, dict[sp.Symbol, Number]]:
    slots = {n: slot(n) for n, f in cls.fields.items() if isinstance(f, Scalar) and n not in dict(others)}
    form = cls.form_on(marker_symbols(count, dimension), {**slots, **dict(others)})
    return constants_out(replace(form, slots=tuple(slots.values())))


def slot(name: str) -> sp.Symbol:
    """Return the symbol of a scalar with this name."""
    return sp.Symbol(f"p_{name}", real=True)


def checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ModelError(
            f"the first argument of an element is its name, not {name!r}; write e.g. Revolute('A', ...)",
            code="not-a-name", name=name,
        )  # fmt: skip
    if "." in name:
        why = "a dot parts the name of an element from what is read of it, as in 'rod.angle'"
        new = name.replace(".", "_")
        raise ModelError(
            f"{name!r} cannot name an element: {why}; leave out dots, and write {new!r}",
            code="not-a-name", name=name, new=new,
        )  # fmt: skip
    if name != name.strip():
        raise ModelError(f"{name!r} cannot name an element; leave out outer spaces", code="not-a-name", name=name)
    return name
