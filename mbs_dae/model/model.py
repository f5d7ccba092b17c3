"""The model: the one mutable object. It collects what the user says, and checks it at the door. Bodies in the plane and
in space are made by its subclasses in `mechanisms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, overload

from ..errors import ModelError, Names, unknown_name
from ..provided import provided
from ..symbolic.markers import t
from . import measures
from .bodies.body import Body, Vector, coordinates_of, reference_turns
from .drivers import Prescribed
from .element import Element
from .forces.base import EffortElement, ForceElement
from .joints.base import Condition
from .measures import Measure, Quantity
from .parameters import (
    Evaluator,
    Number,
    Numeric,
    Parameter,
    Parameters,
    ParameterValue,
    Signal,
    finite_number,
    free_parameters,
    signals_in,
)
from .signals import Input, Sampled, SignalElement, StateVariable, all_signals, check_signals, effort_of, signals_of
from .tables import TableSymbol

SomeElement = TypeVar("SomeElement", bound=Element)
SomeBody = TypeVar("SomeBody", bound=Body)
Named: TypeAlias = str | Body | Element | Iterable[str | Body | Element]
"""One or several, themselves or by their names."""


class Model:
    """What mechanisms in the plane and in space have in common."""

    body_class: ClassVar[type[Body]]

    def __init__(self, name: str = "model", gravity: Vector | None = None):
        self.name = name
        still = (0.0,) * self.dimension
        self.gravity = still if gravity is None else coordinates_of(gravity, "gravity", self.dimension)
        self.ground = self.body_class("ground", fixed=True)
        self.bodies: dict[str, Body] = Names("body")
        self.elements: dict[str, Element] = Names("element")
        self.parameters = Parameters()
        self._compiled: dict[Any, Any] = {}
        self._checked = False

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.body_class.dimension

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
        self.parameters.declare(ParameterValue(symbol, finite_number(value, f"parameter {name!r}"), unit))
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
        self._check_symbol(name, "state")
        return self.add(StateVariable(name, rate, initial, unit, scale)).symbol

    def rate(self, state: Signal | str, rate: Any) -> None:
        """Say the rate of a state that was declared without one."""
        old = self.elements.get(str(state))
        if not isinstance(old, StateVariable):
            raise unknown_name("state", str(state), (s.name for s in self.states), f"model {self.name!r}")
        if not old.is_held:
            raise ModelError(f"{old.who} has a rate already, {old.rate}; say it once")
        new = old.with_rate(rate)
        self._check_content(new)
        self._put(new)

    def input(self, name: str, default: Any = 0.0, unit: str = "") -> Signal:
        """A number that is given from outside, as a symbol for the expressions of forces and rates: a number, an
        expression of time, a `Table` or a `Motion` over time. `with_inputs` gives another one."""
        self._check_symbol(name, "input")
        return self.add(Input(name, default, unit)).symbol

    def _added(self, body: SomeBody) -> SomeBody:
        """The body, after the checks that every body passes."""
        self._check_new(body.name, "body")
        self._check_bound(f"body {body.name!r}", body.numbers)
        self.bodies[body.name] = body
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
            self._put(element)
        return elements[0] if len(elements) == 1 else elements

    def _put(self, element: Element) -> None:
        self.elements[element.name] = element
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
            if name not in self.elements:
                raise unknown_name("element", name, self.elements)
        left = {n: e for n, e in self.elements.items() if n not in names}
        for element in left.values():
            if used := {str(s).removesuffix(".effort") for s in signals_of(element)} & {*names}:
                raise ModelError(f"{element.who} depends on {min(used)!r}; leave that out, too, or keep both")
        return self._copy(elements=left)

    def plus(self, *elements: Element) -> Self:
        """The same model with these elements added."""
        copy = self._copy()
        if elements:
            copy.add(*elements)
        return copy

    def with_parameters(self, **values: float) -> Self:
        """The same model with other parameter values; nothing is derived or compiled again."""
        changed = dict(self.parameters)
        for name, value in values.items():
            if name not in changed:
                raise unknown_name("parameter", name, self.parameters)
            old = changed[name]
            changed[name] = ParameterValue(old.symbol, finite_number(value, f"parameter {name!r}"), old.unit)
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
                raise unknown_name("input", name, (e.name for e in self.inputs), f"model {self.name!r}")
            changed[name] = Input(name, law, old.unit)
            self._check_content(changed[name])
        return self._copy(elements=changed)

    def _copy(self, **changes: Any) -> Self:
        copy = object.__new__(type(self))
        vars(copy).update(self.__getstate__())
        copy.bodies = Names("body", self.bodies)
        copy.elements = Names("element", changes.get("elements", self.elements))
        copy.parameters = Parameters(changes.get("parameters", self.parameters))
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
        """All numbers that change in time and belong to no body: states, inputs, and the efforts that are read."""
        return all_signals(self.elements.values())

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

    def __getitem__(self, name: str) -> Any:
        """A named quantity as a symbol, for the expressions of forces and states: ``-c * model["rod.tip.vx"]``; a state
        or an input; the effort of a driver (for rates) or of a force, ``model["motor.effort"]``."""
        owner, _, wanted = str(name).rpartition(".")
        if isinstance(element := self.elements.get(name), StateVariable | Input):
            return element.symbol
        if wanted == "effort" and isinstance(element := self.elements.get(owner), Prescribed | EffortElement):
            return effort_of(element)
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
        self._check_content(element)

    def _check_content(self, element: Element) -> None:
        """Its markers, and all symbols in it."""
        if element.markers and element.dimension != self.dimension:
            here, there = ("the plane", "space")[:: 1 if self.dimension == 2 else -1]
            raise ModelError(
                f"{element.who} is between bodies in {there}, and model {self.name!r} is in {here}; use bodies of this "
                "model"
            )
        for marker in element.markers:
            owner = self.ground if marker.body.fixed else self.bodies.get(marker.body.name)
            if owner is not marker.body:
                raise ModelError(
                    f"{element.kind} {element.name!r} uses a marker of {marker.body.name!r}, a body of another model; "
                    "use the bodies of this one"
                )
        if not isinstance(element, SignalElement) and all(marker.body.fixed for marker in element.markers):
            raise ModelError(f"{element.kind} {element.name!r} joins nothing but the ground; name a body that moves")
        check_signals(element, self.elements)
        form, slots = element.form()
        numbers = [n for m in element.markers for n in m.numbers]
        self._check_bound(element.who, [n for s, n in slots.items() if s not in form.signals] + numbers)
        known = {t, *form.slots, *form.own_symbols, *reference_turns(form, element.markers)}
        if stray := sorted(map(str, free_parameters(form.expressions) - known)):
            raise _unknown_symbols(element.who, stray)

    def _check_symbol(self, name: Any, kind: str) -> None:
        """Whether it can name a state or an input."""
        self._check_new(name, kind)
        if not name.isidentifier() or name == t.name:
            raise ModelError(f"{name!r} cannot name a {kind}; use letters, digits and _, and not 't', which is time")
        if name in self.parameters:
            raise ModelError(f"the model already has a parameter {name!r}; choose another name for this {kind}")

    def _check_bound(self, who: str, numbers: list[Number]) -> None:
        known = {p.symbol for p in self.parameters.values()}
        free = {s for s in free_parameters(numbers) if not isinstance(s, TableSymbol)}
        if moving := signals_in(free):
            what = f"a constant of {who} contains {moving[0].name!r}, which changes in time"
            raise ModelError(f"{what}; write it in an expression, as Force, Torque, Actuator and rates take them")
        if stray := sorted(map(str, free - known)):
            raise _unknown_symbols(who, stray)


def _unknown_symbols(who: str, names: list[str]) -> ModelError:
    return ModelError(
        f"{who} contains unknown symbols: {', '.join(names)}; declare them with model.parameter(name, value)"
    )
