"""Numbers of a model that change in time and belong to no body: states, inputs, and outputs of digital controllers::

    integral = model.state("integral", rate=target - model["crank.omega"], unit="rad")
    voltage = model.input("voltage", 12.0)
    model.add(mbs.Torque("motor", crank, k * voltage + ki * integral))

Each is an element of its name that reads markers and acts on none: an expression of quantities, signals, parameters and
time, which is the rate of a state, the law of an input, or the new value of a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Protocol, Self

import sympy as sp

from ..errors import ModelError
from ..results.names import COMPONENTS, EFFORT
from ..symbolic.branches import SWITCHING, drift
from ..symbolic.derive import Reading
from ..symbolic.expressions import called, expression_of
from ..symbolic.functions import written_out
from ..symbolic.markers import t
from ..unit_system import checked_unit
from .drivers import Driver
from .element import Element, checked_name
from .forces.base import EffortElement
from .joints.base import Condition
from .measures import Quantity, written_in_markers
from .motion import Motion
from .parameters import (
    Number,
    Reaction,
    Signal,
    check_number,
    constants_out,
    finite_number,
    free_parameters,
)  # fmt: skip
from .tables import Table


class SignalElement(Element):
    """An element whose expressions are read."""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space; 0 if the element reads no marker."""
        return super().dimension if self.markers else 0

    def _read(self, expressions: Sequence[sp.Expr]) -> None:
        try:
            reading, slots = constants_out(Reading((), tuple(expressions)))
            quantities = sorted({q for e in reading.expressions for q in e.atoms(Quantity)}, key=str)
            self.markers, symbols, values = written_in_markers(quantities, (), "it")
        except ModelError as exc:
            raise ModelError(f"{self.who}: {exc}", code=exc.code, **exc.facts) from exc
        reading, numbers = constants_out(replace(reading.map(lambda e: e.xreplace(values)), markers=symbols))
        self._complete(reading, {**slots, **numbers})


class StateVariable(SignalElement):
    """A state of a model: see `Model.state`."""

    @property
    def kind(self) -> str:
        return "state"

    def __init__(self, symbol: Signal, rate: Any, initial: Number, unit: str, scale: Number):
        self.name, self.symbol = checked_name(symbol.name), symbol
        self.unit = checked_unit(unit, self.who)
        self.initial = check_number(initial, f"the initial value of {self.who}")
        self.scale = check_number(scale, f"the scale of {self.who}", positive=True)
        self.is_held = rate is None
        """Whether it keeps its value until it is set."""
        what = f"the rate of {self.who}"
        if is_function(rate):
            rate = called(rate, (self.symbol,), what)
        self.rate = expression_of(0 if rate is None else _of_time(rate), what, jumps=True)
        self._read([self.rate])

    @property
    def is_late(self) -> bool:
        """Whether the rate reads reactions, so that it is known only after all forces."""
        return bool(reactions_in(self))

    def with_rate(self, rate: Any) -> StateVariable:
        return StateVariable(self.symbol, rate, self.initial, self.unit, self.scale)

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        return {"initial": (self.initial, self.unit)}

    def with_constant(self, name: str, value: Number) -> Self:
        if name != "initial":
            return super().with_constant(name, value)
        other = copy(self)
        vars(other).update(initial=value)
        return other

    def check_values(self, number: Callable[[Number], float]) -> None:
        finite_number(number(self.initial), f"the initial value of {self.who}")
        check_number(number(self.scale), f"the scale of {self.who}", positive=True)


class Input(SignalElement):
    """An input of a model: see `Model.input`."""

    @property
    def kind(self) -> str:
        return "input"

    def __init__(self, symbol: Signal, law: Any, unit: str):
        self.name, self.symbol = checked_name(symbol.name), symbol
        self.unit = checked_unit(unit, self.who)
        law = called(law, (t,), self.who) if is_function(law) else _of_time(law)
        self.law = expression_of(law, self.who, jumps=True)
        if named := [s for s in free_parameters([self.law]) if isinstance(s, Signal | Quantity)]:
            raise ModelError(
                f"{self.who} contains {min(map(str, named))!r}, and an input is a law of time; write the expression "
                "where the input is used, or declare model.state(...) with it as rate",
                code="law-not-of-time", input=self.name, quantity=min(map(str, named)),
            )  # fmt: skip
        self._read([self.law])

    @cached_property
    def rate(self) -> Input:
        """The rate of the input in time, without its jumps, as an input of no model."""
        return Drift(self)


class Drift(Input):
    """The rate of an input: see `Input.rate`."""

    def __init__(self, of: Input):
        self.name, self.unit, self.symbol = of.name, f"{of.unit}/s", of.symbol
        self.law = drift(of.law)
        self._read([self.law])


class Sampled(SignalElement):
    """A digital controller, which sets states at the times 0, `every`, 2 `every`, ..., and does nothing in between:

    >>> model = mbs.PlanarModel("cart")
    >>> cart = model.body("cart", mass=1.0, inertia=1.0)
    >>> u = model.state("u", unit="N")  # without a rate it keeps its value
    >>> push = model.add(mbs.Force("push", cart, (u, 0)))
    >>> brake = mbs.Sampled("brake", every=0.5, update={u: -model["cart.vx"]})
    >>> slowed = mbs.simulate(model.plus(brake), [0, 0.5, 1.0], initial={"cart.vx": 8.0})
    >>> print(slowed["cart.vx"].round(6))  # each time by half
    [8. 4. 2.]

    `update` is a dict of states and expressions (of time, parameters, quantities, signals), all of which are evaluated
    before any state is set; or a function ``update(t, read)`` that returns a dict of states and numbers, where
    ``read("arm.angle")`` returns the quantity of this name in results. `every` is in s. States may have rates, too.

    A run samples at its first time, if it is one of these times, but not at its last time: a run that continues it
    does.
    """

    def __init__(self, name: str, every: Number, update: Any):
        self.name = checked_name(name)
        self.every = check_number(every, f"every= of {self.who}", positive=True)
        self.function: Callable[..., Any] | None = update if callable(update) else None
        if self.function is None and (not isinstance(update, Mapping) or not update):
            example = '{"u": -k * model["arm.angle"]}'
            requirement = f"a dict of states and expressions, {example}, or a function (t, read) -> dict"
            raise ModelError(
                f"update= of {self.who} must be {requirement}, not {update!r}",
                code="not-a-dict", argument="update", controller=self.name, value=update,
            )  # fmt: skip
        updates = {} if self.function else dict(update)
        self.targets: list[Signal | str] = [*updates]
        """The states that it sets, in the order of its expressions; those of a function are known when it is called."""
        values = (expression_of(_of_time(e), f"what {self.who} sets '{s}' to", jumps=True) for s, e in updates.items())
        self._read([*values])

    def check_values(self, number: Callable[[Number], float]) -> None:
        check_number(number(self.every), f"every= of {self.who}", positive=True)


def is_function(law: Any) -> bool:
    """Return whether a law is a Python function."""
    return callable(law) and not isinstance(law, sp.Basic | Table | Motion)


def _of_time(law: Any) -> Any:
    return law(t) if isinstance(law, Table | Motion) else law


def signals_of(element: Element) -> list[Signal]:
    """Return the signals that an element reads."""
    form, slots = element.form()
    return [slots[s] for s in form.signals]


def reactions_in(element: Element) -> list[Reaction]:
    """Return the signals of an element that follow from forces."""
    return [s for s in signals_of(element) if isinstance(s, Reaction)]


def all_signals(elements: Iterable[Element]) -> tuple[Signal, ...]:
    """Return the signals of states, then those of inputs, then the reactions that elements read."""
    by_class: dict[type, list[Signal]] = {StateVariable: [], Input: [], Reaction: []}
    for element in elements:
        if isinstance(element, StateVariable | Input):
            by_class[type(element)].append(element.symbol)
        if isinstance(element, SignalElement):
            by_class[Reaction] += reactions_in(element)
    return tuple(dict.fromkeys(s for signals in by_class.values() for s in signals))


def is_load(element: Element, component: str) -> bool:
    """Return whether an expression may read this load of an element: see `reaction_of`."""
    return isinstance(element, (Driver, EffortElement) if component == EFFORT else Condition)


def reaction_of(element: Element, component: str, home: Any) -> sp.Expr:
    """Return the load of an element on bodies: its effort, or a component in world axes. Loads of joints and drivers
    follow from forces; the effort of a force is an expression."""
    if component == EFFORT and isinstance(element, EffortElement):
        return element.effort_expression
    if is_load(element, component):
        return Reaction(f"{element.name}.{component}", home)
    if component != EFFORT:
        what, remedy = "reaction", "such are those of joints and drivers; write the law of the force in its place"
    else:
        what = EFFORT
        remedy = "efforts are those of mbs.Driver, and of forces along a coordinate, such as springs"
        if isinstance(element, Condition):
            names = [f"{element.name}.{name}" for name in COMPONENTS[element.dimension]]
            remedy += f"; what it does to bodies is {', '.join(names)}"
    raise ModelError(
        f"{element.who} has no {what} that an expression could read; {remedy}",
        code="load-not-readable", element=element.name, load=component,
    )  # fmt: skip


class ModelWithStates(Protocol):
    """A model with named elements."""

    ground: Any
    elements: Any


def state_of(model: ModelWithStates, given: Any, what: str) -> StateVariable:
    """Return the state of this name, or of this symbol; `what` begins the error for anything else."""
    name, element = str(given), model.elements.get(str(given))
    strange = isinstance(given, Signal) and given.home is not model.ground
    if isinstance(element, StateVariable) and not strange:
        return element
    names = [one.name for one in model.elements.values() if isinstance(one, StateVariable)]
    if strange:
        remedy = ", but of another model; take the symbol that this one gave"
    elif isinstance(element, Input):
        remedy = ", but an input, which is given by a law of time; declare a state in its place"
    elif "." in name:
        remedy = ", but follows from forces; set a state that a force reads, u = model.state('u')"
    elif near := get_close_matches(name, names, n=3, cutoff=0.5):
        remedy = f"; did you mean {' or '.join(map(repr, near))}?"
    else:
        remedy = f"; declare it first: model.state({name!r})"
    raise ModelError(
        f"{what} {name!r}, which is not a state of this model{remedy}",
        code="not-a-state", kind=element.kind if element is not None else "", stranger=strange, name=name, known=names,
    )  # fmt: skip


def units_of_signals(elements: Iterable[Element]) -> dict[str, str]:
    """Return the units of all signals, by name: states, inputs, rates of states, reactions in rates."""
    named = {e.name: e for e in elements}
    units = {e.name: e.unit for e in named.values() if isinstance(e, StateVariable | Input)}
    moving = [e for e in named.values() if isinstance(e, StateVariable) and not e.is_held]
    units |= {f"{e.name}.rate": f"{e.unit or '1'}/s" for e in moving}
    for signal in all_signals(named.values()):
        if isinstance(signal, Reaction):
            owner, turns = named[signal.owner], signal.component.startswith("M")
            if isinstance(owner, Driver) and signal.component == EFFORT:
                turns = owner.units[0].startswith("rad")
            units[str(signal)] = "N m" if turns else "N"
    return units


def check_switches(element: Element, elements: Iterable[Element]) -> None:
    """Refuse expressions whose switches a run cannot find: equality of moving quantities, which holds at single
    instants, and switches in rates that are known only after all forces."""
    form, slots = element.form()
    still = {e.symbol for e in elements if isinstance(e, Input) or (isinstance(e, StateVariable) and e.is_held)}
    still = {s for s in form.signals if slots[s] in still}
    moving, is_late = form.own_symbols - still, isinstance(element, StateVariable) and element.is_late
    for e in () if isinstance(element, Sampled) else map(written_out, form.expressions):
        for relation in e.atoms(sp.Eq, sp.Ne):
            if relation.free_symbols & moving:
                raise ModelError(
                    f"{element.who} asks if quantities that move are equal ({type(relation).__name__}), and they are "
                    "so at instants only; say it by an inequality, such as sp.Abs(a - b) < width",
                    code="equality-of-moving-quantities", element=element.name, relation=type(relation).__name__,
                )  # fmt: skip
        if is_late and (found := [one for one in e.atoms(*SWITCHING) if one.free_symbols & moving]):
            raise ModelError(
                f"{element.who} reads {min(map(str, reactions_in(element)))!r}, and its rate switches with the motion "
                f"({type(found[0]).__name__}), where no run finds it; let it pass a state that lags behind, lagged = "
                "model.state('lagged', rate=lambda x: (model['motor.effort'] - x) / T), and write the rate with that",
                code="rate-of-reaction-switches", state=element.name, reaction=min(map(str, reactions_in(element))),
                function=type(found[0]).__name__,
            )  # fmt: skip
