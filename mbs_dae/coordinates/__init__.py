"""Coordinate sets: how bodies become q and v. A coordinate set depends on markers, never on joints."""

from typing import Any

from ..errors import ModelError, check_name
from ..model.model import Model
from .base import Computed, CoordinateSet, KernelCoordinates, Layout, Motion, OwnEquations
from .cartesian import Cartesian, PlanarCartesian, SpatialCartesian
from .joint.joint import JointCoordinates
from .natural.natural import Natural

BODY: dict[int, type[Cartesian]] = {2: PlanarCartesian, 3: SpatialCartesian}
SETS = ("cartesian", "natural", "joint")


def coordinate_set(model: Model, name: str, **tree: Any) -> CoordinateSet:
    """Return the coordinates of a model by the name of the set; `tree` has the options of `topology` for joint
    coordinates."""
    check_name("coordinate set", name, SETS, "this version")
    if tree and name != "joint":
        given = " and ".join(f"{what}=" for what in tree)
        raise ModelError(
            f"{given} is for the tree of joint coordinates, and {name} ones have none; leave it out",
            code="not-supported", value=given, name=name,
        )  # fmt: skip
    if name == "natural":
        return Natural(model)
    bodies = BODY[model.dimension](model)
    return JointCoordinates(model, bodies, **tree) if name == "joint" else bodies


def body_coordinates(dimension: int) -> Any:
    """Return the class whose static methods describe Cartesian coordinates of a single body, without a model."""
    return BODY[dimension]
