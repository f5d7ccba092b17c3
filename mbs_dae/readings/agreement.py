"""How far two motions of the same bodies are from each other."""

from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..results.result import Result
from .motion import ComputedQuantities


@dataclass(frozen=True)
class Difference:
    """The largest differences at the times that two results have in common."""

    position: float
    """Over the model's length; angles in radians."""
    velocity: float
    """Over the largest velocity, turns counting over the model's length."""
    reaction: float
    """Of the components that are determined, over the largest reaction, moments counting over the model's length."""


IDLE = 1e-9
"""Reactions of less than this, relative to what moves the heaviest body along, are none: those of bodies without mass
are roundoff."""


def difference(first: Result, second: Result) -> Difference:
    """Both of the same model, computed in this process."""
    assert isinstance(first.quantities, ComputedQuantities) and isinstance(second.quantities, ComputedQuantities)
    system, common = first.quantities.system, min(len(first), len(second))
    (_, q0, v0, _), (_, q1, v1, _) = first.quantities.motion, second.quantities.motion
    way = np.sqrt(system.weight)
    apart = [way * system.between(*pair) for pair in zip(q0[:common], q1[:common], strict=True)]
    faster = way * (v1[:common] - v0[:common])[:, : system.nv]
    idle = IDLE * (system.heaviest or 1.0) * np.abs(way * first.a).max(initial=0.0)
    return Difference(
        position=float(np.abs(apart).max(initial=0.0)) / system.length,
        velocity=_ratio(faster, way * first.v),
        reaction=_reactions(system, first, second, idle),
    )


def _reactions(system: System, first: Result, second: Result, idle: float) -> float:
    model, common = system.model, min(len(first), len(second))
    apart, sizes = [np.zeros(1)], [np.array([idle])]
    for joint in model.conditions:
        here, there = first.reaction(joint.name), second.reaction(joint.name)
        lengths = np.where(np.arange(here.shape[1]) < model.dimension, 1.0, system.length)
        gap = np.where(first.is_unique(joint.name)[:common], there[:common] - here[:common], 0.0)
        apart.append(np.ravel(gap / lengths))
        sizes.append(np.ravel(here / lengths))
    return _ratio(np.concatenate(apart), np.concatenate(sizes))


def _ratio(apart: np.ndarray, sizes: np.ndarray) -> float:
    """0 where both are nothing."""
    gap, size = np.abs(apart).max(initial=0.0), np.abs(sizes).max(initial=0.0)
    return float(gap / size) if size > 0.0 else float(gap)
