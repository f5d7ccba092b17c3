"""Choose as many poses for a page as its cubic interpolation needs to be accurate within a pixel, and measure how far
the mechanism travels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...results.result import Result
from ..drawing.motion import DrawnMotion, at_times, in_space, motion_of
from ..drawing.stage import DrawnPiece
from ..drawing.tracks import AtMarker, OnBody

FEWEST, MOST = 600, 1500
"""The least and the largest number of poses to begin with."""
NUMBERS = 400_000  # limit on numbers of bodies and forces at all poses (3 MB)
PIXEL = 1 / 1500  # of the length of the mechanism: less than a pixel
FAR = 3.0  # travel over the ground, in own lengths, beyond which the page follows the mechanism


def shown_motion(result: Result) -> DrawnMotion:
    """Return the poses of a result, or more or fewer of them, as places and rotations between them require."""
    motion = motion_of(result)
    if result.axis[0] != "t" or not motion.frames or len(motion) < 2 or np.ptp(motion.values) == 0.0:
        return motion
    points = {body.name: in_space([*body.points, body.com]) for body in result.sketch.bodies}
    reaches = {name: float(np.linalg.norm(x, axis=1).max(initial=0.0)) for name, x in points.items()}
    # The length of the mechanism where it is longest [m]; for a single point, the length of its way.
    places = np.stack([in_space(_place(frame)) for frame in motion.frames.values()], axis=1)
    extent = np.ptp(places, axis=1).max(initial=0.0) + 2 * max(reaches.values())
    length = float(extent or np.ptp(places, axis=0).max(initial=0.0) or 1.0)
    columns = sum(frame.shape[1] for frame in motion.frames.values())
    columns += 3 * (len(motion.forces) + (0 if result.reactions is None else len(result.reactions.names())))
    count = int(np.clip(len(motion), FEWEST, MOST))
    while True:
        if len(motion) >= count:
            shown = motion.thinned(count)
        else:  # all poses of the result, and as many in equal parts between each two of them
            between = int(np.ceil((count - 1) / (len(motion) - 1)))
            places = np.arange((len(motion) - 1) * between + 1) / between
            shown = at_times(result, motion, np.interp(places, np.arange(len(motion)), motion.values))
        if len(shown) * 2 * columns > NUMBERS or _error(result, motion, shown, reaches) <= PIXEL * length:
            return shown
        count = 2 * len(shown)


def _place(frame: np.ndarray) -> np.ndarray:
    return frame[:, : 2 if frame.shape[1] == 3 else 3]


# --- between the poses ---


def _error(result: Result, motion: DrawnMotion, shown: DrawnMotion, reaches: dict[str, float]) -> float:
    """Return the largest distance between the page's curves and the motion, halfway between poses, at any corner."""
    middle = (shown.values[1:] + shown.values[:-1]) / 2
    true = at_times(result, motion, middle)
    most = 0.0
    for body, frame in shown.frames.items():
        error = halfway(shown.values, frame) - true.frames[body]
        place = np.linalg.norm(_place(error), axis=1)
        angle = 2 * np.linalg.norm(error[:, 3:], axis=1) if error.shape[1] == 7 else np.abs(error[:, 2])
        most = max(most, float((place + reaches[body] * angle).max(initial=0.0)))
    return most


def halfway(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values halfway between all times, on the cubics that `poses.js` draws: through the values, with the
    slopes of the parabolas through each value and its neighbours."""
    steps = np.diff(times)[:, None]
    chords = np.diff(values, axis=0) / np.where(steps > 0.0, steps, 1.0)
    if len(steps) == 1:
        return (values[1:] + values[:-1]) / 2
    slopes = (chords[:-1] * steps[1:] + chords[1:] * steps[:-1]) / np.maximum(steps[1:] + steps[:-1], 1e-300)
    first, last = 2 * chords[:1] - slopes[:1], 2 * chords[-1:] - slopes[-1:]
    slopes = np.concatenate([first, slopes, last])
    return (values[1:] + values[:-1]) / 2 + steps * (slopes[:-1] - slopes[1:]) / 8


# --- travel ---


@dataclass(frozen=True)
class Travel:
    """The travel of a mechanism in its own lengths: a page follows one that travels far."""

    length: float
    """The longest side of everything that rides on bodies, at one pose [m]."""
    part: float
    """The way of the middle over the ground in units of `length`; 0 if the middle rises or falls by more."""

    @property
    def far(self) -> bool:
        return self.part > FAR


def travel_of(motion: DrawnMotion, pieces: Iterable[DrawnPiece], dimension: int) -> Travel:
    """Return the travel of a motion; `pieces` are the drawing of the same motion."""
    riding = []
    for piece in pieces:
        track = piece.track
        body = track.body if isinstance(track, OnBody) else track.marker[0] if isinstance(track, AtMarker) else ""
        if body in motion.frames:
            riding.append(in_space(piece.path))
    if not riding or len(motion) < 2:
        return Travel(0.0, 0.0)
    points = np.concatenate(riding, axis=1)
    length = float((np.nanmax(points, axis=1) - np.nanmin(points, axis=1)).max())
    middle = np.mean([motion.frame(body)[0] for body in motion.frames], axis=0)
    over, up = np.split(np.ptp(middle, axis=0)[:dimension], [dimension - 1])
    way = float(np.linalg.norm(over))
    return Travel(length, way / length if length > 0.0 and way > up[0] else 0.0)
