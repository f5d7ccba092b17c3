"""One coordinate of a body held: how a ground body is written in the classical texts."""

from __future__ import annotations

from typing import Any

from ..fields import choice, scalar
from .base import Joint


class CoordinateFix(Joint):
    """Hold "x", "y" or "angle" of a body (or of a marker on it) at a value; without one, where it is placed.

    ``CoordinateFix("x1", body, "x", 0)``
    """

    sketch = ""
    coordinate = choice("x", "y", "angle")
    value = scalar(default=lambda i, coordinate: getattr(i, coordinate))

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        self.units = ("rad",) if self.values["coordinate"] == "angle" else ("m",)

    @staticmethod
    def phi(i, coordinate, value):
        return [getattr(i, coordinate) - value]


