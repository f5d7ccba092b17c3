"""A progress bar for runs that take long, where somebody is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENT = 2.0
"""Seconds after which a bar appears."""

Progress = Callable[[int, int], Any]


@contextmanager
def progress_bar(what: str, given: Progress | None = None) -> Iterator[Progress]:
    """A callback ``progress(done, total)``: the one given, or one that draws a bar on a terminal once it takes long."""
    if given is not None or not sys.stderr.isatty():
        yield given or (lambda done, total: None)
        return
    bar = _LateBar(what)
    try:
        yield bar
    finally:
        bar.close()


class _LateBar:
    def __init__(self, what: str):
        self._what = what
        self._begun = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and time.monotonic() - self._begun > PATIENT:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=total)
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
