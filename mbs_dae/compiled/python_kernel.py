"""Kernels that call Python functions, behind an address like that of any other kernel (`kernels.abi`)."""

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..coordinates import KernelCoordinates
from ..kernels.abi import unwound
from ..kernels.cache import Kernel
from ..model.forces.loads import PythonForce
from ..symbolic.branches import SIDE
from ..symbolic.derive import Composed
from ..tolerances import DERIVATIVE_AGREEMENT
from .batch import Instance, instance_of

UNWOUND = unwound.py_func
"""The Python function behind the compiled one."""
_reals = ctypes.POINTER(ctypes.c_double)
_integers = ctypes.POINTER(ctypes.c_int64)
_signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, _reals, _reals, _integers, _reals, _reals, _reals)


class Raised(threading.local):
    """The last exception of a function, in each thread."""

    error: BaseException | None = None


EPS = float(np.finfo(float).eps)
SHORTER, TRIES = 16.0, 7
"""The factor by which the next step is shorter, and the number of steps tried: down to 6e-8 of the first one."""


def difference(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Return the derivative of a function of numbers along a direction `way`.

    Central differences over a step and half of it are extrapolated. The first step moves numbers by the cube root of
    roundoff, relative to the largest number or 1, which suits radians and metres: about nine digits. If a function
    changes over a shorter distance, as the forces of a mechanism of a hundredth of a millimetre do, the two differences
    disagree; the step is then made shorter, and each output takes the value at which its differences agree best.
    """
    scale = max(1.0, np.abs(at[way != 0.0]).max(initial=0.0))  # of the numbers that move
    longest = float(np.abs(way).max(initial=0.0))
    if not longest:
        return 0.0 * function(at)
    step, best, least = np.cbrt(EPS) * scale / longest, np.array(0.0), np.array(np.inf)
    for _ in range(TRIES):
        ends = np.array([[function(at + h * way), function(at - h * way)] for h in (step, step / 2)])
        one, two = (ends[:, 0] - ends[:, 1]) / np.reshape([2 * step, step], (2, *(1,) * (ends.ndim - 2)))
        apart = np.abs(two - one)
        worse = apart >= least
        best, least = np.where(worse, best, (4.0 * two - one) / 3.0), np.where(worse, least, apart)
        roundoff = 8 * EPS * np.abs(ends).max(axis=(0, 1)) / step
        if np.all(apart <= DERIVATIVE_AGREEMENT * np.abs(two) + roundoff):
            break
        step /= SHORTER
    return best


@dataclass(frozen=True)
class PythonKernel(Kernel):
    raised: Raised = field(default_factory=Raised)
    """The last exception of the function; its outputs are then nan, which stops a run."""


def python_instance(element: PythonForce, coordinates: KernelCoordinates) -> Instance:
    instance = instance_of(element.form()[0], {}, element.markers, element.who, coordinates)
    load = _Load(element, instance.compose())
    return replace(instance, meaning=f"python {id(element)}", kernel=load.kernel, slopes=load.slopes)


@dataclass(frozen=True, eq=False)
class _Load:
    """The load of a Python force: m and its rates r from q and v; then Q = (∂r/∂v)ᵀ f and the power f · r. Symbolic
    derivation ends at m and r; the slopes are therefore `difference`s."""

    element: PythonForce
    composed: Composed
    raised: Raised = field(default_factory=Raised)

    @cached_property
    def _read(self) -> tuple[Callable[..., Any], tuple[sp.Symbol, ...], int]:
        """The function that evaluates (m, r), ∂r/∂v and q̇, the slots it needs, and the number of entries
        of m."""
        own = self.composed
        values, rates = own.explicit(own.outputs), own.explicit(own.rates or own.v)
        places = sum(len(marker.m) for marker in self.element.form()[0].markers)
        used = {s for e in (*values, *rates) for s in e.free_symbols}
        slots = tuple(s for s in own.slots if s in used)
        found = [values, sp.Matrix(values[places:]).jacobian(own.v).tolist(), rates]
        modules = [{"Unwound": UNWOUND}, "math"]
        return sp.lambdify([*own.q, *own.v, *slots], found, modules=modules, cse=True), slots, places

    @property
    def _modes(self) -> tuple[str, ...]:
        return tuple(f"mode_{k}" for k in range(len(self.element.switches)))

    def _values(self, t: float, state: Sequence[float], slots: Sequence[float]) -> np.ndarray:
        """Return Q, the potential 0, the power, and the switching functions; the last slots hold the branches."""
        read, own, places = self._read
        markers, partials, _ = read(*state, *slots[: len(own)])
        wrenches = np.array(self.element.wrenches(t, markers, slots[len(own) :]))
        forces, deciding = np.asarray(partials, dtype=float).T @ wrenches, self.element.deciding(t, markers)
        return np.array([*forces, 0.0, wrenches @ markers[places:], *deciding], dtype=float)

    def _slopes(self, directions: int, t: float, state: Sequence[float], slots: Sequence[float]) -> np.ndarray:
        """Return the derivatives of all values by the first `directions` of: small motions, velocities, time, slots;
        the derivatives of one value stand together."""
        read, own, _ = self._read
        size, numbers, modes = len(self.composed.q), slots[: len(own)], slots[len(own) :]
        at = np.array([*state, t, *numbers])
        moves = [read(*state, *numbers)[2] for state in self._moving(state[:size])]
        ways = np.eye(at.size)[size:]
        ways = np.concatenate([np.pad(np.reshape(moves, (-1, size)), ((0, 0), (0, at.size - size))), ways])[:directions]

        def values(x: np.ndarray) -> np.ndarray:
            *state, t = x[: len(at) - len(own)]
            return self._values(t, state, [*x[len(at) - len(own) :], *modes])

        return np.column_stack([difference(values, at, way) for way in ways]).ravel()

    def _moving(self, q: Sequence[float]) -> list[list[float]]:
        """Return the states in which one velocity after the other is 1 and the others are 0."""
        return [[*q, *unit] for unit in np.eye(len(self.composed.v))]

    @property
    def _outputs(self) -> int:
        return len(self.composed.v) + 2 + len(self._modes)

    def kernel(self) -> PythonKernel:
        forces, powers = tuple(range(len(self.composed.v))), (self.element.work,)
        layout = {"forces": forces, "powers": powers, "modes": dict.fromkeys(self._modes, SIDE)}
        return self._called(self._values, self._outputs, layout)

    def slopes(self, by_numbers: bool) -> PythonKernel:
        directions = 2 * len(self.composed.v) + 1 + by_numbers * len(self._read[1])
        entries = tuple((output, k) for output in range(self._outputs) for k in range(directions))
        return self._called(partial(self._slopes, directions), len(entries), {"entries": entries, "modes": {}})

    def _called(self, function: Callable[..., np.ndarray], outputs: int, layout: dict[str, Any]) -> PythonKernel:
        """Return the kernel that calls a function with `outputs` outputs."""
        places, size, raised = len(self.composed.q), len(self.composed.q) + len(self.composed.v), self.raised
        slots = (*map(str, self._read[1]), *self._modes)

        def call(count: int, t: float, q: Any, v: Any, index: Any, parameters: Any, tables: Any, out: Any) -> None:
            try:
                state = [(q if k < places else v)[index[k]] for k in range(size)]
                results = function(t, state, [parameters[k] for k in range(len(slots))])
            except BaseException as exc:  # it may raise anything (Ctrl-C, too); nothing can pass through compiled code
                raised.error = exc
                results = np.full(outputs, np.nan)
            for k, value in enumerate(results):
                out[k] = value

        callback = _signature(call)
        address = ctypes.cast(callback, ctypes.c_void_p).value or 0
        return PythonKernel(address, layout | {"outputs": outputs, "slots": slots, "slopes": ()}, callback, raised)


def told(error: BaseException) -> str:
    """Return the text of an exception of a user's function, with the line that raised it."""
    line, trace = "", error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        line = f", {Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno}"
    return f"{type(error).__name__}: {error}{line}"
