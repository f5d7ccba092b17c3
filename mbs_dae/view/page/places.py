"""Write the places of a drawing for a page: arrays as numbers of 32 bits, compressed, as text; and tracks, whose points
ride on a body, stretch along a way, or are given."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...tolerances import PAGE_TIME
from ..drawing.motion import DrawnMotion, Marker, in_space, on_body
from ..drawing.tracks import AtMarker, ForceArrow, OnBody, Span, Track, least_of, unit

GROUND = -1
MESH = "mesh "  # prefix of the names of mesh arrays
FINEST = 2**15  # steps along the longest side of a mesh: finer than any screen


@dataclass(frozen=True, eq=False)
class TrackWriter:
    """Writes tracks with indices of bodies and forces; paths that cannot be computed from these go to `arrays`."""

    motion: DrawnMotion
    bodies: Mapping[str, int]
    forces: Mapping[str, int]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def written(self, track: Track) -> dict[str, Any]:
        if isinstance(track, OnBody):
            return {"on": self.bodies.get(track.body, GROUND), "points": rounded(track.points)}
        if isinstance(track, AtMarker):
            place, axes = on_body(track.marker)
            points = in_space(track.points)
            offsets = points if track.upright else points @ axes.T
            return {"on": self.bodies.get(track.marker[0], GROUND), "points": rounded(place + offsets)}
        if isinstance(track, Span):
            return self._along(track)
        name = f"path {len(self.arrays)}"
        self.arrays[name] = in_space(track.over(self.motion))
        return {"path": name}

    def packed_away(self, piece: dict[str, Any]) -> dict[str, Any]:
        """Move a mesh to the arrays: its corners as whole numbers within a box, and its faces."""
        points, name = np.reshape(piece["track"]["points"], (-1, 3)), f"{MESH}{len(self.arrays)}"
        low, step = points.min(axis=0), (np.ptp(points, axis=0).max() or 1.0) / FINEST
        self.arrays[name] = ((points - low) / step).round()
        self.arrays[f"{name} faces"] = np.array(piece["faces"])
        box = {"name": name, "low": rounded(low), "step": step}
        return {**piece, "track": {"on": piece["track"]["on"], "mesh": box}, "faces": f"{name} faces"}

    def _along(self, track: Span) -> dict[str, Any]:
        def point(marker: Marker) -> list[Any]:
            return [self.bodies.get(marker[0], GROUND), *rounded(on_body(marker)[0])]

        shape = np.zeros((len(track.shape), 4))
        shape[:, : track.shape.shape[1]] = track.shape
        way: dict[str, Any]
        if isinstance(track.way, ForceArrow):
            way = {"push": self.forces[track.way.name], "scale": track.way.scale}
        else:
            way = {"to": point(track.way)}
        if track.at_most is not None:
            way["most"] = track.at_most
        least = least_of(unit(track.spans(self.motion)))
        return {"from": point(track.start), **way, "shape": rounded(shape), "unit": track.unit, "least": least}


# --- arrays ---



def packed(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return all arrays as one text with a table of their places. Bytes of equal weight stand together, after
    differences between rows (of the bits as integers, without loss): neighbours in time are similar, and compress
    well."""
    table, parts, at = {}, [], 0
    for name, values in (arrays | _rests(arrays)).items():
        array = np.ascontiguousarray(values, dtype="<f4")
        bits = array.reshape(len(array), -1).view("<u4") if array.size else np.zeros((0, 1), "<u4")
        parts.append(np.diff(bits, axis=0, prepend=np.zeros((1, bits.shape[1]), "<u4")).T.ravel())
        table[name] = {"at": at, "shape": [int(n) for n in array.shape]}
        at += array.size
    whole = np.concatenate([*parts, np.zeros(0, "<u4")])
    planes = whole.view(np.uint8).reshape(-1, 4).T.tobytes()
    return {"table": table, "count": at, "data": base64.b64encode(zlib.compress(planes, 9)).decode()}


def _rests(arrays: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the remainders of times beyond 32 bits: after a day, 86400 s, such numbers are 1/128 s apart."""
    rests = {}
    for name, values in arrays.items():
        if np.ndim(values) != 1 or np.size(values) == 0 or not np.isfinite(values).all():
            continue
        rest = np.asarray(values, dtype=float) - np.asarray(values, dtype="<f4")
        if np.abs(rest).max() > PAGE_TIME * np.ptp(values) > 0:
            rests[f"{name}, rest"] = rest
    return rests


def rounded(points: Any) -> list[Any]:
    """Return a flat list of numbers with seven digits, as many as a page can show; None for nan and infinity."""
    values = np.asarray(points, dtype=float).ravel().tolist()
    return [float(f"{x:.7g}") if np.isfinite(x) else None for x in values]
