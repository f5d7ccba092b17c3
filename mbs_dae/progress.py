"""A progress bar for long runs on a terminal."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .errors import ModelError

PATIENT = 2.0
"""Seconds after which a bar appears."""

Progress = Callable[[int, int], Any]


def check_progress(given: Any) -> None:
    if given is not None and not callable(given):
        raise ModelError(
            f"progress must be a function, called as progress(done, total), not {given!r}",
            code="wrong-type", argument="progress", value=given,
        )  # fmt: skip


@contextmanager
def interrupts_noted(note: Callable[[], Any]) -> Iterator[None]:
    """Call `note` when Ctrl-C comes, before it raises KeyboardInterrupt. Python ignores what is raised in a callback of
    the garbage collector or of a weak reference, so the exception alone may be lost. `note` runs in a signal handler,
    so it must take no lock. Other threads, and programs with a handler of their own, are left as they are."""
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        note()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_progress(done: int, total: int) -> None:
    """Ignore reports of progress."""


@contextmanager
def progress_bar(what: str, given: Progress | None = None) -> Iterator[Progress]:
    """Return a callback ``progress(done, total)``: the given one, or one that draws a bar on a terminal after `PATIENT`
    seconds."""
    if given is not None or not sys.stderr.isatty():
        yield given or ignore_progress
        return
    begun, bar = time.monotonic(), None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - begun > PATIENT:
            from rich.console import Console
            from rich.progress import Progress as Bar

            bar = Bar(console=Console(stderr=True), transient=True)
            bar.start()
            bar.add_task(what, total=total)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
