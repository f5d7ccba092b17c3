"""Where every body is, at the poses of a result or at the frames of an animation, in the plane and in space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ..results.result import Result

Marker = tuple[Any, ...]
"""(body, and where the marker's point and axes are in those of the body), as in `ElementSketch`."""


@dataclass(frozen=True, eq=False)
class Motion(ABC):
    """The frames of all moving bodies at a number of poses; the ground is where it is."""

    values: np.ndarray
    """Time (or the swept parameter) at each pose."""
    frames: dict[str, np.ndarray]
    """For each body (poses, coordinates): where it stands, and how it is turned."""
    numbers: np.ndarray
    """Which pose of the result each one is; of poses between those, all 0."""
    forces: dict[str, np.ndarray] = field(default_factory=dict)
    """Of each element drawn as an arrow (poses, dimension): the force on the body, in world axes."""

    dimension: ClassVar[int]

    def __len__(self) -> int:
        return len(self.values)

    @abstractmethod
    def places(self, body: str, points: np.ndarray) -> np.ndarray:
        """Points given in body axes, shape (points, dimension), in the world: shape (poses, points, dimension)."""

    @abstractmethod
    def at_marker(self, marker: Marker, points: np.ndarray) -> np.ndarray:
        """Points given in the axes of a marker, in the world."""

    @classmethod
    @abstractmethod
    def read(cls, result: Result) -> dict[str, np.ndarray]:
        """The frames of all bodies at the poses of a result."""

    @abstractmethod
    def read_between(self, result: Result, times: np.ndarray) -> dict[str, np.ndarray]:
        """The frames of all bodies at other times than those of these poses."""

    def place(self, marker: Marker) -> np.ndarray:
        """Where the marker is: shape (poses, dimension)."""
        return self.at_marker(marker, np.zeros((1, self.dimension)))[:, 0]

    def axes(self, marker: Marker) -> np.ndarray:
        """The unit vectors along the axes of the marker: shape (poses, axes, dimension)."""
        ends = np.vstack([np.zeros(self.dimension), np.eye(self.dimension)])
        along = self.at_marker(marker, ends)
        return along[:, 1:] - along[:, :1]

    def seen_from(self, observer: Marker, marker: Marker) -> np.ndarray:
        """Where a marker is in the axes of another one: shape (poses, dimension)."""
        return np.einsum("kij,kj->ki", self.axes(observer), self.place(marker) - self.place(observer))

    def at(self, poses: Sequence[int] | np.ndarray) -> Self:
        """These poses alone."""
        frames, forces = ({k: v[poses] for k, v in each.items()} for each in (self.frames, self.forces))
        return type(self)(self.values[poses], frames, self.numbers[poses], forces)

    def thinned(self, count: int) -> Self:
        """At most so many poses, spread from the first to the last."""
        return self.at(np.unique(np.linspace(0, len(self) - 1, count).astype(int)))


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
