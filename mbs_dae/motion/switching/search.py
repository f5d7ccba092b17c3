"""What is known of the next switch of a law: the record that looking for it and passing it share."""

from typing import NamedTuple

from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ..methods.method import Stages

LOOKS = 6
"""How often a step is looked at, its ends included; a dip between two looks is looked for, too."""
RUSH, BRIEF = 64, 1e-9
"""So many switches within this part of the run are a chatter that does not end."""
FAINT, LONG = 1e-8, 1e-4
"""So are as many passes in a row from side to side, within this part of the run, where g goes no farther from zero than
this part of what it has been: intervals that become shorter without end shrink it with their square."""
SHORT = BRIEF / RUSH
"""The part of the run below which a step says no more of which branch is right."""
CHATTERS = 17
"""A status: laws switch back and forth without end (see `run` for the others)."""


class Search(NamedTuple):
    """What is known of the next switch."""

    stages: Stages
    functions: Integers
    """The addresses of `CHOOSE`, `SWITCH`, `SEARCH` and `CARRY_ON`: they are compiled where something switches."""
    whole: float
    """How long the run is."""
    span: Work[Vector] = zeros(2)
    """The times at which the step begins and ends."""
    found: Work[Integers] = zeros(1)
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
    looks: Work[Matrix] = zeros(LOOKS, "switches")
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    top: Work[Vector] = zeros("switches")
    """The largest value that a guard has had; and how many faint passes there were in a row."""
    passes: Work[Integers] = zeros("switches")
    fired: Work[Integers] = zeros("switches")
    """Of what is watched only: the sign that it has had since the last event (1, -1), or 0; and how many there are."""
    watched: Work[Integers] = zeros("switches")
    """The same before a sampling time."""
    passed: Work[Integers] = zeros("switches")
    """Whether it has fired where the motion stands (1)."""
    events: Work[Integers] = zeros(1)
    total: Work[Integers] = zeros(2)
    """How many switches there were, and how many before this run; and when the last ones were."""
    times: Work[Vector] = zeros(RUSH)
    status: Work[Integers] = zeros(1)


@compiled
def largest(search, k):
    """The largest value of a guard in the step."""
    most = 0.0
    for i in range(LOOKS):
        most = max(most, abs(search.looks[i, k]))
    return most
