"""Where chunks are kept: in memory, or in a folder as they come."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from ...errors import ModelError
from ...motion.past.recipe import recipe_of
from ...results.files import file_at
from ...results.result import State
from ..runs.chunk import DONE, UNDONE, Chunk, Failure, check_alike
from ..runs.recipe import Recipe
from ..values import Designs

FORMAT = 1


class Store:
    """All members of a study, as far as they are done."""

    def __init__(self, members: int, size: int):
        """`size` members are a chunk."""
        self.size = size
        self.state = np.full(members, UNDONE, dtype=np.int8)
        self.failures: dict[int, Failure] = {}
        self.facts: dict[int, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}

    def missing(self) -> list[int]:
        """The chunks that are not complete, by their first members."""
        return [first for first in range(0, self.state.size, self.size) if (self._of(first) == UNDONE).any()]

    def _of(self, first: int) -> np.ndarray:
        return self.state[first : first + self.size]

    def check(self, chunk: Chunk) -> None:
        """That it has the names and shapes of those before it."""
        if chunk.arrays and self.arrays:
            shapes = ({name: array.shape[1:] for name, array in some.items()} for some in (chunk.arrays, self.arrays))
            check_alike(*shapes)

    def put(self, chunk: Chunk) -> None:
        for name, rows in chunk.arrays.items():
            self._put(name, chunk, rows)
        self._note(chunk)

    def _note(self, chunk: Chunk) -> None:
        self._of(chunk.first)[:] = chunk.state
        self.failures |= {failure.member: failure for failure in chunk.failures}
        self.facts |= {chunk.first + k: facts for k, facts in enumerate(chunk.facts) if facts is not None}

    def _put(self, name: str, chunk: Chunk, rows: np.ndarray) -> None:
        if name not in self.arrays:
            self.arrays[name] = np.full((self.state.size, *rows.shape[1:]), np.nan)
        good = np.flatnonzero(chunk.state == DONE)
        self.arrays[name][chunk.first + good] = rows[good]


class Folder(Store):
    """The same in files: arrays as numpy writes them, one for each quantity; a file of JSON for each chunk, which is
    written last, so that what has one is there."""

    def __init__(self, place: Path, members: int, size: int):
        super().__init__(members, size)
        self.place = place
        for file in sorted((place / "chunks").glob("*.json")):
            self._note(chunk_of(json.loads(file.read_text())))
        for file in sorted((place / "data").glob("*.npy")):
            self.arrays[unquote(file.stem)] = np.load(file, mmap_mode="r")
        if (self.state == DONE).any() and not self.arrays:
            raise ValueError("members are done, and there are no arrays of them")

    def put(self, chunk: Chunk) -> None:
        super().put(chunk)
        told = {"first": chunk.first, "state": chunk.state.tolist(), "facts": chunk.facts}
        told["failures"] = [asdict(failure) for failure in chunk.failures]
        write(self.place / "chunks" / f"{chunk.first:09d}.json", json.dumps(told))

    def _put(self, name: str, chunk: Chunk, rows: np.ndarray) -> None:
        """By writing, not through a map: where the disk is full that is an error, and no signal."""
        file, shape = self.place / "data" / f"{quote(name, safe='')}.npy", (self.state.size, *rows.shape[1:])
        if name not in self.arrays:
            begin_array(file, shape)
            self.arrays[name] = np.load(file, mmap_mode="r")
        known = self.arrays[name]
        with file.open("r+b") as out:
            out.seek(file.stat().st_size - known.nbytes + chunk.first * known[:1].nbytes)
            out.write(np.ascontiguousarray(rows, dtype=float).tobytes())
            out.flush()
            os.fsync(out.fileno())


def begin_array(file: Path, shape: tuple[int, ...]) -> None:
    """A file for an array, of its full length: what is not written takes no place. It is there as a whole, or not."""
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(out, header)
        out.truncate(out.tell() + 8 * int(np.prod(shape)))
    os.replace(part, file)


def write(file: Path, text: str) -> None:
    """All of it, or nothing."""
    part = file.with_suffix(".part")
    with part.open("w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, file)


def chunk_of(told: Mapping[str, Any]) -> Chunk:
    failures = [Failure(**one) for one in told["failures"]]
    return Chunk(told["first"], np.array(told["state"], dtype=np.int8), {}, failures, list(told["facts"]))


# --- a folder, and the study that it is of ----------------------------------------------------------------------


def said_of(recipe: Recipe) -> dict[str, Any]:
    """What a study does, in plain words and numbers: by this it is known again."""
    options, initial = dict(sorted((recipe.options or {}).items())), recipe.initial
    start = [*map(float, initial.full_q), *map(float, initial.full_v)] if isinstance(initial, State) else initial
    return {
        "model": recipe.bare.name,
        "equations": equations_of(recipe),
        "verb": recipe.verb,
        "function": _called(recipe.function),
        "options": repr(options),
        "initial": repr(start),
        "outputs": None if recipe.outputs is None else list(recipe.outputs),
        "names": list(recipe.names),
        "max_seconds": recipe.max_seconds,
    }


def equations_of(recipe: Recipe) -> str:
    """By which a model is known again: a digest of all that was said of it, and of its coordinates."""
    system = recipe.system
    said = json.dumps([recipe_of(recipe.bare), system.coordinates.set, str(system.structure.tree)], default=str)
    return hashlib.sha256(said.encode()).hexdigest()


def _called(function: Any) -> str | None:
    """A function's name, and a digest of what it does."""
    if function is None:
        return None
    code = getattr(function, "__code__", None)
    does = hashlib.sha256(code.co_code + repr(code.co_names).encode()).hexdigest()[:12] if code else repr(function)
    return f"{getattr(function, '__qualname__', '')} {does}"


def _plain(recipe: Recipe) -> dict[str, Any] | None:
    """What makes members again, where a file can hold it."""
    given = {"options": dict(recipe.options or {}), "initial": recipe.initial}
    try:
        json.dumps(given)
    except TypeError:
        return None
    return given


class Opened(NamedTuple):
    """A folder that was saved: what is kept, what was said of the study, its designs and times."""

    store: Folder
    said: Mapping[str, Any]
    designs: Designs
    times: np.ndarray


def folder_of(place: str | Path, recipe: Recipe, designs: Designs, size: int) -> Folder:
    """A new folder for a study, or one in which it was begun."""
    path, said = file_at(place, 'e.g. save="study"'), said_of(recipe)
    index = path / "study.json"
    if index.exists():
        old = _opened(path)
        differ = [name for name in said if old.said.get(name) != said[name]]
        differ += ["designs"] * (not np.array_equal(old.designs.values, designs.values))
        differ += ["times"] * (not np.array_equal(old.times, recipe.times))
        if differ:
            what = f"save={str(place)!r} holds another study: {', '.join(differ)} differ"
            raise ModelError(f"{what}; choose another folder, or delete this one")
        return old.store
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ModelError(f"save={str(place)!r} is there and is no study; choose another folder")
    try:
        for part in (path, path / "data", path / "chunks"):
            part.mkdir(parents=True, exist_ok=True)
        np.save(path / "designs.npy", designs.values)
        np.save(path / "times.npy", recipe.times)
        axes = designs.axes and {name: values.tolist() for name, values in designs.axes.items()}
        told = {"format": FORMAT, "members": len(designs), "chunk": size, "axes": axes, "given": _plain(recipe)}
        write(index, json.dumps(told | said))
    except OSError as wrong:
        raise ModelError(f"save={str(place)!r} cannot be written: {wrong}; choose another folder") from wrong
    return Folder(path, len(designs), size)


def open_folder(place: str | Path) -> Opened:
    path = file_at(place, "give the folder that was named as save=")
    if not (path / "study.json").exists():
        raise ModelError(f"{str(place)!r} is no saved ensemble; give the folder that was named as save=")
    return _opened(path)


def _opened(path: Path) -> Opened:
    """What was not written to its end, or was changed since, is no study."""
    try:
        said = json.loads((path / "study.json").read_text())
        axes = said["axes"] and {name: np.array(values) for name, values in said["axes"].items()}
        designs = Designs(tuple(said["names"]), np.load(path / "designs.npy"), axes)
        store = Folder(path, said["members"], said["chunk"])
        return Opened(store, said, designs, np.load(path / "times.npy"))
    except (OSError, ValueError, KeyError, TypeError, EOFError) as wrong:
        what = f"{str(path)!r} is damaged ({type(wrong).__name__}: {wrong})"
        raise ModelError(f"{what}; delete it and run the study again, or choose another folder") from wrong
