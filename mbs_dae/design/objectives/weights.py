"""How an objective changes with what it reads: what an adjoint begins with.

A number J of a result is a function of arrays y_n over time and of parameters. `weights` gives ∂J/∂y_n at each time,
and ∂J/∂p where J names a parameter itself; then dJ/dp = ∂J/∂p + Σ_n Σ_k ∂J/∂y_n(t_k) dy_n(t_k)/dp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...duals import Dual, value_of
from ...results.result import Result
from .formulas import evaluated
from .objective import Formula, Measured, Objective, known_of, number_of, tied
from .readings import Seeded
from .words import Quantity, level

AT_ONCE = 256
"""So many values of an array are derivatives by at once, where a function is differentiated."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The derivatives of a number by what it is made of."""

    value: float
    by_arrays: Mapping[str, np.ndarray]
    """For each quantity that is read, ∂J/∂(its values), of the shape that it has."""
    by_parameters: Mapping[str, float]
    """For the parameters that the objective names itself."""


def weights(measured: Measured, result: Result, values: Mapping[str, float]) -> Weights:
    """Of a result, which needs no derivatives; `values` are those of all parameters."""
    if isinstance(measured, Objective):
        arrays = [np.asarray(result[name]) for name in measured.names]
        value, slopes = measured.by_arrays(arrays)
        return Weights(value, dict(zip(measured.names, slopes, strict=True)), {})
    if isinstance(measured, Formula):
        return _of_formula(measured, result, values)
    return _of_function(measured, result, values)


def _of_formula(formula: Formula, result: Result, values: Mapping[str, float]) -> Weights:
    """Quantities stand in reductions alone, and there each time is by itself: all times at once."""
    readings = Seeded(result, values, "", range(1))
    known = {symbol: value_of(one) for symbol, one in known_of(formula.expression, readings).items()}
    symbols = [s for s in known if str(s) != "t"]
    names, t = tuple(map(str, symbols)), result.t
    seeded = {s: _seed(known[s], k, names) for k, s in enumerate(symbols)} | {
        s: known[s] for s in known.keys() - symbols
    }
    reductions, inner = formula.reductions, list[tuple[np.ndarray, Dual]]()
    for one in reductions:
        g = evaluated(one.args[0], seeded)
        if not isinstance(g, Dual):
            g = Dual(np.broadcast_to(np.asarray(g, dtype=float), t.shape), np.zeros((len(names), t.size)), names)
        if level(one, g.value).sum() > 1:  # how these change is not known on the way back
            raise tied(one, g.value, t)
        inner.append((one.weights(g.value, t), g))
    by = (*map(str, reductions), *names)
    outer: dict[Any, Any] = {
        one: Dual(np.asarray(w @ g.value), np.eye(len(by))[k], by)
        for k, (one, (w, g)) in enumerate(zip(reductions, inner, strict=True))
    }
    outer |= {
        s: Dual(np.asarray(known[s]), np.eye(len(by))[len(reductions) + k], by)
        for k, s in enumerate(symbols) if not isinstance(s, Quantity)
    }  # fmt: skip
    J = evaluated(formula.expression, outer)
    by_arrays: dict[str, np.ndarray] = {}
    by_parameters: dict[str, float] = {}
    for k, s in enumerate(symbols):
        parts = [J.slope[n] * w * np.broadcast_to(g.slope[k], t.shape) for n, (w, g) in enumerate(inner)]
        total = sum(parts, np.zeros(t.size))
        if isinstance(s, Quantity):
            by_arrays[s.name] = total
        else:
            by_parameters[str(s)] = float(total.sum() + J.slope[len(reductions) + k])
    return Weights(float(J.value), by_arrays, by_parameters)


def _seed(value: Any, place: int, names: tuple[str, ...]) -> Dual:
    array = np.asarray(value, dtype=float)
    slope = np.zeros((len(names), *array.shape))
    slope[place] = 1.0
    return Dual(array, slope, names)


def _of_function(measured: Measured, result: Result, values: Mapping[str, float]) -> Weights:
    """Of a function it is not known how it uses its arrays: each value is asked for by itself, many at once."""
    plain = Seeded(result, values, "", range(1))
    value = float(number_of(measured, plain).value)
    by_arrays = {name: _by_values(measured, result, values, name, one.shape) for name, one in plain.read.items()}
    by_parameters = {
        name: float(number_of(measured, Seeded(result, values, name, range(1))).slope[0])
        for name in plain.asked_parameters
    }
    return Weights(value, by_arrays, by_parameters)


def _by_values(
    measured: Measured, result: Result, values: Mapping[str, float], name: str, shape: tuple[int, ...]
) -> np.ndarray:
    size = int(np.prod(shape))
    found = np.zeros(size)
    for first in range(0, size, AT_ONCE):
        places = range(first, min(first + AT_ONCE, size))
        found[first : places.stop] = number_of(measured, Seeded(result, values, name, places)).slope
    return found.reshape(shape)
