"""Compute states in which members start: closed poses and velocities, for a slice in a few compiled calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...compiled import System
from ...errors import MbsError
from ...kernels.blocks import block
from ...motion.mechanism import mechanism
from ...motion.members.starts import (
    ASIDE,
    CLOSED,
    WAITS,
    States,
    VelocityStart,
    close_all,
    complete_all,
    posing,
    release_all,
)
from ...motion.members.workspaces import put_in, reused
from ...poses.assembly import model_with_fixes
from ...poses.closing import closed, driven_rows, turned_over
from .numbers import MemberNumbers, fitting, places_of_motion, places_of_poses

HeldSystem = tuple[System, Mapping[str, str]]
"""A system with equations for some initial values, and a map from its added parameters to the names of these values."""


def holding(system: System, level: int, names: Sequence[str]) -> HeldSystem:
    """Return the system that holds the initial values of a level, 0 or 1, or the system itself if none are named."""
    model, places = system.structure.once(model_with_fixes, level, tuple(names))
    return (model.compile(), places) if places else (system, {})


class Assembly:
    """Find the pose of each member that is nearest to its placement."""

    def __init__(self, system: System):
        self.machine = system.machine()
        self.looks_further = system.model.dimension == 3  # whether to check that bodies stand upside down
        self.reused = reused(self.machine, places_of_poses(self.machine))
        self.records = posing(self.machine, self.reused, driven_rows(system.structure))

    def closed(self, numbers: MemberNumbers, eligible: np.ndarray, t: float) -> States:
        """Return closed poses of the eligible members near their placements; others keep their state."""
        layout, count = numbers.system.layout, eligible.size
        sizes = layout.q_size, layout.v_size, layout.v_size
        state = np.where(eligible, WAITS, ASIDE)
        states = block(States(state, numbers.placement, *(np.zeros((count, size)) for size in sizes)))
        close_all(self.records, t, fitting(self.reused, numbers.of_poses), states)
        for k in np.flatnonzero(eligible & ((state != CLOSED) | self.looks_further)).tolist():
            if state[k] != CLOSED or turned_over(numbers.member(k), states.q[k]):
                state[k] = self._closed_from_afar(numbers, k, t, states.q[k])
        return states

    def _closed_from_afar(self, numbers: MemberNumbers, k: int, t: float, q: np.ndarray) -> int:
        """Close the pose of member k in place, by a search that goes further than Newton; return CLOSED or WAITS."""
        put_in(self.reused, numbers.of_poses, k)
        numbers.tell_lengths(self.machine, k)
        try:
            q[:] = closed(numbers.member(k), self.machine, t, numbers.placement[k])
        except MbsError:
            return WAITS
        return CLOSED

    def completed(self, numbers: MemberNumbers, eligible: np.ndarray, t: float) -> States:
        """Return states of members all of whose velocities follow from the equations."""
        states = self.closed(numbers, eligible, t)
        complete_all(self.records, t, fitting(self.reused, numbers.of_poses), states)
        return states


@dataclass(frozen=True, eq=False)
class MemberStarts:
    """The numbers of members for the three systems of a start: the free one of the run, one that holds initial
    positions, and one that holds initial velocities."""

    free: MemberNumbers
    positioned: MemberNumbers
    moving: MemberNumbers

    @cached_property
    def ordinary(self) -> np.ndarray:
        """Whether all numbers of a member are finite and no body is too light, shape (members,)."""
        good = self.free.finite & self.positioned.finite & self.moving.finite
        return good & self.free.heavy & self.moving.heavy


class Releases:
    """Compute states of least kinetic energy at regular poses."""

    def __init__(self, system: System, positioned: System, moving: System):
        self.assembly, run, machine = Assembly(positioned), mechanism(moving), system.machine()
        machine_numbers = reused(machine, places_of_poses(machine))
        self.records = block(VelocityStart(reused(run, places_of_motion(run)), run, machine_numbers, machine))

    def states(self, starts: MemberStarts, t: float) -> States:
        states = self.assembly.closed(starts.positioned, starts.ordinary, t)
        tables = (
            fitting(self.assembly.reused, starts.positioned.of_poses),
            fitting(self.records.reused, starts.moving.of_motion),
            fitting(self.records.plain, starts.free.of_poses),
        )
        release_all(self.assembly.records, self.records, t, *tables, states)
        return states
