"""Drivers: a measure that follows a function of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation
from ..symbolic.functions import Lookup
from ..symbolic.markers import marker_symbols, t
from .element import checked_name
from .fields import Function, Law
from .joints.base import Condition
from .measures import Measure
from .parameters import Number, constants_out


class Prescribed(Condition):
    """What follows a function of time."""


class Driver(Prescribed):
    """``Driver("motor", mbs.angle(ground, crank), 0.6 + omega * mbs.t)``: Φ = measure - function(t).

    The function is a sympy expression of ``mbs.t`` and parameters, a `Table` or a `Motion`. The effort that the
    driver gives is -λ.
    """

    def __init__(self, name: str, measure: Measure, function: Any):
        self.name = checked_name(name)
        if not isinstance(measure, Measure):
            raise ModelError(
                f"Driver {name!r} drives a measure, not {measure!r}; write mbs.angle(i, j), mbs.x(marker), ..."
            )
        self.measure = measure
        self.markers = measure.markers
        self.units = (measure.units[measure.lowest],)
        self._law = _checked(FUNCTION.check(function, self.who), self.who)
        self.function = self._law.expression
        symbols = marker_symbols(len(self.markers), self.dimension)
        form, self._slots = _form_of(self.function)
        row = (measure.of(*symbols) - form,)
        phi, psi = (row, ()) if measure.lowest == 0 else ((), row)
        self._relation = Relation(symbols, phi, psi, tuple(self._slots))
        self._made()

    def check_values(self, number: Callable[[Number], float]) -> None:
        FUNCTION.check_value(self._law, number, self.who)

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._relation, self._slots

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}


FUNCTION = Function(of=t, name="function")


def function_of_time(function: Any, who: str) -> sp.Expr:
    return _checked(FUNCTION.check(function, who), who).expression


def _checked(law: Law, who: str) -> Law:
    if any(s.name == t.name and s != t for s in law.expression.free_symbols):
        raise ModelError(f"the function of {who} uses another symbol named t; write mbs.t for time")
    return law


def _form_of(function: sp.Expr) -> tuple[sp.Expr, dict[sp.Symbol, Number]]:
    """The function with its constants in slots. All linear ones are one form, c0 + c1 t, whatever stands in it."""
    rate = function.diff(t)
    if rate.has(t) or function.has(Lookup) or not function.is_polynomial(t):
        (form,), slots = constants_out([function])
        return form, slots
    c0, c1 = sp.symbols("c0 c1", real=True)
    return c0 + c1 * t, {c0: function.xreplace({t: sp.S.Zero}), c1: rate}


class Held(Condition):
    """A measure held at a value (level 0), or its rate (level 1): what "fixed" and "initial" values are made of."""

    def __init__(self, name: str, measure: Measure, level: int, value: Number):
        self.name = f"fix {name}"
        self.measure = measure
        self.markers = measure.markers
        self.units = (measure.units[level],)
        relation = measure.relation
        slot = sp.Symbol("c0", real=True)
        if level == 0:
            self._relation = Relation(relation.markers, (relation.phi[0] - slot,), (), (slot,))
        else:
            self._relation = Relation(relation.markers, (), (measure.rate(relation.markers) - slot,), (slot,))
        self._slots: dict[sp.Symbol, Number] = {slot: value}

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._relation, self._slots
