"""What happens when bodies meet: velocities jump. Compiled.

Places stay, so all that touches is a problem of impulses. With w = G v - ν the rates of gaps and slips, w' after it,

    w' = w + W p,      0 <= p_n,  0 <= w_n' + e w_n,  p_n (w_n' + e w_n) = 0      (Newton; e w_n where it approaches)
                       |p_s| <= μ p_n, and where w_s' is not zero p_s = -μ p_n w_s'/|w_s'|

for all points that touch at once, with e their restitution. Joints take part in it: their impulses come with the
responses. What is lost of the energy is -p · (w + w')/2, for between both states velocities are their mean.

With friction Newton's law may give energy where slips turn round in an impact. There, it is Poisson's: an impulse that
ends all approach, p_c, and then at least e times as much once more, with its own friction,

    w' = (w + W p_c) + W p_e,       0 <= p_en - e p_cn,  0 <= w_n',  (p_en - e p_cn) w_n' = 0.

Bodies that bounce with e < 1 come to rest after infinitely many impacts in a finite time. They do here as soon as a
flight is lower than can be seen (`REST`): then this impact is without restitution, and the contact closed. When the
last one would have been is noted: an impact a flight of 2 w'/|ẇ| before has left e/(1 - e) as much.
"""

from ...compiled.contacts import NOTED, OPEN, put_rows
from ...compiled.machine import DONE, NOT_FINITE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import axpy, copy, dot, largest
from ..course import moment
from ..derivative import evaluate, factorise_terms
from ..switching.choosing import start_over
from ..switching.search import Search
from .bounds import is_given
from .delassus import respond, responses
from .guards import TOUCHES, first_entry
from .problem import is_solved, pose, use_points
from .states import UNSOLVED

GAIN = 1e-9
"""Energy gained is none if it is less than this part of what an impact moves."""
REST = 1e-13
"""The height of a flight that is none, relative to how far the model reaches."""


@compiled_apart
def strike(search: Search, y: Vector, dy: Vector):
    """An impact at the state y, which becomes that after it, with all that is chosen anew there; y' in dy."""
    mechanism = search.stages.mechanism
    contacts = mechanism.contacts
    copy(y, search.other)
    copy(contacts.restitution, contacts.bounce)
    contacts.rests[0] = 0.0
    _find_meeting(search)
    for _ in range(contacts.gap.size + 1):
        copy(search.other, y)
        if not _solve_impact(search, y):
            return
        _jump(mechanism, y)
        start_over(search, y, dy)
        if search.status[0] != DONE or not _rests(search):
            break
    note = contacts.log[contacts.logged[0]]
    note[0], note[2] = search.span[0], contacts.rests[0]
    copy(search.other[: mechanism.state.v_end], note[NOTED + contacts.force.size :])
    contacts.logged[0] += 1


@compiled
def _find_meeting(search):
    """The points that touch: closed before, or met now."""
    mechanism = search.stages.mechanism
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        if contacts.gap[c] < 0:
            contacts.meeting[c] = 0 if is_given(contacts, c) else 1
            continue
        near = abs(contacts.phi[contacts.gap[c]]) <= TOUCHES * mechanism.machine.extent
        meets = near or contacts.state[c] != OPEN or search.wanted[first_entry(mechanism, c)] == 1
        contacts.meeting[c] = 1 if meets else 0


@compiled
def _solve_impact(search, y):
    """The impulses of all points that meet in the state y; whether there are some."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    t = moment(search.stages.course, search.span[0])
    contacts.closed[0] = 0
    evaluate(mechanism, t, y[: state.q_end], y[state.v_at : state.v_end])
    if not factorise_terms(mechanism):
        search.status[0] = NOT_FINITE
        return False
    put_rows(contacts)
    contacts.pace[1] = largest(contacts.parts)
    use_points(contacts, contacts.meeting)
    respond(mechanism)
    _pose(mechanism)
    solved = is_solved(contacts)
    copy(contacts.problem.f[: contacts.size[0]], contacts.amount)
    if solved and _lost(contacts) < -GAIN * _at_stake(contacts):
        solved = _solve_in_two(mechanism)
    if not solved or _lost(contacts) < -GAIN * _at_stake(contacts):
        search.status[0] = UNSOLVED
        return False
    return True


@compiled
def _solve_in_two(mechanism):
    """The impulses by Poisson's law: of compression, and what it gives back; whether there are some."""
    contacts, problem = mechanism.contacts, mechanism.contacts.problem
    n = contacts.size[0]
    pose(mechanism, contacts.meeting, True)
    for i in range(n):
        problem.w0[i] = contacts.rate[contacts.used[i]]
    if not is_solved(contacts):
        return False
    copy(problem.f[:n], contacts.amount)
    for i in range(n):
        problem.w0[i], problem.f[i] = problem.w[i], 0.0
    i = 0
    for c in range(contacts.gap.size):
        if contacts.meeting[c] == 1 and contacts.gap[c] >= 0:
            back = contacts.bounce[c] * contacts.amount[i]
            contacts.amount[i] += back
            for j in range(n):
                problem.w0[j] += problem.W[j, i] * back
            for row in range(problem.bound_at[problem.counts[0]]):
                problem.b[row] += problem.B[row, i] * back
            i += 1
        i += contacts.slips[c] * contacts.meeting[c]
    if not is_solved(contacts):
        return False
    for i in range(n):
        contacts.amount[i] += problem.f[i]
    return True


@compiled
def _lost(contacts):
    """The energy that the impulses take away."""
    lost = 0.0
    for i in range(contacts.size[0]):
        lost -= contacts.amount[i] * (contacts.rate[contacts.used[i]] + 0.5 * _change(contacts, i))
    return lost


@compiled
def _change(contacts, i):
    """How the velocity along a row changes."""
    change = 0.0
    for j in range(contacts.size[0]):
        change += contacts.delassus[i, j] * contacts.amount[j]
    return change


@compiled
def _at_stake(contacts):
    """The energy that impulses move to and fro."""
    most = 0.0
    for i in range(contacts.size[0]):
        most += abs(contacts.amount[i]) * (abs(contacts.rate[contacts.used[i]]) + abs(_change(contacts, i)))
    return most


@compiled
def _pose(mechanism):
    """The problem of impulses."""
    contacts = mechanism.contacts
    contacts.slipping[:] = 0
    pose(mechanism, contacts.meeting, True)
    for i in range(contacts.size[0]):
        contacts.problem.w0[i] = contacts.rate[contacts.used[i]]
    i = 0
    for c in range(contacts.gap.size):
        if contacts.meeting[c] == 1 and contacts.gap[c] >= 0:
            contacts.problem.w0[i] += contacts.bounce[c] * min(contacts.problem.w0[i], 0.0)
            i += 1
        i += contacts.slips[c] * contacts.meeting[c]


@compiled
def _jump(mechanism, y):
    """The state after the impulses that were solved for, in place; and what they are and take away, noted."""
    contacts, machine, state = mechanism.contacts, mechanism.machine, mechanism.state
    note, lost, given = contacts.log[contacts.logged[0]], _lost(contacts), 0.0
    note[:] = 0.0
    for i in range(contacts.size[0]):
        row, p = contacts.used[i], contacts.amount[i]
        given += p * contacts.nu[row]
        note[NOTED + row] = p
    responses(mechanism, contacts.amount)
    for row in range(machine.nu.size):  # what drivers give, as in a motion
        given -= machine.multipliers[row] * machine.nu[row]
    axpy(1.0, machine.x[: machine.norm.size], y[state.v_at : state.v_end])
    y[state.works_at + 1] += lost
    y[state.works_at + 2] += given
    note[1] = lost


@compiled
def _rests(search):
    """Whether a point has bounced that is to rest: it shall not bounce, then."""
    mechanism, found = search.stages.mechanism, False
    contacts, machine = mechanism.contacts, mechanism.machine
    put_rows(contacts)
    for c in range(contacts.gap.size):
        row, e = contacts.gap[c], contacts.bounce[c]
        speed = contacts.rate[row] if row >= 0 else 0.0
        if contacts.meeting[c] == 0 or contacts.state[c] != OPEN or not 0.0 < e < 1.0 or speed <= 0.0:
            continue
        back = dot(contacts.G[row], machine.x) - contacts.gamma[row]
        if back < 0.0 and speed * speed <= -2.0 * back * REST * machine.extent:
            contacts.bounce[c], found = 0.0, True
            contacts.rests[0] = max(contacts.rests[0], search.span[0] - 2.0 * speed / back / (1.0 - e))
    return found
