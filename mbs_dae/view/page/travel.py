"""Measure how far a mechanism travels in its own lengths: a page follows one that travels far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..drawing.motion import Motion, in_space
from ..drawing.stage import Piece
from ..drawing.tracks import AtMarker, OnBody

FAR = 3.0  # travel over the ground, in own lengths, beyond which the page follows the mechanism


@dataclass(frozen=True)
class Travel:
    length: float
    """The longest side of everything that rides on bodies, at one pose [m]."""
    part: float
    """The way of the middle over the ground in units of `length`; 0 if the middle rises or falls by more."""

    @property
    def far(self) -> bool:
        return self.part > FAR


def travel_of(motion: Motion, pieces: Iterable[Piece], dimension: int) -> Travel:
    """Return the travel of a motion; `pieces` are the drawing of the same motion."""
    riding = [in_space(piece.path) for piece in pieces if _rider(piece) in motion.frames]
    if not riding or len(motion) < 2:
        return Travel(0.0, 0.0)
    points = np.concatenate(riding, axis=1)
    length = float((np.nanmax(points, axis=1) - np.nanmin(points, axis=1)).max())
    middle = np.mean([motion.frame(body)[0] for body in motion.frames], axis=0)
    over, up = np.split(np.ptp(middle, axis=0)[:dimension], [dimension - 1])
    way = float(np.linalg.norm(over))
    return Travel(length, way / length if length > 0.0 and way > up[0] else 0.0)


def _rider(piece: Piece) -> str:
    track = piece.track
    return track.body if isinstance(track, OnBody) else track.marker[0] if isinstance(track, AtMarker) else ""
