"""The mesh of a body: read from an STL file (text or binary), moved into body axes, and thinned."""

from __future__ import annotations

import re
import warnings
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from ...errors import ModelError
from ...results.sketch import MeshSketch
from ...tolerances import SAME_CORNER

MOST = 2000  # triangles: with ten such parts a page still draws 30 frames a second
LONGEST = 10.0  # m: a longer mesh is probably in another unit
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEAD, TRIANGLE = 84, RECORD.itemsize  # bytes
CORNER = re.compile(rb"^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
WORDS = re.compile(rb"^[ \t]*(vertex|facet|endfacet|endsolid)\b", re.IGNORECASE | re.MULTILINE)


def mesh_of(path: str | PathLike[str], who: str, scale: float, place: np.ndarray, rotation: np.ndarray) -> MeshSketch:
    """Read the mesh of a file, and return it in body axes, scaled, rotated, shifted and thinned."""
    what = f"mesh {fspath(path)!r} of {who}"
    try:
        data = Path(path).read_bytes()
    except OSError as exc:
        raise ModelError(
            f"{what} cannot be read ({exc.strerror}); give the path of an STL file",
            code="cannot-read-file", subject=who, reason=exc.strerror,
        ) from exc  # fmt: skip
    triangles = scale * triangles_of(data, what)
    if (size := np.ptp(triangles.reshape(-1, 3), axis=0).max()) > LONGEST:
        warnings.warn(f"{what} is {size:.4g} m long; if the file is in millimetres, give scale=0.001", stacklevel=3)
    points, faces = thinned(*joined(triangles))
    if len(faces) == 0:
        raise ModelError(f"{what} has no triangle with an area; export the part again", code="empty-mesh", subject=who)
    return MeshSketch((points @ rotation.T + place).round(9), _facing(points, faces))


def triangles_of(data: bytes, what: str) -> np.ndarray:
    """Return the corners of all triangles, shape (triangles, 3, 3), in the unit of the file; `what` names the file in
    errors. The size identifies a binary file, not its first word: some binary files begin with "solid", as texts do."""
    count = int.from_bytes(data[HEAD - 4 : HEAD], "little") if len(data) >= HEAD else 0
    if len(data) == HEAD + TRIANGLE * count:
        corners = np.frombuffer(data, RECORD, count, HEAD)["corners"].astype(float)
    elif data.lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        corners = _text_triangles(data, what)
    else:
        size = f"{len(data)} bytes" + f", and not {HEAD + TRIANGLE * count} as {count} triangles have" * (count > 0)
        raise ModelError(
            f"{what} is no STL file, or a truncated one: {size}; export it again", code="damaged-file", size=size
        )
    if len(corners) == 0:
        raise ModelError(f"{what} holds no triangle; export the part again", code="empty-mesh")
    if not np.isfinite(corners).all():
        raise ModelError(f"{what} has corners that are not finite; export the part again", code="not-finite")
    return corners


def _text_triangles(data: bytes, what: str) -> np.ndarray:
    """Return the corners of triangles in a text. First words identify lines, so that a name may contain any words."""
    words = [word.lower() for word in WORDS.findall(data)]
    facets, rows = words.count(b"facet"), CORNER.findall(data)
    complete = words.count(b"endfacet") == facets and words.count(b"vertex") == 3 * facets
    if not (complete and words[-1:] == [b"endsolid"]):
        what = f"{what} is truncated: {words.count(b'vertex')} corners of {facets} triangles, no end"
        raise ModelError(f"{what}; export it again", code="damaged-file", facets=facets)
    try:
        return np.array(rows, dtype=float).reshape(facets, 3, 3)
    except ValueError as exc:
        raise ModelError(
            f"{what} has a corner that is not three numbers; export it again", code="damaged-file", facets=facets
        ) from exc


def joined(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of triangles, shared ones once each; and the triangles as numbers of corners, shape
    (triangles, 3)."""
    corners = triangles.reshape(-1, 3)
    size = np.ptp(corners, axis=0).max() or 1.0
    return _clustered(corners, np.arange(len(corners)).reshape(-1, 3), SAME_CORNER * size)


def thinned(points: np.ndarray, faces: np.ndarray, most: int = MOST) -> tuple[np.ndarray, np.ndarray]:
    """Return at most `most` triangles: corners in one cell of a grid are moved to their middle, and triangles that
    shrink to lines are removed; the grid is the finest one that leaves few enough."""
    fine, coarse = SAME_CORNER, 1.0  # cell sizes relative to the longest side
    if len(faces) <= most:
        return points, faces
    size = np.ptp(points, axis=0).max()
    for _ in range(20):
        cell = np.sqrt(fine * coarse)
        if len(_clustered(points, faces, cell * size)[1]) > most:
            fine = cell
        else:
            coarse = cell
    return _clustered(points, faces, coarse * size)


def _clustered(points: np.ndarray, faces: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray]:
    _, number = np.unique(np.rint(points / cell), axis=0, return_inverse=True)
    number = number.ravel()
    sums = [np.bincount(number, column) for column in points.T]
    middles = np.stack(sums, axis=1) / np.bincount(number)[:, None]
    triangles = number[faces]
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    triangles = np.take_along_axis(triangles, (triangles.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    triangles = np.unique(triangles, axis=0)
    used, faces = np.unique(triangles, return_inverse=True)
    return middles[used], faces.reshape(-1, 3)


def _facing(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the triangles counterclockwise as seen from outside, whatever their order in the file; for a sheet, which
    has an edge, both sides."""
    edges = np.sort(np.concatenate([faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]), axis=1)
    if np.unique(edges, axis=0, return_counts=True)[1].min() < 2:
        return np.concatenate([faces, faces[:, ::-1]])
    first, second, third = (points[faces[:, k]] - points.mean(axis=0) for k in range(3))
    volume = np.einsum("ij,ij->", first, np.cross(second, third))
    return faces if volume >= 0.0 else faces[:, ::-1]
