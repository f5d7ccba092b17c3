"""Count all poses with two values, whether or not motions lead to them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..modes.result import AssemblyModes
from ..verbs.curves.assembly_modes import assembly_modes
from .asked import Begun, Plane


def modes_at(begun: Begun, plane: Plane, fix: Mapping[str, float], values: np.ndarray) -> AssemblyModes:
    """Return all assembly modes at these values of the plane, with the quantities of `fix` held."""
    told = dict(zip(plane.names, values.tolist(), strict=True))
    numbers = {name: told[name] for name, of_model in plane.columns if of_model}
    held = {**fix, **{name: told[name] for name in plane.quantities}}
    return assembly_modes(begun.model.with_parameters(**numbers), held, begun.t)
