"""One coordinate of a body held: how a ground body is written in the classical texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..fields import choice, scalar
from ..parameters import check_choice
from .base import Joint

COORDINATES = {2: ("x", "y", "angle"), 3: ("x", "y", "z")}


class CoordinateFix(Joint):
    """Hold "x", "y", "z" or "angle" of a body (or of a marker on it) at a value; without one, where it is placed.

    ``CoordinateFix("x1", body, "x", 0)``
    """

    sketch = ""
    coordinate = choice("x", "y", "z", "angle")
    value = scalar(default=lambda i, coordinate: getattr(i, coordinate))

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        self.units = ("rad",) if self.values["coordinate"] == "angle" else ("m",)

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        wanted = positional[0] if positional else named.get("coordinate")
        if wanted is not None:
            check_choice(wanted, COORDINATES[self.dimension], f"coordinate of {self.who}")
        return super()._constants(positional, named)

    @staticmethod
    def phi(i, coordinate, value):
        return [getattr(i, coordinate) - value]
