"""Differentiate objectives by the values that they read, which starts an adjoint.

A number J of a result is a function of arrays y_n over time and of parameters. `weights` returns ∂J/∂y_n at each time,
and ∂J/∂p if J names a parameter itself; then dJ/dp = ∂J/∂p + Σ_n Σ_k ∂J/∂y_n(t_k) dy_n(t_k)/dp. Several numbers, the
entries of an array, have a row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...duals import Dual, value_of
from ...results.result import Result
from .objective import FormulaObjective, Objective, ObjectiveFunction, array_of, evaluate, symbol_values, tie_error
from .readings import LAST_TIME, SeededReadings, end_moves
from .words import ResultQuantity, level

AT_ONCE = 256
"""The number of array values by which a function is differentiated at once."""


@dataclass(frozen=True, eq=False)
class ObjectiveSlopes:
    """The derivatives of numbers by their inputs."""

    value: np.ndarray
    by_arrays: Mapping[str, np.ndarray]
    """For each quantity that is read, ∂J/∂(its values): a row for each number, with the shape of the quantity."""
    by_parameters: Mapping[str, np.ndarray]
    """For each parameter that the objective names itself, a derivative of each number."""
    by_end: np.ndarray | None = None
    """The derivative of each number by the last time, if an event stopped the run."""

    @property
    def size(self) -> int:
        """The count of numbers."""
        return self.value.size


def weights(measured: ObjectiveFunction, result: Result, values: Mapping[str, float]) -> ObjectiveSlopes:
    """Return the derivatives of an objective by the values of a result, which itself needs no derivatives; `values` are
    those of all parameters."""
    derivatives = _weights_of_inputs(measured, result, values)
    if not end_moves(result):
        return derivatives
    by_end = array_of(measured, SeededReadings(result, values, LAST_TIME, range(1))).slope[0].ravel()
    return replace(derivatives, by_end=by_end)


def _weights_of_inputs(measured: ObjectiveFunction, result: Result, values: Mapping[str, float]) -> ObjectiveSlopes:
    if isinstance(measured, Objective):
        arrays = [np.asarray(result[name]) for name in measured.names]
        value, slopes = measured.by_arrays(arrays)
        return ObjectiveSlopes(
            np.array(value), {n: one[None] for n, one in zip(measured.names, slopes, strict=True)}, {}
        )
    if isinstance(measured, FormulaObjective) and not measured.goes_over_time:
        return _of_formula(measured, result, values)
    return _of_function(measured, result, values)


def _of_formula(formula: FormulaObjective, result: Result, values: Mapping[str, float]) -> ObjectiveSlopes:
    """Return the derivatives of a formula whose quantities stand inside reductions, where each time is independent of
    others, so that all times are differentiated at once."""
    readings = SeededReadings(result, values, "", range(1))
    at = {symbol: value_of(one) for symbol, one in symbol_values(formula.expression, readings).items()}
    symbols = [s for s in at if str(s) != "t"]
    names, t = tuple(map(str, symbols)), result.t
    seeded = {s: _seed(at[s], k, names) for k, s in enumerate(symbols)} | {s: at[s] for s in at.keys() - symbols}
    reductions, inner = formula.reductions, list[tuple[np.ndarray, Dual]]()
    for one in reductions:
        g = evaluate(one.args[0], seeded)
        if not isinstance(g, Dual):
            g = Dual(np.broadcast_to(np.asarray(g, dtype=float), t.shape), np.zeros((len(names), t.size)), names)
        if level(one, g.value).sum() > 1:  # a change of tied values is unknown on the way back
            raise tie_error(one, g.value, t)
        inner.append((one.weights(g.value, t), g))
    by = (*map(str, reductions), *names)
    outer: dict[Any, Any] = {
        one: Dual(np.asarray(w @ g.value), np.eye(len(by))[k], by)
        for k, (one, (w, g)) in enumerate(zip(reductions, inner, strict=True))
    }
    outer |= {
        s: Dual(np.asarray(at[s]), np.eye(len(by))[len(reductions) + k], by)
        for k, s in enumerate(symbols) if not isinstance(s, ResultQuantity)
    }  # fmt: skip
    J = evaluate(formula.expression, outer)
    by_arrays: dict[str, np.ndarray] = {}
    by_parameters: dict[str, np.ndarray] = {}
    for k, s in enumerate(symbols):
        parts = [J.slope[n] * w * np.broadcast_to(g.slope[k], t.shape) for n, (w, g) in enumerate(inner)]
        total = sum(parts, np.zeros(t.size))
        if isinstance(s, ResultQuantity):
            by_arrays[s.name] = total[None]
        else:
            by_parameters[str(s)] = np.array([total.sum() + J.slope[len(reductions) + k]])
    return ObjectiveSlopes(J.value, by_arrays, by_parameters)


def _seed(value: Any, place: int, names: tuple[str, ...]) -> Dual:
    array = np.asarray(value, dtype=float)
    slope = np.zeros((len(names), *array.shape))
    slope[place] = 1.0
    return Dual(array, slope, names)


def _of_function(measured: ObjectiveFunction, result: Result, values: Mapping[str, float]) -> ObjectiveSlopes:
    """Return the derivatives of a function whose use of arrays is unknown: by each value separately, many at once."""
    plain = SeededReadings(result, values, "", range(1))
    value = array_of(measured, plain).value
    by_arrays = {name: _by_values(measured, result, values, name, one.shape) for name, one in plain.read.items()}
    by_parameters = {
        name: array_of(measured, SeededReadings(result, values, name, range(1))).slope[0].ravel()
        for name in plain.parameters
    }
    return ObjectiveSlopes(value, by_arrays, by_parameters)


def _by_values(
    measured: ObjectiveFunction, result: Result, values: Mapping[str, float], name: str, shape: tuple[int, ...]
) -> np.ndarray:
    size, slopes = int(np.prod(shape)), []
    for first in range(0, size, AT_ONCE):
        places = range(first, min(first + AT_ONCE, size))
        slope = array_of(measured, SeededReadings(result, values, name, places)).slope
        slopes.append(slope.reshape(len(places), -1))
    rows = np.concatenate(slopes).T
    return rows.reshape(len(rows), *shape)
