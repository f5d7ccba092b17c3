"""Rows that joints alone keep as they are: no force along them moves anything. Compiled.

Two wheels on axles of one frame touch, whatever pushes between them; a body in an upright guide does not slip on its
floor. There the row of the gap, or of the slip, depends on those of the joints (and drivers),

    G = c Φ_v,      so that      G M̃⁻¹ Gᵀ = 0,      G v - ν = c ν_joints - ν      whatever v is.

The joints take a force along such a row, by c. Rigid bodies leave its size open; the least is zero, and is taken: a
point whose gap is kept takes no part, a slip that is kept still has no friction. The solution for both would be
roundoff over roundoff.

Dependence of a row on others is tested as for joints (`kkt`): by its squared sine against them, in the norm of
displacements. The test is made on the constraints, where a motion begins and where points come to touch. Off the
constraints, at the stages of a step, such a row is independent by the error of the step, and its force would lock the
joints; so the result holds until the row refutes it: a gap that has come off zero, a slip that moves. Then the test is
made again.

    in a dead point      no force moves the row at this moment; as soon as the motion has left it, one does, and the
                         gap closes like any other
    driven together      the gap falls, and still no force moves it: bodies are pressed, and the run ends

A slip that joints move has its friction as any other.
"""

from ...compiled.contact_records import FREE, PRESSED, SLIPS, STICKING, STILL, Contacts
from ...compiled.contact_rows import put_rows
from ...compiled.tree.transformation import take_term
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.kkt import factorise, solve
from ...linear.vectors import copy
from ...tolerances import CONTACT_TOLERANCE, JOINT_DEPENDENCE, JOINT_LEEWAY, ROW_ACCELERATION, SLIP_ROUNDOFF
from ..derivative import evaluate
from ..mechanism_record import Mechanism
from .gaps import leeway
from .guards import is_held, joint_rate, keeps_still, largest_acceleration
from .problem import leave_out
from .sizes import is_moved, own_pace

RESTS = 2
"""A value of `known`: the point has been tested, and joints give its slips no rate."""


@compiled_apart
def find_constrained(mechanism: Mechanism) -> None:
    """Put G by the last evaluation, whose state satisfies the constraints; then find which rows of the points that
    touch joints alone keep as they are."""
    put_rows(mechanism.contacts)
    _find(mechanism, 0.0)


@compiled_apart
def find_constrained_held(mechanism: Mechanism) -> None:
    """Find which rows joints alone keep as they are (`find_constrained`), where the states of points are known. Slips
    of points that stick are among them where joints give them no rate, including slips whose prescribed acceleration
    is roundoff."""
    find_constrained(mechanism)
    keep_sticking(mechanism.contacts)


@compiled_apart
def find_constrained_ahead(mechanism: Mechanism, t: float, q: Vector, v: Vector, h: float) -> bool:
    """Find the rows that joints keep at the beginning of a step of length h that is not interrupted by events: also of
    points that come to touch in it, and once for each as long as it touches. Return whether joints press no bodies
    together."""
    contacts, asks = mechanism.contacts, False
    if _is_free(mechanism):
        return True
    bend = h * h * own_pace(mechanism)
    for c in range(contacts.gap_row.size):
        asks = asks or (_touches(mechanism, c, h, bend) and _is_to_be_asked(mechanism, c, h))
    if asks:
        evaluate(mechanism, t, q, v)
        put_rows(contacts)
    _find(mechanism, h)
    return not is_pressed(contacts)


@compiled
def is_pressed(contacts: Contacts) -> bool:
    """Return whether joints alone press bodies together."""
    found = False
    for c in range(contacts.gap_row.size):
        found = found or (contacts.gap_row[c] >= 0 and contacts.constrained.state[contacts.gap_row[c]] == PRESSED)
    return found


@compiled
def is_constrained(contacts: Contacts, c: int) -> bool:
    """Return whether joints alone keep the gap of a point closed."""
    return contacts.gap_row[c] >= 0 and contacts.constrained.state[contacts.gap_row[c]] != FREE


@compiled
def _find(mechanism: Mechanism, h: float) -> None:
    contacts, ready = mechanism.contacts, False
    constrained = contacts.constrained
    if _is_free(mechanism):
        return
    bend = h * h * own_pace(mechanism)
    for c in range(contacts.gap_row.size):
        if not _touches(mechanism, c, h, bend):
            constrained.known[c] = 0
            _put(contacts, c, FREE)
            continue
        rests = keeps_still(contacts, c)
        if contacts.choice.began[c] == SLIPS:  # joints do not keep a slip still that has moved
            _put_slips(contacts, c, FREE)
        elif _is_to_be_asked(mechanism, c, h):
            if not ready:
                factorise_joints(mechanism)
                ready = True
            rests = _ask(mechanism, c)
        else:
            for slip in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
                if abs(contacts.motion.rate[slip]) > JOINT_LEEWAY * contacts.groups.rate[contacts.groups.of_point[c]]:
                    constrained.state[slip] = FREE
        constrained.known[c] = RESTS if rests else 1
        if contacts.gap_row[c] >= 0 and is_held(mechanism, contacts.gap_row[c]):
            constrained.reported[c] = 1


@compiled
def _is_free(mechanism: Mechanism) -> bool:
    """Return whether there are no joints that hold bodies."""
    tr = mechanism.machine.transformation
    return mechanism.plain.m == 0 and (tr.edges == 0 or tr.deep == 1)


@compiled
def _is_to_be_asked(mechanism: Mechanism, c: int, h: float) -> bool:
    """Return whether a touching point is to be tested: its kept gap is refuted, or its rows are not known."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap_row[c]
    if is_constrained(contacts, c):
        return _is_refuted(mechanism, row)
    return h == 0.0 or contacts.constrained.known[c] == 0


@compiled
def _is_refuted(mechanism: Mechanism, row: int) -> bool:
    """Return whether a gap is below zero by half of its leeway: steps end where it is all of it."""
    return mechanism.contacts.motion.phi[row] < -0.5 * leeway(mechanism)


@compiled
def _touches(mechanism: Mechanism, c: int, h: float, bend: float) -> bool:
    """Return whether a point touches, or may within a time h in which accelerations change gaps by `bend`."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap_row[c]
    if row < 0:
        return True
    reach = (
        leeway(mechanism) if contacts.constrained.state[row] != FREE else CONTACT_TOLERANCE * mechanism.machine.gap_size
    )
    reach += 2.0 * h * max(-contacts.motion.rate[row], 0.0) + bend
    return contacts.motion.phi[row] <= reach


@compiled
def _put(contacts: Contacts, c: int, what: int) -> None:
    """Put one state for all rows of a point."""
    if contacts.gap_row[c] >= 0:
        contacts.constrained.state[contacts.gap_row[c]] = what
    _put_slips(contacts, c, what)


@compiled
def _put_slips(contacts: Contacts, c: int, what: int) -> None:
    for k in range(contacts.slip_count[c]):
        contacts.constrained.state[contacts.slip_row[c] + k] = what


@compiled
def keep_sticking(contacts: Contacts) -> None:
    """Put STILL for the slips of points that were chosen to stick and have no rate by joints: joints hold them, not
    friction."""
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == STICKING and contacts.constrained.known[c] == RESTS:
            _put_slips(contacts, c, STILL)


@compiled
def _ask(mechanism: Mechanism, c: int) -> bool:
    """Put the states of the rows of a touching point; return whether it has slips and joints give them no rate."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap_row[c]
    _put(contacts, c, FREE)
    if row >= 0 and depends(mechanism, row):
        contacts.constrained.state[row] = PRESSED if _is_refuted(mechanism, row) else STILL
        return False
    rests = contacts.slip_count[c] > 0
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        own = depends(mechanism, row) and _rests(mechanism, row)
        rests = rests and own
        if own and _stays(mechanism, row):
            contacts.constrained.state[row] = STILL
    return rests


@compiled
def _rests(mechanism: Mechanism, row: int) -> bool:
    """Return whether joints give no rate to a row that depends on theirs. (Laws are read a little behind a break.)"""
    contacts, nu = mechanism.contacts, mechanism.machine.nu
    constrained = contacts.constrained
    size = abs(contacts.motion.nu[row])
    for k in range(nu.size):
        constrained.combinations[row, k] = constrained.combination[k]
        size += abs(constrained.combination[k] * nu[k])
    return abs(joint_rate(mechanism, row)) <= max(CONTACT_TOLERANCE * size, SLIP_ROUNDOFF * mechanism.machine.extent)


@compiled
def _stays(mechanism: Mechanism, row: int) -> bool:
    """Return whether joints do not accelerate a row that depends on theirs: at a dead centre that a slider passes they
    do."""
    contacts, gamma = mechanism.contacts, mechanism.machine.gamma
    bends = -contacts.motion.gamma[row]
    size = abs(bends)
    for k in range(gamma.size):
        bends += contacts.constrained.combination[k] * gamma[k]
        size += abs(contacts.constrained.combination[k] * gamma[k])
    most = largest_acceleration(mechanism, contacts.groups.of_row[row])
    return abs(bends) <= JOINT_LEEWAY * size + ROW_ACCELERATION * most + SLIP_ROUNDOFF * mechanism.machine.extent


@compiled
def factorise_joints(mechanism: Mechanism) -> None:
    """Factorise the matrix of joints alone, in the norm of displacements, at the last evaluation."""
    shape, factor = mechanism.shape, mechanism.machine.factor
    copy(factor.jacobian, shape.jacobian)
    copy(factor.kept, shape.kept)
    copy(factor.share, shape.share)
    factorise(mechanism.plain, shape)


@compiled
def depends(mechanism: Mechanism, row: int) -> bool:
    """Return whether a row depends on those of joints: the part of its squared length that they leave is below
    `JOINT_DEPENDENCE`."""
    contacts, shape, rows, left = mechanism.contacts, mechanism.shape, mechanism.contacts.rows, 0.0
    delassus, constrained = contacts.delassus, contacts.constrained
    delassus.f[:] = delassus.g[:] = 0.0
    for e in range(rows.at[row], rows.at[row + 1]):
        delassus.f[rows.column[e]] += rows.value[e]
    solve(mechanism.plain, shape, delassus.f, delassus.g, constrained.displacement, constrained.combination, 2)
    for e in range(rows.at[row], rows.at[row + 1]):
        left += rows.value[e] * constrained.displacement[rows.column[e]]
    return left <= JOINT_DEPENDENCE * _whole(mechanism, row)


@compiled
def clear_roundoff(mechanism: Mechanism) -> None:
    """Put 0 into W, after `respond`, for rows that depend on those of joints: at a dead centre no force or impulse
    moves them, and W is roundoff of either sign, which a friction must not be solved with. Nothing changes if W of each
    row is more than roundoff. Overwrites the right sides f and g of `DelassusEquations`."""
    contacts, ready = mechanism.contacts, False
    delassus = contacts.delassus
    for i in range(delassus.used_count[0]):
        if contacts.constrained.state[delassus.used[i]] == FREE and not is_moved(contacts, i):
            if not ready:
                factorise_joints(mechanism)
                ready = True
            if depends(mechanism, delassus.used[i]):
                leave_out(contacts, i)


@compiled
def _whole(mechanism: Mechanism, row: int) -> float:
    """Return the squared length of a row over the velocities of bodies, without joints."""
    contacts, tr, square = mechanism.contacts, mechanism.machine.transformation, 0.0
    program, terms = contacts.program, contacts.tree.terms
    if tr.edges > 0 and tr.deep == 0:
        for term in range(terms.row.size):
            if terms.row[term] == row:
                take_term(tr, terms, term, contacts.motion.outputs, contacts.equations.solution)
                for i in range(6):
                    square += tr.part[0][i] ** 2 * tr.unit[i]
        return square
    for k in range(program.jac_to.size):
        e = program.jac_to[k]
        if program.jac_row[e] == row:
            square += contacts.motion.outputs[program.jac_from[k]] ** 2 / mechanism.geometric[program.jac_column[e]]
    return square
