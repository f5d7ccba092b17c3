"""The frames of a picture or an animation, read off a result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..results.result import Result
from ..results.sketch import ElementSketch
from .motion import Motion
from .plane.motion import PlanarMotion
from .space.motion import SpatialMotion

MOST_FRAMES = 5000
"""Beyond this an animation takes minutes to write, and was rarely meant."""


def motion_of(result: Result) -> Motion:
    """The poses of the result as they are."""
    if len(result) == 0:
        raise ModelError(f"the result of {result.title!r} holds no pose to draw; {result.message or 'run it longer'}")
    kind: Any = {2: PlanarMotion, 3: SpatialMotion}[result.sketch.dimension]
    motion: Motion = kind(np.asarray(result.t), kind.read(result), np.arange(len(result)))
    arrows = {e.name: _force_on(result, motion, e) for e in result.sketch.elements if e.kind == "arrow"}
    return replace(motion, forces={name: force for name, force in arrows.items() if force is not None})


def _force_on(result: Result, motion: Motion, arrow: ElementSketch) -> np.ndarray | None:
    """Read off the result; where that knows no forces, off the element, if it is a constant; else it is unknown."""
    if result.reactions is not None:
        return result.reaction(arrow.name)[:, : motion.dimension]
    components = [arrow.constants.get(what) for what in "xyz"[: motion.dimension]]
    axes = arrow.constants.get("axes")
    if axes is None or None in components:
        return None
    force = np.array(components, dtype=float)
    if axes == "world":
        return np.tile(force, (len(motion), 1))
    return np.einsum("i,kij->kj", force, motion.axes(arrow.markers[0]))


def frames_of(result: Result, fps: float, speed: float) -> Motion:
    """The poses that an animation shows: evenly spaced in time, or one for each value of a swept parameter."""
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
    forces = {
        name: np.stack([np.interp(times, motion.values, part) for part in force.T], axis=-1)
        for name, force in motion.forces.items()
    }
    return type(motion)(times, motion.read_between(result, times), np.zeros(len(times), dtype=int), forces)


def _check_count(count: int, remedy: str) -> None:
    if count > MOST_FRAMES:
        raise ModelError(f"this animation would have {count} frames ({MOST_FRAMES} at most); {remedy}")
