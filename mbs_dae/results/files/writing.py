"""Writing of files: a file appears when it is complete, and not before; packages that one format only needs."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any

from ...errors import ModelError

EXTRAS = dict.fromkeys(("pandas", "xarray", "h5py", "h5netcdf", "openpyxl"), "data")
EXTRAS |= {"pyarrow": "parquet", "gymnasium": "learning"}
"""The extra of mbs_dae that brings each package."""


def file_at(path: object, remedy: str) -> Path:
    """Return the path, if it names a file; raise an error otherwise."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ModelError(
            f"a file is named by a text or a Path, not by {path!r}; {remedy}",
            code="wrong-type", argument="path", value=path,
        )  # fmt: skip
    file = Path(path)
    try:
        os.fsencode(file)
    except UnicodeEncodeError:
        file = Path()
    if not file.name.strip(".") or "\0" in str(file):
        raise ModelError(f"{str(path)!r} names no file; {remedy}", code="no-file-name", argument="path", value=path)
    return file


@contextmanager
def replacing(path: Path, remedy: str) -> Iterator[Path]:
    """Yield a temporary path beside a file, which takes the file's name once it is written: a full disk, or Ctrl-C,
    leaves the old file unchanged."""
    place = path.parent / f".{token_hex(8)}{path.suffix}"  # a short name: names have a greatest length
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield place
        place.replace(path)
    except OSError as exc:
        raise ModelError(
            f"cannot write {str(path)!r}: {exc.strerror or exc}; {remedy}",
            code="cannot-write-file", file=str(path), reason=exc.strerror or str(exc),
        ) from exc  # fmt: skip
    finally:
        with suppress(OSError):  # the file was renamed, or never written
            place.unlink()


def package(name: str, what: str) -> Any:
    """Return the imported package, or raise an error that `what` needs it."""
    try:
        return import_module(name)
    except ImportError as exc:
        raise ModelError(
            f"{what} needs {name}; install it with: pip install 'mbs_dae[{EXTRAS[name]}]'",
            code="package-missing", package=name, purpose=what, extra=EXTRAS[name],
        ) from exc  # fmt: skip
