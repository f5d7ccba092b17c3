"""The work of compiling: told to who waits for it, and shared with other processes.

How long it takes follows from how much there is to compile: all that a function calls, directly or not, and that is not
in the cache. While one process compiles what it needs, others go through all that is ever needed (`mbs-dae warm`); what
one has begun the others wait for, so nothing is compiled twice. They end when the process that started them does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from . import store

RATE = 4.3e-4
"""Seconds to compile a byte of Python's own code: a rough guess, not calibrated."""
TOLD = 1.0
"""Work of fewer seconds is not told."""
WORKERS = "MBS_DAE_WORKERS"
"""The variable that says how many processes share the work; by default as many as there are processors, up to four."""


def seconds(function: Any) -> float:
    """How long it will take to compile a function, with all that it calls and that is not in the cache."""
    try:
        there = {name.rpartition(".")[0].rpartition(".")[0] for name in os.listdir(store.directory())}
    except OSError:
        there = set()
    found: list[Any] = []
    rest = [function]
    while rest:
        one = rest.pop()
        if one not in found and not (one.entries or one.parts or (one.apart and _name(one) in there)):
            found.append(one)
            names, known = one.py_func.__code__.co_names, one.py_func.__globals__
            rest += [known[name] for name in names if isinstance(known.get(name), type(function))]
    return RATE * sum(len(one.py_func.__code__.co_code) for one in found)


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def begin(function: Any) -> None:
    """Tell that a function that Python calls, with all that it calls, is compiled now; and let others help."""
    time = seconds(function)
    if time >= TOLD and os.environ.get(WORKERS) != "0":
        place, what = function.__module__.removeprefix("mbs_dae."), function.__name__.strip("_")
        told = f"mbs_dae: compiling {place}.{what}, once per installation (about {time:.0f} s)"
        print(told, file=sys.stderr, flush=True)
    if time >= TOLD:
        _helpers()


@cache
def _helpers() -> list[Any]:
    """Other processes that compile, if there are processors for them."""
    wanted = int(os.environ.get(WORKERS, min(os.cpu_count() or 1, 4)))
    made = []
    for _ in range(wanted - 1):
        with suppress(OSError):
            command = [sys.executable, "-c", "from mbs_dae.verbs.warm import help_out; help_out()"]
            place = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)])
            told = os.environ | {WORKERS: "0", "PYTHONPATH": place}
            quiet = subprocess.DEVNULL
            made.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=told))
    return made
