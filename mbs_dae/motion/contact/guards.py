"""When contacts change: what must stay positive as long as they are as they are. Compiled.

    open        the gap                         closed      the normal force
    slipping    the slip in its direction       sticking    μ f_n - |f_s|, what friction has left

These are more entries among the switching functions of a run (`switching`), found and passed as all others are.
"""

from ...compiled.contacts import CLOSED, OPEN, PARTS, SLIPS, STICKING, STOPS, observe_contacts
from ...compiled.signals import assign, take_signals
from ...compiled.transformation import REACH, transform
from ...kernels.abi import compiled
from ...symbolic.branches import WATCH
from .rubbing import across, never_sticks, speed_of

TOUCH, RUB = WATCH + 1, WATCH + 2
"""More kinds of switching functions: of a gap, and of a slip."""
TOUCHES = 1e-9
"""A gap is closed if it is less than this part of how far the model reaches; and it does not part, nor slip, if its
rate is less than this part of what it is made of."""
TURNS = 1e-6
"""A slip has turned, not stopped, where it is across its heading, but no less than this part of the largest before."""
ALWAYS = 1.0
"""The guard of what does not matter."""


@compiled
def first_entry(mechanism, c):
    """That of a point, among all switching functions."""
    contacts = mechanism.contacts
    return mechanism.switches.kinds.size - contacts.entries + contacts.entry[c]


@compiled
def slip_entry(mechanism, c):
    """The first one of its slip."""
    return first_entry(mechanism, c) + (1 if mechanism.contacts.gap[c] >= 0 else 0)


@compiled
def has_gaps_alone(mechanism):
    """Whether open gaps are all that there is to look at: they follow from places and velocities alone."""
    contacts = mechanism.contacts
    return contacts.closed[0] == 0 and contacts.entries > 0 and mechanism.switches.kinds.size == contacts.entries


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
            switches.value[k] = contacts.phi[row] if contacts.state[c] == OPEN else contacts.force[row]
            switches.guard[k] = switches.value[k]
        k = slip_entry(mechanism, c)
        for i in range(contacts.slips[c]):
            switches.value[k + i] = switches.guard[k + i] = _friction_left(contacts, c) if i == 0 else ALWAYS


@compiled
def _friction_left(contacts, c):
    first, along, square = contacts.slip[c], 0.0, 0.0
    if never_sticks(contacts, c):
        return ALWAYS
    for k in range(contacts.slips[c]):
        along += contacts.rate[first + k] * contacts.heading[first + k]
        square += contacts.force[first + k] ** 2
    if contacts.state[c] == CLOSED:
        return along
    if contacts.state[c] == STICKING:
        return contacts.most[c] - across(contacts, c, contacts.force)
    return ALWAYS


@compiled
def put_contact_rates(mechanism):
    """The rates of gaps; those of all else that guards are made of are not known."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for k in range(switches.kinds.size - contacts.entries, switches.kinds.size):
        switches.rate[k] = 0.0
    for c in range(contacts.gap.size):
        if contacts.gap[c] >= 0:
            switches.rate[first_entry(mechanism, c)] = contacts.rate[contacts.gap[c]]


@compiled
def put_contact_scales(mechanism):
    """Of what size guards are made of."""
    contacts, switches, most = mechanism.contacts, mechanism.switches, 0.0
    for row in range(contacts.force.size):
        most = max(most, abs(contacts.force[row]))
    for c in range(contacts.gap.size):
        state, row = contacts.state[c], contacts.gap[c]
        if row >= 0:
            force = max(most, contacts.made_of[row])
            switches.scale[first_entry(mechanism, c)] = mechanism.machine.extent if state == OPEN else force
        k = slip_entry(mechanism, c)
        for i in range(contacts.slips[c]):
            switches.scale[k + i] = contacts.parts[contacts.slip[c]] if state == CLOSED else max(most, contacts.most[c])


@compiled
def put_differences(mechanism, differences):
    """The rates of what is known by differences only: of all but open gaps."""
    contacts, rate = mechanism.contacts, mechanism.switches.rate
    for c in range(contacts.gap.size):
        k, known = first_entry(mechanism, c), 1 if contacts.gap[c] >= 0 and contacts.state[c] == OPEN else 0
        for i in range(known, (1 if contacts.gap[c] >= 0 else 0) + contacts.slips[c]):
            rate[k + i] = differences[k + i]


@compiled
def hold_contacts(mechanism):
    """The states of contacts, from their modes: of a gap OPEN or CLOSED; of slips the direction, nothing where they
    stick."""
    contacts, modes, closed = mechanism.contacts, mechanism.switches.mode, 0
    for c in range(contacts.gap.size):
        state, k, sticks = CLOSED, slip_entry(mechanism, c), contacts.slips[c] > 0 and not never_sticks(contacts, c)
        if contacts.gap[c] >= 0 and modes[first_entry(mechanism, c)] == OPEN:
            state = OPEN
        for i in range(contacts.slips[c]):
            contacts.heading[contacts.slip[c] + i] = modes[k + i]
            sticks = sticks and modes[k + i] == 0.0
        contacts.state[c] = STICKING if sticks and state == CLOSED else state
        closed += 0 if state == OPEN else 1
    contacts.closed[0] = closed


@compiled
def tell_states(mechanism):
    """The modes of contacts, from their states."""
    contacts, modes = mechanism.contacts, mechanism.switches.mode
    for c in range(contacts.gap.size):
        k, state = slip_entry(mechanism, c), contacts.state[c]
        if contacts.gap[c] >= 0:
            modes[first_entry(mechanism, c)] = OPEN if state == OPEN else CLOSED
        for i in range(contacts.slips[c]):
            modes[k + i] = contacts.heading[contacts.slip[c] + i] if state == CLOSED else 0.0


@compiled
def meets(mechanism, wanted):
    """Whether a gap closes, among the entries that pass zero."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap.size):
        if contacts.gap[c] >= 0 and contacts.state[c] == OPEN:
            found = found or wanted[first_entry(mechanism, c)] == 1
    return found


@compiled
def note_slips(mechanism):
    """Where slips go that may turn, at the end of a step, by the last evaluation."""
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        for k in range(contacts.slips[c] if contacts.slips[c] > 1 and contacts.state[c] == CLOSED else 0):
            contacts.onward[contacts.slip[c] + k] = contacts.rate[contacts.slip[c] + k]


@compiled
def follow_slips(mechanism, guards):
    """What slips on in space, where nothing has switched, is headed from now on for where it goes: it stops where it is
    at right angles to that, and it may turn by any angle before. Its guard is that of the next step."""
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        if contacts.slips[c] < 2 or contacts.state[c] != CLOSED or never_sticks(contacts, c):
            continue
        first, speed = contacts.slip[c], across(contacts, c, contacts.onward)
        if speed > TOUCHES * contacts.pace[0]:
            for k in range(first, first + contacts.slips[c]):
                contacts.heading[k] = contacts.onward[k] / speed
            guards[slip_entry(mechanism, c)] = speed
    tell_states(mechanism)


@compiled
def mark_passed(mechanism, wanted, largest):
    """What points have just begun to do, by the entries that pass zero: `began`. A slip that is none beside the largest
    of its last step stops with them, as that of a body with several points that slide to a stop; one that has turned
    by a right angle, in space, goes on."""
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        k, first, state = slip_entry(mechanism, c), contacts.slip[c], contacts.state[c]
        contacts.began[c] = PARTS if contacts.gap[c] >= 0 and wanted[first_entry(mechanism, c)] == 1 else 0
        if contacts.slips[c] == 0 or never_sticks(contacts, c) or contacts.began[c] == PARTS:
            continue
        speed = speed_of(contacts, c)
        stops = state == CLOSED and speed <= TOUCHES * largest[k]
        if wanted[k] == 0 and not stops:
            continue
        if contacts.slips[c] > 1 and state == CLOSED and speed > max(TURNS * largest[k], TOUCHES * contacts.pace[0]):
            for i in range(contacts.slips[c]):
                contacts.heading[first + i] = contacts.rate[first + i] / speed
            continue
        contacts.began[c] = SLIPS if state == STICKING else STOPS
        if state != STICKING:
            continue
        contacts.state[c] = CLOSED
        held = across(contacts, c, contacts.force)
        for i in range(contacts.slips[c]):
            contacts.heading[first + i] = -contacts.force[first + i] / held
    tell_states(mechanism)
