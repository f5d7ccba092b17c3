"""Data of a result, which a file stores: named arrays, the loads of joints, drivers and forces on bodies, the energy
balance, the violation of the constraints, and the motion in the coordinates of its computation. `readings` computes
those of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..errors import ModelError, Names, check_name, unknown_name

PARTS = ("kinetic", "potential", "dissipated", "supplied")
"""The parts of the energy balance."""


class Lazy:
    """A field that may be given as a function without arguments: it is called when the field is first read."""

    def __init__(self, *default: Any) -> None:
        """Store the default, if one is given."""
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            if self.default:
                return self.default[0]
            raise AttributeError(self.name)  # to dataclasses: there is no default
        value = vars(instance)[self.name]
        if callable(value):
            value = vars(instance)[self.name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


class Quantities(Protocol):
    """Named arrays: the names in a useful order, the array of a name, its unit, all arrays at once; and the error for
    an unknown name, which lists these names and `others`."""

    def names(self) -> list[str]: ...
    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unknown(self, name: str, others: Iterable[str]) -> ModelError: ...
    def unit(self, name: str) -> str: ...
    def read_all(self) -> Mapping[str, np.ndarray]: ...


def frozen(array: np.ndarray) -> np.ndarray:
    """Return the array after making it read-only."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class StoredQuantities:
    """Quantities from a file."""

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
    components are unique, and which of its effort and its other loads, by their words; and its effort."""

    def names(self) -> list[str]: ...
    @property
    def dimension(self) -> int: ...
    def efforts(self) -> list[str]:
        """Return the names of the elements that have an effort."""
        ...

    def world(self, name: str) -> np.ndarray: ...
    def unique(self, name: str) -> np.ndarray: ...
    def unique_loads(self, name: str) -> Mapping[str, np.ndarray]: ...
    def effort(self, name: str) -> np.ndarray | None: ...
    @property
    def smallest_singular_value(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class StoredReactions:
    """Reactions from a file, by the names of elements and of readings."""

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

    def unique_loads(self, name: str) -> Mapping[str, np.ndarray]:
        return self._arrays[name]["unique_loads"]

    def effort(self, name: str) -> np.ndarray | None:
        return self._arrays[name].get("effort")


@dataclass(frozen=True, eq=False)
class Energy:
    """The energy balance over time, in J.

        total = kinetic + potential + dissipated - supplied

    is constant up to errors of integration; `error` is its change from the start. `potential` includes weight, springs,
    and the energy stored in forces without a potential in closed form (counted from the start). As an array, an energy
    is its `total`.
    """

    kinetic: np.ndarray
    """Kinetic energy of all bodies, in J."""
    potential: np.ndarray
    """Potential energy of weight and springs, in J."""
    dissipated: np.ndarray
    """Energy dissipated by dampers, friction and drag, in J."""
    supplied: np.ndarray
    """Energy supplied by drivers, motors and given forces, in J."""

    @property
    def total(self) -> np.ndarray:
        """kinetic + potential + dissipated - supplied."""
        return self.kinetic + self.potential + self.dissipated - self.supplied

    @property
    def error(self) -> np.ndarray:
        """The change of the total from its first value, in J."""
        total = self.total
        return total - total[:1]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.total, dtype=dtype)


def ledger(columns: np.ndarray) -> Energy:
    """Return the energy balance from columns kinetic, potential, stored, dissipated, supplied."""
    kinetic, potential, stored, dissipated, supplied = columns.T
    return Energy(*map(frozen, (kinetic, potential + stored, dissipated, supplied)))


# --- the violation of the constraints ---

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
        columns = [k for k, element in enumerate(self.elements) if element == name]
        return Violation(self.rows[:, :, columns], (name,) * len(columns))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.position, dtype=dtype)


# --- the motion in its own coordinates ---


@dataclass(frozen=True, eq=False, repr=False)
class OwnMotion:
    """The coordinates in which a motion was computed, over time: ``own["A.angle"]`` is a column of q."""

    name: str
    """The name of the set: "cartesian", "natural", "joint"."""
    names: tuple[str, ...]
    """The names of the coordinates, one for each column of q."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        check_name("coordinate", name, self.names, f"the motion in {self.name} coordinates")
        return self.q[:, self.names.index(name)]

    def __repr__(self) -> str:
        return f"<OwnMotion in {self.name} coordinates: {len(self.names)} coordinates, {len(self.q)} times>"
