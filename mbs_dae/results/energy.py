"""The energy ledger of a motion."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .quantities import frozen


@dataclass(frozen=True, eq=False)
class Energy:
    """Where the energy is and where it went, over time, in J.

    total = kinetic + potential + dissipated - supplied

    is constant but for errors of integration; `error` is how far it has moved, up (positive) or down. `potential` has
    weight, springs, and what was stored in forces that have no potential in closed form (which counts from the start).
    As an array, an energy is its `total`.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    """By dampers, friction and drag."""
    supplied: np.ndarray
    """By drivers, motors and given forces."""

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential + self.dissipated - self.supplied

    @property
    def error(self) -> np.ndarray:
        return self.total - self.total[:1]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.total, dtype=dtype)


def ledger(columns: np.ndarray) -> Energy:
    """From the columns kinetic, potential, stored, dissipated, supplied."""
    kinetic, potential, stored, dissipated, supplied = columns.T
    return Energy(*map(frozen, (kinetic, potential + stored, dissipated, supplied)))
