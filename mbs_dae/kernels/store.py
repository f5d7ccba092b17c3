"""Where machine code is kept: one sealed file for each function, in a directory that belongs to its user alone.

Machine code that is loaded can do whatever its user can. So it is taken only from a directory that is no link, belongs
to the user, and that nobody else may write to; the same holds for each file. A file ends with a checksum over all that
stands in it, which is looked at before anything of it is used: what was damaged or cut short is made anew and replaced,
and what other versions of anything have made is not looked for. A file is written beside its place and renamed, so it
is there as a whole or not at all, and processes may share a cache. Where there is no such directory,
functions live in memory: that costs time, never correctness; a warning says why.
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

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

ROOMS = (
    "rotations", "symbolic", "kernels", "coordinates", "tolerances", "linear", "compiled", "poses", "motion",
    "derivatives",
)  # fmt: skip
"""The rooms whose functions and constants are compiled in."""
SEAL = 32
"""Bytes of a checksum."""
PATIENCE = 0.01
"""Seconds until it is asked again whether another process has made a file."""


@dataclass(frozen=True)
class Stored:
    """Machine code, the names of what it calls, and what else is to be known of it."""

    facts: dict[str, Any]
    uses: tuple[str, ...]
    code: bytes
    address: int = 0
    loaded: bool = False
    """Whether it came from the disk."""


_here: dict[str, Stored] = {}
one_at_a_time = threading.RLock()
"""Threads load and make functions one after the other: one that is loaded twice is in no place that is certain."""


def fetch(symbol: str, make: Callable[[], Stored], meanwhile: Callable[[], bool] = lambda: False) -> Stored:
    """The function of that name: from memory, from the disk, or made now and kept.

    While another process makes it, `meanwhile` is called: it does something useful, or says that there is nothing."""
    with one_at_a_time:
        if symbol not in _here and not _from_disk(symbol):
            with claimed(_file(symbol), meanwhile):
                if not _from_disk(symbol):
                    made = make()
                    _here[symbol] = replace(made, code=b"", address=llvm.load(symbol, made.code))
                    write(_file(symbol), json.dumps([made.facts, made.uses]).encode() + b"\n" + made.code)
        return _here[symbol]


def _from_disk(symbol: str) -> bool:
    """Load a function with all that it calls; False where something is not there."""
    if symbol in _here:
        return True
    data = read(_file(symbol))
    if data is None:
        return False
    told, _, code = data.partition(b"\n")
    facts, uses = json.loads(told)
    if not all(map(_from_disk, uses)):
        return False
    _here[symbol] = Stored(facts, tuple(uses), b"", llvm.load(symbol, code), loaded=True)
    return True


def _file(symbol: str) -> Path:
    return directory() / f"{symbol}-{stamp()[:12]}.code"


@cache
def stamp() -> str:
    """What machine code depends on: all source that is compiled in, and the versions and the machine that make it."""
    package = Path(__file__).resolve().parent.parent
    files = [(room, sorted([*package.glob(f"{room}.py"), *(package / room).rglob("*.py")])) for room in ROOMS]
    if missing := [room for room, found in files if not found]:
        raise RuntimeError(f"mbs_dae is not whole: its source in {', '.join(missing)} is missing; install it anew")
    parts = [llvm.machine().encode(), repr(sys.version_info[:2]).encode()]
    parts += [file.relative_to(package).as_posix().encode() + file.read_bytes() for _, found in files for file in found]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


# --- files ----------------------------------------------------------------------------------------------------------


def directory() -> Path:
    """Where machine code is kept: $MBS_DAE_CACHE, or the user's cache directory."""
    if chosen := os.environ.get("MBS_DAE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return Path(base).expanduser() / "mbs_dae"


def read(path: Path) -> bytes | None:
    """What is in a sealed file; None if it is not there, not whole, or might be somebody else's."""
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
    """Seal it and put it in its place at once, if there is a place for it."""
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
    return symbol in _here or _file(symbol).exists()


@contextmanager
def claimed(path: Path, meanwhile: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Nobody else makes this file; as long as another does, do something else or wait."""
    _trusted(path.parent, make=True)
    lock = path.with_suffix(".lock")
    try:
        file = open(lock, "wb")  # noqa: SIM115
    except OSError:  # no place for it: what others do is done twice
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
    """Whether another process makes it now."""
    try:
        with open(_file(symbol).with_suffix(".lock"), "rb") as file:
            return not _locked(file)
    except OSError:
        return False


def can_be_shared() -> bool:
    """Whether processes can tell each other what they make."""
    return fcntl is not None and _trusted(directory(), make=True)


def _locked(file: Any) -> bool:
    """Claim the file until it is closed, if nobody has; where the system has no such claims, everybody has them."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _trusted(place: Path, make: bool = False) -> bool:
    """Whether a directory is the user's own, and nobody else's. With `make` it is made if it is not there."""
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
        return _warn_once(place, "is no directory")
    if reason := _foreign(told):
        return _warn_once(place, f"{reason}; give it back, or name another one")
    return True


def _foreign(told: os.stat_result) -> str:
    """Why a file or directory might hold what somebody else has written."""
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
