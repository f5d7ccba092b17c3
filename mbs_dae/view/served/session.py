"""Hold the model file as it was last read, and run one motion at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple, Protocol

from ...errors import MbsError
from ...results.result import Result
from ...unit_system import Units, shown_in
from ..page.html import choices_of
from ..page.scene import Choices
from .answers import answer, error_line, opening
from .requests import Senseless, request_of, version_of
from .runs import FileContent, MotionRequest, run

OVERTAKEN = {"overtaken": True}
Gone = Callable[[], bool]


class Source(Protocol):
    """A model file."""

    def read(self) -> FileContent: ...
    def changed(self) -> bool:
        """Return whether the file, or a module that it imports from its folder, has changed since it was read."""
        ...


class Overtaken(Exception):
    """No client waits for this run any more."""


class PageVersion(NamedTuple):
    """A model file that was read, and the page that shows it."""

    version: int
    content: FileContent
    page: str
    choices: Choices


@dataclass
class Session:
    source: Source
    choices: Mapping[str, Any]
    current: PageVersion = field(init=False)
    trouble: str = ""
    """The error of the file as it is now; the previous page stays in use."""
    one_at_a_time: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        choices = dict(self.choices)
        self.units: Units = choices.pop("units", Units())
        self.choices = choices
        self.current = self._read(1)

    def look(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Read the file again if it has changed; return the version of the page and the trouble with the file."""
        version_of(body)
        if self.source.changed():
            with self.one_at_a_time:
                if self.source.changed():  # another page may have sent a request first
                    try:
                        self.current, self.trouble = self._read(self.current.version + 1), ""
                    except Exception as error:
                        self.trouble = error_line(error)
        return {"version": self.current.version, "trouble": self.trouble}

    def run(self, body: Mapping[str, Any], gone: Gone) -> dict[str, Any]:
        """Return the requested motion, or a message why there is none; raise an error if the request is malformed."""
        current, version = self.current, version_of(body)
        if version != current.version:
            return OVERTAKEN
        try:
            request = request_of(body, current.content)
        except Senseless as error:
            return {"error": error_line(error)}
        with self.one_at_a_time:

            def watch(done: int, total: int) -> None:
                if gone():
                    raise Overtaken

            try:
                watch(0, 0)
                result, initial = run(current.content, request, watch)
                with shown_in(self.units):  # each page is answered in its own thread
                    return answer(current.content, result, initial, current.choices)
            except Overtaken:
                return OVERTAKEN
            except Exception as error:  # a force in Python may raise any error
                return {"error": error_line(error)}

    def _read(self, version: int) -> PageVersion:
        content = self.source.read()
        result, initial = _first_motion(content)
        choices = choices_of(result, **self.choices)
        with shown_in(self.units):
            return PageVersion(version, content, *opening(content, result, initial, choices, version))


def _first_motion(content: FileContent) -> tuple[Result, dict[str, float]]:
    """Return the first motion, or the part before it stops early."""
    try:
        return run(content, MotionRequest(content.first, content.times))
    except MbsError as error:
        if not len(error.facts.get("result", ())):
            raise
        return error.facts["result"], {}
