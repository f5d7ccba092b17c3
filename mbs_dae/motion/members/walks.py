"""Poses of many designs along a motion that is given, one design after the other in a workspace. Compiled."""

from typing import NamedTuple

import numpy as np

from ...compiled.machine import POSES, Machine
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Vector, Work, block, zeros
from ...linear.vectors import copy
from ...poses.beside import count_dependent
from ...poses.continuation import walk
from .reused import Reused, Spans, put_member, spans, take_words
from .starts import ASIDE, READY, States

MEMBER, POSE = range(2)
REDUNDANT, NEARLY = range(2)


class Walks(NamedTuple):
    """A workspace, the path in it, and how far all is."""

    reused: Reused
    machine: Machine
    path: Trajectory
    outcome: Spans
    """What is kept of a member."""
    moments: Vector
    """Where it is looked how many rows depend on others, the first time to begin with."""
    excess: int
    """How many velocities there are more than rows."""
    at_once: int
    """The verb walks so many poses in a call; so do these, that bits are the same."""
    now: Work[Integers] = zeros(2)
    """The member under way and how many of its poses there are; 0 before it has begun."""
    found: Work[Integers] = zeros(2)
    """How many of its rows depend on others, and how many almost do."""
    counts: Work[Integers] = zeros("counts")


def walks(machine: Machine, reused: Reused, path: Trajectory, moments: np.ndarray, excess: int, at_once: int) -> Walks:
    found = np.zeros(2, dtype=np.int64)
    outcome = spans([path.q, path.v, path.a, machine.counts, found])
    made = Walks(reused, machine, block(path), outcome, moments, excess, at_once, found=found)
    return block(made, counts=2 * moments.size)


@compiled_apart
def walk_all(own: Walks, numbers: IntegerTable, states: States, kept: IntegerTable):
    """Walk from the states of those that are ready, until all are done, or so many poses that it is time to look at the
    clock; whether some are left. Members that do not come to their end have another state than DONE."""
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
def _begin(own, numbers, states, k):
    """The first pose of member k. READY, or a status."""
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
def _go_on(own, state, kept, k):
    """One walk of member k; how many poses it has taken, or more, if it is time to look at the clock."""
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
