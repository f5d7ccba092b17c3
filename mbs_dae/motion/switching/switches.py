"""The branches of laws in a run: their modes, guards and rates. Compiled.

Within a step every branch is held, so that all laws are smooth: `mode` is the sign of each switching function, or the
integer below it, that is held (`symbolic.branches`). A *guard* is positive as long as the branch that is held is the
right one:

    a sign s of g: s g          an integer n below g: min(g - n, n + 1 - g)          a slide: 1 - |mode|

A law that jumps may push the motion back onto g = 0 from both sides: dry friction that sticks. Then the motion slides
along that surface, and the mode is the mixture of both branches, between -1 and 1, with which ġ = 0 (Filippov). The
mixture follows from an equation like a reaction, and where it reaches ±1 the slide ends.
"""

import numpy as np

from ...compiled.batch import Batch
from ...compiled.tree.transformation import REACH, transform
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Vector
from ...linear.vectors import copy
from ...symbolic.branches import WHOLE
from ...tolerances import VELOCITY_DIFFERENCE
from ..contact.gaps import put_gap_rates
from ..contact.guards import ALWAYS, TOUCH, hold_contacts, look_at_contacts, put_contact_scales
from ..mechanism_record import Mechanism, Switches


@compiled
def laws_of(switches: Switches) -> int:
    """Return the number of switching functions that are those of laws, on which a motion may stay."""
    return switches.slope.shape[0]


@compiled
def is_idle(switches: Switches, k: int) -> bool:
    """Return whether nothing depends on this branch now."""
    return switches.free[k] == 1 or switches.of_events[k] != switches.reads_events[0]


@compiled
def put_mode(switches: Switches, k: int, mode: float) -> None:
    """Put the mode of surface k, for all laws that switch on it."""
    for j in range(switches.kinds.size):
        if switches.leads[j] == k:
            switches.mode[j] = switches.turn[j] * mode


@compiled
def hold_all(mechanism: Mechanism) -> None:
    """Put the modes where kernels read them."""
    modes, gaps = mechanism.switches.mode, mechanism.contacts.program.batch
    at = _hold(mechanism.machine.program.batch, modes, 0)
    at = _hold(mechanism.dynamics.batch, modes, at)
    at = _hold(mechanism.contacts.normals.readings, modes, at)
    _hold(gaps, modes, at)
    if mechanism.contacts.gap_row.size > 0:
        hold_contacts(mechanism)


@compiled
def _hold(batch: Batch, modes: Vector, at: int) -> int:
    """Put the modes of a batch, which begin at number `at`, where its kernel reads them; return the number after the
    last."""
    for k in range(batch.mode_at.size):
        batch.parameters[batch.mode_at[k]] = modes[at + k]
    return at + batch.mode_at.size


@compiled_apart
def read_guards(switches: Switches, at: int, places: Integers, out: Vector) -> int:
    """Put the switching functions of a batch at the last evaluation, from its outputs at these places, and their
    guards, from number `at` on; return the number after the last."""
    for k in range(places.size):
        switches.value[at + k] = out[places[k]]
        switches.guard[at + k] = guard_of(switches, at + k, position(switches, at + k))
    return at + places.size


@compiled
def position(switches: Switches, k: int) -> float:
    """Return the number that decides whether a branch is right: the switching function, or the mixture of a slide; 0 if
    idle."""
    if is_idle(switches, k):
        return 0.0
    return switches.mode[k] if switches.slides[k] == 1 else switches.value[k]


@compiled
def guard_of(switches: Switches, k: int, p: float) -> float:
    """Return the guard for this position."""
    if switches.slides[k] == 1 or switches.kinds[k] == WHOLE:
        return min(guard_of_side(switches, k, 1.0, p), guard_of_side(switches, k, -1.0, p))
    return guard_of_side(switches, k, side_of(switches, k), p)


@compiled
def side_of(switches: Switches, k: int) -> float:
    """Return the side on which a sign is held; 1 for guards of contacts, which are positive by themselves."""
    return 1.0 if switches.kinds[k] >= TOUCH or is_idle(switches, k) else switches.mode[k]


@compiled
def guard_of_side(switches: Switches, k: int, side: float, p: float) -> float:
    """Return the distance of the position from the bound below it (side 1), or above it (-1)."""
    if is_idle(switches, k):
        return ALWAYS
    if switches.slides[k] == 1:
        return 1.0 + side * p
    if switches.kinds[k] == WHOLE:
        return p - switches.mode[k] if side > 0.0 else switches.mode[k] + 1.0 - p
    return side * p


@compiled
def look(mechanism: Mechanism) -> None:
    """Put all guards at the last evaluation."""
    look_at_laws(mechanism)
    if mechanism.contacts.gap_row.size > 0:
        look_at_contacts(mechanism)


@compiled
def look_at_laws(mechanism: Mechanism) -> None:
    """Put the guards of the switching functions of laws and gaps at the last evaluation."""
    switches, contacts = mechanism.switches, mechanism.contacts
    at = read_guards(switches, 0, mechanism.machine.program.batch.switch_at, mechanism.machine.out)
    at = read_guards(switches, at, mechanism.dynamics.batch.switch_at, mechanism.out)
    if contacts.gap_row.size > 0:
        at = read_guards(switches, at, contacts.normals.readings.switch_at, contacts.normals.factors)
        read_guards(switches, at, contacts.program.batch.switch_at, contacts.motion.outputs)


@compiled
def natural(switches: Switches, k: int) -> float:
    """Return the mode that the value of a switching function implies; of a slide that ends, the side to which it
    does."""
    value = switches.mode[k] if switches.slides[k] == 1 else switches.value[k]
    if switches.kinds[k] == WHOLE:
        return np.floor(value)
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


@compiled
def read_rates(mechanism: Mechanism, q: Vector, v: Vector, dq: Vector, a: Vector) -> None:
    """Put the rates of all switching functions along the motion: partial derivatives of the last evaluation, times the
    derivative of the state."""
    switches, contacts = mechanism.switches, mechanism.contacts
    _find_way(mechanism, q, v, dq, a)
    switches.rate[:] = 0.0
    at = _add_rates(switches, 0, mechanism.machine.program.batch, mechanism.machine.out)
    at = _add_rates(switches, at, mechanism.dynamics.batch, mechanism.out)
    if contacts.gap_row.size > 0:
        at = _add_rates(switches, at, contacts.normals.readings, contacts.normals.factors)
        _add_rates(switches, at, contacts.program.batch, contacts.motion.outputs)
        put_gap_rates(mechanism)


@compiled
def _add_rates(switches: Switches, at: int, batch: Batch, out: Vector) -> int:
    """Add the rates of the functions of a batch, which begin at number `at`; return the number after the last. A free
    branch has rate 0."""
    for k in range(batch.slope_at.size):
        of = at + batch.slope_of[k]
        if switches.free[of] == 0:
            switches.rate[of] += out[batch.slope_at[k]] * switches.way[batch.slope_by[k]]
    return at + batch.switch_at.size


@compiled
def read_scales(mechanism: Mechanism, q: Vector, v: Vector, speed: float) -> None:
    """Put the sizes of the terms of the switching functions: partial derivatives times coordinates (each at least of
    the length of the model) and velocities (each of the largest one, and at least `speed`)."""
    switches, tr = mechanism.switches, mechanism.machine.transformation
    if tr.edges > 0:
        q, v = tr.qc, tr.vc
    bodies = q.size - mechanism.signals.signals
    for k in range(v.size):
        speed = max(speed, abs(v[k]))
    for k in range(q.size):
        switches.way[k] = abs(q[k]) + (mechanism.length if k < bodies else 0.0)
    for k in range(q.size, switches.way.size - 1):
        switches.way[k] = speed
    _add_all_scales(mechanism)


@compiled
def read_scales_of_rates(mechanism: Mechanism, acceleration: float) -> None:
    """Put the sizes of the terms of the rates read last: partial derivatives times the largest velocity, and times the
    largest acceleration, the centripetal one and the argument included. (The sizes of signals are not known.)"""
    switches, tr = mechanism.switches, mechanism.machine.transformation
    way, speed, size = switches.way, 0.0, tr.qc.size if tr.edges > 0 else mechanism.state.q_end
    bodies = size - mechanism.signals.signals
    for k in range(bodies):
        speed = max(speed, abs(way[k]))
    for k in range(size, way.size - 1):
        acceleration = max(acceleration, abs(way[k]))
    acceleration = max(acceleration, speed * speed / mechanism.length)
    for k in range(way.size - 1):
        way[k] = speed if k < bodies else abs(way[k]) if k < size else acceleration
    _add_all_scales(mechanism)


@compiled
def _add_all_scales(mechanism: Mechanism) -> None:
    """Put the sizes of all switching functions, by the sizes of state derivatives in `way`."""
    switches, contacts = mechanism.switches, mechanism.contacts
    switches.way[switches.way.size - 1] = 0.0
    switches.scale[:] = 0.0
    at = _add_scales(switches, 0, mechanism.machine.program.batch, mechanism.machine.out)
    at = _add_scales(switches, at, mechanism.dynamics.batch, mechanism.out)
    if contacts.gap_row.size > 0:
        at = _add_scales(switches, at, contacts.normals.readings, contacts.normals.factors)
        _add_scales(switches, at, contacts.program.batch, contacts.motion.outputs)
        put_contact_scales(mechanism)


@compiled
def _add_scales(switches: Switches, at: int, batch: Batch, out: Vector) -> int:
    """Add the sizes of the functions of a batch, which begin at number `at`; return the number after the last."""
    for k in range(batch.slope_at.size):
        of = at + batch.slope_of[k]
        if switches.free[of] == 0:
            switches.scale[of] += abs(out[batch.slope_at[k]]) * switches.way[batch.slope_by[k]]
    return at + batch.switch_at.size


@compiled
def _find_way(mechanism: Mechanism, q: Vector, v: Vector, dq: Vector, a: Vector) -> None:
    """Put (q̇, v̇, 1) in the coordinates of kernels into `way`. Where bodies follow from joints, their velocities are
    differenced."""
    way, tr = mechanism.switches.way, mechanism.machine.transformation
    way[:] = 0.0
    way[way.size - 1] = 1.0
    if tr.edges == 0:
        copy(dq, way[: q.size])
        for k in range(a.size):
            way[q.size + k] = a[k]
        return
    for k in range(1, mechanism.signals.signals + 1):
        way[tr.qc.size - k] = dq[q.size - k]
    place, bodies = mechanism.switches.place, tr.qc.size - mechanism.signals.signals
    there_q, there_v = place[: q.size], place[q.size : q.size + v.size]
    pace = 1e-3
    for k in range(v.size):
        pace = max(pace, abs(v[k]), np.sqrt(abs(a[k])) if k < a.size else 0.0)
    spread = VELOCITY_DIFFERENCE / pace
    for side in (1.0, -1.0):
        for k in range(q.size):
            there_q[k] = q[k] + side * spread * dq[k]
        for k in range(v.size):
            there_v[k] = v[k] + side * spread * (a[k] if k < a.size else 0.0)
        transform(tr, REACH, (there_q, there_v))
        for k in range(bodies):
            way[k] += side * tr.qc[k] / (2.0 * spread)
        for k in range(tr.vc.size):
            way[tr.qc.size + k] += side * tr.vc[k] / (2.0 * spread)
    transform(tr, REACH, (q, v))
