"""Sources of a result's readings, which a file keeps: named arrays, the loads that joints, drivers and forces do to
bodies, and the ledger of its energy. Those of a run are computed (`readings`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..errors import ModelError, Names, unknown_name

PARTS = ("kinetic", "potential", "dissipated", "supplied")
"""Of the ledger of energy."""


class Quantities(Protocol):
    """`names` in a useful order, the array of a name, its unit, and all arrays at once; and the error of a name that is
    none of these, nor of the `others` that the result knows."""

    def names(self) -> list[str]: ...
    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unknown(self, name: str, others: Iterable[str]) -> ModelError: ...
    def unit(self, name: str) -> str: ...
    def read_all(self) -> Mapping[str, np.ndarray]: ...


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class StoredQuantities:
    """Arrays that came out of a file."""

    _arrays: Names
    _units: Names

    def names(self) -> list[str]:
        return list(self._arrays)

    def unit(self, name: str) -> str:
        return self._units[name]

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def unknown(self, name: str, others: Iterable[str]) -> ModelError:
        return unknown_name("quantity", name, [*self._arrays, *others], "the result")

    def read_all(self) -> Mapping[str, np.ndarray]:
        return self._arrays


class Reactions(Protocol):
    """For each element: its reaction in world axes (Fx, Fy, M; in space force and moment, three each) over time, which
    components are unique, and its effort."""

    def names(self) -> list[str]: ...
    @property
    def dimension(self) -> int: ...
    def efforts(self) -> list[str]:
        """The names of those that have one."""
        ...

    def world(self, name: str) -> np.ndarray: ...
    def unique(self, name: str) -> np.ndarray: ...
    def effort(self, name: str) -> np.ndarray | None: ...
    @property
    def smallest_singular_value(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class StoredReactions:
    """Arrays that came out of a file, by the names of elements and of what is read."""

    _arrays: Names
    smallest_singular_value: np.ndarray

    def names(self) -> list[str]:
        return [*self._arrays]

    @property
    def dimension(self) -> int:
        return 3 if any(arrays["world"].shape[-1] == 6 for arrays in self._arrays.values()) else 2

    def efforts(self) -> list[str]:
        return [name for name, arrays in self._arrays.items() if "effort" in arrays]

    def world(self, name: str) -> np.ndarray:
        return self._arrays[name]["world"]

    def unique(self, name: str) -> np.ndarray:
        return self._arrays[name]["unique"].astype(bool)

    def effort(self, name: str) -> np.ndarray | None:
        return self._arrays[name].get("effort")


@dataclass(frozen=True, eq=False)
class Energy:
    """Where the energy is and where it went, over time, in J.

    total = kinetic + potential + dissipated - supplied

    is constant but for errors of integration; `error` is how far it has moved, up (positive) or down. `potential` has
    weight, springs, and what was stored in forces that have no potential in closed form (which counts from the start).
    As an array, an energy is its `total`.
    """

    kinetic: np.ndarray
    """Of the motion of all bodies."""
    potential: np.ndarray
    """Of weight and springs."""
    dissipated: np.ndarray
    """By dampers, friction and drag."""
    supplied: np.ndarray
    """By drivers, motors and given forces."""

    @property
    def total(self) -> np.ndarray:
        """kinetic + potential + dissipated - supplied."""
        return self.kinetic + self.potential + self.dissipated - self.supplied

    @property
    def error(self) -> np.ndarray:
        """How far the total has moved from its first value."""
        total = self.total
        return total - total[:1]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.total, dtype=dtype)


def ledger(columns: np.ndarray) -> Energy:
    """From the columns kinetic, potential, stored, dissipated, supplied."""
    kinetic, potential, stored, dissipated, supplied = columns.T
    return Energy(*map(frozen, (kinetic, potential + stored, dissipated, supplied)))
