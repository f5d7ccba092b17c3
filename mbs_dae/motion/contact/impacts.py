"""What happens when bodies meet: velocities jump. Compiled.

Places stay, so all that touches is a problem of impulses. With w = G v - ν the rates of gaps and slips, w' after it,

    w' = w + W p,      0 <= p_n,  0 <= w_n' + e w_n,  p_n (w_n' + e w_n) = 0      (Newton; e w_n where it approaches)
                       |p_s| <= μ p_n, and where w_s' is not zero p_s = -μ p_n w_s'/|w_s'|

for all points that touch at once, with e their restitution. Joints take part in it: their impulses come with the
responses. What is lost of the energy is -p · (w + w')/2, for between both states velocities are their mean.

With friction Newton's law may give energy where slips turn round in an impact. There, it is Poisson's: an impulse that
ends all approach, p_c, and then at least e times as much once more, with its own friction,

    w' = (w + W p_c) + W p_e,       0 <= p_en - e p_cn,  0 <= w_n',  (p_en - e p_cn) w_n' = 0.

So a blow on a row of balls that touch sets all of them going. What one sees is that it is passed on, ball by ball, and
the last one goes: then those alone take part that approach, next those that approach by that, until nothing does
(`in_turn`).

Bodies that bounce with e < 1 come to rest after infinitely many impacts in a finite time. They do here as soon as a
flight is lower than can be seen (`REST`): this impact is made again with e = 0, and the contact is closed; so it is
where another impact has lifted it by no more. Between the first and the last of the impacts that are left out the
normal impulse is that of a body at rest and what ends the approach, and so is the friction that goes with it: the
motion is right to the second order of the approach. When the last one would have been is noted: an impact a flight of
2 w'/|ẇ| before has left e/(1 - e) as much.
"""

from ...compiled.contact_records import OPEN, STILL
from ...compiled.contacts import NOTED, put_rows
from ...compiled.status import DONE, FORCES_LOST, NOT_FINITE, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import axpy, copy, dot, largest
from ..course import moment
from ..derivative import evaluate, factorise_terms
from ..switching.choosing import go_on_anew
from ..switching.pieces import turn_over
from ..switching.search import Search
from .bounds import is_given
from .delassus import put_jump, put_rate_tails, respond
from .following import let_rates_follow
from .guards import REST, TOUCHES, first_entry
from .keeping import put_cancelling, use_closed
from .kept import clear_roundoff, find_kept, is_kept, is_pressed
from .problem import correct_amounts, is_solved, pose, put_changes, use_points

GAIN = 1e-9
"""Energy gained is none if it is less than this part of what an impact moves."""
SEEN = 1e-13
"""What changes no rate by more than this part of what it is made of is no impact to tell of."""
LEFT, MOST = 1e-12, 10_000
"""Where impacts are passed on, an approach is none below this part of the first one, and there are so many at most."""


@compiled_apart
def strike(search: Search, y: Vector, dy: Vector):
    """An impact at the state y, which becomes that after it, with all that is chosen anew there; y' in dy."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    choice, steps = contacts.choice, contacts.steps
    copy(y, search.other)
    copy(dy[state.v_at : state.v_end], search.a)
    choice.pace[1] = choice.rest_time[0] = 0.0
    choice.lands[:] = search.guards.surface[:] = 0
    turn_over(search, y)
    if not _meet(search, y):
        return
    pace = choice.pace[1]
    go_on_anew(search, y, dy)
    while search.status[0] == DONE and _land(search):
        copy(search.other, y)
        if not _meet(search, y):
            return
        choice.pace[1] = pace
        go_on_anew(search, y, dy)
        stop(mechanism, y)
        choice.pace[1] = pace
        go_on_anew(search, y, dy)
    choice.lands[:] = 0
    note = steps.impacts[steps.impact_count[0]]
    steps.impact_count[0] += 1 if note[0] > SEEN * pace else 0
    note[0], note[2] = search.span[0], choice.rest_time[0]
    before = note[NOTED + contacts.force.size :]
    behind = before[2 * state.v_end - state.v_at :]
    copy(search.other[: state.v_end], before)
    copy(search.a, before[state.v_end :])
    copy(y[: state.v_end], behind)
    copy(dy[state.v_at : state.v_end], behind[state.v_end :])


@compiled
def _meet(search, y):
    """The impact at the state y, which becomes that after it; whether there is one."""
    contacts = search.stages.mechanism.contacts
    contacts.steps.impacts[contacts.steps.impact_count[0]][:] = 0.0
    if contacts.choice.in_turn[0] == 1 and not _pass_on(search, y):
        return False
    return look_at_rates(search, y) and _jumps(search, y, contacts.choice.meeting)


@compiled
def stop(mechanism, y):
    """Take away what is left of the rates of what is closed."""
    contacts = mechanism.contacts
    use_closed(contacts)
    respond(mechanism, 0)
    put_cancelling(contacts, contacts.motion.rate, contacts.delassus.used_count[0])
    contacts.corrections.corrected[0] = 0
    put_changes(contacts)
    jump(mechanism, y)


@compiled
def _pass_on(search, y):
    """Impacts of those alone that approach, and then of those that approach by that, up to where nothing does any more
    that can be seen: what is left of it is the matter of all together. Whether all are solved."""
    contacts, first = search.stages.mechanism.contacts, 0.0
    for _ in range(MOST):
        if not look_at_rates(search, y):
            return False
        fastest = put_approaching(contacts)
        first = max(first, fastest)
        if is_over(contacts, fastest, first):
            break
        if not _jumps(search, y, contacts.choice.touching):
            return False
    return True


@compiled
def put_approaching(contacts):
    """Of the points that meet those that approach, in `touching`; how fast the fastest does."""
    choice = contacts.choice
    fastest = 0.0
    for c in range(contacts.gap.size):
        approach = -contacts.motion.rate[contacts.gap[c]] if contacts.gap[c] >= 0 and choice.meeting[c] == 1 else 0.0
        choice.touching[c] = 1 if approach > LEFT * choice.pace[1] else 0
        fastest = max(fastest, approach)
        if contacts.gap[c] < 0:
            choice.touching[c] = choice.meeting[c]
    return fastest


@compiled
def is_over(contacts, fastest, first):
    """Whether nothing approaches any more that can be seen."""
    return fastest <= max(LEFT * first, LEFT * contacts.choice.pace[1])


@compiled
def look_at_rates(search, y):
    """Rows and rates in the state y, and the points that meet; whether they are numbers, and nothing is pressed."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    choice = contacts.choice
    choice.closed_count[0] = 0
    evaluate(mechanism, moment(search.stages.course, search.span[0]), y[: state.q_end], y[state.v_at : state.v_end])
    if not factorise_terms(mechanism):
        search.status[0] = NOT_FINITE
        return False
    find_kept(mechanism)
    put_rate_tails(mechanism, y[state.v_at : state.v_end])
    if is_pressed(contacts):
        search.status[0] = UNSOLVED
        return False
    choice.pace[1] = max(choice.pace[1], largest(contacts.motion.rate_size))
    for c in range(contacts.gap.size):  # those that touch: closed before, or met now
        if contacts.gap[c] < 0:
            choice.meeting[c] = 0 if is_given(contacts, c) else 1
            continue
        near = abs(contacts.motion.phi[contacts.gap[c]]) <= TOUCHES * mechanism.machine.extent
        meets = near or contacts.state[c] != OPEN or search.guards.passes_zero[first_entry(mechanism, c)] == 1
        choice.meeting[c] = 1 if meets and not is_kept(contacts, c) else 0
    return True


@compiled
def _jumps(search, y, points):
    """Let these points meet, at the rates that were looked at last, and y jump by their impulses; whether there are
    some."""
    contacts, status = search.stages.mechanism.contacts, put_impulses(search.stages.mechanism, points)
    if status == FORCES_LOST:
        search.status[0] = FORCES_LOST
        return False
    solved = status == DONE
    if solved and gives_energy(contacts):
        solved = _solve_in_two(search.stages.mechanism, points)
    if not solved or gives_energy(contacts):
        search.status[0] = UNSOLVED
        return False
    jump(search.stages.mechanism, y)
    return True


@compiled
def put_impulses(mechanism, points):
    """Put the impulses with which these points meet, at the rates that were looked at last, into `amount`. Return DONE,
    UNSOLVED or FORCES_LOST."""
    contacts = mechanism.contacts
    delassus, corrections = contacts.delassus, contacts.corrections
    use_points(contacts, points)
    respond(mechanism, 0)
    clear_roundoff(mechanism)
    pose_impact(mechanism, points)
    corrections.uncertain[0] = 0
    if not is_solved(contacts):
        return UNSOLVED
    copy(contacts.groups.speed, contacts.groups.pace)
    delassus.f[:] = delassus.g[:] = 0.0
    for i in range(delassus.used_count[0]):
        row, start = delassus.used[i], contacts.problem.w0[i]
        corrections.offset_tail[i] = corrections.rate_tail[row]
        if contacts.motion.rate[row] != 0.0:
            corrections.offset_tail[i] *= start / contacts.motion.rate[row]
        elif start != 0.0 or contacts.constrained.state[row] == STILL:
            corrections.offset_tail[i] = 0.0
    certain = correct_amounts(mechanism, delassus.f, contacts.problem.w0, delassus.f, delassus.g)
    return DONE if certain else FORCES_LOST


@compiled
def _solve_in_two(mechanism, points):
    """The impulses by Poisson's law: of compression, and what it gives back; whether there are some."""
    pose_compression(mechanism, points)
    mechanism.contacts.corrections.corrected[0] = 0
    if not is_solved(mechanism.contacts):
        return False
    pose_expansion(mechanism.contacts, points)
    if not is_solved(mechanism.contacts):
        return False
    add_expansion(mechanism.contacts)
    return True


@compiled
def pose_compression(mechanism, points):
    """The problem of what ends all approach."""
    contacts = mechanism.contacts
    contacts.choice.ambiguities[0] += 1
    pose(mechanism, points, True)
    for i in range(contacts.delassus.used_count[0]):
        contacts.problem.w0[i] = _rate(contacts, i)
    let_rates_follow(mechanism)


@compiled
def pose_expansion(contacts, points):
    """The problem of what more than its part is given back of that, which was solved last; both of them in `amount`."""
    delassus = contacts.delassus
    problem, n, i = contacts.problem, delassus.used_count[0], 0
    copy(problem.f[:n], delassus.amount)
    delassus.amount_tail[:] = 0.0
    for i in range(n):
        problem.w0[i], problem.f[i] = problem.w[i], 0.0
    i = 0
    for c in range(contacts.gap.size):
        if points[c] == 1 and contacts.gap[c] >= 0:
            back = _restitution(contacts, c) * delassus.amount[i]
            delassus.amount[i] += back
            for j in range(n):
                problem.w0[j] += problem.W[j, i] * back
            for row in range(problem.bound_at[problem.counts[0]]):
                problem.b[row] += problem.B[row, i] * back
            i += 1
        i += contacts.slips[c] * points[c]


@compiled
def add_expansion(contacts):
    for i in range(contacts.delassus.used_count[0]):
        contacts.delassus.amount[i] += contacts.problem.f[i]
    put_changes(contacts)


@compiled
def gives_energy(contacts):
    """Whether impulses give more than they take away."""
    return _lost(contacts) < -GAIN * _at_stake(contacts)


@compiled
def _lost(contacts):
    """The energy that the impulses take away."""
    delassus = contacts.delassus
    lost = 0.0
    for i in range(delassus.used_count[0]):
        lost -= delassus.amount[i] * (contacts.motion.rate[delassus.used[i]] + 0.5 * delassus.rate_change[i])
    return lost


@compiled
def _at_stake(contacts):
    """The energy that impulses move to and fro."""
    delassus = contacts.delassus
    most = 0.0
    for i in range(delassus.used_count[0]):
        most += abs(delassus.amount[i]) * (abs(contacts.motion.rate[delassus.used[i]]) + abs(delassus.rate_change[i]))
    return most


@compiled
def pose_impact(mechanism, points):
    """The problem of impulses."""
    contacts = mechanism.contacts
    contacts.choice.slipping[:] = 0
    pose(mechanism, points, True)
    for i in range(contacts.delassus.used_count[0]):
        contacts.problem.w0[i] = _rate(contacts, i)
    let_rates_follow(mechanism)
    i = 0
    for c in range(contacts.gap.size):
        if points[c] == 1 and contacts.gap[c] >= 0:
            contacts.problem.w0[i] += _restitution(contacts, c) * min(contacts.problem.w0[i], 0.0)
            i += 1
        i += contacts.slips[c] * points[c]


@compiled
def _restitution(contacts, c):
    """That of a point: of one that comes to rest here there is none."""
    return 0.0 if contacts.choice.lands[c] == 1 else contacts.laws.restitution[c]


@compiled
def _rate(contacts, i):
    """The rate of row i of those that are used, before the impact."""
    row = contacts.delassus.used[i]
    return 0.0 if contacts.constrained.state[row] == STILL else contacts.motion.rate[row]


@compiled
def jump(mechanism, y):
    """The state after the impulses that were solved for, in place; and what they are and take away, noted."""
    contacts, machine, state = mechanism.contacts, mechanism.machine, mechanism.state
    delassus = contacts.delassus
    note, lost, given = contacts.steps.impacts[contacts.steps.impact_count[0]], _lost(contacts), 0.0
    for i in range(delassus.used_count[0]):
        row, p = delassus.used[i], delassus.amount[i]
        given += p * contacts.motion.nu[row]
        note[NOTED + row] += p
        note[0] = max(note[0], abs(delassus.rate_change[i]))
    put_jump(mechanism)
    for row in range(machine.nu.size):  # what drivers give, as in a motion
        given -= machine.multipliers[row] * machine.nu[row]
    axpy(1.0, machine.x[: machine.norm.size], y[state.v_at : state.v_end])
    y[state.works_at + 1] += lost
    y[state.works_at + 2] += given
    note[1] += lost


@compiled
def _land(search):
    """Whether more points have parted whose flight is lower than can be seen: they stay."""
    mechanism, found = search.stages.mechanism, False
    contacts, machine = mechanism.contacts, mechanism.machine
    choice = contacts.choice
    put_rows(contacts)
    for c in range(contacts.gap.size):
        row, e = contacts.gap[c], contacts.laws.restitution[c]
        if row < 0 or choice.meeting[c] == 0 or contacts.state[c] != OPEN or choice.lands[c] == 1 or e == 1.0:
            continue
        speed, back = contacts.motion.rate[row], dot(contacts.delassus.G[row], machine.x) - contacts.motion.gamma[row]
        if speed > 0.0 and back < 0.0 and speed * speed <= -2.0 * back * REST * machine.extent:
            choice.lands[c], found = 1, True
            choice.rest_time[0] = max(choice.rest_time[0], search.span[0] - 2.0 * speed / back / (1.0 - e))
    return found
