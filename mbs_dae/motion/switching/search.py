"""What is known of the next switch of a law: the record that looking for it and passing it share."""

from typing import NamedTuple

import numpy as np

from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ..methods.method import Stages

DEEP = 24
"""How often a step is divided at most, one part of it after the other, to see what switching functions do in it."""
RUSH, BRIEF = 64, 1e-9
"""So many switches within this part of the run are a chatter that does not end."""
FAINT, LONG = 1e-8, 1e-4
"""So are as many passes in a row from side to side, within this part of the run, where g goes no farther from zero than
this part of what it has been: intervals that become shorter without end shrink it with their square."""
NONE, CUT, HERE, AT_ONCE, LOST_SIGHT = range(5)
"""The findings of a look at a step (`locate`)."""
SOON = 1e-13
"""A switch so soon after the beginning of a step, relative to the time, or to a second near zero, is at it."""
STANDS, LEFT = 1, 2
"""Of a surface g = 0 at which a step begins: rates decide about its branch; it is decided."""
SHORT = BRIEF / RUSH
"""The part of the run below which a step says no more of which branch is right."""


class Guards(NamedTuple):
    """Guards and switching functions of the step. A guard must stay positive as long as its branch holds."""

    begin: Work[Vector] = zeros("switches")
    """The guards at the beginning of the step."""
    end: Work[Vector] = zeros("switches")
    """The guards at its end."""
    value: Work[Vector] = zeros("switches")
    """The switching functions at the end of the last step."""
    surface: Work[Integers] = zeros("switches")
    """Whether the motion is on g = 0 at the beginning of the step, so that its branch was chosen there (`settling`)."""
    refuted: Work[Integers] = zeros("switches")
    """The choices that have been refuted there, one bit each."""
    level: Work[Vector] = zeros("switches")
    slack: Work[Vector] = zeros("switches")
    """A guard is wrong from its passage through its level on, if it passes the level by more than its slack."""
    wrong: Work[Integers] = zeros("switches")
    passes_zero: Work[Integers] = zeros("switches")
    """1 for each switching function that passes zero where the step ends."""
    after: Work[Vector] = zeros("switches")
    """The modes behind this passage."""
    size: Work[Vector] = zeros("switches")
    """The largest guards that were seen in the step."""
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
    """Places inside a step at which guards are evaluated (`looks`)."""

    at: Work[Vector] = zeros(DEEP + 3)
    """Places of the step, from 0 to 1."""
    values: Work[Matrix] = zeros(DEEP + 3, "switches")
    """The guards there."""
    rates: Work[Matrix] = zeros(DEEP + 3, "switches")
    """Their rates there."""
    part: Work[Vector] = zeros(1)
    """The part of the step that has been looked at."""
    count_since: Work[Integers] = zeros(1)
    """The number of evaluations since the run was last watched."""


class Search(NamedTuple):
    """The search for the next switch."""

    stages: Stages
    functions: Integers
    """Addresses of `CHOOSE`, `SWITCH`, `SEARCH`, `CARRY_ON`, `START_OVER`, `GO_ON`; they are compiled for models that
    switch."""
    whole: float
    """The length of the run, in s."""
    span: Work[Vector] = zeros(2)
    """The times at which the step begins and ends."""
    found: Work[Integers] = zeros(1)
    doubt: Work[Integers] = zeros(1)
    """1 if a guard comes so near to zero within the step that the cubic through its ends does not tell whether it
    becomes wrong."""
    until: Work[Vector] = zeros(1)
    """The time at which the step is to end; infinite if nothing switches."""
    tries: Work[Integers] = zeros(1)
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    other: Work[Vector] = zeros("width")
    a: Work[Vector] = zeros("speeds")
    total: Work[Integers] = zeros(2)
    """The number of switches, and the number of those before this run."""
    times: Work[Vector] = zeros(RUSH)
    """The times of the last switches."""
    status: Work[Integers] = zeros(1)
    guards: Guards = Guards()
    samples: StepSamples = StepSamples()


@compiled
def resolved_until(search, t):
    """Until when an explicit step from t may go if it is to resolve the directions of slips."""
    contacts = search.stages.mechanism.contacts
    explicit = search.stages.implicit.weight.size == 0
    return (
        t + max(contacts.sliding.longest_step[0], SHORT * search.whole)
        if explicit and contacts.gap.size > 0
        else np.inf
    )
