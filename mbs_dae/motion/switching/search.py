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
CHATTERS = 17
"""A status: laws switch back and forth without end (see `run` for the others)."""
TANGLED = 22
"""A status: what a switching function does in a step cannot be seen, however closely it is looked at."""


class Search(NamedTuple):
    """What is known of the next switch."""

    stages: Stages
    functions: Integers
    """The addresses of `CHOOSE`, `SWITCH`, `SEARCH`, `CARRY_ON`, `START_OVER`, `GO_ON`: compiled where something
    switches."""
    whole: float
    """How long the run is."""
    span: Work[Vector] = zeros(2)
    """The times at which the step begins and ends."""
    found: Work[Integers] = zeros(1)
    doubt: Work[Integers] = zeros(1)
    """1 where a guard comes so near to zero within the step that the cubic through its ends does not tell whether it
    becomes wrong."""
    until: Work[Vector] = zeros(1)
    """Where the step is to end; infinite where nothing switches."""
    tries: Work[Integers] = zeros(1)
    begin: Work[Vector] = zeros("switches")
    """The guards at the beginning of the step."""
    value: Work[Vector] = zeros("switches")
    """The switching functions at the end of the last one."""
    surface: Work[Integers] = zeros("switches")
    """Whether the motion stands on g = 0 where the step begins, so that its branch was chosen there (`settling`)."""
    refuted: Work[Integers] = zeros("switches")
    """Which of these choices have been refuted, bit by bit."""
    level: Work[Vector] = zeros("switches")
    slack: Work[Vector] = zeros("switches")
    wrong: Work[Integers] = zeros("switches")
    """A guard is wrong from where it passes its level on, if it passes it by more than its slack."""
    wanted: Work[Integers] = zeros("switches")
    """Which switching functions pass there (1), and the modes after it."""
    after: Work[Vector] = zeros("switches")
    end: Work[Vector] = zeros("switches")
    """The guards at its end."""
    at: Work[Vector] = zeros(DEEP + 3)
    """Places of the step between which it is looked at (`looks`), what decides about branches there, and its rates."""
    positions: Work[Matrix] = zeros(DEEP + 3, "switches")
    rates: Work[Matrix] = zeros(DEEP + 3, "switches")
    size: Work[Vector] = zeros("switches")
    """The largest guards that were seen in it, and of what size the parts are that they are made of."""
    noise: Work[Vector] = zeros("switches")
    mixed: Work[Vector] = zeros("switches")
    """How mixtures change."""
    seen: Work[Vector] = zeros(1)
    looked: Work[Integers] = zeros(1)
    """The part of the step that has been looked at; and at how many places since the run was last watched."""
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    top: Work[Vector] = zeros("switches")
    """The largest value that a guard has had."""
    late: Work[Vector] = zeros("switches")
    """By how much later than it was located each guard may have passed zero last, in s."""
    passes: Work[Integers] = zeros("switches")
    """How many faint passes there were in a row."""
    other: Work[Vector] = zeros("width")
    a: Work[Vector] = zeros("speeds")
    total: Work[Integers] = zeros(2)
    """How many switches there were, and how many before this run; and when the last ones were."""
    times: Work[Vector] = zeros(RUSH)
    status: Work[Integers] = zeros(1)


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
