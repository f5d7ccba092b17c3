"""Named arrays, read from a file. Those of a run are `readings.ComputedQuantities`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import unknown_name


class Quantities(Protocol):
    """`names` in a useful order, the array of a name, its unit, and all arrays at once."""

    def names(self) -> list[str]: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...
    def read_all(self) -> Mapping[str, np.ndarray]: ...


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class StoredQuantities:
    """Arrays that came out of a file."""

    _arrays: Mapping[str, np.ndarray]
    _units: Mapping[str, str]

    def names(self) -> list[str]:
        return list(self._arrays)

    def unit(self, name: str) -> str:
        self[name]
        return self._units[name]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise unknown_name("quantity", name, self._arrays, "the result")
        return self._arrays[name]

    def read_all(self) -> Mapping[str, np.ndarray]:
        return self._arrays
