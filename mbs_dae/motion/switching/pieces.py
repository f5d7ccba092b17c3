"""Gaps written in pieces: the piece that holds while a point presses, and the change at its end. Compiled.

A side of a box and its round corner, a profile of a line and an arc: the gap of such a body has branches like a law.
The branches that determine a point which is not open are held in a step, and passed where they end, so that

    the tangent goes on      forces are solved anew, and jump with the curvature: the point may part there
    the tangent jumps        velocities that the old piece allowed break the new one, ġ ≠ 0: it is an impact (`strike`)
                             where they approach, and where they part the point opens

An open gap is evaluated as it is at each place: its branches are free, and nothing depends on them.
"""

import numpy as np

from ...compiled.contact_records import OPEN, STICKING
from ...kernels.abi import compiled
from ...kernels.blocks import Vector
from ...linear.vectors import largest
from ...symbolic.branches import WHOLE
from ...tolerances import BRANCH_END, CONTACT_TOLERANCE
from ..contact.gaps import observe_gaps
from ..course import moment
from ..mechanism_record import Mechanism
from .search import LEAVES, STANDS, Search
from .switches import hold_all, laws_of, look, natural


@compiled
def branches_of_gaps(mechanism: Mechanism) -> tuple[int, int]:
    """Return the number of the first branch of gaps, and the number after the last one; branches of slips are among
    them."""
    return laws_of(mechanism.switches), mechanism.switches.kinds.size - mechanism.contacts.points.entries


@compiled
def branches_of_points(mechanism: Mechanism) -> tuple[int, int]:
    """Return the range of branches of gaps and of sizes of friction, which precede those of gaps."""
    first, end = branches_of_gaps(mechanism)
    return first - mechanism.contacts.normals.readings.switch_at.size, end


@compiled
def free_what_is_open(search: Search) -> None:
    """Hold the branches of the points that are not open, and those being decided, and free all others. Where a piece
    ends and its point parts, the branch is held until the motion has left that place. Where the size of a friction has
    kept the motion on a surface, and its point opens, the laws with the same mixture are chosen anew."""
    mechanism = search.stages.mechanism
    switches, contacts = mechanism.switches, mechanism.contacts
    points = contacts.points
    first, end = branches_of_points(mechanism)
    for k in range(first, end):
        switches.free[k] = 1 if search.guards.surface[k] == 0 else 0
    for e in range(points.branch.size):
        if contacts.state[points.decided_point[e]] != OPEN:
            switches.free[first + points.branch[e]] = 0
    for k in range(first, laws_of(switches)):
        if switches.free[k] == 1 and switches.slides[k] == 1:
            for j in range(laws_of(switches)):
                if switches.slides[j] == 1 and switches.leads[j] == switches.leads[k]:
                    switches.slides[j], search.guards.surface[j] = 0, STANDS if switches.free[j] == 0 else 0
                    switches.sliding[0] -= 1


@compiled
def hold_pieces(search: Search) -> None:
    """Free and hold branches as `free_what_is_open` does; put those that become held as they are at the last
    evaluation."""
    switches, found = search.stages.mechanism.switches, False
    first, end = branches_of_points(search.stages.mechanism)
    free_what_is_open(search)
    for k in range(first, end):
        if np.isnan(switches.mode[k]) == (switches.free[k] == 1):
            continue
        if not found:
            look(search.stages.mechanism)
            found = True
        if switches.free[k] == 1:
            switches.mode[k], switches.rate[k] = np.nan, 0.0
        else:
            put_natural(search, k)
    if found:
        hold_all(search.stages.mechanism)


@compiled
def put_natural(search: Search, k: int) -> None:
    """Put the branch that the value of the switching function implies; where the value is zero, rates decide."""
    switches = search.stages.mechanism.switches
    switches.mode[k] = natural(switches, k)
    if switches.mode[k] == 0.0 and switches.kinds[k] != WHOLE:
        search.guards.surface[k] = STANDS
        switches.mode[k] = 1.0


@compiled
def turn_over(search: Search, y: Vector) -> bool:
    """Change to the pieces of gaps that begin here, as far as they follow without velocities; return whether there are
    any, which takes gaps written in pieces. A condition that jumps because another one has switched, like that of a
    piece where a period begins, follows it."""
    guards = search.guards
    mechanism = search.stages.mechanism
    switches, state, found = mechanism.switches, mechanism.state, False
    first, end = branches_of_gaps(mechanism)
    for k in range(first, end):
        if _ends_unseen(search, k):
            guards.passes_zero[k], guards.after[k] = 1, -switches.mode[k]
        if guards.passes_zero[k] == 1:
            switches.mode[k], found = guards.after[k], True
            guards.surface[k] = LEAVES if switches.kinds[k] == WHOLE else STANDS
    jumps, rounds = found, 0
    while jumps and rounds < end - first:
        hold_all(mechanism)
        t = moment(search.stages.course, search.instant[0])
        observe_gaps(mechanism, t, y[: state.q_end], y[state.v_at : state.v_end])
        look(mechanism)
        jumps, rounds = False, rounds + 1
        for k in range(first, end):
            near = abs(guards.begin[k]) <= BRANCH_END * guards.size[k]
            if guards.passes_zero[k] == 0 and not near and switches.slides[k] == 0 and switches.guard[k] < 0.0:
                switches.mode[k], jumps = natural(switches, k), True
    if found:
        hold_all(mechanism)
    return found


@compiled
def _ends_unseen(search: Search, k: int) -> bool:
    """Return whether a branch ends here as well, within roundoff: it expresses the same condition as another one in
    other terms. (The first row of samples is the last one before the end.)"""
    guards = search.guards
    switches = search.stages.mechanism.switches
    near = abs(guards.begin[k]) <= BRANCH_END * guards.size[k]
    unseen = near and switches.free[k] == 0 and guards.passes_zero[k] == 0 and switches.kinds[k] != WHOLE
    return unseen and switches.mode[k] * search.samples.rates[0, k] < 0.0


@compiled
def breaks_rates(search: Search, y: Vector) -> bool:
    """Return whether velocities break the rates of closed gaps, or of slips that stick, on the pieces that hold."""
    mechanism, fastest = search.stages.mechanism, 0.0
    contacts, state = mechanism.contacts, mechanism.state
    motion = contacts.motion
    t = moment(search.stages.course, search.instant[0])
    observe_gaps(mechanism, t, y[: state.q_end], y[state.v_at : state.v_end])
    for c in range(contacts.gap_row.size):
        if contacts.state[c] != OPEN and contacts.gap_row[c] >= 0:
            fastest = max(fastest, abs(motion.rate[contacts.gap_row[c]]))
        for k in range(contacts.slip_count[c] if contacts.state[c] == STICKING else 0):
            fastest = max(fastest, abs(motion.rate[contacts.slip_row[c] + k]))
    return fastest > CONTACT_TOLERANCE * max(largest(motion.rate_size), contacts.choice.pace[0])
