"""Many bodies that slide or drop on a plane, and where each is by the closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

G = 9.81
COUNT = 100
FRICTION = 0.3


@dataclass(frozen=True)
class Problem:
    """Points of 1 kg above a level plane; each is alone, and does not turn."""

    name: str
    seconds: float
    heights: np.ndarray
    speeds: np.ndarray
    """Along the plane."""
    targets: tuple[float, ...]
    """Errors at which solvers are compared."""
    reads: int = 10
    """At so many times places are compared, and the steps of all solvers end there."""

    @property
    def times(self) -> np.ndarray:
        return np.linspace(0, self.seconds, self.reads + 1)

    def way(self, t: np.ndarray) -> np.ndarray:
        """What all have slid, v₀ t - μ g t²/2, until they stop after v₀/μg. Friction acts from the start: this is
        for those that lie on the plane."""
        a = FRICTION * G
        t = np.minimum(t[:, None], self.speeds / a)
        return self.speeds * t - 0.5 * a * t**2

    def height(self, t: np.ndarray) -> np.ndarray:
        """A fall that ends at once, restitution being 0."""
        return np.maximum(self.heights - 0.5 * G * t[:, None] ** 2, 0.0)

    def error(self, way: np.ndarray, height: np.ndarray) -> float:
        """The largest, in metres, of all bodies at all times; a row each time."""
        t = self.times
        return float(max(np.abs(way - self.way(t)).max(), np.abs(height - self.height(t)).max()))


_NONE = np.zeros(COUNT)
PROBLEMS = (
    Problem("slide to a stop", 0.8, _NONE, np.linspace(0.5, 2.0, COUNT), (1e-2, 1e-3, 1e-4)),
    Problem("drop and lie", 0.6, np.linspace(0.1, 1.0, COUNT), _NONE, (3e-2, 1e-2)),
)
