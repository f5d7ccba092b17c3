"""States of contacts: closed, slipping or sticking, chosen where the motion begins and after each change. Compiled.

A point that touches (g = 0) and does not part (ġ = 0) presses or opens; if it presses and does not slip (s = 0), it
sticks, or begins to slip. The right choice solves a complementarity problem of accelerations,

    0 <= f_n,  0 <= g̈,  f_n g̈ = 0;        |f_s| <= μ f_n, and where ṡ is not zero f_s = -μ f_n ṡ/|ṡ|,

with [g̈; ṡ] = W f + (their values without contacts). A point that slips already has its friction against s, not ṡ; one
that begins to slip in space goes on with friction against ṡ (`incipient`).

A state that has just been left (a force that passed zero, a friction that passed its bound) is not tested again: on the
edge, roundoff would decide.
"""

import numpy as np

from ...compiled.contact_records import (
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
    Contacts,
)
from ...compiled.contact_rows import put_rows
from ...compiled.status import DONE, FORCES_LOST, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy, dot, largest
from ...tolerances import CONTACT_TOLERANCE, DEAD_CENTRE_SPEED, FRICTION_TOLERANCE, REST_SPEED, SUM_ROUNDOFF
from ..derivative import accelerate_as_held
from ..mechanism_record import Mechanism
from .constrained import clear_roundoff, find_constrained, is_constrained, is_pressed, keep_sticking
from .corrections import correct_amounts
from .departure import check_departures, find_departures, may_depart
from .following import let_slips_follow
from .guards import keeps_still, largest_acceleration
from .incipient import FAR
from .problem import bound_now, respond, solve_laws, take_solution, use_points, write_laws
from .rubbing import kinetic_coefficient, never_sticks, speed_of, static_coefficient
from .sizes import force_to_stop, opposing_force, own_pace, put_paces


@compiled_apart
def choose_states(mechanism: Mechanism, q: Vector, v: Vector, a: Vector) -> None:
    """Choose the states of all points at the present instant; put 1 into `changed` if they differ from those before."""
    contacts = mechanism.contacts
    groups, choice = contacts.groups, contacts.choice
    count = contacts.gap_row.size
    closed = choice.closed_count[0]
    choice.closed_count[0] = choice.changed[0] = 0
    contacts.sliding.holds_direction[:] = 0
    choice.status[0] = accelerate_as_held(mechanism, mechanism.switches.now[0], q, v, a)
    choice.closed_count[0] = closed
    if choice.status[0] != DONE:
        return
    find_constrained(mechanism)
    if is_pressed(contacts):
        choice.status[0] = UNSOLVED
        return
    held, holds = _judge_groups(mechanism), groups.holds
    for c in range(count):
        choice.previous[c] = contacts.state[c]
    solved = _choose(mechanism)
    if held and (not solved or check_departures(mechanism, q, v, a, True)):
        for c in range(count):  # without a solution nothing tells which group has none
            g = groups.of_point[c]
            if holds[g] == 1 and (not solved or groups.differs[g] == 1):
                choice.departure[c], groups.sticking_trial[g] = 0, -1
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
        choice.status[0] = FORCES_LOST if contacts.corrections.uncertain[0] > 0 else UNSOLVED
        return
    keep_sticking(contacts)
    _note_holds(contacts)
    for c in range(count):
        if holds[groups.of_point[c]] == 1 and contacts.state[c] == STICKING and choice.began[c] == SLIPS:
            choice.began[c] = 0
        for k in range(contacts.slip_count[c] if choice.departure[c] == DEPARTS else 0):
            contacts.constrained.state[contacts.slip_row[c] + k] = FREE
        if contacts.state[c] != choice.previous[c]:
            choice.changed[0] = 1


@compiled
def _judge_groups(mechanism: Mechanism) -> bool:
    """Note for each group, by the last evaluation, whether its bodies are at rest, and the size of the terms of its
    rates; in a group that moves friction holds no point at a dead centre. Return whether it holds one in some group."""
    contacts, machine = mechanism.contacts, mechanism.machine
    groups, choice = contacts.groups, contacts.choice
    choice.pace[0] = choice.jump_pace[0]
    for c in range(contacts.gap_row.size):
        g = groups.of_point[c]
        own = REST_SPEED * np.sqrt(largest_acceleration(mechanism, g) * machine.extent)
        slow = groups.rate[g] * REST_SPEED <= own * DEAD_CENTRE_SPEED
        groups.rest[g] = STANDSTILL if groups.rate[g] <= own else CREEP if slow else MOTION
        choice.point_pace[c] = max(groups.rate[g], choice.jump_pace[0], own)
        choice.pace[0] = max(choice.pace[0], choice.point_pace[c])
        if groups.rest[g] != STANDSTILL or choice.departure[c] == DEPARTS:
            choice.departure[c] = 0
    return _note_holds(contacts)


@compiled
def _note_holds(contacts: Contacts) -> bool:
    """Note in which groups friction at its bound holds a point at a dead centre; return whether there are any."""
    groups = contacts.groups
    groups.holds[:], found = 0, False
    for c in range(contacts.gap_row.size):
        if contacts.choice.departure[c] == HOLDS:
            groups.holds[groups.of_point[c]], found = 1, True
    return found


@compiled
def _add_trials(contacts: Contacts, change: int) -> None:
    """Allow slips that have just passed their bound to stick again, for a trial, in groups with points that may depart;
    a change of -1 ends the trial."""
    groups = contacts.groups
    for g in range(groups.holds.size):
        marked = False
        for c in range(contacts.gap_row.size):
            marked = marked or (groups.of_point[c] == g and contacts.choice.departure[c] != 0)
        if marked and groups.holds[g] == 0:
            groups.sticking_trial[g] += change


@compiled
def _some_may_depart(contacts: Contacts) -> bool:
    found = False
    for c in range(contacts.gap_row.size):
        found = found or may_depart(contacts, c)
    return found


@compiled
def _choose_anew(mechanism: Mechanism, q: Vector, v: Vector, a: Vector) -> bool:
    """Evaluate the rows of contacts at the accelerations of the held state, then choose states by `_choose`; return
    whether there are forces that satisfy the laws."""
    contacts = mechanism.contacts
    contacts.choice.closed_count[0] = 0
    accelerate_as_held(mechanism, mechanism.switches.now[0], q, v, a)
    put_rows(contacts)
    return _choose(mechanism)


@compiled
def _choose(mechanism: Mechanism) -> bool:
    """Choose the states by the last evaluation; return whether there are forces that satisfy the laws."""
    contacts = mechanism.contacts
    contacts.corrections.uncertain[0] = 0
    _use_touching(mechanism)
    respond(mechanism, 0)
    clear_roundoff(mechanism)
    _put_accelerations(mechanism)
    let_slips_follow(mechanism)
    for _ in range(contacts.gap_row.size + 1):
        write_laws(mechanism, contacts.choice.touching, False)
        if not solve_laws(contacts):
            return False
        if not _release(contacts):
            break
    if not _correct(mechanism):
        return False
    _decide(mechanism)
    return True


@compiled
def _correct(mechanism: Mechanism) -> bool:
    """Correct the solution where masses or forces are far apart; return whether it is certain. The accelerations and
    multipliers without contacts stay. A slip may follow others (`following`), which changes its w0."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus, corrections = contacts.delassus, contacts.corrections
    copy(machine.x[: delassus.f.size], delassus.f)
    copy(machine.multipliers, delassus.g)
    for i in range(delassus.used_count[0]):
        row, start = delassus.used[i], contacts.problem.w0[i]
        followed = start - (dot(delassus.G[row], machine.x) - contacts.motion.gamma[row])
        corrections.offset[i] = (
            0.0 if contacts.constrained.state[row] == STILL else followed - contacts.motion.gamma[row]
        )
    corrections.offset_tail[:] = 0.0
    put_paces(mechanism, delassus.f)
    take_solution(contacts)
    certain = correct_amounts(mechanism, delassus.f, corrections.offset, machine.f, machine.g)
    copy(delassus.f, machine.x)
    copy(delassus.g, machine.multipliers)
    return certain


@compiled
def _use_touching(mechanism: Mechanism) -> None:
    """Take the rows of points that touch and do not part into use; mark in `slipping` the points that slip already."""
    contacts = mechanism.contacts
    choice = contacts.choice
    for c in range(contacts.gap_row.size):
        choice.touching[c] = 1 if _touches(mechanism, c) else 0
        choice.slipping[c], speed, first = 0, speed_of(contacts, c), contacts.slip_row[c]
        if choice.touching[c] == 0:
            continue
        stuck = contacts.state[c] == STICKING and choice.has_jumped[0] == 0
        sets_out = contacts.state[c] == INCIPIENT and choice.began[c] == 0 and choice.has_jumped[0] == 0
        moves = speed > CONTACT_TOLERANCE * choice.point_pace[c] and not stuck and not sets_out
        moves = moves and not keeps_still(contacts, c)
        if never_sticks(contacts, c):
            choice.slipping[c], contacts.sliding.heading[first] = 1, 1.0  # any direction: a mark that the point slips
        elif choice.departure[c] != 0:
            choice.slipping[c] = 1
        elif sets_out:
            choice.slipping[c] = 2
        elif choice.began[c] == SLIPS and contacts.groups.sticking_trial[contacts.groups.of_point[c]] <= 0:
            choice.slipping[c] = 2 if contacts.state[c] == INCIPIENT else 1
        elif choice.began[c] == SLIPS_ON:
            choice.slipping[c] = 1
        elif moves and choice.began[c] != STOPS:
            choice.slipping[c] = 1
            for k in range(contacts.slip_count[c]):
                contacts.sliding.heading[first + k] = contacts.motion.rate[first + k] / speed
    use_points(contacts, choice.touching)


@compiled
def _touches(mechanism: Mechanism, c: int) -> bool:
    contacts, row = mechanism.contacts, mechanism.contacts.gap_row[c]
    choice = contacts.choice
    if row < 0 or choice.began[c] == PARTS or is_constrained(contacts, c):
        return row < 0
    near = abs(contacts.motion.phi[row]) <= CONTACT_TOLERANCE * mechanism.machine.gap_size
    stays = abs(contacts.motion.rate[row]) <= CONTACT_TOLERANCE * choice.point_pace[c] or choice.lands[c] == 1
    closed = contacts.state[c] != OPEN
    return (closed or near) and (stays or (closed and choice.has_jumped[0] == 0))


@compiled
def _put_accelerations(mechanism: Mechanism) -> None:
    """Put the w0 of the problem: accelerations along rows without contacts."""
    contacts, x = mechanism.contacts, mechanism.machine.x
    delassus = contacts.delassus
    for i in range(delassus.used_count[0]):
        row = delassus.used[i]
        still = contacts.constrained.state[row] == STILL
        contacts.problem.w0[i] = 0.0 if still else dot(delassus.G[row], x) - contacts.motion.gamma[row]


@compiled
def _release(contacts: Contacts) -> bool:
    """Let points slip that the friction of sticking does not hold; return whether there are any. A friction at its
    bound does not suffice for that: other points may still share the load."""
    choice = contacts.choice
    problem, law, i, found = contacts.problem, 0, 0, False
    still = FRICTION_TOLERANCE * largest(problem.w0[: contacts.delassus.used_count[0]])
    for c in range(contacts.gap_row.size):
        if choice.touching[c] == 0:
            continue
        gaps = 1 if contacts.gap_row[c] >= 0 else 0
        law, i = law + gaps, i + gaps
        if contacts.slip_count[c] > 0 and choice.slipping[c] == 0:
            held = speed = 0.0
            for k in range(contacts.slip_count[c]):
                held += problem.f[i + k] ** 2
                speed += problem.w[i + k] ** 2
            held, speed, most = np.sqrt(held), np.sqrt(speed), bound_now(contacts, law, static_coefficient(contacts, c))
            if held >= (1.0 - FRICTION_TOLERANCE) * most and speed > still:
                choice.slipping[c], found = 1 if contacts.slip_count[c] == 1 else 2, True
                if contacts.slip_count[c] == 1:  # a slip that nothing holds begins along its load
                    away = -problem.f[i] / held if held > 0.0 else problem.w[i] / speed
                    contacts.sliding.heading[contacts.slip_row[c]] = away
        law, i = law + (1 if contacts.slip_count[c] > 0 else 0), i + contacts.slip_count[c]
    return found


@compiled
def _decide(mechanism: Mechanism) -> None:
    """Put the states that the solution implies."""
    contacts = mechanism.contacts
    choice = contacts.choice
    problem, law, i, closed = contacts.problem, 0, 0, 0
    for c in range(contacts.gap_row.size):
        state = OPEN
        if choice.touching[c] == 1:
            least = SUM_ROUNDOFF * force_to_stop(mechanism, i, own_pace(mechanism))
            least += FRICTION_TOLERANCE * FRICTION_TOLERANCE * opposing_force(contacts, i, problem.f)
            presses = contacts.gap_row[c] < 0 or problem.f[i] > least
            law, i = law + (1 if contacts.gap_row[c] >= 0 else 0), i + (1 if contacts.gap_row[c] >= 0 else 0)
            if presses:
                state = CLOSED if contacts.slip_count[c] == 0 or choice.slipping[c] == 1 else STICKING
            if presses and choice.slipping[c] == 2:
                state = _sets_out(contacts, c, law, i)
            law, i = law + (1 if contacts.slip_count[c] > 0 else 0), i + contacts.slip_count[c]
        contacts.state[c] = state
        closed += 0 if state == OPEN else 1
    choice.closed_count[0] = closed


@compiled
def _sets_out(contacts: Contacts, c: int, law: int, i: int) -> int:
    """Return the state of a point that begins to slip in space, or has begun before, from its solution; i is its first
    slip there. A slip that has begun stays incipient until it stops; a point that friction holds after all sticks, or,
    if it moves already, slips to a stop."""
    choice = contacts.choice
    problem, first, speed = contacts.problem, contacts.slip_row[c], speed_of(contacts, c)
    held = drawn = yields = 0.0
    for k in range(contacts.slip_count[c]):
        held, drawn = held + problem.f[i + k] ** 2, drawn + problem.w[i + k] ** 2
        for j in range(contacts.slip_count[c]):
            yields += problem.f[i + k] * contacts.delassus.W[i + k, i + j] * problem.f[i + j]
    held, drawn = np.sqrt(held), np.sqrt(drawn)
    is_free = choice.began[c] == SLIPS or choice.previous[c] == INCIPIENT
    is_free = is_free or held >= (1.0 - FRICTION_TOLERANCE) * bound_now(contacts, law, kinetic_coefficient(contacts, c))
    if not is_free and speed <= CONTACT_TOLERANCE * choice.point_pace[c]:
        return STICKING
    for k in range(contacts.slip_count[c]):
        away = -problem.f[i + k] / held if held > 0.0 else problem.w[i + k] / drawn if drawn > 0.0 else 1.0
        contacts.sliding.heading[first + k] = away if is_free else contacts.motion.rate[first + k] / speed
    return INCIPIENT if is_free and drawn * held < FAR * yields else CLOSED
