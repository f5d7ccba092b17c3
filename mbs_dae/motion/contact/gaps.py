"""Gaps as switching functions of a run: an open gap that passes zero is an impact. Compiled.

Each point has entries among the switching functions (`switching`); the first one is that of its gap, if it has one. The
search for switches (`switching.locate`) finds where it passes zero, as for any other function; `switching.choosing`
asks `meets` whether an impact happens there.
"""

from ...compiled.contact_records import FREE, OPEN
from ...compiled.contact_rows import observe_contacts
from ...compiled.signals import assign, take_signals
from ...compiled.tree.transformation import REACH, transform
from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Vector
from ...tolerances import JOINT_LEEWAY
from ..mechanism_record import Mechanism


@compiled
def leeway(mechanism: Mechanism) -> float:
    """Return the depth below zero of a gap that joints alone keep closed: far from the origin it is roundoff."""
    return JOINT_LEEWAY * max(mechanism.machine.length, mechanism.machine.gap_size)


@compiled
def first_entry(mechanism: Mechanism, c: int) -> int:
    """Return the first switching function of a point: that of its gap, if it has one."""
    contacts = mechanism.contacts
    return mechanism.switches.kinds.size - contacts.points.entries + contacts.points.entry[c]


@compiled
def is_open_gap(mechanism: Mechanism, k: int) -> bool:
    """Return whether entry k is the gap of a point that is open."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap_row.size):
        found = found or (contacts.gap_row[c] >= 0 and contacts.state[c] == OPEN and first_entry(mechanism, c) == k)
    return found


@compiled
def has_gaps_alone(mechanism: Mechanism) -> bool:
    """Return whether gaps of open points are all guards there are: they follow from positions and velocities alone."""
    contacts, switches = mechanism.contacts, mechanism.switches
    return (
        contacts.choice.closed_count[0] == 0
        and contacts.points.entries > 0
        and switches.acting + switches.reads_events[0] == 0
    )


@compiled
def observe_gaps(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Evaluate gaps and their rates, and nothing else."""
    tr = mechanism.machine.transformation
    assign(mechanism.signals.inputs, t, q, v, q)
    if tr.edges > 0:
        transform(tr, REACH, (q, v))
        take_signals(mechanism.signals, q, tr.qc)
        q, v = tr.qc, tr.vc
    observe_contacts(mechanism.contacts, t, q, v)


@compiled
def meets(mechanism: Mechanism, passes_zero: Integers) -> bool:
    """Return whether an open gap is among the switching functions that pass zero: then there is an impact."""
    contacts, found = mechanism.contacts, False
    for c in range(contacts.gap_row.size):
        if contacts.gap_row[c] >= 0 and contacts.state[c] == OPEN:
            found = found or passes_zero[first_entry(mechanism, c)] == 1
    return found


@compiled
def put_gap(mechanism: Mechanism, c: int) -> None:
    """Put the guard of the gap of a point: the gap while the point is open, the normal force while it is closed. A gap
    that joints alone keep closed has a leeway."""
    contacts, switches = mechanism.contacts, mechanism.switches
    k, row, gap = first_entry(mechanism, c), contacts.gap_row[c], contacts.motion.phi
    room = leeway(mechanism) if contacts.constrained.state[row] != FREE else 0.0
    switches.value[k] = gap[row] + room if contacts.state[c] == OPEN else contacts.force[row]
    switches.guard[k] = switches.value[k]


@compiled
def put_gap_rates(mechanism: Mechanism) -> None:
    """Put the rates of gaps. Rates of all other guards of contacts are not known, and 0."""
    contacts, switches = mechanism.contacts, mechanism.switches
    for k in range(switches.kinds.size - contacts.points.entries, switches.kinds.size):
        switches.rate[k] = 0.0
    for c in range(contacts.gap_row.size):
        if contacts.gap_row[c] >= 0:
            switches.rate[first_entry(mechanism, c)] = contacts.motion.rate[contacts.gap_row[c]]
