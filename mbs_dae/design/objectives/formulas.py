"""Evaluate sympy expressions with numbers and arrays that carry derivatives, without evaluating any text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

from ...errors import ModelError


def _together(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *parts: reduce(function, parts)


def _power(base: Any, exponent: Any) -> Any:
    is_root = isinstance(exponent, float) and exponent == 0.5
    return np.sqrt(base) if is_root else np.power(base, exponent)


FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    sp.Add: _together(np.add),
    sp.Mul: _together(np.multiply),
    sp.Max: _together(np.maximum),
    sp.Min: _together(np.minimum),
    sp.Pow: _power,
    sp.Abs: np.absolute,
    sp.exp: np.exp,
    sp.log: np.log,
    sp.sin: np.sin,
    sp.cos: np.cos,
    sp.tan: np.tan,
    sp.asin: np.arcsin,
    sp.acos: np.arccos,
    sp.atan: np.arctan,
    sp.atan2: np.arctan2,
}


def evaluated(expression: sp.Expr, known: Mapping[sp.Basic, Any]) -> Any:
    """Return the value of an expression, with `known` values of symbols and of whole parts."""
    if expression in known:
        return known[expression]
    if expression.is_number:
        return float(expression)
    if (function := FUNCTIONS.get(expression.func)) is None:
        names = ", ".join(one.__name__ for one in FUNCTIONS)
        what = f"{expression.func.__name__} is no function that objectives know: these are {names}"
        raise ModelError(
            f"{what}; write a function of the result instead: lambda result: np.sum(result['slider.x']**2)"
        )
    return function(*(evaluated(part, known) for part in expression.args))
