"""Named arrays, read from a file. Those of a run are `readings.ComputedQuantities`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ..errors import unknown_name


class Quantities(Protocol):
    """`names` in a useful order, the array of a name, its unit, and all arrays at once."""

    def names(self) -> list[str]: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...
    def read_all(self) -> Mapping[str, np.ndarray]: ...


class StoredQuantities:
    """Arrays that came out of a file."""

    def __init__(self, arrays: Mapping[str, np.ndarray], units: Mapping[str, str]):
        self._arrays = arrays
        self._units = units

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
