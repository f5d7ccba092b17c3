"""Runs of many designs in some workspaces: a member that comes to its end makes room for the next. Compiled."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.status import CUT_SHORT, DONE, PAUSED
from ...kernels.abi import address_of, at, compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Matrix, Work, block, zeros
from ..record import ACCEPTED, NEXT, REJECTED, IntegratorState
from ..run import go_on, start
from .starts import READY
from .workspaces import MemberWorkspace, Spans, put_member, take_words

EMPTY, UNDER_WAY = -1, -6
"""The entry of a workspace without a member; and the state of a member that is in one."""


class Slot(NamedTuple):
    """A workspace for runs."""

    march: IntegratorState
    reused: MemberWorkspace
    outcome: Spans
    """The places of the results of a member."""


class Slots(NamedTuple):
    """The workspaces for the members of a study."""

    slot: Integers
    """The addresses of slots."""
    member: Work[Integers] = zeros("slots")
    """The member in each slot."""
    next: Work[Integers] = zeros(1)
    """The number of a member before which none is to be begun."""


class Runs(NamedTuple):
    """Members: their initial states, their progress, and the results of those that have come to their end."""

    state: Integers
    q: Matrix
    v: Matrix
    numbers: IntegerTable
    kept: IntegerTable


def slots_of(made: Sequence[Slot]) -> Slots:
    """Return slots without members."""
    slots = block(Slots(np.array([address_of(one) for one in made])), slots=len(made))
    slots.member[:] = EMPTY
    return slots


@compiled_apart
def begin(slot: Slot, runs: Runs, k: int) -> int:
    """Begin member k from its first state; return a status."""
    put_member(slot.reused, runs.numbers[k])
    slot.march.mechanism.machine.factor.kept[:] = 1.0
    return start(slot.march, runs.q[k], runs.v[k])


@compiled
def fill(slots: Slots, runs: Runs, like: Slot, place: int) -> bool:
    """Begin the next member in this slot, if it is empty; return whether one was begun that can go on. `like` is any
    slot."""
    if slots.member[place] != EMPTY:
        return False
    while slots.next[0] < runs.state.size and runs.state[slots.next[0]] != READY:
        slots.next[0] += 1
    if slots.next[0] == runs.state.size:
        return False
    k = slots.next[0]
    slots.member[place] = k
    status = begin(at(slots.slot[place], like), runs, k)
    runs.state[k] = UNDER_WAY if status == DONE else status
    return status == DONE


@compiled
def settle(slots: Slots, runs: Runs, like: Slot, place: int, status: int) -> bool:
    """Deal with this status of the run in this slot; return whether it can go on. A member that is done leaves the
    slot; others stay, for Python to deal with."""
    if status in (PAUSED, CUT_SHORT):
        return True
    k = slots.member[place]
    runs.state[k] = status
    if status == DONE:
        take_words(at(slots.slot[place], like).outcome, runs.kept[k])
        slots.member[place] = EMPTY
    return False


@compiled
def has_ended_badly(slots: Slots, runs: Runs) -> bool:
    """Return whether some member has failed to reach its end, and is to be dealt with in Python."""
    for place in range(slots.member.size):
        if slots.member[place] != EMPTY and runs.state[slots.member[place]] != UNDER_WAY:
            return True
    return False


@compiled_apart
def go_on_alone(slots: Slots, runs: Runs, like: Slot, patience: int) -> bool:
    """Run one member after the other, in the first slot, until all are done, one has failed to reach its end, or
    `patience` steps are over; return whether there is more to do."""
    while not has_ended_badly(slots, runs):
        fill(slots, runs, like, 0)
        if slots.member[0] == EMPTY:
            return False
        if runs.state[slots.member[0]] == UNDER_WAY:
            march = at(slots.slot[0], like).march
            before = march.counts[ACCEPTED] + march.counts[REJECTED]
            status = DONE
            if march.counts[NEXT] < march.record.times.size:
                status = go_on(march, patience)
            settle(slots, runs, like, 0, status)
            patience -= march.counts[ACCEPTED] + march.counts[REJECTED] - before
            if patience <= 0:
                return True
    return True
