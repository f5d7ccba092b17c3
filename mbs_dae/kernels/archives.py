"""Machine code that a package brings along: one archive for each level of processors.

An archive holds files of the cache (`store`) under their names, which hold the versions of their functions: code of
another version is not found, and compiled anew. The first line is a checksum of the index in the second one; the index
says by what the code was made, and for each file its place, size and checksum. Bodies follow.
"""

import hashlib
import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba

from . import llvm

FOLDER = Path(__file__).resolve().parents[1] / "machine_code"
"""The folder of the archives in an installed package; a clone has none."""


@dataclass(frozen=True, eq=False)
class Archive:
    """An archive of machine code that fits this process."""

    path: Path
    begin: int
    """The place of the first body in the file."""
    files: Mapping[str, tuple[int, int, str]]
    """For each name the place behind `begin`, the size in bytes, and the checksum."""

    def read(self, name: str) -> bytes | None:
        """Return the body of this name; None if there is none, or another one than was written."""
        if name not in self.files:
            return None
        place, size, checksum = self.files[name]
        with self.path.open("rb") as file:
            file.seek(self.begin + place)
            body = file.read(size)
        if hashlib.sha256(body).hexdigest() == checksum:
            return body
        tell(f"{name} in {self.path} is not what was written there")
        return None


def maker() -> dict[str, Any]:
    """Return what machine code depends on besides its source, by its names."""
    python = ".".join(map(str, sys.version_info[:2]))
    versions = {"Python": python, "numba": numba.__version__, "llvmlite": llvmlite.__version__}
    return {**versions, "processor": llvm.processor()[0]}


def path_of(processor: str) -> Path:
    return FOLDER / f"{processor}.code"


@cache
def archive() -> Archive | None:
    """Return the archive for this processor, if the package has one that was made by the versions in use."""
    names = sorted(file.stem for file in FOLDER.glob("*.code"))
    if not names:
        return None
    now = maker()
    path = path_of(now["processor"])
    if now["processor"] not in names:
        tell(f"it is for processors {', '.join(names)}, and this one is {now['processor']}")
        return None
    with path.open("rb") as file:
        checksum, line = file.readline().strip(), file.readline()
        begin = file.tell()
    if hashlib.sha256(line).hexdigest().encode() != checksum:
        tell(f"the index of {path} is not what was written there")
        return None
    index = json.loads(line)
    if unlike := [f"{name} {made}, not {now[name]}" for name, made in index["maker"].items() if made != now[name]]:
        tell(f"it was made with {'; '.join(unlike)}")
        return None
    return Archive(path, begin, {name: tuple(entry) for name, entry in index["files"].items()})


def write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Write an archive of these bodies for the processor and the versions of this process."""
    entries, place = dict[str, tuple[int, int, str]](), 0
    for name, body in sorted(files.items()):
        entries[name] = place, len(body), hashlib.sha256(body).hexdigest()
        place += len(body)
    line = json.dumps({"maker": maker(), "files": entries}).encode() + b"\n"
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(hashlib.sha256(line).hexdigest().encode() + b"\n" + line)
        file.writelines(body for _, body in sorted(files.items()))


@cache
def tell(why: str) -> None:
    """Warn once that machine code of the package is not used."""
    what = f"the machine code that came with mbs_dae is not used: {why}"
    warnings.warn(f"{what}. Functions are compiled when they are first needed", RuntimeWarning, stacklevel=2)
