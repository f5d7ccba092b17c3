"""Kernels as Python runs them, for tests of what a kernel *says*.

A contract asks a kernel for its numbers at a few states. Compiling it costs a thousand times as much, and says nothing
of the equations: that machine code does what its source says is shown once, in tests/kernels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from mbs_dae.kernels import abi, cache

_reals, _integers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
_FUNCTION = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_double, _reals, _reals, _integers, _reals, _reals, _reals
)
"""The calling convention of `kernels.abi`: Python reads and writes through pointers as numba's code does."""

_made: dict[str, cache.Kernel] = {}


def kernel(meaning: str, write_source: Callable[[], Any]) -> cache.Kernel:
    """In place of `kernels.cache.kernel`: the same source, derived once a process, and not compiled."""
    if meaning not in _made:
        _made[meaning] = _interpreted(write_source())
    return _made[meaning]


def _interpreted(source: str) -> cache.Kernel:
    found: dict[str, Any] = {}
    exec(compile(source.replace("kernel = element_kernel(kernel)", ""), "<kernel>", "exec"), found)
    for name in ("lookup", "unwound", "wrap"):
        found[name] = getattr(abi, name).py_func
    function = _FUNCTION(found["kernel"])
    return cache.Kernel(ctypes.cast(function, ctypes.c_void_p).value or 0, found["LAYOUT"], function)
