"""Rows that joints alone keep as they are: no force along them moves anything. Compiled.

Two wheels on axles of one frame touch, whatever pushes between them; a body in an upright guide does not slip on its
floor. There the row of the gap, or of the slip, depends on those of the joints (and drivers),

    G = c Φ_v,      so that      G M̃⁻¹ Gᵀ = 0,      G v - ν = c ν_joints - ν      whatever v is.

What acts along such a row the joints take, by c. How much it is rigid bodies leave open; the least is nothing, and that
is taken: a point whose gap is kept takes no part, a slip that is kept still has no friction. Solved for, both would be
roundoff over roundoff.

Whether a row depends on others is asked as it is of joints (`kkt`): by its squared sine against them, in the norm of
displacements. It is asked on the constraints, where a motion begins and where points come to touch. Off them, at the
stages of a step, such a row is independent by the error of the step, and its force would lock the joints; so the answer
holds until the row refutes it: a gap that has come off zero, a slip that moves. Then it is asked again.

    in a dead point      no force moves the row at this moment; as soon as the motion has left it, one does, and the
                         gap closes like any other
    driven together      the gap falls, and still no force moves it: bodies are pressed, and the run ends

A slip that joints move has its friction as any other.
"""

from ...compiled.contact_records import FREE, PRESSED, SLIPS, STICKING, STILL
from ...compiled.contacts import put_rows
from ...compiled.tree.transformation import take_term
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.kkt import factorise, solve
from ...linear.vectors import copy
from ..derivative import Mechanism, evaluate
from .delassus import is_moved, leave_out, own_pace
from .guards import LEEWAY, TOUCHES, UNSEEN, is_held, joint_rate, keeps_still, largest_acceleration

NOTHING = 1e-12
"""An acceleration of a row is none that is less than this part of the largest of bodies: that of a driver, say, times a
coefficient that is zero but for roundoff. Bodies that are not at rest accelerate a row by more (`guards.AT_REST`)."""
RESTS = 2
"""A value of `asked`: joints were asked about the point, and give its slips no rate."""
DEPENDS = 1e-12
"""The squared sine of a row that depends on those of joints: of this size the errors of a motion make it."""


@compiled_apart
def find_kept(mechanism: Mechanism):
    """Put rows by the last evaluation, that of a state on the constraints, and ask it of the points that touch."""
    put_rows(mechanism.contacts)
    _find(mechanism, 0.0)


@compiled_apart
def find_kept_ahead(mechanism: Mechanism, t: float, q: Vector, v: Vector, h: float):
    """The same where a step of length h begins that passes over what happens in it, contacts being looked at there: of
    those that come to touch in it, too, and once of each as long as it touches. Whether nothing is pressed."""
    contacts, asks = mechanism.contacts, False
    if _is_free(mechanism):
        return True
    bend = h * h * own_pace(mechanism)
    for c in range(contacts.gap.size):
        asks = asks or (_touches(mechanism, c, h, bend) and _is_to_be_asked(mechanism, c, h))
    if asks:
        evaluate(mechanism, t, q, v)
        put_rows(contacts)
    _find(mechanism, h)
    return not is_pressed(contacts)


@compiled
def is_pressed(contacts):
    """Whether joints alone press bodies together."""
    found = False
    for c in range(contacts.gap.size):
        found = found or (contacts.gap[c] >= 0 and contacts.constrained.state[contacts.gap[c]] == PRESSED)
    return found


@compiled
def is_kept(contacts, c):
    """Whether joints alone keep the gap of a point closed."""
    return contacts.gap[c] >= 0 and contacts.constrained.state[contacts.gap[c]] != FREE


@compiled
def _find(mechanism, h):
    contacts, ready = mechanism.contacts, False
    constrained = contacts.constrained
    if _is_free(mechanism):
        return
    bend = h * h * own_pace(mechanism)
    for c in range(contacts.gap.size):
        if not _touches(mechanism, c, h, bend):
            constrained.known[c] = 0
            _put(contacts, c, FREE)
            continue
        rests = keeps_still(contacts, c)
        if contacts.choice.began[c] == SLIPS:  # it has moved: joints do not keep it still
            _put_slips(contacts, c, FREE)
        elif _is_to_be_asked(mechanism, c, h):
            if not ready:
                factorise_joints(mechanism)
                ready = True
            rests = _ask(mechanism, c)
        else:
            for slip in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
                if abs(contacts.motion.rate[slip]) > LEEWAY * contacts.groups.rate[contacts.groups.of_point[c]]:
                    constrained.state[slip] = FREE
        constrained.known[c] = RESTS if rests else 1
        if contacts.gap[c] >= 0 and is_held(mechanism, contacts.gap[c]):
            constrained.reported[c] = 1


@compiled
def _is_free(mechanism):
    """Whether no joints hold bodies."""
    tr = mechanism.machine.transformation
    return mechanism.plain.m == 0 and (tr.edges == 0 or tr.deep == 1)


@compiled
def _is_to_be_asked(mechanism, c, h):
    """Whether nothing is known of a point that touches."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap[c]
    if is_kept(contacts, c):
        return _is_refuted(mechanism, row)
    return h == 0.0 or contacts.constrained.known[c] == 0


@compiled
def _is_refuted(mechanism, row):
    """Whether a gap is below zero by as much as its leeway: half of it, for steps end where it is all of it."""
    return mechanism.contacts.motion.phi[row] < -0.5 * LEEWAY * mechanism.machine.extent


@compiled
def _touches(mechanism, c, h, bend):
    """Whether a point touches, or may within a time h in which rates change what is passed by `bend`."""
    contacts, row, extent = mechanism.contacts, mechanism.contacts.gap[c], mechanism.machine.extent
    if row < 0:
        return True
    reach = (TOUCHES if contacts.constrained.state[row] == FREE else LEEWAY) * extent
    reach += 2.0 * h * max(-contacts.motion.rate[row], 0.0) + bend
    return contacts.motion.phi[row] <= reach


@compiled
def _put(contacts, c, what):
    """The same of all rows of a point."""
    if contacts.gap[c] >= 0:
        contacts.constrained.state[contacts.gap[c]] = what
    _put_slips(contacts, c, what)


@compiled
def _put_slips(contacts, c, what):
    for k in range(contacts.slips[c]):
        contacts.constrained.state[contacts.slip[c] + k] = what


@compiled
def keep_sticking(contacts):
    """Put STILL for the slips of points that were chosen to stick and have no rate by joints: friction does not hold
    them, joints do."""
    for c in range(contacts.gap.size):
        if contacts.state[c] == STICKING and contacts.constrained.known[c] == RESTS:
            _put_slips(contacts, c, STILL)


@compiled
def _ask(mechanism, c):
    """Put what joints keep of a point that touches; whether they give its slips no rate."""
    contacts, row = mechanism.contacts, mechanism.contacts.gap[c]
    _put(contacts, c, FREE)
    if row >= 0 and depends(mechanism, row):
        contacts.constrained.state[row] = PRESSED if _is_refuted(mechanism, row) else STILL
        return False
    rests = contacts.slips[c] > 0
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        own = depends(mechanism, row) and _rests(mechanism, row)
        rests = rests and own
        if own and _stays(mechanism, row):
            contacts.constrained.state[row] = STILL
    return rests


@compiled
def _rests(mechanism, row):
    """Whether joints give no rate to a row that depends on theirs. (Laws are read a little behind a break.)"""
    contacts, nu = mechanism.contacts, mechanism.machine.nu
    constrained = contacts.constrained
    size = abs(contacts.motion.nu[row])
    for k in range(nu.size):
        constrained.combinations[row, k] = constrained.combination[k]
        size += abs(constrained.combination[k] * nu[k])
    return abs(joint_rate(mechanism, row)) <= max(TOUCHES * size, UNSEEN * mechanism.machine.extent)


@compiled
def _stays(mechanism, row):
    """Whether joints do not accelerate a row that depends on theirs: in a dead point that a slider passes they do."""
    contacts, gamma = mechanism.contacts, mechanism.machine.gamma
    bends = -contacts.motion.gamma[row]
    size = abs(bends)
    for k in range(gamma.size):
        bends += contacts.constrained.combination[k] * gamma[k]
        size += abs(contacts.constrained.combination[k] * gamma[k])
    most = largest_acceleration(mechanism, contacts.groups.of_row[row])
    return abs(bends) <= LEEWAY * size + NOTHING * most + UNSEEN * mechanism.machine.extent


@compiled
def factorise_joints(mechanism):
    """The matrix of joints alone, in the norm of displacements, at the last evaluation."""
    shape, factor = mechanism.shape, mechanism.machine.factor
    copy(factor.jacobian, shape.jacobian)
    copy(factor.kept, shape.kept)
    copy(factor.share, shape.share)
    factorise(mechanism.plain, shape)


@compiled
def depends(mechanism, row):
    """Whether a row depends on those of joints: what these leave of it beside all of it."""
    contacts, shape, rows, left = mechanism.contacts, mechanism.shape, mechanism.contacts.rows, 0.0
    delassus, constrained = contacts.delassus, contacts.constrained
    delassus.f[:] = delassus.g[:] = 0.0
    for e in range(rows.at[row], rows.at[row + 1]):
        delassus.f[rows.column[e]] += rows.value[e]
    solve(mechanism.plain, shape, delassus.f, delassus.g, constrained.displacement, constrained.combination, 2)
    for e in range(rows.at[row], rows.at[row + 1]):
        left += rows.value[e] * constrained.displacement[rows.column[e]]
    return left <= DEPENDS * _whole(mechanism, row)


@compiled
def clear_roundoff(mechanism):
    """Put 0 into W, after `respond`, for rows that depend on those of joints: at a dead centre no force moves them, nor
    an impulse, and W is roundoff, of either sign, by which a friction would be solved for. Overwrites the right sides f
    and g of `DelassusEquations`."""
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
def _whole(mechanism, row):
    """The squared length of a row over the velocities of bodies, before joints take anything of it."""
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
