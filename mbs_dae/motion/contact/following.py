"""Slips that what is closed leaves no freedom: they follow from gaps, from joints, and from other slips. Compiled.

A pin whose link lies on a stop does not turn; in a linkage of one freedom all pins turn at one pace. The row of such a
slip depends on rows before it, and on those of joints,

    G = c Φ_v + Σ d_k G_k,      W = Σ d_k W_k,      G v - ν = Σ d_k (G_k v - ν_k) + ρ,      ρ = c ν_Φ + Σ d_k ν_k - ν

for all velocities that joints allow; those of a motion miss it by the errors of its steps. So the rate itself does not
tell whether such a slip moves, nor to which side: roundoff would, and laws that ask one thing of a gap and another of
the slip have no solution. It is taken as the others have it:

    impulses         the rate before them is Σ d_k w_k + ρ
    accelerations    if nothing moves it, neither ρ nor ρ̇ nor a slip that it follows, it is at rest, and accelerates by
                     Σ d_k w_k

Its friction shares the load with what it follows (`forces`). A slip that joints hold alone has none (`kept`).

Dependence is found by elimination on W = L Lᵀ, in the order in which rows are looked at: gaps, then slips.
"""

import numpy as np

from ...compiled.contact_records import OPEN, SLIPS
from ...kernels.abi import compiled
from .delassus import force_to_stop, own_pace
from .guards import LEEWAY, TOUCHES
from .kept import DEPENDS
from .rubbing import never_sticks


@compiled
def let_rates_follow(mechanism):
    """In w0, which has the rates before an impact."""
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
def let_slips_follow(mechanism):
    """In w0, which has accelerations; and points whose slips follow from what is at rest do not slip. What has just
    passed its bound is held by gaps that were closed or by nothing: others may open, other slips set out with it."""
    contacts, many = mechanism.contacts, _take_gaps(mechanism.contacts, 0, True)
    choice = contacts.choice
    for started in (True, False):
        i = 0
        for c in range(contacts.gap.size):
            if choice.touching[c] == 1:
                i += 1 if contacts.gap[c] >= 0 else 0
                moves = choice.slipping[c] > 0 and not never_sticks(contacts, c) and choice.departure[c] == 0
                if moves and started == (choice.began[c] == SLIPS) and _are_still(mechanism, c, i, many):
                    choice.slipping[c] = 0
                i += contacts.slips[c]
        if started:
            many = _take_resting(mechanism, _take_gaps(contacts, many, False))


@compiled
def _take_resting(mechanism, many):
    """Those of points that stick as well; how many there are then."""
    contacts, i = mechanism.contacts, 0
    for c in range(contacts.gap.size):
        if contacts.choice.touching[c] == 0:
            continue
        i += 1 if contacts.gap[c] >= 0 else 0
        for k in range(i, i + contacts.slips[c] if contacts.choice.slipping[c] == 0 else i):
            if not _follows(contacts, k, many):
                many = _take(contacts, k, many)
            elif _is_still(mechanism, k, many):
                contacts.problem.w0[k] = _others(contacts, many)
        i += contacts.slips[c]
    return many


@compiled
def _are_still(mechanism, c, first, many):
    """Whether all slips of a point, used from `first` on, follow from what is at rest; they accelerate so."""
    contacts = mechanism.contacts
    for i in range(first, first + contacts.slips[c]):
        if not (_follows(contacts, i, many) and _is_still(mechanism, i, many)):
            return False
    for i in range(first, first + contacts.slips[c]):
        _follows(contacts, i, many)
        contacts.problem.w0[i] = _others(contacts, many)
    return True


@compiled
def _is_still(mechanism, i, many):
    """Whether nothing moves or accelerates a row that follows from others at rest, but for the errors of a motion."""
    contacts, machine = mechanism.contacts, mechanism.machine
    rate, size = _forced(mechanism, i, many, contacts.motion.nu, machine.nu)
    if abs(rate) > TOUCHES * size:
        return False
    bends, size = _forced(mechanism, i, many, contacts.motion.gamma, machine.gamma)
    free = force_to_stop(mechanism, i, own_pace(mechanism)) * contacts.delassus.W[i, i]
    return abs(bends) <= LEEWAY * size + TOUCHES * free


@compiled
def _forced(mechanism, i, many, own, joints):
    """c of what joints ask for, and d of what the others do, less what the row itself does; and the sum of sizes."""
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
def _others(contacts, many):
    """What w0 of a row is by those that it follows."""
    total = 0.0
    for k in range(many):
        total += contacts.equations.right[k] * contacts.problem.w0[contacts.equations.order[k]]
    return total


@compiled
def _point_of_gap(contacts, i):
    """Whose gap a row is, -1 if it is a slip."""
    found = -1
    for c in range(contacts.gap.size):
        found = c if contacts.gap[c] == contacts.delassus.used[i] else found
    return found


@compiled
def _take_gaps(contacts, many, were_closed):
    """The gaps that are used, or those of them that were closed, into L, in `matrix`; how many independent rows there
    are then. They are listed in `order`."""
    for i in range(contacts.delassus.used_count[0]):
        c = _point_of_gap(contacts, i)
        asked = c >= 0 and not (were_closed and contacts.choice.previous[c] == OPEN)
        if asked and not _follows(contacts, i, many):
            many = _take(contacts, i, many)
    return many


@compiled
def _take(contacts, i, many):
    """One row more that others may follow, an independent one; how many there are then."""
    equations = contacts.equations
    left = _reduce(contacts, i, many)
    for k in range(many):
        equations.matrix[many, k] = equations.right[k]
    equations.matrix[many, many], equations.order[many] = np.sqrt(left), i
    return many + 1


@compiled
def _reduce(contacts, i, many):
    """What is left of W of row i beside those in L, whose new row is put in `right`."""
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
def _follows(contacts, i, many):
    """Whether a row depends on those in L; if so its d is put in `right`."""
    L, right = contacts.equations.matrix, contacts.equations.right
    if _reduce(contacts, i, many) > DEPENDS * contacts.delassus.W[i, i]:
        return False
    for k in range(many - 1, -1, -1):
        for j in range(k + 1, many):
            right[k] -= L[j, k] * right[j]
        right[k] /= L[k, k]
    return True
