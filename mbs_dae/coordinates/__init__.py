"""How bodies become q and v. A coordinate set speaks of markers, never of joints."""

from typing import Any

from ..errors import ModelError, unknown_name
from ..model.model import Model
from .base import BodyCoordinates, CoordinateSet, KernelCoordinates, Motion, OwnEquations
from .cartesian import Cartesian
from .computed import Computed
from .joint.joint import JointCoordinates
from .layout import Layout
from .natural import Natural
from .planar import PlanarCartesian
from .spatial import SpatialCartesian

BODY: dict[int, Any] = {2: PlanarCartesian(), 3: SpatialCartesian()}
"""The Cartesian coordinates of one body, by the dimension of the model."""
SETS = ("cartesian", "natural", "joint")


def coordinate_set(model: Model, name: str, **tree: Any) -> CoordinateSet:
    """The coordinates of a model by the name of the set; `tree` is what `topology` is told of joint coordinates."""
    if name not in SETS:
        raise unknown_name("coordinate set", name, SETS, "this version")
    if tree and name != "joint":
        given = " and ".join(f"{what}=" for what in tree)
        raise ModelError(f"{given} is for the tree of joint coordinates, and {name} ones have none; leave it out")
    if name == "natural":
        return Natural(model)
    bodies = Cartesian(model, BODY[model.dimension])
    return JointCoordinates(model, bodies, **tree) if name == "joint" else bodies


def body_coordinates(dimension: int) -> BodyCoordinates:
    return BODY[dimension]


__all__ = [
    "SETS", "BodyCoordinates", "Cartesian", "Computed", "CoordinateSet", "JointCoordinates", "KernelCoordinates",
    "Layout", "Motion", "OwnEquations", "body_coordinates", "coordinate_set",
]  # fmt: skip
