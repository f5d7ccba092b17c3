"""Initial states of members: closed poses and velocities of many designs in a call. Compiled.

All is done as in `poses.assembly` and `motion.initial`, by the same functions; further inquiries (into a singular pose,
or equations that contradict each other) are left to these. A table `state` holds the progress of each member.
"""

from typing import NamedTuple

import numpy as np

from ...compiled.machine import Machine
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Matrix, Vector, block
from ...poses.closing import close_at_once
from ...poses.dependence import is_regular
from ...poses.nearest import Scratch, project_reference, satisfied, scratch
from ...poses.newton import complete, evaluate_and_factorise
from ..derivative import take_nearest_velocity
from ..mechanism_record import Mechanism
from .workspaces import MemberWorkspace, put_member

WAITS, CLOSED, READY, ASIDE = -5, -4, -3, -2
"""States of a member: nothing is done, there is a closed pose, there is everything for a run, and the verb is to deal
with the member. Others are statuses of runs."""


class Posing(NamedTuple):
    """The work space for poses: a system that holds initial values, or the plain one."""

    reused: MemberWorkspace
    machine: Machine
    scratch: Scratch
    driven: Integers
    """The rows of angles that are driven (`poses.closing.driven_rows`)."""
    still: Vector


def posing(machine: Machine, reused: MemberWorkspace, driven: np.ndarray) -> Posing:
    return block(Posing(reused, machine, scratch(machine), driven, np.zeros(machine.here.v.size)))


class VelocityStart(NamedTuple):
    """The work space for velocities: a system that may hold given velocities, and the plain system."""

    reused: MemberWorkspace
    mechanism: Mechanism
    plain: MemberWorkspace
    machine: Machine


class States(NamedTuple):
    """The initial states of members, a row for each, with the placements to which they are near."""

    state: Integers
    placement: Matrix
    q: Matrix
    v: Matrix
    a: Matrix


@compiled_apart
def close_all(own: Posing, t: float, numbers: IntegerTable, states: States) -> None:
    """Close the poses of waiting members, where plain Newton steps suffice."""
    for k in range(states.state.size):
        if states.state[k] == WAITS:
            put_member(own.reused, numbers[k])
            if close_at_once(own.machine, t, states.placement[k], own.driven, own.still, states.q[k]):
                states.state[k] = CLOSED


@compiled
def _slide(own: Posing, t: float, numbers: IntegerTable, states: States, k: int) -> None:
    """Put the pose nearest to the placement, from the closed one."""
    put_member(own.reused, numbers[k])
    project_reference(own.machine, t, states.q[k], states.placement[k], own.scratch)


@compiled_apart
def release_all(
    own: Posing, release: VelocityStart, t: float, numbers: IntegerTable, moving: IntegerTable, plain: IntegerTable,
    states: States,
) -> None:  # fmt: skip
    """Put the states of least kinetic energy of closed members, and READY if their poses are regular. Members have
    other numbers in each workspace."""
    for k in range(states.state.size):
        if states.state[k] == CLOSED:
            _slide(own, t, numbers, states, k)
            put_member(release.reused, moving[k])
            take_nearest_velocity(release.mechanism, t, states.q[k], states.v[k])
            if satisfied(release.mechanism.machine, states.v[k], 1):
                put_member(release.plain, plain[k])
                if is_regular(release.machine, t, states.q[k], own.still):
                    states.state[k] = READY


@compiled_apart
def complete_all(own: Posing, t: float, numbers: IntegerTable, states: States) -> None:
    """Put the velocities and accelerations of closed members, and READY if the equations determine them."""
    machine = own.machine
    for k in range(states.state.size):
        if states.state[k] == CLOSED:
            _slide(own, t, numbers, states, k)
            v, a = states.v[k], states.a[k]
            evaluate_and_factorise(machine, t, states.q[k], v, False)
            done = complete(machine, t, states.q[k], v, a) == DONE
            if done and satisfied(machine, v, 1) and satisfied(machine, a, 2):
                states.state[k] = READY
