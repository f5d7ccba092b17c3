"""Many runs of one structure, eight at a time.

Every run keeps an `IntegratorState` of its own, with its own time, step, gains and record, and all decisions of a run
are made by the same code as alone: its next step (`run.propose`) and its acceptance (`run.judge`). Only the stages
between, and y' at the end, are evaluated for all lanes together. A run for which a stage met anything out of the
ordinary makes that step again by itself; so every run does what it would do alone, whatever its neighbours are. A run
that is done leaves its lane to the next.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.status import DONE
from ...kernels import work
from ...kernels.abi import address_of, at, compiled, compiled_apart
from ...kernels.blocks import Integers, Work, block, zeros
from ...kernels.lanes import get
from ...kernels.llvm import LANES
from ..control import asks_for_end
from ..methods.method import END, H, T, estimate_error, take_step
from ..record import NEXT, IntegratorState, derivative_at_end, put_right
from ..run import conclude, judge, note_end, propose
from ..stabilise import is_projected
from .records import LaneRun, abreast, enter, load, load_end, take_inner, unload, unload_end
from .stages import make_ends, make_stages

WAITING, EMPTY = -1, -1
"""The status of a run that may go on; and the entry of a lane without a run."""
ASKED = -2
"""A mark in place of a status: y' at the end of the step is needed."""
JOINT, ALONE = range(2)
"""Places in the counts of steps."""


class Queue(NamedTuple):
    """Runs that wait for lanes, and those that have one."""

    march: Integers
    """The addresses of all runs."""
    status: Work[Integers] = zeros("runs")
    """Why each run has left its lane; WAITING for those that have not."""
    next: Work[Integers] = zeros(1)
    """The number of a run before which no run waits for a lane."""
    lane: Work[Integers] = zeros(LANES)
    """The run in each lane; EMPTY where there is none."""
    left: Work[Integers] = zeros(1)
    """The number of runs that have left their lanes since the last call of `advance`."""
    steps: Work[Integers] = zeros(2)
    """The number of steps made in lanes, and of those made again alone."""


@compiled_apart
def advance(abreast: LaneRun, queue: Queue, like: IntegratorState, patience: int, leaving: int) -> bool:
    """Make steps until no run can go on, or `leaving` runs have left their lanes, or `patience` rounds are over; `like`
    is any of the runs. Return whether some can still go on."""
    busy = True
    queue.left[0] = 0
    while busy and patience > 0 and queue.left[0] < leaving:
        patience -= 1
        busy = False
        for lane in range(LANES):
            abreast.active[lane] = 1 if _proposed(abreast, queue, like, lane) else 0
            busy = busy or abreast.active[lane] == 1
        if busy:
            make_stages(abreast)
            if _take_over(abreast, queue, like):
                make_ends(abreast)
                _conclude(abreast, queue, like)
    return busy


@compiled
def _proposed(abreast: LaneRun, queue: Queue, like: IntegratorState, lane: int) -> bool:
    """Return whether the run in this lane, or the next waiting one, has a step to make."""
    while True:
        if queue.lane[lane] == EMPTY:
            while queue.next[0] < queue.march.size and not _waits(queue, queue.next[0]):
                queue.next[0] += 1
            if queue.next[0] == queue.march.size:
                return False
            queue.lane[lane] = queue.next[0]
            queue.next[0] += 1
            enter(abreast, at(queue.march[queue.lane[lane]], like), lane)
        march = at(queue.march[queue.lane[lane]], like)
        done = march.counts[NEXT] == march.record.times.size
        status = DONE if done else propose(march)
        if status == DONE and not done:
            load(abreast, march, lane)
            return True
        _leave(queue, lane, status)


@compiled
def _waits(queue: Queue, run: int) -> bool:
    """Return whether a run may go on, and has no lane: a run that was resumed precedes others that have theirs."""
    for lane in range(LANES):
        if queue.lane[lane] == run:
            return False
    return queue.status[run] == WAITING


@compiled
def _leave(queue: Queue, lane: int, status: int) -> None:
    queue.status[queue.lane[lane]] = status
    queue.left[0] += 1
    queue.lane[lane] = EMPTY


@compiled
def _take_over(abreast: LaneRun, queue: Queue, like: IntegratorState) -> bool:
    """Let every run take its stages over, and go on if y' at the end of its step is not needed, or is evaluated alone.
    Return whether y' is to be evaluated for some together."""
    some = False
    for lane in range(LANES):
        if abreast.active[lane] == 1:
            march = at(queue.march[queue.lane[lane]], like)
            if _is_alone(abreast, march) or get(abreast.step.doubt, 0, lane) != 0.0:
                queue.steps[ALONE] += 1
                stages = march.stages
                made = take_step(stages, stages.now[T], stages.now[H], march.crossing.closed[0])
                _end(abreast, queue, lane, conclude(march, made))
                continue
            queue.steps[JOINT] += 1
            unload(abreast, march, lane)
            status = _settled(abreast, march, lane)
            some = some or status == ASKED
            if status != ASKED:
                _end(abreast, queue, lane, judge(march, status))
    return some


@compiled
def _is_alone(abreast: LaneRun, march: IntegratorState) -> bool:
    """Return whether a step differs from those in lanes, so that the run makes it alone."""
    mechanism, closed = march.mechanism, march.mechanism.contacts.choice.closed_count[0]
    other = mechanism.refinements != abreast.mechanism.refinements
    return other or march.crossing.closed[0] == 1 or mechanism.switches.sliding[0] > 0 or closed > 0


@compiled
def _settled(abreast: LaneRun, march: IntegratorState, lane: int) -> int:
    """Return ASKED if y' at the end of the step is to be evaluated together with others; else the status of the
    step."""
    if not asks_for_end(march, DONE):
        return DONE
    status = put_right(march, march.stages.now[END], march.stages.y1)
    if status != DONE:
        return status
    if march.search.calls.search_step != 0 or is_projected(march.stabiliser, march.mechanism):
        return _find_end(abreast, march, lane)
    load_end(abreast, march, lane)
    return ASKED


@compiled
def _find_end(abreast: LaneRun, march: IntegratorState, lane: int) -> int:
    """Put y' at the end of the step, alone; return a status."""
    stages = march.stages
    status = derivative_at_end(march, march.stages.now[END], stages.y1, stages.k[march.tableau.stages])
    note_end(march)
    if march.tableau.end_in_error:
        take_inner(abreast, march, lane, 1)
        estimate_error(stages)
    return status


@compiled
def _conclude(abreast: LaneRun, queue: Queue, like: IntegratorState) -> None:
    """Let the runs with y' at the ends of their steps judge these and go on."""
    for lane in range(LANES):
        if abreast.active[lane] == 1:
            march, status = at(queue.march[queue.lane[lane]], like), DONE
            if get(abreast.step.doubt, 0, lane) != 0.0:
                status = _find_end(abreast, march, lane)
            else:
                unload_end(abreast, march, lane)
                note_end(march)
            _end(abreast, queue, lane, judge(march, status))


@compiled
def _end(abreast: LaneRun, queue: Queue, lane: int, status: int) -> None:
    """End this round for this lane."""
    abreast.active[lane] = 0
    if status != DONE:
        _leave(queue, lane, status)


class Engine:
    """Lanes for runs of one structure, and the runs that wait for them. Python keeps the GIL while it prepares runs and
    collects them, not during steps: engines work side by side in threads."""

    def __init__(self, lanes: LaneRun, marches: Sequence[IntegratorState]):
        self.lanes, self.marches = lanes, list(marches)
        self.queue = block(Queue(np.array([address_of(march) for march in marches])), runs=len(marches))
        self.queue.status[:], self.queue.lane[:] = WAITING, EMPTY

    def go_on(self, patience: int, leaving: int | None = None) -> bool:
        """Make so many rounds of steps, or until `leaving` runs have left their lanes; return whether some can still go
        on. `status` holds the status of those that have left, as `run.go_on` would return it."""
        return advance(self.lanes, self.queue, self.marches[0], patience, leaving or len(self.marches))

    @property
    def status(self) -> np.ndarray:
        return self.queue.status

    def resume(self, run: int) -> None:
        """Let a run go on that has left its lane, or in whose workspace another one has begun."""
        self.queue.status[run] = WAITING
        self.queue.next[0] = min(self.queue.next[0], run)

    def give(self, run: int, march: IntegratorState) -> None:
        """Put another run of the same structure in the place of one."""
        if self.marches[run] is not march:
            self.marches[run], self.queue.march[run] = march, address_of(march)

    def drop(self, run: int, status: int) -> None:
        """End a run with this status."""
        self.queue.lane[self.queue.lane == run] = EMPTY
        self.queue.status[run] = status

    def clear(self) -> None:
        """Let no run go on until it is resumed."""
        self.queue.status[:], self.queue.lane[:], self.queue.next[0] = DONE, EMPTY, 0

    def is_under_way(self, run: int) -> bool:
        """Return whether a run has a lane."""
        return bool((self.queue.lane == run).any())


def engine(marches: Sequence[IntegratorState]) -> Engine | None:
    """Return an engine for runs of one structure by one method that have begun; None where lanes do not support
    them."""
    kinds = {(address_of(march.mechanism.machine.pattern), address_of(march.tableau)) for march in marches}
    if len(kinds) > 1:
        raise ValueError("runs in lanes are of one structure, and by one method")
    work.ask_for(__package__)
    made = abreast(marches[0])
    return Engine(made, marches) if made else None
