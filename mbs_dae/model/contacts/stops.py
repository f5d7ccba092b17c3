"""Stops: a measure that stays between two values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Relation
from ...symbolic.markers import marker_symbols
from ..element import checked_name, slot
from ..measures import Measure, checked_measure
from ..parameters import Number, Numeric, check_number
from .base import Contact


class Stop(Contact):
    """A measure that stays between two values, or on one side of one. The gaps are measure - lower and upper - measure;
    with both limits they are "gap1" and "gap2". Limits are in m, or in rad for an angle.

    >>> model = mbs.PlanarModel("buffers")
    >>> cart = model.body("cart", mass=2.0, inertia=0.1)
    >>> guide = model.add(mbs.Translational("guide", model.ground, cart))
    >>> model.add(mbs.Stop("buffer", mbs.displacement(guide), lower=0.0, upper=0.4, restitution=0.5))
    <Stop buffer>
    >>> run = mbs.simulate(model, [0, 0.2, 0.4], initial={"cart.vx": 4.0})
    >>> [round(hit.t, 6) for hit in run.impacts]  # there with 4 m/s, back with 2 m/s
    [0.1, 0.3]
    >>> print(run["cart.x"][1:].round(6))
    [0.2 0.1]
    """

    sketch = "stop"

    def __init__(
        self,
        name: str,
        measure: Measure,
        lower: Numeric | None = None,
        upper: Numeric | None = None,
        restitution: Numeric = 0.0,
    ):
        self.name = checked_name(name)
        self.measure = checked_measure(measure, f"{self.who} stops")
        if measure.lowest:
            what = f"{self.who} stops a value, and {measure.label} has only a rate"
            raise ModelError(
                f"{what}; take an angle, a displacement, a distance or a coordinate",
                code="not-a-measure", subject=self.who, measure=measure.label,
            )  # fmt: skip
        if lower is None and upper is None:
            raise ModelError(
                f"{self.who} stops nothing; give lower= or upper=, or both", code="missing-argument", subject=self.who
            )
        self.markers, self.speaks_of = measure.markers, measure.speaks_of
        self._set_laws(restitution)
        limits = (("lower", lower), ("upper", upper))
        self.limits = {n: check_number(v, f"{n} of {self.who}") for n, v in limits if v is not None}
        if not any(isinstance(v, sp.Basic) for v in self.limits.values()):
            self._check_limits(float)
        symbols = marker_symbols(len(self.markers), self.dimension)
        value = measure.of(*symbols)
        gaps = tuple(value - slot(n) if n == "lower" else slot(n) - value for n in self.limits)
        slots = {slot(n): v for n, v in self.limits.items()}
        self._finish(Relation(symbols, gaps, slots=tuple(slots)), slots, measure.unit)

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure, **super().measures()}

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        constants = super().constants
        limits = {n: (v, self.measure.unit) for n, v in self.limits.items()}
        return {**limits, "restitution": constants["restitution"]}  # a stop has no friction

    def with_constant(self, name: str, value: Number) -> Self:
        if name not in self.limits:
            return super().with_constant(name, value)
        other, (relation, slots) = self._unfinished(limits={**self.limits, name: value}), self._gaps
        other._finish(relation, {**slots, slot(name): value}, self.measure.unit)
        return other

    def point_name(self, number: int) -> str:
        return [*self.limits][number]

    def _check_limits(self, number: Callable[[Number], float]) -> None:
        values = {n: check_number(number(v), f"{n} of {self.who}") for n, v in self.limits.items()}
        if len(values) == 2 and not values["lower"] < values["upper"]:
            what = f"{self.who} has lower {values['lower']:g} and upper {values['upper']:g}"
            raise ModelError(
                f"{what}, which leaves no way between them; give a lower one that is less",
                code="bounds-upside-down", subject=self.who,
            )  # fmt: skip

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        self._check_limits(number)
