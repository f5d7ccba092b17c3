"""Impacts: velocities jump where bodies meet. Compiled.

Positions stay, so all points that touch make a problem of impulses. With w = G v - ν the rates of gaps and slips, w'
after,

    w' = w + W p,      0 <= p_n,  0 <= w_n' + e w_n,  p_n (w_n' + e w_n) = 0      (Newton; e w_n where it approaches)
                       |p_s| <= μ p_n, and where w_s' is not zero p_s = -μ p_n w_s'/|w_s'|

for all points that touch at once, with e their restitution. Joints take part: their impulses come with the responses.
The loss of energy is -p · (w + w')/2, with the mean of the rates before and after. The law is that of a problem of
contact (`problem`) with the offset

    w0_n = w_n + e min(w_n, 0),      w0_s = w_s,      so that      0 <= p_n,  0 <= (w0 + W p)_n,  p_n (w0 + W p)_n = 0.

An example is a point mass, m = 2 kg, that strikes a floor with w_n = -10 m/s and w_s = 4 m/s; e = 1/2, μ = 1/10. The
point has a gap and a slip, and W is [1/m 0; 0 1/m]:

    gap      w0_n = -10 - 5 = -15 m/s,   p_n = 15 m = 30 N s,    w_n' = -10 + 15 = 5 m/s,   loss -30 (-10 + 5)/2 = 75 J
    slip     |p_s| <= 3 N s < m w_s, so p_s = -3 N s,            w_s' = 4 - 1.5 = 2.5 m/s,  loss 3 (4 + 2.5)/2 = 9.75 J

`strike` passes an impact in these steps:

    prepare_impact      rows G (by `find_constrained`) and rates w at the state; `meeting`: which points touch
    put_impulses        W by `respond`, w0 by `write_impact`, p by `solve_laws`; `jump` adds the responses times p to v
    go_on_anew          branches of laws, states of contacts and y' behind (`switching.choosing`)
    _land               flights too low to be seen: once more from the state before, with e = 0 for their points

With friction Newton's law may give energy where slips turn round in an impact. If it does, Poisson's law is solved for
all points of the impact instead (and the run ends if that gives energy, too): an impulse p_c that ends all approach,
and then at least e times as much once more, with its own friction,

    w' = (w + W p_c) + W p_e,       0 <= p_en - e p_cn,  0 <= w_n',  (p_en - e p_cn) w_n' = 0.

So a blow on a row of balls that touch sets all of them going. In reality the blow is passed on, ball by ball, and the
last one goes: with `in_turn` only those points take part that approach, then those that approach as a consequence,
until no visible approach is left (`_pass_on`); the rest is solved for all points together.

Bodies that bounce with e < 1 come to rest after infinitely many impacts in a finite time. Here they do so as soon as a
flight is lower than can be seen (`FLIGHT_HEIGHT`): this impact is made again with e = 0, and the contact is closed; so
is one that another impact has lifted by no more. The time of the last impact is noted: after a flight of 2 w'/|ẇ| all
later ones together last e/(1 - e) times as long, so that the body rests 2 w'/|ẇ|/(1 - e) after the impact. (Over the
time of the impacts that are left out, all normal impulses together are those of a body at rest plus the one that ends
the approach, whatever e is, and friction goes with them. So e = 0 changes the motion by the second order of the
approach.)

The pages of the packages (`contact/__init__`, `switching/__init__`) say what the files are for that are called here.
"""

from ...compiled.contact_records import OPEN, STILL, Contacts
from ...compiled.contact_rows import put_rows
from ...compiled.status import DONE, FORCES_LOST, NOT_FINITE, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Vector
from ...linear.vectors import axpy, copy, dot, largest
from ...symbolic.loads import DISSIPATED, SUPPLIED
from ...tolerances import APPROACH_FLOOR, CONTACT_TOLERANCE, ENERGY_GAIN, FLIGHT_HEIGHT, IMPACT_CHANGE
from ..course import moment
from ..derivative import evaluate, factorise_terms
from ..mechanism_record import Mechanism
from ..switching.choosing import go_on_anew
from ..switching.pieces import turn_over
from ..switching.search import Search
from .bounds import is_given
from .constrained import clear_roundoff, find_constrained, is_constrained, is_pressed
from .corrections import correct_impulses
from .digits import put_rate_tails
from .following import let_rates_follow
from .gaps import first_entry
from .keeping import put_cancelling, use_closed
from .problem import put_changes, put_jump, respond, solve_laws, take_solution, use_points, write_laws

MOST = 10000
"""The largest number of impacts that are passed on at one instant."""


@compiled_apart
def strike(search: Search, y: Vector, dy: Vector) -> None:
    """Pass the impact at the state y: put the state after it into y, y' into dy, and choose all branches and states
    anew."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    choice, log, k = contacts.choice, contacts.impact_log, contacts.impact_log.filled[0]
    copy(y[: state.v_end], log.before[k])
    copy(dy[state.v_at : state.v_end], log.before[k][state.v_end :])
    copy(y, search.other)
    choice.jump_pace[0] = choice.rest_time[0] = pace = 0.0
    is_first = True
    choice.lands[:] = search.guards.surface[:] = 0
    turn_over(search, y)  # of gaps that are written in pieces, the piece that begins here
    while True:
        log.impulse[k][:] = log.energy_loss[k] = log.rate_change[k] = 0.0
        if choice.in_turn[0] == 1 and not _pass_on(search, y):
            return
        if not prepare_impact(search, y) or not _jumps(search, y, choice.meeting):
            return
        pace = choice.jump_pace[0] = choice.jump_pace[0] if is_first else pace
        go_on_anew(search, y, dy)
        if not is_first:
            stop(mechanism, y)
            choice.jump_pace[0] = pace
            go_on_anew(search, y, dy)
        if search.status[0] != DONE or not _land(search):
            break
        copy(search.other, y)
        is_first = False
    choice.lands[:] = 0
    log.filled[0] += 1 if log.rate_change[k] > IMPACT_CHANGE * pace else 0
    log.time[k], log.rest_time[k] = search.instant[0], choice.rest_time[0]
    copy(y[: state.v_end], log.after[k])
    copy(dy[state.v_at : state.v_end], log.after[k][state.v_end :])


@compiled
def stop(mechanism: Mechanism, y: Vector) -> None:
    """Remove from y the rates of closed gaps, and of slips that stick: behind an impact with e = 0 for points that land
    they are roundoff, or the speed with which another point has lifted one of these by less than can be seen. Amounts
    along these rows make them zero, and may pull."""
    contacts = mechanism.contacts
    use_closed(contacts)
    respond(mechanism, 0)
    put_cancelling(contacts, contacts.motion.rate, contacts.delassus.used_count[0])
    contacts.corrections.corrected[0] = 0
    put_changes(contacts)
    jump(mechanism, y)


@compiled
def _pass_on(search: Search, y: Vector) -> bool:
    """Solve the impacts of approaching points alone, one after another, until no visible approach is left; what remains
    is left to all points together. Return whether each has a solution."""
    contacts, first = search.stages.mechanism.contacts, 0.0
    for _ in range(MOST):
        if not prepare_impact(search, y):
            return False
        fastest = put_approaching(contacts)
        first = max(first, fastest)
        if is_over(contacts, fastest, first):
            break
        if not _jumps(search, y, contacts.choice.touching):
            return False
    return True


@compiled
def put_approaching(contacts: Contacts) -> float:
    """Put 1 into `touching` for the points that approach and for those without a gap that take part; return the fastest
    approach."""
    choice = contacts.choice
    fastest = 0.0
    for c in range(contacts.gap_row.size):
        approach = (
            -contacts.motion.rate[contacts.gap_row[c]] if contacts.gap_row[c] >= 0 and choice.meeting[c] == 1 else 0.0
        )
        choice.touching[c] = 1 if approach > APPROACH_FLOOR * choice.jump_pace[0] else 0
        fastest = max(fastest, approach)
        if contacts.gap_row[c] < 0:
            choice.touching[c] = choice.meeting[c]
    return fastest


@compiled
def is_over(contacts: Contacts, fastest: float, first: float) -> bool:
    """Return whether no approach is left that can be seen."""
    return fastest <= max(APPROACH_FLOOR * first, APPROACH_FLOOR * contacts.choice.jump_pace[0])


@compiled
def prepare_impact(search: Search, y: Vector) -> bool:
    """Evaluate rows and rates in the state y, and put the points that meet into `meeting`; return whether all numbers
    are finite and joints press no bodies together."""
    mechanism = search.stages.mechanism
    contacts, state = mechanism.contacts, mechanism.state
    choice = contacts.choice
    evaluate(mechanism, moment(search.stages.course, search.instant[0]), y[: state.q_end], y[state.v_at : state.v_end])
    if not factorise_terms(mechanism):
        search.status[0] = NOT_FINITE
        return False
    find_constrained(mechanism)
    put_rate_tails(mechanism, y[state.v_at : state.v_end])
    if is_pressed(contacts):
        search.status[0] = UNSOLVED
        return False
    choice.jump_pace[0] = max(choice.jump_pace[0], largest(contacts.motion.rate_size))
    for c in range(contacts.gap_row.size):  # closed before, or met now
        if contacts.gap_row[c] < 0:
            choice.meeting[c] = 0 if is_given(contacts, c) else 1
            continue
        near = abs(contacts.motion.phi[contacts.gap_row[c]]) <= CONTACT_TOLERANCE * mechanism.machine.gap_size
        meets = near or contacts.state[c] != OPEN or search.guards.passes_zero[first_entry(mechanism, c)] == 1
        choice.meeting[c] = 1 if meets and not is_constrained(contacts, c) else 0
    return True


@compiled
def _jumps(search: Search, y: Vector, points: Integers) -> bool:
    """Let these points meet, at the rates evaluated last, and let y jump by their impulses; return whether there is a
    solution."""
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
def put_impulses(mechanism: Mechanism, points: Integers) -> int:
    """Put the impulses with which these points meet, at the rates evaluated last, into `amount`. Return DONE, UNSOLVED
    or FORCES_LOST."""
    contacts = mechanism.contacts
    contacts.corrections.uncertain[0] = 0
    use_points(contacts, points)
    respond(mechanism, 0)
    clear_roundoff(mechanism)  # without effect unless joints alone hold a row
    write_impact(mechanism, points)
    if not solve_laws(contacts):
        return UNSOLVED
    take_solution(contacts)
    return DONE if correct_impulses(mechanism) else FORCES_LOST


@compiled
def _solve_in_two(mechanism: Mechanism, points: Integers) -> bool:
    """Put the impulses by Poisson's law, of compression and of expansion; return whether there is a solution."""
    write_compression(mechanism, points)
    mechanism.contacts.corrections.corrected[0] = 0
    if not solve_laws(mechanism.contacts):
        return False
    write_expansion(mechanism.contacts, points)
    if not solve_laws(mechanism.contacts):
        return False
    add_expansion(mechanism.contacts)
    return True


@compiled
def write_compression(mechanism: Mechanism, points: Integers) -> None:
    """Pose the problem of the impulses that end all approach."""
    contacts = mechanism.contacts
    write_laws(mechanism, points, True)
    for i in range(contacts.delassus.used_count[0]):
        contacts.problem.w0[i] = _rate(contacts, i)
    let_rates_follow(mechanism)


@compiled
def write_expansion(contacts: Contacts, points: Integers) -> None:
    """Pose the problem of the impulses of expansion beyond e times those of compression, which was solved last; put the
    sum of these two into `amount`."""
    delassus = contacts.delassus
    problem, n, i = contacts.problem, delassus.used_count[0], 0
    copy(problem.f[:n], delassus.amount)
    delassus.amount_tail[:] = 0.0
    for i in range(n):
        problem.w0[i], problem.f[i] = problem.w[i], 0.0
    i = 0
    for c in range(contacts.gap_row.size):
        if points[c] == 1 and contacts.gap_row[c] >= 0:
            back = _restitution(contacts, c) * delassus.amount[i]
            delassus.amount[i] += back
            for j in range(n):
                problem.w0[j] += problem.W[j, i] * back
            for row in range(problem.bound_at[problem.counts[0]]):
                problem.b[row] += problem.B[row, i] * back
            i += 1
        i += contacts.slip_count[c] * points[c]


@compiled
def add_expansion(contacts: Contacts) -> None:
    for i in range(contacts.delassus.used_count[0]):
        contacts.delassus.amount[i] += contacts.problem.f[i]
    put_changes(contacts)


@compiled
def gives_energy(contacts: Contacts) -> bool:
    """Return whether impulses give more energy than roundoff."""
    return _lost(contacts) < -ENERGY_GAIN * _at_stake(contacts)


@compiled
def _lost(contacts: Contacts) -> float:
    """Return the energy that the impulses dissipate."""
    delassus = contacts.delassus
    lost = 0.0
    for i in range(delassus.used_count[0]):
        lost -= delassus.amount[i] * (contacts.motion.rate[delassus.used[i]] + 0.5 * delassus.rate_change[i])
    return lost


@compiled
def _at_stake(contacts: Contacts) -> float:
    """Return the energy that impulses move to and fro: the sum of the absolute values of their works."""
    delassus = contacts.delassus
    most = 0.0
    for i in range(delassus.used_count[0]):
        most += abs(delassus.amount[i]) * (abs(contacts.motion.rate[delassus.used[i]]) + abs(delassus.rate_change[i]))
    return most


@compiled
def write_impact(mechanism: Mechanism, points: Integers) -> None:
    """Pose the problem of impulses by Newton's law: w0_n = w_n + e min(w_n, 0), w0_s = w_s. So the w of the problem is
    w_n' + e min(w_n, 0) for a gap, not w_n'."""
    contacts = mechanism.contacts
    contacts.choice.slipping[:] = 0
    write_laws(mechanism, points, True)
    for i in range(contacts.delassus.used_count[0]):
        contacts.problem.w0[i] = _rate(contacts, i)
    let_rates_follow(mechanism)  # without effect unless a slip depends on gaps, joints or other slips
    i = 0
    for c in range(contacts.gap_row.size):
        if points[c] == 1 and contacts.gap_row[c] >= 0:
            contacts.problem.w0[i] += _restitution(contacts, c) * min(contacts.problem.w0[i], 0.0)
            i += 1
        i += contacts.slip_count[c] * points[c]


@compiled
def _restitution(contacts: Contacts, c: int) -> float:
    """Return the restitution of a point; 0 for a point that comes to rest here."""
    return 0.0 if contacts.choice.lands[c] == 1 else contacts.laws.restitution[c]


@compiled
def _rate(contacts: Contacts, i: int) -> float:
    """Return the rate of row i in use before the impact."""
    row = contacts.delassus.used[i]
    return 0.0 if contacts.constrained.state[row] == STILL else contacts.motion.rate[row]


@compiled
def jump(mechanism: Mechanism, y: Vector) -> None:
    """Put the state after the impulses solved for into y; note the impulses and the energy that they dissipate."""
    contacts, machine, state = mechanism.contacts, mechanism.machine, mechanism.state
    delassus = contacts.delassus
    log, k, lost, given = contacts.impact_log, contacts.impact_log.filled[0], _lost(contacts), 0.0
    for i in range(delassus.used_count[0]):
        row, p = delassus.used[i], delassus.amount[i]
        given += p * contacts.motion.nu[row]
        log.impulse[k, row] += p
        log.rate_change[k] = max(log.rate_change[k], abs(delassus.rate_change[i]))
    put_jump(mechanism)
    for row in range(machine.nu.size):  # the work of drivers, as in a motion
        given -= machine.multipliers[row] * machine.nu[row]
    axpy(1.0, machine.x[: machine.norm.size], y[state.v_at : state.v_end])
    y[state.works_at + DISSIPATED] += lost
    y[state.works_at + SUPPLIED] += given
    log.energy_loss[k] += lost


@compiled
def _land(search: Search) -> bool:
    """Mark further points that have parted for a flight lower than can be seen, w'²/(2 |ẇ|) <= `FLIGHT_HEIGHT` times
    the extent of the model; return whether there are any. They stay closed. `machine.x` is v̇ behind the impact, as
    `go_on_anew` has left it, and ẇ = G v̇ - γ."""
    mechanism, found = search.stages.mechanism, False
    contacts, machine = mechanism.contacts, mechanism.machine
    choice = contacts.choice
    put_rows(contacts)
    for c in range(contacts.gap_row.size):
        row, e = contacts.gap_row[c], contacts.laws.restitution[c]
        if row < 0 or choice.meeting[c] == 0 or contacts.state[c] != OPEN or choice.lands[c] == 1 or e == 1.0:
            continue
        speed, back = contacts.motion.rate[row], dot(contacts.delassus.G[row], machine.x) - contacts.motion.gamma[row]
        if speed > 0.0 and back < 0.0 and speed * speed <= -2.0 * back * FLIGHT_HEIGHT * machine.extent:
            choice.lands[c], found = 1, True
            choice.rest_time[0] = max(choice.rest_time[0], search.instant[0] - 2.0 * speed / back / (1.0 - e))
    return found
