"""The frames of a picture or a film, read off a result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import ModelError
from ..results.result import Result
from ..results.sketch import ElementSketch
from ..rotations import quaternion_rates
from .motion import Motion, in_space, interpolated

MOST_FRAMES = 5000
"""Beyond this a film takes minutes to write, and was rarely meant."""


def motion_of(result: Result) -> Motion:
    """The poses of the result as they are."""
    if len(result) == 0:
        raise ModelError(f"the result of {result.title!r} holds no pose to draw; {result.message or 'run it longer'}")
    frames = {body.name: _frame(result, body.name) for body in result.sketch.bodies}
    motion = Motion(np.asarray(result.t), frames, np.arange(len(result)))
    arrows = {e.name: _force_on(result, motion, e) for e in result.sketch.elements if e.kind == "arrow"}
    return replace(motion, forces={name: force for name, force in arrows.items() if force is not None})


def _frame(result: Result, body: str) -> np.ndarray:
    """The coordinates of a body over time. Quaternions e and -e are one attitude: of the two, that which is nearer to
    the one before it."""
    width = 3 if result.sketch.dimension == 2 else 7
    start = result.coordinate_names.index(f"{body}.x")
    frame = np.array(result.q[:, start : start + width])
    if width == 7:
        steps = np.einsum("ki,ki->k", frame[1:, 3:], frame[:-1, 3:])
        frame[1:, 3:] *= np.cumprod(np.where(steps < 0.0, -1.0, 1.0))[:, None]
        frame[:, 3:] /= np.linalg.norm(frame[:, 3:], axis=1, keepdims=True)
    return frame


def _between(result: Result, body: str, frame: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The coordinates of a body at other times: cubics for places and angles; for quaternions as well, which then are
    made one long again. The turning of a body between two poses is beyond half a turn only where a result is too coarse
    to show it."""
    width = frame.shape[1]
    start = result.coordinate_names.index(f"{body}.x") // width * (3 if width == 3 else 6)
    if width == 3:
        return interpolated(np.asarray(result.t), frame, result.v[:, start : start + 3], times)
    velocity, omega = np.split(np.asarray(result.v[:, start : start + 6]), 2, axis=1)
    rates = np.concatenate([velocity, quaternion_rates(frame[:, 3:], omega)], axis=1)
    between = interpolated(np.asarray(result.t), frame, rates, times)
    between[:, 3:] /= np.linalg.norm(between[:, 3:], axis=1, keepdims=True)
    return between


def _force_on(result: Result, motion: Motion, arrow: ElementSketch) -> np.ndarray | None:
    """Read off the result; where that knows no forces, off the element, if it is a constant; else it is unknown."""
    dimension = result.sketch.dimension
    if result.reactions is not None:
        return in_space(result.reaction(arrow.name)[:, :dimension])
    components = [arrow.constants.get(what) for what in "xyz"[:dimension]]
    axes = arrow.constants.get("axes")
    if axes is None or None in components:
        return None
    force = in_space(components)
    if axes == "world":
        return np.tile(force, (len(motion), 1))
    return np.einsum("i,kij->kj", force, motion.axes(arrow.markers[0]))


def frames_of(result: Result, fps: float, speed: float) -> Motion:
    """The poses that a film shows: evenly spaced in time, or one for each value of a swept parameter."""
    motion = motion_of(result)
    if result.axis[0] != "t" or len(motion) < 2:
        _check_count(len(motion), "sweep fewer values")
        return motion
    start, end = motion.values[0], motion.values[-1]
    step = speed / fps
    count = int((end - start) / step + 1e-9) + 1
    _check_count(count, f"give a higher speed, e.g. speed={(end - start) / 10:.1g}")
    if count < 2:
        raise ModelError(
            f"the motion lasts {end - start:.3g} s, which is less than one frame at speed={speed:g}; "
            f"show it slower, e.g. speed={(end - start) / 4:.1g}"
        )
    return _at_times(result, motion, start + step * np.arange(count))


def poses_of(result: Result, count: int) -> Motion:
    """A few poses, evenly spaced from the first to the last."""
    motion = motion_of(result)
    if result.axis[0] != "t" or len(motion) < 2:
        return motion.thinned(count)
    return _at_times(result, motion, np.linspace(motion.values[0], motion.values[-1], count))


def _at_times(result: Result, motion: Motion, times: np.ndarray) -> Motion:
    frames = {body: _between(result, body, frame, times) for body, frame in motion.frames.items()}
    forces = {
        name: np.stack([np.interp(times, motion.values, part) for part in force.T], axis=-1)
        for name, force in motion.forces.items()
    }
    return Motion(times, frames, np.zeros(len(times), dtype=int), forces)


def _check_count(count: int, remedy: str) -> None:
    if count > MOST_FRAMES:
        raise ModelError(f"this animation would have {count} frames ({MOST_FRAMES} at most); {remedy}")
