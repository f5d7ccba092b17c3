"""Steps, readings of guards and impacts of a run, repeated by a neighbouring run. Compiled.

Branches, contacts, rows that are left out, gains and lengths of steps are those of the run, so that the result is a
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
from ...motion.record import IntegratorState, derivative_at_end, keep, put_back, put_right, record_to, remember
from ...motion.switching.switches import look
from .impacts import Notes, strike_alike

BEGIN, END, CLOSED, CHANGES, ALPHA, BETA, FIRST, LAST, REMEMBERED = range(9)
"""Places of the facts of a step: its begin and end, 1 for stages on the constraints, 1 if the run goes on from the end
in another way, the two gains, the first requested time and the last, exclusive, and the rows that the method
remembers."""


@compiled_apart
def make_steps(
    like: IntegratorState, runs: IntegerTable, words: Integers, course: Integers, known: Vector, begins: Matrix,
    made: Matrix,
) -> None:  # fmt: skip
    """Repeat a step of the run in each neighbouring run, with the words and the course of the run, from the states in
    `begins`. Put the end, the rows that the method remembers, and the records at requested times into the rows of
    `made`; nan where a step fails."""
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
def _begin(march: IntegratorState, known: Vector, begins: Vector) -> None:
    """Put the state at the beginning of the step, the gains and the remembered rows into a neighbouring run. An
    implicit method solves for its stages to the last digit, so that differences do not depend on its iteration."""
    stages, implicit, n = march.stages, march.stages.implicit, march.stages.y0.size
    inner = stages.tableau.stages
    copy(begins[:n], stages.y0)
    march.mechanism.gains[0], march.mechanism.gains[1] = known[ALPHA], known[BETA]
    if implicit.weight.size > 0:
        implicit.flags[SHARP] = 1
    for row in range(int(known[REMEMBERED])):
        copy(begins[(row + 1) * n : (row + 2) * n], implicit.stage[inner + row])
        copy(implicit.stage[inner + row], implicit.before[inner + row])


@compiled
def _make_step(march: IntegratorState, known: Vector) -> int:
    """Make the step from the state in `stages` and record the requested times in it, but not its end, if the run goes
    on from there in another way. Return a status."""
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
def _put_end(march: IntegratorState, known: Vector, made: Vector) -> None:
    stages, record, n = march.stages, march.record, march.stages.y0.size
    copy(stages.y1, made)
    for row in range(int(known[REMEMBERED])):
        copy(stages.implicit.stage[stages.tableau.stages + row], made[(row + 1) * n :])
    to = (1 + int(known[REMEMBERED])) * n
    for rows in (record.q, record.v, record.a, record.multipliers, record.contacts, record.energies):
        for k in range(int(known[FIRST]), int(known[LAST])):
            copy(rows[k], made[to:])
            to += rows.shape[1]


@compiled_apart
def read_here(march: IntegratorState, t: float, k: int) -> int:
    """Record the state in `stages` as requested time k; return a status."""
    status = _rate_here(march, t)
    keep(march, k, march.stages.y0, march.stages.k[0])
    return status


@compiled
def _rate_here(march: IntegratorState, t: float) -> int:
    remember(march)
    status = derivative_at_end(march, t, march.stages.y0, march.stages.k[0])
    put_back(march)
    return status


@compiled_apart
def read_energy(march: IntegratorState) -> int:
    """Evaluate y' and the energies of the state in `stages`, into the record; return a status."""
    return _rate_here(march, march.time[0])


@compiled_apart
def keep_at(march: IntegratorState, t: float, y: Vector) -> int:
    """Put a state onto the surfaces of all contacts that are closed in it, in place; return a status."""
    remember(march)
    status = put_right(march, t, y)
    put_back(march)
    return status


@compiled_apart
def read_guards_at(march: IntegratorState, t: float, y: Vector, guards: Vector) -> int:
    """Put the guards of all branches and contacts in a state, and the values of the functions of events, into `guards`;
    return a status."""
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
def meet(march: IntegratorState, t: float, y: Vector, meeting: Integers, modes: Vector, notes: Notes) -> int:
    """Replace y by the state behind an impact of these points, which leads to these modes. Its decisions are those in
    `notes`, or are noted there. Return a status."""
    search = march.search
    search.span[0], search.status[0] = t, DONE
    remember(march)
    strike_alike(search, y, meeting, modes, notes)
    put_back(march)
    return search.status[0]
