"""The course of a run in time: where steps must end, how far they may go, and on which side of a break they are.

Breaks are times at which a law of time switches. They cut the run into spans, in each of which all laws are smooth. A
step ends on a break to the last bit and never goes across. What is evaluated at an end of a span is evaluated a few
units of the last place inside it, so that every law is on the branch of that span, whatever its condition says of the
break itself. At some breaks controllers sample the motion, and the run waits for them.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros

SPAN, WAITING = 0, 1


class Course(NamedTuple):
    """Spans of smooth laws, and where in them a run stands."""

    ends: Vector
    """The end of each span; the last one is the last requested time."""
    first: Vector
    """The first moment of each span. This and `last` have one more item, for the state after the last span."""
    last: Vector
    """The last moment of each span."""
    sampled: Integers
    """Whether controllers sample at the end of each span (1)."""
    far: Vector
    """How far a step may go that begins in one of these even cells of the whole run."""
    start: float
    cell: float
    """The length of a cell."""
    longest: float
    """No step is longer than this."""
    at: Work[Integers] = zeros(2)
    """The span, and whether the run waits at its end for a sample (1)."""


def new_course(
    times: np.ndarray, breaks: np.ndarray, samples: np.ndarray, side: float, far: np.ndarray, longest: float
) -> Course:
    """For breaks within the times, samples among them; a moment inside a span is `side` away from a break."""
    t0, t1 = float(times[0]), float(times[-1])
    inner = breaks[(breaks > t0) & (breaks < t1)] if breaks.size else breaks
    before, after = (side if t in breaks.tolist() else 0.0 for t in (t1, t0))
    ends = np.array([*inner, t1])
    first = np.array([t0 + after, *(inner + side), t1 + before])
    last = np.array([*(inner - side), t1 - before, t1 + before])
    cell = (t1 - t0) / far.size or 1.0
    sampled = np.zeros(ends.size, dtype=np.int64)
    if samples.size:
        sampled[:] = np.isin(ends, samples)
    return block(Course(ends, first, last, sampled, far, t0, cell, float(longest)))


@compiled
def moment(course, t):
    """The time at which laws are evaluated for what happens at t, an instant of the present span."""
    span = course.at[SPAN]
    return min(max(t, course.first[span]), course.last[span])


@compiled
def latest_end(course, t):
    """The latest time at which a step that begins at t may end."""
    cell = min(int((t - course.start) / course.cell), course.far.size - 1)
    return min(course.far[max(cell, 0)], t + course.longest)


@compiled
def is_break(course, t):
    """Whether the present span ends here, because laws switch."""
    span = course.at[SPAN]
    return t == course.ends[span] and course.last[span] < t
