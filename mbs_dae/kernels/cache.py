"""The disk cache of kernels: derived once per expression, compiled once per machine.

A kernel is a small readable Python module named by the fingerprint of what it computes. Beside the function the
module holds its layout, so that a warm start derives nothing. numba keeps the machine code next to the module.

Safe under concurrent processes: a module is written to a temporary file and then linked to its name, which fails
for all but the first writer; its time stamp is a constant, so that numba never takes one writer's file for a
change of the other's. A module ends with its checksum; what was damaged is
written anew. Where nothing can be written, kernels live in memory: that costs time, never correctness.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import sympy

STAMP = 1_000_000_000
"""The modification time that every cached module is given (seconds)."""


@dataclass(frozen=True)
class Kernel:
    address: int
    layout: Any
    keep_alive: Any


@dataclass
class Counts:
    """What this process had to do: `derived` by sympy, `compiled` to machine code, `loaded` from disk."""

    derived: int = 0
    compiled: int = 0
    loaded: int = 0


counts = Counts()
_in_memory: dict[str, Kernel] = {}


def directory() -> Path:
    """Where kernels are kept: $MBS_DAE_CACHE, or the user's cache directory."""
    if chosen := os.environ.get("MBS_DAE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return Path(base).expanduser() / "mbs_dae"


def fingerprint(meaning: str) -> str:
    """A name for what a kernel computes, and for all that turns it into code."""
    versions = f"{_derivation()} {sympy.__version__} {numba.__version__} {sys.version_info[:2]}"
    return hashlib.sha256(f"{versions}\n{meaning}".encode()).hexdigest()[:24]


@cache
def _derivation() -> str:
    """A checksum of the source files that derive kernels: a change in them makes every kernel a new one."""
    package = Path(__file__).resolve().parent.parent
    files = sorted(file for room in ("symbolic", "kernels", "coordinates") for file in (package / room).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def kernel(meaning: str, write_source: Callable[[], str]) -> Kernel:
    """The kernel that computes `meaning`; `write_source` derives its module if nobody has done so yet.

    The module defines ``kernel`` (see `abi`) and ``LAYOUT``.
    """
    key = fingerprint(meaning)
    if key not in _in_memory:
        _in_memory[key] = _load(key, write_source)
    return _in_memory[key]


def _load(key: str, write_source: Callable[[], str]) -> Kernel:
    name = f"mbs_dae_kernel_{key}"
    path = directory() / f"{name}.py"
    if not _is_sound(path):
        counts.derived += 1
        source = _sealed(write_source())
        _forget_machine_code(path)
        if not _publish(path, source):
            return _compiled(_executed(name, source))
    try:
        return _compiled(_imported(name, path))
    except Exception:  # machine code that was cut short or scrambled: numba may fail in any way
        _forget_machine_code(path)
    try:
        return _compiled(_imported(name, path))
    except Exception:
        return _compiled(_executed(name, path.read_text(encoding="utf-8")))


def _sealed(source: str) -> str:
    """The source with its own checksum as the last line."""
    return f"{source}# {hashlib.sha256(source.encode()).hexdigest()}\n"


def _is_sound(path: Path) -> bool:
    """Whether the module is there, whole and unchanged."""
    try:
        source, _, _ = path.read_text(encoding="utf-8").rpartition("# ")
        return path.read_text(encoding="utf-8") == _sealed(source)
    except (OSError, UnicodeDecodeError):
        return False


def _forget_machine_code(path: Path) -> None:
    """Remove what numba keeps beside a module."""
    for file in (path.parent / "__pycache__").glob(f"{path.stem}*"):
        with suppress(OSError):
            file.unlink()


def _imported(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba finds its cached code again through the importable name
    spec.loader.exec_module(module)
    return module


def _compiled(module: ModuleType) -> Kernel:
    function = module.kernel
    if getattr(function, "cache_hits", 0):
        counts.loaded += 1
    else:
        counts.compiled += 1
    return Kernel(function.address, module.LAYOUT, function)


def _publish(path: Path, source: str) -> bool:
    """Write the module once and for all; False where that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        os.utime(temporary, (STAMP, STAMP))
        try:
            os.link(temporary, path)
        except OSError:  # another process was first; or what is there is damaged; or there are no hard links here
            if not _is_sound(path):
                os.replace(temporary, path)
        return True
    except OSError:
        return False
    finally:
        Path(temporary).unlink(missing_ok=True)


def _executed(name: str, source: str) -> ModuleType:
    """The module in memory only. numba has no file to stand its cache on, and compiles without one."""
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return module
