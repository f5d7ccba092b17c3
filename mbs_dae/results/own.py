"""Fields of a result that are made when they are read, and the motion in coordinates of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import check_name


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
