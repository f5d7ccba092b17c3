"""A kernel that calls back into Python, behind the same address as any other (`kernels.abi`)."""

import ctypes
import threading
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..coordinates import KernelCoordinates
from ..kernels.abi import unwound
from ..kernels.cache import Kernel
from ..model.forces.given import PythonForce
from ..symbolic.branches import SIDE
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
    return replace(instance, meaning=f"python {id(element)}", kernel=partial(_kernel, element, instance.compose()))


def _kernel(element: PythonForce, composed: Any) -> PythonKernel:
    """m and its rates r from q and v; then Q = (∂r/∂v)ᵀ f and the power f · r."""
    state, values = [*composed.q, *composed.v], composed.explicit(composed.outputs)
    used = {s for e in values for s in e.free_symbols}
    slots = [s for s in composed.slots if s in used]
    rates_at = sum(len(marker.m) for marker in element.form()[0].markers)
    jacobian = sp.Matrix(values[rates_at:]).jacobian(composed.v)
    read = sp.lambdify([*state, *slots], [values, jacobian.tolist()], modules=[{"Unwound": UNWOUND}, "math"], cse=True)
    width, places, columns = len(state), len(composed.q), len(composed.v)
    modes = [f"mode_{k}" for k in range(len(element.switches))]
    outputs = columns + 2 + len(modes)
    raised = Raised()

    def call(count: int, t: float, q: Any, v: Any, index: Any, parameters: Any, tables: Any, out: Any) -> None:
        try:
            numbers = [(q if k < places else v)[index[k]] for k in range(width)]
            markers, partials = read(*numbers, *(parameters[k] for k in range(len(slots))))
            wrenches = np.array(element.wrenches(t, markers, [parameters[len(slots) + k] for k in range(len(modes))]))
            forces = np.asarray(partials, dtype=float).T @ wrenches
            results = [*forces, 0.0, float(wrenches @ markers[rates_at:]), *element.deciding(t, markers)]
        except BaseException as exc:  # it may raise anything (Ctrl-C, too), and nothing can pass through compiled code
            raised.error = exc
            results = [float("nan")] * outputs
        for k, value in enumerate(results):
            out[k] = value

    callback = _signature(call)
    layout: dict[str, Any] = {"forces": tuple(range(columns)), "powers": (element.work,)}
    layout |= {"slots": (*map(str, slots), *modes), "outputs": outputs, "modes": dict.fromkeys(modes, SIDE)}
    layout["slopes"] = ()
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    return PythonKernel(address, layout, callback, raised)


def told(error: BaseException) -> str:
    """An exception of a user's function, with the line that raised it."""
    line, trace = "", error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        line = f", {Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno}"
    return f"{type(error).__name__}: {error}{line}"
