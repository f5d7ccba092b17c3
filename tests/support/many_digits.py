"""Kernels in 40 digits: their source, run on numbers of mpmath.

A kernel is a short Python program of arithmetic and functions of `math`. On mpmath's numbers it says the same in as
many digits as one likes, and central differences over 1e-12 are derivatives to more than 20 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import interpreted
import mpmath
import numpy as np

from mbs_dae.compiled.batch import VALUE, Batch
from mbs_dae.kernels import cache as kernels
from mbs_dae.kernels.functions import CompiledFunction
from mbs_dae.symbolic.codegen import FUNCTIONS

DIGITS, STEP = 40, mpmath.mpf(2) ** -40
OWN_NAMES: dict[str, Callable[..., Any]] = {
    "lgamma": mpmath.loggamma,
    "log2": lambda x: mpmath.log(x, 2),
    "copysign": lambda x, y: abs(x) * (1 if y >= 0 else -1),
}
"""Of functions of `math` that mpmath calls something else, or has not."""
Numbers = list[Any]


def derivatives(f: Callable[[Any], Numbers]) -> np.ndarray:
    """f'(0), by central differences."""
    with mpmath.workdps(DIGITS):
        return np.array([float((b - a) / (2 * STEP)) for a, b in zip(f(-STEP), f(STEP), strict=True)])


def moved(at: np.ndarray, way: np.ndarray, s: Any) -> Numbers:
    """at + s way, exactly."""
    return [mpmath.mpf(float(x)) + s * float(dx) for x, dx in zip(at, way, strict=True)]


def outputs(batch: Batch, t: Any, q: Numbers, v: Numbers, parameters: Numbers) -> Numbers:
    """What `compiled.batch.evaluate` writes."""
    ends, addresses = [*batch.out_at[1:], batch.out_size], batch.kernels[VALUE]
    found: Numbers = []
    for g, (address, end) in enumerate(zip(addresses, ends[: len(addresses)], strict=True)):
        own: Numbers = [mpmath.mpf(0)] * int(end - batch.out_at[g])
        index, given = batch.gather[batch.gather_at[g] :].tolist(), parameters[batch.parameters_at[g] :]
        _kernel(int(address))(int(batch.instances[g]), t, q, v, index, given, batch.tables.tolist(), own)
        found += own
    return found


@cache
def _kernel(address: int) -> Callable[..., None]:
    found = interpreted.module_of(interpreted.sources[address])
    found |= {name: _plain(function.py_func) for name, function in kernels.CALLED.items()}
    found |= {name: OWN_NAMES.get(name) or getattr(mpmath, name) for name in FUNCTIONS}
    return found["kernel"]


def _plain(function: Any) -> Callable[..., Any]:
    """A function that kernels call, which calls others as plain functions, too: compiled, they take double numbers."""
    names = {name: value.py_func for name, value in function.__globals__.items() if isinstance(value, CompiledFunction)}
    return FunctionType(function.__code__, function.__globals__ | names)
