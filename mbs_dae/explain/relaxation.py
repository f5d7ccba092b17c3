"""Proposals of joints with fewer constraints in place of others, so that no equation is redundant and the mobility is
the same."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ..compiled import System
from ..model.joints import Cylindrical, Joint, PinInSlot, Revolute, Spherical, Translational, Universal
from ..poses.dependence import PoseRank

Replacement = tuple[str, str]  # the name of a joint, and the kind of joint to take instead
LARGE = 24  # greatest number of joints for advice: each is tried on its own
LESS: dict[tuple[int, type], tuple[type[Joint], ...]] = {
    (2, Revolute): (PinInSlot,),
    (2, Translational): (PinInSlot,),
    (3, Revolute): (Cylindrical, Universal, Spherical),
    (3, Translational): (Cylindrical, PinInSlot),
    (3, Cylindrical): (PinInSlot,),
}
"""The joints that may replace a joint, by dimension and kind."""


def relaxations(system: System, q: np.ndarray, joints: Sequence[str], redundant: int) -> list[Replacement]:
    """Return replacements that leave the mobility unchanged and no redundant equation among these joints; an empty list
    if none are found. The joint that removes most redundancy comes first: a loop of four parallel pins needs a ball and
    a sleeve."""
    if len(joints) > LARGE:
        return []
    trial, instead = _Trial(system, q), dict[str, Joint]()
    freedom, dependent = trial.counts({})
    goal = dependent - redundant
    while dependent > goal:
        best = None
        for element in (system.model.elements[name] for name in reversed(joints)):  # first joints hold the frame
            # the joints on the same two markers with fewer constraints
            kinds = LESS.get((element.dimension, type(element)), ()) if element.name not in instead else ()
            for kind in kinds:
                markers: Any = element.markers
                if kind is Universal:  # with z for x, the first pin of a universal joint is the present pin
                    markers = [replace(m, axes=tuple((z, x, y) for x, y, z in m.axes)) for m in markers]
                less = kind(element.name, *markers)
                free, left = trial.counts({**instead, element.name: less})
                if free == freedom and goal <= left < (best[0] if best else dependent):
                    best = left, less
        if best is None:
            return []
        dependent = best[0]
        instead[best[1].name] = best[1]
    return [(name, less.kind) for name, less in instead.items()]


def spare(system: System, q: np.ndarray, joints: Sequence[str]) -> str | None:
    """Return a joint that could be left out without freeing any motion; None if there is none."""
    trial = _Trial(system, q)
    freedom, _ = trial.counts({})
    return next((name for name in reversed(joints) if trial.counts({name: None})[0] == freedom), None)


class _Trial:
    """The rank of the model with replacements, from the present matrix of the model: without some rows, and with
    others."""

    def __init__(self, system: System, q: np.ndarray):
        self.system, self.q, self.pose = system, q, PoseRank(system, 0.0, q)

        @cache
        def rows_of(joint: Joint) -> np.ndarray:
            relation, slots = joint.form()
            return system.reader_of(relation, joint.markers, slots).jacobian(0.0, q).toarray()

        self._rows = rows_of

    def counts(self, instead: Mapping[str, Joint | None]) -> tuple[int, int]:
        """Return the degrees of freedom, and the number of dependent equations, with these elements replaced (or
        removed)."""
        gone = {k for name in instead for k in self.system.rows_of(name)}
        rows = [k for k in range(len(self.system.rows)) if k not in gone]
        dependent = len(self.pose.dependent(rows))
        others = [self._rows(less) for less in instead.values() if less]
        rows_instead = np.vstack([np.zeros((0, self.system.nv)), *others])
        dependent += len(rows_instead) - self.pose.further(rows_instead)
        return self.system.nv - len(rows) - len(rows_instead) + dependent, dependent
