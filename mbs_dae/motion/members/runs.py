"""Runs of many designs in some workspaces: a member that comes to its end makes room for the next. Compiled."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.status import CUT_SHORT, DONE, PAUSED
from ...kernels.abi import address_of, at, compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Matrix, Work, block, zeros
from ..record import ACCEPTED, NEXT, REJECTED, March
from ..run import go_on, start
from .reused import Reused, Spans, put_member, take_words
from .starts import READY

EMPTY, UNDER_WAY = -1, -6
"""Who is in a workspace where nobody is; and the state of a member that is in one."""


class Slot(NamedTuple):
    """A workspace for runs."""

    march: March
    reused: Reused
    outcome: Spans
    """What is kept of a member."""


class Slots(NamedTuple):
    """Those for the members of a study."""

    slot: Integers
    """Their addresses."""
    member: Work[Integers] = zeros("slots")
    """Who is in each."""
    next: Work[Integers] = zeros(1)
    """No member before this one is to be begun."""


class Runs(NamedTuple):
    """Members: where they start, how far they are, and what is kept of those that have come to their end."""

    state: Integers
    q: Matrix
    v: Matrix
    numbers: IntegerTable
    kept: IntegerTable


def slots_of(made: Sequence[Slot]) -> Slots:
    """With nobody in them."""
    slots = block(Slots(np.array([address_of(one) for one in made])), slots=len(made))
    slots.member[:] = EMPTY
    return slots


@compiled_apart
def begin(slot: Slot, runs: Runs, k: int):
    """Member k with its first state; a status."""
    put_member(slot.reused, runs.numbers[k])
    slot.march.mechanism.machine.factor.kept[:] = 1.0
    return start(slot.march, runs.q[k], runs.v[k])


@compiled
def fill(slots, runs, like, place):
    """Begin the next member in this slot, if it is empty. Whether one was begun that can go on; `like` is any slot."""
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
def settle(slots, runs, like, place, status):
    """The run in this slot has this status: whether it can go on. One that is done leaves it; others stay, to be looked
    at."""
    if status in (PAUSED, CUT_SHORT):
        return True
    k = slots.member[place]
    runs.state[k] = status
    if status == DONE:
        take_words(at(slots.slot[place], like).outcome, runs.kept[k])
        slots.member[place] = EMPTY
    return False


@compiled
def has_ended_badly(slots, runs):
    """Whether some run is to be looked at."""
    for place in range(slots.member.size):
        if slots.member[place] != EMPTY and runs.state[slots.member[place]] != UNDER_WAY:
            return True
    return False


@compiled_apart
def go_on_alone(slots: Slots, runs: Runs, like: Slot, patience: int):
    """One member after the other, in the first slot, until all are done, one has not come to its end, or the end of
    patience; whether there is more to do."""
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
