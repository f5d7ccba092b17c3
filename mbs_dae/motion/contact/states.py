"""Which contacts are closed, slip or stick: chosen where the motion begins, and behind all that changes it. Compiled.

A point that touches (g = 0) and does not part (ġ = 0) presses or opens; of one that presses, what does not slip (s = 0)
sticks, or sets out to slip. Which of all is right is a complementarity problem of accelerations,

    0 <= f_n,  0 <= g̈,  f_n g̈ = 0;        |f_s| <= μ f_n, and where ṡ is not zero f_s = -μ f_n ṡ/|ṡ|,

with [g̈; ṡ] = W f + (what they are without contacts). A point that slips already has its friction against s, not ṡ;
one in space that sets out goes on with that against ṡ (`incipient`).

What has just been left (a force that passed zero, a friction that passed its bound) is not asked again: on the edge,
roundoff would decide.
"""

import numpy as np

from ...compiled.contacts import (
    CLOSED,
    CREEP,
    DEPARTS,
    FREE,
    HOLDS,
    INCIPIENT,
    MOTION,
    OPEN,
    PARTS,
    SLIPS,
    SLIPS_ON,
    STANDSTILL,
    STICKING,
    STILL,
    STOPS,
    put_rows,
)
from ...compiled.machine import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy, dot, largest
from ..derivative import Mechanism, accelerate_as_held
from .bounds import BOUND
from .delassus import NONE, force_to_stop, opposing_force, own_pace, put_paces, respond
from .departure import check_departures, find_departures, may_depart
from .following import let_slips_follow
from .forces import FORCES_LOST
from .guards import AT_REST, SLOW, TOUCHES, keeps_still, largest_acceleration
from .incipient import FAR
from .kept import clear_roundoff, find_kept, is_kept, is_pressed, keep_sticking
from .problem import bound_now, correct_amounts, is_solved, pose, use_points
from .rubbing import never_sticks, resting, sliding, speed_of

UNSOLVED = 23
"""A status: no forces of contacts go with the equations."""


@compiled_apart
def choose_states(mechanism: Mechanism, q: Vector, v: Vector, a: Vector):
    """The states of all points here; `changed` tells whether they are others than before."""
    contacts = mechanism.contacts
    count = contacts.gap.size
    closed = contacts.closed[0]
    contacts.closed[0] = contacts.changed[0] = 0
    contacts.fades[:] = 0
    contacts.status[0] = accelerate_as_held(mechanism, mechanism.switches.now[0], q, v, a)
    contacts.closed[0] = closed
    if contacts.status[0] != DONE:
        return
    find_kept(mechanism)
    if is_pressed(contacts):
        contacts.status[0] = UNSOLVED
        return
    held, holds = _judge_groups(mechanism), contacts.holds_in
    for c in range(count):
        contacts.before[c] = contacts.state[c]
    solved = _choose(mechanism)
    if held and (not solved or check_departures(mechanism, q, v, a, True)):
        for c in range(count):  # without a solution nothing tells which group has none
            g = contacts.group[c]
            if holds[g] == 1 and (not solved or contacts.differs_in[g] == 1):
                contacts.departs[c], contacts.sticking_trial[g] = 0, -1
        _note_holds(contacts)
        solved = _choose_anew(mechanism, q, v, a)
    if solved:
        keep_sticking(contacts)
    if solved and _some_may_depart(contacts) and find_departures(mechanism, q, v, a):
        _add_trials(contacts, 1)
        solved = _choose_anew(mechanism, q, v, a)
        _add_trials(contacts, -1)
        if solved and check_departures(mechanism, q, v, a, True):
            solved = _choose_anew(mechanism, q, v, a)
            if solved and check_departures(mechanism, q, v, a, False):
                solved = _choose_anew(mechanism, q, v, a)
    if not solved:
        contacts.status[0] = FORCES_LOST if contacts.uncertain[0] > 0 else UNSOLVED
        return
    keep_sticking(contacts)
    _note_holds(contacts)
    for c in range(count):
        if holds[contacts.group[c]] == 1 and contacts.state[c] == STICKING and contacts.began[c] == SLIPS:
            contacts.began[c] = 0
        for k in range(contacts.slips[c] if contacts.departs[c] == DEPARTS else 0):
            contacts.kept[contacts.slip[c] + k] = FREE
        if contacts.state[c] != contacts.before[c]:
            contacts.changed[0] = 1


@compiled
def _judge_groups(mechanism):
    """Note of each group, by the last evaluation, whether its bodies are at rest and what its rates are made of; in one
    that moves friction holds no point at a dead centre. Return whether it holds one in some group."""
    contacts, machine = mechanism.contacts, mechanism.machine
    contacts.pace[0] = contacts.pace[1]
    for c in range(contacts.gap.size):
        g = contacts.group[c]
        own = AT_REST * np.sqrt(largest_acceleration(mechanism, g) * machine.extent)
        slow = contacts.group_rate[g] * AT_REST <= own * SLOW
        contacts.rests_in[g] = STANDSTILL if contacts.group_rate[g] <= own else CREEP if slow else MOTION
        contacts.point_pace[c] = max(contacts.group_rate[g], contacts.pace[1], own)
        contacts.pace[0] = max(contacts.pace[0], contacts.point_pace[c])
        if contacts.rests_in[g] != STANDSTILL or contacts.departs[c] == DEPARTS:
            contacts.departs[c] = 0
    return _note_holds(contacts)


@compiled
def _note_holds(contacts):
    """Note in which groups friction at its bound holds a point at a dead centre; return whether in some."""
    contacts.holds_in[:], found = 0, False
    for c in range(contacts.gap.size):
        if contacts.departs[c] == HOLDS:
            contacts.holds_in[contacts.group[c]], found = 1, True
    return found


@compiled
def _add_trials(contacts, change):
    """Let slips that have just passed their bound stick again, for a trial, in groups with points that may depart; or
    no longer, with a change of -1."""
    for g in range(contacts.holds_in.size):
        marked = False
        for c in range(contacts.gap.size):
            marked = marked or (contacts.group[c] == g and contacts.departs[c] != 0)
        if marked and contacts.holds_in[g] == 0:
            contacts.sticking_trial[g] += change


@compiled
def _some_may_depart(contacts):
    found = False
    for c in range(contacts.gap.size):
        found = found or may_depart(contacts, c)
    return found


@compiled
def _choose_anew(mechanism, q, v, a):
    """Evaluate the rows of contacts at the accelerations of the held state, then choose states by `_choose`."""
    contacts = mechanism.contacts
    contacts.closed[0] = 0
    accelerate_as_held(mechanism, mechanism.switches.now[0], q, v, a)
    put_rows(contacts)
    return _choose(mechanism)


@compiled
def _choose(mechanism):
    """The states, by the last evaluation; whether forces go with them."""
    contacts = mechanism.contacts
    contacts.uncertain[0] = 0
    _use_touching(mechanism)
    respond(mechanism, 0)
    clear_roundoff(mechanism)
    _put_accelerations(mechanism)
    let_slips_follow(mechanism)
    for _ in range(contacts.gap.size + 1):
        pose(mechanism, contacts.touching, False)
        if not is_solved(contacts):
            return False
        if not _release(contacts):
            break
    if not _correct(mechanism):
        return False
    _decide(mechanism)
    return True


@compiled
def _correct(mechanism):
    """Correct the solution where masses or forces are far apart; return whether it is certain. The accelerations and
    multipliers without contacts stay. A slip may follow others (`following`), which changes its w0."""
    contacts, machine = mechanism.contacts, mechanism.machine
    copy(machine.x[: contacts.f.size], contacts.f)
    copy(machine.multipliers, contacts.g)
    for i in range(contacts.size[0]):
        row, start = contacts.used[i], contacts.problem.w0[i]
        followed = start - (dot(contacts.G[row], machine.x) - contacts.gamma[row])
        contacts.offset[i] = 0.0 if contacts.kept[row] == STILL else followed - contacts.gamma[row]
    contacts.offset_tail[:] = 0.0
    put_paces(mechanism, contacts.f)
    certain = correct_amounts(mechanism, contacts.f, contacts.offset, machine.f, machine.g)
    copy(contacts.f, machine.x)
    copy(contacts.g, machine.multipliers)
    return certain


@compiled
def _use_touching(mechanism):
    """Use the rows of what touches and does not part; the others are open. `slipping` tells what slips already."""
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        contacts.touching[c] = 1 if _touches(mechanism, c) else 0
        contacts.slipping[c], speed, first = 0, speed_of(contacts, c), contacts.slip[c]
        if contacts.touching[c] == 0:
            continue
        stuck = contacts.state[c] == STICKING and contacts.pace[1] == 0.0
        sets_out = contacts.state[c] == INCIPIENT and contacts.began[c] == 0 and contacts.pace[1] == 0.0
        moves = speed > TOUCHES * contacts.point_pace[c] and not stuck and not sets_out
        moves = moves and not keeps_still(contacts, c)
        if never_sticks(contacts, c):
            contacts.slipping[c], contacts.heading[first] = 1, 1.0  # any direction: it tells that the point slips
        elif contacts.departs[c] != 0:
            contacts.slipping[c] = 1
        elif sets_out:
            contacts.slipping[c] = 2
        elif contacts.began[c] == SLIPS and contacts.sticking_trial[contacts.group[c]] <= 0:
            contacts.slipping[c] = 2 if contacts.state[c] == INCIPIENT else 1
        elif contacts.began[c] == SLIPS_ON:
            contacts.slipping[c] = 1
        elif moves and contacts.began[c] != STOPS:
            contacts.slipping[c] = 1
            for k in range(contacts.slips[c]):
                contacts.heading[first + k] = contacts.rate[first + k] / speed
    use_points(contacts, contacts.touching)


@compiled
def _touches(mechanism, c):
    contacts, row = mechanism.contacts, mechanism.contacts.gap[c]
    if row < 0 or contacts.began[c] == PARTS or is_kept(contacts, c):
        return row < 0
    near = abs(contacts.phi[row]) <= TOUCHES * mechanism.machine.extent
    stays = abs(contacts.rate[row]) <= TOUCHES * contacts.point_pace[c] or contacts.lands[c] == 1
    closed = contacts.state[c] != OPEN
    return (closed or near) and (stays or (closed and contacts.pace[1] == 0.0))


@compiled
def _put_accelerations(mechanism):
    """The w0 of the problem."""
    contacts, x = mechanism.contacts, mechanism.machine.x
    for i in range(contacts.size[0]):
        row = contacts.used[i]
        still = contacts.kept[row] == STILL
        contacts.problem.w0[i] = 0.0 if still else dot(contacts.G[row], x) - contacts.gamma[row]


@compiled
def _release(contacts):
    """Let slip what the friction of sticking does not hold; whether there is such a point. That a friction is at its
    bound is not enough: others may have some left that share the load."""
    problem, law, i, found = contacts.problem, 0, 0, False
    still = BOUND * largest(problem.w0[: contacts.size[0]])
    for c in range(contacts.gap.size):
        if contacts.touching[c] == 0:
            continue
        gaps = 1 if contacts.gap[c] >= 0 else 0
        law, i = law + gaps, i + gaps
        if contacts.slips[c] > 0 and contacts.slipping[c] == 0:
            held = speed = 0.0
            for k in range(contacts.slips[c]):
                held += problem.f[i + k] ** 2
                speed += problem.w[i + k] ** 2
            held, speed, most = np.sqrt(held), np.sqrt(speed), bound_now(contacts, law, resting(contacts, c))
            if held >= (1.0 - BOUND) * most and speed > still:
                contacts.slipping[c], found = 1 if contacts.slips[c] == 1 else 2, True
                if contacts.slips[c] == 1:  # what nothing holds sets out to where it is drawn
                    away = -problem.f[i] / held if held > 0.0 else problem.w[i] / speed
                    contacts.heading[contacts.slip[c]] = away
        law, i = law + (1 if contacts.slips[c] > 0 else 0), i + contacts.slips[c]
    return found


@compiled
def _decide(mechanism):
    """The states that the solution stands for."""
    contacts = mechanism.contacts
    problem, law, i, closed = contacts.problem, 0, 0, 0
    for c in range(contacts.gap.size):
        state = OPEN
        if contacts.touching[c] == 1:
            least = NONE * force_to_stop(mechanism, i, own_pace(mechanism))
            least += BOUND * BOUND * opposing_force(contacts, i, problem.f)
            presses = contacts.gap[c] < 0 or problem.f[i] > least
            law, i = law + (1 if contacts.gap[c] >= 0 else 0), i + (1 if contacts.gap[c] >= 0 else 0)
            if presses:
                state = CLOSED if contacts.slips[c] == 0 or contacts.slipping[c] == 1 else STICKING
            if presses and contacts.slipping[c] == 2:
                state = _sets_out(contacts, c, law, i)
            law, i = law + (1 if contacts.slips[c] > 0 else 0), i + contacts.slips[c]
        contacts.state[c] = state
        closed += 0 if state == OPEN else 1
    contacts.closed[0] = closed


@compiled
def _sets_out(contacts, c, law, i):
    """The state of a point that was let go, or has set out before, from its solution; i is its first slip there. One
    that has set out does so until it stops; another that friction holds after all sticks, or, if it moves already,
    slips to a stop."""
    problem, first, speed = contacts.problem, contacts.slip[c], speed_of(contacts, c)
    held = drawn = yields = 0.0
    for k in range(contacts.slips[c]):
        held, drawn = held + problem.f[i + k] ** 2, drawn + problem.w[i + k] ** 2
        for j in range(contacts.slips[c]):
            yields += problem.f[i + k] * contacts.delassus[i + k, i + j] * problem.f[i + j]
    held, drawn = np.sqrt(held), np.sqrt(drawn)
    is_free = contacts.began[c] == SLIPS or contacts.before[c] == INCIPIENT
    is_free = is_free or held >= (1.0 - BOUND) * bound_now(contacts, law, sliding(contacts, c))
    if not is_free and speed <= TOUCHES * contacts.point_pace[c]:
        return STICKING
    for k in range(contacts.slips[c]):
        away = -problem.f[i + k] / held if held > 0.0 else problem.w[i + k] / drawn if drawn > 0.0 else 1.0
        contacts.heading[first + k] = away if is_free else contacts.rate[first + k] / speed
    return INCIPIENT if is_free and drawn * held < FAR * yields else CLOSED
