"""Kernels: derived once per expression, compiled once per machine.

A kernel is a small readable Python function named by the fingerprint of what it computes. Its source stands before its
machine code (`store`), for those who want to read it, and so does its layout: a warm start derives nothing.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from . import store, work
from .abi import KERNEL, lookup, unwound, wrap
from .straight import kernel_code


@dataclass(frozen=True)
class Kernel:
    address: int
    layout: Any
    keep_alive: Any = None


@dataclass
class Counts:
    """What this process had to do: `derived` by sympy, `compiled` to machine code, `loaded` from disk."""

    derived: int = 0
    compiled: int = 0
    loaded: int = 0


CALLED = {"lookup": lookup, "unwound": unwound, "wrap": wrap}
"""The functions of this package that kernels may call."""
counts = Counts()
_in_memory: dict[str, Kernel] = {}


def kernel(
    meaning: str,
    write_source: Callable[[], tuple[str, dict[str, Any]]],
    arguments: Sequence[Any] = KERNEL,
    fused: bool = False,
) -> Kernel:
    """The kernel that computes `meaning`; `write_source` derives its module, which defines ``kernel`` (see `abi`), and
    its layout."""

    def make(symbol: str) -> store.Stored:
        source, layout = write_source()
        counts.derived += 1
        code, uses = kernel_code(symbol, source, arguments, CALLED, fused)
        return store.Stored({"layout": layout, "source": source}, uses, code)

    return kept(meaning, make)


def kept(meaning: str, make: Callable[[str], store.Stored]) -> Kernel:
    """The same where ``make(symbol)`` gives the machine code of the function of this name."""
    symbol = f"mbs_dae_kernel_{fingerprint(meaning)}"

    def made() -> store.Stored:
        work.begin()  # whoever has no kernels yet may lack the rest, too
        return make(symbol)

    if symbol not in _in_memory:
        stored = store.fetch(symbol, made)
        counts.loaded += stored.loaded
        counts.compiled += not stored.loaded
        _in_memory[symbol] = Kernel(stored.address, stored.facts["layout"])
    return _in_memory[symbol]


def fingerprint(meaning: str) -> str:
    """A name for what a kernel computes, and for all that turns it into code."""
    return hashlib.sha256(f"{sympy.__version__}\n{meaning}".encode()).hexdigest()[:24]
