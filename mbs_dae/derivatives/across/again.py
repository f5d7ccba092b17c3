"""A step, a look at guards, an impact: made again by a run beside, as the run itself has made it. Compiled.

Branches, contacts, rows that are left out, gains and lengths of steps are those of the run, so that what comes out is a
smooth function of the state and of the numbers of the design.
"""

import numpy as np

from ...compiled.status import DONE
from ...kernels.abi import at, compiled, compiled_apart, words_at
from ...kernels.blocks import Integers, IntegerTable, Matrix, Vector
from ...linear.vectors import copy
from ...motion.course import moment
from ...motion.derivative import derivative
from ...motion.implicit.iteration import SHARP
from ...motion.methods.method import H, T, take_step
from ...motion.record import March, derivative_at_end, keep, put_back, put_right, record_to, remember
from ...motion.switching.switches import look
from .impacts import Notes, strike_alike

BEGIN, END, CLOSED, CHANGES, ALPHA, BETA, FIRST, LAST, REMEMBERED = range(9)
"""What is known of a step that a run has made: its ends, whether stages were closed, whether the run goes on from its
end in another way, the gains, the requested times in it, and how many rows the method remembers of it."""


@compiled_apart
def make_steps(
    like: March, runs: IntegerTable, words: Integers, course: Integers, known: Vector, begins: Matrix, made: Matrix
):  # fmt: skip
    """The same step by each of these runs, from where the run stood, with these words, but from a state of its own in
    `begins`. Into `made` go its end, what is remembered, and what is kept at requested times; nan where it fails."""
    for k in range(runs.shape[0]):
        march = at(runs[k, 0], like)
        own, spans = words_at(runs[k, 1], words.size), words_at(runs[k, 2], runs[k, 3])
        for span in range(0, spans.size, 2):
            for n in range(spans[span], spans[span + 1]):
                own[n] = words[n]
        for n in range(course.size):
            march.course.at[n] = course[n]
        _begin(march, known, begins[k])
        if _make_step(march, known) == DONE:
            _put_end(march, known, made[k])
        else:
            made[k] = np.nan


@compiled
def _begin(march, known, begins):
    """A method that solves for its stages solves to the last digit: what is differenced is the step, not how it was
    found."""
    stages, implicit, n = march.stages, march.stages.implicit, march.stages.y0.size
    copy(begins[:n], stages.y0)
    march.mechanism.gains[0], march.mechanism.gains[1] = known[ALPHA], known[BETA]
    if implicit.weight.size > 0:
        implicit.flags[SHARP] = 1
    for row in range(int(known[REMEMBERED])):
        copy(begins[(row + 1) * n : (row + 2) * n], implicit.stage[row])
        copy(implicit.stage[row], implicit.before[row])


@compiled
def _make_step(march, known):
    """From the state that stands in `stages`, with the reading of requested times, but for its end, if the run goes on
    from there in another way. A status."""
    stages, t, end = march.stages, known[BEGIN], known[END]
    status = _rate_here(march, t)
    march.mechanism.nearness[0] = 1.0
    if status == DONE:
        status = take_step(stages, t, end - t, int(known[CLOSED]))
    if status == DONE:
        status = put_right(march, end, stages.y1)
    if status == DONE:
        status = derivative_at_end(march, end, stages.y1, stages.k[march.tableau.stages])
    if status == DONE and known[LAST] > known[FIRST]:
        stages.now[T], stages.now[H] = t, end - t
        remember(march)
        status = record_to(march, t, end, known[CHANGES] == 1.0)
        put_back(march)
    return status


@compiled
def _put_end(march, known, made):
    stages, record, n = march.stages, march.record, march.stages.y0.size
    copy(stages.y1, made)
    for row in range(int(known[REMEMBERED])):
        copy(stages.implicit.stage[row], made[(row + 1) * n :])
    to = (1 + int(known[REMEMBERED])) * n
    for rows in (record.q, record.v, record.a, record.multipliers, record.contacts, record.energies):
        for k in range(int(known[FIRST]), int(known[LAST])):
            copy(rows[k], made[to:])
            to += rows.shape[1]


@compiled_apart
def read_here(march: March, t: float, k: int):
    """Keep the state that stands in `stages` as requested time k."""
    status = _rate_here(march, t)
    keep(march, k, march.stages.y0, march.stages.k[0])
    return status


@compiled
def _rate_here(march, t):
    remember(march)
    status = derivative_at_end(march, t, march.stages.y0, march.stages.k[0])
    put_back(march)
    return status


@compiled_apart
def rate_at(march: March, t: float, y: Vector, dy: Vector):
    """y' of a state beside the run, into dy. A status."""
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    put_back(march)
    return status


@compiled_apart
def read_energy(march: March):
    """y' and the energies of the state that stands in `stages`, into the record."""
    return _rate_here(march, march.time[0])


@compiled_apart
def keep_at(march: March, t: float, y: Vector):
    """Put a state beside the run onto the surfaces of all contacts that are closed in it. A status."""
    remember(march)
    status = put_right(march, t, y)
    put_back(march)
    return status


@compiled_apart
def read_guards_at(march: March, t: float, y: Vector, guards: Vector):
    """The guards of all branches and contacts in a state, and the values of the functions of events. A status."""
    mechanism = march.mechanism
    remember(march)
    status = derivative(mechanism, moment(march.course, t), y, march.search.dy)
    look(mechanism)
    copy(mechanism.switches.guard, guards)
    for k in march.events.function:
        guards[k] = mechanism.switches.value[k]
    put_back(march)
    return status


@compiled_apart
def meet(march: March, t: float, y: Vector, meeting: Integers, modes: Vector, notes: Notes):
    """y becomes the state behind an impact of these points, which leads to these modes and is decided as noted, or what
    is decided is noted. A status."""
    search = march.search
    search.span[0], search.status[0] = t, DONE
    remember(march)
    strike_alike(search, y, meeting, modes, notes)
    put_back(march)
    return search.status[0]
