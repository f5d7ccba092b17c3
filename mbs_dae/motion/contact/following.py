"""Slips that closed contacts leave no freedom: they follow from gaps, from joints, and from other slips. Compiled.

A pin whose link lies on a stop does not turn; in a linkage of one freedom all pins turn at one pace. The row of such a
slip depends on rows before it, and on those of joints,

    G = c Φ_v + Σ d_k G_k,      W = Σ d_k W_k,      G v - ν = Σ d_k (G_k v - ν_k) + ρ,      ρ = c ν_Φ + Σ d_k ν_k - ν

for all velocities that joints allow; those of a motion deviate by the errors of its steps. So the rate itself does not
tell whether such a slip moves, nor in which direction: roundoff would decide, and laws with contradictory rates of a
gap and of the slip have no solution. The rate is taken from the rows that the slip follows:

    impulses         the rate before the impact is Σ d_k w_k + ρ
    accelerations    if nothing moves it, neither ρ nor ρ̇ nor a slip that it follows, it is at rest, and accelerates by
                     Σ d_k w_k

The friction of such a slip shares the load with the rows that it follows (`forces`). A slip that joints hold alone has
no friction (`constrained`).

Dependence is found by elimination on W = L Lᵀ, in the order in which rows are taken: gaps, then slips.
"""

import numpy as np

from ...compiled.contact_records import OPEN, SLIPS, Contacts
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...tolerances import CONTACT_TOLERANCE, JOINT_DEPENDENCE, JOINT_LEEWAY
from ..mechanism_record import Mechanism
from .rubbing import never_sticks
from .sizes import force_to_stop, own_pace


@compiled
def let_rates_follow(mechanism: Mechanism) -> None:
    """Put the rates before an impact of slips that follow from other rows into w0. Nothing changes unless a slip
    depends on gaps, joints or other slips."""
    contacts, problem = mechanism.contacts, mechanism.contacts.problem
    many = _take_gaps(contacts, 0, False)
    for i in range(contacts.delassus.used_count[0]):
        if _point_of_gap(contacts, i) >= 0:
            continue
        if _follows(contacts, i, many):
            forced, _ = _forced(mechanism, i, many, contacts.motion.nu, mechanism.machine.nu)
            problem.w0[i] = _others(contacts, many) + forced
        else:
            many = _take(contacts, i, many)


@compiled
def let_slips_follow(mechanism: Mechanism) -> None:
    """Put the accelerations of rows that follow from rows at rest into w0, and let points whose slips follow from rows
    at rest stick. A slip that has just passed its bound is compared with gaps that were closed only: other gaps may
    open, and other slips begin with it."""
    contacts, many = mechanism.contacts, _take_gaps(mechanism.contacts, 0, True)
    choice = contacts.choice
    for started in (True, False):
        i = 0
        for c in range(contacts.gap_row.size):
            if choice.touching[c] == 1:
                i += 1 if contacts.gap_row[c] >= 0 else 0
                moves = choice.slipping[c] > 0 and not never_sticks(contacts, c) and choice.departure[c] == 0
                if moves and started == (choice.began[c] == SLIPS) and _are_still(mechanism, c, i, many):
                    choice.slipping[c] = 0
                i += contacts.slip_count[c]
        if started:
            many = _take_resting(mechanism, _take_gaps(contacts, many, False))


@compiled
def _take_resting(mechanism: Mechanism, many: int) -> int:
    """Take the slips of points that stick into L, unless they follow from rows in L; return the number of rows in L."""
    contacts, i = mechanism.contacts, 0
    for c in range(contacts.gap_row.size):
        if contacts.choice.touching[c] == 0:
            continue
        i += 1 if contacts.gap_row[c] >= 0 else 0
        for k in range(i, i + contacts.slip_count[c] if contacts.choice.slipping[c] == 0 else i):
            if not _follows(contacts, k, many):
                many = _take(contacts, k, many)
            elif _is_still(mechanism, k, many):
                contacts.problem.w0[k] = _others(contacts, many)
        i += contacts.slip_count[c]
    return many


@compiled
def _are_still(mechanism: Mechanism, c: int, first: int, many: int) -> bool:
    """Return whether all slips of a point, in use from `first` on, follow from rows at rest; if so, put their w0."""
    contacts = mechanism.contacts
    for i in range(first, first + contacts.slip_count[c]):
        if not (_follows(contacts, i, many) and _is_still(mechanism, i, many)):
            return False
    for i in range(first, first + contacts.slip_count[c]):
        _follows(contacts, i, many)
        contacts.problem.w0[i] = _others(contacts, many)
    return True


@compiled
def _is_still(mechanism: Mechanism, i: int, many: int) -> bool:
    """Return whether joints and obstacles neither move nor accelerate row i, which follows from rows at rest, except
    for the errors of a motion."""
    contacts, machine = mechanism.contacts, mechanism.machine
    rate, size = _forced(mechanism, i, many, contacts.motion.nu, machine.nu)
    if abs(rate) > CONTACT_TOLERANCE * size:
        return False
    bends, size = _forced(mechanism, i, many, contacts.motion.gamma, machine.gamma)
    free = force_to_stop(mechanism, i, own_pace(mechanism)) * contacts.delassus.W[i, i]
    return abs(bends) <= JOINT_LEEWAY * size + CONTACT_TOLERANCE * free


@compiled
def _forced(mechanism: Mechanism, i: int, many: int, own: Vector, joints: Vector) -> tuple[float, float]:
    """Return c · (joints) + d · (own of the rows followed) - own of row i, and the sum of the absolute values of its
    terms."""
    contacts = mechanism.contacts
    delassus, equations = contacts.delassus, contacts.equations
    forced = -own[delassus.used[i]]
    size = abs(forced)
    for k in range(many):
        part = equations.right[k] * own[delassus.used[equations.order[k]]]
        forced, size = forced + part, size + abs(part)
    for r in range(joints.size):
        if joints[r] != 0.0:
            taken = delassus.multipliers[i, r]
            for k in range(many):
                taken -= equations.right[k] * delassus.multipliers[equations.order[k], r]
            forced, size = forced + taken * joints[r], size + abs(taken * joints[r])
    return forced, size


@compiled
def _others(contacts: Contacts, many: int) -> float:
    """Return w0 of a row from the w0 of the rows that it follows, by the d in `right`."""
    total = 0.0
    for k in range(many):
        total += contacts.equations.right[k] * contacts.problem.w0[contacts.equations.order[k]]
    return total


@compiled
def _point_of_gap(contacts: Contacts, i: int) -> int:
    """Return the point whose gap row i in use is, or -1 if the row is a slip."""
    found = -1
    for c in range(contacts.gap_row.size):
        found = c if contacts.gap_row[c] == contacts.delassus.used[i] else found
    return found


@compiled
def _take_gaps(contacts: Contacts, many: int, were_closed: bool) -> int:
    """Take the gaps in use, or only those that were closed before, into L (in `matrix`), and list them in `order`;
    return the number of independent rows in L."""
    for i in range(contacts.delassus.used_count[0]):
        c = _point_of_gap(contacts, i)
        asked = c >= 0 and not (were_closed and contacts.choice.previous[c] == OPEN)
        if asked and not _follows(contacts, i, many):
            many = _take(contacts, i, many)
    return many


@compiled
def _take(contacts: Contacts, i: int, many: int) -> int:
    """Take row i, an independent one, into L, for others to follow; return the number of rows in L."""
    equations = contacts.equations
    left = _reduce(contacts, i, many)
    for k in range(many):
        equations.matrix[many, k] = equations.right[k]
    equations.matrix[many, many], equations.order[many] = np.sqrt(left), i
    return many + 1


@compiled
def _reduce(contacts: Contacts, i: int, many: int) -> float:
    """Return the part of W[i, i] that is independent of the rows in L; put the new row of L into `right`."""
    equations = contacts.equations
    L, right, left = equations.matrix, equations.right, contacts.delassus.W[i, i]
    for k in range(many):
        right[k] = contacts.delassus.W[i, equations.order[k]]
        for j in range(k):
            right[k] -= right[j] * L[k, j]
        right[k] /= L[k, k]
        left -= right[k] * right[k]
    return left


@compiled
def _follows(contacts: Contacts, i: int, many: int) -> bool:
    """Return whether row i depends on the rows in L; if so, put its coefficients d into `right`."""
    L, right = contacts.equations.matrix, contacts.equations.right
    if _reduce(contacts, i, many) > JOINT_DEPENDENCE * contacts.delassus.W[i, i]:
        return False
    for k in range(many - 1, -1, -1):
        for j in range(k + 1, many):
            right[k] -= L[j, k] * right[j]
        right[k] /= L[k, k]
    return True
