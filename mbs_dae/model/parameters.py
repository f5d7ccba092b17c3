"""Parameters of a model: sympy symbols with a value and a unit, and what is done with expressions of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import sympy as sp

from ..errors import ModelError

Number = Any
"""Whatever the user writes where a number is meant: int, float, numpy scalar or sympy expression of parameters."""


class Parameter(sp.Symbol):
    """A symbol that has a value in the model that declared it."""

    def __new__(cls, name: str) -> Parameter:
        return super().__new__(cls, name, real=True)


@dataclass(frozen=True)
class ParameterValue:
    symbol: Parameter
    value: float
    unit: str


class Evaluator:
    """Expressions of parameters to floats. Plain numbers pass straight through; what was seen is remembered."""

    def __init__(self, values: Mapping[sp.Symbol, float]):
        self._values = {symbol: sp.Float(value, 17) for symbol, value in values.items()}
        self._seen: dict[sp.Expr, float] = {}

    def __call__(self, number: Number) -> float:
        if not isinstance(number, sp.Basic):
            return float(number)
        if number not in self._seen:
            self._seen[number] = float(number.xreplace(self._values).evalf(17))
        return self._seen[number]


def check_number(number: Number, what: str, *, positive: bool = False, non_negative: bool = False) -> Number:
    """The number itself, after the checks that can be done before parameters have values."""
    try:
        symbolic = isinstance(number, sp.Basic) and bool(number.free_symbols)
        value = None if symbolic else float(number)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"{what} must be a number or an expression of parameters, not {number!r}") from exc
    if value is None:
        return number
    if not isfinite(value):
        raise ModelError(f"{what} is {value}; give a finite number")
    if positive and value <= 0:
        raise ModelError(f"{what} is {value:g}; it must be positive")
    if non_negative and value < 0:
        raise ModelError(f"{what} is {value:g}; it must not be negative")
    return number


def free_parameters(expressions: Iterable[Any]) -> set[sp.Symbol]:
    return {s for e in expressions if isinstance(e, sp.Basic) for s in e.free_symbols}


def constants_out(rows: Iterable[sp.Expr], first: int = 0) -> tuple[list[sp.Expr], dict[sp.Symbol, Number]]:
    """Replace every decimal number and every parameter in the rows by a numbered slot.

    So ``0.6 + omega*t`` and ``1.2 + w*t`` become the same ``c0 + c1*t``: constants are arguments of a kernel,
    never baked in. Numbers in exponents stay: they change the derivative's form.
    """
    slots: dict[Any, sp.Symbol] = {}

    def slot(constant: Any) -> sp.Symbol:
        if constant not in slots:
            slots[constant] = sp.Symbol(f"c{first + len(slots)}", real=True)
        return slots[constant]

    def replaced(e: sp.Basic) -> sp.Basic:
        if isinstance(e, sp.Float):
            return slot(e)
        if isinstance(e, sp.Symbol):
            return slot(e) if isinstance(e, Parameter) else e
        if not e.args:
            return e
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Float):
            exponent = sp.Integer(int(e.exp)) if float(e.exp).is_integer() else e.exp
            return sp.Pow(replaced(e.base), exponent)
        ordered = sorted(e.args, key=sp.default_sort_key) if isinstance(e, sp.Add | sp.Mul) else e.args
        new = {a: replaced(a) for a in ordered}
        return e.func(*(new[a] for a in e.args))

    out = [replaced(sp.sympify(row)) for row in rows]
    return out, {symbol: constant for constant, symbol in slots.items()}
