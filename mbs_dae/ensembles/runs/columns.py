"""Evaluate expressions of parameters for many designs at once, equal to the last bit to `Evaluator` for each design."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import sympy as sp

from ...model.parameters import FUNCTIONS, Evaluator, Number

Column = list[float]
NO_ARITHMETIC = (ArithmeticError, KeyError, TypeError, ValueError, OverflowError)


class Columns:
    """The values of parameters, some of which have one value for each design.

    An expression is evaluated part by part, each part for all designs; a part that several expressions share is
    computed once. The operations and their order are those of `arithmetic`, so results do not depend on the number of
    designs. Where they give no real number, the `Evaluator` of the single design computes the value."""

    def __init__(self, fixed: Mapping[sp.Symbol, float], varied: Mapping[sp.Symbol, Sequence[float]], count: int):
        self.count, self.varied, self._fixed = count, {s: [*map(float, x)] for s, x in varied.items()}, dict(fixed)
        self._parts: dict[sp.Basic, Column] = dict(self.varied)
        self._seen: dict[sp.Basic, np.ndarray] = {}
        self._listed: dict[sp.Basic, Column] = {}

    def __call__(self, number: Number) -> np.ndarray:
        """Return the number in every design, shape (count,): a shared array that callers must not change."""
        if not isinstance(number, sp.Basic):
            return np.full(self.count, float(number))
        if number not in self._seen:
            self._seen[number] = np.array(self._column(number))
        return self._seen[number]

    def at(self, k: int) -> Callable[[Number], float]:
        """Return a function that looks up numbers of design k in the columns computed for all designs."""

        columns = self._listed

        def value(number: Number) -> float:
            if not isinstance(number, sp.Basic):
                return float(number)
            if number not in columns:
                columns[number] = self(number).tolist()
            return columns[number][k]

        return value

    def asks(self, number: Number) -> bool:
        """Return whether the number depends on a varied parameter."""
        return not self.varied.keys().isdisjoint(getattr(number, "free_symbols", ()))

    def evaluator(self, k: int) -> Evaluator:
        """Return the evaluator of design k alone."""
        return Evaluator(self._fixed | {symbol: values[k] for symbol, values in self.varied.items()})

    def _column(self, expression: sp.Expr) -> Column:
        if not self.asks(expression):
            return [Evaluator(self._fixed)(expression)] * self.count
        try:
            column = self._part(expression)
        except NO_ARITHMETIC:
            column = [math.nan] * self.count
        real = [isinstance(x, float) and math.isfinite(x) for x in column]
        return [x if real[k] else self.evaluator(k)(expression) for k, x in enumerate(column)]

    def _part(self, e: sp.Basic) -> Column:
        """Return the values of a subexpression for all designs, by the operations of `arithmetic`."""
        if e not in self._parts:
            self._parts[e] = self._computed(e)
        return self._parts[e]

    def _computed(self, e: sp.Basic) -> Column:
        if isinstance(e, sp.Symbol):
            return [self._fixed[e]] * self.count
        if e.is_number and not e.args:
            return [float(e)] * self.count
        if isinstance(e, sp.Pow):
            if e.exp == sp.S.Half:
                return [*map(math.sqrt, self._part(e.base))]
            power = int(e.exp) if e.exp.is_Integer else None
            base = self._part(e.base)
            return [x**power for x in base] if power is not None else [*map(pow, base, self._part(e.exp))]
        if (function := FUNCTIONS.get(e.func)) is None:
            raise TypeError(f"{e.func} is not arithmetic")
        return [*map(function, *map(self._part, e.args))]
