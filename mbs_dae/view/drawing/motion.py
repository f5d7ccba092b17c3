"""Describe the position of every body at the poses of a result or at the frames of a film. A planar motion is treated
as a part of space with z = 0 and rotations about z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ...errors import ModelError, unknown_name
from ...results.frames import FramePath, Marker, coordinates, in_space, of_coordinates, of_world, on_body
from ...results.result import Result
from ...results.sketch import ElementSketch
from ...rotations import quaternion_rates
from ...rotations.orientation import continued

MOST_FRAMES = 5000  # a longer film takes minutes to write, and is rarely meant
LOOKS = 400  # number of poses that show how far a motion reaches


@dataclass(frozen=True, eq=False)
class DrawnMotion:
    """The frames of all moving bodies at a number of poses; the ground does not move."""

    values: np.ndarray  # time (or the swept parameter) at each pose
    frames: dict[str, np.ndarray]
    """Shape (poses, coordinates) for each body: (x, y, angle) in the plane; in space (x, y, z) and a unit
    quaternion."""
    numbers: np.ndarray  # index of each pose in the result; 0 for interpolated poses
    forces: dict[str, np.ndarray] = field(default_factory=dict)
    """The force [N] on the body in world axes for each element drawn as an arrow, shape (poses, 3)."""

    def __len__(self) -> int:
        return len(self.values)

    def frame(self, body: str) -> FramePath:
        """Return the place (poses, 3) and the axes (poses, 3, 3) of a body."""
        return of_coordinates(self.frames[body]) if body in self.frames else of_world(len(self))

    def places(self, body: str, points: Any) -> np.ndarray:
        """Return points given in body axes, shape (points, 2 or 3), in the world, shape (poses, points, 3)."""
        place, turned = self.frame(body)
        return place[:, None] + np.einsum("kij,pj->kpi", turned, in_space(points))

    def at_marker(self, marker: Marker, points: Any) -> np.ndarray:
        """Return points given in the axes of a marker in the world, shape (poses, points, 3)."""
        point, axes = on_body(marker)
        return self.places(marker[0], in_space(points) @ axes.T + point)

    def place(self, marker: Marker) -> np.ndarray:
        """Return the place of a marker, shape (poses, 3)."""
        return self.at_marker(marker, np.zeros((1, 3)))[:, 0]

    def axes(self, marker: Marker) -> np.ndarray:
        """Return the unit vectors along the axes of a marker, shape (poses, axes, 3)."""
        return (self.frame(marker[0])[1] @ on_body(marker)[1]).transpose(0, 2, 1)

    def seen_from(self, observer: Marker, marker: Marker) -> np.ndarray:
        """Return the place of a marker in the axes of another one, shape (poses, 3)."""
        return np.einsum("kij,kj->ki", self.axes(observer), self.place(marker) - self.place(observer))

    def at(self, poses: Sequence[int] | np.ndarray) -> DrawnMotion:
        """Return the motion at these poses alone."""
        frames, forces = ({k: v[poses] for k, v in each.items()} for each in (self.frames, self.forces))
        return DrawnMotion(self.values[poses], frames, self.numbers[poses], forces)

    def thinned(self, count: int = LOOKS) -> DrawnMotion:
        """Return a motion of at most `count` poses, spread from the first to the last."""
        return self.at(np.unique(np.linspace(0, len(self) - 1, count).astype(int)))


def path_of(result: Result, point: str, motion: DrawnMotion | None = None) -> np.ndarray:
    """Return the place of a named point, shape (poses, dimension): at all poses of the result, or at those of
    `motion`."""
    _check_point(result, point)
    axes = "xyz"[: result.sketch.dimension]
    path = np.stack([result[f"{point}.{axis}"] for axis in axes], axis=-1)
    if motion is None:
        return path
    if result.axis[0] != "t" or len(result) < 2:
        return path[motion.numbers]
    rates = np.stack([result[f"{point}.v{axis}"] for axis in axes], axis=-1)
    return interpolated(np.asarray(result.t), path, rates, motion.values)


def _check_point(result: Result, name: str) -> None:
    """Raise a `ModelError` unless the name is a body or one of its markers."""
    points = [quantity.removesuffix(".x") for quantity in result.names if quantity.endswith(".x")]
    if name in points:
        return
    markers = next((e.markers for e in result.sketch.elements if e.name == name), None)
    if markers is None:
        raise unknown_name("point", name, points, "the result")
    near = [point for point in points if any(point in (body, f"{body}.{name}") for body, *_ in markers)]
    what = f"{name!r} is a joint, driver or force, and no point"
    raise ModelError(
        f"{what}; name a marker that moves along{f', such as {near[-1]!r}' if near else ''}",
        code="not-a-point", argument="trace", markers=tuple(near), name=name,
    )  # fmt: skip


def interpolated(t: np.ndarray, values: np.ndarray, rates: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Interpolate by cubics through the values with the given rates, so that links keep their length between few poses.

    Near a dead point velocities grow without bound, and cubics would swing out; therefore a rate is limited to three
    times the steeper adjacent chord, which leaves smooth motions as they are."""
    later = np.concatenate([[True], np.diff(np.maximum.accumulate(t)) > 0])
    t, values, rates = t[later], values[later], rates[later]
    chords = np.abs(np.diff(values, axis=0) / np.diff(t)[:, None])
    steepest = 3 * np.maximum(np.vstack([chords[:1], chords]), np.vstack([chords, chords[-1:]]))
    return CubicHermiteSpline(t, values, np.clip(rates, -steepest, steepest))(times)


# --- read off a result ----------------------------------------------------------------------------------------------


def motion_of(result: Result) -> DrawnMotion:
    """Return the motion at the poses of a result; raise a `ModelError` if there is none or one is not finite."""
    if len(result) == 0:
        raise ModelError(
            f"the result of {result.title!r} holds no pose to draw; {result.message or 'run it longer'}",
            code="empty", argument="result", result=result.title, reason=result.message,
        )  # fmt: skip
    frames = {body.name: coordinates(result, body.name).copy() for body in result.sketch.bodies}
    for frame in frames.values():
        if frame.shape[1] == 7:  # quaternions of unit length and without jumps of sign
            frame[:, 3:] = continued(frame[:, 3:])
            frame[:, 3:] /= np.linalg.norm(frame[:, 3:], axis=1, keepdims=True)
    motion = DrawnMotion(np.asarray(result.t), frames, np.arange(len(result)))
    finite = np.isfinite(np.column_stack([motion.values, *frames.values()])).all(axis=1)
    if not finite.all():
        k, (name, _) = int(np.argmin(finite)), result.axis
        what = f"pose {k} of the result of {result.title!r}, at {name} = {motion.values[k]:g}, is not finite"
        raise ModelError(
            f"{what}; run it again, to an earlier end",
            code="not-finite", argument="result", result=result.title, index=k, axis=name,
            value=float(motion.values[k]),
        )  # fmt: skip
    arrows = {e.name: _force_on(result, motion, e) for e in result.sketch.elements if e.kind == "arrow"}
    return replace(motion, forces={name: force for name, force in arrows.items() if force is not None})


def _between(result: Result, body: str, frame: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Interpolate the coordinates of a body at other times by cubics; quaternions are normalised afterwards. A body
    turns by more than half a turn between two poses only where a result is too coarse to show its motion."""
    width = frame.shape[1]
    start = result.coordinate_names.index(f"{body}.x") // width * (3 if width == 3 else 6)
    if width == 3:
        return interpolated(np.asarray(result.t), frame, result.v[:, start : start + 3], times)
    velocity, omega = np.split(np.asarray(result.v[:, start : start + 6]), 2, axis=1)
    rates = np.concatenate([velocity, quaternion_rates(frame[:, 3:], omega)], axis=1)
    between = interpolated(np.asarray(result.t), frame, rates, times)
    between[:, 3:] /= np.linalg.norm(between[:, 3:], axis=1, keepdims=True)
    return between


def _force_on(result: Result, motion: DrawnMotion, arrow: ElementSketch) -> np.ndarray | None:
    """Return the force of an arrow in world axes, shape (poses, 3): from the result if this has reactions, else from a
    constant element; None if the force is unknown."""
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


def frames_of(result: Result, fps: float, speed: float) -> DrawnMotion:
    """Return the poses of a film: evenly spaced in time, or one for each value of a swept parameter."""
    motion = motion_of(result)
    start, end, step = motion.values[0], motion.values[-1], speed / fps
    in_time = result.axis[0] == "t" and len(motion) > 1
    count = int((end - start) / step + 1e-9) + 1 if in_time else len(motion)
    if count > MOST_FRAMES:
        remedy = f"give a higher speed, e.g. speed={(end - start) / 10:.1g}" if in_time else "sweep fewer values"
        raise ModelError(
            f"this animation would have {count} frames ({MOST_FRAMES} at most); {remedy}",
            code="too-many-frames", count=count, most=MOST_FRAMES, speed=speed,
        )  # fmt: skip
    if not in_time:
        return motion
    if count < 2:
        what = f"the motion lasts {end - start:.3g} s, which is less than one frame at speed={speed:g}"
        raise ModelError(
            f"{what}; show it slower, e.g. speed={(end - start) / 4:.1g}",
            code="too-few-frames", count=count, least=2, speed=speed, start=float(start), end=float(end),
        )  # fmt: skip
    return at_times(result, motion, start + step * np.arange(count))


def poses_of(result: Result, count: int) -> DrawnMotion:
    """Return `count` poses, evenly spaced from the first to the last."""
    motion = motion_of(result)
    if result.axis[0] != "t" or len(motion) < 2:
        return motion.thinned(count)
    return at_times(result, motion, np.linspace(motion.values[0], motion.values[-1], count))


def at_times(result: Result, motion: DrawnMotion, times: np.ndarray) -> DrawnMotion:
    frames = {body: _between(result, body, frame, times) for body, frame in motion.frames.items()}
    forces = {
        name: np.stack([np.interp(times, motion.values, part) for part in force.T], axis=-1)
        for name, force in motion.forces.items()
    }
    return DrawnMotion(times, frames, np.zeros(len(times), dtype=int), forces)
