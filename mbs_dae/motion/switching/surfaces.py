"""Motions that stand on surfaces g = 0: a motion leaves each surface to one side or stays on it. Compiled.

Let f = s ġ on the branch of side s be the rate at which it leaves to that side, b = -s ġ on the branch of -s that of
the other side, and J = |f + b| what the rate jumps by.

    f > 0               it leaves to this side;                b > 0    it leaves to the other one
    f <= 0 and b <= 0   both push back: it stays, with the mixture m of the branches for which ġ = 0 (`sliding`)

The law is a straight line between its branches, so f = (|m| - 1) J / 2 on the side to which m points: it leaves where
the mixture is beyond ±1. On the very edge, f = 0, leaving and staying are the same motion; what decides is roundoff.
So there is one rule for both: less than `RATE_TOLERANCE` of J is nothing. A motion stays up to there, and a mixture
that has not passed it has not left (`SLACK`); one that has did so where it passed 1, and that is where the motion
leaves. (A rule for f̈ is not needed: where a mixture touches 1 and goes back it never passes.)

Several surfaces at once: what is right for one depends on the others. The first one that is wrong is changed, as long
as there is one. That is Murty's rule of the least index for linear complementarity problems, which ends wherever they
have one solution (dry friction on independent surfaces: J is a positive definite matrix there).

Contact states are chosen with the branches (`_choose_contacts`, `contact.states`): each choice may change the other.

Laws that switch on one surface (what acts and what reacts; friction in all joints of a mechanism with one freedom) are
one choice, and have one mixture. They are told by their rates: these are in one proportion whatever the modes are.

The end of a range is no choice: behind it a law has no value. While other surfaces are decided a law is continued
beyond the end; then the range ends where the motion leaves it.

What a step refutes (`locate`: it goes back at once, however short it is) is not chosen again at that state.
"""

import numpy as np

from ...compiled.status import CHATTERS, DONE, NOT_FINITE
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy
from ...symbolic.branches import RANGE, SIDE, WHOLE
from ...tolerances import INTEGER_EXCESS, RATE_TOLERANCE, SAME_SURFACE, TOUCH_RATE
from ..contact.guards import TOUCH, has_stopped, hold_senses, note_fastest, note_slips, release_senses, tell_states
from ..derivative import accelerate, derivative, keep_contacts
from ..mechanism_record import Switches
from .pieces import hold_pieces
from .rates import read_rates_here
from .search import STANDS, Search, resolved_until
from .sliding import put_slopes
from .switches import hold_all, laws_of, look, natural, put_mode

SLACK = 4.0 * RATE_TOLERANCE
"""The excess over 1 at which a mixture in a step has left the surface: more than f = R J, |m| = 1 + 2 R, with the
`RATE_TOLERANCE` R."""
ROUNDS = 8
"""The number of changes of choices for each surface after which they are found to be cyclic."""
STAY, ALL = 4, 7
"""Bits of refuted choices: 1 and 2 are the sides 1 and -1."""


@compiled_apart
def settle(search: Search, t: float, y: Vector, dy: Vector) -> None:
    """Put the modes of all surfaces on which the motion is, y' with them, and the guards with which a step begins."""
    switches = search.stages.mechanism.switches
    count = switches.kinds.size
    if search.stages.mechanism.contacts.gap_row.size > 0:
        release_senses(search.stages.mechanism)
    for k in range(count):
        if switches.kinds[k] == RANGE and search.guards.surface[k] == STANDS:
            switches.mode[k] = 1.0
    _unite(search, t, y, dy)
    for _ in range(ROUNDS * (count + 1)):
        changed = _follow(search, t, y, dy)
        for k in range(count):
            if not changed and switches.leads[k] == k and _is_open(search, k):
                changed = _changes(search, t, y, dy, k)
            if search.status[0] != DONE:
                return
        if not changed:
            changed = search.stages.mechanism.contacts.gap_row.size > 0 and _choose_contacts(search, t, y, dy)
            if search.status[0] != DONE:
                return
        if not changed:
            _end_ranges(search, t, y, dy)
            hold_all(search.stages.mechanism)
            if has_stopped(search.stages.mechanism.contacts):
                state = search.stages.mechanism.state
                keep_contacts(search.stages.mechanism, t, y[: state.q_end], y[state.v_at : state.v_end])
            search.status[0] = derivative(search.stages.mechanism, t, y, dy)
            hold_senses(search.stages.mechanism)
            look(search.stages.mechanism)
            copy(switches.guard, search.guards.begin)
            note_slips(search.stages.mechanism, False)
            note_fastest(search.stages.mechanism.contacts)
            search.until[0] = resolved_until(search, t)
            return
    search.status[0] = CHATTERS


@compiled
def _choose_contacts(search: Search, t: float, y: Vector, dy: Vector) -> bool:
    """Choose the states of contacts, with all branches as they are; return whether they differ from those before."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    mechanism.switches.now[0] = t
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    hold_all(mechanism)  # other branches than the present ones have been tried
    call_on_block(contacts.calls.choose_states, mechanism, (q, v, a))
    search.status[0] = contacts.choice.status[0]
    tell_states(mechanism)
    hold_pieces(search)
    return contacts.choice.changed[0] == 1


@compiled
def _is_open(search: Search, k: int) -> bool:
    """Return whether rates decide about branch k, as a choice."""
    switches = search.stages.mechanism.switches
    return (search.guards.surface[k] == STANDS and switches.kinds[k] != RANGE) or switches.slides[k] == 1


@compiled
def _end_ranges(search: Search, t: float, y: Vector, dy: Vector) -> None:
    """End the ranges that the motion leaves, with all branches as they are. (The first row of samples is the last one
    before the end of a step.)"""
    guards, switches, some = search.guards, search.stages.mechanism.switches, False
    for k in range(switches.kinds.size):
        some = some or (switches.kinds[k] == RANGE and guards.surface[k] == STANDS)
    if not some:
        return
    _move(search, t, y, dy)
    for k in range(switches.kinds.size):
        if switches.kinds[k] == RANGE and guards.surface[k] == STANDS:
            turns = guards.passes_zero[k] == 0 and -switches.rate[k] <= TOUCH_RATE * abs(search.samples.rates[0, k])
            switches.mode[k] = -1.0 if switches.rate[k] < 0.0 and not turns else 1.0


@compiled
def _unite(search: Search, t: float, y: Vector, dy: Vector) -> None:
    """Find the laws that switch on one surface; put them into `leads` and `turn`."""
    mechanism = search.stages.mechanism
    switches, state, open_ones = mechanism.switches, mechanism.state, 0
    count = switches.kinds.size
    for k in range(count):
        switches.leads[k], switches.turn[k] = k, 1
        is_law = k < laws_of(switches)
        switches.responding[k] = 1 if is_law and switches.kinds[k] == SIDE and _is_open(search, k) else 0
        open_ones += switches.responding[k]
    if open_ones < 2:
        return
    _move(search, t, y, dy)
    for k in range(count):
        switches.unknown[k] = -switches.rate[k] if switches.responding[k] == 1 else 0.0
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    put_slopes(mechanism, t, q, v, a, 0.0)
    for k in range(count):
        for j in range(k):
            if switches.leads[j] == j and switches.leads[k] == k:
                together = _together(switches, j, k)
                square = _together(switches, j, j) * _together(switches, k, k)
                if square > 0.0 and together * together >= (1.0 - SAME_SURFACE) * square:
                    switches.leads[k], switches.turn[k] = j, 1 if together > 0.0 else -1
    for k in range(count):
        j = switches.leads[k]
        if j != k:
            switches.mode[k] = switches.turn[k] * switches.mode[j]
            stay(switches, k, switches.slides[j])


@compiled
def _together(switches: Switches, j: int, k: int) -> float:
    """Return the scalar product of rates j and k, and of their responses to modes; 0 where one has none."""
    product = 0.0
    if switches.responding[j] == 1 and switches.responding[k] == 1:
        for i in range(laws_of(switches)):
            product += switches.responding[i] * switches.slope[j, i] * switches.slope[k, i]
        product += switches.unknown[j] * switches.unknown[k] if product != 0.0 else 0.0
    return product


@compiled
def stay(switches: Switches, k: int, stays: int) -> None:
    """Mark whether the motion stays on surface k, for all laws that switch on it."""
    for j in range(switches.kinds.size):
        if switches.leads[j] == switches.leads[k]:
            switches.sliding[0] += stays - switches.slides[j]
            switches.slides[j] = stays


@compiled
def choice_of(switches: Switches, k: int) -> int:
    """Return the bit of the present choice of surface k."""
    return STAY if switches.slides[k] == 1 else 1 if switches.mode[k] > 0.0 else 2


@compiled
def _follow(search: Search, t: float, y: Vector, dy: Vector) -> bool:
    """Put the natural modes of switching functions that jump because another one has switched; return whether there are
    any."""
    guards = search.guards
    switches, changed = search.stages.mechanism.switches, False
    _move(search, t, y, dy)
    look(search.stages.mechanism)
    for k in range(switches.kinds.size):
        guard = switches.guard[k]
        leapt = switches.kinds[k] == WHOLE and guard < -INTEGER_EXCESS  # it has switched together with its terms
        if (guards.surface[k] != 0 and not leapt) or switches.slides[k] == 1 or switches.kinds[k] >= TOUCH:
            continue
        jumped = guard < 0.0 and guard != guards.begin[k]
        guards.begin[k] = np.inf if jumped else guard
        if jumped:
            changed = True
            switches.mode[k] = natural(switches, k)
    return changed


@compiled
def _changes(search: Search, t: float, y: Vector, dy: Vector, k: int) -> bool:
    """Choose the side of surface k, with all others as they are; return whether the choice differs from that before. A
    side on which a law has no value is chosen where the motion leaves the other one."""
    switches = search.stages.mechanism.switches
    before = choice_of(switches, k)
    if before == STAY:
        _move(search, t, y, dy)
        mixture = switches.mode[k]
        if abs(mixture) <= 1.0 + 2.0 * RATE_TOLERANCE and search.guards.refuted[k] & STAY == 0:
            return False
        stay(switches, k, 0)
        put_mode(switches, k, 1.0 if mixture > 0.0 else -1.0)
    side = switches.mode[k]
    forward = _leaves(search, t, y, dy, k, side)
    lacks_value = search.status[0] == NOT_FINITE
    search.status[0] = DONE if lacks_value else search.status[0]
    backward = _leaves(search, t, y, dy, k, -side)
    if lacks_value and search.status[0] == DONE:
        forward = -backward
    elif search.status[0] == NOT_FINITE and not lacks_value:
        backward, search.status[0] = -forward, DONE
    put_mode(switches, k, _choice(search, k, side, forward, backward))
    stay(switches, k, 1 if switches.mode[k] == 0.0 else 0)
    return choice_of(switches, k) != before


@compiled
def _choice(search: Search, k: int, side: float, forward: float, backward: float) -> float:
    """Return 1, -1, or 0 for staying: the first choice by rates that is not refuted. If none is left, return the
    present side, and exclude the surface from the search in the next step."""
    jump, refuted = abs(forward + backward), search.guards.refuted[k]
    jumps = jump > RATE_TOLERANCE * (abs(forward) + abs(backward))
    least = RATE_TOLERANCE * jump if jumps else 0.0
    onward, back = (1, 2) if side > 0.0 else (2, 1)
    if (forward > least or (not jumps and forward == 0.0)) and refuted & onward == 0:
        return side
    if backward > least and refuted & back == 0:
        return -side
    if jumps and refuted & STAY == 0 and k < laws_of(search.stages.mechanism.switches):
        return 0.0
    if refuted & onward == 0:
        return side
    if refuted & back == 0:
        return -side
    search.guards.refuted[k] = ALL
    return side


@compiled
def _leaves(search: Search, t: float, y: Vector, dy: Vector, k: int, side: float) -> float:
    """Return the rate at which the motion leaves surface k to this side, on the branch of this side."""
    put_mode(search.stages.mechanism.switches, k, side)
    _move(search, t, y, dy)
    return side * search.stages.mechanism.switches.rate[k]


@compiled
def _move(search: Search, t: float, y: Vector, dy: Vector) -> None:
    """Evaluate accelerations with the present modes, and the rates of the switching functions."""
    mechanism = search.stages.mechanism
    state = mechanism.state
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    hold_all(mechanism)
    status = accelerate(mechanism, t, q, v, a)
    read_rates_here(mechanism, t, q, v, a)
    if search.status[0] == DONE:
        search.status[0] = status
