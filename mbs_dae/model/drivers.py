"""Drivers: a measure that follows a function of time."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation
from ..symbolic.markers import marker_symbols, t
from .fields import Function
from .joints.base import Element, checked_name
from .measures import Measure
from .parameters import Number, constants_out


class Driver(Element):
    """``Driver("motor", mbs.angle(ground, crank), 0.6 + omega * mbs.t)``: Φ = measure - function(t).

    The function is a sympy expression of ``mbs.t`` and parameters, a `Table` or a `Motion`. The effort that the
    driver gives is -λ.
    """

    def __init__(self, name: str, measure: Measure, function: Any):
        self.name = checked_name(name)
        if not isinstance(measure, Measure):
            raise ModelError(
                f"Driver {name!r} drives a measure, not {measure!r}; write mbs.angle(i, j), mbs.displacement(joint), ..."
            )
        self.measure = measure
        self.markers = measure.markers
        self.units = (measure.unit,)
        call = Function(measure.unit, of=t, name="function").check(function, f"Driver {name!r}")
        self.function = sp.sympify(call(t))
        if self.function.has(sp.nan, sp.zoo, sp.oo):
            raise ModelError(f"the function of Driver {name!r} is not finite; mend it")

        symbols = marker_symbols(len(self.markers))
        canonical, self._slots = constants_out([measure.of(*symbols) - self.function])
        self._relation = Relation(symbols, tuple(canonical), (), tuple(self._slots))

    def relation(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._relation, self._slots

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}
