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
from .answers import answer, opening, told
from .asked import Senseless, version_of, wanted_of
from .runs import Said, Wanted, run

OVERTAKEN = {"overtaken": True}
Gone = Callable[[], bool]


class Source(Protocol):
    """A model file."""

    def read(self) -> Said: ...
    def changed(self) -> bool:
        """Return whether the file, or a module that it imports from its folder, has changed since it was read."""
        ...


class Overtaken(Exception):
    """No client waits for this run any more."""


class Opened(NamedTuple):
    """A model file that was read, and the page that shows it."""

    version: int
    said: Said
    page: str
    choices: Choices


@dataclass
class Session:
    source: Source
    choices: Mapping[str, Any]
    opened: Opened = field(init=False)
    trouble: str = ""
    """The error of the file as it is now; the previous page stays in use."""
    one_at_a_time: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        chosen = dict(self.choices)
        self.units: Units = chosen.pop("units", Units())
        self.choices = chosen
        self.opened = self._read(1)

    def look(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Read the file again if it has changed; return the version of the page and the trouble with the file."""
        version_of(body)
        if self.source.changed():
            with self.one_at_a_time:
                if self.source.changed():  # another page may have asked first
                    self._read_again()
        return {"version": self.opened.version, "trouble": self.trouble}

    def run(self, body: Mapping[str, Any], gone: Gone) -> dict[str, Any]:
        """Return the requested motion, or a message why there is none; raise an error if the request is malformed."""
        opened, version = self.opened, version_of(body)
        if version != opened.version:
            return OVERTAKEN
        try:
            wanted = wanted_of(body, opened.said)
        except Senseless as error:
            return {"error": told(error)}
        with self.one_at_a_time:
            try:
                _check(gone)
                result, initial = run(opened.said, wanted, lambda done, total: _check(gone))
                with shown_in(self.units):  # each page is answered in its own thread
                    return answer(opened.said, result, initial, opened.choices)
            except Overtaken:
                return OVERTAKEN
            except Exception as error:  # a force in Python may raise any error
                return {"error": told(error)}

    def _read(self, version: int) -> Opened:
        said = self.source.read()
        result, initial = _as_far_as_it_goes(said)
        choices = choices_of(result, **self.choices)
        with shown_in(self.units):
            return Opened(version, said, *opening(said, result, initial, choices, version))

    def _read_again(self) -> None:
        try:
            self.opened, self.trouble = self._read(self.opened.version + 1), ""
        except Exception as error:
            self.trouble = told(error)


def _as_far_as_it_goes(said: Said) -> tuple[Result, dict[str, float]]:
    """Return the first motion, or the part before it stops early."""
    try:
        return run(said, Wanted(said.first, said.times))
    except MbsError as error:
        if not len(error.facts.get("result", ())):
            raise
        return error.facts["result"], {}


def _check(gone: Gone) -> None:
    if gone():
        raise Overtaken
