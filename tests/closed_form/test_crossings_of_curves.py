"""Crossings of curves in the plane, in closed form."""

from dataclasses import dataclass

import numpy as np
import pytest

from mbs_dae.workspaces.plane.arcs import crossings


@dataclass(frozen=True)
class Parabola:
    """y = x² + slope x over equal segments of x, each followed at a constant rate."""

    slope: float
    ends: np.ndarray
    closed: bool = False
    corners: tuple = ()
    tag: str = "parabola"

    @property
    def points(self):
        return np.stack([self.ends, self.ends**2 + self.slope * self.ends], axis=1)

    def at(self, k, part):
        width = self.ends[k + 1] - self.ends[k]
        x = self.ends[k] + part * width
        return np.array([x, x * x + self.slope * x]), width * np.array([1.0, 2.0 * x + self.slope])

    rough = at


@pytest.mark.parametrize("slope", [0.5, 0.03, 3e-3])
@pytest.mark.parametrize("shift", [0.0, 0.013, 0.05, 0.087])
def test_parabolas_cross_once_at_any_angle(slope, shift):
    """y = x² and y = x² + s x cross at x = 0 alone, wherever the chords do, whose corners are shifted by 0 to 0.087."""
    one, other = Parabola(0.0, np.linspace(-1.03, 0.97, 21)), Parabola(slope, np.linspace(-1.03, 0.97, 21) + shift)
    found = crossings([one, other])
    assert len(found) == 1
    _, spot, _, other_spot = found[0]
    assert np.abs(one.at(*spot)[0]).max() < 1e-12 and np.abs(other.at(*other_spot)[0]).max() < 1e-12
