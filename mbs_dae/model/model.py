"""The model: the one mutable object. It collects what the user says, and checks it at the door. Bodies in the plane and
in space are made by its subclasses in `mechanisms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, overload

from ..errors import ModelError, Names, check_name, unknown_name
from ..provided import provided
from ..symbolic.markers import t
from . import measures
from .bodies.body import Body, Vector, coordinates_of, reference_turns
from .drivers import Prescribed
from .element import Element
from .events import Event
from .forces.base import ForceElement
from .joints.base import Condition
from .measures import Measure, Quantity
from .parameters import Evaluator, Number, Parameter, ParameterValue, finite_number, free_parameters
from .tables import TableSymbol

SomeElement = TypeVar("SomeElement", bound=Element)
SomeBody = TypeVar("SomeBody", bound=Body)
Named: TypeAlias = str | Body | Element | Iterable[str | Body | Element]
"""One or several, themselves or by their names."""


class Model:
    """What mechanisms in the plane and in space have in common."""

    body_class: ClassVar[type[Body]]

    def __init__(self, name: str = "model", gravity: Vector | None = None):
        if not isinstance(name, str) or not name:
            what = f"the first argument of a model is its name, not {name!r}"
            raise ModelError(f"{what}; write {type(self).__name__}('name', gravity=...)")
        self.name = name
        self._compiled: dict[Any, Any] = {}
        self._checked = False
        self.gravity = (0.0,) * self.dimension if gravity is None else gravity
        self.ground = self.body_class("ground", fixed=True)
        self.bodies: Names[Body] = Names("body")
        self.elements: Names[Element] = Names("element")
        self.parameters: Names[ParameterValue] = Names("parameter")

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.body_class.dimension

    @property
    def gravity(self) -> tuple[Number, ...]:
        """Set anew, it holds for what is computed from then on."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._gravity = coordinates_of(gravity, "gravity", self.dimension)
        self._changed()

    # --- saying it ------------------------------------------------------------------------------------------

    def parameter(self, name: str, value: float, unit: str = "") -> Parameter:
        """A symbol with a value: write it wherever a number is meant."""
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"{name!r} cannot name a parameter; use letters, digits and _")
        if name == t.name:
            raise ModelError("'t' is time (mbs.t); choose another parameter name")
        if name in self.parameters:
            raise ModelError(f"the model already has a parameter {name!r}; choose another name")
        symbol = Parameter(name)
        self.parameters.declare(name, ParameterValue(symbol, finite_number(value, f"parameter {name!r}"), unit))
        self._changed()
        return symbol

    def _added(self, body: SomeBody) -> SomeBody:
        """The body, after the checks that every body passes."""
        self._check_new(body.name, "body")
        self._check_bound(f"body {body.name!r}", body.numbers)
        self.bodies.declare(body.name, body)
        self._changed()
        return body

    @overload
    def add(self, element: SomeElement, /) -> SomeElement: ...
    @overload
    def add(self, *elements: Element) -> tuple[Any, ...]: ...
    def add(self, *elements: Element) -> Any:
        """Add joints, drivers and other elements; gives them back."""
        for element in elements:
            self._check_element(element)
            self.elements.declare(element.name, element)
            for body in element.bodies:
                body.waiting.pop(element.name, None)
            self._changed()
        return elements[0] if len(elements) == 1 else elements

    def _changed(self) -> None:
        self._compiled.clear()
        self._checked = False

    # --- variations -----------------------------------------------------------------------------------------

    def without(self, *names: str) -> Self:
        """The same model without these elements."""
        for name in names:
            check_name("element", name, self.elements)
        return self._copy(elements={n: e for n, e in self.elements.items() if n not in names})

    def plus(self, *elements: Element) -> Self:
        """The same model with these elements added."""
        copy = self._copy()
        copy.add(*elements)
        return copy

    def with_parameters(self, /, **values: float) -> Self:
        """The same model with other parameter values; nothing is derived or compiled again."""
        changed = Names[ParameterValue]("parameter", self.parameters)
        for name, value in values.items():
            old = changed[name]
            changed.declare(name, ParameterValue(old.symbol, finite_number(value, f"parameter {name!r}"), old.unit))
        copy = self._copy(parameters=changed)
        for key, system in self._compiled.items():
            frozen = copy._copy()
            copy._compiled[key] = frozen._compiled[key] = system.with_values(copy.evaluator(), frozen)
            frozen._checked = True  # it is reached through the copy, which checks
        return copy

    def _copy(self, **changes: Any) -> Self:
        copy = object.__new__(type(self))
        vars(copy).update(self.__getstate__())
        copy.bodies = Names("body", self.bodies)
        copy.elements = Names("element", changes.get("elements", self.elements))
        copy.parameters = Names("parameter", changes.get("parameters", self.parameters))
        return copy

    def __copy__(self) -> Self:
        """A model of its own with the same bodies and elements: what is added to it is not in this one."""
        return self._copy()

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and deep copies, which have bodies of their own: all that was said, nothing that was compiled."""
        return {**vars(self), "_compiled": {}, "_checked": False}

    def compile(self, coordinates: str = "cartesian", base: Named | None = None, cut: Named = ()) -> Any:
        """The compiled system in "cartesian", "natural" or "joint" coordinates; made on first use and remembered until
        the model changes. ``base`` and ``cut`` choose the tree of joint coordinates: see `mbs.topology`."""
        if not self._checked:
            number = self.evaluator()
            for check in self._checks():
                check(number)
            self._checked = True
        tree = {name: value for name, value in (("base", base), ("cut", cut)) if value is not None and value != ()}
        key = (str(coordinates), *map(str, tree.items()))
        if key not in self._compiled:
            frozen = self._copy()  # what is compiled does not change with the model
            self._compiled[key] = frozen._compiled[key] = provided("Model.compile")(frozen, coordinates, **tree)
        return self._compiled[key]

    # --- reading it -----------------------------------------------------------------------------------------

    def value(self, number: Number) -> float:
        """The value of a parameter, or of an expression of parameters."""
        return self.evaluator()(number)

    def evaluator(self) -> Evaluator:
        return Evaluator({p.symbol: p.value for p in self.parameters.values()})

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The elements that must hold: joints, constraints, drivers."""
        return tuple(e for e in self.elements.values() if isinstance(e, Condition))

    @property
    def forces(self) -> tuple[ForceElement, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, ForceElement))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Event))

    @property
    def drivers(self) -> tuple[Prescribed, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Prescribed))

    def measures_of(self, owner: str) -> tuple[Measure, ...]:
        """What can be read of a body, of a named marker ("rod.tip"), or of an element."""
        body, _, marker = owner.partition(".")
        if body in self.bodies:
            at = self.bodies[body].markers.get(marker) if marker else self.bodies[body].origin
            return () if at is None else tuple(getattr(measures, kind)(at) for kind in at.body.measure_kinds)
        if owner in self.elements:
            return tuple(self.elements[owner].measures().values())
        return ()

    def owners(self) -> Iterator[str]:
        """Everything that has quantities, by name."""
        for body in self.bodies.values():
            yield body.name
            yield from (m.label for m in body.markers.values())
        yield from self.elements

    def quantity(self, name: str) -> tuple[Measure, int]:
        """The measure behind a name such as "crank.omega", and the level (0 value, 1 rate, 2 acceleration)."""
        owner, _, wanted = str(name).rpartition(".")
        for measure in self.measures_of(owner):
            if wanted and wanted in measure.levels:
                return measure, measure.levels.index(wanted)
        raise unknown_name("quantity", name, self.quantity_names(), f"model {self.name!r}")

    def __getitem__(self, name: str) -> Quantity:
        """A named quantity as a symbol, for the expressions of forces: ``-c * model["rod.tip.vx"]``."""
        measure, level = self.quantity(name)
        if level > 1:
            raise ModelError(f"{name!r} is an acceleration, which follows from forces; write values and rates in them")
        return Quantity(name, measure, level)

    def quantity_names(self) -> list[str]:
        return [f"{o}.{level}" for o in self.owners() for m in self.measures_of(o) for level in m.levels if level]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self.bodies)} bodies, {len(self.elements)} elements>"

    # --- the door -------------------------------------------------------------------------------------------

    def _checks(self) -> Iterator[Callable[[Callable[[Number], float]], None]]:
        """What could not be checked before the parameters had values."""
        for body in self.bodies.values():
            yield body.check_values
        for element in self.elements.values():
            for marker in element.markers:
                yield partial(marker.check_values, who=element.who)
            yield element.check_values

    def check_along(self, parameter: Parameter, values: Iterable[float]) -> None:
        """What `compile` checks, for many values of one parameter: of what asks for it."""
        number, asked = self.evaluator(), []

        def asking(wanted: Number) -> float:
            asked.append(wanted)
            return number(wanted)

        touched = []
        for check in self._checks():
            asked.clear()
            check(asking)
            if parameter in free_parameters(asked):
                touched.append(check)
        for value in values:
            there = number.at(parameter, value)
            for check in touched:
                check(there)

    def _check_new(self, name: Any, kind: str) -> None:
        if not isinstance(name, str) or not name or "." in name or name != name.strip():
            raise ModelError(f"{name!r} cannot name a {kind}; use a text without dots and outer spaces")
        if name == "ground" or name in self.bodies or name in self.elements:
            raise ModelError(f"the model already has {name!r}; choose another name for this {kind}")

    def _check_element(self, element: Any) -> None:
        if not isinstance(element, Element):
            raise ModelError(f"cannot add {element!r}; add joints, drivers, forces: mbs.Revolute('A', i, j)")
        self._check_new(element.name, element.kind)
        if element.dimension != self.dimension:
            here, there = ("the plane", "space")[:: 1 if self.dimension == 2 else -1]
            what = f"{element.who} is between bodies in {there}, and model {self.name!r} is in {here}"
            raise ModelError(f"{what}; use bodies of this model")
        for marker in element.markers:
            owner = self.ground if marker.body.fixed else self.bodies.get(marker.body.name)
            if owner is not marker.body:
                what = f"{element.who} uses a marker of {marker.body.name!r}, a body of another model"
                raise ModelError(f"{what}; use the bodies of this one")
        if all(marker.body.fixed for marker in element.markers):
            raise ModelError(f"{element.who} joins nothing but the ground; name a body that moves")
        form, slots = element.form()
        numbers = [n for m in element.markers for n in m.numbers]
        self._check_bound(element.who, [*slots.values(), *numbers])
        known = {t, *form.slots, *form.own_symbols, *reference_turns(form, element.markers)}
        if stray := sorted(map(str, free_parameters(form.expressions) - known)):
            raise _unknown_symbols(element.who, stray)

    def _check_bound(self, who: str, numbers: list[Number]) -> None:
        known = {p.symbol for p in self.parameters.values()}
        free = {s for s in free_parameters(numbers) if not isinstance(s, TableSymbol)}
        if stray := sorted(map(str, free - known)):
            raise _unknown_symbols(who, stray)


def _unknown_symbols(who: str, names: list[str]) -> ModelError:
    remedy = "declare them with model.parameter(name, value)"
    if t.name in names:
        remedy = "what is constant does not depend on time; write a law (law=, a force of time) or a Driver"
    elif any("." in name for name in names):
        remedy = "quantities of the model are read by forces alone; relate bodies by a joint, a Gear, a Constraint"
    return ModelError(f"{who} contains unknown symbols: {', '.join(names)}; {remedy}")
