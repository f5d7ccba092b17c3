"""Numbers of a model that change in time and belong to no body: states, inputs, and what digital controllers hold.

    integral = model.state("integral", rate=target - model["crank.omega"], unit="rad")
    voltage = model.input("voltage", 12.0)
    model.add(mbs.Torque("motor", crank, k * voltage + ki * integral))

Each is an element of its name that reads markers and acts on none: an expression of quantities, signals, parameters
and time, which is the rate of a state, the law of an input, or what a state is set to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Reading
from ..symbolic.expressions import called, expression_of
from ..symbolic.markers import t
from .drivers import Driver
from .element import Element, checked_name
from .forces.base import EffortElement
from .joints.base import Condition
from .measures import Quantity, in_markers
from .motion import Motion
from .parameters import (
    Effort,
    Number,
    Signal,
    check_number,
    constants_out,
    finite_number,
    free_parameters,
    signals_in,
)  # fmt: skip
from .tables import Table


class SignalElement(Element):
    """An element of expressions that are read."""

    @property
    def dimension(self) -> int:
        return super().dimension if self.markers else 0

    def _read(self, expressions: Sequence[sp.Expr]) -> None:
        try:
            reading, slots = constants_out(Reading((), tuple(expressions)))
            symbols, self.markers, values = in_markers(reading.expressions, ())
        except ModelError as exc:
            raise ModelError(f"{self.who}: {exc}") from exc
        self._complete(replace(reading.map(lambda e: e.xreplace(values)), markers=symbols), slots)


class StateVariable(SignalElement):
    """See `Model.state`."""

    @property
    def kind(self) -> str:
        return "state"

    def __init__(self, name: str, rate: Any, initial: Number, unit: str, scale: Number):
        self.name, self.unit, self.symbol = checked_name(name), str(unit), Signal(name)
        self.initial = check_number(initial, f"the initial value of {self.who}")
        self.scale = check_number(scale, f"the scale of {self.who}", positive=True)
        self.is_held = rate is None
        """Whether it keeps its value until it is set."""
        what = f"the rate of {self.who}"
        if callable(rate) and not isinstance(rate, sp.Basic | Table | Motion):
            rate = called(rate, (self.symbol,), what)
        self.rate = expression_of(0 if rate is None else _of_time(rate), what)
        self._read([self.rate])

    def with_rate(self, rate: Any) -> StateVariable:
        return StateVariable(self.name, rate, self.initial, self.unit, self.scale)

    def check_values(self, number: Callable[[Number], float]) -> None:
        finite_number(number(self.initial), f"the initial value of {self.who}")
        check_number(number(self.scale), f"the scale of {self.who}", positive=True)


class Input(SignalElement):
    """See `Model.input`."""

    @property
    def kind(self) -> str:
        return "input"

    def __init__(self, name: str, law: Any, unit: str):
        self.name, self.unit, self.symbol = checked_name(name), str(unit), Signal(name)
        self.law = expression_of(_of_time(law), self.who)
        if named := [s for s in free_parameters([self.law]) if isinstance(s, Signal | Quantity)]:
            raise ModelError(
                f"{self.who} contains {min(map(str, named))!r}, and an input is a law of time; write the expression "
                "where the input is used, or declare model.state(...) with it as rate"
            )
        self._read([self.law])


class Sampled(SignalElement):
    """A digital controller: at the times 0, `every`, 2 `every`, ... it sets states, and nothing in between:

        u = model.state("u", unit="N m")  # without a rate it keeps its value
        model.add(mbs.Torque("motor", A, u))
        model.add(mbs.Sampled("pd", every=0.01, update={u: kp * (target - angle) - kd * speed}))

    `update` is a dict of states and expressions (of time, parameters, quantities, signals), all of which are evaluated
    before any state is set; or a function ``update(t, read)`` that returns a dict of states and numbers, where
    ``read("arm.angle")`` gives what results know by this name. States may have rates, too.

    The first time of a run is sampled, if it is one of these times; the last one is not: a run that goes on from there
    does it.
    """

    def __init__(self, name: str, every: Number, update: Any):
        self.name = checked_name(name)
        self.every = check_number(every, f"every= of {self.who}", positive=True)
        self.function: Callable[..., Any] | None = update if callable(update) else None
        if self.function is None and (not isinstance(update, Mapping) or not update):
            wanted = 'a dict of states and expressions, {"u": -k * model["arm.angle"]}, or a function (t, read) -> dict'
            raise ModelError(f"update= of {self.who} must be {wanted}, not {update!r}")
        given = {} if self.function else {str(state): value for state, value in update.items()}
        self.targets = [Signal(state) for state in given]
        """The states that it sets, in the order of its expressions; those of a function are known when it is called."""
        self._read([expression_of(_of_time(e), f"what {self.who} sets {s!r} to") for s, e in given.items()])

    def check_values(self, number: Callable[[Number], float]) -> None:
        check_number(number(self.every), f"every= of {self.who}", positive=True)


def _of_time(law: Any) -> Any:
    return law(t) if isinstance(law, Table | Motion) else law


def signals_of(element: Element) -> list[Signal]:
    """Those that it reads."""
    form, slots = element.form()
    return [slots[s] for s in form.signals]


def all_signals(elements: Iterable[Element]) -> tuple[Signal, ...]:
    """Those of states, then those of inputs, then the efforts that are read."""
    found: dict[type, list[Signal]] = {StateVariable: [], Input: [], Effort: []}
    for element in elements:
        if isinstance(element, StateVariable | Input):
            found[type(element)].append(element.symbol)
        if isinstance(element, SignalElement):
            found[Effort] += [s for s in signals_of(element) if isinstance(s, Effort)]
    return tuple(dict.fromkeys(s for signals in found.values() for s in signals))


def effort_of(element: Element) -> sp.Expr:
    """The effort of a driver, which follows from forces, or of a force, which is an expression."""
    if isinstance(element, EffortElement):
        return element.effort_expression
    if isinstance(element, Driver):
        return Effort(f"{element.name}.effort")
    raise ModelError(f"{element.who} gives a force and a moment, no single effort; drive a measure: mbs.Driver(...)")


def check_signals(element: Element, elements: Mapping[str, Element]) -> None:
    """Whether a model of these elements has all signals that this one reads, and it may read them."""
    known = {e.symbol: e for e in (*elements.values(), element) if isinstance(e, StateVariable | Input)}
    for signal in element.targets if isinstance(element, Sampled) else ():
        if not isinstance(known.get(signal), StateVariable):
            what = f"{element.who} sets {signal.name!r}, which is no state of this model"
            raise ModelError(f"{what}; declare it first: model.state({signal.name!r})")
    for signal in signals_in(free_parameters(element.form()[1].values())):
        what = f"{element.who} depends on {signal.name!r}"
        if isinstance(element, Condition):
            raise ModelError(
                f"{what}: what joints and drivers prescribe is a matter of places and time; let a force act on the "
                "motion instead, such as mbs.Torque or mbs.Actuator"
            )
        if isinstance(signal, Effort) and not isinstance(element, SignalElement):
            raise ModelError(
                f"{what}, which follows from all forces: an algebraic loop; let it pass a state that lags behind, "
                f"lagged = model.state('lagged', rate=lambda x: (model[{signal.name!r}] - x) / T)"
            )
        if isinstance(signal, Effort):
            if not isinstance(elements.get(signal.driver), Driver):
                raise ModelError(f"{what}, and the model has no driver {signal.driver!r}; add it first")
        elif signal not in known:
            raise ModelError(
                f"{what}, which is no state or input of this model; declare it: model.state(...) or model.input(...)"
            )
