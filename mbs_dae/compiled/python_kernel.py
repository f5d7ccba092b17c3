"""A kernel that calls back into Python, behind the same address as any other (`kernels.abi`)."""

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..coordinates import KernelCoordinates
from ..kernels.abi import unwound
from ..kernels.cache import Kernel
from ..model.forces.given import PythonForce
from ..symbolic.branches import SIDE
from ..symbolic.derive import Composed
from .batch import Instance, instance_of

UNWOUND = unwound.py_func
"""The function itself, not compiled."""
_reals = ctypes.POINTER(ctypes.c_double)
_integers = ctypes.POINTER(ctypes.c_int64)
_signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, _reals, _reals, _integers, _reals, _reals, _reals)


class Raised(threading.local):
    """What a function raised last, in each thread."""

    error: BaseException | None = None


@dataclass(frozen=True)
class PythonKernel(Kernel):
    raised: Raised = field(default_factory=Raised)
    """What the function raised; its outputs are then not numbers, which stops a run."""


def python_instance(element: PythonForce, coordinates: KernelCoordinates) -> Instance:
    instance = instance_of(element.form()[0], {}, element.markers, element.who, coordinates)
    load = _Load(element, instance.compose())
    return replace(instance, meaning=f"python {id(element)}", kernel=load.kernel, tangents=load.tangents)


@dataclass(frozen=True, eq=False)
class _Load:
    """m and its rates r from q and v; then Q = (∂r/∂v)ᵀ f and the power f · r. What derives sees in it is only this
    far; so its tangents are central differences, over a step of the cube root of roundoff: nine digits or so."""

    element: PythonForce
    composed: Composed
    raised: Raised = field(default_factory=Raised)

    @cached_property
    def _read(self) -> tuple[Callable[..., Any], tuple[sp.Symbol, ...], int]:
        """What reads m, r, ∂r/∂v and q̇, the slots it needs, and how many m there are."""
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
        """Q, no potential, the power, and what decides the branches, which are held at the last of the slots."""
        read, own, places = self._read
        markers, partials, _ = read(*state, *slots[: len(own)])
        wrenches = np.array(self.element.wrenches(t, markers, slots[len(own) :]))
        forces, deciding = np.asarray(partials, dtype=float).T @ wrenches, self.element.deciding(t, markers)
        return np.array([*forces, 0.0, wrenches @ markers[places:], *deciding], dtype=float)

    def _tangents(self, t: float, state: Sequence[float], slots: Sequence[float]) -> np.ndarray:
        """Along (δx, δv, δt), which stand behind the state."""
        size, n = len(self.composed.q), len(self.composed.v)
        q, v, move, change, later = np.split(np.array(state), np.cumsum([size, n, n, n]))
        read, own, _ = self._read
        way = np.concatenate([read(*q, *move, *slots[: len(own)])[2], change, later])
        if not way.any():
            return np.zeros(n + 2 + len(self._modes))
        at = np.concatenate([q, v, [t]])
        h = np.cbrt(np.finfo(float).eps) * (np.abs(at).max() or 1.0) / np.abs(way).max()
        ahead, behind = (self._values(x[-1], x[:-1], slots) for x in (at + h * way, at - h * way))
        return (ahead - behind) / (2 * h)

    def kernel(self) -> PythonKernel:
        return self._called(self._values, len(self.composed.v), {"modes": dict.fromkeys(self._modes, SIDE)})

    def tangents(self) -> PythonKernel:
        n = len(self.composed.v)
        everything = tuple(range(2 * n + 1))
        depends = (everything,) * (n + 2 + len(self._modes))
        return self._called(self._tangents, 3 * n + 1, {"depends": depends, "modes": {}})

    def _called(self, function: Callable[..., np.ndarray], velocities: int, layout: dict[str, Any]) -> PythonKernel:
        """The function behind an address; so many items of the array of velocities are its own."""
        places, columns, raised = len(self.composed.q), len(self.composed.v), self.raised
        slots = (*map(str, self._read[1]), *self._modes)
        outputs = columns + 2 + len(self._modes)

        def call(count: int, t: float, q: Any, v: Any, index: Any, parameters: Any, tables: Any, out: Any) -> None:
            try:
                state = [(q if k < places else v)[index[k]] for k in range(places + velocities)]
                results = function(t, state, [parameters[k] for k in range(len(slots))])
            except BaseException as exc:  # it may raise anything (Ctrl-C, too); nothing can pass through compiled code
                raised.error = exc
                results = np.full(outputs, np.nan)
            for k, value in enumerate(results):
                out[k] = value

        callback = _signature(call)
        layout |= {"forces": tuple(range(columns)), "powers": (self.element.work,), "outputs": outputs}
        address = ctypes.cast(callback, ctypes.c_void_p).value or 0
        return PythonKernel(address, layout | {"slots": slots, "slopes": ()}, callback, raised)


def told(error: BaseException) -> str:
    """An exception of a user's function, with the line that raised it."""
    line, trace = "", error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        line = f", {Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno}"
    return f"{type(error).__name__}: {error}{line}"
