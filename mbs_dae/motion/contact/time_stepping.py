"""Time stepping with contacts: bodies may meet, slip, stick and part within a step. Compiled.

Impulses p = h f change velocities, at a position in the middle of the step. With w the rates of gaps and slips at the
end of the step if nothing accelerated, and w₁ those with impulses,

    w₁ = w + h (G v̇ + W f),        0 <= f_n,  0 <= w₁_n + r,  f_n (w₁_n + r) = 0,
                                   |f_s| <= μ f_n, and where w₁_s is not zero f_s = -μ f_n w₁_s/|w₁_s|

for all points at once; v̇ are the accelerations without contacts. So f is a force where bodies rest on each other, and
an impulse over h where they meet. A point needs no other law: closing, sliding, sticking and impacts are one case. A
point that would close and bounce has r = e w_n, after Newton. Other points have r = g/h: from the middle of this step,
where the gap is g, to the middle of the next one the gap becomes g + h w₁_n, and must not become negative. (With r = 0
where g <= 0, and no law elsewhere, bodies would overlap by the way of half a step; to separate them again is to lift
them, and in a heap this energy is never at rest. A gap of roundoff counts as zero: g/h² would be an acceleration.) The
curvature of gaps within a step is small; `part` removes the overlap that it causes.

There are two ways to w and g, and they decide the order:

    first    w = G v₀ - ν, at the place in the middle;      g the gap there
    second   w = w₀ - h γ,      g = g₀ + h/2 w₀,            with g₀, w₀ at the beginning and γ in the middle

With the second way w₁ is as exact as the midpoint rule. A point that stays closed has g₀ = w₀ = 0, and the law is that
of accelerations, 0 <= f_n, 0 <= g̈, f_n g̈ = 0; the error of a step, of the order h³ in g₀ and in h w₀, is removed by
the next two. A slip in space has the direction of its middle, if it goes on slipping.
"""

import numpy as np

from ...compiled.contact_records import CLOSED, OPEN, STICKING, STILL, Contacts
from ...compiled.contact_rows import put_rows
from ...compiled.machine import in_own_velocities
from ...compiled.manifold import move
from ...compiled.status import DONE, FORCES_LOST, NOT_FINITE, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.proximal import solve_proximal
from ...linear.rows import row_dot, row_dot_size
from ...linear.springs import holds
from ...linear.vectors import copy, largest
from ...tolerances import (
    CLOSURE_TOLERANCE,
    CONTACT_TOLERANCE,
    ENERGY_GAIN,
    FRICTION_TOLERANCE,
    MASS_CONTRAST,
    OVERLAP,
    PROXIMAL_LIMIT,
    PROXIMAL_RESIDUAL,
)
from ..derivative import evaluate, factorise_terms
from ..mechanism_record import Mechanism
from .constrained import clear_roundoff, is_constrained
from .corrections import correct_amounts
from .digits import put_masses
from .gaps import observe_gaps
from .guards import tell_states
from .islands import find_islands
from .problem import (
    add_responses,
    bound_now,
    respond,
    responses,
    solve_laws,
    take_solution,
    use,
    use_points,
    write_gaps,
    write_laws,
)
from .rubbing import across, kinetic_coefficient, static_coefficient
from .sizes import put_paces

MOST = 300
"""The largest number of iterations of a step for many contacts."""
PART = 0.25
"""The part by which restitution is reduced each time when contacts give energy."""
TIMES = 3
"""The largest number of corrections of positions: gaps are not linear in them."""


@compiled_apart
def impel(mechanism: Mechanism, h: float) -> int:
    """Add the mean forces over a step of length h, with their effect on the last accelerations, machine.x, and on their
    multipliers. Return a status. Few contacts are solved exactly (`problem`), many at once with the motion
    (`linear.proximal`), and so are few without an exact solution. Contacts between masses far apart among many are
    solved exactly as well: FORCES_LOST is returned if they are too many."""
    contacts = mechanism.contacts
    delassus, steps = contacts.delassus, contacts.steps
    copy(contacts.state, contacts.choice.previous)
    contacts.state[:] = OPEN
    contacts.sliding.heading[:] = 0.0
    contacts.corrections.uncertain[0] = 0
    _find_near(mechanism, h)
    steps.by_elimination[:] = steps.own_column[:] = steps.own_row[:] = 0
    if delassus.G.shape[0] > 0:
        copy(contacts.choice.touching, steps.by_elimination)
        steps.own_column[:] = steps.own_row[:] = 1
    elif delassus.response.shape[0] > 0:
        find_islands(mechanism)
    use_points(contacts, steps.by_elimination)
    if delassus.used_count[0] > delassus.response.shape[0]:
        return FORCES_LOST
    if delassus.used_count[0] > 0:
        respond(mechanism, 0)
        clear_roundoff(mechanism)
    return _solve(mechanism, h)


@compiled_apart
def impel_anew(mechanism: Mechanism, h: float) -> int:
    """Add the mean forces for other accelerations without contacts, at the same position and with the same W; the
    velocities of the middle, at the last evaluation, give the directions of slips. Return a status."""
    _turn(mechanism.contacts)
    return _solve(mechanism, h)


@compiled_apart
def look_at_start(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Evaluate gaps and rates where a step begins, and keep the slips there."""
    observe_gaps(mechanism, t, q, v)
    copy(mechanism.contacts.motion.rate, mechanism.contacts.sliding.end_slip)


@compiled_apart
def look_from_middle(contacts: Contacts) -> None:
    """Put gaps and rates for the order 1, at the last evaluation: the position in the middle, with the first
    velocities."""
    motion, steps = contacts.motion, contacts.steps
    put_rows(contacts)
    copy(motion.phi, steps.middle_gap)
    copy(motion.rate, steps.start_rate)
    copy(motion.rate, steps.free_rate)


@compiled_apart
def look_from_start(contacts: Contacts, h: float) -> None:
    """Put gaps and rates for the order 2, from the state where the step begins, at the last evaluation."""
    motion, steps = contacts.motion, contacts.steps
    copy(motion.rate, steps.start_rate)
    for row in range(steps.middle_gap.size):
        steps.middle_gap[row] = motion.phi[row] + 0.5 * h * motion.rate[row]


@compiled_apart
def coast(contacts: Contacts, h: float) -> None:
    """Put the rates at the end of the step for the order 2, from the last evaluation, in the middle of the step."""
    steps = contacts.steps
    put_rows(contacts)
    for row in range(steps.free_rate.size):
        steps.free_rate[row] = steps.start_rate[row] - h * contacts.motion.gamma[row]


@compiled
def _solve(mechanism: Mechanism, h: float) -> int:
    """Solve for the mean forces; return a status. Newton's law may give energy where friction turns one impulse against
    another: then restitution is reduced until contacts give none."""
    contacts, machine, part = mechanism.contacts, mechanism.machine, 1.0
    steps = contacts.steps
    x, multipliers = contacts.delassus.f, contacts.delassus.g
    copy(machine.x[: x.size], x)
    copy(machine.multipliers, multipliers)
    bounces = _put_margins(mechanism, h, part)
    if not _have_friction(contacts):
        return UNSOLVED
    while True:
        for row in range(contacts.force.size):
            steps.rate_change[row] = steps.free_rate[row] / h
        for c in range(contacts.gap_row.size):
            if contacts.gap_row[c] >= 0:
                steps.rate_change[contacts.gap_row[c]] += steps.margin[c] / h
        status = _push(mechanism, h)
        if status != DONE:
            return status
        if not bounces or part == 0.0 or not _give(contacts, h):
            break
        part = part - PART if part > PART else 0.0
        copy(x, machine.x[: x.size])
        copy(multipliers, machine.multipliers)
        _put_margins(mechanism, h, part)
    _tell(contacts)
    tell_states(mechanism)
    return DONE


@compiled
def _have_friction(contacts: Contacts) -> bool:
    """Return whether the coefficients of friction of all points that may touch are finite numbers."""
    found = True
    for c in range(contacts.gap_row.size):
        if contacts.choice.touching[c] == 1 and contacts.slip_count[c] > 0:
            found = found and np.isfinite(kinetic_coefficient(contacts, c))
            found = found and np.isfinite(static_coefficient(contacts, c))
    return found


@compiled
def _put_margins(mechanism: Mechanism, h: float, part: float) -> bool:
    """Put the margins r of all points, with this part of their restitutions; return whether some bounce."""
    contacts, bounces = mechanism.contacts, False
    for c in range(contacts.gap_row.size):
        if contacts.gap_row[c] >= 0:
            contacts.steps.margin[c] = _margin(mechanism, c, h, part)
            bounces = bounces or contacts.steps.margin[c] < 0.0
    return bounces


@compiled
def _give(contacts: Contacts, h: float) -> bool:
    """Return whether contacts give energy: forces times the means of rates before and after the step."""
    steps = contacts.steps
    given = size = 0.0
    for c in range(contacts.gap_row.size):
        row = contacts.gap_row[c]
        if row >= 0:
            power = contacts.force[row] * (steps.start_rate[row] + h * steps.rate_change[row] - steps.margin[c])
            given, size = given + power, size + abs(power)
        for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            power = contacts.force[row] * (steps.start_rate[row] + h * steps.rate_change[row])
            given, size = given + power, size + abs(power)
    return given > ENERGY_GAIN * size


@compiled
def _push(mechanism: Mechanism, h: float) -> int:
    """Solve the points that elimination has, then all others, or all points where elimination finds no solution;
    between masses far apart elimination then corrects that solution. Return a status."""
    contacts, p = mechanism.contacts, mechanism.contacts.proximal
    delassus = contacts.delassus
    all_few, solved = delassus.G.shape[0] > 0, False
    copy(contacts.steps.rate_change, p.offset)
    if all_few or delassus.used_count[0] > 0:
        status = _push_few(mechanism, False)
        solved = status == DONE
        if status == FORCES_LOST or (solved and all_few):
            return status
    if not _push_many(mechanism, h, solved):
        return UNSOLVED
    if not solved and delassus.used_count[0] > 0 and put_masses(contacts) < MASS_CONTRAST:
        solved = _push_few(mechanism, True) == DONE
        if not solved:
            return FORCES_LOST
    return FORCES_LOST if _closes(mechanism, solved) else DONE


@compiled
def _push_few(mechanism: Mechanism, near: bool) -> int:
    """Solve the points of `by_elimination` with the dense matrix, in accelerations; return a status. If `near`, the
    present forces solve the laws nearly, and are only corrected."""
    contacts, problem, x, law, i = mechanism.contacts, mechanism.contacts.problem, mechanism.machine.x, 0, 0
    delassus, corrections, steps = contacts.delassus, contacts.corrections, contacts.steps
    start = contacts.proximal.offset
    write_laws(mechanism, steps.by_elimination, False)
    for i in range(delassus.used_count[0]):
        row = delassus.used[i]
        problem.f[i] = contacts.force[row]  # of the last step, or of the near solution
        corrections.offset[i] = 0.0 if contacts.constrained.state[row] == STILL else start[row]
        problem.w0[i] = (
            0.0 if contacts.constrained.state[row] == STILL else start[row] + row_dot(contacts.rows, row, delassus.f)
        )
    if not near and not solve_laws(contacts):
        return UNSOLVED
    corrections.offset_tail[:] = 0.0
    _put_paces(mechanism, start)
    take_solution(contacts)
    if not correct_amounts(mechanism, delassus.f, corrections.offset, mechanism.machine.f, mechanism.machine.g):
        return FORCES_LOST
    if delassus.G.shape[0] > 0:
        contacts.force[:] = 0.0
    still = FRICTION_TOLERANCE * largest(problem.w0[: delassus.used_count[0]])
    for i in range(delassus.used_count[0]):
        row = delassus.used[i]
        contacts.force[row] = problem.f[i]
        steps.rate_change[row] = problem.w[i]
    for c in range(contacts.gap_row.size):
        if steps.by_elimination[c] == 1:
            law += 1 if contacts.gap_row[c] >= 0 else 0
            if contacts.slip_count[c] > 0:
                slips = contacts.choice.slipping[c] == 1
                mu = kinetic_coefficient(contacts, c) if slips else static_coefficient(contacts, c)
                sticks = (
                    across(contacts, c, steps.rate_change) <= still
                )  # at its bound as well, where other points may hold it
                contacts.choice.largest_friction[c] = (
                    np.inf if sticks else (1.0 - FRICTION_TOLERANCE) * bound_now(contacts, law, mu)
                )
                law += 1
    if corrections.corrected[0] == 0:
        copy(delassus.f, x)
        copy(delassus.g, mechanism.machine.multipliers)
        add_responses(mechanism, delassus.amount, delassus.amount_tail)
    for k in range(delassus.f.size):
        x[k] = x[k] if steps.own_column[k] == 1 else contacts.proximal.x[k]
    for k in range(delassus.g.size):
        if steps.own_row[k] == 0:
            mechanism.machine.multipliers[k] = contacts.proximal.multipliers[k]
    return DONE


@compiled
def _put_paces(mechanism: Mechanism, start: Vector) -> None:
    """Put the pace of each group, which is at least the mean acceleration that ends the approach of a touching gap."""
    contacts, pace = mechanism.contacts, mechanism.contacts.groups.pace
    delassus = contacts.delassus
    put_paces(mechanism, delassus.f)
    for c in range(contacts.gap_row.size):
        row = contacts.gap_row[c]
        if row >= 0 and contacts.choice.touching[c] == 1 and delassus.squared_length[row] > 0.0:
            g = contacts.groups.of_point[c]
            pace[g] = max(pace[g], abs(start[row]) / np.sqrt(delassus.squared_length[row]))


@compiled
def _push_many(mechanism: Mechanism, h: float, others: bool) -> bool:
    """Solve all points, or those that elimination does not have if `others`, with the sparse matrix; return whether the
    residual is at most `PROXIMAL_LIMIT`.

    Residuals are those of forces times √W and of accelerations over it: the product of a residual and its reference is
    a force times an acceleration, and h² times that is an energy, per row."""
    contacts, machine, p = mechanism.contacts, mechanism.machine, mechanism.contacts.proximal
    choice, steps = contacts.choice, contacts.steps
    for row in range(p.still.size):
        p.still[row] = 1 if contacts.constrained.state[row] == STILL else 0
    for c in range(contacts.gap_row.size):
        p.asked[c] = 0 if others and steps.by_elimination[c] == 1 else choice.touching[c]
        p.rests[c] = 1 - choice.slipping[c]
        p.mu[c] = kinetic_coefficient(contacts, c) if choice.slipping[c] == 1 else static_coefficient(contacts, c)
    copy(machine.f, p.f)
    copy(machine.g, p.g)
    copy(contacts.delassus.f[: p.x.size], p.x)
    copy(contacts.delassus.g, p.multipliers)
    copy(contacts.force, p.force)
    for c in range(contacts.gap_row.size):
        turned = choice.slipping[c] == 1
        for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            p.heading[row] = contacts.sliding.heading[row] if turned else 0.0
    left = solve_proximal(
        p, machine.pattern, machine.factor, contacts.normals.factors, PROXIMAL_RESIDUAL, MOST, mechanism.refinements
    )
    steps.residual[0] = max(steps.residual[0], left)
    steps.residual[1] += left * (h * p.scale[0]) ** 2 * contacts.force.size
    for k in range(p.x.size):
        machine.x[k] = machine.x[k] if others and steps.own_column[k] == 1 else p.x[k]
    for k in range(p.multipliers.size):
        own = others and steps.own_row[k] == 1
        machine.multipliers[k] = machine.multipliers[k] if own else p.multipliers[k]
    for c in range(contacts.gap_row.size):
        if not others or steps.by_elimination[c] == 0:
            choice.largest_friction[c] = np.inf if holds(p, c) else 0.0
    for row in range(contacts.force.size):
        if not others or steps.by_elimination[contacts.points.of_row[row]] == 0:
            contacts.force[row], steps.rate_change[row] = p.force[row], p.rate[row]
    return left <= PROXIMAL_LIMIT


@compiled
def _closes(mechanism: Mechanism, others: bool) -> bool:
    """Return whether a touching gap, or with `others` one that elimination does not have, accelerates into the other
    body by more than a part of the largest acceleration along all rows without contacts, in lengths; take the rows of
    such gaps into use, for an error message to name them. Residuals that weigh accelerations by masses do not see a
    light body."""
    contacts, offset, closes, most = mechanism.contacts, mechanism.contacts.proximal.offset, False, 0.0
    delassus = contacts.delassus
    for row in range(offset.size):
        size = _reach(mechanism, row)
        if size > 0.0 and contacts.constrained.state[row] != STILL:
            most = max(most, abs(offset[row] + row_dot(contacts.rows, row, delassus.f)) / size)
    for c in range(contacts.gap_row.size):
        row = contacts.gap_row[c]
        asked = row >= 0 and contacts.choice.touching[c] == 1 and not (others and contacts.steps.by_elimination[c] == 1)
        if asked and contacts.steps.rate_change[row] < -PROXIMAL_LIMIT * most * _reach(mechanism, row):
            delassus.used_count[0] = delassus.used_count[0] if closes else 0
            closes = use(contacts, row) >= 0
    return closes


@compiled
def _reach(mechanism: Mechanism, row: int) -> float:
    """Return the largest acceleration along a row that displacements accelerated by 1 can make."""
    rows, total = mechanism.contacts.rows, 0.0
    for e in range(rows.at[row], rows.at[row + 1]):
        total += abs(rows.value[e]) / np.sqrt(mechanism.geometric[rows.column[e]])
    return total


@compiled
def _free_rate(mechanism: Mechanism, row: int, h: float) -> float:
    """Return the rate of a row at the end of the step without contacts."""
    return mechanism.contacts.steps.free_rate[row] + h * row_dot(mechanism.contacts.rows, row, mechanism.machine.x)


@compiled
def _find_near(mechanism: Mechanism, h: float) -> None:
    """Mark the points, at the last evaluation, that may touch: those no farther than the fastest approach of all moves
    in a step, since impacts of others may set them going. Mark which of them slip where the step begins (`_rests`); and
    which meet if they press: they did not in the step before, and approach faster than they would from rest in two
    steps."""
    contacts, reach = mechanism.contacts, CONTACT_TOLERANCE * mechanism.machine.gap_size
    choice = contacts.choice
    slow = CONTACT_TOLERANCE * largest(contacts.motion.rate_size)  # of a motion, or of rest
    for row in range(contacts.motion.rate_size.size):
        slow = max(slow, CONTACT_TOLERANCE * h * abs(_bend(mechanism, row)))
    for c in range(contacts.gap_row.size):
        if contacts.gap_row[c] >= 0:
            reach = max(reach, -h * _free_rate(mechanism, contacts.gap_row[c], h))
    for c in range(contacts.gap_row.size):
        near = contacts.gap_row[c] < 0 or (
            contacts.steps.middle_gap[contacts.gap_row[c]] <= reach and not is_constrained(contacts, c)
        )
        choice.touching[c], choice.meeting[c] = 1 if near else 0, 0
        choice.slipping[c] = 0 if _rests(mechanism, c, h, slow) else 1
        if near and contacts.gap_row[c] >= 0 and choice.previous[c] == OPEN:
            fall = abs(_bend(mechanism, contacts.gap_row[c])) * h
            choice.meeting[c] = 1 if -contacts.steps.start_rate[contacts.gap_row[c]] > 2.0 * fall + slow else 0


@compiled
def _rests(mechanism: Mechanism, c: int, h: float, slow: float) -> bool:
    """Return whether a point does not slip. A point that stuck in the step before has zero slip at one moment of that
    step; on ground that turns or speeds up its slip is as large as the change of rates in a step, and it sticks all the
    same."""
    contacts, size, square = mechanism.contacts, 0.0, 0.0
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        if contacts.constrained.state[row] != STILL:
            square += contacts.sliding.end_slip[row] ** 2
            size = max(size, abs(contacts.motion.gamma[row]) + row_dot_size(contacts.rows, row, mechanism.machine.x))
    return np.sqrt(square) <= (max(slow, h * size) if contacts.choice.previous[c] == STICKING else slow)


@compiled
def _bend(mechanism: Mechanism, row: int) -> float:
    """Return the acceleration of a gap without contacts."""
    return row_dot(mechanism.contacts.rows, row, mechanism.machine.x) - mechanism.contacts.motion.gamma[row]


@compiled
def _turn(contacts: Contacts) -> None:
    """Put the direction of slips in space that last over the whole step: their direction in the middle, by the last
    evaluation. The directions of other slips follow from the law, as in the plane, where there are but two."""
    for c in range(contacts.gap_row.size):
        first, before, now, square = contacts.slip_row[c], 0.0, 0.0, 0.0
        for k in range(contacts.slip_count[c]):
            heading, rate = contacts.sliding.heading[first + k], contacts.motion.rate[first + k]
            before += heading * contacts.steps.start_rate[first + k]
            now, square = now + heading * rate, square + rate**2
        slips = contacts.state[c] == CLOSED and contacts.choice.slipping[c] == 1 and before > 0.0 and now > 0.0
        for k in range(contacts.slip_count[c]):
            turned = slips and contacts.slip_count[c] > 1
            contacts.sliding.heading[first + k] = contacts.motion.rate[first + k] / np.sqrt(square) if turned else 0.0


@compiled
def _margin(mechanism: Mechanism, c: int, h: float, part: float) -> float:
    """Return the margin r of a point."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap_row[c]
    steps = contacts.steps
    free, back = _free_rate(mechanism, row, h), contacts.laws.restitution[c]
    gap = steps.middle_gap[row] if steps.middle_gap[row] > CLOSURE_TOLERANCE * mechanism.machine.extent else 0.0
    back *= part * min(steps.start_rate[row], 0.0)
    closes = gap + h * free <= 0.0
    outlasts = -2.0 * back > -h * _bend(mechanism, row)
    return back if closes and outlasts else gap / h  # a flight that ends within a step counts as zero


@compiled
def _tell(contacts: Contacts) -> None:
    """Put the states over the step that the forces imply."""
    least = FRICTION_TOLERANCE * FRICTION_TOLERANCE * largest(contacts.force)
    for c in range(contacts.gap_row.size):
        if contacts.choice.touching[c] == 0:
            continue
        first, slips = contacts.slip_row[c], contacts.slip_count[c]
        presses = contacts.gap_row[c] < 0 or contacts.force[contacts.gap_row[c]] > least
        contacts.state[c] = CLOSED if presses else OPEN
        held = speed = 0.0
        for k in range(first, first + slips):
            held += contacts.force[k] ** 2
            speed += contacts.steps.rate_change[k] ** 2
        if slips > 0 and presses and np.sqrt(held) < contacts.choice.largest_friction[c]:
            contacts.state[c] = STICKING
        for k in range(first, first + slips):
            contacts.sliding.heading[k] = contacts.steps.rate_change[k] / np.sqrt(speed) if speed > 0.0 else 0.0


@compiled_apart
def note_meeting(mechanism: Mechanism, t: float, h: float, y: Vector, end: Vector, a: Vector) -> None:
    """Note a step of length h that ends at t, from the state y to `end` with mean accelerations a, as an impact, if
    bodies have met in it."""
    contacts, log, met = mechanism.contacts, mechanism.contacts.impact_log, False
    for c in range(contacts.gap_row.size):
        met = met or (contacts.choice.meeting[c] == 1 and contacts.state[c] != OPEN)
    if not met:
        return
    k, v_end = log.filled[0], mechanism.state.v_end
    log.time[k], log.energy_loss[k], log.rest_time[k] = t, h * contacts.steps.energy_loss[0], 0.0
    for row in range(contacts.force.size):
        log.impulse[k, row] = h * contacts.force[row]
    copy(y[:v_end], log.before[k])
    copy(a, log.before[k][v_end:])
    copy(end[:v_end], log.after[k])
    copy(a, log.after[k][v_end:])
    log.filled[0] += 1


@compiled_apart
def part(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> int:
    """Separate bodies that overlap, by the least motion in the norm of the masses that the joints allow and that makes
    no other bodies overlap: 0 <= f, 0 <= g + W f, f (g + W f) = 0. Return a status."""
    contacts, machine = mechanism.contacts, mechanism.machine
    for _ in range(TIMES):
        observe_gaps(mechanism, t, q, v)
        deepest = 0.0
        for c in range(contacts.gap_row.size):
            if contacts.gap_row[c] >= 0 and not is_constrained(contacts, c):
                deepest = max(deepest, -contacts.motion.phi[contacts.gap_row[c]])
        if deepest <= OVERLAP * machine.extent:
            return DONE
        evaluate(mechanism, t, q, v)
        if not factorise_terms(mechanism):
            return NOT_FINITE
        put_rows(contacts)
        if not _part_few(mechanism, deepest):
            _part_many(mechanism, deepest)
        move(machine.manifold, q, machine.x)
    return DONE


@compiled
def _part_few(mechanism: Mechanism, deepest: float) -> bool:
    """Put the separating motion into machine.x by the dense matrix, if there is one; return whether it is found."""
    contacts = mechanism.contacts
    if contacts.delassus.G.shape[0] == 0:
        return False
    contacts.delassus.used_count[0] = 0
    for c in range(contacts.gap_row.size):
        if (
            contacts.gap_row[c] >= 0
            and contacts.motion.phi[contacts.gap_row[c]] <= deepest
            and not is_constrained(contacts, c)
        ):
            use(contacts, contacts.gap_row[c])
    respond(mechanism, 0)
    write_gaps(contacts)
    if not solve_laws(contacts):
        return False
    responses(mechanism, contacts.problem.f, contacts.corrections.no_tail)
    return True


@compiled
def _part_many(mechanism: Mechanism, deepest: float) -> None:
    """Put the separating motion into machine.x by the sparse matrix, approximately: the next step sees what is left."""
    contacts, machine, p = mechanism.contacts, mechanism.machine, mechanism.contacts.proximal
    p.still[:] = 0
    p.heading[:] = 0.0
    p.f[:] = p.g[:] = p.x[:] = p.multipliers[:] = p.force[:] = p.offset[:] = p.mu[:] = 0.0
    for c in range(contacts.gap_row.size):
        row = contacts.gap_row[c]
        p.asked[c] = 1 if row >= 0 and contacts.motion.phi[row] <= deepest and not is_constrained(contacts, c) else 0
        if row >= 0:
            p.offset[row] = contacts.motion.phi[row]
    solve_proximal(
        p, machine.pattern, machine.factor, contacts.normals.factors, PROXIMAL_RESIDUAL, MOST, mechanism.refinements
    )
    copy(p.x, machine.x)
    copy(p.multipliers, machine.multipliers)
    in_own_velocities(machine)
