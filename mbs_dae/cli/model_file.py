"""A model file behind a page: the file is read again if it, or a module that it imports from its folder, has
changed."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import mbs_dae as mbs

from ..view.served.runs import FileContent, Verbs
from ..view.served.server import Server
from ..view.served.session import Session
from .files import Setting, load_module

VERBS = Verbs(mbs.kinematics, mbs.inverse_dynamics, mbs.simulate, mbs.assemble)


class ModelFile:
    """A model file. `times` makes the times of a run from TIMES in the file; `initial` takes precedence over its
    INITIAL values."""

    def __init__(
        self, path: Path, settings: Mapping[str, Setting], times: Callable[[Any], Any], initial: Mapping[str, float]
    ):
        self.path, self.settings, self.times, self.initial = path, settings, times, initial
        self.strangers = frozenset(sys.modules)  # modules loaded before are no neighbours
        self.seen = {path.resolve(): _state(path)}
        """The files that matter, as they were when they were read."""

    def changed(self) -> bool:
        return any(_state(path) != state for path, state in self.seen.items())

    def read(self) -> FileContent:
        """Read the file anew, with the present versions of its neighbours."""
        folder = self.path.resolve().parent
        self.seen = {path: _state(path) for path in self.seen}

        def watch(files: Iterable[str | None]) -> None:
            """Note the files in the folder of the model whose changes matter."""
            for path in (Path(file).resolve() for file in files if file):
                if path.is_relative_to(folder):
                    self.seen.setdefault(path, _state(path))

        for name in self._neighbours():
            del sys.modules[name]
        written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # or a quick second save is missed
        try:
            model, module = load_module(self.path, self.settings)
        except mbs.ModelError as error:
            watch(_files_of(error))
            raise
        finally:
            sys.dont_write_bytecode = written
            watch(getattr(sys.modules[name], "__file__", None) for name in self._neighbours())
        times = self.times(getattr(module, "TIMES", None))
        initial = self.initial or getattr(module, "INITIAL", None)
        return FileContent(model, times, initial, getattr(module, "OPTIONS", {}), VERBS)

    def _neighbours(self) -> list[str]:
        """Return the modules that the file imported from its own folder, with their submodules."""
        new = [name for name in sys.modules if name not in self.strangers]
        heads = {name.partition(".")[0] for name in new} - self.strangers
        local: set[str] = set()
        for head in heads:
            if file := getattr(sys.modules.get(head), "__file__", None):
                path = Path(file).resolve()
                home = path.parent.parent if path.name == "__init__.py" else path.parent
                if home == self.path.resolve().parent:
                    local.add(head)
        return [name for name in new if name.partition(".")[0] in local]


def serve(file: ModelFile, port: int, choices: Mapping[str, Any], ready: Callable[[str], Any]) -> None:
    """Serve the page of a model file until Ctrl-C."""
    server = Server(Session(file, choices), port)
    with server:
        ready(server.address)
        server.serve_forever()


def _state(path: Path) -> tuple[int, int] | None:
    """Return the time of the last change of a file, in ns, and its size in bytes; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _files_of(error: BaseException | None) -> list[str]:
    """Return the files in which an error and its causes were raised."""
    files: list[str] = []
    while error is not None:
        files += [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        files += [error.filename] if isinstance(error, SyntaxError) and error.filename else []
        error = error.__cause__
    return files
