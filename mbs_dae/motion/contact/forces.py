"""The forces of contacts and of friction that slips or sticks. Compiled.

While the states of contacts hold, forces follow from equations, and are as smooth as all else in a step:

    closed      g̈ = 0
    sticking    ṡ = 0
    incipient   f_s = -μ N ṡ/|ṡ|  (see `incipient`)
    slipping    f_s = -μ N s/|s|,      N the normal force, or |b + B f|, the pressure in a joint, or given
                                       (s/√(s² + v²), v given, where nothing sticks; μ may depend on |s|)

The equations are linear except for |b + B f|, whose sign is held over a step (`normals`). There Newton's method takes N
as an unknown; in a plane guide, where b + B f is a number, its first step is the last. Where friction grows faster than
what presses, several N may solve the equations, or none; Newton's method then starts from other directions of the N,
until it settles, and `compare_solutions` searches for others. Where contacts depend on each
other (a table on four legs) the least forces are taken; frictions are weighed by the force that each could hold: on a
body about to be shoved they all have one proportion to these, and let go together.

Masses may differ by many decades. Elimination compares pivots in units that masses and joints give each row
(`delassus.row_size`). Where the masses in one group of contacts differ by `MASS_CONTRAST` and a pivot is as small, as
it is where a light body is pressed between heavy ones, forces of twice the digits are corrected for residuals of the
accelerations themselves until corrections vanish, like those of joints (`linear.kkt`). So are forces that are far below
others of their group: each is right to a part of its own size. Forces that do not settle, and accelerations that do not
satisfy the conditions of their states with any force, are refused.
"""

import numpy as np

from ...compiled.contact_records import (
    CLOSED,
    FREE,
    HOLDS,
    INCIPIENT,
    OPEN,
    SHARES_CHANGE,
    SHARES_MOVE,
    STICKING,
    Contacts,
)
from ...compiled.contact_rows import put_rows
from ...compiled.machine import take_accelerations
from ...compiled.status import DONE, FORCES_LOST, NOT_CONVERGED, NOT_FINITE, UNSHARED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.elimination import scaled_solution
from ...linear.twofold import two_product, two_sum
from ...linear.vectors import copy, dot
from ...symbolic.loads import DISSIPATED, SUPPLIED
from ...tolerances import (
    CORRECTION_COUNT,
    ELIMINATION_LOSS,
    ELIMINATION_SPREAD,
    FORCE_CHANGE,
    FORCE_DIFFERENCE,
    FRICTION_WEIGHT,
    LAST_CORRECTION,
    MASS_CONTRAST,
    MISSED_ACCELERATION,
    NORMAL_FLOOR,
    SOLUTION_ERROR,
)
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS, component, given, is_given, pressure, put_bounds
from .constrained import depends, factorise_joints
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
from .incipient import beyond, friction_update_weight, put_incipient
from .normals import holds_side, put_normals, sense
from .problem import add_responses, respond, use
from .rubbing import across, direction, kinetic_coefficient, static_coefficient
from .sizes import (
    along_row,
    fastest,
    force_to_stop,
    is_moved,
    least_force,
    opposing_force,
    own_pace,
    pace_along,
    put_paces,
    row_size,
)

ROUNDS = 100
"""The largest number of rounds of Newton's method, where no frictions share a load."""
WEIGHED, SHARED = 2, 20_000
"""The number of rounds in which frictions that stick are weighed by the force that each could hold; and the largest
number of rounds. Rounds end when forces settle: then the frictions of one motion reach their bounds at one instant,
when none of them could hold more. Most loads need fewer than 40 rounds; where two frictions bear most of a load that a
third one has to take over, a round changes weights by little, and thousands may be needed."""
DOUBLED = 64
"""The first number of rounds after which the change of forces is compared with that at half the number of rounds, each
time the number has doubled. A change of at most `FORCE_CHANGE` times the number of rounds that has not halved since is
taken for roundoff."""
START_LIMIT, ROUND_LIMIT = 1024, 20
"""The largest number of starts of Newton's method where it does not settle from the first, all sides of ten guides; and
the largest number of rounds from each of them."""
COMPARISON_STARTS, POWER_STEPS = 64, 30
"""The largest number of starts from which other forces are searched, and of steps of the power method that shows that
there are none."""
APART = 2.0**20
"""The unit of the normal force in a joint that slips: an unknown of a large unit is no part of the least forces."""
WITHIN = 0.9
"""The part of its bound up to which a friction that sticks is loaded freely, where others can take the rest: its weight
falls beyond, so that forces change smoothly with loads."""


@compiled_apart
def push(mechanism: Mechanism, a: Vector) -> None:
    """Add the forces of contacts, and their effect on accelerations and multipliers, to the solution without contacts
    at the last evaluation; put the accelerations into a."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus, choice, equations = contacts.delassus, contacts.choice, contacts.equations
    put_rows(contacts)
    contacts.force[:] = 0.0
    n = _use_closed(contacts)
    respond(mechanism, 0)
    least, most = own_pace(mechanism), fastest(mechanism)
    for i in range(delassus.used_count[0]):
        row, size = delassus.used[i], least
        size += along_row(mechanism, row, most)
        free = contacts.corrections.free_force[i] = force_to_stop(mechanism, i, 0.0)
        delassus.force_size[row] = free + size / delassus.W[i, i] if is_moved(contacts, i) else 0.0
    put_bounds(mechanism, False)
    copy(machine.x[: delassus.f.size], delassus.f)  # the solution without forces of contacts
    copy(machine.multipliers, delassus.g)
    unsettled, far_apart = 0.0, put_masses(contacts) < MASS_CONTRAST
    rank, weakest, determined = _settle(mechanism, n, far_apart, -1)
    if choice.status[0] == NOT_CONVERGED and _starts(contacts, START_LIMIT) > 1:
        rank, weakest, determined = _search(mechanism, n, far_apart)
    add_responses(mechanism, delassus.amount, delassus.amount_tail)
    choice.shared[0] = _role_of_shares(contacts, n, rank) if rank < n else 0
    far_apart = far_apart and choice.status[0] == DONE
    _put_unknowns(contacts, n)
    spread = choice.status[0] == DONE and put_spread(contacts, _least_part(contacts, rank))
    if spread:
        copy(equations.solution, equations.uncorrected)
        unsettled = _correct(mechanism, n)
        if not unsettled <= SOLUTION_ERROR:  # digits of small forces are roundoff: nothing depends on them
            spread, unsettled = False, 0.0
            _take_back(mechanism)
    if not spread and far_apart and weakest < MASS_CONTRAST:
        unsettled = _correct(mechanism, n)
    for i in range(delassus.used_count[0]):
        if is_moved(contacts, i):
            delassus.force_size[delassus.used[i]] += opposing_force(contacts, i, delassus.amount)
    if far_apart and not (unsettled <= SOLUTION_ERROR and _are_held(mechanism, n, most, determined)):
        choice.status[0] = FORCES_LOST
    put_normals(mechanism)
    if not take_accelerations(machine, a):
        choice.status[0] = NOT_FINITE
    if choice.status[0] == FORCES_LOST:
        keep_uncertain(contacts)


@compiled
def _settle(mechanism: Mechanism, n: int, far_apart: bool, start: int) -> tuple[int, float, bool]:
    """Solve the equations of the forces by Newton's method, beginning without forces, or with the directions of normal
    forces of a `start` that is 0 or more, and put its status into `choice`. Return the rank of the last equations,
    their least pivot between far masses, and whether all forces between these are determined."""
    contacts, before = mechanism.contacts, np.inf
    delassus, choice, equations = contacts.delassus, contacts.choice, contacts.equations
    rank, weakest, determined = 0, 1.0, True
    delassus.amount[:] = contacts.sliding.friction_deficit[:] = 0.0
    choice.status[0] = NOT_CONVERGED
    choice.weight[:] = 1.0
    equations.solution_tail[:] = 0.0
    if start >= 0:
        _put_start(contacts, start)
    for k in range(SHARED if start < 0 else ROUND_LIMIT):
        linear = _put_equations(contacts, delassus.f, n, start >= 0 and k == 0)
        rank = scaled_solution(
            equations.matrix, equations.right, equations.solution, equations.order, n, equations.units
        )
        weakest, determined = 1.0, True
        for i in range(n if far_apart else 0):
            if is_far_apart(contacts, _row_of(contacts, equations.order[i])):
                weakest = min(weakest, equations.matrix[i, i]) if i < rank else weakest
                determined = determined and i < rank
        change = _take_forces(contacts)
        settled = change <= FORCE_CHANGE and not (start >= 0 and k == 0)
        if k >= DOUBLED and k & (k - 1) == 0:
            settled, before = settled or 0.5 * before < change <= FORCE_CHANGE * k, change
        _put_most(contacts)
        strained = rank < n and (k < WEIGHED or _are_strained(contacts))
        if (settled or linear) and (not strained or (settled and k > WEIGHED)):
            choice.status[0] = DONE
            break
        choice.status[0] = UNSHARED if strained else NOT_CONVERGED
        if k >= ROUNDS and not strained:
            break
        _weigh(contacts, k < WEIGHED)
    return rank, weakest, determined


@compiled
def _presses(contacts: Contacts, c: int) -> bool:
    """Return whether joint c slips, and its friction is bounded by its normal force |b + B f|."""
    return contacts.state[c] == CLOSED and contacts.gap_row[c] < 0 and not is_given(contacts, c)


@compiled
def _directions(contacts: Contacts, c: int) -> int:
    """Return the number of directions of the normal force of joint c with which Newton's method starts: along b and
    against it; where N has more than one component, turned from it by a third of a turn either way, too."""
    return 2 if contacts.normals.components[c] == 1 else 4


@compiled
def _starts(contacts: Contacts, most: int) -> int:
    """Return the number of combinations of directions, up to `most`; 0 where no joint presses, or a run holds the side
    of one."""
    number, presses = 1, False
    for c in range(contacts.gap_row.size):
        if holds_side(contacts, c):
            return 0
        if _presses(contacts, c):
            number, presses = min(number * _directions(contacts, c), most), True
    return number if presses else 0


@compiled
def _put_start(contacts: Contacts, number: int) -> None:
    """Put directions of the normal forces of all joints that press into `direction`: combination `number`. The first
    one is that of the motion without friction."""
    normals, left = contacts.normals, number
    for c in range(contacts.gap_row.size):
        if not _presses(contacts, c):
            continue
        at, way, square = COMPONENTS * c, left % _directions(contacts, c), 0.0
        left //= _directions(contacts, c)
        for d in range(normals.components[c]):
            square += normals.b[at + d] ** 2
        for d in range(normals.components[c]):
            along = normals.b[at + d] / np.sqrt(square) if square > 0.0 else 1.0 if d == 0 else 0.0
            normals.direction[at + d] = -along if way == 1 else along
        if way >= 2:
            x, y, sine = normals.direction[at], normals.direction[at + 1], np.sqrt(0.75) * (2 * way - 5)
            normals.direction[at], normals.direction[at + 1] = -0.5 * x - sine * y, sine * x - 0.5 * y


@compiled
def _search(mechanism: Mechanism, n: int, far_apart: bool) -> tuple[int, float, bool]:
    """Solve the equations from one start after the other until Newton's method for N = |b + B f| settles, where it went
    to and fro from the first. Where every N is a number, this is each combination of its signs. Return what `_settle`
    returns."""
    choice, found = mechanism.contacts.choice, (0, 1.0, True)
    for start in range(1, _starts(mechanism.contacts, START_LIMIT)):
        found = _settle(mechanism, n, far_apart, start)
        if choice.status[0] == DONE:
            return found
    choice.status[0] = NOT_CONVERGED
    return found


@compiled
def _contracts(contacts: Contacts, n: int) -> bool:
    """Return whether N = |b + B f| has one solution, since its right side contracts: where all unknowns are normal
    forces, N_i changes by at most Σ C_ij |δN_j|, and C x < x for a positive x."""
    normals, equations, C = contacts.normals, contacts.equations, contacts.equations.matrix
    x, y, points = equations.solution, equations.right, contacts.gap_row.size
    C[:] = 0.0
    for i in range(n):
        if not -points <= equations.unknown[i] < 0:
            return False
    number, column = 0, 0
    for c in range(points):
        if contacts.state[c] == OPEN:
            continue
        for i in range(n if contacts.state[c] != STICKING else 0):
            of, square = -1 - equations.unknown[i], 0.0
            for d in range(0 if is_given(contacts, of) else normals.components[of]):
                effect = 0.0
                for k in range(contacts.slip_count[c]):
                    share = kinetic_coefficient(contacts, c) * direction(contacts, c, k)
                    effect += share * normals.B[COMPONENTS * of + d, number + k]
                square += effect**2
            C[i, column] = np.sqrt(square)
        column += 1 if contacts.state[c] != STICKING else 0
        number += contacts.slip_count[c]
    x[:n] = 1.0
    for _ in range(POWER_STEPS):
        most, largest = 0.0, 0.0
        for i in range(n):
            y[i] = dot(C[i, :n], x[:n])
            most, largest = max(most, y[i] / x[i]), max(largest, y[i])
        if most < 1.0:
            return True
        for i in range(n):
            x[i] = (x[i] + y[i] / largest) / 2.0
    return False


@compiled_apart
def compare_solutions(mechanism: Mechanism, amounts: Vector, multipliers: Vector, differs: Vector) -> None:
    """Search for other forces of friction than those of the last evaluation that satisfy the equations with the same
    states. Put 1 into `differs` for each multiplier, and behind these for each force of contacts and friction, that has
    another value then; `amounts` and `multipliers` are room for those of the evaluation."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus, differs[:] = contacts.delassus, 0.0
    contacts.normals.fixed_direction[:] = 0.0
    starts = _starts(contacts, COMPARISON_STARTS)
    if contacts.choice.status[0] != DONE or starts == 0:
        return
    n, m, largest = _use_closed(contacts), delassus.used_count[0], 0.0
    copy(delassus.amount[:m], amounts)
    copy(machine.multipliers, multipliers)
    for i in range(m):
        largest = max(largest, abs(amounts[i]))
    if _contracts(contacts, n):
        return
    for start in range(starts):
        _settle(mechanism, n, False, start)
        most, change = largest, 0.0
        for i in range(m):
            most, change = max(most, abs(delassus.amount[i])), max(change, abs(delassus.amount[i] - amounts[i]))
        if contacts.choice.status[0] != DONE or not change > FORCE_DIFFERENCE * most:
            continue
        copy(delassus.f, machine.x)
        copy(delassus.g, machine.multipliers)
        add_responses(mechanism, delassus.amount, delassus.amount_tail)
        for row in range(multipliers.size):
            size = max(abs(multipliers[row]), abs(machine.multipliers[row]))
            if abs(multipliers[row] - machine.multipliers[row]) > FORCE_DIFFERENCE * size:
                differs[row] = 1.0
        for i in range(m):
            if abs(delassus.amount[i] - amounts[i]) > FORCE_DIFFERENCE * max(abs(amounts[i]), abs(delassus.amount[i])):
                differs[multipliers.size + delassus.used[i]] = 1.0
        return


@compiled
def _role_of_shares(contacts: Contacts, n: int, rank: int) -> int:
    """Return what depends on how contacts share forces. Changes of contacts do if one shared force is a normal force,
    of a gap or in a joint that slips, or a friction whose coefficients of sticking and of slipping differ; the motion
    does if other shares accelerate bodies. If a slip begins in space, the motion is taken to
    depend on the shares."""
    found = False
    for i in range(n):
        unknown = contacts.equations.unknown[i]
        c = contacts.points.of_row[contacts.delassus.used[unknown]] if unknown >= 0 else -1 - unknown
        if c >= contacts.gap_row.size:
            return SHARES_MOVE
        is_given_size = contacts.gap_row[c] < 0 and (unknown >= 0 or is_given(contacts, c))
        found = found or not is_given_size or kinetic_coefficient(contacts, c) != static_coefficient(contacts, c)
    for k in range(rank, n if found else rank):
        if _accelerates(contacts, rank, k):
            return SHARES_MOVE
    return SHARES_CHANGE if found else 0


@compiled
def _accelerates(contacts: Contacts, rank: int, k: int) -> bool:
    """Return whether other shares of the forces accelerate bodies: those by unknown k of the last solution, which
    elimination has left free beyond the rank. They leave all held rows as they are, and f · W f is zero where they do
    not accelerate anything."""
    delassus, equations = contacts.delassus, contacts.equations
    share, f, column, number, energy, size = equations.correction, equations.residual_tail, 0, 0, 0.0, 0.0
    share[:] = 0.0
    share[equations.order[k]] = 1.0
    for i in range(rank):
        share[equations.order[i]] = -equations.matrix[i, k]
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        gaps, normal = 1 if contacts.gap_row[c] >= 0 else 0, 0.0
        if gaps == 1 or contacts.state[c] != STICKING:
            normal, column = _unit(contacts, c) * share[column], column + 1
        if gaps == 1:
            f[number], number = normal, number + 1
        for slip in range(contacts.slip_count[c]):
            if contacts.state[c] == CLOSED:
                f[number] = -kinetic_coefficient(contacts, c) * direction(contacts, c, slip) * normal
            else:
                f[number], column = contacts.choice.weight[c] * share[column], column + 1
            number += 1
    for i in range(delassus.used_count[0]):
        energy += f[i] * dot(delassus.W[i, : delassus.used_count[0]], f[: delassus.used_count[0]])
        size += abs(f[i]) * np.sqrt(delassus.W[i, i])
    return energy > (ELIMINATION_LOSS * size) ** 2


@compiled
def _least_part(contacts: Contacts, rank: int) -> float:
    """Return the least force, relative to the largest, that elimination determines to 1e-9 of its size, from the least
    of the first `rank` pivots (see `ELIMINATION_SPREAD`)."""
    least = 1.0
    for k in range(rank):
        least = min(least, contacts.equations.matrix[k, k])
    return ELIMINATION_SPREAD / max(least, MASS_CONTRAST)


@compiled
def _put_unknowns(contacts: Contacts, n: int) -> None:
    """Put into `is_unknown` which rows in use have a force that is an unknown, and into `force_size` the sizes of all
    forces."""
    delassus, corrections = contacts.delassus, contacts.corrections
    corrections.is_unknown[:] = 0
    for i in range(delassus.used_count[0]):
        corrections.force_size[i], point = abs(delassus.amount[i]), contacts.points.of_row[delassus.used[i]]
        if (
            contacts.slip_count[point] > 1 and delassus.used[i] != contacts.gap_row[point]
        ):  # friction in space is a vector
            corrections.force_size[i] = across(contacts, point, contacts.force)
    for k in range(n):
        if contacts.equations.unknown[k] >= 0:
            corrections.is_unknown[contacts.equations.unknown[k]] = 1


@compiled
def _correct(mechanism: Mechanism, n: int) -> float:
    """Correct the forces, and the solution with them, by the residuals of all equations, as long as each correction is
    less than half as large as the one before; return the size of the last correction, relative to the forces."""
    contacts, machine, unsettled = mechanism.contacts, mechanism.machine, np.inf
    delassus, equations = contacts.delassus, contacts.equations
    counts = friction_update_weight(contacts)
    _leave_to_joints(mechanism)
    respond(mechanism, REFINED)
    copy(delassus.f, machine.x)
    copy(delassus.g, machine.multipliers)
    put_bounds(mechanism, False)
    _put_solution(mechanism)
    for _ in range(CORRECTION_COUNT):
        _put_equations(contacts, delassus.f, n, False)
        _put_residuals(mechanism, n)
        scaled_solution(equations.matrix, equations.right, equations.correction, equations.order, n, equations.units)
        change = 0.0
        for i in range(n):
            row, number = _row_of(contacts, i), equations.unknown[i]
            if not is_corrected(contacts, row) or (number >= 0 and contacts.corrections.is_unknown[number] == 0):
                equations.correction[i] = 0.0
            size = _size_of(contacts, i, row)
            if equations.unknown[i] >= -contacts.gap_row.size and equations.correction[i] != 0.0:
                change = max(change, counts * abs(equations.correction[i]) / size) if size > 0.0 else np.inf
        if not change < 0.5 * unsettled:
            return max(change, unsettled)
        for i in range(n):
            equations.solution[i], equations.solution_tail[i] = two_sum(
                equations.solution[i], equations.solution_tail[i] + equations.correction[i]
            )
        _take_forces(contacts)
        _put_most(contacts)
        copy(delassus.f, machine.x)
        copy(delassus.g, machine.multipliers)
        _put_solution(mechanism)
        unsettled = change
        if change <= LAST_CORRECTION:
            break
    return unsettled


@compiled
def _size_of(contacts: Contacts, i: int, row: int) -> float:
    """Return the size by which corrections of unknown i, along the row used as this number, are judged."""
    equations = contacts.equations
    number, size = equations.unknown[i], abs(equations.solution[i])
    if number < 0 or not is_spread(contacts, row):
        return max(size, NORMAL_FLOOR * equations.balancing_size[i])
    point = contacts.points.of_row[contacts.delassus.used[row]]
    if contacts.delassus.used[row] != contacts.gap_row[point]:  # friction in space is a vector
        size = max(size, across(contacts, point, contacts.force) / contacts.choice.weight[point])
    return max(size, least_force(contacts, row))


@compiled
def _take_back(mechanism: Mechanism) -> None:
    """Restore the forces before corrections, and the solution with them; mark no neighbourhood as spread."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus, equations = contacts.delassus, contacts.equations
    contacts.corrections.is_spread[:] = 0
    equations.solution_tail[:] = 0.0
    copy(equations.uncorrected, equations.solution)
    _take_forces(contacts)
    _put_most(contacts)
    copy(delassus.f, machine.x)
    copy(delassus.g, machine.multipliers)
    add_responses(mechanism, delassus.amount, delassus.amount_tail)


@compiled
def _leave_to_joints(mechanism: Mechanism) -> None:
    """Put 0 into `is_unknown` for rows in use that depend on those of joints: at a dead centre no force moves them."""
    contacts, ready = mechanism.contacts, False
    delassus, corrections = contacts.delassus, contacts.corrections
    for i in range(delassus.used_count[0]):
        if (
            corrections.is_unknown[i] == 1
            and contacts.constrained.state[delassus.used[i]] == FREE
            and not is_moved(contacts, i)
        ):
            if not ready:
                factorise_joints(mechanism)
                copy(delassus.f, corrections.acceleration_step)
                copy(delassus.g, corrections.multiplier_step)
                ready = True
            corrections.is_unknown[i] = 0 if depends(mechanism, delassus.used[i]) else 1
    if ready:
        copy(corrections.acceleration_step, delassus.f)
        copy(corrections.multiplier_step, delassus.g)


@compiled
def _put_solution(mechanism: Mechanism) -> None:
    """Add the effect of the forces to the solution without contacts, and refine the sum."""
    contacts, machine = mechanism.contacts, mechanism.machine
    delassus = contacts.delassus
    add_responses(mechanism, delassus.amount, delassus.amount_tail)
    refine_solution(mechanism, machine.f, machine.g, delassus.amount, delassus.amount_tail)


@compiled
def _put_residuals(mechanism: Mechanism, n: int) -> None:
    """Put the residuals of the equations into `right`: for held rows from the accelerations themselves, for W has lost
    digits of them; for all other equations from the matrix."""
    contacts = mechanism.contacts
    delassus, equations = contacts.delassus, contacts.equations
    for i in range(n):
        held = equations.unknown[i] >= 0 and contacts.constrained.state[delassus.used[equations.unknown[i]]] == FREE
        left, size = equations.right[i], abs(equations.right[i])
        for j in range(n):
            term = equations.matrix[i, j] * equations.solution[j]
            left, size = left - term, size + abs(term)
        equations.balancing_size[i] = size / abs(equations.matrix[i, i]) if equations.matrix[i, i] != 0.0 else 0.0
        equations.right[i] = left
        if held:
            row = delassus.used[equations.unknown[i]]
            equations.balancing_size[i] = max(equations.balancing_size[i], delassus.force_size[row])
            put_residual(mechanism, row, contacts.motion.gamma[row], 0.0, equations.right, equations.residual_tail, i)
            for j in range(n):
                if equations.unknown[j] < -contacts.gap_row.size:  # the acceleration of an incipient slip
                    equations.right[i] -= equations.matrix[i, j] * equations.solution[j]


@compiled
def _are_held(mechanism: Mechanism, n: int, most: float, determined: bool) -> bool:
    """Return whether the forces hold all rows that are held by their states; without contacts bodies would have
    accelerations of up to `most`, in lengths. Where elimination has not `determined` all forces between far masses, a
    row may lack at most a part of the pace of heavy bodies. A row that joints keep still is not held by forces."""
    contacts, x, ready = mechanism.contacts, mechanism.machine.x, False
    motion, delassus, equations = contacts.motion, contacts.delassus, contacts.equations
    put_paces(mechanism, delassus.f)
    for i in range(n):
        number = equations.unknown[i]
        equations.right[i] = equations.balancing_size[i] = 0.0
        if number < 0 or contacts.constrained.state[delassus.used[number]] != FREE or _sets_out(contacts, number):
            continue
        if not is_far_apart(contacts, number):
            continue
        row = delassus.used[number]
        size = abs(motion.gamma[row])
        for column in range(delassus.f.size):
            size += abs(delassus.G[row, column]) * (abs(x[column]) + abs(delassus.f[column]))
        equations.balancing_size[i] = MISSED_ACCELERATION * size + SOLUTION_ERROR * along_row(mechanism, row, most)
        if not determined:
            equations.balancing_size[i] = MISSED_ACCELERATION * (abs(motion.gamma[row]) + pace_along(contacts, row))
        put_residual(mechanism, row, motion.gamma[row], 0.0, equations.right, equations.residual_tail, i)
    for i in range(n):  # `depends` overwrites the solution without contacts
        if not abs(equations.right[i]) <= equations.balancing_size[i]:
            if not ready:
                factorise_joints(mechanism)
                ready = True
            if not depends(mechanism, delassus.used[equations.unknown[i]]):
                return False
    return True


@compiled
def _row_of(contacts: Contacts, k: int) -> int:
    """Return the number, among the rows in use, of a row along which unknown k acts."""
    number, point, points = contacts.equations.unknown[k], contacts.equations.unknown[k], contacts.gap_row.size
    if number < 0:
        point = -1 - number if number >= -points else -1 - number - points
        for i in range(contacts.delassus.used_count[0]):
            if contacts.points.of_row[contacts.delassus.used[i]] == point:
                number = i
    return number


@compiled
def _sets_out(contacts: Contacts, number: int) -> bool:
    """Return whether a row in use is a slip that begins in space, and so accelerates."""
    row, found = contacts.delassus.used[number], False
    for c in range(contacts.gap_row.size):
        own = contacts.slip_row[c] <= row < contacts.slip_row[c] + contacts.slip_count[c]
        found = found or (own and contacts.state[c] == INCIPIENT)
    return found


@compiled
def _use_closed(contacts: Contacts) -> int:
    """Take all rows of points that are not open into use. Put into `unknown` the number of the row for each force along
    a row that is held, -1 - c for the N of a point c without a gap, and -1 - points - c for the d of an incipient slip;
    return the number of unknowns."""
    equations = contacts.equations
    n, points = 0, contacts.gap_row.size
    contacts.delassus.used_count[0] = 0
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        if contacts.gap_row[c] >= 0:
            equations.unknown[n] = use(contacts, contacts.gap_row[c])
            n += 1
        elif contacts.state[c] != STICKING:
            equations.unknown[n] = -1 - c
            n += 1
        for k in range(contacts.slip_count[c]):
            number = use(contacts, contacts.slip_row[c] + k)
            if contacts.state[c] != CLOSED:
                equations.unknown[n] = number
                n += 1
        if contacts.state[c] == INCIPIENT:
            equations.unknown[n] = -1 - points - c
            n += 1
    return n


@compiled
def _put_equations(contacts: Contacts, x: Vector, n: int, starts: bool) -> bool:
    """Put the equations matrix · unknowns = right: for forces, the accelerations along their rows; for each N, its
    definition, linearised about the present forces, or about the directions of a start if `starts`. Their units, and
    those of unknowns, are put into `units`. Return whether all equations are linear."""
    equations = contacts.equations
    linear, column, number, points = True, 0, 0, contacts.gap_row.size
    units = equations.units
    equations.matrix[:] = 0.0
    for i in range(n):
        if equations.unknown[i] >= 0:
            row = contacts.delassus.used[equations.unknown[i]]
            if contacts.constrained.state[row] != FREE:  # nothing moves it: its force is the least one
                equations.matrix[i, i], equations.right[i] = 1.0, 0.0
            else:
                equations.right[i] = contacts.motion.gamma[row] - dot(contacts.delassus.G[row], x)
        elif equations.unknown[i] >= -points:
            linear = _put_pressure(contacts, -1 - equations.unknown[i], i, starts) and linear
        else:
            equations.right[i], linear = 0.0, False
    for c in range(contacts.gap_row.size):  # column by column: the effect of each unknown along all rows
        if contacts.state[c] == OPEN:
            continue
        slips, state, gaps = contacts.slip_count[c], contacts.state[c], 1 if contacts.gap_row[c] >= 0 else 0
        if state == INCIPIENT:
            put_incipient(contacts, c, number + gaps, column)
        if gaps == 1 or state != STICKING:
            size, unit = row_size(contacts, number), _unit(contacts, c)
            units[0, column], units[1, column] = (1.0 / size if gaps == 1 else size), 1.0 / (unit * size)
            if gaps == 1:
                _add_effect(contacts, number, 1.0, column, n)
            for k in range(slips if state == CLOSED else 0):
                share = unit * kinetic_coefficient(contacts, c) * direction(contacts, c, k)
                _add_effect(contacts, number + gaps + k, -share, column, n)
            column += 1
        for k in range(slips if state != CLOSED else 0):
            size = row_size(contacts, number + gaps + k)
            units[0, column], units[1, column] = 1.0 / size, 1.0 / (contacts.choice.weight[c] * size)
            _add_effect(contacts, number + gaps + k, contacts.choice.weight[c], column, n)
            column += 1
        if state == INCIPIENT:
            units[0, column] = units[1, column] = 1.0 / row_size(contacts, number + gaps)
            column += 1
        number += gaps + slips
    return linear


@compiled
def _put_pressure(contacts: Contacts, c: int, i: int, starts: bool) -> bool:
    """Put the equation N = σ |b + B f| of point c into row i, without the terms in f, which `_add_effect` adds; with
    the direction that stands in `direction` if `starts`. Return whether the equation is linear."""
    normals, delassus, equations = contacts.normals, contacts.delassus, contacts.equations
    equations.matrix[i, i] = _unit(contacts, c)
    if is_given(contacts, c):
        equations.right[i] = given(contacts, c, contacts.choice.departure[c] == HOLDS)
        return True
    size, sign = pressure(contacts, c, delassus.amount), sense(contacts, c, delassus.amount)
    equations.right[i] = 0.0
    for d in range(normals.components[c]):
        at = COMPONENTS * c + d
        share = sign * component(contacts, c, d, delassus.amount) / size if size > 0.0 else normals.fixed_direction[at]
        share = normals.direction[at] if starts else share
        normals.direction[at] = share
        equations.right[i] += share * normals.b[at]
    return False


@compiled
def _unit(contacts: Contacts, c: int) -> float:
    """Return the unit of the normal force of a point as an unknown."""
    return APART if contacts.gap_row[c] < 0 and contacts.state[c] == CLOSED else 1.0


@compiled
def _add_effect(contacts: Contacts, number: int, amount: float, column: int, n: int) -> None:
    """Add to column `column` of all equations the effect of the force `amount` along row `number` in use."""
    normals, equations = contacts.normals, contacts.equations
    for i in range(n):
        unknown = equations.unknown[i]
        if unknown >= 0:
            equations.matrix[i, column] += amount * contacts.delassus.W[unknown, number]
        elif unknown >= -contacts.gap_row.size and not is_given(contacts, -1 - unknown):
            for d in range(normals.components[-1 - unknown]):
                at = COMPONENTS * (-1 - unknown) + d
                equations.matrix[i, column] -= amount * normals.direction[at] * normals.B[at, number]


@compiled
def _take_forces(contacts: Contacts) -> float:
    """Put the forces along all rows in use into `amount`, from the unknowns in `solution`; return the largest change,
    relative to the largest force."""
    delassus, equations = contacts.delassus, contacts.equations
    column, number, largest, change, counts = 0, 0, 0.0, 0.0, friction_update_weight(contacts)
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        slips, state, gaps, normal, tail = contacts.slip_count[c], contacts.state[c], contacts.gap_row[c] >= 0, 0.0, 0.0
        part = counts if gaps else 1.0
        if gaps or state != STICKING:
            unit = _unit(contacts, c)
            normal, tail = unit * equations.solution[column], unit * equations.solution_tail[column]
            column += 1
        for k in range((1 if gaps else 0) + slips):
            force, left, slip = normal, tail, k - (1 if gaps else 0)
            if slip >= 0 and state != CLOSED:
                force, left = two_product(contacts.choice.weight[c], equations.solution[column])
                left += contacts.choice.weight[c] * equations.solution_tail[column]
                column += 1
            elif slip >= 0:
                share = -kinetic_coefficient(contacts, c) * direction(contacts, c, slip)
                force, left = two_product(share, normal)
                left += share * tail
            change, largest = max(change, part * abs(force - delassus.amount[number])), max(largest, abs(force))
            delassus.amount[number] = contacts.force[delassus.used[number]] = force
            delassus.amount_tail[number] = left
            number += 1
        if state == INCIPIENT:
            change = max(
                change,
                beyond(contacts, c, normal),
                abs(equations.solution[column] - contacts.sliding.friction_deficit[c]),
            )
            contacts.sliding.friction_deficit[c] = equations.solution[column]
            column += 1
    return change / largest if largest > 0.0 else np.inf if change > 0.0 else 0.0


@compiled
def _put_most(contacts: Contacts) -> None:
    """Put the bound of the friction of each point at rest into `largest_friction`."""
    for c in range(contacts.gap_row.size):
        contacts.choice.largest_friction[c] = static_coefficient(contacts, c) * most_pressed(
            contacts, c, contacts.delassus.amount, True
        )


@compiled
def _weigh(contacts: Contacts, anew: bool) -> None:
    """Put the weights of frictions that stick, relative to 1 for normal forces. The forces of one sum with the least Σ
    f²/w² are in proportion to w²: to the bound of each friction, relative to the largest force. So friction does not
    take alone a load that a stop carries as well. A friction near its bound gets a smaller weight."""
    choice = contacts.choice
    largest = 0.0
    for i in range(contacts.delassus.used_count[0]):
        largest = max(largest, abs(contacts.delassus.amount[i]))
    for c in range(contacts.gap_row.size):
        if contacts.state[c] != STICKING or contacts.slip_count[c] == 0:
            continue
        held, most = across(contacts, c, contacts.force), max(choice.largest_friction[c], 0.0)
        if anew and largest > 0.0:
            choice.weight[c] = max(np.sqrt(most / largest), FRICTION_WEIGHT)
        elif held > WITHIN * most:
            choice.weight[c] = max(choice.weight[c] * np.sqrt(WITHIN * most / held), FRICTION_WEIGHT)


@compiled
def _are_strained(contacts: Contacts) -> bool:
    """Return whether a friction that sticks is loaded to `WITHIN` of its bound, or beyond."""
    for c in range(contacts.gap_row.size):
        sticks = contacts.state[c] == STICKING and contacts.slip_count[c] > 0
        if sticks and across(contacts, c, contacts.force) > WITHIN * contacts.choice.largest_friction[c]:
            return True
    return False


@compiled
def most_pressed(contacts: Contacts, c: int, forces: Vector, rests: bool) -> float:
    """Return the N of a point: its normal force, the given bound, or |b + B f|."""
    if contacts.gap_row[c] >= 0:
        return contacts.force[contacts.gap_row[c]]
    return given(contacts, c, rests) if is_given(contacts, c) else pressure(contacts, c, forces)


@compiled_apart
def contact_powers(mechanism: Mechanism, work: Vector) -> None:
    """Add to the rates of works the power that friction dissipates, and the power of obstacles with a prescribed
    motion."""
    contacts = mechanism.contacts
    for i in range(contacts.delassus.used_count[0]):
        row = contacts.delassus.used[i]
        work[SUPPLIED] += contacts.force[row] * contacts.motion.nu[row]
    for c in range(contacts.gap_row.size):
        for k in range(contacts.slip_count[c]):
            row = contacts.slip_row[c] + k
            work[DISSIPATED] -= contacts.force[row] * contacts.motion.rate[row]


@compiled
def contact_works(contacts: Contacts, rates: Vector) -> None:
    """Add to the rates of works, with the velocities of the last evaluation, the power that contacts dissipate and that
    of obstacles with a prescribed motion: with the mean velocities of a step this is the work of its impulses over
    h."""
    steps = contacts.steps
    steps.energy_loss[0] = 0.0
    for row in range(contacts.force.size):
        steps.energy_loss[0] -= contacts.force[row] * contacts.motion.rate[row]
        rates[2] += contacts.force[row] * contacts.motion.nu[row]
    rates[1] += steps.energy_loss[0]
