"""Forces of contacts corrected with twice the digits, where masses or forces are far apart. Compiled.

The laws of contact are solved in plain numbers (`problem`): their forces are right to some 1e-13 of the largest one. A
force that is far smaller than its neighbours, or between bodies whose masses differ by many decades, loses its digits.
Residuals of the accelerations (in an impact: of the rates behind it) are added up with twice the digits, and the forces
are corrected by them until they settle and satisfy their laws.
"""

import numpy as np

from ...compiled.contact_records import FREE, STILL, Contacts
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.complementarity import (
    DAMPING,
    FRICTION,
    HELD,
    NO_FORCE,
    SLIDES,
    UNDETERMINED,
    choose_modes,
    heading_length,
    is_unilateral,
    put_into_units,
    put_y,
    radius,
    write_equations,
)
from ...linear.elimination import least_solution
from ...linear.rows import row_dot_size
from ...linear.twofold import two_product, two_sum
from ...linear.vectors import copy
from ...tolerances import (
    CORRECTION_COUNT,
    ELIMINATION_LOSS,
    FORCE_SPREAD,
    LAST_CORRECTION,
    MASS_CONTRAST,
    MISSED_ACCELERATION,
    NORMAL_FLOOR,
    SLIP_BOUND,
    SOLUTION_ERROR,
    SUM_ROUNDOFF,
)
from ..mechanism_record import INDEPENDENCE, Mechanism
from .digits import (
    REFINED,
    is_corrected,
    is_far_apart,
    is_spread,
    keep_uncertain,
    put_masses,
    put_residual,
    put_spread,
    refine_solution,
)
from .problem import add_responses, bound_now, leave_out, respond, take_solution
from .sizes import least_force, opposing_force, pace_along, put_free_force


@compiled_apart
def correct_amounts(mechanism: Mechanism, x: Vector, offset: Vector, loads: Vector, rates: Vector) -> bool:
    """Correct the solution that `take_solution` has taken, where the masses, or the forces, in a group of contacts are
    far apart; elsewhere nothing changes. The w0 of the problem is offset + G x, with the x that these loads and rates
    make; the second parts of the offset are in `offset_tail`. The f is corrected for rates offset + G (x + effect of f)
    with twice the digits, for w0 has lost the acceleration of a light body beside a heavy one, or a small force beside
    a large one; f then has two parts. Laws whose force pulls, or whose gap closes, by the corrected numbers become open
    or closed, and forces are corrected anew. Return whether forces settle and satisfy their laws, by the pace of heavy
    bodies, in `pace` of groups. Overwrites machine.x and the multipliers: with the solution for these forces if they
    were `corrected`; otherwise they stay."""
    contacts, p, n = mechanism.contacts, mechanism.contacts.problem, mechanism.contacts.delassus.used_count[0]
    far_apart, contacts.corrections.corrected[0] = put_masses(contacts) < MASS_CONTRAST, 0
    spread = _are_spread(contacts, x, offset, FORCE_SPREAD / max(mechanism.nearness[INDEPENDENCE], FORCE_SPREAD))
    if not spread and not far_apart:
        return True
    if not put_into_units(p) or p.scaled.scale[0] == 0.0:
        return p.scaled.scale[0] == 0.0
    respond(mechanism, REFINED)
    for i in range(n):
        if p.W[i, i] == 0.0:
            leave_out(contacts, i)
        put_free_force(contacts, i, x, offset)
    if spread and _find_amounts(mechanism, x, offset, loads, rates):
        return True
    contacts.corrections.is_spread[:] = 0  # digits of small forces are roundoff: nothing depends on them
    if far_apart and _find_amounts(mechanism, x, offset, loads, rates):
        return True
    if far_apart:
        keep_uncertain(contacts)
        return False
    take_solution(contacts)
    return True


@compiled
def correct_impulses(mechanism: Mechanism) -> bool:
    """Correct the impulses that `take_solution` has taken for the problem of an impact, as `correct_amounts` corrects
    forces: no x is before them, so the offset is w0 itself. Return whether they settle and satisfy their laws.

    The second part of w0 is the roundoff of the rate w before the impact. `start / rate` is 1 + e where a gap
    approaches, for w0 = w + e w is as many times as large as w: the roundoff of w is scaled with it. A w0 that does not
    come from w (of a slip that follows from other rows, or that joints keep still) has none."""
    contacts = mechanism.contacts
    delassus, corrections = contacts.delassus, contacts.corrections
    copy(contacts.groups.speed, contacts.groups.pace)
    delassus.f[:] = delassus.g[:] = 0.0
    for i in range(delassus.used_count[0]):
        row, start = delassus.used[i], contacts.problem.w0[i]
        rate = contacts.motion.rate[row]
        corrections.offset_tail[i] = corrections.rate_tail[row]
        if rate != 0.0:
            corrections.offset_tail[i] *= start / rate
        elif start != 0.0 or contacts.constrained.state[row] == STILL:
            corrections.offset_tail[i] = 0.0
    return correct_amounts(mechanism, delassus.f, contacts.problem.w0, delassus.f, delassus.g)


@compiled
def _find_amounts(mechanism: Mechanism, x: Vector, offset: Vector, loads: Vector, rates: Vector) -> bool:
    """Correct the f of the problem; return whether forces settle and satisfy their laws. If so, put f and w of the
    problem."""
    contacts, p, n, unsettled = (
        mechanism.contacts,
        mechanism.contacts.problem,
        mechanism.contacts.delassus.used_count[0],
        np.inf,
    )
    delassus = contacts.delassus
    is_tree = mechanism.machine.pattern.tree.edges > 0  # the solution of a tree is not refined
    put_into_units(p)
    p.scaled.relaxation[DAMPING], p.scaled.relaxation[FRICTION], turned = 0.0, 1.0, True
    choose_modes(p, 0.0)
    for i in range(n):
        delassus.amount[i] = 0.0 if p.modes.mode[i] == NO_FORCE else p.f[i]
    delassus.amount_tail[:] = 0.0
    for _ in range(CORRECTION_COUNT):
        unsettled = _settle_amounts(mechanism, x, offset, loads, rates)
        turned = _turn_modes(contacts, SUM_ROUNDOFF if is_tree else SUM_ROUNDOFF * SUM_ROUNDOFF)
        if not turned:
            break
    certain = unsettled <= SOLUTION_ERROR and not turned and _have_friction_of_modes(contacts)
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
def _are_spread(contacts: Contacts, x: Vector, offset: Vector, least: float) -> bool:
    """Return whether some forces are less than this part of the largest in their neighbourhood; mark these. The sign of
    the rate of a gap that hardly opens is as uncertain as a small force."""
    delassus, corrections = contacts.delassus, contacts.corrections
    p = contacts.problem
    for law in range(p.counts[0]):
        begin, end, square = p.first[law], p.first[law + 1], 0.0
        for i in range(begin, end):
            square += p.f[i] ** 2
        size, slips = np.sqrt(square), False
        if not is_unilateral(p, law):
            slips = size >= (1.0 - SLIP_BOUND) * bound_now(contacts, law, p.mu[law])
        elif size == 0.0 and delassus.squared_length[delassus.used[begin]] > 0.0:
            size = abs(p.w[begin]) * corrections.heaviest[begin] / delassus.squared_length[delassus.used[begin]]
        for i in range(begin, end):
            corrections.force_size[i], corrections.is_unknown[i] = size, 0 if slips else 1
            put_free_force(contacts, i, x, offset)
    return put_spread(contacts, least)


@compiled
def _are_held(contacts: Contacts) -> bool:
    """Return whether forces hold the closed rows. Where elimination does not determine all forces, a row may lack at
    most a part of the pace of heavy bodies: roundoff of a light body alone is more."""
    p, held = contacts.problem, True
    for i in range(contacts.delassus.used_count[0]):
        if p.modes.mode[i] == HELD and is_far_apart(contacts, i):
            pace = pace_along(contacts, contacts.delassus.used[i])
            size = pace + contacts.equations.balancing_size[i]
            most = MISSED_ACCELERATION * size if p.tally[UNDETERMINED] == 0 else ELIMINATION_LOSS * pace
            held = held and abs(contacts.equations.right[i]) <= most
    return held


@compiled
def _are_open(contacts: Contacts) -> bool:
    """Return whether the rates of open gaps have a certain sign, or errors that are negligible beside the pace of heavy
    bodies."""
    p, certain = contacts.problem, True
    for law in range(p.counts[0]):
        for i in range(p.first[law], p.first[law + 1] if is_unilateral(p, law) else p.first[law]):
            if p.modes.mode[i] == NO_FORCE and is_far_apart(contacts, i):
                error = SUM_ROUNDOFF * contacts.equations.balancing_size[i]
                known = abs(contacts.equations.right[i]) > error or error <= MISSED_ACCELERATION * pace_along(
                    contacts, contacts.delassus.used[i]
                )
                certain = certain and known
    return certain


@compiled
def _settle_amounts(mechanism: Mechanism, x: Vector, offset: Vector, loads: Vector, rates: Vector) -> float:
    """Correct the amounts by Newton's method for the equations of the present modes, as long as each correction is less
    than half as large as the one before; return the size of the last correction, relative to the forces. Put the number
    of forces between far masses that elimination does not determine into `tally` (`UNDETERMINED`) of the problem."""
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
    put_y(p)
    _put_rates(mechanism, x, offset, loads, rates)
    for _ in range(CORRECTION_COUNT):
        many, change = write_equations(p), 0.0
        for k in range(many):
            i = modes.free[k]
            if modes.mode[i] == HELD:
                modes.residual[k] = -contacts.equations.right[i] * scaled.unit[i] / scaled.scale[0]
            elif contacts.gap_row[contacts.points.of_row[delassus.used[i]]] >= 0:
                modes.residual[k] = _slip_residual(contacts, i) / (scaled.unit[i] * scaled.scale[0])
        rank = least_solution(modes.matrix, modes.residual, modes.step, modes.order, many)
        p.tally[UNDETERMINED] = 0
        for k in range(rank, many):
            p.tally[UNDETERMINED] += 1 if is_far_apart(contacts, modes.free[modes.order[k]]) else 0
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
        if change <= LAST_CORRECTION:
            break
    return unsettled


@compiled
def _size_of(contacts: Contacts, i: int) -> float:
    """Return the size by which corrections of the force along row i in use are judged, in units of the row."""
    p, size = contacts.problem, abs(contacts.problem.scaled.q[i])
    scaled = p.scaled
    if is_spread(contacts, i):
        return max(_length(contacts, i), least_force(contacts, i)) / (scaled.unit[i] * scaled.scale[0])
    for j in range(contacts.delassus.used_count[0]):
        size += abs(scaled.A[i, j] * scaled.x[j])
    return max(abs(scaled.x[i]), NORMAL_FLOOR * size)


@compiled
def _length(contacts: Contacts, i: int) -> float:
    """Return the size of the force along row i in use, or of the friction of which it is a component."""
    p, law, square = contacts.problem, 0, 0.0
    while p.first[law + 1] <= i:
        law += 1
    for k in range(p.first[law], p.first[law + 1]):
        square += contacts.delassus.amount[k] ** 2
    return np.sqrt(square)


@compiled
def _slip_residual(contacts: Contacts, i: int) -> float:
    """Return μ N along the direction of a sliding contact minus its friction, for amounts of two parts."""
    delassus = contacts.delassus
    p, law = contacts.problem, 0
    while p.first[law + 1] <= i:
        law += 1
    normal, share = p.first[law] - 1, p.mu[law] * p.modes.direction[i]
    product, left = two_product(share, delassus.amount[normal])
    residual, rest = two_sum(product, -delassus.amount[i])
    return residual + (rest + left + share * delassus.amount_tail[normal] - delassus.amount_tail[i])


@compiled
def _turn_modes(contacts: Contacts, precise: float) -> bool:
    """Close open gaps whose rate is negative, and open closed ones whose force pulls, by more than the errors of
    corrected numbers (for rates `precise` times their terms); return whether there are any."""
    delassus, equations = contacts.delassus, contacts.equations
    p, turned = contacts.problem, False
    modes = p.modes
    for law in range(p.counts[0]):
        for i in range(p.first[law], p.first[law + 1] if is_unilateral(p, law) else p.first[law]):
            pulls = delassus.amount[i] < -SOLUTION_ERROR * opposing_force(contacts, i, delassus.amount)
            least = SOLUTION_ERROR * min(equations.balancing_size[i], pace_along(contacts, delassus.used[i]))
            least = max(least, SUM_ROUNDOFF * equations.balancing_size[i])
            if not is_far_apart(contacts, i):
                pulls, least = delassus.amount[i] < -least_force(contacts, i), precise * equations.balancing_size[i]
            closes = equations.right[i] < -least
            if not is_corrected(contacts, i) or not (pulls if modes.mode[i] == HELD else closes):
                continue
            modes.mode[i], turned = NO_FORCE if modes.mode[i] == HELD else HELD, True
            delassus.amount[i] = delassus.amount_tail[i] = 0.0
    return turned


@compiled
def _have_friction_of_modes(contacts: Contacts) -> bool:
    """Return whether corrected frictions are within their bounds where they stick, oppose the slip where they begin to
    slip, and are left out only where the normal force is zero: the friction of a gap closed by corrected numbers was
    chosen while the gap was open."""
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
        if modes.mode[begin] == HELD:
            agree = agree and np.sqrt(held) <= (1.0 + SOLUTION_ERROR) * radius(p, law) + least
        elif modes.mode[begin] == NO_FORCE:
            agree = agree and radius(p, law) <= (SOLUTION_ERROR if is_far_apart(contacts, begin) else least)
        elif modes.mode[begin] == SLIDES and heading_length(p, law) == 0.0:
            agree = agree and power <= MISSED_ACCELERATION * size
    return agree


@compiled
def _put_rates(mechanism: Mechanism, x: Vector, offset: Vector, loads: Vector, rates: Vector) -> None:
    """Put the rates of the rows in use, for the amounts of two parts, into `right`, and the size of their terms into
    `balancing_size`; and the solution for loads, rates of joints and these amounts into machine.x and the
    multipliers."""
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
            equations.balancing_size[i] += row_dot_size(contacts.rows, row, x) + row_dot_size(
                contacts.rows, row, machine.x
            )
