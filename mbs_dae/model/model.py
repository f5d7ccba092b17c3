"""The model: the one mutable object. It collects what the user says, and checks it at the door. Bodies in the plane and
in space are made by its subclasses in `mechanisms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, overload

from ..errors import ModelError, Names, check_name, unknown_name
from ..provided import provided
from ..results.names import COMPONENTS
from ..symbolic.markers import t
from . import measures
from .bodies.body import Body, Vector, coordinates_of
from .contacts import Contact, Friction, FrictionElement
from .door import check_bound, check_content, check_element, check_new, check_setters, check_spoken_of, check_symbol
from .drivers import Prescribed
from .element import Element
from .events import Event
from .forces.base import ForceElement
from .joints.base import Condition
from .measures import Measure, Quantity
from .parameters import (
    Evaluator,
    Number,
    Numeric,
    Parameter,
    ParameterValue,
    Reaction,
    Signal,
    finite_number,
    free_parameters,
)
from .signals import (
    EFFORT,
    Input,
    Sampled,
    StateVariable,
    all_signals,
    reaction_of,
    signals_of,
    state_of,
    units_of_signals,
)  # fmt: skip

SomeElement = TypeVar("SomeElement", bound=Element)
SomeBody = TypeVar("SomeBody", bound=Body)
Named: TypeAlias = str | Body | Element | Iterable[str | Body | Element]
"""One or several, themselves or by their names."""
WAYS = {
    "parameter": "its value is set by model.with_parameters({0}=...), and is model.parameters[{0!r}].value",
    "input": "another law is set by model.with_inputs({0}=...)",
    "state": "its first value is initial= in model.state(...), or simulate(..., initial={{{0!r}: ...}})",
}
"""How what is no body is set."""


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
        if name in self.parameters or name in map(str, self.signals):
            kind = "parameter" if name in self.parameters else self.elements[name].kind
            raise ModelError(
                f"the model already has {'an' if kind == 'input' else 'a'} {kind} {name!r}; choose another name"
            )
        symbol = Parameter(name)
        self.parameters.declare(name, ParameterValue(symbol, finite_number(value, f"parameter {name!r}"), unit))
        self._changed()
        return symbol

    def state(
        self, name: str, rate: Any = None, initial: Numeric = 0.0, unit: str = "", scale: Numeric = 1.0
    ) -> Signal:  # fmt: skip
        """A number with a differential equation of its own, as a symbol for the expressions of forces and of other
        rates: ``model.state("i", rate=lambda i: (u - R * i - k * model["crank.omega"]) / L, unit="A")``.

        The rate is an expression of time, parameters, signals and quantities, efforts included
        (``model["motor.effort"]``), or a function that makes one of the state's own symbol. It may be said later, by
        `rate`, where states need each other. Without a rate the state keeps its value until it is set, by `Sampled`.
        Errors of integration are measured by `scale`: what the state is of the size of.
        """
        check_symbol(self, name, "state")
        return self.add(StateVariable(Signal(name, self.ground), rate, initial, unit, scale)).symbol

    def rate(self, state: Signal | str, rate: Any) -> None:
        """Say the rate of a state that was declared without one."""
        old = state_of(self, state, "rate() is about")
        if not old.is_held:
            raise ModelError(f"{old.who} has a rate already, {old.rate}; say it once")
        new = old.with_rate(rate)
        check_content(self, new)
        self._put(new)

    def input(self, name: str, default: Any = 0.0, unit: str = "") -> Signal:
        """A number that is given from outside, as a symbol for the expressions of forces and rates: a number, an
        expression of time, a `Table` or a `Motion` over time. `with_inputs` gives another one."""
        check_symbol(self, name, "input")
        return self.add(Input(Signal(name, self.ground), default, unit)).symbol

    def _added(self, body: SomeBody) -> SomeBody:
        """The body, after the checks that every body passes."""
        check_new(self, body.name, "body")
        check_bound(self, f"body {body.name!r}", body.numbers)
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
            check_element(self, element)
            self._put(element)
        return elements[0] if len(elements) == 1 else elements

    def _put(self, element: Element) -> None:
        self.elements.declare(element.name, element)
        for body in element.bodies:
            body.waiting.pop(element.name, None)
        self._changed()

    def _changed(self) -> None:
        self._compiled.clear()
        self._checked = False

    # --- variations -----------------------------------------------------------------------------------------

    def without(self, *names: str) -> Self:
        """The same model without these elements."""
        for name in names:
            check_name("element", name, self.elements)
        left = {n: e for n, e in self.elements.items() if n not in names}
        for element in left.values():
            if used := {s.owner if isinstance(s, Reaction) else s.name for s in signals_of(element)} & {*names}:
                raise ModelError(f"{element.who} depends on {min(used)!r}; leave that out, too, or keep both")
        return self._copy(elements=left)

    def plus(self, *elements: Element) -> Self:
        """The same model with these elements added."""
        copy = self._copy()
        copy.add(*elements)
        return copy

    def with_parameters(self, /, **values: float) -> Self:
        """The same model with other parameter values; nothing is derived or compiled again."""
        changed = Names[ParameterValue]("parameter", self.parameters)
        for name, value in values.items():
            if name not in changed:
                raise self._unknown("parameter", name, changed)
            old = changed[name]
            changed.declare(name, ParameterValue(old.symbol, finite_number(value, f"parameter {name!r}"), old.unit))
        copy = self._copy(parameters=changed)
        for key, system in self._compiled.items():
            frozen = copy._copy()
            copy._compiled[key] = frozen._compiled[key] = system.with_values(copy.evaluator(), frozen)
            frozen._checked = True  # it is reached through the copy, which checks
        return copy

    def with_inputs(self, **laws: Any) -> Self:
        """The same model with other inputs: numbers, expressions of time, tables, motions."""
        changed = dict(self.elements)
        for name, law in laws.items():
            old = self.elements.get(name)
            if not isinstance(old, Input):
                raise self._unknown("input", name, (e.name for e in self.inputs))
            changed[name] = Input(old.symbol, law, old.unit)
            check_content(self, changed[name])
        return self._copy(elements=changed)

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
            check_spoken_of(self)
            number = self.evaluator()
            for check in self._checks():
                check(number)
            check_setters(self)
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
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Contact))

    @property
    def frictions(self) -> tuple[FrictionElement, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, FrictionElement))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Event))

    @property
    def drivers(self) -> tuple[Prescribed, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Prescribed))

    @property
    def states(self) -> tuple[StateVariable, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, StateVariable))

    @property
    def inputs(self) -> tuple[Input, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Input))

    @property
    def controllers(self) -> tuple[Sampled, ...]:
        return tuple(e for e in self.elements.values() if isinstance(e, Sampled))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All numbers that change in time and belong to no body: states, inputs, and the reactions that are read."""
        return all_signals(self.elements.values())

    @property
    def felt(self) -> frozenset[str]:
        """The joints of which rates, or friction, read what they do to bodies: these keep their equations in all
        coordinates, so that there is a multiplier for each."""
        read = (s for s in self.signals if isinstance(s, Reaction))
        rubbing = (e.joint for e in self.frictions if isinstance(e, Friction))
        return frozenset([*rubbing, *(s.owner for s in read if s.component != EFFORT)])

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

    def quantity(self, name: str, told: int = 3) -> tuple[Measure, int]:
        """The measure behind a name such as "crank.omega", and the level (0 value, 1 rate, 2 acceleration). Of an
        unknown one so many levels are told."""
        if found := self.found_quantity(name):
            return found
        raise self.unknown_quantity(name, told)

    def found_quantity(self, name: str) -> tuple[Measure, int] | None:
        owner, _, wanted = str(name).rpartition(".")
        own = (measure for measure in self.measures_of(owner) if wanted and wanted in measure.levels)
        return next(((measure, measure.levels.index(wanted)) for measure in own), None)

    def unknown_quantity(self, name: str, told: int = 3, more: Iterable[str] = ()) -> ModelError:
        return self._unknown("quantity", name, [*self.quantity_names(told), *self.signal_units, *more])

    def __getitem__(self, name: str) -> Any:
        """A named quantity as a symbol, for the expressions of forces and states: ``-c * model["rod.tip.vx"]``; a state
        or an input; the effort of a force; for rates that of a driver, ``model["motor.effort"]``, and what a joint does
        to its second body, ``model["A.Fx"]``."""
        owner, _, wanted = str(name).rpartition(".")
        if isinstance(element := self.elements.get(name), StateVariable | Input):
            return element.symbol
        if wanted in (EFFORT, *COMPONENTS[self.dimension]) and owner in self.elements:
            return reaction_of(self.elements[owner], wanted, self.ground)
        measure, level = self.quantity(name)
        if level > 1:
            raise ModelError(f"{name!r} is an acceleration, which follows from forces; write values and rates in them")
        return Quantity(name, measure, level)

    def quantity_names(self, levels: int = 3) -> list[str]:
        """Those of bodies, markers and elements: values, rates and accelerations, or the first of these levels."""
        named = ((o, level) for o in self.owners() for m in self.measures_of(o) for level in m.levels[:levels])
        return [f"{owner}.{level}" for owner, level in named if level]

    @property
    def signal_units(self) -> dict[str, str]:
        """The units of all that is known of states, inputs and reactions in rates, by name."""
        return units_of_signals(self.elements.values())

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> ModelError:
        """There is none of this name; there may be something else."""
        found = "parameter" if name in self.parameters else getattr(self.elements.get(name), "kind", "")
        if found not in WAYS:
            return unknown_name(kind, name, known, f"model {self.name!r}")
        what = f"{name!r} of model {self.name!r} is {'an' if found == 'input' else 'a'} {found}, no {kind}"
        return ModelError(f"{what}; {WAYS[found].format(name)}", name=name)

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
