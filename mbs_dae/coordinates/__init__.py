"""How bodies become q and v. A coordinate set speaks of markers, never of joints."""

from typing import Any

from ..errors import unknown_name
from .base import CoordinateSet
from .layout import Layout
from .planar import PlanarCartesian
from .spatial import SpatialCartesian

SETS: dict[int, dict[str, Any]] = {2: {"cartesian": PlanarCartesian()}, 3: {"cartesian": SpatialCartesian()}}
"""By the dimension of the model, and by name."""


def coordinate_set(dimension: int, name: str) -> CoordinateSet:
    if name not in SETS[dimension]:
        raise unknown_name("coordinate set", name, SETS[dimension], "this version")
    return SETS[dimension][name]


__all__ = ["CoordinateSet", "Layout", "coordinate_set"]
