"""The course of a run in time: where steps must end, how far they may go, and on which side of a break they are.

Breaks are times at which a law of time switches. They cut the run into spans, in each of which all laws are smooth. A
step ends on a break to the last bit and never goes across. What is evaluated at an end of a span is evaluated a few
units of the last place inside it, so that every law is on the branch of that span, whatever its condition says of the
break itself. At some breaks controllers sample the motion, and the run waits for them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros

SPAN, WAITING = 0, 1
WHOLE = np.zeros(1, dtype=np.int64)  # of a run in one span, which nobody samples


class Begin(NamedTuple):
    """Where a run begins: at the beginning of a span or inside it, as one does that goes on from another."""

    t: float
    start: float
    """Where its span begins."""
    first: float
    """The first moment of this span."""


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
    turns: Vector
    """When laws turn."""
    far: Vector
    """How far a step may go that begins before the first turn, between two, behind the last."""
    start: float
    """Where the first span begins: steps of one length are counted from there."""
    longest: float
    """No step is longer than this."""
    at: Work[Integers] = zeros(2)
    """The span, and whether the run waits at its end for a sample (1)."""


def beginning(t: float, breaks: np.ndarray, side_of: Callable[..., float]) -> Begin:
    """With a span that begins there; a moment inside a span is `side_of` away from a break."""
    return Begin(t, t, t + side_of(t) if t in breaks.tolist() else t)


def new_course(
    begin: Begin, end: float, breaks: np.ndarray, samples: np.ndarray, side_of: Callable[..., Any],
    turns: tuple[np.ndarray, np.ndarray], longest: float,
) -> Course:  # fmt: skip
    """For breaks, samples among them, from the beginning to the end."""
    if not breaks.size:
        ends, first, last = (np.array(x) for x in ([end], [begin.first, end], [end, end]))
        return block(Course(ends, first, last, WHOLE, *turns, begin.start, float(longest)))
    inner = breaks[(breaks > begin.t) & (breaks < end)]
    side, beside = side_of(inner), side_of(end) if end in breaks.tolist() else 0.0
    ends = np.array([*inner, end])
    first = np.array([begin.first, *(inner + side), end + beside])
    last = np.array([*(inner - side), end - beside, end + beside])
    sampled = np.zeros(ends.size, dtype=np.int64)
    if samples.size:
        sampled[:] = np.isin(ends, samples)
    return block(Course(ends, first, last, sampled, *turns, begin.start, float(longest)))


def with_span_before(course: Course) -> Course:
    """Return this course with one more span in front, which ends where the first one begins. A run that stands in a
    span has then always a span before it, whose end may be moved to where states are set."""
    ends, first, last = (np.concatenate([x[:1], x]) for x in (course.ends, course.first, course.last))
    sampled = np.zeros(ends.size, dtype=np.int64)
    sampled[1:] = course.sampled if course.sampled.size == course.ends.size else 0
    return block(Course(ends, first, last, sampled, course.turns, course.far, course.start, course.longest))


@compiled
def moment(course, t):
    """The time at which laws are evaluated for what happens at t, an instant of the present span."""
    span = course.at[SPAN]
    return min(max(t, course.first[span]), course.last[span])


@compiled
def latest_end(course, t):
    """The latest time at which a step that begins at t may end."""
    low, high = 0, course.turns.size
    while low < high:
        middle = (low + high) // 2
        if course.turns[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return min(course.far[low], t + course.longest)


@compiled
def is_break(course, t):
    """Whether the present span ends here, because laws switch."""
    span = course.at[SPAN]
    return t == course.ends[span] and course.last[span] < t
