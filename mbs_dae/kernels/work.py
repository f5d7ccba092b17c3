"""The work of compiling all functions that lie apart: reported to the user, and shared with other processes.

A process compiles a function when it needs it, after the functions that this one calls. At the first compilation the
process starts others, and writes to their standard input the names of the functions that it wants. The others take
these first, then all missing functions that nobody has begun and whose callees exist. A process that needs a function
which another process has begun does the same until the function is there. So nothing is compiled twice, and no process
waits idly while there is work. The others end with the process that started them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..provided import provided
from . import store

FUNCTIONS: list[Any] = []
"""All functions that lie apart, of the modules that were imported (`functions.Function`)."""
OFTEN = 5.0
"""Seconds between two lines of progress, on outputs other than terminals."""
WORKERS = "MBS_DAE_WORKERS"
"""The environment variable with the number of processes that share the work; by default the number of processors, up to
four. With 0 nothing is reported either."""


LATER = ["mbs_dae.motion.lanes.", "mbs_dae.motion.members."]
"""Prefixes of the names of functions that no process compiles ahead: only studies use them."""


def missing() -> list[Any]:
    ahead = [function for function in FUNCTIONS if not function.symbol.startswith(tuple(LATER))]
    return [function for function in ahead if not store.is_there(function.symbol)]


def ask_for(room: str) -> None:
    """Include the functions of a module of `LATER`, which are needed now, in the shared work."""
    if f"{room}." in LATER:
        LATER.remove(f"{room}.")
        begin.cache_clear()


WANTED: set[str] = set()
"""The names of the functions that some process waits for, with all functions that they call."""


def want(functions: Iterable[Any]) -> None:
    """Let all compiler processes compile these functions first, and the functions that these call."""
    roots = [function.symbol for function in functions if function.symbol not in WANTED]
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if function.symbol not in WANTED:
            WANTED.add(function.symbol)
            waiting += function.calls
    for helper in _helpers if roots else ():
        _tell(helper, roots)


def _tell(helper: Any, names: Iterable[str]) -> None:
    """Send the names of functions to a process that compiles, unless it has ended."""
    with suppress(OSError, ValueError):
        helper.stdin.write("".join(f"{name}\n" for name in names).encode())
        helper.stdin.flush()


def listen(names: Iterable[str]) -> None:
    """Read names of functions that another process waits for, one in a line, until it ends; compile these first."""
    for name in names:
        want([function for function in FUNCTIONS if function.symbol == name.strip()])


def compile_one() -> bool:
    """Compile one function that no process compiles yet, a requested one first. Return False if there is none."""
    rest = missing()
    for function in sorted(_most_urgent_first(len(FUNCTIONS)), key=lambda one: one.symbol not in WANTED):
        ready = function in rest and not any(called in rest for called in function.calls)
        if ready and not store.is_claimed(function.symbol):
            return function.compile() is not None
    return False


@cache
def _most_urgent_first(count: int) -> list[Any]:
    """Return all functions in order of urgency: by the longest chain of waiting callers, measured by the code to
    compile."""
    callers: dict[Any, list[Any]] = {function: [] for function in FUNCTIONS[:count]}
    for function in callers:
        for called in function.calls:
            callers[called].append(function)

    @cache
    def chain(function: Any) -> int:
        return function.size + max(map(chain, callers[function]), default=0)

    return sorted(callers, key=chain, reverse=True)


@cache
def begin() -> Progress:
    """Start the other processes at the first compilation, if functions are missing; return the progress."""
    provided("work.import_all")()
    given = os.environ.get(WORKERS, str(min(_processors(), 4)))
    if not given.isdecimal():
        raise ModelError(
            f"{WORKERS} is {given!r}; it says how many processes compile, so make it a number such as 2",
            code="not-an-integer", workers=WORKERS, value=given,
        )  # fmt: skip
    wanted = int(given)
    return Progress(_others(wanted - 1) if missing() else [], silent=wanted == 0)


class Progress:
    """The progress of compilation, on standard error: an upper bound, since the process may need fewer functions."""

    def __init__(self, others: list[Any], silent: bool):
        self.others, self.silent = others, silent
        self.told = time.monotonic()
        self.count = len(missing())
        self._write(self.count)

    def tell(self, function: Any) -> None:
        """Report the progress when this function is compiled."""
        if sys.stderr.isatty() or time.monotonic() - self.told > OFTEN:
            self._write(len([one for one in missing() if one is not function]))  # this one is about to be written

    def _write(self, count: int) -> None:
        if self.silent or not self.count:
            return
        self.told = time.monotonic()
        text = f"mbs_dae: compiling the solvers, once per installation: at most {count} functions left"
        over = sys.stderr.isatty()
        ends = ("" if count else "\r\033[K") if over else "\n"
        with suppress(OSError, ValueError):
            print(f"\r\033[K{text}" if over else text, end=ends, file=sys.stderr, flush=True)


_helpers: list[Any] = []
"""The processes that compile for this one."""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _others(count: int) -> list[Any]:
    """Start and return other processes that compile."""
    package = __name__.partition(".")[0]
    helping = f'import {package}; from {package}.provided import provided; provided("work.help_out")()'
    command = [sys.executable, "-c", helping]
    place = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)])
    environment, quiet = os.environ | {WORKERS: "0", "PYTHONPATH": place}, subprocess.DEVNULL
    _helpers.clear()
    with suppress(OSError):
        for _ in range(count if store.can_be_shared() else 0):
            helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment)
            _helpers.append(helper)
            _tell(helper, WANTED)
    return _helpers
