"""Named arrays: one run after another, or read from a file. Those of a run are `readings.ComputedQuantities`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from ..errors import unknown_name


class Quantities(Protocol):
    """`names` in a useful order, the array of a name, its unit, and all arrays at once."""

    def names(self) -> list[str]: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...
    def read_all(self) -> Mapping[str, np.ndarray]: ...


class StackedQuantities:
    """Quantities of one pose each, one after the other: what a sweep over a parameter gives."""

    def __init__(self, parts: Sequence[Quantities]):
        self._parts = parts

    def names(self) -> list[str]:
        return self._parts[0].names()

    def unit(self, name: str) -> str:
        return self._parts[0].unit(name)

    def __getitem__(self, name: str) -> np.ndarray:
        return np.concatenate([part[name] for part in self._parts])

    def read_all(self) -> dict[str, np.ndarray]:
        parts = [part.read_all() for part in self._parts]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.names()}


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
