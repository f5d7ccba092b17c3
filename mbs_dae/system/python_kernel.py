"""A kernel that calls back into Python, behind the same address as any other (`kernels.abi`)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from ..coordinates import PlanarCartesian
from ..kernels.cache import Kernel
from ..model.forces.python_force import PythonForce
from ..symbolic.markers import LABELS
from .batch import Instance

_reals = ctypes.POINTER(ctypes.c_double)
_integers = ctypes.POINTER(ctypes.c_int64)
_signature = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_double, _reals, _reals, _integers, _reals, _reals, _reals
)


@dataclass(frozen=True)
class PythonKernel(Kernel):
    errors: list[BaseException] = field(default_factory=list)
    """What the function raised; its outputs are then not numbers, which stops a run."""


def python_instance(element: PythonForce, coordinates: PlanarCartesian) -> Instance:
    reading, _ = element.form()
    maps = [coordinates.marker_map(LABELS[k]) for k in range(len(element.markers))]
    slots: dict[str, Any] = {}
    for mp, marker in zip(maps, element.markers, strict=True):
        slots |= {str(s): n for s, n in zip(mp.slots, coordinates.marker_slots(marker), strict=True)}
    composed = reading.compose(maps)
    meaning = f"python {id(element)}"
    made = partial(_kernel, element, composed)
    return Instance(meaning, lambda: composed, slots, element.markers, element.who, made)


def _kernel(element: PythonForce, composed: Any) -> PythonKernel:
    """m and ṁ from q and v; then Q = (∂ṁ/∂v)ᵀ f and the power f · ṁ."""
    state, slots = [*composed.q, *composed.v], [*composed.slots]
    values = composed.explicit(composed.outputs)
    half = len(values) // 2
    jacobian = sp.Matrix(values[half:]).jacobian(composed.v)
    read = sp.lambdify([*state, *slots], [values, jacobian.tolist()], modules="math", cse=True)
    width, columns = len(state), len(composed.v)
    outputs = columns + 2
    errors: list[BaseException] = []

    def call(count: int, t: float, q: Any, v: Any, index: Any, parameters: Any, tables: Any, out: Any) -> None:
        try:
            numbers = [(q if k < columns else v)[index[k]] for k in range(width)]
            markers, partials = read(*numbers, *(parameters[k] for k in range(len(slots))))
            m, rates = markers[:half], markers[half:]
            dual = [x for w in element.wrenches(t, m, rates) for x in element.form()[0].markers[0].dual(*w)]
            forces = np.asarray(partials, dtype=float).T @ np.asarray(dual, dtype=float)
            results = [*forces, 0.0, float(np.dot(np.asarray(dual, dtype=float), rates))]
        except BaseException as exc:  # it may raise anything (Ctrl-C, too), and nothing can pass through compiled code
            errors[:] = [exc]
            results = [float("nan")] * outputs
        for k, value in enumerate(results):
            out[k] = value

    callback = _signature(call)
    layout = {
        "forces": tuple(range(columns)),
        "powers": (element.work,),
        "slots": tuple(map(str, slots)),
        "outputs": outputs,
    }
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    return PythonKernel(address, layout, callback, errors)
