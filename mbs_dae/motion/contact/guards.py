"""When contacts change: what must stay positive as long as they are as they are. Compiled.

    open        the gap                         closed      the normal force
    slipping    the slip in its direction       sticking    μ f_n - |f_s|, what friction has left
    incipient   by what friction falls short, and how far slip and acceleration are from no longer being parallel
    slipping in a joint     the normal force along the direction that is held (`normals`)

These are more entries among the switching functions of a run (`switching`), found and passed as all others are.
"""

import numpy as np

from ...compiled.contact_records import (
    CLOSED,
    FREE,
    HOLDS,
    INCIPIENT,
    KEPT,
    OPEN,
    PARTS,
    SLIPS,
    SLIPS_ON,
    STICKING,
    STILL,
    STOPS,
)
from ...compiled.contacts import observe_contacts
from ...compiled.signals import assign, take_signals
from ...compiled.tree.transformation import REACH, transform
from ...kernels.abi import compiled
from ...linear.vectors import dot
from ...symbolic.branches import WATCH
from .bounds import COMPONENTS
from .incipient import ENDS, STRAIGHT, is_let_go, longest, stays_incipient, strays
from .normals import (
    NONE,
    components,
    follow_normal,
    guard_of_normal,
    hold_normals,
    holds_side,
    note_normals,
    release_normals,
    turn_normal,
)
from .rubbing import across, never_sticks, speed_of

TOUCH, RUB, PRESS = WATCH + 1, WATCH + 2, WATCH + 3
"""More kinds of switching functions: of a gap, of a slip, and of the normal force in a joint."""
TOUCHES = 1e-9
"""A gap is closed if it is less than this part of how far the model reaches; and it does not part, nor slip, if its
rate is less than this part of what it is made of."""
LEEWAY = 1e-6
"""What joints alone keep is refuted where a gap is below zero by this part of how far the model reaches, or a slip
faster than this part of what rates are made of: more than the errors of a motion make of it."""
UNSEEN = 1e-14
"""A slip that joints begin to move from rest is seen when it passes this part of the model's extent in a second, a
margin above the roundoff of velocities in a dwell: with a law that begins with t³ after 1e-7 s."""
AT_REST = 1e-6
"""Bodies are at rest, but for roundoff, that are slower than this part of what their accelerations would make of them
over their own length."""
SLOW = 1e-4
"""Bodies that are slower than this part of the same may still be about to leave a dead centre. A slip that turns there,
behind a start beside it, has an acceleration that counts as none (`kept.NOTHING`) up to √(L/k) times `AT_REST`, where k
is the second derivative of its way by turns of the crank and L the length of the model."""
TURNS = 1e-6
"""A slip has turned, not stopped, where it is across its heading, but no less than this part of the largest before."""
INCIPIENT_LENGTH, HELD_LENGTH = 0.5, 0.75
"""The lengths of a stored heading that encode an incipient slip, and friction at its bound that holds a point at a dead
centre. A heading of a slip has the length 1, that of a point that sticks 0."""
REST = 1e-13
"""The height of a flight that is none, and the way of a slip that is, relative to how far the model reaches."""
ALWAYS = 1.0
"""The guard of what does not matter."""


@compiled
def first_entry(mechanism, c):
    """That of a point, among all switching functions."""
    contacts = mechanism.contacts
    return mechanism.switches.kinds.size - contacts.points.entries + contacts.points.entry[c]


@compiled
def slip_entry(mechanism, c):
    """The first one of its slip."""
    return first_entry(mechanism, c) + (1 if mechanism.contacts.gap[c] >= 0 else 0)


@compiled
def normal_entry(mechanism, c):
    """The first one of its normal force, if that is one of a joint."""
    return slip_entry(mechanism, c) + mechanism.contacts.slips[c]


@compiled
def is_slip(mechanism, k):
    """Whether entry k is that of a point that slips."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap.size):
        found = found or (contacts.slips[c] > 0 and contacts.state[c] == CLOSED and slip_entry(mechanism, c) == k)
    return found


@compiled
def is_open_gap(mechanism, k):
    """Whether entry k is the gap of a point that is open."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap.size):
        found = found or (contacts.gap[c] >= 0 and contacts.state[c] == OPEN and first_entry(mechanism, c) == k)
    return found


@compiled
def has_gaps_alone(mechanism):
    """Whether open gaps are all that there is to look at: they follow from places and velocities alone."""
    contacts, switches = mechanism.contacts, mechanism.switches
    return (
        contacts.choice.closed_count[0] == 0
        and contacts.points.entries > 0
        and switches.acting + switches.listens[0] == 0
    )


@compiled
def observe_gaps(mechanism, t, q, v):
    """Gaps and their rates, and nothing else."""
    tr = mechanism.machine.transformation
    assign(mechanism.signals.inputs, t, q, v, q)
    if tr.edges > 0:
        transform(tr, REACH, (q, v))
        take_signals(mechanism.signals, q, tr.qc)
        q, v = tr.qc, tr.vc
    observe_contacts(mechanism.contacts, t, q, v)


@compiled
def look_at_contacts(mechanism):
    """The guards of all points at the last evaluation."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for c in range(contacts.gap.size):
        k, row = first_entry(mechanism, c), contacts.gap[c]
        if row >= 0:
            room = LEEWAY * mechanism.machine.extent if contacts.constrained.state[row] != FREE else 0.0
            switches.value[k] = contacts.motion.phi[row] + room if contacts.state[c] == OPEN else contacts.force[row]
            switches.guard[k] = switches.value[k]
        k = slip_entry(mechanism, c)
        for i in range(contacts.slips[c]):
            switches.value[k + i] = switches.guard[k + i] = _guard_of_slip(mechanism, c, i)
        k = normal_entry(mechanism, c)
        for i in range(components(contacts, c)):
            held = i == 0 and holds_side(contacts, c)
            switches.value[k + i] = switches.guard[k + i] = guard_of_normal(contacts, c) if held else ALWAYS


@compiled
def _guard_of_slip(mechanism, c, i):
    contacts = mechanism.contacts
    first, along, state = contacts.slip[c], 0.0, contacts.state[c]
    if state == INCIPIENT and i < 2:
        return is_let_go(contacts, c) if i == 0 else stays_incipient(contacts, c)
    if i == 1 and state == CLOSED and contacts.sliding.holds_direction[c] == STRAIGHT:
        return 1.0 - strays(contacts, c)
    if i > 0 or state == OPEN or never_sticks(contacts, c):
        return ALWAYS
    if rests_by_joints(contacts, c):
        return _friction_scale(contacts, c) * (1.0 - _relative_speed(mechanism, c))
    if state == STICKING:
        return contacts.choice.largest_friction[c] - across(contacts, c, contacts.force)
    for k in range(first, first + contacts.slips[c]):
        along += contacts.motion.rate[k] * contacts.sliding.heading[k]
    return along


@compiled
def keeps_still(contacts, c):
    """Whether joints alone keep a slip of a point still."""
    found = False
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        found = found or contacts.constrained.state[row] == STILL
    return found


@compiled
def rests_by_joints(contacts, c):
    """Return whether joints keep the slip of a point still while it sticks, or while friction holds it at a dead
    centre."""
    return (contacts.state[c] == STICKING or contacts.choice.departure[c] == HOLDS) and keeps_still(contacts, c)


@compiled
def _friction_scale(contacts, c):
    """Return the largest friction of a point, or 1 where it has none."""
    return contacts.choice.largest_friction[c] if contacts.choice.largest_friction[c] > 0.0 else 1.0


@compiled
def joint_rate(mechanism, row):
    """Return the rate c ν_joints - ν that joints give a row which depends on their rows, with the c of `by_joints`. It
    has no errors of v; in the dwell of a driver the rate G v - ν consists of these errors alone."""
    contacts, nu = mechanism.contacts, mechanism.machine.nu
    rate = -contacts.motion.nu[row]
    for k in range(nu.size):
        rate += contacts.constrained.combinations[row, k] * nu[k]
    return rate


@compiled
def largest_acceleration(mechanism, group):
    """Return the largest acceleration of a group in the last solution, with turns over the model's length."""
    x, of, most = mechanism.machine.x, mechanism.contacts.groups.of_column, 0.0
    for column in range(of.size):
        if of[column] == group:
            most = max(most, abs(x[column]) * np.sqrt(mechanism.geometric[column]))
    return most


@compiled
def _relative_speed(mechanism, c):
    """Return how fast a slip is that joints kept still, relative to where it counts as moving: by the rate that joints
    give it, or, where bodies are not at rest, by its own rate."""
    contacts, machine, most = mechanism.contacts, mechanism.machine, 0.0
    groups = contacts.groups
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        if contacts.constrained.state[row] == STILL:
            most = max(most, abs(joint_rate(mechanism, row)) / (UNSEEN * machine.extent))
    fastest, acceleration = groups.rate[groups.of_point[c]], largest_acceleration(mechanism, groups.of_point[c])
    if fastest > AT_REST * np.sqrt(acceleration * machine.extent):
        most = max(most, speed_of(contacts, c) / (LEEWAY * fastest))
    return most


@compiled
def put_contact_rates(mechanism):
    """The rates of gaps; those of all else that guards are made of are not known."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for k in range(switches.kinds.size - contacts.points.entries, switches.kinds.size):
        switches.rate[k] = 0.0
    for c in range(contacts.gap.size):
        if contacts.gap[c] >= 0:
            switches.rate[first_entry(mechanism, c)] = contacts.motion.rate[contacts.gap[c]]


@compiled
def put_contact_scales(mechanism):
    """Of what size guards are made of."""
    contacts, switches, most = mechanism.contacts, mechanism.switches, 0.0
    delassus = contacts.delassus
    for row in range(contacts.force.size):
        most = max(most, abs(contacts.force[row]))
    for c in range(contacts.gap.size):
        state, row = contacts.state[c], contacts.gap[c]
        if row >= 0:
            force = delassus.force_size[row] if delassus.force_size[row] > 0.0 else most
            switches.scale[first_entry(mechanism, c)] = mechanism.machine.extent if state == OPEN else force
        k = slip_entry(mechanism, c)
        for i in range(contacts.slips[c]):
            size, own = contacts.motion.rate_size[contacts.slip[c]], delassus.force_size[contacts.slip[c] + i]
            if state != CLOSED:
                size = max(own if own > 0.0 else most, contacts.choice.largest_friction[c])
            if rests_by_joints(contacts, c):  # the roundoff of its slip, beside the small part of speeds it may have
                size = _friction_scale(contacts, c) / LEEWAY
            switches.scale[k + i] = 1.0 if i == 1 and state in (CLOSED, INCIPIENT) else size
        k = normal_entry(mechanism, c)
        for i in range(components(contacts, c)):
            switches.scale[k + i] = contacts.normals.noise[c] / NONE


@compiled
def put_differences(mechanism, differences):
    """The rates of what is known by differences only: of all but open gaps."""
    contacts, rate = mechanism.contacts, mechanism.switches.rate
    for c in range(contacts.gap.size):
        k, known = first_entry(mechanism, c), 1 if contacts.gap[c] >= 0 and contacts.state[c] == OPEN else 0
        for i in range(known, (1 if contacts.gap[c] >= 0 else 0) + contacts.slips[c] + components(contacts, c)):
            rate[k + i] = differences[k + i]


@compiled
def hold_contacts(mechanism):
    """The states of contacts, from their modes: of a gap OPEN or CLOSED; of slips the direction, nothing where they
    stick; of normal forces in joints the direction that is held, nothing where none is."""
    contacts, modes, closed = mechanism.contacts, mechanism.switches.mode, 0
    sliding = contacts.sliding
    for c in range(contacts.gap.size):
        state, k, size = CLOSED, slip_entry(mechanism, c), 0.0
        if contacts.gap[c] >= 0 and modes[first_entry(mechanism, c)] in (OPEN, KEPT):
            state = OPEN
        for i in range(contacts.slips[c]):
            sliding.heading[contacts.slip[c] + i] = modes[k + i]
            size += modes[k + i] ** 2
        if state == CLOSED and contacts.slips[c] > 0 and not never_sticks(contacts, c) and size < INCIPIENT_LENGTH:
            state = STICKING if size == 0.0 else INCIPIENT
            for i in range(contacts.slips[c]):
                sliding.heading[contacts.slip[c] + i] *= 1.0 / INCIPIENT_LENGTH
        braced = state == CLOSED and not never_sticks(contacts, c) and is_held_heading(size)
        contacts.choice.departure[c] = HOLDS if braced else 0
        for i in range(contacts.slips[c] if braced else 0):
            sliding.heading[contacts.slip[c] + i] *= 1.0 / HELD_LENGTH
        contacts.state[c] = state
        closed += 0 if state == OPEN else 1
        for d in range(components(contacts, c)):
            contacts.normals.fixed_direction[COMPONENTS * c + d] = (
                modes[k + contacts.slips[c] + d] if state == CLOSED else 0.0
            )
    contacts.choice.closed_count[0] = (
        closed if contacts.delassus.G.shape[0] > 0 else 0
    )  # else nothing asks for forces while states hold


@compiled
def is_held_heading(square):
    """Return whether the squared length of a heading encodes friction that holds a point at a dead centre; 0.1 lies
    well inside the gaps between 0.25, 0.5625 and 1."""
    return abs(square - HELD_LENGTH**2) < 0.1


@compiled
def is_held(mechanism, row):
    """Whether joints alone keep a gap closed."""
    contacts = mechanism.contacts
    return contacts.constrained.state[row] == STILL and contacts.motion.phi[row] <= LEEWAY * mechanism.machine.extent


@compiled
def tell_states(mechanism):
    """The modes of contacts, from their states."""
    contacts, modes = mechanism.contacts, mechanism.switches.mode
    for c in range(contacts.gap.size):
        k, state = slip_entry(mechanism, c), contacts.state[c]
        if contacts.gap[c] >= 0:
            held = is_held(mechanism, contacts.gap[c])
            modes[first_entry(mechanism, c)] = CLOSED if state != OPEN else KEPT if held else OPEN
        for i in range(contacts.slips[c]):
            part = 1.0 if state == CLOSED else INCIPIENT_LENGTH if state == INCIPIENT else 0.0
            part = HELD_LENGTH if state == CLOSED and contacts.choice.departure[c] == HOLDS else part
            modes[k + i] = part * contacts.sliding.heading[contacts.slip[c] + i]
        for d in range(components(contacts, c)):
            modes[k + contacts.slips[c] + d] = (
                contacts.normals.fixed_direction[COMPONENTS * c + d] if state == CLOSED else 0.0
            )


@compiled
def meets(mechanism, wanted):
    """Whether a gap closes, among the entries that pass zero."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap.size):
        if contacts.gap[c] >= 0 and contacts.state[c] == OPEN:
            found = found or wanted[first_entry(mechanism, c)] == 1
    return found


@compiled
def note_slips(mechanism, held):
    """Where slips go that may turn, by the last evaluation, and how long the next step may be for that; directions may
    be `held` in it."""
    contacts = mechanism.contacts
    sliding = contacts.sliding
    sliding.longest_step[0] = longest(contacts, mechanism.machine.x, held)
    note_normals(contacts)
    for c in range(contacts.gap.size):
        moves = contacts.state[c] == CLOSED or contacts.state[c] == INCIPIENT
        sliding.end_speed[c] = speed_of(contacts, c) if moves else 0.0
        sliding.vanishing_speed[c] = _unseen(mechanism, c) if moves else 0.0
        for k in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
            sliding.end_slip[k] = contacts.motion.rate[k] if contacts.state[c] == CLOSED else -contacts.force[k]


@compiled
def note_fastest(contacts):
    """Note the largest slip of each point since it set out. This is called where a step has been accepted: a step that
    is rejected may end with a slip that the motion does not have."""
    sliding = contacts.sliding
    for c in range(contacts.gap.size):
        moves = contacts.state[c] == CLOSED or contacts.state[c] == INCIPIENT
        sliding.largest_speed[c] = max(sliding.largest_speed[c], sliding.end_speed[c]) if moves else 0.0


@compiled
def _unseen(mechanism, c):
    """Return the speed in m/s below which the acceleration of a slip ends or turns it on a way that cannot be seen; 0
    in a plane where the acceleration makes the slip faster."""
    contacts, square, along = mechanism.contacts, 0.0, 0.0
    for row in range(contacts.slip[c], contacts.slip[c] + contacts.slips[c]):
        change = dot(contacts.delassus.G[row], mechanism.machine.x) - contacts.motion.gamma[row]
        square, along = square + change**2, along + change * contacts.sliding.heading[row]
    if contacts.slips[c] == 1 and along > 0.0:
        return 0.0
    return np.sqrt(2.0 * REST * mechanism.machine.extent * np.sqrt(square))


@compiled
def nothing_of(contacts, c):
    """A slip that is none: beside how fast bodies move, what it has been itself, and how far it would still go."""
    return max(
        TOUCHES * max(contacts.choice.point_pace[c], contacts.sliding.largest_speed[c]),
        contacts.sliding.vanishing_speed[c],
    )


@compiled
def has_stopped(contacts):
    """Whether a slip has just stopped, but for what cannot be seen of it."""
    found = False
    for c in range(contacts.gap.size):
        rests = contacts.state[c] == STICKING or contacts.state[c] == INCIPIENT
        found = found or (contacts.choice.began[c] == STOPS and rests)
    return found


@compiled
def follow_slips(mechanism, guards):
    """What slips on in space, where nothing has switched, is headed from now on for where it goes: it stops where it is
    at right angles to that, and it may turn by any angle before. Its guard is that of the next step."""
    contacts = mechanism.contacts
    sliding = contacts.sliding
    for c in range(contacts.gap.size):
        state, first, size = contacts.state[c], contacts.slip[c], across(contacts, c, sliding.end_slip)
        if state == CLOSED and components(contacts, c) > 0:
            guards[normal_entry(mechanism, c)] = follow_normal(contacts, c)
        if contacts.slips[c] < 2 or state in (OPEN, STICKING) or never_sticks(contacts, c):
            continue
        ends = size < sliding.largest_speed[c] and size <= nothing_of(contacts, c)
        if state == CLOSED and sliding.straight[c] == 1 and sliding.holds_direction[c] == STRAIGHT and not ends:
            continue  # on as it was
        sliding.holds_direction[c] = ENDS if state == CLOSED and ends else 0
        if size > 0.0 and sliding.holds_direction[c] == 0:
            for k in range(first, first + contacts.slips[c]):
                sliding.heading[k] = sliding.end_slip[k] / size
        if state == CLOSED and sliding.holds_direction[c] == 0:
            guards[slip_entry(mechanism, c)] = size
            sliding.holds_direction[c] = STRAIGHT if sliding.straight[c] == 1 else 0
    tell_states(mechanism)


@compiled
def mark_passed(mechanism, wanted, largest, at_end):
    """What points have just begun to do, by the entries that pass zero: `began`. A slip that is none beside what it has
    been stops with them, as that of a body with several points that slide to a stop; one that has turned by a right
    angle, in space, goes on, and so does an incipient one. A slip that is no slower than it has been has just set out,
    however slow it is, and goes on as well. `largest` has the largest guards in the last step, which ends here if
    `at_end`."""
    contacts = mechanism.contacts
    choice, sliding = contacts.choice, contacts.sliding
    contacts.groups.sticking_trial[:] = 0
    sliding.stopped_heading[:] = 0.0
    for c in range(contacts.gap.size):
        k, first, state = slip_entry(mechanism, c), contacts.slip[c], contacts.state[c]
        if components(contacts, c) > 0 and wanted[normal_entry(mechanism, c)] == 1:
            turn_normal(contacts, c, largest[normal_entry(mechanism, c)])
        choice.began[c] = PARTS if contacts.gap[c] >= 0 and wanted[first_entry(mechanism, c)] == 1 else 0
        if contacts.slips[c] == 0 or never_sticks(contacts, c) or choice.began[c] == PARTS:
            continue
        if choice.departure[c] == HOLDS and wanted[k] == 0:
            continue
        if choice.departure[c] == HOLDS:
            choice.departure[c], contacts.state[c], state = 0, STICKING, STICKING
        speed = speed_of(contacts, c)
        before = max(sliding.largest_speed[c], largest[k] if at_end and state == CLOSED else 0.0)
        stops = speed < (1.0 - LEEWAY) * before and speed <= max(TOUCHES * before, sliding.vanishing_speed[c])
        stops = stops and state == CLOSED
        differs = state == INCIPIENT and wanted[k + 1] == 1
        if wanted[k] == 0 and not stops and not differs:
            goes_on = state == CLOSED and contacts.slips[c] == 1 and choice.departure[c] == 0
            choice.began[c] = SLIPS_ON if goes_on and not keeps_still(contacts, c) else 0
            continue
        least = max(TURNS * largest[k] if state == CLOSED else 0.0, nothing_of(contacts, c))
        if differs or (contacts.slips[c] > 1 and state != STICKING and speed > least):
            contacts.state[c], choice.began[c] = CLOSED, SLIPS if differs else 0
            for i in range(contacts.slips[c] if speed > least else 0):  # else it has that of its friction, as it is
                sliding.heading[first + i] = contacts.motion.rate[first + i] / speed
            continue
        choice.began[c] = SLIPS if state == STICKING else STOPS
        if state != STICKING:
            for i in range(contacts.slips[c]):
                sliding.stopped_heading[first + i] = sliding.heading[first + i]
            continue
        contacts.state[c] = CLOSED if contacts.slips[c] == 1 else INCIPIENT
        held, given = across(contacts, c, contacts.force), 0.0
        for i in range(contacts.slips[c]):
            sliding.end_slip[first + i] = joint_rate(mechanism, first + i) if keeps_still(contacts, c) else 0.0
            given += sliding.end_slip[first + i] ** 2
        for i in range(contacts.slips[c]):  # what joints move, friction does not hold
            if given > (UNSEEN * mechanism.machine.extent) ** 2 / 4.0:
                away = sliding.end_slip[first + i] / np.sqrt(given)
            else:
                away = -contacts.force[first + i] / held if held > 0.0 else contacts.motion.rate[first + i] / speed
            sliding.heading[first + i] = away
    tell_states(mechanism)


@compiled
def release_senses(mechanism):
    """Hold no direction of a normal force while states are chosen."""
    release_normals(mechanism.contacts)
    tell_states(mechanism)


@compiled
def hold_senses(mechanism):
    """Hold the directions of normal forces at the last accelerations for the next step."""
    hold_normals(mechanism.contacts, CLOSED)
    tell_states(mechanism)
