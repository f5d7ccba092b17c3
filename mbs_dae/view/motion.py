"""Where every body is, at the poses of a result or at the frames of a film. The plane is a part of space: there z is 0,
and all turns are about z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ..results.result import Result
from ..rotations import about_z, from_quaternion

Marker = tuple[Any, ...]
"""(body, and where the marker's point and axes are in those of the body), as in `ElementSketch`."""


@dataclass(frozen=True, eq=False)
class Motion:
    """The frames of all moving bodies at a number of poses; the ground is where it is."""

    values: np.ndarray
    """Time (or the swept parameter) at each pose."""
    frames: dict[str, np.ndarray]
    """For each body (poses, coordinates): (x, y, angle) in the plane; in space (x, y, z) and a unit quaternion."""
    numbers: np.ndarray
    """Which pose of the result each one is; of poses between those, all 0."""
    forces: dict[str, np.ndarray] = field(default_factory=dict)
    """Of each element drawn as an arrow (poses, 3): the force on the body, in world axes."""

    def __len__(self) -> int:
        return len(self.values)

    def frame(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """The place (poses, 3) and the rotation (poses, 3, 3) of a body."""
        if body not in self.frames:
            return np.zeros((len(self), 3)), np.tile(np.eye(3), (len(self), 1, 1))
        own = self.frames[body]
        if own.shape[1] == 3:
            return in_space(own[:, :2]), about_z(own[:, 2])
        return own[:, :3], from_quaternion(own[:, 3:])

    def places(self, body: str, points: Any) -> np.ndarray:
        """Points given in body axes, shape (points, 2 or 3), in the world: shape (poses, points, 3)."""
        place, turned = self.frame(body)
        return place[:, None] + np.einsum("kij,pj->kpi", turned, in_space(points))

    def at_marker(self, marker: Marker, points: Any) -> np.ndarray:
        """Points given in the axes of a marker, in the world."""
        point, axes = _on_body(marker)
        return self.places(marker[0], in_space(points) @ axes.T + point)

    def place(self, marker: Marker) -> np.ndarray:
        """Where the marker is: shape (poses, 3)."""
        return self.at_marker(marker, np.zeros((1, 3)))[:, 0]

    def axes(self, marker: Marker) -> np.ndarray:
        """The unit vectors along the axes of the marker: shape (poses, axes, 3)."""
        return (self.frame(marker[0])[1] @ _on_body(marker)[1]).transpose(0, 2, 1)

    def seen_from(self, observer: Marker, marker: Marker) -> np.ndarray:
        """Where a marker is in the axes of another one: shape (poses, 3)."""
        return np.einsum("kij,kj->ki", self.axes(observer), self.place(marker) - self.place(observer))

    def at(self, poses: Sequence[int] | np.ndarray) -> Motion:
        """These poses alone."""
        frames, forces = ({k: v[poses] for k, v in each.items()} for each in (self.frames, self.forces))
        return Motion(self.values[poses], frames, self.numbers[poses], forces)

    def thinned(self, count: int) -> Motion:
        """At most so many poses, spread from the first to the last."""
        return self.at(np.unique(np.linspace(0, len(self) - 1, count).astype(int)))


def in_space(points: Any) -> np.ndarray:
    """Points of the plane, shape (..., 2), with z = 0; those of space as they are."""
    points = np.asarray(points, dtype=float)
    return np.concatenate([points, np.zeros((*points.shape[:-1], 3 - points.shape[-1]))], axis=-1)


def _on_body(marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """The point and the axes (columns) of a marker in those of its body."""
    numbers = marker[1:]
    if len(numbers) == 3:
        return in_space(numbers[:2]), about_z(numbers[2])
    return np.array(numbers[:3], dtype=float), np.reshape(numbers[3:], (3, 3))


def path_of(result: Result, point: str, motion: Motion | None = None) -> np.ndarray:
    """Where a named point is, shape (poses, dimension): at all poses of the result, or at those of a motion drawn from
    it."""
    axes = "xyz"[: result.sketch.dimension]
    path = np.stack([result[f"{point}.{axis}"] for axis in axes], axis=-1)
    if motion is None:
        return path
    if result.axis[0] != "t" or len(result) < 2:
        return path[motion.numbers]
    rates = np.stack([result[f"{point}.v{axis}"] for axis in axes], axis=-1)
    return interpolated(np.asarray(result.t), path, rates, motion.values)


def interpolated(t: np.ndarray, values: np.ndarray, rates: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Cubics through the values with the rates there: links keep their length, also between few poses.

    Near a dead point velocities grow beyond all bounds, and cubics would swing out; so a rate counts no more than
    three times the steeper chord beside it, which leaves smooth motions as they are.
    """
    later = np.concatenate([[True], np.diff(np.maximum.accumulate(t)) > 0])
    t, values, rates = t[later], values[later], rates[later]
    chords = np.abs(np.diff(values, axis=0) / np.diff(t)[:, None])
    steepest = 3 * np.maximum(np.vstack([chords[:1], chords]), np.vstack([chords, chords[-1:]]))
    return CubicHermiteSpline(t, values, np.clip(rates, -steepest, steepest))(times)
