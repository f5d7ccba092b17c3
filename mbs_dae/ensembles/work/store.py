"""Store chunks in memory, or in a folder as they are finished."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
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
    """The results of all members of a study, as far as they are done."""

    def __init__(self, members: int, size: int):
        """Make an empty store; a chunk has `size` members."""
        self.size = size
        self.state = np.full(members, UNDONE, dtype=np.int8)
        self.failures: dict[int, Failure] = {}
        self.facts: dict[int, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}

    def missing(self) -> list[int]:
        """Return the first members of the chunks that are not complete."""
        return [first for first in range(0, self.state.size, self.size) if (self._of(first) == UNDONE).any()]

    def _of(self, first: int) -> np.ndarray:
        return self.state[first : first + self.size]

    def check(self, chunk: Chunk) -> None:
        """Raise a `ModelError` unless the chunk has the names and shapes of the stored arrays."""
        if chunk.arrays and self.arrays:
            shapes = (
                {name: array.shape[1:] for name, array in arrays.items()} for arrays in (chunk.arrays, self.arrays)
            )
            check_alike(*shapes)

    def put(self, chunk: Chunk) -> None:
        """Store the results of a chunk."""
        for name, rows in chunk.arrays.items():
            self._put(name, chunk, rows)
        self._put_states(chunk)

    def _put_states(self, chunk: Chunk) -> None:
        self._of(chunk.first)[:] = chunk.state
        self.failures |= {failure.member: failure for failure in chunk.failures}
        self.facts |= {chunk.first + k: facts for k, facts in enumerate(chunk.facts) if facts is not None}

    def _put(self, name: str, chunk: Chunk, rows: np.ndarray) -> None:
        if name not in self.arrays:
            self.arrays[name] = np.full((self.state.size, *rows.shape[1:]), np.nan)
        good = np.flatnonzero(chunk.state == DONE)
        self.arrays[name][chunk.first + good] = rows[good]


class FolderStore(Store):
    """A store in files: an array file in numpy's format for each quantity, and a JSON file for each chunk, which is
    written last, so that a chunk with a JSON file is complete."""

    def __init__(self, place: Path, members: int, size: int):
        super().__init__(members, size)
        self.place = place
        for file in sorted((place / "chunks").glob("*.json")):
            self._put_states(chunk_of(json.loads(file.read_text())))
        for file in sorted((place / "data").glob("*.npy")):
            self.arrays[unquote(file.stem)] = np.load(file, mmap_mode="r")
        if (self.state == DONE).any() and not self.arrays:
            raise ValueError("members are done, and there are no arrays of them")

    def put(self, chunk: Chunk) -> None:
        super().put(chunk)
        data = {"first": chunk.first, "state": chunk.state.tolist(), "facts": chunk.facts}
        data["failures"] = [asdict(failure) for failure in chunk.failures]
        write(self.place / "chunks" / f"{chunk.first:09d}.json", json.dumps(data))

    def _put(self, name: str, chunk: Chunk, rows: np.ndarray) -> None:
        """Write the rows through the file instead of a memory map: a full disk then raises an error, and no signal."""
        file, shape = self.place / "data" / f"{quote(name, safe='')}.npy", (self.state.size, *rows.shape[1:])
        if name not in self.arrays:
            begin_array(file, shape)
            self.arrays[name] = np.load(file, mmap_mode="r")
        array = self.arrays[name]
        with file.open("r+b") as out:
            out.seek(file.stat().st_size - array.nbytes + chunk.first * array[:1].nbytes)
            out.write(np.ascontiguousarray(rows, dtype=float).tobytes())
            out.flush()
            os.fsync(out.fileno())


def begin_array(file: Path, shape: tuple[int, ...]) -> None:
    """Create a file for an array with its full length, in one atomic step; unwritten parts take no disk space."""
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(out, header)
        out.truncate(out.tell() + 8 * int(np.prod(shape)))
    os.replace(part, file)


def write(file: Path, text: str) -> None:
    """Write a text file in one atomic step."""
    part = file.with_suffix(".part")
    with part.open("w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, file)


def chunk_of(data: Mapping[str, Any]) -> Chunk:
    """Return the chunk of a JSON file, without its arrays."""
    failures = [Failure(**failure) for failure in data["failures"]]
    return Chunk(data["first"], np.array(data["state"], dtype=np.int8), {}, failures, list(data["facts"]))


# --- a folder, and the study that it is of ----------------------------------------------------------------------


def description_of(recipe: Recipe) -> dict[str, Any]:
    """Return the description of a study by names and numbers, which decides whether a folder holds the same study."""
    options, initial = dict(sorted((recipe.options or {}).items())), recipe.initial
    start = [*map(float, initial.full_q), *map(float, initial.full_v)] if isinstance(initial, State) else initial
    function: str | None = None
    if recipe.function is not None:  # its name, with a digest of its code, its defaults and the values that it encloses
        digest = hashlib.sha256(repr(_content(recipe.function, ())).encode()).hexdigest()[:12]
        function = f"{getattr(recipe.function, '__qualname__', '')} {digest}"
    return {
        "model": recipe.bare.name,
        "equations": equations_of(recipe),
        "verb": recipe.verb,
        "function": function,
        "options": repr(options),
        "initial": repr(start),
        "outputs": None if recipe.outputs is None else list(recipe.outputs),
        "names": list(recipe.names),
        "max_seconds": recipe.max_seconds,
    }


def equations_of(recipe: Recipe) -> str:
    """Return a digest of the model and its coordinates, by which the model is recognised."""
    system = recipe.system
    text = json.dumps([recipe_of(recipe.bare), system.coordinates.set, str(system.structure.tree)], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _content(value: Any, outer: tuple[int, ...]) -> Any:
    """Return what a function, its code, or a value in it consists of, as text that is equal in every process. `outer`
    are the functions that enclose the value: a function that calls itself counts by its name there."""
    if isinstance(value, MethodType | partial):
        owner = value.__self__ if isinstance(value, MethodType) else (value.args, value.keywords)
        function = value.__func__ if isinstance(value, MethodType) else value.func
        return _content(function, outer), _content(owner, outer)
    if isinstance(value, CodeType):
        constants = [_content(constant, outer) for constant in value.co_consts]
        return value.co_code.hex(), value.co_names, value.co_freevars, constants
    if isinstance(value, FunctionType):
        if id(value) in outer:
            return value.__qualname__
        inner = (*outer, id(value))
        closure = []
        for cell in value.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:  # it has no value yet
                contents = None
            closure.append(_content(contents, inner))
        defaults = _content(value.__defaults__, inner), _content(value.__kwdefaults__, inner)
        return _content(value.__code__, inner), defaults, closure
    if isinstance(value, tuple | list):
        return [_content(item, outer) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(_content(item, outer)) for item in value)
    if isinstance(value, dict):
        return [(repr(name), _content(item, outer)) for name, item in value.items()]
    if isinstance(value, np.ndarray) and value.dtype != object:
        return str(value.dtype), value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    text = repr(value)
    return kind, kind if " at 0x" in text else text


def _json_arguments(recipe: Recipe) -> dict[str, Any] | None:
    """Return the options and initial values with which members are run again; None if JSON cannot hold them."""
    arguments = {"options": dict(recipe.options or {}), "initial": recipe.initial}
    try:
        json.dumps(arguments)
    except TypeError:
        return None
    return arguments


class SavedStudy(NamedTuple):
    """A folder that was saved: the stored members, the description of the study, its designs and times."""

    store: FolderStore
    description: Mapping[str, Any]
    designs: Designs
    times: np.ndarray


def folder_of(place: str | Path, recipe: Recipe, designs: Designs, size: int) -> FolderStore:
    """Return a new folder for a study, or the folder in which the study was begun."""
    path, description = file_at(place, 'e.g. save="study"'), description_of(recipe)
    index = path / "study.json"
    if index.exists():
        old = _saved_study(path)
        differ = [name for name in description if old.description.get(name) != description[name]]
        differ += ["designs"] * (not np.array_equal(old.designs.values, designs.values))
        differ += ["times"] * (not np.array_equal(old.times, recipe.times))
        if differ:
            what = f"save={str(place)!r} holds another study: {', '.join(differ)} differ"
            raise ModelError(
                f"{what}; choose another folder, or delete this one",
                code="folder-of-other-study", argument="save", folder=str(place), names=tuple(differ),
            )  # fmt: skip
        return old.store
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ModelError(
            f"save={str(place)!r} is there and is not a study; choose another folder",
            code="folder-taken", argument="save", folder=str(place),
        )  # fmt: skip
    try:
        for part in (path, path / "data", path / "chunks"):
            part.mkdir(parents=True, exist_ok=True)
        np.save(path / "designs.npy", designs.values)
        np.save(path / "times.npy", recipe.times)
        axes = designs.axes and {name: values.tolist() for name, values in designs.axes.items()}
        head = {"format": FORMAT, "members": len(designs), "chunk": size, "axes": axes}
        head["given"] = _json_arguments(recipe)
        write(index, json.dumps(head | description))
    except OSError as error:
        raise ModelError(
            f"save={str(place)!r} cannot be written: {error}; choose another folder",
            code="cannot-write-file", argument="save", file=str(place), reason=error.strerror or str(error),
        ) from error  # fmt: skip
    return FolderStore(path, len(designs), size)


def open_folder(place: str | Path) -> SavedStudy:
    path = file_at(place, "give the folder that was named as save=")
    if not (path / "study.json").exists():
        raise ModelError(
            f"{str(place)!r} is not a saved ensemble; give the folder that was named as save=",
            code="not-a-saved-ensemble", argument="folder", folder=str(place),
        )  # fmt: skip
    return _saved_study(path)


def _saved_study(path: Path) -> SavedStudy:
    """Return the study in a folder; raise a `ModelError` if a file is incomplete, changed or missing."""
    try:
        description = json.loads((path / "study.json").read_text())
        axes = description["axes"] and {name: np.array(values) for name, values in description["axes"].items()}
        designs = Designs(tuple(description["names"]), np.load(path / "designs.npy"), axes)
        store = FolderStore(path, description["members"], description["chunk"])
        return SavedStudy(store, description, designs, np.load(path / "times.npy"))
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        what = f"{str(path)!r} is damaged ({type(error).__name__}: {error})"
        raise ModelError(
            f"{what}; delete it and run the study again, or choose another folder",
            code="damaged-file", file=str(path), exception=type(error).__name__, reason=str(error),
        ) from error  # fmt: skip
