"""The memory of a run: all that is written into its blocks, carried from step to step.

Lengths of steps, accelerations that a method remembers, a Newton matrix that still serves, branches that are held, rows
that are enforced, works: such numbers besides the state determine how a run goes on, digit by digit. None of them is
named here, so that nothing can be forgotten; only records are not carried.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.images import rewrite, written
from ..course import SPAN, WAITING, Begin
from ..record import IntegratorState

RECORD = ("record", "tape")


class Memory(NamedTuple):
    """A run between two steps."""

    begin: Begin
    words: tuple[np.ndarray, ...]


def memory_of(march: IntegratorState, ended: bool = False) -> Memory | None:
    """Return the memory of a run; None while the run waits for its controllers. The memory of a run that has `ended`
    shares its arrays; else they are copied."""
    course = march.course
    if course.at[WAITING]:
        return None
    span = int(course.at[SPAN])
    start = float(course.ends[span - 1]) if span else course.start
    words = written(march, but=RECORD)
    words = words if ended else tuple([own.copy() for own in words])
    return Memory(Begin(float(march.time[0]), start, float(course.first[span])), words)


def remind(march: IntegratorState, memory: Memory) -> None:
    """Put the memory into another run, of the same equations, by the same method: see `run.take_up`."""
    rewrite(march, memory.words, but=RECORD)
