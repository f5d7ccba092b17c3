"""Where members start: closed poses, and velocities, in workspaces that serve one member after the other.

All goes as in `poses.assembly` and `motion.initial`, by the same compiled functions; what these look into further (a
pose that is singular, equations that contradict each other) is not ordinary, and left to the verb.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...compiled import System
from ...errors import MbsError
from ...motion.derivative import evaluate, factorise_terms, refinements
from ...motion.mechanism import mechanism
from ...poses.assembly import held_model
from ...poses.closing import closed, closed_at_once
from ...poses.dependence import PoseRank
from ...poses.nearest import satisfied, scratch, slide_back
from ...poses.newton import correct_velocity
from .numbers import Numbers, Reused

Held = tuple[System, Mapping[str, str]]
"""A system with equations for some initial values, and the parameters that these values are, with the names."""


def holding(system: System, level: int, names: Sequence[str]) -> Held:
    """The system that holds the initial values of a level, 0 or 1: itself where there are none."""
    model, places = system.structure.once(held_model, level, tuple(names))
    return (model.compile(), places) if places else (system, {})


class Assembly:
    """The pose of each member that is nearest to its placement."""

    def __init__(self, system: System):
        self.system, self.still = system, system.still
        self.machine = Reused(system.machine())
        self.scratch = scratch(self.machine.own)
        self.looks_further = system.model.dimension == 3  # whether bodies stand on their heads

    def pose(self, numbers: Numbers, k: int, t: float) -> np.ndarray | None:
        """None where there is none."""
        machine, guess, q = self.machine.fresh(), numbers.placement[k], None
        numbers.put(machine, k)
        if not self.looks_further:
            q = closed_at_once(self.system.structure, machine, t, guess)
        if q is None:
            machine = self.machine.fresh()
            numbers.put(machine, k)
            try:
                q = closed(numbers.member(k), machine, t, guess)
            except MbsError:
                return None
        slide_back(machine, t, q, guess, self.scratch)
        return q


class Release:
    """The velocity of each member of least kinetic energy; with the pose a start, if that is a regular one."""

    def __init__(self, system: System, moving: System):
        self.system, self.still = system, system.still
        self.run, self.regular = Reused(mechanism(moving)), Reused(system.machine())

    def velocity(self, numbers: Numbers, k: int, t: float, q: np.ndarray) -> np.ndarray | None:
        run, v = self.run.fresh(), self.still.copy()
        numbers.put_forces(run, k)
        evaluate(run, t, q, v)
        factorise_terms(run)
        correct_velocity(run.machine, v, 2 + refinements(run))
        return v if satisfied(run.machine, v, 1) else None

    def is_regular(self, numbers: Numbers, k: int, t: float, q: np.ndarray) -> bool:
        machine = self.regular.fresh()
        numbers.put(machine, k)
        return PoseRank(self.system, t, q, machine=machine).has_all()


@dataclass(frozen=True, eq=False)
class Starts:
    """The numbers of members for the systems that a start asks: poses are found with initial values held, velocities
    with others, and the run has none."""

    free: Numbers
    positioned: Numbers
    moving: Numbers

    @cached_property
    def ordinary(self) -> np.ndarray:
        """The members with numbers in all places, and no body that is too light."""
        good = self.free.finite & self.positioned.finite & self.moving.finite
        return good & self.free.heavy
