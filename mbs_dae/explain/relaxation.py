"""Which joints to replace by others that ask less, so that no equation is redundant and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..model.joints import Condition, Cylindrical, Joint, PinInSlot, Revolute, Spherical, Translational, Universal
from ..model.model import Model
from ..poses.dependence import PoseRank

Replacement = tuple[str, str]
"""The name of a joint, and the kind of joint to take instead."""
LARGE = 24
"""Joints from which on no advice is sought: each is tried on its own."""


def relaxations(model: Model, q: np.ndarray, joints: Sequence[str], redundant: int) -> list[Replacement]:
    """Replacements that leave the mobility as it is and no redundant equation among these joints; empty if none are
    found. The joint that takes most away comes first: a loop of four parallel pins needs a ball and a sleeve."""
    found: list[Replacement] = []
    if len(joints) > LARGE:
        return found
    freedom, dependent = _counts(model, q)
    goal = dependent - redundant
    while dependent > goal:
        best = None
        for element in _untouched(model, joints, found):
            for kind, less in _lesser(element):
                trial = model.without(element.name).plus(less())
                free, left = _counts(trial, q)
                if free == freedom and goal <= left < (best[0] if best else dependent):
                    best = left, trial, (element.name, kind)
        if best is None:
            return []
        dependent, model = best[0], best[1]
        found.append(best[2])
    return found


def spare(model: Model, q: np.ndarray, joints: Sequence[str]) -> str | None:
    """A joint that could be left out without freeing any motion."""
    freedom, _ = _counts(model, q)
    return next((name for name in reversed(joints) if _counts(model.without(name), q)[0] == freedom), None)


def _untouched(model: Model, joints: Sequence[str], found: list[Replacement]) -> Iterator[Condition]:
    """The last joints first: the first ones hold the frame."""
    done = {name for name, _ in found}
    found_elements = (model.elements[name] for name in reversed(joints) if name not in done)
    return (element for element in found_elements if isinstance(element, Condition))


def _counts(model: Model, q: np.ndarray) -> tuple[int, int]:
    """The degrees of freedom at this pose, and how many equations depend on others."""
    system = model.compile()
    rows = range(len(system.rows))
    dependent = len(PoseRank(system, 0.0, q).dependent(rows))
    return system.nv - len(system.rows) + dependent, dependent


def _lesser(element: Any) -> Iterator[tuple[str, Callable[[], Joint]]]:
    """The joints that ask less of the same two markers."""

    def take(kind: type[Joint], markers: Sequence[Any]) -> tuple[str, Callable[[], Joint]]:
        return kind.__name__, lambda: kind(element.name, *markers)

    markers = element.markers
    if element.dimension == 2 and type(element) in (Revolute, Translational):
        yield take(PinInSlot, markers)
    if element.dimension == 3 and type(element) is Revolute:
        yield take(Cylindrical, markers)
        yield take(Universal, [_with_pin_along_axis(marker) for marker in markers])
        yield take(Spherical, markers)
    if element.dimension == 3 and type(element) is Translational:
        yield take(Cylindrical, markers)
    if element.dimension == 3 and type(element) in (Translational, Cylindrical):
        yield take(PinInSlot, markers)


def _with_pin_along_axis(marker: Any) -> Any:
    """The marker with its z axis for x: the first pin of a universal joint then is the pin that was there."""
    return replace(marker, axes=tuple((z, x, y) for x, y, z in marker.axes))
