"""The violation of the constraints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import check_name
from .quantities import frozen

LEVELS = ("positions", "velocities", "accelerations")


def _largest(level: int) -> cached_property[np.ndarray]:
    """Return a property: the largest violation of all rows at each time."""

    def read(violation: Violation) -> np.ndarray:
        return frozen(np.abs(violation.rows[level]).max(axis=1, initial=0.0))

    read.__doc__ = f"The largest of all equations of {LEVELS[level]} at each time."
    return cached_property(read)


@dataclass(frozen=True, eq=False)
class Violation:
    """The violation of the constraints: the sizes of Φ, Φ̇, Φ̈ of each row, each in the unit of its row.

    `position`, `velocity` and `acceleration` are the largest of all rows at each time; ``violation.joint("A")`` returns
    the same for one element. As an array, a violation is its `position`.
    """

    rows: np.ndarray
    """Shape (3, times, rows)."""
    elements: tuple[str, ...]
    """The element of each row."""

    position, velocity, acceleration = map(_largest, range(3))

    def joint(self, name: str) -> Violation:
        """Return the violation of one element."""
        check_name("constraint", name, {*self.elements}, "the result")
        own = [k for k, element in enumerate(self.elements) if element == name]
        return Violation(self.rows[:, :, own], (name,) * len(own))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.position, dtype=dtype)
