"""Limit the time that a member may take, and stop members on request."""

from collections.abc import Callable
from time import monotonic

from ...errors import IntegrationError


class OutOfTime(IntegrationError):
    """A member was stopped because its run exceeded `max_seconds`."""


class Clock:
    """Watches the time since a member began, as the `progress` of a verb or through calls of `check`."""

    def __init__(self, seconds: float | None, stopped: Callable[[], bool]):
        self.seconds, self.stopped = seconds, stopped
        self.end = float("inf") if seconds is None else monotonic() + seconds

    def __call__(self, done: int, total: int) -> None:
        self.check(f", after {done} of {total} times")

    def check(self, where: str = "") -> None:
        if self.stopped():
            raise KeyboardInterrupt
        if self.seconds is not None and monotonic() > self.end:
            what = f"stopped: it took longer than {self.seconds:g} s{where}"
            raise OutOfTime(f"{what}; allow more with max_seconds=, raise rtol, or smooth what makes steps short")
