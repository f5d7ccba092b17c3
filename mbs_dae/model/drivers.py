"""Drivers: a measure that follows a function of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation
from ..symbolic.functions import Lookup
from ..symbolic.markers import t
from .element import checked_name
from .fields import Function
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
        self.measure, self.markers = measure, measure.markers
        self.units = (measure.units[measure.lowest],)
        self._law = FUNCTION.check(function, self.who)
        self.function = self._law.expression
        self._complete(*_following(measure, self.function))

    def check_values(self, number: Callable[[Number], float]) -> None:
        FUNCTION.check_value(self._law, number, self.who)

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}


FUNCTION = Function(of=t, name="function")


def function_of_time(function: Any, who: str) -> sp.Expr:
    return FUNCTION.check(function, who).expression


def _following(measure: Measure, function: sp.Expr) -> tuple[Relation, dict[sp.Symbol, Number]]:
    """Measure - function, with constants in slots. All linear ones are one form, c0 + c1 t, whatever stands in it."""
    rate = function.diff(t)
    if rate.has(t) or function.has(Lookup) or not function.is_polynomial(t):
        return constants_out(measure.equation(function, measure.lowest))
    c0, c1 = sp.symbols("c0 c1", real=True)
    linear = measure.equation(c0 + c1 * t, measure.lowest, (c0, c1))
    return linear, {c0: function.xreplace({t: sp.S.Zero}), c1: rate}


class Held(Condition):
    """A measure held at a value (level 0), or its rate (level 1): what "fixed" and "initial" values are made of."""

    def __init__(self, name: str, measure: Measure, level: int, value: Number):
        self.name = f"fix {name}"
        self.measure, self.markers = measure, measure.markers
        self.units = (measure.units[level],)
        slot = sp.Symbol("c0", real=True)
        self._form = measure.equation(slot, level, (slot,)), {slot: value}
