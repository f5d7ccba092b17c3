"""What an element is told besides its markers, declared in its class.

    class Distance(mbs.Joint):
        length = mbs.scalar("m", positive=True)

    class CamFollower(mbs.Joint):
        profile = mbs.function("m")             # an expression, a Table, a Motion, or any callable

A scalar becomes a slot of the kernel: one machine code for all lengths. A function becomes part of the
expression: one machine code for all profiles of that form. A choice selects among forms of Φ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..errors import ModelError
from .motion import Motion
from .parameters import check_number

theta = sp.Symbol("theta", real=True)
"""The angle in a cam profile."""

REQUIRED: Any = object()


@dataclass(frozen=True)
class Field:
    """`default` may be a function of the placed markers (and of constants declared before it, by name): what the
    reference placement says."""

    unit: str = ""
    default: Any = REQUIRED
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    def check(self, value: Any, who: str) -> Any:
        return value

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        """What could not be checked before the parameters had values."""


@dataclass(frozen=True)
class Scalar(Field):
    positive: bool = False

    def check(self, value: Any, who: str) -> Any:
        return check_number(value, f"{self.name} of {who}", positive=self.positive)

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        self.check(number(value), who)


@dataclass(frozen=True)
class Function(Field):
    """A function of one variable, handed to ``phi`` as something to call with an expression."""

    of: sp.Symbol = theta

    def check(self, value: Any, who: str) -> Callable[[sp.Expr], sp.Expr]:
        if callable(value) and not isinstance(value, sp.Basic):
            return value
        try:
            expression = sp.sympify(value)
        except (sp.SympifyError, TypeError) as exc:
            raise ModelError(f"{self.name} of {who} must be a sympy expression of {self.of}, not {value!r}") from exc
        if not isinstance(expression, sp.Expr):
            raise ModelError(f"{self.name} of {who} must be a sympy expression of {self.of}, not {value!r}")
        if expression.has(sp.nan, sp.zoo, sp.oo):
            raise ModelError(f"{self.name} of {who} is not finite; give a finite expression")
        return lambda x: expression.xreplace({self.of: sp.sympify(x)})

    def check_value(self, value: Any, number: Callable[[Any], float], who: str) -> None:
        if isinstance(value, Motion):
            for segment in value.segments:
                check_number(number(segment.over), f"a duration in the {self.name} of {who}", positive=True)


@dataclass(frozen=True)
class Choice(Field):
    options: tuple[Any, ...] = ()

    def check(self, value: Any, who: str) -> Any:
        if value not in self.options:
            options = ", ".join(repr(o) for o in self.options)
            raise ModelError(f"{self.name} of {who} is {value!r}; choose one of {options}")
        return value


def scalar(unit: str = "", *, default: Any = REQUIRED, positive: bool = False) -> Any:
    return Scalar(unit, default, positive=positive)


def function(unit: str = "", *, of: sp.Symbol = theta, default: Any = REQUIRED) -> Any:
    return Function(unit, default, of=of)


def choice(*options: Any, default: Any = REQUIRED) -> Any:
    return Choice(default=default, options=options)
