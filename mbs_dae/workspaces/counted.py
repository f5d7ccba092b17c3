"""Regions whose poses are all found, whether or not motions lead to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..modes.result import AssemblyModes
from ..verbs.curves.assembly_modes import assembly_modes
from .asked import Begun, Plane

if TYPE_CHECKING:
    from .found import Workspace


def with_all_modes(found: Workspace) -> Workspace:
    """The same with the poses of `assembly_modes` at the inner point of each region; what is doubtful is told."""
    regions, notes = [], [*found.notes]
    for area in found.regions:
        if not area.counted:  # a freedom is left
            regions.append(area)
            continue
        modes = modes_at(found.begun, found.plane, found.fix, area.inside)
        if modes.complete is not True:
            notes.append(f"around {area.place} poses may be missing: {modes.message}")
        elif len(modes) != len(area.states):
            notes.append(f"around {area.place} motions lead to {len(area.states)} of {len(modes)} poses")
        regions.append(replace(area, states=modes.states))
    return replace(found, regions=tuple(regions), notes=tuple(notes))


def modes_at(begun: Begun, plane: Plane, fix: Mapping[str, float], values: np.ndarray) -> AssemblyModes:
    """All poses with these two values."""
    told = dict(zip(plane.names, values.tolist(), strict=True))
    numbers = {name: told[name] for name, of_model in plane.columns if of_model}
    held = {**fix, **{name: told[name] for name in plane.quantities}}
    return assembly_modes(begun.model.with_parameters(**numbers), held, begun.t)
