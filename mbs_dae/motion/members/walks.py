"""Poses of many designs along a prescribed motion, one design after the other in a workspace. Compiled."""

from typing import NamedTuple

import numpy as np

from ...compiled.machine import POSES, Machine
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Vector, Work, block, zeros
from ...linear.vectors import copy
from ...poses.continuation import walk
from ...poses.newton import count_dependent
from .starts import ASIDE, READY, States
from .workspaces import MemberWorkspace, Spans, put_member, spans, take_words

MEMBER, POSE = range(2)
REDUNDANT, NEARLY = range(2)


class Walks(NamedTuple):
    """A workspace, the path in it, and the progress of all members."""

    reused: MemberWorkspace
    machine: Machine
    path: Trajectory
    outcome: Spans
    """The places of the results of a member."""
    moments: Vector
    """The times at which dependent rows are counted, beginning with the first time."""
    excess: int
    """The number of velocities minus the number of rows."""
    at_once: int
    """The number of poses in a call, as for a single design, so that results are the same to the last bit."""
    now: Work[Integers] = zeros(2)
    """The present member and the number of its poses so far; 0 before it has begun."""
    found: Work[Integers] = zeros(2)
    """The number of dependent rows of the member, and of nearly dependent ones."""
    counts: Work[Integers] = zeros("counts")


def walks(
    machine: Machine, reused: MemberWorkspace, path: Trajectory, moments: np.ndarray, excess: int, at_once: int
) -> Walks:
    found = np.zeros(2, dtype=np.int64)
    outcome = spans([path.q, path.v, path.a, machine.counts, found])
    made = Walks(reused, machine, block(path), outcome, moments, excess, at_once, found=found)
    return block(made, counts=2 * moments.size)


@compiled_apart
def walk_all(own: Walks, numbers: IntegerTable, states: States, kept: IntegerTable) -> bool:
    """Walk from the states of members that are ready, until all are done, or `at_once` poses are made; return whether
    some are left. Members that do not reach their end have another state than DONE."""
    state, left = states.state, own.at_once
    while own.now[MEMBER] < state.size:
        k = own.now[MEMBER]
        if own.now[POSE] == 0 and state[k] == READY:
            state[k] = _begin(own, numbers, states, k)
        if own.now[POSE] == 0:
            own.now[MEMBER] += 1
            continue
        if left <= 0:
            return True
        left -= _go_on(own, state, kept, k)
    return False


@compiled
def _begin(own: Walks, numbers: IntegerTable, states: States, k: int) -> int:
    """Put the first pose of member k; return READY, or a status."""
    path = own.path
    put_member(own.reused, numbers[k])
    copy(states.q[k], path.q[0])
    copy(states.v[k], path.v[0])
    copy(states.a[k], path.a[0])
    closes = count_dependent(own.machine, own.moments, path.q[0], path.v[0], own.counts)
    if closes == 0:
        return ASIDE
    own.found[REDUNDANT], own.found[NEARLY] = own.counts[0], own.counts[1]
    for other in range(closes):
        own.found[REDUNDANT] = min(own.found[REDUNDANT], own.counts[2 * other])
        own.found[NEARLY] = min(own.found[NEARLY], own.counts[2 * other + 1])
    if own.excess + own.found[REDUNDANT] > 0 or own.counts[0] > own.found[REDUNDANT]:
        return ASIDE
    own.now[POSE] = 1
    return READY


@compiled
def _go_on(own: Walks, state: Integers, kept: IntegerTable, k: int) -> int:
    """Make one walk of member k; return the number of its poses, or `at_once` if it stopped early with status DONE."""
    begin, path, machine = own.now[POSE], own.path, own.machine
    stop = min(begin + own.at_once, path.t.size)
    status = walk(machine, path, begin, stop, own.found[REDUNDANT], own.found[NEARLY]) if begin < stop else DONE
    done = machine.counts[POSES] if begin < stop else stop
    own.now[POSE] = done
    if status != DONE or done == path.t.size:
        state[k] = status
        if status == DONE:
            take_words(own.outcome, kept[k])
        own.now[MEMBER] += 1
        own.now[POSE] = 0
    return done - begin if status != DONE or done == stop else own.at_once
