"""Write tracks for a page: points ride on a body, stretch along a way, or are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..drawing.motion import Marker, Motion, in_space, on_body
from ..drawing.tracks import Along, AtMarker, OnBody, Push, Track, least_of, unit
from .numbers import rounded

GROUND = -1
MESH = "mesh "  # prefix of the names of mesh arrays
FINEST = 2**15  # steps along the longest side of a mesh: finer than any screen


@dataclass(frozen=True, eq=False)
class TrackWriter:
    """Writes tracks with indices of bodies and forces; paths that cannot be computed from these go to `arrays`."""

    motion: Motion
    bodies: Mapping[str, int]
    forces: Mapping[str, int]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def written(self, track: Track) -> dict[str, Any]:
        if isinstance(track, OnBody):
            return self._riding(track.body, track.points)
        if isinstance(track, AtMarker):
            place, axes = on_body(track.marker)
            points = in_space(track.points)
            return self._riding(track.marker[0], place + (points if track.upright else points @ axes.T))
        if isinstance(track, Along):
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

    def _riding(self, body: str, points: np.ndarray) -> dict[str, Any]:
        return {"on": self.bodies.get(body, GROUND), "points": rounded(points)}

    def _along(self, track: Along) -> dict[str, Any]:
        shape = np.zeros((len(track.shape), 4))
        shape[:, : track.shape.shape[1]] = track.shape
        way: dict[str, Any]
        if isinstance(track.way, Push):
            way = {"push": self.forces[track.way.name], "scale": track.way.scale}
        else:
            way = {"to": self._point(track.way)}
        if track.at_most is not None:
            way["most"] = track.at_most
        least = least_of(unit(track.ways(self.motion)))
        return {"from": self._point(track.start), **way, "shape": rounded(shape), "unit": track.unit, "least": least}

    def _point(self, marker: Marker) -> list[Any]:
        return [self.bodies.get(marker[0], GROUND), *rounded(on_body(marker)[0])]
