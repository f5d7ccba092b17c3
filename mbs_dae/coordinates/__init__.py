"""How bodies become q and v. A coordinate set speaks of markers, never of joints."""

from typing import Any

from ..errors import unknown_name
from ..model.model import Model
from .base import BodyCoordinates, CoordinateSet, Motion, OwnEquations
from .cartesian import Cartesian
from .computed import Computed
from .layout import Layout
from .natural import Natural
from .planar import PlanarCartesian
from .spatial import SpatialCartesian

BODY: dict[int, Any] = {2: PlanarCartesian(), 3: SpatialCartesian()}
"""The Cartesian coordinates of one body, by the dimension of the model."""
SETS = ("cartesian", "natural")


def coordinate_set(model: Model, name: str) -> CoordinateSet:
    """The coordinates of a model by the name of the set."""
    if name not in SETS:
        raise unknown_name("coordinate set", name, SETS, "this version")
    return Natural(model) if name == "natural" else Cartesian(model, BODY[model.dimension])


def body_coordinates(dimension: int) -> BodyCoordinates:
    return BODY[dimension]


__all__ = [
    "BodyCoordinates",
    "Cartesian",
    "Computed",
    "CoordinateSet",
    "Layout",
    "Motion",
    "OwnEquations",
    "body_coordinates",
    "coordinate_set",
]
