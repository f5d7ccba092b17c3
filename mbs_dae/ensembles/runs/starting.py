"""Where members start: closed poses, and velocities, all of a slice in a few compiled calls (`motion.members`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...compiled import System
from ...errors import MbsError
from ...kernels.blocks import block
from ...motion.mechanism import mechanism
from ...motion.members.reused import put_in, reused
from ...motion.members.starts import ASIDE, CLOSED, WAITS, Release, States, close_all, complete_all, posing, release_all
from ...poses.assembly import held_model
from ...poses.closing import closed, driven_rows, turned_over
from .numbers import Numbers, fitting, places_of_motion, places_of_poses

Held = tuple[System, Mapping[str, str]]
"""A system with equations for some initial values, and the parameters that these values are, with the names."""


def holding(system: System, level: int, names: Sequence[str]) -> Held:
    """The system that holds the initial values of a level, 0 or 1: itself where there are none."""
    model, places = system.structure.once(held_model, level, tuple(names))
    return (model.compile(), places) if places else (system, {})


class Assembly:
    """The pose of each member that is nearest to its placement."""

    def __init__(self, system: System):
        self.machine = system.machine()
        self.looks_further = system.model.dimension == 3  # whether bodies stand on their heads
        self.reused = reused(self.machine, places_of_poses(self.machine))
        self.own = posing(self.machine, self.reused, driven_rows(system.structure))

    def closed(self, numbers: Numbers, wanted: np.ndarray, t: float) -> States:
        """Closed poses of the members wanted, near their placements. Those that have none stay as they are."""
        layout, count = numbers.system.layout, wanted.size
        sizes = layout.q_size, layout.v_size, layout.v_size
        state = np.where(wanted, WAITS, ASIDE)
        states = block(States(state, numbers.placement, *(np.zeros((count, size)) for size in sizes)))
        close_all(self.own, t, fitting(self.reused, numbers.of_poses), states)
        for k in np.flatnonzero(wanted & ((state != CLOSED) | self.looks_further)).tolist():
            if state[k] != CLOSED or turned_over(numbers.member(k), states.q[k]):
                state[k] = self._from_afar(numbers, k, t, states.q[k])
        return states

    def _from_afar(self, numbers: Numbers, k: int, t: float, q: np.ndarray) -> int:
        """Close the pose of a member for which plain Newton is not enough."""
        put_in(self.reused, numbers.of_poses, k)
        numbers.tell_lengths(self.machine, k)
        try:
            q[:] = closed(numbers.member(k), self.machine, t, numbers.placement[k])
        except MbsError:
            return WAITS
        return CLOSED

    def completed(self, numbers: Numbers, wanted: np.ndarray, t: float) -> States:
        """States of members all of whose velocities are given."""
        states = self.closed(numbers, wanted, t)
        complete_all(self.own, t, fitting(self.reused, numbers.of_poses), states)
        return states


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
        return good & self.free.heavy & self.moving.heavy


class Releases:
    """States of least kinetic energy at regular poses."""

    def __init__(self, system: System, positioned: System, moving: System):
        self.assembly, run, machine = Assembly(positioned), mechanism(moving), system.machine()
        made = reused(run, places_of_motion(run)), run, reused(machine, places_of_poses(machine)), machine
        self.own = block(Release(*made))

    def states(self, starts: Starts, t: float) -> States:
        states = self.assembly.closed(starts.positioned, starts.ordinary, t)
        tables = (
            fitting(self.assembly.reused, starts.positioned.of_poses),
            fitting(self.own.reused, starts.moving.of_motion),
            fitting(self.own.plain, starts.free.of_poses),
        )
        release_all(self.assembly.own, self.own, t, *tables, states)
        return states
