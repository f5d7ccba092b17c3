"""A file is there when it is written, and not before."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import ModelError


@contextmanager
def replacing(path: Path, remedy: str) -> Iterator[Path]:
    """A place beside a file, which takes the file's name once it is written: a full disk, or Ctrl-C, leaves the old
    file as it is."""
    place = path.parent / f".{path.stem}.{os.getpid()}{path.suffix}"
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield place
        place.replace(path)
    except OSError as exc:
        raise ModelError(f"cannot write {str(path)!r}: {exc.strerror or exc}; {remedy}") from exc
    finally:
        place.unlink(missing_ok=True)
