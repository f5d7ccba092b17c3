"""The search for the next switch of a law: the record shared by looking for the switch and passing it."""

from typing import NamedTuple

import numpy as np

from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...tolerances import CHATTER_SPAN
from ..methods.method import Stages

DEEP = 24
"""The largest depth to which a step is divided, to examine the switching functions in it."""
RUSH = 64
"""So many switches within `CHATTER_SPAN` of the run are a chatter that does not end."""
NONE, CUT, HERE, AT_ONCE, LOST_SIGHT = range(5)
"""The findings of a look at a step (`locate`)."""
STANDS, LEAVES = 1, 2
"""States of a surface g = 0 at which a step begins: rates decide about its branch; the motion leaves it on a branch
that is known."""
SHORT = CHATTER_SPAN / RUSH
"""The part of the run below which a step tells nothing more about which branch is right."""


class SearchCalls(NamedTuple):
    """Addresses of the functions in `motion.switching` that a run calls; 0 for runs in which nothing switches, for
    which they are not compiled. Each is called with the search and the arrays named here."""

    choose: int
    """`choosing.choose` (y, dy): choose branches and contact states at the first state."""
    switch_over: int
    """`choosing.switch_over` (y, dy): pass over what passes zero at the end of the step: a switch or an impact."""
    search_step: int
    """`locate.search_step` (): look for switches in the step."""
    carry_on: int
    """`choosing.carry_on` (y, dy): choose behind a break or a sampling time."""
    start_over: int
    """`choosing.start_over` (y, dy): choose behind a `Reset`."""
    go_on_as_held: int
    """`locate.go_on_as_held` (): begin the next step."""


class Guards(NamedTuple):
    """Guards and switching functions of the step. A guard must stay positive as long as its branch holds."""

    begin: Work[Vector] = zeros("switches")
    """The guards at the beginning of the step."""
    end: Work[Vector] = zeros("switches")
    """The guards at the end of the step."""
    value: Work[Vector] = zeros("switches")
    """The switching functions at the end of the last step."""
    surface: Work[Integers] = zeros("switches")
    """STANDS or LEAVES if the motion is on g = 0 at the beginning of the step, so that its branch was chosen there
    (`surfaces`); else 0."""
    refuted: Work[Integers] = zeros("switches")
    """The choices that have been refuted at this state, one bit each."""
    level: Work[Vector] = zeros("switches")
    """The level of each guard: 0, or a negative guard at the beginning of the step; -inf if all choices are refuted."""
    slack: Work[Vector] = zeros("switches")
    """The tolerance of each guard below its level."""
    wrong: Work[Integers] = zeros("switches")
    """1 for each guard that falls below its level by more than its slack; while a step is looked at, also work
    space."""
    passes_zero: Work[Integers] = zeros("switches")
    """1 for each switching function that passes zero where the step ends."""
    after: Work[Vector] = zeros("switches")
    """The modes after this passage."""
    size: Work[Vector] = zeros("switches")
    """The largest guards seen in the step."""
    noise: Work[Vector] = zeros("switches")
    """The size of the terms of which each guard is the sum."""
    mixture_rate: Work[Vector] = zeros("switches")
    """The rates at which mixtures of branches change."""
    largest: Work[Vector] = zeros("switches")
    """The largest value that each guard has had."""
    delay: Work[Vector] = zeros("switches")
    """The time by which each guard may have passed zero after the place that was located, in s."""
    faint_passes: Work[Integers] = zeros("switches")
    """The number of faint passages in a row."""


class StepSamples(NamedTuple):
    """Places inside a step at which guards are evaluated (`locate.first_wrong`)."""

    at: Work[Vector] = zeros(DEEP + 3)
    """Places of the step, from 0 to 1."""
    values: Work[Matrix] = zeros(DEEP + 3, "switches")
    """The switching functions, or mixtures, at these places."""
    rates: Work[Matrix] = zeros(DEEP + 3, "switches")
    """Their rates at these places."""
    part: Work[Vector] = zeros(1)
    """The part of the step that has been looked at."""
    count_since: Work[Integers] = zeros(1)
    """The number of evaluations since the run was last watched."""


class Search(NamedTuple):
    """The search for the next switch."""

    stages: Stages
    calls: SearchCalls
    whole: float
    """The length of the run, in s."""
    span: Work[Vector] = zeros(2)
    """The times at which the step that is looked at begins and ends."""
    instant: Work[Vector] = zeros(1)
    """The time at which branches and states are chosen, or bodies meet."""
    found: Work[Integers] = zeros(1)
    """The finding of the last look at a step: NONE, CUT, HERE, AT_ONCE or LOST_SIGHT."""
    doubt: Work[Integers] = zeros(1)
    """1 if a guard comes so near to zero within the step that the cubic through its ends does not tell whether it
    becomes wrong."""
    until: Work[Vector] = zeros(1)
    """The time at which the step is to end at the latest: at a switch, or as soon as directions of slips ask for it;
    infinite if nothing does."""
    tries: Work[Integers] = zeros(1)
    """The number of times that the present step has been cut."""
    y: Work[Vector] = zeros("width")
    """The state at the place that is evaluated."""
    dy: Work[Vector] = zeros("width")
    """The derivative of the state at this place."""
    other: Work[Vector] = zeros("width")
    """Another state, for differences; in an impact, the state before."""
    a: Work[Vector] = zeros("speeds")
    """The accelerations of the last evaluation."""
    total: Work[Integers] = zeros(2)
    """The number of switches, and the number of those before this run."""
    times: Work[Vector] = zeros(RUSH)
    """The times of the last switches."""
    status: Work[Integers] = zeros(1)
    guards: Guards = Guards()
    samples: StepSamples = StepSamples()


@compiled
def resolved_until(search: Search, t: float) -> float:
    """Return the time at which an explicit step from t must end in order to resolve the directions of slips."""
    contacts = search.stages.mechanism.contacts
    explicit = search.stages.implicit.weight.size == 0
    return (
        t + max(contacts.sliding.longest_step[0], SHORT * search.whole)
        if explicit and contacts.gap_row.size > 0
        else np.inf
    )
