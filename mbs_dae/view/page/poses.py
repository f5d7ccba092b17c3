"""Choose as many poses for a page as its cubic interpolation needs to be accurate within a pixel."""

from __future__ import annotations

import numpy as np

from ...results.result import Result
from ..drawing.motion import Motion, at_times, in_space, motion_of

FEWEST, MOST = 600, 1500
"""The least and the largest number of poses to begin with."""
NUMBERS = 400_000  # limit on numbers of bodies and forces at all poses (3 MB)
OFF = 1 / 1500  # of the length of the mechanism: less than a pixel


def shown_motion(result: Result) -> Motion:
    """Return the poses of a result, or more or fewer of them, as places and rotations between them require."""
    motion = motion_of(result)
    if result.axis[0] != "t" or not motion.frames or len(motion) < 2 or np.ptp(motion.values) == 0.0:
        return motion
    reaches = {body.name: _reach(in_space([*body.points, body.com])) for body in result.sketch.bodies}
    off, columns = OFF * _length(motion, reaches), sum(frame.shape[1] for frame in motion.frames.values())
    columns += 3 * (len(motion.forces) + (0 if result.reactions is None else len(result.reactions.names())))
    count = int(np.clip(len(motion), FEWEST, MOST))
    while True:
        shown = _with(result, motion, count)
        if len(shown) * 2 * columns > NUMBERS or _off(result, motion, shown, reaches) <= off:
            return shown
        count = 2 * len(shown)


def _with(result: Result, motion: Motion, count: int) -> Motion:
    """Return the motion at about `count` poses, including all poses of the result unless these are more."""
    if len(motion) >= count:
        return motion.thinned(count)
    between = int(np.ceil((count - 1) / (len(motion) - 1)))
    known = np.arange(len(motion))
    wanted = np.arange((len(motion) - 1) * between + 1) / between
    return at_times(result, motion, np.interp(wanted, known, motion.values))


def _reach(points: np.ndarray) -> float:
    return float(np.linalg.norm(points, axis=1).max(initial=0.0))


def _length(motion: Motion, reaches: dict[str, float]) -> float:
    """Return the length of the mechanism where it is longest [m]; for a single point, the length of its way."""
    places = np.stack([in_space(_place(frame)) for frame in motion.frames.values()], axis=1)
    own = np.ptp(places, axis=1).max(initial=0.0) + 2 * max(reaches.values())
    return float(own or np.ptp(places, axis=0).max(initial=0.0) or 1.0)


def _place(frame: np.ndarray) -> np.ndarray:
    return frame[:, : 2 if frame.shape[1] == 3 else 3]


# --- between the poses ---


def _off(result: Result, motion: Motion, shown: Motion, reaches: dict[str, float]) -> float:
    """Return the largest distance between the page's curves and the motion, halfway between poses, at any corner."""
    middle = (shown.values[1:] + shown.values[:-1]) / 2
    true = at_times(result, motion, middle)
    most = 0.0
    for body, frame in shown.frames.items():
        apart = halfway(shown.values, frame) - true.frames[body]
        place = np.linalg.norm(_place(apart), axis=1)
        turned = 2 * np.linalg.norm(apart[:, 3:], axis=1) if apart.shape[1] == 7 else np.abs(apart[:, 2])
        most = max(most, float((place + reaches[body] * turned).max(initial=0.0)))
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
