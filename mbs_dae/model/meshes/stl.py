"""STL files of triangles, in both forms: text and binary."""

from __future__ import annotations

import re

import numpy as np

from ...errors import ModelError

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEAD, TRIANGLE = 84, RECORD.itemsize  # bytes
CORNER = re.compile(rb"^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
SAID = re.compile(rb"^[ \t]*(vertex|facet|endfacet|endsolid)\b", re.IGNORECASE | re.MULTILINE)


def triangles_of(data: bytes, what: str) -> np.ndarray:
    """Return the corners of all triangles, shape (triangles, 3, 3), in the unit of the file; `what` names the file in
    errors. The size identifies a binary file, not its first word: some binary files begin with "solid", as texts do."""
    count = int.from_bytes(data[HEAD - 4 : HEAD], "little") if len(data) >= HEAD else 0
    if len(data) == HEAD + TRIANGLE * count:
        corners = np.frombuffer(data, RECORD, count, HEAD)["corners"].astype(float)
    elif data.lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        corners = _of_text(data, what)
    else:
        size = f"{len(data)} bytes" + f", and not {HEAD + TRIANGLE * count} as {count} triangles have" * (count > 0)
        raise ModelError(f"{what} is no STL file, or a truncated one: {size}; export it again")
    if len(corners) == 0:
        raise ModelError(f"{what} holds no triangle; export the part again")
    if not np.isfinite(corners).all():
        raise ModelError(f"{what} has corners that are not finite; export the part again")
    return corners


def _of_text(data: bytes, what: str) -> np.ndarray:
    """Return the corners of triangles in a text. First words identify lines, so that a name may contain any words."""
    words = [word.lower() for word in SAID.findall(data)]
    facets, rows = words.count(b"facet"), CORNER.findall(data)
    whole = words.count(b"endfacet") == facets and words.count(b"vertex") == 3 * facets and words[-1:] == [b"endsolid"]
    if not whole:
        what = f"{what} is truncated: {words.count(b'vertex')} corners of {facets} triangles, no end"
        raise ModelError(f"{what}; export it again")
    try:
        return np.array(rows, dtype=float).reshape(facets, 3, 3)
    except ValueError as exc:
        raise ModelError(f"{what} has a corner that is not three numbers; export it again") from exc
