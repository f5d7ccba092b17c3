"""Parameters of a model: sympy symbols with a value and a unit, and operations on expressions of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cmp_to_key, lru_cache
from itertools import count
from math import inf, isfinite, nan
from numbers import Real
from typing import Any, SupportsFloat, TypeAlias, TypeVar

import numpy as np
import sympy as sp

from ..errors import ModelError, shortened
from ..symbolic.derive import Form, Relation
from ..symbolic.expressions import slope_between_jumps
from ..symbolic.functions import Lookup, Opaque, as_sympy
from ..symbolic.roots import sizes_for_roots
from ..unit_system import checked_unit

SomeForm = TypeVar("SomeForm", bound=Form)
Numeric: TypeAlias = SupportsFloat
"""A number as the user may write it: int, float, numpy scalar or sympy expression of parameters."""
Number: TypeAlias = Any
"""A number after its check: int, float or sympy expression of parameters."""


class Parameter(sp.Symbol):
    """A symbol that has a value in the model that declared it."""

    def __new__(cls, name: str, **assumptions: Any) -> Parameter:
        return super().__new__(cls, name, real=True)


class Signal(sp.Symbol):
    """A symbol for a number that changes in time and belongs to no body: a state, an input. Two signals of one name are
    equal only if `home`, the ground that a model shares with its variations, is the same."""

    home: Any

    def __new__(cls, name: str, home: Any) -> Signal:
        symbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.home = home
        return symbol

    def _hashable_content(self) -> tuple:
        return (*super()._hashable_content(), id(self.home))

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.name, self.home)


class Reaction(Signal):
    """The load of a joint or driver on bodies, as a symbol: the effort of a driver, "motor.effort", or a component of a
    reaction, "A.Fx". A reaction follows from forces."""

    @property
    def owner(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def component(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class ParameterValue:
    symbol: Parameter
    value: float
    unit: str

    def __post_init__(self) -> None:
        checked_unit(self.unit, f"parameter {self.symbol.name!r}", self.value)


class Evaluator:
    """An evaluator of expressions of parameters as floats; nan where they have no finite real value. Plain numbers pass
    unchanged; values are cached."""

    def __init__(self, values: Mapping[sp.Symbol, float]):
        self._values = dict(values)
        self._seen: dict[sp.Expr, float] = {}

    def __call__(self, number: Number) -> float:
        if not isinstance(number, sp.Basic):
            return float(number)
        if number not in self._seen:
            self._seen[number] = self._value(number)
        return self._seen[number]

    def along(self, number: Number, parameter: sp.Symbol, values: Sequence[float]) -> list[float]:
        """Return the numbers of an expression for many values of one parameter."""
        if not isinstance(number, sp.Basic):
            return [float(number)] * len(values)
        values_by_symbol, out = dict(self._values), []
        try:
            function = arithmetic(number)
            for values_by_symbol[parameter] in values:
                out.append(function(values_by_symbol))
        except (ArithmeticError, KeyError, TypeError, ValueError):
            out = [nan]
        if all(isinstance(value, float) and isfinite(value) for value in out):
            return out
        return [self.at(parameter, value)(number) for value in values]

    def at(self, parameter: sp.Symbol, value: float) -> Evaluator:
        return Evaluator(self._values | {parameter: value})

    def _value(self, expression: sp.Expr) -> float:
        try:
            value = arithmetic(expression)(self._values)
            if isinstance(value, float) and isfinite(value):
                return value
        except (ArithmeticError, KeyError, TypeError, ValueError):
            pass  # sympy evaluates expressions without float functions, or with complex parts
        exact = expression.xreplace({s: sp.Float(v, 17) for s, v in self._values.items()}).evalf(17)
        # by its assumptions a symbol without a value may be real and finite, too
        return float(exact) if exact.is_number and exact.is_extended_real and exact.is_finite else nan


class Noting(Evaluator):
    """Evaluates as another one does, and notes the symbols of all that it was asked for."""

    def __init__(self, number: Evaluator):
        super().__init__(number._values)
        self.symbols = set[sp.Symbol]()

    def __call__(self, number: Number) -> float:
        self.symbols |= number.free_symbols if isinstance(number, sp.Basic) else set()
        return super().__call__(number)


class ComplexStep(Evaluator):
    """Evaluates expressions at a parameter that has an imaginary part: f(p + i h) = f(p) + i h f'(p) to roundoff, with
    an h whose square is nothing. What is analytic in these numbers has its derivative in its imaginary part."""

    SMALL = 1e-100

    def __init__(self, number: Evaluator, parameter: sp.Symbol):
        super().__init__(number._values)
        self.number, self.parameter = number, parameter

    def __call__(self, number: Number) -> Any:
        value = super().__call__(number)
        if not isinstance(number, sp.Basic) or self.parameter not in number.free_symbols:
            return value
        return complex(value, self.SMALL * super().__call__(slope_of(number, self.parameter)))


@lru_cache(maxsize=100_000)
def slope_of(expression: sp.Expr, parameter: sp.Symbol) -> sp.Expr:
    """Return the derivative of an expression by a parameter, between its jumps; cached for all models, since each
    gradient needs the derivatives of all numbers in the equations."""
    return slope_between_jumps(expression, parameter)


LARGEST_OF_STATE = 1e150
"""The largest value of a place or a velocity: squares of it, times masses, stay below the largest machine number."""
Arithmetic = Callable[[Mapping[sp.Symbol, float]], float]
SHARED = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log")
"""Functions with equal names in sympy and `math`."""
FUNCTIONS: Mapping[Any, Callable[..., float]] = {getattr(sp, name): getattr(math, name) for name in SHARED} | {
    sp.Add: lambda *terms: sum(terms),
    sp.Mul: lambda *factors: math.prod(factors),
    sp.Abs: abs,
}


@lru_cache(maxsize=100_000)
def arithmetic(expression: sp.Expr) -> Arithmetic:
    """Return an expression as a function of the values of its symbols, in floats; cached for all models. Raise a
    TypeError for anything but arithmetic."""
    if isinstance(expression, sp.Symbol):
        return lambda values: values[expression]
    if expression.is_number and not expression.args:
        number = float(expression)
        return lambda values: number
    if isinstance(expression, sp.Pow):
        base, exponent = map(arithmetic, expression.args)
        if expression.exp == sp.S.Half:
            return lambda values: math.sqrt(base(values))
        power = int(expression.exp) if expression.exp.is_Integer else None
        return lambda values: base(values) ** (exponent(values) if power is None else power)
    if (function := FUNCTIONS.get(expression.func)) is None:
        raise TypeError(f"{expression.func} is not arithmetic")
    parts = [*map(arithmetic, expression.args)]
    if len(parts) == 2:
        one, other = parts
        return lambda values: function(one(values), other(values))
    return lambda values: function(*[part(values) for part in parts])


def check_number(number: Number, what: str, *, positive: bool = False, non_negative: bool = False) -> Number:
    """Return the number itself, after the checks that are possible before parameters have values."""
    if isinstance(number, sp.Expr) and number.free_symbols:
        return number
    value = finite_number(number, what, "a number or an expression of parameters")
    if positive and value <= 0:
        raise ModelError(f"{what} is {value:g}; it must be positive", code="not-positive", argument=what, value=value)
    if non_negative and value < 0:
        raise ModelError(f"{what} is {value:g}; it must not be negative", code="negative", argument=what, value=value)
    return number if isinstance(number, sp.Expr | int | float) else value


def finite_number(value: Any, what: str, wanted: str = "a number") -> float:
    """Return the number as a float. Texts (even "1.5"), truth values and lists are refused."""
    try:
        if isinstance(value, str | bytes | bool | np.bool_) or getattr(value, "shape", ()) != ():
            raise TypeError
        number = float(value)
    except (TypeError, ValueError) as exc:
        hint = "; write it without quotes" if isinstance(value, str) else ""
        raise ModelError(
            f"{what} must be {wanted}, not {shortened(value)}{hint}", code="not-a-number", argument=what, value=value
        ) from exc
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise ModelError(f"{what} is {number}; give a finite number", code="not-finite", argument=what, value=number)
    return number


def initial_number(value: Any, what: str) -> float:
    """Return a value of the state as a float whose square, and so an energy, is a machine number, too."""
    number = finite_number(value, what)
    if abs(number) > LARGEST_OF_STATE:
        fault = f"{what} is {number:g}, and its square is too large for a machine number"
        raise ModelError(
            f"{fault}; give less than {LARGEST_OF_STATE:g}, in SI units",
            code="out-of-bounds", argument=what, value=number, most=LARGEST_OF_STATE,
        )  # fmt: skip
    return number


def positive_number(value: Any, what: str, wanted: str) -> float:
    if not (number := finite_number(value, what)) > 0:
        raise ModelError(
            f"{what} is {number:g}; give a positive {wanted}", code="not-positive", argument=what, value=number
        )
    return number


def check_choice(value: Any, options: Sequence[Any], what: str) -> Any:
    if value not in options:
        raise ModelError(
            f"{what} is {value!r}; choose one of {', '.join(map(repr, options))}",
            code="unknown-choice", argument=what, value=value, choices=tuple(options),
        )  # fmt: skip
    return value


def is_constant(value: Any) -> bool:
    """Return whether the value is a number, or an expression of parameters alone. (A table has data in place of a
    number.)"""
    if not isinstance(value, sp.Basic):
        return isinstance(value, Real) and not isinstance(value, bool)
    return isinstance(value, sp.Expr) and all(type(s) is Parameter for s in value.free_symbols)


def plain(expression: sp.Expr) -> Number:
    """Return an expression without symbols as a float, any other as it is."""
    return expression if expression.free_symbols else float(expression)


def free_parameters(expressions: Iterable[Any]) -> set[sp.Symbol]:
    return {s for e in expressions if isinstance(e, sp.Basic) for s in e.free_symbols}


def constants_out(form: SomeForm) -> tuple[SomeForm, dict[sp.Symbol, Number]]:
    """Replace all constants in a form - decimal numbers, parameters, expressions of them - by numbered slots; return
    the form and the constants by slot.

    So ``0.6 + omega*t`` and ``alpha + 2*pi*n*t/60`` become the same ``c0 + c1*t``: constants are arguments of a kernel,
    and their expressions are evaluated once. 0, 1 and -1 stay, and so do numbers in exponents: they are part of the
    form. Signals are numbered, too; the returned constants include them. Roots of squares become
    absolute values first, because slots hide numbers (`symbolic.roots`). Equations of joints keep their roots: their
    corners are corners of the motion.
    """
    if not isinstance(form, Relation):
        form = form.map(lambda e: sizes_for_roots(as_sympy(e)))
    signals: dict[sp.Symbol, Number] = {}
    if names_of_signals := signals_in(form.expressions):  # numbered, so that all states share one kernel
        numbers = {s: sp.Symbol(f"signal_{k}", real=True) for k, s in enumerate(names_of_signals)}
        form = form.map(lambda e: as_sympy(e).xreplace(numbers), signals=tuple(numbers.values()))
        signals = {symbol: s for s, symbol in numbers.items()}
    slots: dict[sp.Expr, sp.Symbol] = {}
    names = (f"c{k}" for k in count() if f"c{k}" not in {str(s) for s in form.slots})
    facts = SubtreeFacts()

    def slot(constant: sp.Expr) -> sp.Symbol:
        if constant not in slots:
            slots[constant] = sp.Symbol(next(names), real=True)
        return slots[constant]

    @cache  # a joint's angle is in every component of a force: walk once
    def replaced(e: sp.Basic) -> sp.Basic:
        if facts.is_constant(e):
            return slot(e)
        if not e.args or not facts.has_number(e):
            return e
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Number):
            is_integer = isinstance(e.exp, sp.Float) and float(e.exp).is_integer()
            return sp.Pow(replaced(e.base), sp.Integer(int(e.exp)) if is_integer else e.exp)
        if isinstance(e, Lookup | Opaque):
            what, order, place = e.args
            return e.func(replaced(what), order, replaced(place))
        if isinstance(e, sp.Add | sp.Mul):
            constant = e.func(*(a for a in e.args if not facts.has_variable(a)))
            terms = [a for a in e.args if facts.has_variable(a)]
            terms.sort(key=cmp_to_key(sp.Basic.compare))  # sympy's own order decides between terms of one form
            terms.sort(key=facts.order)
            return e.func(replaced(constant), *map(replaced, terms))
        return e.func(*map(replaced, e.args))

    out = form.map(lambda e: replaced(as_sympy(e)))
    constants = {symbol: constant for constant, symbol in slots.items()}
    return replace(out, slots=(*form.slots, *constants)), {**signals, **constants}


def signals_in(expressions: Iterable[Any]) -> list[Signal]:
    return sorted({s for s in free_parameters(expressions) if isinstance(s, Signal)}, key=str)


class SubtreeFacts:
    """Facts about expressions that follow from the facts about their arguments; each is computed once for each
    subtree."""

    def __init__(self) -> None:
        for fact in (self.has_variable, self.has_number, self.has_no_value, self.shape, self.order):
            setattr(self, fact.__name__, cache(fact))

    def is_constant(self, e: sp.Basic) -> bool:
        """Return whether the expression consists of parameters and numbers, can be evaluated beforehand, and is not 0,
        1 or -1."""
        if not isinstance(e, sp.Expr) or e.is_Number and e in (0, 1, -1):
            return False
        return not self.has_variable(e) and not self.has_no_value(e)

    def has_variable(self, e: sp.Basic) -> bool:
        """Return whether a free symbol of the expression is no parameter."""
        if type(e).free_symbols is not sp.Basic.free_symbols:  # a symbol, or an expression that binds one
            return any(not isinstance(s, Parameter) for s in e.free_symbols)
        return any(map(self.has_variable, e.args))

    def has_number(self, e: sp.Basic) -> bool:
        """Return whether the expression contains a number or a parameter."""
        return isinstance(e, sp.Number | Parameter) or any(map(self.has_number, e.args))

    def has_no_value(self, e: sp.Basic) -> bool:
        """Return whether the expression contains a table, nan or infinity."""
        return isinstance(e, Lookup) or e in (sp.nan, sp.oo) or any(map(self.has_no_value, e.args))

    def shape(self, e: sp.Basic) -> sp.Basic:
        """Return the expression with one blank in place of every number and parameter."""
        if isinstance(e, sp.Number | Parameter):
            return BLANK
        return e.func(*map(self.shape, e.args)) if self.has_number(e) else e

    def order(self, e: sp.Basic) -> tuple:
        """Return a key that sorts terms by their variables: names and values of constants do not decide the form."""
        for argument in e.args:
            self.order(argument)  # sympy caches recent keys: with parts first, none is made twice
        return sp.default_sort_key(self.shape(e))


BLANK = sp.Symbol("_")
