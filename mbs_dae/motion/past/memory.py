"""What a run carries from step to step: all that is written into its blocks, whatever it is for.

Lengths of steps, accelerations that a method remembers, a Newton matrix that still serves, branches that are held, rows
that are enforced, works: what a run knows besides its state decides how it goes on, digit by digit. None of it is named
here, so that nothing can be forgotten; what is recorded, alone, is not carried.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.images import rewrite, written
from ..course import SPAN, WAITING, Begin
from ..record import March

RECORD = ("record", "tape")


class Memory(NamedTuple):
    """A run between two steps."""

    begin: Begin
    words: tuple[np.ndarray, ...]


def memory_of(march: March, ended: bool = False) -> Memory | None:
    """That of a run; None while it waits for its controllers. Of a run that has ended it is what the run itself has
    written."""
    course = march.course
    if course.at[WAITING]:
        return None
    span = int(course.at[SPAN])
    start = float(course.ends[span - 1]) if span else course.start
    words = written(march, but=RECORD)
    words = words if ended else tuple([own.copy() for own in words])
    return Memory(Begin(float(march.time[0]), start, float(course.first[span])), words)


def remind(march: March, memory: Memory) -> None:
    """Put it into another run, of the same equations, by the same method: see `run.take_up`."""
    rewrite(march, memory.words, but=RECORD)
