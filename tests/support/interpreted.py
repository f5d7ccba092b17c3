"""Kernels as Python runs them, for tests of what a kernel *says*.

A contract asks a kernel for its numbers at a few states. Compiling it costs a thousand times as much, and says nothing
of the equations: that machine code does what its source says is shown once, in tests/kernels.
"""

from __future__ import annotations

import ctypes
import pickle
from collections.abc import Callable
from threading import RLock
from typing import Any

from mbs_dae.compiled import batch
from mbs_dae.compiled.tree import transformation
from mbs_dae.kernels import cache, functions, passes, store, work
from mbs_dae.linear import kkt, sums, vectors
from mbs_dae.linear.fronts import plan, wide
from mbs_dae.motion.methods import method

_reals, _integers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, _reals, _reals, _integers, _reals, _reals, _reals)
"""The calling convention of `kernels.abi`: Python reads and writes through pointers as numba's code does."""

made: dict[str, cache.Kernel] = {}
"""By meaning, in this process."""
sources: dict[int, str] = {}
"""Of what was made, by address."""
making = RLock()
"""Threads make each once: a second one would take the place of the first, whose address is in use."""


def kernel(meaning: str, write_source: Callable[[], Any]) -> cache.Kernel:
    """In place of `kernels.cache.kernel`: the same source, derived once and kept beside machine code, not compiled.
    (Kernels of fronts and trees, which have no equations of any model, do not come here.)"""
    with making:
        return made.get(meaning) or _made(meaning, write_source)


def _made(meaning: str, write_source: Callable[[], Any]) -> cache.Kernel:
    file = store._file(f"source_{cache.fingerprint(meaning)}")
    if (kept := store.read(file)) is None:
        kept = pickle.dumps(write_source())
        store.write(file, kept)
    made[meaning] = _interpreted(pickle.loads(kept))
    return made[meaning]


def _interpreted(written: Any) -> cache.Kernel:
    source, layout = written
    function = function_of(source)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    sources[address] = source
    return cache.Kernel(address, layout, function)


def function_of(source: str) -> Any:
    """The kernel of a module, run by Python."""
    return _FUNCTION(module_of(source)["kernel"])


def module_of(source: str) -> dict[str, Any]:
    """What the module of a kernel defines, and the functions that it calls."""
    found: dict[str, Any] = {}
    exec(compile(source, "<kernel>", "exec"), found)
    found |= {name: function.py_func for name, function in cache.CALLED.items()}
    return found


def call(function: Any, count: int, t: float, *arrays: Any) -> None:
    """Call a kernel as the core calls it: by address, if that is what is given."""
    kinds = (_reals, _reals, _integers, _reals, _reals, _reals)
    pointers = [array.ctypes.data_as(kind) for array, kind in zip(arrays, kinds, strict=True)]
    (_FUNCTION(function) if isinstance(function, int) else function)(int(count), float(t), *pointers)


def call_apart(address: int, numbers: Any, arrays: Any) -> None:
    """Call a kernel of whole numbers and arrays, of fronts or of a tree, as the core calls it."""
    kinds = [ctypes.c_int64] * len(numbers) + [ctypes.c_void_p] * len(arrays)
    pointers = [array.ctypes.data for array in arrays]
    ctypes.CFUNCTYPE(None, *kinds)(int(address))(*map(int, numbers), *pointers)


class Core:
    """The compiled core, run by Python: what constants it has then follows from its modules, without compiling.

    Kernels stay compiled; they are called as the core calls them."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(functions.CompiledFunction, "__call__", lambda self, *values: self.py_func(*values))
        monkeypatch.setattr(batch, "call_kernel", lambda at, numbers, arrays: call(int(at), *numbers, *arrays))
        for module in (plan, passes):
            monkeypatch.setattr(module, "call_kernel", call_apart)
        for module in (kkt, wide):
            monkeypatch.setattr(module, "choose", lambda decision, a, b: a if decision else b)
        for module in (sums, vectors):
            monkeypatch.setattr(module, "nothing_of", lambda array: 0.0)
        for module in (transformation, method, kkt):
            monkeypatch.setattr(module, "call_on_block", self._call_on_block)

    def _call_on_block(self, address, block, arrays):
        made = [one for one in work.FUNCTIONS if one.entry is not None]
        next(one for one in made if one.entry.address == address)(block, *arrays)
