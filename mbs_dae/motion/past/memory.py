"""What a run carries from step to step: all that is written into its blocks, whatever it is for.

Lengths of steps, accelerations that a method remembers, a Newton matrix that still serves, branches that are held, rows
that are enforced, works: what a run knows besides its state decides how it goes on, digit by digit. None of it is named
here, so that nothing can be forgotten; what is recorded, alone, is not carried.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.blocks import rewrite, written
from ..course import SPAN, WAITING, Begin
from ..record import March

RECORD = ("record",)


class Memory(NamedTuple):
    """A run between two steps."""

    begin: Begin
    words: tuple[np.ndarray, ...]


def memory_of(march: March) -> Memory | None:
    """That of a run; None while it waits for its controllers."""
    course = march.course
    if course.at[WAITING]:
        return None
    span = int(course.at[SPAN])
    start = float(course.ends[span - 1]) if span else course.start
    return Memory(Begin(float(march.time[0]), start, float(course.first[span])), written(march, but=RECORD))


def remind(march: March, memory: Memory) -> None:
    """Put it into another run, of the same equations, by the same method: see `run.take_up`."""
    rewrite(march, memory.words, but=RECORD)
