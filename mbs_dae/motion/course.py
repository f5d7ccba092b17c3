"""The course of a run in time: the ends of steps, their longest lengths, and the side of each break.

Breaks are times at which a law of time switches. They cut the run into spans, in each of which all laws are smooth. A
step ends on a break to the last bit and never crosses it. At an end of a span laws are evaluated a few units of the
last place inside the span, so that every law is on the branch of that span, whatever its condition is at the break
itself. At some breaks controllers sample the motion, and the run waits for them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Vector, Work, block, zeros

SPAN, WAITING = 0, 1
WHOLE = np.zeros(1, dtype=np.int64)  # for a run in one span without samples


class Begin(NamedTuple):
    """The place where a run begins: at the beginning of a span or inside it, for one that continues another."""

    t: float
    start: float
    """The beginning of its span."""
    first: float
    """The first moment of this span, at which laws are evaluated."""


class Course(NamedTuple):
    """Spans of smooth laws, and the place of a run in them."""

    ends: Vector
    """The end of each span; the last one is the last requested time."""
    first: Vector
    """The first moment of each span, at which laws are evaluated. `first` and `last` have one more item, for the state
    after the last span."""
    last: Vector
    """The last moment of each span."""
    sampled: Integers
    """1 if controllers sample at the end of a span."""
    turns: Vector
    """The times at which laws turn."""
    far: Vector
    """The latest end of a step that begins before the first turn, between two turns, or after the last."""
    start: float
    """The beginning of the first span: steps of one length are counted from there."""
    longest: float
    """The length of the longest step, in s."""
    at: Work[Integers] = zeros(2)
    """The number of the present span, and 1 if the run waits at its end for a sample."""


def beginning(t: float, breaks: np.ndarray, side_of: Callable[..., float]) -> Begin:
    """Return a beginning at t, with a span that begins there; a moment inside a span is `side_of` away from a break."""
    return Begin(t, t, t + side_of(t) if t in breaks.tolist() else t)


def new_course(
    begin: Begin, end: float, breaks: np.ndarray, samples: np.ndarray, side_of: Callable[..., Any],
    turns: tuple[np.ndarray, np.ndarray], longest: float,
) -> Course:  # fmt: skip
    """Return a course from the beginning to the end, for these breaks, which include the samples."""
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
    """Return this course with one more span in front, which ends where the first one begins. A run in a span then
    always has a span before it, whose end may be moved to the time at which states are set."""
    ends, first, last = (np.concatenate([x[:1], x]) for x in (course.ends, course.first, course.last))
    sampled = np.zeros(ends.size, dtype=np.int64)
    sampled[1:] = course.sampled if course.sampled.size == course.ends.size else 0
    return block(Course(ends, first, last, sampled, course.turns, course.far, course.start, course.longest))


@compiled
def moment(course: Course, t: float) -> float:
    """Return the time at which laws are evaluated for the instant t of the present span."""
    span = course.at[SPAN]
    return min(max(t, course.first[span]), course.last[span])


@compiled
def latest_end(course: Course, t: float) -> float:
    """Return the latest time at which a step that begins at t may end."""
    low, high = 0, course.turns.size
    while low < high:
        middle = (low + high) // 2
        if course.turns[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return min(course.far[low], t + course.longest)


@compiled
def is_break(course: Course, t: float) -> bool:
    """Return whether the present span ends here, because laws switch."""
    span = course.at[SPAN]
    return t == course.ends[span] and course.last[span] < t
