"""When contacts change: what must stay positive as long as they are as they are. Compiled.

    open        the gap                         closed      the normal force
    slipping    the slip in its direction       sticking    μ f_n - |f_s|, what friction has left

These are more entries among the switching functions of a run (`switching`), found and passed as all others are. The
states stand among their modes: of a gap OPEN, CLOSED or STICKING; of a slip its direction, in the plane ±1, in space an
angle.
"""

import numpy as np

from ...compiled.contacts import CLOSED, OPEN, PARTS, SLIPS, STICKING, STOPS
from ...kernels.abi import compiled
from ...symbolic.branches import WATCH

TOUCH, RUB = WATCH + 1, WATCH + 2
"""More kinds of switching functions: of a gap, and of a slip."""
TOUCHES = 1e-9
"""A gap is closed if it is less than this part of how far the model reaches; and it does not part, nor slip, if its
rate is less than this part of what it is made of."""
ALWAYS = 1.0
"""The guard of what does not matter."""


@compiled
def first_entry(mechanism, c):
    """That of a point, among all switching functions."""
    contacts = mechanism.contacts
    return mechanism.switches.kinds.size - contacts.entries + contacts.entry[c]


@compiled
def look_at_contacts(mechanism):
    """The guards of all points at the last evaluation, and how fast gaps change; of forces that is not known."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for c in range(contacts.gap.size):
        k, row, state = first_entry(mechanism, c), contacts.gap[c], contacts.state[c]
        switches.value[k] = contacts.phi[row] if state == OPEN else contacts.force[row]
        switches.guard[k] = switches.value[k]
        if contacts.slips[c] > 0:
            switches.value[k + 1] = switches.guard[k + 1] = _friction_left(contacts, c)


@compiled
def _friction_left(contacts, c):
    first, along, square = contacts.slip[c], 0.0, 0.0
    for k in range(contacts.slips[c]):
        along += contacts.rate[first + k] * contacts.heading[first + k]
        square += contacts.force[first + k] ** 2
    if contacts.state[c] == CLOSED:
        return along
    if contacts.state[c] == STICKING:
        return contacts.static[c] * contacts.force[contacts.gap[c]] - np.sqrt(square)
    return ALWAYS


@compiled
def put_contact_rates(mechanism):
    """The rates of gaps that are open, and of what size guards are made of."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for c in range(contacts.gap.size):
        k = first_entry(mechanism, c)
        switches.rate[k] = contacts.rate[contacts.gap[c]]
        if contacts.slips[c] > 0:
            switches.rate[k + 1] = 0.0


@compiled
def put_contact_scales(mechanism):
    contacts, switches, most = mechanism.contacts, mechanism.switches, 0.0
    for row in range(contacts.force.size):
        most = max(most, abs(contacts.force[row]))
    for c in range(contacts.gap.size):
        k, state = first_entry(mechanism, c), contacts.state[c]
        switches.scale[k] = mechanism.machine.extent if state == OPEN else most
        if contacts.slips[c] > 0:
            switches.scale[k + 1] = contacts.parts[contacts.slip[c]] if state == CLOSED else most


@compiled
def is_blind(mechanism, k):
    """Whether the rate of an entry of a contact is known by differences only."""
    contacts, own = mechanism.contacts, k - mechanism.switches.kinds.size + mechanism.contacts.entries
    for c in range(contacts.gap.size):
        if contacts.entry[c] == own:
            return contacts.state[c] != OPEN
    return True


@compiled
def hold_contacts(mechanism):
    """The states of contacts, from their modes."""
    contacts, modes, closed = mechanism.contacts, mechanism.switches.mode, 0
    for c in range(contacts.gap.size):
        k, first = first_entry(mechanism, c), contacts.slip[c]
        contacts.state[c] = int(modes[k])
        closed += 0 if contacts.state[c] == OPEN else 1
        if contacts.slips[c] == 1:
            contacts.heading[first] = modes[k + 1]
        elif contacts.slips[c] == 2:
            contacts.heading[first], contacts.heading[first + 1] = np.cos(modes[k + 1]), np.sin(modes[k + 1])
    contacts.closed[0] = closed


@compiled
def tell_states(mechanism):
    """The modes of contacts, from their states."""
    contacts, modes = mechanism.contacts, mechanism.switches.mode
    for c in range(contacts.gap.size):
        k, first = first_entry(mechanism, c), contacts.slip[c]
        modes[k] = contacts.state[c]
        if contacts.slips[c] == 1:
            modes[k + 1] = contacts.heading[first]
        elif contacts.slips[c] == 2:
            modes[k + 1] = np.arctan2(contacts.heading[first + 1], contacts.heading[first])


@compiled
def meets(mechanism, wanted):
    """Whether a gap closes, among the entries that pass zero."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap.size):
        found = found or (contacts.state[c] == OPEN and wanted[first_entry(mechanism, c)] == 1)
    return found


@compiled
def speed_of(contacts, c):
    """How fast a point slips."""
    square = 0.0
    for k in range(contacts.slips[c]):
        square += contacts.rate[contacts.slip[c] + k] ** 2
    return np.sqrt(square)


@compiled
def mark_passed(mechanism, wanted, largest):
    """What points have just begun to do, by the entries that pass zero: `began`. A slip that is none beside the largest
    of its last step stops with them, as that of a body with several points that slide to a stop."""
    contacts = mechanism.contacts
    for c in range(contacts.gap.size):
        k, first, state, size = first_entry(mechanism, c), contacts.slip[c], contacts.state[c], 0.0
        contacts.began[c] = PARTS if wanted[k] == 1 else 0
        if contacts.slips[c] == 0 or contacts.began[c] == PARTS:
            continue
        stops = state == CLOSED and speed_of(contacts, c) <= TOUCHES * largest[k + 1]
        if wanted[k + 1] == 0 and not stops:
            continue
        contacts.began[c] = SLIPS if state == STICKING else STOPS
        for i in range(contacts.slips[c] if state == STICKING else 0):
            size += contacts.force[first + i] ** 2
        for i in range(contacts.slips[c] if state == STICKING else 0):
            contacts.heading[first + i] = -contacts.force[first + i] / np.sqrt(size)
    tell_states(mechanism)
