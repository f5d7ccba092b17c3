"""Define limits of a design: of numbers, and of quantities at all times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from ..errors import ModelError, shortened
from ..model.parameters import finite_number
from ..public_class import PublicClass
from .objectives.objective import FormulaObjective, ObjectiveFunction, objective_of
from .objectives.words import Maximum, Minimum

INFINITE = np.inf


@dataclass(frozen=True, eq=False)
class Limit(metaclass=PublicClass):
    """A limit: a number, or every entry of an array, stays between two numbers.

    In `subject_to` a comparison is equivalent, ``mbs.maximum("motor.effort") <= 50``; this is for functions of a
    result: ``mbs.Limit(lambda result: np.ptp(result["slider.x"]), lower=0.2)``. If `lower` and `upper` are equal, the
    limit is an equation.

    >>> limit = mbs.Limit(lambda result: np.ptp(result["slider.x"]), lower=0.2, name="stroke")
    >>> limit
    <Limit: stroke >= 0.2>
    """

    what: Any
    lower: float = -np.inf
    upper: float = np.inf
    name: str = ""
    said: str = field(default="", repr=False)
    """The comparison from which the limit was made, as text."""
    measured: ObjectiveFunction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for side, infinite in (("lower", -INFINITE), ("upper", INFINITE)):
            bound = getattr(self, side)
            is_open = bound is None or np.isscalar(bound) and bound == infinite
            value = infinite if is_open else finite_number(bound, f"{side} of a Limit")
            object.__setattr__(self, side, value)
        object.__setattr__(self, "measured", objective_of(self.what, "what of a Limit"))
        if self.lower == -INFINITE and self.upper == INFINITE:
            raise ModelError(
                f"Limit of {self.label} has no bounds; give lower=, upper= or both",
                code="no-bounds", subject=self.label,
            )  # fmt: skip
        if self.lower > self.upper:
            raise ModelError(
                f"Limit of {self.label} goes from {self.lower:g} to {self.upper:g}; nothing is between them",
                code="bounds-upside-down", subject=self.label, lower=self.lower, upper=self.upper,
            )  # fmt: skip

    @property
    def label(self) -> str:
        """The limited quantity, in words."""
        words = self.measured.label
        return self.name or ("function" if words == "objective" else words)

    @property
    def is_equation(self) -> bool:
        """Whether the limit requires one value instead of a range."""
        return self.lower == self.upper

    def __str__(self) -> str:
        if self.said:
            return self.said
        if self.is_equation:
            return f"{self.label} = {self.lower:g}"
        below = f"{self.lower:g} <= " * (self.lower > -INFINITE and self.upper < INFINITE)
        sides = f" <= {self.upper:g}" if self.upper < INFINITE else f" >= {self.lower:g}"
        return f"{below}{self.label}{sides}"

    def __repr__(self) -> str:
        return f"<Limit: {self}>"


def limits_of(limits: Any) -> tuple[Limit, ...]:
    """Return the limits that stand in `subject_to`."""
    if isinstance(limits, Limit | Relational) or not isinstance(limits, Sequence):
        example = '[mbs.maximum("motor.effort") <= 50]'
        raise ModelError(
            f"subject_to must be a list, e.g. {example}, not {shortened(limits)}", code="not-a-list", limits=limits
        )
    return tuple(_limit(one) for one in limits)


def _limit(comparison: Any) -> Limit:
    if isinstance(comparison, Limit):
        return comparison
    if comparison in (True, False, sp.true, sp.false):
        what = f"subject_to holds {comparison}, which was decided before any run"
        raise ModelError(
            f"{what}; compare expressions of quantities by <= or >=, or write an equation: sp.Eq(a, b)",
            code="not-a-limit",
        )  # fmt: skip
    if not isinstance(comparison, sp.Le | sp.Lt | sp.Ge | sp.Gt | sp.Eq):
        what = f'subject_to takes comparisons, e.g. mbs.maximum("motor.effort") <= 50, not {shortened(comparison)}'
        raise ModelError(f"{what}; of functions mbs.Limit(function, lower=, upper=)", code="not-a-limit")
    left, right = comparison.lhs, comparison.rhs
    if left.is_number:
        left, right, comparison = right, left, comparison.reversed
    bound = float(right) if right.is_number else 0.0
    what = left if right.is_number else left - right
    lower = -INFINITE if isinstance(comparison, sp.Le | sp.Lt) else bound
    upper = INFINITE if isinstance(comparison, sp.Ge | sp.Gt) else bound
    return _smooth(what, lower, upper, str(comparison))


def _smooth(what: sp.Expr, lower: float, upper: float, comparison: str) -> Limit:
    """Return the limit without a kink if possible: a maximum is below a limit if all values are; |x| is if x lies
    between the limit and its negative."""
    if isinstance(what, Maximum) and lower == -INFINITE or isinstance(what, Minimum) and upper == INFINITE:
        return _smooth(what.args[0], lower, upper, comparison)
    if isinstance(what, sp.Abs) and lower == -INFINITE:
        return Limit(what.args[0], -upper, upper, said=comparison)
    return Limit(what, lower, upper, said=comparison)


def largest_of(objectives: Any) -> list[ObjectiveFunction]:
    """Return the readings whose entries must all be small for the largest value to be small: x and -x for |x|, each
    value for a multiple of a maximum, and each negative value for a negative multiple of a minimum."""
    readings: list[ObjectiveFunction] = []
    for one in objectives if isinstance(objectives, list | tuple) else [objectives]:
        measured = objective_of(one)
        if not isinstance(measured, FormulaObjective):
            readings.append(measured)
            continue
        shift, term = measured.expression.as_independent(Maximum, Minimum, as_Add=True)
        factor, inner = term.as_coeff_Mul()
        if shift.is_number and isinstance(inner, Maximum if factor > 0 else Minimum):
            inner = inner.args[0]
        else:
            shift, factor, inner = sp.S.Zero, sp.S.One, measured.expression
        both = (inner.args[0], -inner.args[0]) if isinstance(inner, sp.Abs) and factor > 0 else (inner,)
        readings += [FormulaObjective(shift + factor * each) for each in both]
    return readings
