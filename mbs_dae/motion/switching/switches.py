"""The branches of laws in a run: what holds them, and how their switching functions change. Compiled.

Within a step every branch is held, so that all laws are smooth: `mode` says what each switching function is held at,
the sign of it or the integer below it (`symbolic.branches`). A *guard* is positive as long as the branch that is held
is the right one:

    a sign s of g: s g          an integer n below g: min(g - n, n + 1 - g)          a slide: 1 - |mode|

A law that jumps may push the motion back onto g = 0 from both sides: dry friction that sticks. Then the motion slides
along that surface, and the mode is the mixture of both branches, between -1 and 1, with which ġ = 0 (Filippov). It is
found like a reaction, and where it reaches ±1 the slide ends.
"""

from typing import NamedTuple

import numpy as np

from ...compiled.tree.transformation import REACH, transform
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.vectors import copy
from ...symbolic.branches import WHOLE
from ..contact.guards import ALWAYS, TOUCH, hold_contacts, look_at_contacts, put_contact_rates, put_contact_scales

SPREAD = 1e-5
"""The part of the motion's own time over which velocities of bodies are differenced where they follow from joints: its
square, and roundoff over it, are below what a mixture is asked to be right to."""


class Switches(NamedTuple):
    """The switching functions of laws, which are those of the constraints, of the forces, and of the sizes of friction;
    then those of the gaps and slips of contacts; then the guards of contacts."""

    kinds: Integers
    functions: Integers
    """The addresses of what holds a motion on surfaces and of what returns it to them (`sliding`), so that these are
    compiled where there is use for them."""
    blind: Integers
    """1 where partial derivatives are not known, of functions in Python."""
    heard: Integers
    """1 for the functions of events, which act on nothing: no step looks at them (`event_location` does)."""
    acting: int
    """How many functions of laws are not those of events."""
    mode: Work[Vector] = zeros("switches")
    value: Work[Vector] = zeros("switches")
    """The switching functions at the last evaluation, and their rates along the motion."""
    rate: Work[Vector] = zeros("switches")
    guard: Work[Vector] = zeros("switches")
    listens: Work[Integers] = zeros(1)
    """1 while the functions of events are looked at, and they alone."""
    free: Work[Integers] = zeros("switches")
    """1 where nobody asks for a branch: of the gap of a point that is open. It is as the state says, as everywhere but
    in runs, and its mode is nan."""
    slides: Work[Integers] = zeros("switches")
    """1 where the motion is held on the surface; and how many slides there are."""
    sliding: Work[Integers] = zeros(1)
    leads: Work[Integers] = zeros("switches")
    turn: Work[Integers] = zeros("switches")
    """Of laws that switch on one surface: the first one, whose mixture all have; and -1 where g has its other sign."""
    asked: Work[Integers] = zeros("switches")
    """Of which ones it is asked how they respond to modes (1)."""
    now: Work[Vector] = zeros(1)
    """The time of the evaluation; and what came of it."""
    status: Work[Integers] = zeros(1)
    scale: Work[Vector] = zeros("switches")
    """Of what size the parts are that the switching functions are made of: roundoff is relative to it."""
    way: Work[Vector] = zeros("ways")
    """(q̇, v̇, 1), in the coordinates that kernels speak of."""
    place: Work[Vector] = zeros("own")
    """A state a little earlier or later, q and v; and q̇."""
    slope: Work[Matrix] = zeros("laws", "laws")
    """How the rates of slides change with their modes; and the modes that are looked for."""
    mixed: Work[Vector] = zeros("switches")
    here: Work[Vector] = zeros("width")
    aside: Work[Vector] = zeros("width")
    """The derivative, and that with other mixtures."""


@compiled
def laws_of(switches):
    """How many switching functions are those of laws, on which a motion may stay."""
    return switches.slope.shape[0]


@compiled
def is_idle(switches, k):
    """Whether nobody asks for this branch now."""
    return switches.free[k] == 1 or switches.heard[k] != switches.listens[0]


@compiled
def put_mode(switches, k, mode):
    """The mode of surface k, for all laws that switch on it."""
    for j in range(switches.kinds.size):
        if switches.leads[j] == k:
            switches.mode[j] = switches.turn[j] * mode


@compiled
def hold_all(mechanism):
    """Put the modes where kernels read them."""
    modes, gaps = mechanism.switches.mode, mechanism.contacts.program.batch
    at = _hold(mechanism.machine.program.batch, modes, 0)
    at = _hold(mechanism.dynamics.batch, modes, at)
    at = _hold(mechanism.contacts.normals.readings, modes, at)
    _hold(gaps, modes, at)
    if mechanism.contacts.gap.size > 0:
        hold_contacts(mechanism)


@compiled
def _hold(batch, modes, at):
    """Those of a batch, which begin at a place; where they end."""
    for k in range(batch.mode_at.size):
        batch.parameters[batch.mode_at[k]] = modes[at + k]
    return at + batch.mode_at.size


@compiled_apart
def read_guards(switches: Switches, at: int, places: Integers, out: Vector):
    """The switching functions of a batch at the last evaluation, from its outputs (and where in these they stand); and
    their guards. They begin at a place; where they end."""
    for k in range(places.size):
        switches.value[at + k] = out[places[k]]
        switches.guard[at + k] = guard_of(switches, at + k, position(switches, at + k))
    return at + places.size


@compiled
def position(switches, k):
    """What decides whether a branch is the right one: the switching function, or the mixture of a slide."""
    if is_idle(switches, k):
        return 0.0
    return switches.mode[k] if switches.slides[k] == 1 else switches.value[k]


@compiled
def guard_of(switches, k, p):
    """The guard that belongs to this position."""
    if switches.slides[k] == 1 or switches.kinds[k] == WHOLE:
        return min(guard_of_side(switches, k, 1.0, p), guard_of_side(switches, k, -1.0, p))
    return guard_of_side(switches, k, side_of(switches, k), p)


@compiled
def side_of(switches, k):
    """The side on which a sign is held; guards of contacts are positive by themselves."""
    return 1.0 if switches.kinds[k] >= TOUCH or is_idle(switches, k) else switches.mode[k]


@compiled
def guard_of_side(switches, k, side, p):
    """How far the position is from the bound below it (side 1), or above it (-1)."""
    if is_idle(switches, k):
        return ALWAYS
    if switches.slides[k] == 1:
        return 1.0 + side * p
    if switches.kinds[k] == WHOLE:
        return p - switches.mode[k] if side > 0.0 else switches.mode[k] + 1.0 - p
    return side * p


@compiled
def look(mechanism):
    """All guards at the last evaluation."""
    switches, contacts = mechanism.switches, mechanism.contacts
    at = read_guards(switches, 0, mechanism.machine.program.batch.switch_at, mechanism.machine.out)
    at = read_guards(switches, at, mechanism.dynamics.batch.switch_at, mechanism.out)
    if contacts.gap.size > 0:
        at = read_guards(switches, at, contacts.normals.readings.switch_at, contacts.normals.factors)
        read_guards(switches, at, contacts.program.batch.switch_at, contacts.motion.outputs)
        look_at_contacts(mechanism)


@compiled
def natural(switches, k):
    """The mode that the value of a switching function stands for; of a slide that ends, the side on which it does."""
    value = switches.mode[k] if switches.slides[k] == 1 else switches.value[k]
    if switches.kinds[k] == WHOLE:
        return np.floor(value)
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


@compiled
def read_rates(mechanism, q, v, dq, a):
    """The rates of all switching functions along the motion: partial derivatives of the last evaluation, times the way
    that the state goes."""
    switches, contacts = mechanism.switches, mechanism.contacts
    _find_way(mechanism, q, v, dq, a)
    switches.rate[:] = 0.0
    at = _add_rates(switches, 0, mechanism.machine.program.batch, mechanism.machine.out)
    at = _add_rates(switches, at, mechanism.dynamics.batch, mechanism.out)
    if contacts.gap.size > 0:
        at = _add_rates(switches, at, contacts.normals.readings, contacts.normals.factors)
        _add_rates(switches, at, contacts.program.batch, contacts.motion.outputs)
        put_contact_rates(mechanism)


@compiled
def _add_rates(switches, at, batch, out):
    """Those of a batch, which begin at a place; where they end. What is free does not change."""
    for k in range(batch.slope_at.size):
        of = at + batch.slope_of[k]
        if switches.free[of] == 0:
            switches.rate[of] += out[batch.slope_at[k]] * switches.way[batch.slope_by[k]]
    return at + batch.switch_at.size


@compiled
def read_scales(mechanism, q, v, speed):
    """The sizes of what the switching functions are made of: partial derivatives times coordinates (each of the size of
    the model at least) and velocities (each of the largest one, and of this speed at least)."""
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
def read_scales_of_rates(mechanism, acceleration):
    """The sizes of what the rates are made of that were just read: partial derivatives times the largest velocity, and
    times the largest acceleration, that of turning and this one. (The sizes of signals are not known.)"""
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
def _add_all_scales(mechanism):
    """Add up the sizes of all switching functions, from those of the ways of states."""
    switches, contacts = mechanism.switches, mechanism.contacts
    switches.way[switches.way.size - 1] = 0.0
    switches.scale[:] = 0.0
    at = _add_scales(switches, 0, mechanism.machine.program.batch, mechanism.machine.out)
    at = _add_scales(switches, at, mechanism.dynamics.batch, mechanism.out)
    if contacts.gap.size > 0:
        at = _add_scales(switches, at, contacts.normals.readings, contacts.normals.factors)
        _add_scales(switches, at, contacts.program.batch, contacts.motion.outputs)
        put_contact_scales(mechanism)


@compiled
def _add_scales(switches, at, batch, out):
    """Those of a batch, which begin at a place; where they end."""
    for k in range(batch.slope_at.size):
        of = at + batch.slope_of[k]
        if switches.free[of] == 0:
            switches.scale[of] += abs(out[batch.slope_at[k]]) * switches.way[batch.slope_by[k]]
    return at + batch.switch_at.size


@compiled
def _find_way(mechanism, q, v, dq, a):
    """(q̇, v̇, 1) as kernels have it. Where bodies follow from joints, their velocities are differenced."""
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
    spread = SPREAD / pace
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
