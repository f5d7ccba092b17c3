"""Readings of a motion that carries its derivatives."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..compiled.python_kernel import difference
from ..duals import Dual
from ..errors import ModelError


def check_read(form: Any, q: Any, who: str) -> None:
    """Refuse a reading that depends on states or inputs: slopes of expressions are known by positions and velocities
    only."""
    if isinstance(q, Dual) and form.signals:
        what = f"{who} depends on states or inputs, and derivatives of what it does are not known"
        raise ModelError(f"{what}; ask for the motion, for states, or for what joints carry")


def called(function: Callable[[float, Any], Any], times: np.ndarray, states: Any) -> Any:
    """Return the values of a Python function at each time. The function gets plain numbers; derivatives, if requested,
    are finite differences."""
    if not isinstance(states, Dual):
        return np.array([function(t, state) for t, state in zip(times, states, strict=True)])
    value = called(function, times, states.value)
    slope = np.zeros((len(states.by), *value.shape))
    for k, (t, state) in enumerate(zip(times, states.value, strict=True)):
        numbers = partial(_numbers, function, t)
        slope[:, k] = [difference(numbers, state, way) for way in states.slope[:, k]]
    return Dual(value, slope, states.by)


def _numbers(function: Callable[[float, Any], Any], t: float, state: np.ndarray) -> np.ndarray:
    return np.array(function(t, state))
