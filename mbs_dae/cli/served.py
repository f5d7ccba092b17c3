"""A model file behind a page: it is read, and read again where it, or what it imports from beside it, has changed."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import mbs_dae as mbs

from ..view.served.runs import Said, Verbs
from ..view.served.server import Server
from ..view.served.session import Session
from .files import Setting, load_module

VERBS = Verbs(mbs.kinematics, mbs.inverse_dynamics, mbs.simulate, mbs.assemble)


class ModelFile:
    """`times` makes the times of a run of the TIMES in the file; `initial` goes before its INITIAL values."""

    def __init__(
        self, path: Path, settings: Mapping[str, Setting], times: Callable[[Any], Any], initial: Mapping[str, float]
    ):
        self.path, self.settings, self.times, self.initial = path, settings, times, initial
        self.strangers = frozenset(sys.modules)  # what was there before is none of its neighbours
        self.seen = {path.resolve(): _state(path)}
        """The files that matter, as they were when they were read."""

    def changed(self) -> bool:
        return any(_state(path) != state for path, state in self.seen.items())

    def read(self) -> Said:
        """As if for the first time: with its neighbours as they are now."""
        self.seen = {path: _state(path) for path in self.seen}
        for name in self._neighbours():
            del sys.modules[name]
        written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a second save within a second looks the same
        try:
            model, module = load_module(self.path, self.settings)
        except mbs.ModelError as error:
            self._note(_files_of(error))
            raise
        finally:
            sys.dont_write_bytecode = written
            self._note(getattr(sys.modules[name], "__file__", None) for name in self._neighbours())
        times = self.times(getattr(module, "TIMES", None))
        initial = self.initial or getattr(module, "INITIAL", None)
        return Said(model, times, initial, getattr(module, "OPTIONS", {}), VERBS)

    def _neighbours(self) -> list[str]:
        """The modules that it has brought from its own folder, and what is in them."""
        new = [name for name in sys.modules if name not in self.strangers]
        heads = {name.partition(".")[0] for name in new} - self.strangers
        folder = self.path.resolve().parent
        own = {head for head in heads if head in sys.modules and _home(sys.modules[head]) == folder}
        return [name for name in new if name.partition(".")[0] in own]

    def _note(self, files: Iterable[str | None]) -> None:
        """Note the files that matter, with those of the folder of the model."""
        folder = self.path.resolve().parent
        for path in (Path(file).resolve() for file in files if file):
            if path.is_relative_to(folder):
                self.seen.setdefault(path, _state(path))


def serve(file: ModelFile, port: int, choices: Mapping[str, Any], ready: Callable[[str], Any]) -> None:
    """Until it is interrupted."""
    server = Server(Session(file, choices), port)
    with server:
        ready(server.address)
        server.serve_forever()


def _state(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except OSError:
        return None
    return known.st_mtime_ns, known.st_size


def _home(module: Any) -> Path | None:
    """The folder in which a module lies, or the folder of a package."""
    file = getattr(module, "__file__", None)
    if not file:
        return None
    path = Path(file).resolve()
    return path.parent.parent if path.name == "__init__.py" else path.parent


def _files_of(error: BaseException | None) -> list[str]:
    """Where an error and what caused it came up."""
    found: list[str] = []
    while error is not None:
        found += [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        found += [error.filename] if isinstance(error, SyntaxError) and error.filename else []
        error = error.__cause__
    return found
