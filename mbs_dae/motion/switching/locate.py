"""Where a branch ceases to hold within a step, or a gap closes, and what holds after it. Compiled.

A step is made with all branches held, and then looked at: where a guard first becomes negative the step should have
ended. It is made again with that end, and again, until the guard is zero there to roundoff; so the motion up to the
switch is a step like any other, at the full order of its method. Then the branch is changed.

    look at the step  ->  NONE: accept it
                          CUT: make it again, up to `until`
                          HERE: accept it; the functions marked in `passes_zero` switch at its end
                          AT_ONCE: the functions marked there switch before there is a step at all
                          LOST_SIGHT: `status` says why it cannot be looked at

A guard that is negative by roundoff right after a switch counts only once it has been positive, or falls further. Where
the motion stands on a surface its branch is chosen by rates (`surfaces`). A step that goes wrong at once says that the
rate holds for less than the step: it is made shorter, and where it is as short as makes no difference (`SHORT`), the
choice is refuted, and another one is made.

The page of the package (`switching/__init__`) says what the files are for that are called here.
"""

import numpy as np

from ...compiled.status import DONE, TANGLED
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Vector, block
from ...kernels.functions import call_table
from ...linear.vectors import copy
from ...symbolic.branches import WHOLE
from ...tolerances import PASSAGE_RATE, SAME_TIME, SWITCH_PLACE
from ..contact.gaps import has_gaps_alone
from ..contact.guards import follow_slips, note_fastest, note_slips
from ..course import moment
from ..implicit.iteration import SHARP
from ..mechanism_record import Switches
from ..methods.method import Stages
from .choosing import carry_on, choose, start_over, switch_over
from .pieces import hold_pieces
from .rates import read_rates_here
from .search import AT_ONCE, CUT, HERE, LOST_SIGHT, NONE, SHORT, Search, SearchCalls, resolved_until
from .step_samples import FRONT, first_wrong, look_at, sets_out
from .surfaces import SLACK
from .switches import is_idle, look, natural, side_of
from .wide import stays_wide

TRIES = 60
"""The number of times that a step is made again to end on a switch, before a hundredth of it is near enough: where
several laws switch at once it may take some tens. Twice as many at most."""
SHORTER = 0.1
"""The factor by which a step is shortened that goes wrong at once."""


@compiled_apart
def search_step(search: Search) -> None:
    """Examine the step whose end has been evaluated last for switches; put the finding into `found`."""
    guards, samples = search.guards, search.samples
    stages = search.stages
    switches, t, h = stages.mechanism.switches, search.span[0], search.span[1] - search.span[0]
    search.found[0] = NONE
    look(stages.mechanism)
    note_slips(stages.mechanism, True)
    copy(switches.value, guards.value)
    copy(switches.guard, guards.end)
    nothing = SAME_TIME * max(abs(t), h, 1.0) / h
    closely = stages.implicit.weight.size > 0  # steps of implicit methods may turn bodies too far for a cubic
    if not closely and stays_wide(search, t, h):
        return
    high = first_wrong(search, t, h, closely, not has_gaps_alone(stages.mechanism))  # of these it was looked elsewhere
    if (high >= 0.0 or search.doubt[0] == 1) and not closely:
        high = first_wrong(search, t, h, True, False)
    if search.status[0] != DONE:
        search.found[0] = LOST_SIGHT
        return
    if (high < 0.0 and samples.part[0] < min(nothing, 1.0)) or search.tries[0] > 2 * TRIES:
        search.status[0], search.found[0] = TANGLED, LOST_SIGHT
        return
    if high < 0.0 and samples.part[0] < 1.0:
        guards.passes_zero[:] = 0
        search.tries[0] += 1
        search.found[0] = CUT
        search.until[0] = t + samples.part[0] * h
        return
    if high < 0.0:
        if search.tries[0] > 0 or _wants_at_end(search, h):
            _extend(search, t, h, max(SWITCH_PLACE, nothing))
            _note_late(search, h, max(SWITCH_PLACE, nothing))
        return
    high = _narrowed(search, t, h, samples.at[FRONT], high, nothing)
    at_once, is_short = high <= nothing, h <= SHORT * search.whole
    if at_once and not is_short and _is_refuted(search):
        search.found[0] = CUT
        search.tries[0] = 0
        search.until[0] = t + SHORTER * h
        if closely:
            stages.implicit.flags[SHARP] = 1  # a slip that begins from rest is below the tolerance of Newton's method
    elif at_once:
        if not is_short:
            _put_off_slips(search)
        search.found[0] = AT_ONCE
    elif high >= 1.0 - max(SWITCH_PLACE, nothing) or (search.tries[0] >= TRIES and high > 0.99):
        search.found[0] = HERE
    else:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + high * h
    _note_late(search, h, max(SWITCH_PLACE, nothing))


@compiled
def _note_late(search: Search, h: float, exact: float) -> None:
    """Note by how much later than located each guard may pass zero: by the part `exact` of the step h, or by a
    hundredth of h where `TRIES` cuts have not located the passage."""
    guards = search.guards
    part = 0.01 if search.tries[0] >= TRIES else exact
    for k in range(guards.passes_zero.size):
        if guards.passes_zero[k] == 1 and search.found[0] in (HERE, AT_ONCE):
            guards.delay[k] = part * h


@compiled
def _is_refuted(search: Search) -> bool:
    """Return whether all branches that switch were chosen at the beginning of the step, where their rates contradict
    the switch: a branch on its surface, or a slip that begins from rest. (In a long step of an implicit method such a
    slip may go backwards at first, by less than the tolerance.)"""
    guards = search.guards
    refuted = True
    for k in range(guards.passes_zero.size):
        refuted = refuted and (guards.passes_zero[k] == 0 or guards.surface[k] != 0 or sets_out(search, k))
    return refuted


@compiled
def _put_off_slips(search: Search) -> None:
    """Postpone the switches of slips that begin from rest where something else switches at once: the step is too long
    to refute these slips."""
    guards = search.guards
    for k in range(guards.passes_zero.size):
        if guards.passes_zero[k] == 1 and sets_out(search, k):
            guards.passes_zero[k] = 0


@compiled
def is_searched(search: Search) -> bool:
    """Return whether there are laws or contacts that may switch."""
    mechanism = search.stages.mechanism
    return search.calls.search_step != 0 and mechanism.switches.acting + mechanism.contacts.points.entries > 0


@compiled
def look_for_switch(search: Search, t: float, end: float) -> int:
    """Look for switches of all functions that are not idle in the step from t to `end`; return the finding: NONE, CUT,
    HERE, AT_ONCE or LOST_SIGHT."""
    search.span[0], search.span[1] = t, end
    call_on_block(search.calls.search_step, search, ())
    return search.found[0]


@compiled
def switched(search: Search, t: float, y: Vector, dy: Vector, call: int) -> int:
    """Choose or change branches at t, and put y' into dy, by one of the `SearchCalls`. Return a status."""
    search.instant[0] = t
    call_on_block(call, search, (y, dy))
    return search.status[0]


@compiled
def next_begins(search: Search) -> None:
    """Begin the next step at the end of an accepted one."""
    if is_searched(search):
        call_on_block(search.calls.go_on_as_held, search, ())


@compiled_apart
def go_on_as_held(search: Search) -> None:
    """Carry the guards at the end of the step over to the beginning of the next one, and hold its branches."""
    guards = search.guards
    search.until[0] = resolved_until(search, search.span[1])
    search.tries[0] = 0
    guards.surface[:] = guards.refuted[:] = 0
    if search.stages.implicit.weight.size > 0:
        search.stages.implicit.flags[SHARP] = 0
    copy(guards.end, guards.begin)
    note_fastest(search.stages.mechanism.contacts)
    follow_slips(search.stages.mechanism, guards.begin)
    hold_pieces(search)


def new_search(stages: Stages, looks: bool = True) -> Search:
    """Return a search for a method that `looks` for switches, in a run whose length is not known yet."""
    count = stages.mechanism.switches.kinds.size
    calls, state = SearchCalls(0, 0, 0, 0, 0, 0), stages.mechanism.state
    if count and looks:
        calls = call_table(SearchCalls, choose, switch_over, search_step, carry_on, start_over, go_on_as_held)
    return block(Search(stages, calls, 0.0), switches=count, width=state.size, speeds=state.v_end - state.v_at)


@compiled
def _narrowed(search: Search, t: float, h: float, low: float, high: float, nothing: float) -> float:
    """Return the first place where a wrong guard is below its level, to roundoff, as a part of the step. Mark the
    functions that switch there in `passes_zero`, with their next modes in `after`: a sign turns, an integer is the one
    that holds."""
    guards = search.guards
    below, above, sides = np.inf, -np.inf, 0
    for _ in range(200):
        if high - low <= 0.1 * SWITCH_PLACE * high or high <= nothing:
            break
        x = 0.5 * (low + high)
        if below < np.inf and above > -np.inf and sides < 3:
            x = (low * above - high * below) / (above - below)
            x = min(max(x, low + 0.01 * SWITCH_PLACE), high - 0.01 * SWITCH_PLACE)
        look_at(search, t, h, x, True)
        least = _least(search)
        if least < 0.0:
            sides += 1
            high, above = x, least
        else:
            sides = 0
            low, below = x, least
    look_at(search, t, h, high, True)
    switches = search.stages.mechanism.switches
    for k in range(switches.kinds.size):
        passes = above == -np.inf or switches.guard[k] < guards.level[k]
        guards.passes_zero[k] = 1 if guards.wrong[k] == 1 and passes else 0
        turns = switches.kinds[k] != WHOLE and switches.slides[k] == 0
        guards.after[k] = -switches.mode[k] if turns else natural(switches, k)
    return high


@compiled
def _least(search: Search) -> float:
    """Return the least difference between a wrong guard and its level."""
    guards, least = search.stages.mechanism.switches.guard, np.inf
    for k in range(guards.size):
        if search.guards.wrong[k] == 1:
            least = min(least, guards[k] - search.guards.level[k])
    return least


@compiled
def _wants_at_end(search: Search, h: float) -> bool:
    """Mark in `passes_zero` the signs whose guards are zero at the end of the step and fall; return whether there are
    any."""
    guards = search.guards
    switches, found = search.stages.mechanism.switches, False
    for k in range(switches.kinds.size):
        is_sign = switches.kinds[k] != WHOLE and switches.slides[k] == 0 and guards.level[k] == 0.0
        is_sign = is_sign and not is_idle(switches, k)
        is_zero = is_sign and abs(guards.end[k]) <= guards.slack[k]
        falls = side_of(switches, k) * search.samples.rates[FRONT, k] * h < -max(
            PASSAGE_RATE * guards.size[k], guards.slack[k]
        )
        guards.passes_zero[k] = 1 if is_zero and falls else 0
        guards.after[k] = -switches.mode[k]
        found = found or guards.passes_zero[k] == 1
    return found


@compiled
def _extend(search: Search, t: float, h: float, exact: float) -> None:
    """Judge a step that was to end on a switch and has stopped just short of it, by the rates of the guards: accept it,
    or make it again with a later end."""
    stages = search.stages
    mechanism, end = stages.mechanism, stages.tableau.stages
    switches, state = mechanism.switches, mechanism.state
    look_at(search, t, h, 1.0, False)
    y, slopes = stages.y1, stages.k[end]
    now = moment(stages.course, t + h)
    read_rates_here(mechanism, now, y[: state.q_end], y[state.v_at : state.v_end], slopes[state.v_at : state.v_end])
    missing = np.inf
    for k in range(switches.kinds.size):
        if search.guards.passes_zero[k] == 1:
            missing = min(missing, _missing(switches, k))
    if missing <= exact * h or (search.tries[0] >= TRIES and missing < 0.01 * h):
        search.found[0] = HERE
    elif missing < 0.01 * h:
        search.found[0] = CUT
        search.tries[0] += 1
        search.until[0] = t + h + missing


@compiled
def _missing(switches: Switches, k: int) -> float:
    """Return the time in which a guard becomes zero at its present rate; infinite where it does not."""
    guard, mode = switches.guard[k], side_of(switches, k)
    if switches.slides[k] == 1:
        return 0.0 if guard <= SLACK else np.inf
    towards = mode if switches.kinds[k] != WHOLE else 1.0 if switches.value[k] < mode + 0.5 else -1.0
    rate = towards * switches.rate[k]
    return -guard / rate if rate < 0.0 else np.inf
