"""Guards of contacts: functions that are positive as long as the states of points hold. Compiled.

    open        the gap                         closed      the normal force
    slipping    the slip in its direction       sticking    μ f_n - |f_s|, the margin of friction
    incipient   the force by which friction falls short, and the margin of the angle between slip and acceleration
    slipping in a joint     the normal force along the direction that is held (`normals`)

They are further entries among the switching functions of a run (`switching`), located and passed like all others.
"""

import numpy as np

from ...compiled.contact_records import (
    CLOSED,
    HOLDS,
    INCIPIENT,
    KEPT,
    OPEN,
    PARTS,
    SHARES_CHANGE,
    SHARES_MOVE,
    SLIPS,
    SLIPS_ON,
    STICKING,
    STILL,
    STOPS,
    Contacts,
)
from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Vector
from ...linear.vectors import dot
from ...symbolic.branches import RANGE
from ...tolerances import (
    CONTACT_TOLERANCE,
    FLIGHT_HEIGHT,
    JOINT_LEEWAY,
    NORMAL_ROUNDOFF,
    REST_SPEED,
    SLIP_ROUNDOFF,
    TURN_THRESHOLD,
)
from ..mechanism_record import Mechanism
from .bounds import COMPONENTS
from .gaps import first_entry, leeway, put_gap
from .incipient import ENDS, STRAIGHT, is_let_go, longest, stays_incipient, strays
from .normals import (
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

TOUCH, RUB, PRESS = RANGE + 1, RANGE + 2, RANGE + 3
"""Further kinds of switching functions: of a gap, of a slip, and of the normal force in a joint."""
INCIPIENT_LENGTH, HELD_LENGTH = 0.5, 0.75
"""The lengths of a stored heading that encode an incipient slip, and friction at its bound that holds a point at a dead
centre. A heading of a slip has the length 1, that of a point that sticks 0."""
ALWAYS = 1.0
"""The guard of an entry that has no meaning in the present state."""


@compiled
def slip_entry(mechanism: Mechanism, c: int) -> int:
    """Return the number of the first entry of the slip of a point."""
    return first_entry(mechanism, c) + (1 if mechanism.contacts.gap_row[c] >= 0 else 0)


@compiled
def normal_entry(mechanism: Mechanism, c: int) -> int:
    """Return the number of the first entry of the normal force of a point in a joint."""
    return slip_entry(mechanism, c) + mechanism.contacts.slip_count[c]


@compiled
def is_slip(mechanism: Mechanism, k: int) -> bool:
    """Return whether entry k is the first one of the slip of a point that slips."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap_row.size):
        found = found or (contacts.slip_count[c] > 0 and contacts.state[c] == CLOSED and slip_entry(mechanism, c) == k)
    return found


@compiled
def look_at_contacts(mechanism: Mechanism) -> None:
    """Put the guards of all points at the last evaluation."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for c in range(contacts.gap_row.size):
        if contacts.gap_row[c] >= 0:
            put_gap(mechanism, c)
        k = slip_entry(mechanism, c)
        for i in range(contacts.slip_count[c]):
            switches.value[k + i] = switches.guard[k + i] = _guard_of_slip(mechanism, c, i)
        k = normal_entry(mechanism, c)
        for i in range(components(contacts, c)):
            held = i == 0 and holds_side(contacts, c)
            switches.value[k + i] = switches.guard[k + i] = guard_of_normal(contacts, c) if held else ALWAYS


@compiled
def _guard_of_slip(mechanism: Mechanism, c: int, i: int) -> float:
    contacts = mechanism.contacts
    first, along, state = contacts.slip_row[c], 0.0, contacts.state[c]
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
    for k in range(first, first + contacts.slip_count[c]):
        along += contacts.motion.rate[k] * contacts.sliding.heading[k]
    return along


@compiled
def keeps_still(contacts: Contacts, c: int) -> bool:
    """Return whether joints alone keep a slip of a point still."""
    found = False
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        found = found or contacts.constrained.state[row] == STILL
    return found


@compiled
def rests_by_joints(contacts: Contacts, c: int) -> bool:
    """Return whether joints keep the slip of a point still while it sticks, or while friction holds it at a dead
    centre."""
    return (contacts.state[c] == STICKING or contacts.choice.departure[c] == HOLDS) and keeps_still(contacts, c)


@compiled
def _friction_scale(contacts: Contacts, c: int) -> float:
    """Return the largest friction of a point, or 1 where it has none."""
    return contacts.choice.largest_friction[c] if contacts.choice.largest_friction[c] > 0.0 else 1.0


@compiled
def joint_rate(mechanism: Mechanism, row: int) -> float:
    """Return the rate c ν_joints - ν that joints give a row which depends on their rows, with the c of `combinations`.
    Unlike G v - ν, which consists of errors in the dwell of a driver, this rate has no errors of v."""
    contacts, nu = mechanism.contacts, mechanism.machine.nu
    rate = -contacts.motion.nu[row]
    for k in range(nu.size):
        rate += contacts.constrained.combinations[row, k] * nu[k]
    return rate


@compiled
def largest_acceleration(mechanism: Mechanism, group: int) -> float:
    """Return the largest acceleration of a group in the last solution, with turns over the model's length."""
    x, of, most = mechanism.machine.x, mechanism.contacts.groups.of_column, 0.0
    for column in range(of.size):
        if of[column] == group:
            most = max(most, abs(x[column]) * np.sqrt(mechanism.geometric[column]))
    return most


@compiled
def _relative_speed(mechanism: Mechanism, c: int) -> float:
    """Return the speed of a slip that joints kept still, relative to the speed at which it counts as moving: the rate
    that joints give it, or, where bodies are not at rest, its own rate if that is more."""
    contacts, machine, most = mechanism.contacts, mechanism.machine, 0.0
    groups = contacts.groups
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        if contacts.constrained.state[row] == STILL:
            most = max(most, abs(joint_rate(mechanism, row)) / (SLIP_ROUNDOFF * machine.extent))
    fastest, acceleration = groups.rate[groups.of_point[c]], largest_acceleration(mechanism, groups.of_point[c])
    if fastest > REST_SPEED * np.sqrt(acceleration * machine.extent):
        most = max(most, speed_of(contacts, c) / (JOINT_LEEWAY * fastest))
    return most


@compiled
def put_contact_scales(mechanism: Mechanism) -> None:
    """Put the size of the terms of which each guard is made."""
    contacts, switches, most = mechanism.contacts, mechanism.switches, 0.0
    delassus = contacts.delassus
    for row in range(contacts.force.size):
        most = max(most, abs(contacts.force[row]))
    for c in range(contacts.gap_row.size):
        state, row = contacts.state[c], contacts.gap_row[c]
        if row >= 0:
            force = delassus.force_size[row] if delassus.force_size[row] > 0.0 else most
            switches.scale[first_entry(mechanism, c)] = mechanism.machine.extent if state == OPEN else force
        k = slip_entry(mechanism, c)
        for i in range(contacts.slip_count[c]):
            size, own = contacts.motion.rate_size[contacts.slip_row[c]], delassus.force_size[contacts.slip_row[c] + i]
            if state != CLOSED:
                size = max(own if own > 0.0 else most, contacts.choice.largest_friction[c])
            if rests_by_joints(contacts, c):  # the roundoff of the slip, over the small part of speeds that it may have
                size = _friction_scale(contacts, c) / JOINT_LEEWAY
            switches.scale[k + i] = 1.0 if i == 1 and state in (CLOSED, INCIPIENT) else size
        k = normal_entry(mechanism, c)
        for i in range(components(contacts, c)):
            switches.scale[k + i] = contacts.normals.noise[c] / NORMAL_ROUNDOFF


@compiled
def put_differences(mechanism: Mechanism, differences: Vector) -> None:
    """Put the rates of all guards of contacts but open gaps, from finite differences."""
    contacts, rate = mechanism.contacts, mechanism.switches.rate
    for c in range(contacts.gap_row.size):
        k, known = first_entry(mechanism, c), 1 if contacts.gap_row[c] >= 0 and contacts.state[c] == OPEN else 0
        for i in range(
            known, (1 if contacts.gap_row[c] >= 0 else 0) + contacts.slip_count[c] + components(contacts, c)
        ):
            rate[k + i] = differences[k + i]


@compiled
def hold_contacts(mechanism: Mechanism) -> None:
    """Put the states of contacts from their modes: of a gap OPEN or CLOSED; of slips the direction, zero where they
    stick; of normal forces in joints the direction that is held, zero where none is."""
    contacts, modes, closed = mechanism.contacts, mechanism.switches.mode, 0
    sliding = contacts.sliding
    for c in range(contacts.gap_row.size):
        state, k, size = CLOSED, slip_entry(mechanism, c), 0.0
        if contacts.gap_row[c] >= 0 and modes[first_entry(mechanism, c)] in (OPEN, KEPT):
            state = OPEN
        for i in range(contacts.slip_count[c]):
            sliding.heading[contacts.slip_row[c] + i] = modes[k + i]
            size += modes[k + i] ** 2
        if state == CLOSED and contacts.slip_count[c] > 0 and not never_sticks(contacts, c) and size < INCIPIENT_LENGTH:
            state = STICKING if size == 0.0 else INCIPIENT
            for i in range(contacts.slip_count[c]):
                sliding.heading[contacts.slip_row[c] + i] *= 1.0 / INCIPIENT_LENGTH
        braced = state == CLOSED and not never_sticks(contacts, c) and is_held_heading(size)
        contacts.choice.departure[c] = HOLDS if braced else 0
        for i in range(contacts.slip_count[c] if braced else 0):
            sliding.heading[contacts.slip_row[c] + i] *= 1.0 / HELD_LENGTH
        contacts.state[c] = state
        closed += 0 if state == OPEN else 1
        for d in range(components(contacts, c)):
            contacts.normals.fixed_direction[COMPONENTS * c + d] = (
                modes[k + contacts.slip_count[c] + d] if state == CLOSED else 0.0
            )
    contacts.choice.closed_count[0] = (
        closed if contacts.delassus.G.shape[0] > 0 else 0
    )  # else no forces are needed while states hold


@compiled
def is_held_heading(square: float) -> bool:
    """Return whether the squared length of a heading encodes friction that holds a point at a dead centre; 0.1 lies
    well inside the gaps between 0.25, 0.5625 and 1."""
    return abs(square - HELD_LENGTH**2) < 0.1


@compiled
def is_held(mechanism: Mechanism, row: int) -> bool:
    """Return whether joints alone keep a gap closed."""
    contacts = mechanism.contacts
    return contacts.constrained.state[row] == STILL and contacts.motion.phi[row] <= leeway(mechanism)


@compiled
def tell_states(mechanism: Mechanism) -> None:
    """Put the modes of contacts, from their states."""
    contacts, modes = mechanism.contacts, mechanism.switches.mode
    for c in range(contacts.gap_row.size):
        k, state = slip_entry(mechanism, c), contacts.state[c]
        if contacts.gap_row[c] >= 0:
            held = is_held(mechanism, contacts.gap_row[c])
            modes[first_entry(mechanism, c)] = CLOSED if state != OPEN else KEPT if held else OPEN
        for i in range(contacts.slip_count[c]):
            part = 1.0 if state == CLOSED else INCIPIENT_LENGTH if state == INCIPIENT else 0.0
            part = HELD_LENGTH if state == CLOSED and contacts.choice.departure[c] == HOLDS else part
            modes[k + i] = part * contacts.sliding.heading[contacts.slip_row[c] + i]
        for d in range(components(contacts, c)):
            modes[k + contacts.slip_count[c] + d] = (
                contacts.normals.fixed_direction[COMPONENTS * c + d] if state == CLOSED else 0.0
            )


@compiled
def note_slips(mechanism: Mechanism, held: bool) -> None:
    """Note the direction of slips that may turn, by the last evaluation, and the longest next step that resolves it;
    directions may be held in that step if `held`."""
    contacts = mechanism.contacts
    sliding = contacts.sliding
    sliding.longest_step[0] = longest(contacts, mechanism.machine.x, held)
    note_normals(contacts)
    for c in range(contacts.gap_row.size):
        moves = contacts.state[c] == CLOSED or contacts.state[c] == INCIPIENT
        sliding.end_speed[c] = speed_of(contacts, c) if moves else 0.0
        sliding.vanishing_speed[c] = _unseen(mechanism, c) if moves else 0.0
        for k in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            sliding.end_slip[k] = contacts.motion.rate[k] if contacts.state[c] == CLOSED else -contacts.force[k]


@compiled
def note_fastest(contacts: Contacts) -> None:
    """Note the largest slip of each point since it began, and count the steps in which shared forces change the motion.
    This is called where a step has been accepted: a step that is rejected may end with a slip that the motion does not
    have."""
    sliding = contacts.sliding
    shared = contacts.choice.shared[0] if contacts.choice.closed_count[0] > 0 else 0
    contacts.choice.ambiguities[0] += 1 if shared == SHARES_MOVE else 0
    contacts.choice.ambiguities[1] += 1 if shared == SHARES_CHANGE else 0
    for c in range(contacts.gap_row.size):
        moves = contacts.state[c] == CLOSED or contacts.state[c] == INCIPIENT
        sliding.largest_speed[c] = max(sliding.largest_speed[c], sliding.end_speed[c]) if moves else 0.0


@compiled
def _unseen(mechanism: Mechanism, c: int) -> float:
    """Return the speed in m/s below which the acceleration of a slip ends or turns it on a way that cannot be seen; 0
    in a plane where the acceleration makes the slip faster."""
    contacts, square, along = mechanism.contacts, 0.0, 0.0
    for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
        change = dot(contacts.delassus.G[row], mechanism.machine.x) - contacts.motion.gamma[row]
        square, along = square + change**2, along + change * contacts.sliding.heading[row]
    if contacts.slip_count[c] == 1 and along > 0.0:
        return 0.0
    return np.sqrt(2.0 * FLIGHT_HEIGHT * mechanism.machine.extent * np.sqrt(square))


@compiled
def nothing_of(contacts: Contacts, c: int) -> float:
    """Return the speed at which a slip counts as zero: relative to the speed of bodies and to its own largest speed, or
    by the way that it would still go."""
    return max(
        CONTACT_TOLERANCE * max(contacts.choice.point_pace[c], contacts.sliding.largest_speed[c]),
        contacts.sliding.vanishing_speed[c],
    )


@compiled
def has_stopped(contacts: Contacts) -> bool:
    """Return whether a slip has just stopped, and moves no more than can be seen."""
    found = False
    for c in range(contacts.gap_row.size):
        rests = contacts.state[c] == STICKING or contacts.state[c] == INCIPIENT
        found = found or (contacts.choice.began[c] == STOPS and rests)
    return found


@compiled
def follow_slips(mechanism: Mechanism, guards: Vector) -> None:
    """Take the direction in which each slip in space goes at the end of the step as its heading, where nothing has
    switched: a slip stops where it is at right angles to its heading, and so may turn by any angle in time. Put the
    guard of the next step into `guards`."""
    contacts = mechanism.contacts
    sliding = contacts.sliding
    for c in range(contacts.gap_row.size):
        state, first, size = contacts.state[c], contacts.slip_row[c], across(contacts, c, sliding.end_slip)
        if state == CLOSED and components(contacts, c) > 0:
            guards[normal_entry(mechanism, c)] = follow_normal(contacts, c)
        if contacts.slip_count[c] < 2 or state in (OPEN, STICKING) or never_sticks(contacts, c):
            continue
        ends = size < sliding.largest_speed[c] and size <= nothing_of(contacts, c)
        if state == CLOSED and sliding.straight[c] == 1 and sliding.holds_direction[c] == STRAIGHT and not ends:
            continue  # as before
        sliding.holds_direction[c] = ENDS if state == CLOSED and ends else 0
        if size > 0.0 and sliding.holds_direction[c] == 0:
            for k in range(first, first + contacts.slip_count[c]):
                sliding.heading[k] = sliding.end_slip[k] / size
        if state == CLOSED and sliding.holds_direction[c] == 0:
            guards[slip_entry(mechanism, c)] = size
            sliding.holds_direction[c] = STRAIGHT if sliding.straight[c] == 1 else 0
    tell_states(mechanism)


@compiled
def mark_passed(mechanism: Mechanism, wanted: Integers, largest: Vector, at_end: bool) -> None:
    """Put into `began` the change that each point has just begun, by the entries that pass zero. A slip that is almost
    zero relative to its largest stops with them, like those of a body with several points that slides to a stop; a slip
    in space that has turned by a right angle goes on, and so does an incipient one. A slip that is no slower than
    before has just begun, however slow it is, and goes on as well. `largest` has the largest guards in the last step,
    which ends here if `at_end`."""
    contacts = mechanism.contacts
    choice, sliding = contacts.choice, contacts.sliding
    contacts.groups.sticking_trial[:] = 0
    sliding.stopped_heading[:] = 0.0
    for c in range(contacts.gap_row.size):
        k, first, state = slip_entry(mechanism, c), contacts.slip_row[c], contacts.state[c]
        if components(contacts, c) > 0 and wanted[normal_entry(mechanism, c)] == 1:
            turn_normal(contacts, c, largest[normal_entry(mechanism, c)])
        choice.began[c] = PARTS if contacts.gap_row[c] >= 0 and wanted[first_entry(mechanism, c)] == 1 else 0
        if contacts.slip_count[c] == 0 or never_sticks(contacts, c) or choice.began[c] == PARTS:
            continue
        if choice.departure[c] == HOLDS and wanted[k] == 0:
            continue
        if choice.departure[c] == HOLDS:
            choice.departure[c], contacts.state[c], state = 0, STICKING, STICKING
        speed = speed_of(contacts, c)
        before = max(sliding.largest_speed[c], largest[k] if at_end and state == CLOSED else 0.0)
        stops = speed < (1.0 - JOINT_LEEWAY) * before and speed <= max(
            CONTACT_TOLERANCE * before, sliding.vanishing_speed[c]
        )
        stops = stops and state == CLOSED
        differs = state == INCIPIENT and wanted[k + 1] == 1
        if wanted[k] == 0 and not stops and not differs:
            goes_on = state == CLOSED and contacts.slip_count[c] == 1 and choice.departure[c] == 0
            choice.began[c] = SLIPS_ON if goes_on and not keeps_still(contacts, c) else 0
            continue
        least = max(TURN_THRESHOLD * largest[k] if state == CLOSED else 0.0, nothing_of(contacts, c))
        if differs or (contacts.slip_count[c] > 1 and state != STICKING and speed > least):
            contacts.state[c], choice.began[c] = CLOSED, SLIPS if differs else 0
            for i in range(contacts.slip_count[c] if speed > least else 0):  # else the direction of its friction
                sliding.heading[first + i] = contacts.motion.rate[first + i] / speed
            continue
        choice.began[c] = SLIPS if state == STICKING else STOPS
        if state != STICKING:
            for i in range(contacts.slip_count[c]):
                sliding.stopped_heading[first + i] = sliding.heading[first + i]
            continue
        contacts.state[c] = CLOSED if contacts.slip_count[c] == 1 else INCIPIENT
        held, given = across(contacts, c, contacts.force), 0.0
        for i in range(contacts.slip_count[c]):
            sliding.end_slip[first + i] = joint_rate(mechanism, first + i) if keeps_still(contacts, c) else 0.0
            given += sliding.end_slip[first + i] ** 2
        for i in range(contacts.slip_count[c]):  # friction does not hold a slip that joints move
            if given > (SLIP_ROUNDOFF * mechanism.machine.extent) ** 2 / 4.0:
                away = sliding.end_slip[first + i] / np.sqrt(given)
            else:
                away = -contacts.force[first + i] / held if held > 0.0 else contacts.motion.rate[first + i] / speed
            sliding.heading[first + i] = away
    tell_states(mechanism)


@compiled
def release_senses(mechanism: Mechanism) -> None:
    """Hold no direction of a normal force while states are chosen."""
    release_normals(mechanism.contacts)
    tell_states(mechanism)


@compiled
def hold_senses(mechanism: Mechanism) -> None:
    """Hold the directions of normal forces at the last accelerations for the next step."""
    hold_normals(mechanism.contacts, CLOSED)
    tell_states(mechanism)
