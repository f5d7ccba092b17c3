"""Coefficients of friction: numbers; functions of the speed of slip (Stribeck curves); or expressions of time,
positions and states (a wet strip, a brake that is applied)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading, Relation
from ...symbolic.functions import as_sympy
from ...symbolic.markers import t
from ...tolerances import ROOT_SHIFT
from ..bodies.body import Marker
from ..fields import Function, Law, speed
from ..measures import Quantity, written_in_markers
from ..motion import Motion
from ..parameters import Evaluator, Number, Parameter, Signal, check_number, constants_out, free_parameters
from ..tables import Table, TableSymbol, reads_beyond

Slots: TypeAlias = dict[sp.Symbol, Number]
Coefficient: TypeAlias = Any
"""A number, or a `Law` of the speed of slip, which may also depend on time, quantities and signals."""
SPEEDS = (0.0, *(10.0**k for k in range(-5, 3)))
"""Speeds of slip, in m/s, at which a curve is checked: negative friction would drive the motion."""


def check_coefficient(value: Any, name: str, who: str) -> Coefficient:
    """Return a number, or a function or table of the slip speed as a `Law`, or an expression of `mbs.speed` or of
    quantities of the model as a `Law`."""
    if not is_curve(value):
        return check_number(value, f"{name} of {who}", non_negative=True)
    law = Function("", name=name, of=speed).check(value, who)
    allowed = (Parameter, TableSymbol, Quantity, Signal)
    if foreign := sorted(str(s) for s in law.expression.free_symbols - {speed, t} if not isinstance(s, allowed)):
        what = f"the {name} of {who} is a function of the speed of slip, time, quantities and parameters, and contains"
        raise ModelError(
            f"{what} {', '.join(foreign)}; leave that out, or declare it: model.parameter(...)",
            code="unknown-symbols", name=name, subject=who, foreign=tuple(foreign),
        )  # fmt: skip
    return law


def is_curve(value: Any) -> bool:
    if isinstance(value, Table | Motion):
        return True
    return value.has(speed) or changes(value) if isinstance(value, sp.Basic) else callable(value)


def changes(value: Any) -> bool:
    """Return whether an expression changes along a motion, other than by the speed of slip."""
    return isinstance(value, sp.Basic) and bool(value.has(t) or value.atoms(Quantity, Signal))


def at_rest(mu: Coefficient) -> Number:
    """Return the coefficient at zero slip."""
    return mu(0) if isinstance(mu, Law) else mu


@dataclass(frozen=True)
class Rubbing:
    """The friction laws of the surfaces of an element."""

    who: str
    names: tuple[str, str]
    """The names of the coefficients, of sliding and of rest."""
    sliding: Coefficient
    static: Number
    smooth: Number = 0.0
    """The speed of slip, in m/s, over which smoothed friction builds up; 0 if friction may stick."""

    @classmethod
    def said(cls, who: str, names: tuple[str, str], sliding: Any, static: Any = None, smooth: Any = None) -> Rubbing:
        """Return the coefficients after all checks that need no values of parameters."""
        mu = check_coefficient(sliding, names[0], who)
        if smooth is not None and static is not None:
            what = f"{who} has smooth=, so nothing rests, and {names[1]}="
            raise ModelError(
                f"{what}; leave one out, or give {names[0]}= as a function of the speed of slip",
                code="contradictory-arguments", subject=who, name=names[1],
            )  # fmt: skip
        if smooth is not None and not isinstance(mu, Law | sp.Basic) and mu == 0:
            raise ModelError(
                f"{who} has smooth=, and no friction; give {names[0]}=, or leave smooth= out",
                code="no-friction", subject=who, name=names[0],
            )  # fmt: skip
        width = 0.0 if smooth is None else check_number(smooth, f"smooth of {who}", positive=True)
        rest = at_rest(mu if static is None else check_coefficient(static, names[1], who))
        rest = 0.0 if smooth is not None else rest  # smoothed friction holds no force at rest
        rubbing = cls(who, names, mu, rest, width)
        if not free_parameters((*rubbing.numbers, *(mu(place) for place in SPEEDS if isinstance(mu, Law)))):
            rubbing.check_values(Evaluator({}))
        return rubbing

    @property
    def numbers(self) -> tuple[Number, Number, Number]:
        """The coefficient of sliding at zero slip speed, the coefficient of rest, and the speed `smooth`, in m/s. A
        coefficient that changes along a motion is 1 here; `curve` reads its value."""
        mu, rest = (1.0 if changes(number) else number for number in (at_rest(self.sliding), self.static))
        return mu, rest, self.smooth

    @property
    def is_read(self) -> bool:
        """Whether coefficients depend on the motion."""
        return isinstance(self.sliding, Law) or changes(self.static)

    @property
    def quantities(self) -> list[Quantity]:
        """The quantities of the model on which the coefficients depend, sorted by name."""
        laws = [self.sliding.expression if isinstance(self.sliding, Law) else self.sliding, self.static]
        return sorted({q for e in laws if isinstance(e, sp.Basic) for q in e.atoms(Quantity)}, key=str)

    @property
    def is_there(self) -> bool:
        """Whether there may be friction, for some values of the parameters."""
        mus = self.sliding, self.static
        return any(isinstance(mu, Law | sp.Basic) or mu > 0 for mu in mus)

    @property
    def constants(self) -> dict[str, tuple[Number, str]]:
        """The coefficients that are numbers, with their units, by name."""
        sliding, static = self.names
        constants = {} if isinstance(self.sliding, Law) else {sliding: (self.sliding, "")}
        if self.smooth != 0:
            return constants | {"smooth": (self.smooth, "m/s")}
        return constants if changes(self.static) else constants | {static: (self.static, "")}

    def with_constant(self, name: str, value: Number) -> Rubbing:
        """Return the coefficients with another number. Friction at rest changes with sliding friction if both are one
        number."""
        if not self.is_there:
            what = f"{self.who} has no friction, and by its {name} there is a derivative to one side alone"
            raise ModelError(f"{what}; give it a small one", code="kink", subject=self.who, name=name)
        sliding, static = self.names
        if name == "smooth":
            return replace(self, smooth=value)
        if name == sliding and self.static == self.sliding:
            return replace(self, sliding=value, static=value)
        return replace(self, **{{sliding: "sliding", static: "static"}[name]: value})

    def check_values(self, number: Callable[[Number], float]) -> None:
        """Check coefficients that do not change: rest holds at least as much as sliding, and no friction drives."""
        law = self.sliding.expression if isinstance(self.sliding, Law) else sp.S.Zero
        for place in SPEEDS if law.has(speed) and not changes(law) else ():
            if not reads_beyond(law.xreplace({speed: sp.Float(place)}), number):  # a run tells where it leaves a table
                what = f"{self.names[0]} of {self.who} at a slip of {place:g} m/s"
                check_number(number(self.sliding(place)), what, non_negative=True)
        mu, rest, width = map(number, self.numbers)
        for name, value in zip(self.names, (mu, rest), strict=True):
            check_number(value, f"{name} of {self.who}", non_negative=True)
        if rest < mu and width == 0 and not changes(at_rest(self.sliding)) and not changes(self.static):
            what = f"{self.names[1]} of {self.who} is {rest:g}, less than its {self.names[0]}, {mu:g}"
            raise ModelError(
                f"{what}; what rests holds at least what slides; give a larger one, or leave it out",
                code="static-below-sliding",
            )  # fmt: skip
        if isinstance(self.smooth, sp.Basic):
            check_number(width, f"smooth of {self.who}", positive=True)

    def with_readings(self, relation: Relation, markers: Sequence[Marker]) -> tuple[tuple[Marker, ...], Relation]:
        """Return the slip markers with the markers of the quantities appended, and the slip relation on all of them."""
        if not self.quantities:
            return tuple(markers), relation
        places, symbols, _ = written_in_markers(self.quantities, markers, self.who)
        return places, replace(relation, markers=symbols)

    def curve(
        self, relation: Relation, slots: Slots, markers: Sequence[Marker], points: int = 1
    ) -> tuple[tuple[Reading, Slots], ...]:
        """Return the readings of the coefficients of sliding and of rest for each point, if they change with the slip
        speed |s| or otherwise along a motion."""
        if not self.is_read:
            return ()
        size, values = len(relation.psi) // points, list[sp.Expr]()
        _, _, quantities = written_in_markers(self.quantities, markers, self.who)
        for k in range(points):
            slip = slip_speed(relation.psi[k * size : (k + 1) * size])
            mu = self.sliding(slip) if isinstance(self.sliding, Law) else as_sympy(self.sliding)
            values += [mu.xreplace(quantities), as_sympy(self.static).xreplace(quantities)]
        reading, more = constants_out(Reading(relation.markers, tuple(values), slots=relation.slots))
        return ((reading, {**slots, **more}),)


def slip_speed(slips: Sequence[sp.Expr]) -> sp.Expr:
    """Return the speed |s| of a slip with these components. Its slope at rest is 0, not 0/0, because of a negligible
    number below the root."""
    return sp.sqrt(sp.Add(*(s**2 for s in slips)) + ROOT_SHIFT)


def smoothed(slips: Sequence[sp.Expr], width: Number) -> tuple[list[sp.Expr], sp.Expr]:
    """Return the direction s / √(s·s + v²) of a friction that does not stick, v being the `width`, in m/s; and the
    speed of slip along it, s·s / √(s·s + v²), which is |s| where |s| is large, and smooth at zero."""
    square = sp.Add(*(s**2 for s in slips))
    length = sp.sqrt(square + as_sympy(width) ** 2)
    return [s / length for s in slips], square / length
