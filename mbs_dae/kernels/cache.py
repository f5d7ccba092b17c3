"""Kernels: derived once per expression, compiled once per machine.

A kernel is a small readable Python function named by the fingerprint of its meaning. Its source is stored before its
machine code (`store`), for readers, and so is its layout: a warm start derives nothing.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from . import store, work
from .abi import KERNEL, knot, lookup, piece, unwound, wrap
from .lanes import WIDE_KERNEL
from .straight import kernel_code
from .widened import WideWriter


@dataclass(frozen=True)
class Kernel:
    address: int
    layout: Any
    keep_alive: Any = None


@dataclass
class Counts:
    """The work of this process: kernels `derived` by sympy, `compiled` to machine code, `loaded` from disk."""

    derived: int = 0
    compiled: int = 0
    loaded: int = 0


CALLED = {"lookup": lookup, "unwound": unwound, "wrap": wrap, "knot": knot, "piece": piece}
"""The functions of this package that kernels may call."""
counts = Counts()
_in_memory: dict[str, Kernel] = {}
_written: dict[int, tuple[str, str]] = {}
"""The symbols and sources of all kernels in memory, by their addresses."""


def kernel(meaning: str, write_source: Callable[[], tuple[str, dict[str, Any]]]) -> Kernel:
    """Return the kernel that computes `meaning`; `write_source` derives its module, which defines ``kernel`` (see
    `abi`), and its layout."""

    def make(symbol: str) -> store.Stored:
        source, layout = write_source()
        counts.derived += 1
        code, uses = kernel_code(symbol, source, KERNEL, CALLED)
        return store.Stored({"layout": layout, "source": source}, uses, code)

    return kept(meaning, make)


def kept(meaning: str, make: Callable[[str], store.Stored]) -> Kernel:
    """Return the kernel that computes `meaning`; ``make(symbol)`` gives the machine code of the function of this
    name."""
    symbol = f"{store.KERNEL}{fingerprint(meaning)}"

    def made() -> store.Stored:
        work.begin()  # a user without kernels may lack all other machine code, too
        return make(symbol)

    if symbol not in _in_memory:
        stored = _fetched(symbol, made)
        _in_memory[symbol] = Kernel(stored.address, stored.facts["layout"])
        _written[stored.address] = symbol, stored.facts["source"]
    return _in_memory[symbol]


def source_of(address: int) -> str:
    """Return the source of a kernel in memory."""
    return _written[address][1]


def widened(address: int) -> int:
    """Return the address of the same kernel for lanes (see `lanes`), compiled at the first call; 0 for a kernel that is
    a Python function."""
    if address not in _written:
        return 0
    symbol, source = f"{_written[address][0]}_in_lanes", _written[address][1]

    def make() -> store.Stored:
        code, uses = kernel_code(symbol, source, WIDE_KERNEL, CALLED, written=WideWriter)
        return store.Stored({}, uses, code)

    return _fetched(symbol, make).address


def _fetched(symbol: str, make: Callable[[], store.Stored]) -> store.Stored:
    stored = store.fetch(symbol, make)
    counts.loaded += stored.loaded
    counts.compiled += not stored.loaded
    return stored


def fingerprint(meaning: str) -> str:
    """Return a name for the meaning of a kernel and everything that turns it into code."""
    return hashlib.sha256(f"{sympy.__version__}\n{meaning}".encode()).hexdigest()[:24]
