"""The laws of the points that touch, as a problem of complementarity. Compiled.

What touches falls into groups that do not feel each other: balls that lie about, the stops of one mechanism and of
another. Each is a problem of its own, found in the entries of W. The cost of all is that of the largest, times how many
there are; and a group has its own scale.
"""

import numpy as np

from ...compiled.contact_records import FREE, HOLDS, Contacts
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.complementarity import SEVERAL, solve_complementarity
from ...linear.elimination import least_solution
from ...linear.laws import is_unilateral, put_into_units, radius, respond, speed
from ...linear.modes import CLOSED, OPEN, SLIDES, choose_modes, write_equations
from ...linear.rows import size_along
from ...linear.twofold import two_product, two_sum
from ...linear.vectors import copy
from ...tolerances import CORRECTED, OFTEN, UNCERTAIN
from ..derivative import Mechanism
from .bounds import COMPONENTS, given, is_given, put_bounds
from .delassus import (
    FIRM,
    REFINED,
    add_responses,
    is_corrected,
    is_far_apart,
    is_spread,
    keep_uncertain,
    least_force,
    leave_out,
    opposing_force,
    pace_along,
    put_free_force,
    put_masses,
    put_residual,
    put_spread,
    refine_solution,
    use,
)
from .delassus import respond as respond_to_forces
from .forces import FAINT, MISSED
from .rubbing import direction, drives_apart, never_sticks, resting, sliding, speed_of

INEXACT = 1e-14
"""A rate that is added up with twice the digits has errors of this part of its terms, some fifty ε: those of responses
and of rates without contacts."""
SPREAD = 1e-4
"""A solution of the laws is right to 5e-13 of the largest force (`laws.EXACT`), to 5e-9 of one that is this part of it;
and to 1e-13 of the largest over the `independence` of joints (`tolerances.DELTA`), to 1e-9 of one that is this part of
it over the independence. Smaller ones are corrected."""
AT_BOUND = 1e-6
"""A friction that is as near to its bound as this part is not an unknown of its own."""
LACKS = 1e-6
"""A row that elimination leaves out lacks at most this part of what heavy bodies do, the root of `NO_PIVOT`; more is a
force that roundoff has lost."""


@compiled
def use_points(contacts, points):
    """Use the rows of these points, and no others: of each its gap, then its slips."""
    contacts.delassus.used_count[0] = 0
    for c in range(contacts.gap.size):
        if points[c] == 1 and contacts.gap[c] >= 0:
            use(contacts, contacts.gap[c])
        for k in range(contacts.slips[c] * points[c]):
            use(contacts, contacts.slip[c] + k)


@compiled
def pose(mechanism, points, is_impact):
    """The problem of these points but for its w0. Points that slip, or set out to (`slipping`), have the friction of
    that; so have all in an impact."""
    contacts = mechanism.contacts
    delassus, choice = contacts.delassus, contacts.choice
    problem, laws, bounds, i = contacts.problem, 0, 0, 0
    problem.B[:] = problem.b[:] = problem.heading[:] = problem.f[:] = 0.0
    put_bounds(mechanism, is_impact)
    for i in range(delassus.used_count[0]):
        for j in range(delassus.used_count[0]):
            problem.W[i, j] = delassus.W[i, j]
    i = 0
    for c in range(contacts.gap.size):
        if points[c] == 0:
            continue
        if contacts.gap[c] >= 0:
            problem.first[laws], problem.bound_at[laws], problem.mu[laws] = i, bounds, 0.0
            laws, i = laws + 1, i + 1
        if contacts.slips[c] > 0:
            slips = choice.slipping[c] > 0
            problem.first[laws], problem.bound_at[laws] = i, bounds
            problem.mu[laws] = sliding(contacts, c) if slips or is_impact else resting(contacts, c)
            bounds += _put_bound(contacts, c, bounds, i, not slips or choice.departure[c] == HOLDS)
            if choice.slipping[c] == 1 or drives_apart(contacts, c):
                _put_heading(contacts, c, i, laws)
            laws += 1
        i += contacts.slips[c]
    problem.first[laws], problem.bound_at[laws], problem.counts[0] = i, bounds, laws


@compiled
def _put_heading(contacts, c, i, law):
    """Where the first unknown of a friction that slips is i. Of one that never sticks the direction is shorter than 1,
    which is a smaller coefficient."""
    problem, part = contacts.problem, 1.0
    is_faint = never_sticks(contacts, c) and not drives_apart(contacts, c)
    if is_faint:
        part = speed_of(contacts, c) / np.hypot(speed_of(contacts, c), contacts.laws.smooth[c])
    problem.mu[law] *= part
    for k in range(contacts.slips[c]):
        along = contacts.sliding.heading[contacts.slip[c] + k]
        if never_sticks(contacts, c):
            along = direction(contacts, c, k) / part if part > 0.0 else 0.0
        problem.heading[i + k] = along


@compiled
def _put_bound(contacts, c, at, i, rests):
    """The bound of a friction whose first unknown is i, from row `at` on; how many rows it has."""
    normals = contacts.normals
    problem = contacts.problem
    if contacts.gap[c] >= 0:
        problem.B[at, i - 1] = 1.0
        return 1
    if is_given(contacts, c):
        problem.b[at] = given(contacts, c, rests)
        return 1
    for d in range(normals.components[c]):
        problem.b[at + d] = normals.b[COMPONENTS * c + d]
        for j in range(contacts.delassus.used_count[0]):
            problem.B[at + d, j] = normals.B[COMPONENTS * c + d, j]
    return normals.components[c]


@compiled
def bound_now(contacts, law, mu):
    """The bound that the solution gives a friction law, with this coefficient."""
    problem, square = contacts.problem, 0.0
    for row in range(problem.bound_at[law], problem.bound_at[law + 1]):
        part = problem.b[row]
        for j in range(contacts.delassus.used_count[0]):
            part += problem.B[row, j] * problem.f[j]
        square += part * part
    return mu * np.sqrt(square)


@compiled
def pose_gaps(contacts):
    """The problem of the least displacement with which no gap that is used is negative."""
    delassus = contacts.delassus
    problem, n = contacts.problem, delassus.used_count[0]
    problem.heading[:] = problem.f[:] = 0.0
    problem.counts[0] = n
    for i in range(n):
        problem.first[i], problem.bound_at[i], problem.mu[i] = i, 0, 0.0
        problem.w0[i] = contacts.motion.phi[delassus.used[i]]
        for j in range(n):
            problem.W[i, j] = delassus.W[i, j]
    problem.first[n], problem.bound_at[n] = n, 0


@compiled_apart
def is_solved(contacts: Contacts):
    """Solve it, group by group; whether there is a solution."""
    groups = _put_into_groups(contacts)
    for group in range(groups):
        if groups > 1:
            _take(contacts, group)
        if solve_complementarity(contacts.partition.part if groups > 1 else contacts.problem) > SEVERAL:
            return False
        if groups > 1:
            _give_back(contacts, group)
    return True


@compiled_apart
def correct_amounts(mechanism: Mechanism, x: Vector, offset: Vector, loads: Vector, rates: Vector):
    """Put the f of the problem that was solved last into `amount`, and W f into `change`. Its w0 = offset + G x, with
    the x that these loads and rates make; the second parts of the offset are in `offset_tail`. Where the masses, or the
    forces, in a group of contacts are far apart correct f for rates offset + G (x + what f makes) of twice the digits,
    for w0 has lost what a light body leaves of a heavy one, or a small force of a large one; f has two parts then. Laws
    whose force pulls, or whose gap closes, by the corrected numbers are open or closed instead, and forces are
    corrected anew. Return whether forces settle and satisfy their laws, by the pace of heavy bodies, in `group_pace`.
    Overwrites machine.x and the multipliers, by the solution with these forces if they were `corrected`; otherwise they
    are as before."""
    contacts, p, n = mechanism.contacts, mechanism.contacts.problem, mechanism.contacts.delassus.used_count[0]
    delassus = contacts.delassus
    copy(p.f[:n], delassus.amount)
    delassus.amount_tail[:] = 0.0
    put_changes(contacts)
    far_apart, contacts.corrections.corrected[0] = put_masses(contacts) < FIRM, 0
    spread = _are_spread(contacts, x, offset, SPREAD / max(mechanism.nearness[2], SPREAD))
    if not spread and not far_apart:
        return True
    contacts.choice.ambiguities[0] += 1 if far_apart else 0
    if not put_into_units(p) or p.scaled.scale[0] == 0.0:
        return p.scaled.scale[0] == 0.0
    respond_to_forces(mechanism, REFINED)
    for i in range(n):
        if p.W[i, i] == 0.0:
            leave_out(contacts, i)
        put_free_force(contacts, i, x, offset)
    if spread and _find_amounts(mechanism, x, offset, loads, rates):
        return True
    contacts.corrections.is_spread[:] = 0  # digits of small forces are roundoff: nothing hangs on them
    if far_apart and _find_amounts(mechanism, x, offset, loads, rates):
        return True
    if far_apart:
        keep_uncertain(contacts)
        return False
    copy(p.f[:n], delassus.amount)
    delassus.amount_tail[:] = 0.0
    put_changes(contacts)
    return True


@compiled
def _find_amounts(mechanism, x, offset, loads, rates):
    """Correct the f of the problem; return whether forces settle and satisfy their laws. If so they are its f and w."""
    contacts, p, n, unsettled = (
        mechanism.contacts,
        mechanism.contacts.problem,
        mechanism.contacts.delassus.used_count[0],
        np.inf,
    )
    delassus = contacts.delassus
    is_tree = mechanism.machine.pattern.tree.edges > 0  # its solution is not refined
    put_into_units(p)
    p.scaled.relaxation[0], p.scaled.relaxation[1], turned = 0.0, 1.0, True
    choose_modes(p, 0.0)
    for i in range(n):
        delassus.amount[i] = 0.0 if p.modes.mode[i] == OPEN else p.f[i]
    delassus.amount_tail[:] = 0.0
    for _ in range(OFTEN):
        unsettled = _settle_amounts(mechanism, x, offset, loads, rates)
        turned = _turn_modes(contacts, INEXACT if is_tree else INEXACT * INEXACT)
        if not turned:
            break
    certain = unsettled <= UNCERTAIN and not turned and _have_friction_of_modes(contacts)
    if not (certain and _are_held(contacts) and _are_open(contacts)):
        return False
    for i in range(n):
        delassus.rate_change[i], p.f[i], p.w[i] = (
            contacts.equations.right[i] - p.w0[i],
            delassus.amount[i],
            contacts.equations.right[i],
        )
    contacts.corrections.corrected[0] = 1
    return True


@compiled
def _are_spread(contacts, x, offset, least):
    """Return whether some forces are less than this part of the largest among those that they feel; put these. Of a gap
    that hardly opens the sign is as uncertain as a small force."""
    delassus, corrections = contacts.delassus, contacts.corrections
    p = contacts.problem
    for law in range(p.counts[0]):
        begin, end, square = p.first[law], p.first[law + 1], 0.0
        for i in range(begin, end):
            square += p.f[i] ** 2
        size, slips = np.sqrt(square), False
        if not is_unilateral(p, law):
            slips = size >= (1.0 - AT_BOUND) * bound_now(contacts, law, p.mu[law])
        elif size == 0.0 and delassus.squared_length[delassus.used[begin]] > 0.0:
            size = abs(p.w[begin]) * corrections.heaviest[begin] / delassus.squared_length[delassus.used[begin]]
        for i in range(begin, end):
            corrections.force_size[i], corrections.is_unknown[i] = size, 0 if slips else 1
            put_free_force(contacts, i, x, offset)
    return put_spread(contacts, least)


@compiled
def _are_held(contacts):
    """Return whether forces hold the rows that are closed. Where elimination does not determine all forces, a row may
    lack no more than a part of what heavy bodies do: of a light one alone roundoff is more than that."""
    p, held = contacts.problem, True
    for i in range(contacts.delassus.used_count[0]):
        if p.modes.mode[i] == CLOSED and is_far_apart(contacts, i):
            pace = pace_along(contacts, contacts.delassus.used[i])
            most = MISSED * (pace + contacts.equations.balancing_size[i]) if p.tally[3] == 0 else LACKS * pace
            held = held and abs(contacts.equations.right[i]) <= most
    return held


@compiled
def _are_open(contacts):
    """Return whether the rates of open gaps have a certain sign, or errors that are nothing beside what heavy bodies
    do."""
    p, certain = contacts.problem, True
    for law in range(p.counts[0]):
        for i in range(p.first[law], p.first[law + 1] if is_unilateral(p, law) else p.first[law]):
            if p.modes.mode[i] == OPEN and is_far_apart(contacts, i):
                error = INEXACT * contacts.equations.balancing_size[i]
                known = abs(contacts.equations.right[i]) > error or error <= MISSED * pace_along(
                    contacts, contacts.delassus.used[i]
                )
                certain = certain and known
    return certain


@compiled
def _settle_amounts(mechanism, x, offset, loads, rates):
    """Correct the amounts by Newton's method for the equations of the present modes, as long as each correction is less
    than half as large as the one before; return how large the last one is, relative to what it corrects. The tally of
    the problem becomes the number of forces between far masses that elimination does not determine."""
    contacts, p, n, unsettled = (
        mechanism.contacts,
        mechanism.contacts.problem,
        mechanism.contacts.delassus.used_count[0],
        np.inf,
    )
    scaled, modes = p.scaled, p.modes
    delassus = contacts.delassus
    for i in range(n):
        scaled.x[i] = delassus.amount[i] / (scaled.unit[i] * scaled.scale[0])
    respond(p)
    _put_rates(mechanism, x, offset, loads, rates)
    for _ in range(OFTEN):
        many, change = write_equations(p), 0.0
        for k in range(many):
            i = modes.free[k]
            if modes.mode[i] == CLOSED:
                modes.residual[k] = -contacts.equations.right[i] * scaled.unit[i] / scaled.scale[0]
            elif contacts.gap[contacts.points.of_row[delassus.used[i]]] >= 0:
                modes.residual[k] = _slip_residual(contacts, i) / (scaled.unit[i] * scaled.scale[0])
        rank = least_solution(modes.matrix, modes.residual, modes.step, modes.order, many)
        p.tally[3] = 0
        for k in range(rank, many):
            p.tally[3] += 1 if is_far_apart(contacts, modes.free[modes.order[k]]) else 0
        for k in range(many):
            i = modes.free[k]
            size = _size_of(contacts, i)
            if not is_corrected(contacts, i):
                modes.step[k] = 0.0
            if modes.step[k] != 0.0:
                change = max(change, abs(modes.step[k]) / size) if size > 0.0 else np.inf
        if not change < 0.5 * unsettled:
            return max(change, unsettled)
        for k in range(many):
            i = modes.free[k]
            step = delassus.amount_tail[i] + modes.step[k] * scaled.unit[i] * scaled.scale[0]
            delassus.amount[i], delassus.amount_tail[i] = two_sum(delassus.amount[i], step)
            scaled.x[i] = delassus.amount[i] / (scaled.unit[i] * scaled.scale[0])
        _put_rates(mechanism, x, offset, loads, rates)
        unsettled = change
        if change <= CORRECTED:
            break
    return unsettled


@compiled
def _size_of(contacts, i):
    """Return the size by which corrections of the force along the row used as number i are judged, in units."""
    p, size = contacts.problem, abs(contacts.problem.scaled.q[i])
    scaled = p.scaled
    if is_spread(contacts, i):
        return max(_length(contacts, i), least_force(contacts, i)) / (scaled.unit[i] * scaled.scale[0])
    for j in range(contacts.delassus.used_count[0]):
        size += abs(scaled.A[i, j] * scaled.x[j])
    return max(abs(scaled.x[i]), FAINT * size)


@compiled
def _length(contacts, i):
    """Return the size of the force along the row used as number i, or of the friction that it is a component of."""
    p, law, square = contacts.problem, 0, 0.0
    while p.first[law + 1] <= i:
        law += 1
    for k in range(p.first[law], p.first[law + 1]):
        square += contacts.delassus.amount[k] ** 2
    return np.sqrt(square)


@compiled
def _slip_residual(contacts, i):
    """Return what the friction of a contact that slides lacks of μ N along its direction, for amounts of two parts."""
    delassus = contacts.delassus
    p, law = contacts.problem, 0
    while p.first[law + 1] <= i:
        law += 1
    normal, share = p.first[law] - 1, p.mu[law] * p.modes.direction[i]
    product, left = two_product(share, delassus.amount[normal])
    residual, rest = two_sum(product, -delassus.amount[i])
    return residual + (rest + left + share * delassus.amount_tail[normal] - delassus.amount_tail[i])


@compiled
def _turn_modes(contacts, precise):
    """Close gaps that are open and whose rate is negative, and open those that are closed and whose force pulls, by
    more than the errors of corrected numbers, rates of `precise` times their terms; return whether there are any."""
    delassus, equations = contacts.delassus, contacts.equations
    p, turned = contacts.problem, False
    modes = p.modes
    for law in range(p.counts[0]):
        for i in range(p.first[law], p.first[law + 1] if is_unilateral(p, law) else p.first[law]):
            pulls = delassus.amount[i] < -UNCERTAIN * opposing_force(contacts, i, delassus.amount)
            least = UNCERTAIN * min(equations.balancing_size[i], pace_along(contacts, delassus.used[i]))
            least = max(least, INEXACT * equations.balancing_size[i])
            if not is_far_apart(contacts, i):
                pulls, least = delassus.amount[i] < -least_force(contacts, i), precise * equations.balancing_size[i]
            closes = equations.right[i] < -least
            if not is_corrected(contacts, i) or not (pulls if modes.mode[i] == CLOSED else closes):
                continue
            modes.mode[i], turned = OPEN if modes.mode[i] == CLOSED else CLOSED, True
            delassus.amount[i] = delassus.amount_tail[i] = 0.0
    return turned


@compiled
def _have_friction_of_modes(contacts):
    """Return whether corrected frictions are no larger than their bounds where they stick, act against the slip where
    they set out to slip, and are left out only where nothing presses: a gap that was closed by corrected numbers has a
    friction that was chosen while it was open."""
    p, agree = contacts.problem, True
    scaled, modes = p.scaled, p.modes
    for law in range(p.counts[0]):
        begin, held, power, size = p.first[law], 0.0, 0.0, 0.0
        if is_unilateral(p, law) or not is_corrected(contacts, begin):
            continue
        for i in range(begin, p.first[law + 1]):
            held, power = held + scaled.x[i] ** 2, power + contacts.delassus.amount[i] * contacts.equations.right[i]
            size += abs(contacts.delassus.amount[i]) * contacts.equations.balancing_size[i]
        least = least_force(contacts, begin) / (scaled.unit[begin] * scaled.scale[0])
        if modes.mode[begin] == CLOSED:
            agree = agree and np.sqrt(held) <= (1.0 + UNCERTAIN) * radius(p, law) + least
        elif modes.mode[begin] == OPEN:
            agree = agree and radius(p, law) <= (UNCERTAIN if is_far_apart(contacts, begin) else least)
        elif modes.mode[begin] == SLIDES and speed(p, law) == 0.0:
            agree = agree and power <= MISSED * size
    return agree


@compiled
def _put_rates(mechanism, x, offset, loads, rates):
    """Put the rates of the rows in use, for the amounts of two parts, into `right`, and the size of their terms into
    `balancing`; and the solution for loads, rates of joints and these amounts into machine.x and the multipliers."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus, equations = contacts.delassus, contacts.equations
    machine.x[:] = 0.0
    copy(x, machine.x[: x.size])
    copy(delassus.g, machine.multipliers)
    add_responses(mechanism, delassus.amount, delassus.amount_tail)
    refine_solution(mechanism, loads, rates, delassus.amount, delassus.amount_tail)
    for i in range(delassus.used_count[0]):
        row, start = delassus.used[i], offset[i]
        equations.right[i], equations.balancing_size[i] = start, abs(start)
        if contacts.constrained.state[row] == FREE:
            put_residual(
                mechanism,
                row,
                -start,
                -contacts.corrections.offset_tail[i],
                equations.right,
                equations.residual_tail,
                i,
            )
            equations.right[i] = -equations.right[i]
            equations.balancing_size[i] += size_along(contacts.rows, row, x) + size_along(contacts.rows, row, machine.x)


@compiled
def put_changes(contacts):
    """Put W f, what the amounts f change of rates, into `change`."""
    delassus = contacts.delassus
    for i in range(delassus.used_count[0]):
        delassus.rate_change[i] = 0.0
        for j in range(delassus.used_count[0]):
            delassus.rate_change[i] += delassus.W[i, j] * delassus.amount[j]


@compiled
def _put_into_groups(contacts):
    """The laws of the problem, group after group in `queue`, group k from `begins`[k]; how many groups there are. Laws
    are of one group if W or a bound has an entry between them, directly or over others."""
    partition = contacts.partition
    p, queue, begins = contacts.problem, partition.queue, partition.begin
    laws, filled, groups = p.counts[0], 0, 0
    for law in range(laws):
        partition.seen[law] = 0
    for start in range(laws):
        if partition.seen[start] == 1:
            continue
        begins[groups], groups = filled, groups + 1
        queue[filled], partition.seen[start], at = start, 1, filled
        filled += 1
        while at < filled:
            law = queue[at]
            at += 1
            for other in range(laws):
                if partition.seen[other] == 0 and (_is_felt(p, law, other) or _is_felt(p, other, law)):
                    queue[filled], partition.seen[other] = other, 1
                    filled += 1
    begins[groups] = filled
    return groups


@compiled
def _is_felt(p, law, other):
    """Whether the unknowns of one law stand in another one."""
    for j in range(p.first[law], p.first[law + 1]):
        for i in range(p.first[other], p.first[other + 1]):
            if p.W[i, j] != 0.0:
                return True
        for row in range(p.bound_at[other], p.bound_at[other + 1]):
            if p.B[row, j] != 0.0:
                return True
    return False


@compiled
def _take(contacts, group):
    """The problem of one group, in `part`; `place` tells where its unknowns stand in the whole."""
    partition = contacts.partition
    whole, part, place = contacts.problem, partition.part, partition.unknown
    begin, end, n, rows = partition.begin[group], partition.begin[group + 1], 0, 0
    for k in range(begin, end):
        law = partition.queue[k]
        part.first[k - begin], part.bound_at[k - begin], part.mu[k - begin] = n, rows, whole.mu[law]
        for i in range(whole.first[law], whole.first[law + 1]):
            place[n], n = i, n + 1
        rows += whole.bound_at[law + 1] - whole.bound_at[law]
    part.first[end - begin], part.bound_at[end - begin], part.counts[0] = n, rows, end - begin
    for i in range(n):
        part.w0[i], part.f[i], part.heading[i] = whole.w0[place[i]], whole.f[place[i]], whole.heading[place[i]]
        for j in range(n):
            part.W[i, j] = whole.W[place[i], place[j]]
    rows = 0
    for k in range(begin, end):
        law = partition.queue[k]
        for row in range(whole.bound_at[law], whole.bound_at[law + 1]):
            part.b[rows] = whole.b[row]
            for j in range(n):
                part.B[rows, j] = whole.B[row, place[j]]
            rows += 1


@compiled
def _give_back(contacts, group):
    partition = contacts.partition
    part = partition.part
    for i in range(part.first[part.counts[0]]):
        contacts.problem.f[partition.unknown[i]], contacts.problem.w[partition.unknown[i]] = part.f[i], part.w[i]
