"""The formats of files, by the endings of their names."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

from ...errors import ModelError
from ...provided import provided
from ...unit_system import UnitsLike, shown_in
from ..result import Result
from .archives import read_netcdf, read_npz, write_netcdf, write_npz
from .contents import Arrays, Header, result_of
from .exports import write_csv, write_excel, write_matlab, write_parquet
from .tables import columns_of
from .writing import file_at, replacing

Write = Callable[..., None]
"""A function that writes a result to a path, with options for drawing."""
Read = Callable[[Path], tuple[Header, Arrays]]
"""A function that reads the header and the arrays of a result."""


class Format(NamedTuple):
    what: str
    write: Write
    read: Read | None = None
    """The function that reads a result from such a file; None if there is none."""
    choices: tuple[str, ...] = ()
    """The names of the options for drawing."""
    is_read: bool = True
    """Whether a file of this format may hold numbers in units other than SI."""


def _whole(write: Write) -> Write:
    """Return a writer that keeps an old file until the new one is complete."""

    def written(result: Result, path: Path) -> None:
        with replacing(path, "choose another place, or create it") as place:
            write(result, place)

    return written


def _picture(result: Result, path: Path, **choices: Any) -> None:
    result.animate(path, **choices)


def _page(result: Result, path: Path, **choices: Any) -> None:
    provided("Result.page")(result, path, **choices)


OF_PAGES = ("plots", "trace", "view", "speed", "live")
OF_PICTURES = ("fps", "speed", "trace", "size", "view")
FORMATS: dict[str, Format] = {
    ".npz": Format("everything, for mbs.load", _whole(write_npz), read_npz, is_read=False),
    ".nc": Format("everything, for mbs.load and xarray", _whole(write_netcdf), read_netcdf),
    ".csv": Format(
        "a table", _whole(lambda result, path: write_csv({c.heading: c.values for c in columns_of(result)}, path))
    ),
    ".xlsx": Format(
        "a table for spreadsheets", _whole(lambda result, path: write_excel(columns_of(result), path, "result"))
    ),
    ".mat": Format(
        "a table for MATLAB", _whole(lambda result, path: write_matlab(columns_of(result), path, result.title))
    ),
    ".parquet": Format("a table for pandas", _whole(write_parquet)),
    ".html": Format("a page that plays in any browser", _page, choices=OF_PAGES),
    ".gif": Format("a film", _picture, choices=OF_PICTURES),
    ".mp4": Format("a film", _picture, choices=OF_PICTURES),
    ".png": Format("a still of several poses", _picture, choices=OF_PICTURES),
    ".svg": Format("a still of several poses", _picture, choices=OF_PICTURES),
}
"""The formats by the ending of a file's name."""

UNREADABLE = (
    OSError, ValueError, KeyError, IndexError, TypeError, EOFError, AttributeError, NotImplementedError,
    RuntimeError, MemoryError, BadZipFile, zlib.error,
)  # fmt: skip
"""The errors from reading a file that is truncated, encrypted, nested without end, or claims to be larger than
memory."""


def save(result: Result, path: str | Path, *, units: UnitsLike = None, degrees: bool = False, **choices: Any) -> Path:
    """Write a result in the format of the name's ending, .npz without one, and return the path. `choices` are options
    for drawing."""
    path = _with_ending(path)
    if path.suffix.lower() not in FORMATS:
        what = f"cannot write a result to {str(path)!r}: no format is called {path.suffix!r}"
        raise ModelError(
            f"{what}; end the name in one of {', '.join(FORMATS)}",
            code="unknown-format", argument="path", file=str(path), format=path.suffix, choices=tuple(FORMATS),
        )  # fmt: skip
    chosen = FORMATS[path.suffix.lower()]
    if choices and not chosen.choices:
        what = f"{str(path)!r} is {chosen.what}, which is not drawn: it takes no {', '.join(choices)}"
        raise ModelError(
            f"{what}; leave that out, or end the name in .html",
            code="not-supported", argument="choices", names=tuple(choices), file=str(path), format=path.suffix,
        )  # fmt: skip
    if strange := [name for name in choices if name not in chosen.choices]:
        what = f"{str(path)!r} is {chosen.what}, which takes no {', '.join(strange)}"
        raise ModelError(
            f"{what}; its choices are {', '.join(chosen.choices)}",
            code="unknown-name", argument="choices", names=tuple(strange), file=str(path), format=path.suffix,
            choices=tuple(chosen.choices),
        )  # fmt: skip
    if (units is not None or degrees) and not chosen.is_read:
        what = f"{str(path)!r} is {chosen.what}, which is in SI"
        raise ModelError(
            f"{what}; leave units= and degrees= out, or end the name in .csv, .xlsx or .nc",
            code="not-supported", argument="degrees" if units is None else "units", file=str(path), format=path.suffix,
        )  # fmt: skip
    with shown_in(units, degrees):
        chosen.write(result, path, **choices)
    return path


def load(path: str | Path) -> Result:
    """Return the `Result` in a file that `Result.save` wrote as .npz or .nc; the ending .npz may be omitted, as in
    `save`.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> path = mbs.kinematics(rod, [0, 0.5, 1]).save("turned.npz")
    >>> mbs.load("turned.npz")["rod.angle"]
    array([0., 1., 2.])
    """
    path = _with_ending(path)
    found = FORMATS.get(path.suffix.lower())
    if found is None or found.read is None:
        readable = " or ".join(ending for ending, format in FORMATS.items() if format.read)
        what = f"is {found.what}" if found else "is not a result"
        raise ModelError(
            f"{str(path)!r} {what}, which cannot be read back; load what result.save wrote as {readable}",
            code="format-not-readable", argument="path", file=str(path), format=path.suffix,
        )  # fmt: skip
    try:
        return result_of(*found.read(path), str(path))
    except ModelError:
        raise
    except FileNotFoundError as exc:
        raise ModelError(
            f"there is no file {str(path)!r}; save a result first: result.save(path)",
            code="no-such-file", file=str(path),
        ) from exc  # fmt: skip
    except UNREADABLE as exc:
        raise ModelError(
            f"{str(path)!r} is not a result file of mbs_dae; write one with result.save(path)",
            code="cannot-read-file", file=str(path), exception=type(exc).__name__,
        ) from exc  # fmt: skip


def _with_ending(path: str | Path) -> Path:
    path = file_at(path, "e.g. 'run.npz'")
    return path if path.suffix else path.with_name(f"{path.name}.npz")
