"""Members of a study side by side: see `motion.members`. Compiled."""

from ...kernels.abi import compiled, compiled_apart
from ...kernels.llvm import LANES
from ..members.runs import EMPTY, UNDER_WAY, Runs, Slot, Slots, fill, has_ended_badly, settle
from .engine import WAITING, Queue, advance
from .records import LaneRun


@compiled_apart
def go_on_abreast(abreast: LaneRun, queue: Queue, slots: Slots, runs: Runs, like: Slot, patience: int) -> bool:
    """Run members in lanes, each slot holding a run, until all members are done, one has failed to reach its end, or
    `patience` steps are over; return whether there is more to do."""
    end = queue.steps[0] + queue.steps[1] + patience
    while not has_ended_badly(slots, runs):
        some = False
        for place in range(slots.member.size):
            if fill(slots, runs, like, place):
                queue.status[place] = WAITING
                queue.next[0] = min(queue.next[0], place)
            some = some or slots.member[place] != EMPTY
        if not some:
            return False
        if has_ended_badly(slots, runs) or queue.steps[0] + queue.steps[1] > end:
            return True
        advance(abreast, queue, like.march, patience // LANES + 1, 1)
        for place in range(slots.member.size):
            if _has_left(queue, slots, runs, place) and settle(slots, runs, like, place, queue.status[place]):
                queue.status[place] = WAITING
                queue.next[0] = min(queue.next[0], place)
    return True


@compiled
def _has_left(queue: Queue, slots: Slots, runs: Runs, place: int) -> bool:
    """Return whether the run in this slot has left its lane, and has not been dealt with yet."""
    k = slots.member[place]
    return k != EMPTY and runs.state[k] == UNDER_WAY and queue.status[place] != WAITING
