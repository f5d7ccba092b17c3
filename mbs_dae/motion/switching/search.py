"""What is known of the next switch of a law: the record that looking for it and passing it share."""

from typing import NamedTuple

from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ..methods.method import Stages

LOOKS = 6
"""How often a step is looked at, its ends included; a dip between two looks is looked for, too."""
RUSH, BRIEF = 64, 1e-9
"""So many switches within this part of the run are a chatter that does not end."""


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
    armed: Work[Integers] = zeros("switches")
    wanted: Work[Integers] = zeros("switches")
    """Which switching functions pass there (1), and the modes after it."""
    after: Work[Vector] = zeros("switches")
    looks: Work[Matrix] = zeros(LOOKS, "switches")
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    fired: Work[Integers] = zeros("switches")
    """Of what is watched only: the sign that it has had since the last event (1, -1), or 0; and how many there are."""
    passed: Work[Integers] = zeros("switches")
    """Whether it has fired where the motion stands (1)."""
    events: Work[Integers] = zeros(1)
    total: Work[Integers] = zeros(2)
    """How many switches there were, and how many before this run; and when the last ones were."""
    times: Work[Vector] = zeros(RUSH)
    status: Work[Integers] = zeros(1)
