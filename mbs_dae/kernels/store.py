"""The disk cache of machine code: one sealed file for each function, in a directory that belongs to its user alone.

Loaded machine code can do whatever its user can. Machine code is therefore taken only from a directory that is no link,
belongs to the user, and is writable by nobody else; each file must satisfy the same conditions. A file ends with a
checksum over its contents, which is checked before any use: damaged or incomplete files are made anew and replaced. The
name of a file holds the version of the function (`functions`) or of everything that writes kernels (`stamp`), so a file
of another version is another file. A file is written next to its place and renamed, so that it exists as a whole
or not at all, and processes may share a cache. Without such a directory, functions live in memory: this costs time,
never correctness; a warning gives the reason. A package may bring machine code along (`archives`), which is looked for
second.
"""

import hashlib
import json
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from . import llvm
from .archives import archive

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

COMPILER = ("kernels",)
"""The package that turns functions into machine code."""
WRITERS = ("rotations", "symbolic", "kernels", "coordinates", "tolerances", "linear", "compiled")
"""The packages that derive kernels from expressions and write them."""
KERNEL = "mbs_dae_kernel_"
"""The beginning of the names of kernels, which `WRITERS` have written."""
ROOMS = (*WRITERS, "poses", "motion", "derivatives")
"""The packages that have compiled functions."""
SEAL = 32
"""Bytes of a checksum."""
PATIENCE = 0.01
"""Seconds between two checks whether another process has made a file."""


@dataclass(frozen=True)
class Stored:
    """Machine code, the names of the functions that it calls, and further facts."""

    facts: dict[str, Any]
    uses: tuple[str, ...]
    code: bytes
    address: int = 0
    loaded: bool = False
    """Whether the code came from the disk."""


_here: dict[str, Stored] = {}
versions: dict[str, Callable[[], str]] = {}
"""For the name of each function that lies apart, a function that returns its version."""
one_at_a_time = threading.RLock()
"""The lock by which threads load and make functions one after the other: a function loaded twice has no certain
address."""


def fetch(symbol: str, make: Callable[[], Stored], meanwhile: Callable[[], bool] = lambda: False) -> Stored:
    """Return the function of this name: from memory, from the disk, or made now and stored.

    While another process makes it, `meanwhile` is called, which does something useful and returns True, or returns
    False.
    """
    with one_at_a_time:
        if symbol not in _here and not _from_disk(symbol):
            with claimed(_file(symbol), meanwhile):
                if not _from_disk(symbol):
                    made = make()
                    _here[symbol] = replace(made, code=b"", address=llvm.load(symbol, made.code))
                    write(_file(symbol), json.dumps([made.facts, made.uses]).encode() + b"\n" + made.code)
        return _here[symbol]


def _from_disk(symbol: str) -> bool:
    """Load a function with all functions that it calls; return False if one is not there."""
    if symbol in _here:
        return True
    path, brought = _file(symbol), archive()
    data = read(path)
    if data is None and brought is not None:
        data = brought.read(path.name)
    if data is None:
        return False
    told, _, code = data.partition(b"\n")
    facts, uses = json.loads(told)
    if not all(map(_from_disk, uses)):
        return False
    _here[symbol] = Stored(facts, tuple(uses), b"", llvm.load(symbol, code), loaded=True)
    return True


def _file(symbol: str) -> Path:
    rooms = WRITERS if symbol.startswith(KERNEL) else ROOMS  # nobody says what other code depends on
    version = versions[symbol]() if symbol in versions else stamp(rooms)
    return directory() / f"{symbol}-{version[:12]}.code"


@cache
def stamp(rooms: tuple[str, ...]) -> str:
    """Return the hash of all source in these packages, of the versions of the compiler and of Python, and of the
    machine."""
    package = Path(__file__).resolve().parent.parent
    files = [(room, sorted([*package.glob(f"{room}.py"), *(package / room).rglob("*.py")])) for room in rooms]
    if missing := [room for room, found in files if not found]:
        raise RuntimeError(f"mbs_dae is not whole: its source in {', '.join(missing)} is missing; install it anew")
    parts = [llvm.machine().encode(), repr(sys.version_info[:2]).encode()]
    parts += [file.relative_to(package).as_posix().encode() + file.read_bytes() for _, found in files for file in found]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


# --- files ----------------------------------------------------------------------------------------------------------


def directory() -> Path:
    """Return the directory of the cache: $MBS_DAE_CACHE, or the user's cache directory."""
    if chosen := os.environ.get("MBS_DAE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return Path(base).expanduser() / "mbs_dae"


def read(path: Path) -> bytes | None:
    """Return the contents of a sealed file; None if it does not exist, is not whole, or might be somebody else's."""
    if not _trusted(path.parent):
        return None
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        told = os.fstat(handle)
        if not stat.S_ISREG(told.st_mode) or _foreign(told):
            return None
        data = file.read()
    body, seal = data[:-SEAL], data[-SEAL:]
    return body if hashlib.sha256(body).digest() == seal else None


def write(path: Path, body: bytes) -> None:
    """Seal the body and put the file in its place at once, if there is a trusted directory."""
    if not _trusted(path.parent, make=True):
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError as error:
        _warn_once(path.parent, f"cannot be written to ({error.strerror})")
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body + hashlib.sha256(body).digest())
        os.replace(temporary, path)
    except OSError as error:
        _warn_once(path.parent, f"cannot be written to ({error.strerror})")
    finally:
        Path(temporary).unlink(missing_ok=True)


def is_there(symbol: str) -> bool:
    """Return whether a function need not be compiled."""
    if symbol in _here:
        return True
    path, brought = _file(symbol), archive()
    return brought is not None and path.name in brought.files or path.exists()


@contextmanager
def claimed(path: Path, meanwhile: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the claim to make this file; as long as another process holds it, call `meanwhile` or wait."""
    _trusted(path.parent, make=True)
    lock = path.with_suffix(".lock")
    try:
        file = open(lock, "wb")  # noqa: SIM115
    except OSError:  # no place for a lock: work may be done twice
        yield
        return
    with file:
        while not _locked(file):
            if not meanwhile():
                time.sleep(PATIENCE)
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()


def is_claimed(symbol: str) -> bool:
    """Return whether another process makes the function now."""
    try:
        with open(_file(symbol).with_suffix(".lock"), "rb") as file:
            return not _locked(file)
    except OSError:
        return False


def can_be_shared() -> bool:
    """Return whether processes can see each other's claims."""
    return fcntl is not None and _trusted(directory(), make=True)


def _locked(file: Any) -> bool:
    """Claim the file until it is closed, if nobody has; return whether the claim holds. Without locks in the system,
    every claim holds."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _trusted(place: Path, make: bool = False) -> bool:
    """Return whether a directory is the user's own, and nobody else's. With `make` a missing directory is created."""
    try:
        if make:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = place.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        return _warn_once(place, f"cannot be used ({error.strerror})")
    if stat.S_ISLNK(told.st_mode):
        return _warn_once(place, "is a link; name the directory itself")
    if not stat.S_ISDIR(told.st_mode):
        return _warn_once(place, "is not a directory")
    if reason := _foreign(told):
        return _warn_once(place, f"{reason}; give it back, or name another one")
    return True


def _foreign(told: os.stat_result) -> str:
    """Return why a file or directory might hold data that somebody else has written; "" if it cannot."""
    if os.name != "posix":
        return ""
    if told.st_uid != os.geteuid():
        return "belongs to another user"
    return "may be written to by others" if told.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


@cache
def _warn_once(place: Path, why: str) -> bool:
    what = f"the cache of compiled code, {place}, {why}. Until then everything is compiled in every process"
    warnings.warn(f"{what} (MBS_DAE_CACHE names another directory)", RuntimeWarning, stacklevel=2)
    return False
