"""Derivatives across the places of a run at which contacts change.

A gap closes or opens, a slip stops or sets out, where a guard g of a contact passes zero (`motion.contact.guards`):

    open        the gap                 closed      its force, which follows from the equations of a stage
    slipping    the slip                sticking    μ N - |f|
    incipient   the force d by which friction falls short; the part d/|f|, or the angle between slip and friction
                (`motion.contact.incipient`)

With S = ∂y/∂p at a held time, t_e' = -δg(S)/ġ, where ġ is δg by time and by y' before the change. Where velocities do
not jump, S₊ = S₋ + (f₋ - f₊) t_e'. In neighbouring runs an impact has another time: with R the law of impact,

    S_e = S₋ + f₋ t_e',        S₊ = R_y S_e + R_t t_e' + R_p - f₊ t_e'.

R keeps for each point the law that held in this impact. With v⁻ and v⁺ = v⁻ + Δv, impulses P and Λ,

    M Δv + Φ_vᵀ Λ = Gᵀ P,      Φ_v v⁺ = ν,
    w⁺ + e w⁻ = 0   for gaps with an impulse,      w⁺ = 0   for slips that stop,      P = -μ P_n d   for other slips,

where w = G v - ν: the equations of a stage (`contact_forces`) with Δv in place of v̇. By Poisson's law there are two
such impacts at once, the compression with e = 0, and the expansion, in which a gap that parts has the impulse e P_n of
the compression. Where impacts are passed on in turn, R is a sequence of such impacts, each of the points that approach
then. The passage is one linear map, which serves both directions, ahead and back.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple, cast

import numpy as np

from ...compiled.contact_records import CLOSED, FREE, INCIPIENT, OPEN, STICKING, Contacts
from ...compiled.machine import subtract_rates
from ...compiled.status import DONE, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector
from ...linear.elimination import factorise, solve
from ...linear.vectors import axpy, copy, dot
from ...motion.contact.bounds import COMPONENTS, component, pressure
from ...motion.contact.gaps import first_entry
from ...motion.contact.impacts import (
    MOST,
    add_expansion,
    gives_energy,
    is_over,
    prepare_impact,
    put_approaching,
    put_impulses,
    write_compression,
    write_expansion,
)
from ...motion.contact.incipient import FAR, RISEN
from ...motion.contact.normals import components
from ...motion.contact.problem import put_jump, solve_laws, take_solution
from ...motion.contact.rubbing import across, kinetic_coefficient, never_sticks, speed_of, static_coefficient
from ...motion.derivative import refinements
from ...motion.mechanism_record import Mechanism
from ...motion.past.tape import HEAD, TIMES
from ...motion.record import IntegratorState, derivative_at_end, put_back, remember
from ...motion.switching.switches import hold_all
from ...poses.newton import solve_here
from ...symbolic.branches import WHOLE
from ...symbolic.loads import DISSIPATED, SUPPLIED
from ...tolerances import (
    APPROACH_FLOOR,
    DECISION_MARGIN,
    FRICTION_TOLERANCE,
    GUARD_CHANGE,
    IMPACT_AGREEMENT,
    JUMP_ROUNDOFF,
    PARALLEL_ANGLE,
    SHORTFALL_TOLERANCE,
    SLOPE_AGREEMENT,
    TURN_ANGLE,
)
from .contact_forces import (
    ALONG,
    COEFFICIENT,
    FRICTION,
    LAWS,
    NORMAL,
    RESTITUTION,
    SLOWNESS,
    STATIC,
    HeldForces,
    hold_normal,
    invert,
    normal_force,
    put_rate,
    slip_varied,
    take_rows,
    vary_held,
    vary_stage,
)
from .jumps import agreed, grazes, instant_moved, is_smooth, start_time_slopes
from .linear import (
    BEND_OF,
    GAP_OF,
    MOMENTUM,
    RATE,
    SIZE_OF,
    SLIP_OF,
    SURFACE,
    Linear,
    linearise_at,
    put_changes,
    put_right,
    take_given,
    vary_places,
)
from .saltation import Saltation, linearise_surfaces, read_surfaces, vary_surfaces
from .tree import JointTree, from_bodies, hold_here, linearise_tree_at, to_bodies, unfold_state

RATE_FLOOR = 10.0
"""The rate of a gap is zero where impacts are passed on if it is at most so many times the approach that counts as none
(`motion.contact.impacts.NO_APPROACH`). Rates that die out in a row of impacts are larger until the last one."""
GIVES_ENERGY = -1
"""A status of `make_impact`: Newton's law would give energy, and Poisson's law takes its place."""


@compiled_apart
def linearise_passing(
    march: IntegratorState, own: Linear, held: HeldForces, tree: JointTree, t: float, y: Vector, dy: Vector
) -> int:
    """Linearise the equations, with the forces of contacts, at a state y, and put y' into dy; return a status. Call
    `leave_passing` afterwards."""
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    linearise_surfaces(march, own, tree, t, y, dy)
    hold_here(held, tree, march.mechanism, 0)
    return status


@compiled_apart
def leave_passing(march: IntegratorState) -> None:
    """Put the run back to where it stood before `linearise_passing`."""
    put_back(march)


# --- guards -----------------------------------------------------------------------------------------------------------


@compiled_apart
def vary_guards(
    own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, slopes: Matrix, loads: Matrix,
    forces: Matrix, out: Matrix,
) -> None:  # fmt: skip
    """Put the changes of the guards of all contacts into `out`, (ways, entries), at the linearised state, from changes
    of y, of y', of multipliers and of forces."""
    contacts, state = mechanism.contacts, mechanism.state
    take_given(own)
    for p in range(dys.shape[0]):
        dv = dys[p, state.v_at : state.v_end]
        put_changes(own, mechanism, y, p, dys[p])
        for level in (GAP_OF, SLIP_OF, BEND_OF, SIZE_OF):
            put_right(own, p, level)
        for c in range(contacts.gap_row.size):
            e, gap = contacts.points.entry[c], contacts.gap_row[c]
            if gap >= 0:
                is_open = contacts.state[c] == OPEN
                out[p, e] = -own.right[own.first[GAP_OF] + gap] if is_open else forces[p, gap]
                e += 1
            out[p, e : e + contacts.slip_count[c]] = 0.0
            if contacts.slip_count[c] > 0 and contacts.state[c] == CLOSED and not never_sticks(contacts, c):
                for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
                    slip = dot(contacts.delassus.G[row], dv[: contacts.delassus.G.shape[1]])
                    slip -= own.right[own.first[SLIP_OF] + row]
                    out[p, e] += contacts.sliding.heading[row] * slip
            elif contacts.slip_count[c] > 0 and contacts.state[c] == STICKING:
                out[p, e] = _vary_hold(own, held, contacts, p, c, loads[p], forces[p])
            elif contacts.slip_count[c] > 0 and contacts.state[c] == INCIPIENT:
                _vary_beginning(own, contacts, c, dv, slopes[p, state.v_at : state.v_end], forces[p], out[p, e : e + 2])
            e += contacts.slip_count[c]
            for d in range(components(contacts, c)):
                out[p, e + d] = 0.0
            for d in range(components(contacts, c)):
                out[p, e] += contacts.normals.fixed_direction[3 * c + d] * _vary_component(
                    own, contacts, c, d, loads[p]
                )


@compiled
def _vary_hold(
    own: Linear, held: HeldForces, contacts: Contacts, p: int, c: int, loads: Vector, forces: Vector
) -> float:
    """Return the change of μ N - |f| of a point that sticks."""
    normals = contacts.normals
    sizes = own.right[own.first[SIZE_OF] : own.first[SIZE_OF + 1]]
    first, normal, pressed = contacts.slip_row[c], abs(normal_force(contacts, c, True)), 0.0
    coefficient = (
        -sizes[contacts.laws.coefficient[c] + 1]
        if contacts.laws.coefficient[c] >= 0
        else held.moved[p, LAWS * c + STATIC]
    )
    if contacts.gap_row[c] >= 0:
        pressed = forces[contacts.gap_row[c]]
    elif normals.row_count[c] == 0:
        pressed = -sizes[normals.output[c] + 1]
    else:
        for d in range(normals.components[c] if normal > 0.0 else 0):
            part = component(contacts, c, d, contacts.delassus.amount) / normal
            pressed += part * _vary_component(own, contacts, c, d, loads)
    change, size = coefficient * normal + static_coefficient(contacts, c) * pressed, across(contacts, c, contacts.force)
    for row in range(first, first + contacts.slip_count[c] if size > 0.0 else first):
        change -= contacts.force[row] / size * forces[row]
    return change


@compiled
def _vary_beginning(
    own: Linear, contacts: Contacts, c: int, dv: Vector, da: Vector, forces: Vector, out: Vector
) -> None:
    """Put the changes of both guards of a slip that begins in space into `out`, from changes of velocities,
    accelerations and forces: of the force d by which friction falls short, and of d/|f| or of the angle between slip
    and friction, whichever ends the state. The response w of the slip along its friction is held: laws are the same on
    both sides of the second guard to the square of d/|f|, so its time may be right to this part."""
    delassus, force, slip = contacts.delassus, across(contacts, c, contacts.force), speed_of(contacts, c)
    w = of_d = of_force = of_slip = along = aside = of_aside = 0.0
    first, end, n = contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c], delassus.G.shape[1]
    for i in range(delassus.used_count[0]):
        for j in range(delassus.used_count[0]):
            if first <= delassus.used[i] < end and first <= delassus.used[j] < end:
                w += contacts.force[delassus.used[i]] * delassus.W[i, j] * contacts.force[delassus.used[j]] / force**2
    for row in range(first, end):
        e, rate = contacts.force[row] / force, dot(delassus.G[row], dv[:n]) - own.right[own.first[SLIP_OF] + row]
        of_d -= e * (dot(delassus.G[row], da[:n]) - own.right[own.first[BEND_OF] + row]) / w
        of_force, along = of_force + e * forces[row], along + e * contacts.motion.rate[row]
        of_slip += contacts.motion.rate[row] * rate / slip if slip > 0.0 else 0.0
    for row in range(first, end):
        part = contacts.motion.rate[row] - along * contacts.force[row] / force
        rate = dot(delassus.G[row], dv[:n]) - own.right[own.first[SLIP_OF] + row]
        aside, of_aside = aside + part * part, of_aside + part * (rate - along * forces[row] / force)
    d = contacts.sliding.friction_deficit[c] / force
    out[0] = of_d + FRICTION_TOLERANCE * of_force
    if abs(d - RISEN) < SHORTFALL_TOLERANCE * RISEN or abs(d - FAR) < SHORTFALL_TOLERANCE * FAR or aside == 0.0:
        out[1] = (d * of_force - of_d) / force
    else:
        out[1] = ((TURN_ANGLE if d < RISEN else PARALLEL_ANGLE) * of_slip - of_aside / np.sqrt(aside)) / slip


@compiled
def _vary_component(own: Linear, contacts: Contacts, c: int, d: int, loads: Vector) -> float:
    """Return the change of component d of the normal force of a joint."""
    normals = contacts.normals
    total, rows = 0.0, normals.row_count[c]
    multipliers = own.to.factors[own.to.factors.size - own.forces.size - loads.size :]
    for r in range(rows):
        place, row = normals.output[c] + d * rows + r, normals.first_row[c] + r
        total += normals.factors[place] * loads[row]
        total -= own.right[own.first[SIZE_OF] + place] * multipliers[row]
    return total


@compiled_apart
def vary_slips(own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, out: Matrix) -> None:
    """Put the changes of the rates of the rows in use into `out`, (ways, rows in use), at the linearised state."""
    take_given(own)
    for p in range(dys.shape[0]):
        put_changes(own, mechanism, y, p, dys[p])
        put_right(own, p, SLIP_OF)
        for i in range(out.shape[1]):
            out[p, i] = slip_varied(held, own, i, dys[p, mechanism.state.v_at : mechanism.state.v_end])


@compiled_apart
def straighten(
    own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, dy: Vector, times: Vector
) -> None:
    """Reduce the changes δs across its direction d of each slip s in space that has crept straight for a time T, at a
    change of contacts. The run holds d in these steps, so that δs stays; by the law of friction δs decreases with the
    slip, δs ~ |s|, by the part r = aT/(|s| + aT) for the deceleration a, and by r = 1 where the slip stops. Velocities
    change by δv = -r X W⁻¹ δs, and places by T δv/2."""
    contacts, state, n = mechanism.contacts, mechanism.state, own.columns
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    take_given(own)
    for p in range(dys.shape[0]):
        dq, dv = dys[p, : state.q_end], dys[p, state.v_at : state.v_end]
        put_changes(own, mechanism, y, p, dys[p])
        put_right(own, p, SLIP_OF)
        for i in range(held.size[0, 0]):
            c, count, along, slip, slows = held.point[i], held.slips[i], 0.0, 0.0, 0.0
            if held.lead[i] != i or count < 2 or times[c] == 0.0 or contacts.state[c] != CLOSED:
                continue
            heading = contacts.sliding.heading[contacts.slip_row[c] :]
            held.equations.u[:] = 0.0
            for k in range(count):
                row = held.used[i + k]
                held.equations.u[k] = slip_varied(held, own, i + k, dv)
                along += heading[k] * held.equations.u[k]
                slip += heading[k] * contacts.motion.rate[row]
                slows -= heading[k] * times[c] * (dot(held.G[i + k], dy[state.v_at :][:n]) - contacts.motion.gamma[row])
            if slows <= 0.0:
                continue
            part = slows / (max(slip, 0.0) + slows)
            for j in range(held.equations.matrix.shape[0]):
                for k in range(held.equations.matrix.shape[0]):
                    held.equations.matrix[j, k] = 1.0 if j == k else 0.0
            for j in range(count):
                held.equations.u[j] = part * (held.equations.u[j] - along * heading[j])
                for k in range(count):
                    held.equations.matrix[j, k] = contacts.delassus.W[i + j, i + k]
            factorise(held.equations.matrix, held.equations.order)
            solve(held.equations.matrix, held.equations.order, held.equations.u)
            change = own.way[n : 2 * n]
            change[:] = 0.0
            for k in range(count):
                axpy(-held.equations.u[k], held.X[i + k], change)
            axpy(1.0, change, dv[:n])
            change *= 0.5 * times[c]
            axpy(1.0, change, own.way[:n])
            _keep_turning(mechanism, change, v, dv)
        vary_places(mechanism.machine.manifold, q, own.way, dq)


@compiled
def _keep_turning(mechanism: Mechanism, change: Vector, v: Vector, dv: Vector) -> None:
    """Let ω stay in the axes of the world where places change by a small motion."""
    for k in range(mechanism.machine.manifold.quaternions.shape[0]):
        of = mechanism.machine.manifold.quaternions[k, 1]
        for i1, i2, i3 in ((of, of + 1, of + 2), (of + 1, of + 2, of), (of + 2, of, of + 1)):
            dv[i1] -= change[i2] * v[i3] - change[i3] * v[i2]


@compiled_apart
def displace(own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, motions: Matrix) -> None:
    """Add small motions, (ways, columns), to the changes of places."""
    state, n = mechanism.state, own.columns
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    take_given(own)
    for p in range(dys.shape[0]):
        put_changes(own, mechanism, y, p, dys[p])
        axpy(1.0, motions[p], own.way[:n])
        _keep_turning(mechanism, motions[p], v, dys[p, state.v_at : state.v_end])
        vary_places(mechanism.machine.manifold, q, own.way, dys[p, : state.q_end])


# --- impacts ----------------------------------------------------------------------------------------------------------


@compiled_apart
def begin_impact(march: IntegratorState, t: float, passed: Vector, modes: Vector, turned: Vector, lands: int) -> None:
    """Prepare to make the impact of a run again, with the branches and states `turned`, if there are any, and `modes`
    behind it. With `lands`, gaps that stay closed behind it do not bounce."""
    search, mechanism = march.search, march.mechanism
    contacts = mechanism.contacts
    if turned.size > 0:
        copy(turned, mechanism.switches.mode)
        hold_all(mechanism)
    search.instant[0], search.status[0] = t, DONE
    contacts.choice.jump_pace[0], contacts.impact_log.filled[0] = 0.0, 0
    for k in range(passed.size):
        search.guards.passes_zero[k] = int(passed[k])
    for c in range(contacts.gap_row.size):
        stays = contacts.gap_row[c] >= 0 and modes[first_entry(mechanism, c)] == CLOSED
        contacts.choice.lands[c] = lands if stays else 0


@compiled_apart
def meeting_points(march: IntegratorState, y: Vector, points: Integers, fastest: Vector) -> int:
    """Put 1 into `points`, (contacts,), for those that meet next at the state y, and evaluate their rates: all that
    touch, or where impacts are passed on those that approach, and none where no approach is left. `fastest` is the
    fastest approach so far. Return a status."""
    search, contacts = march.search, march.mechanism.contacts
    if not prepare_impact(search, y):
        return search.status[0]
    choice, over = contacts.choice, False
    if choice.in_turn[0] == 1:
        approach = put_approaching(contacts)
        fastest[0] = max(fastest[0], approach)
        over = is_over(contacts, approach, fastest[0])
    for c in range(points.size):
        points[c] = 0 if over else choice.touching[c] if choice.in_turn[0] == 1 else choice.meeting[c]
    return DONE


@compiled_apart
def make_impact(march: IntegratorState, points: Integers, y: Vector) -> int:
    """Let these points meet at the state y, which becomes that behind; impulses stand in `amount`. Return a status."""
    mechanism = march.mechanism
    status = put_impulses(mechanism, points)
    if status == DONE and gives_energy(mechanism.contacts):
        return GIVES_ENERGY
    if status == DONE:
        _add_jump(mechanism, y)
    return status


@compiled_apart
def compress(march: IntegratorState, points: Integers, y: Vector) -> int:
    """Let these points meet by the compression of Poisson's law at the rates evaluated last: y becomes the state behind
    it, and its impulses stand in `amount`. Return a status."""
    contacts = march.mechanism.contacts
    write_compression(march.mechanism, points)
    contacts.corrections.corrected[0] = 0
    if not solve_laws(contacts):
        return UNSOLVED
    take_solution(contacts)
    _add_jump(march.mechanism, y)
    return DONE


@compiled_apart
def expand(
    march: IntegratorState, points: Integers, y: Vector, compression: Vector, rebound: Vector, lands: Integers
) -> int:  # fmt: skip
    """Let these points part by the expansion that follows a compression with these impulses, (rows in use): y becomes
    the state behind it, and the impulses of the expansion stand in `amount`. Put the impulses e P_n of gaps, which are
    the least ones, into `rebound`. `lands` are the points that do not bounce. Return a status."""
    contacts, n = march.mechanism.contacts, march.mechanism.contacts.delassus.used_count[0]
    delassus = contacts.delassus
    if not prepare_impact(march.search, y):
        return march.search.status[0]
    copy(lands, contacts.choice.lands)
    write_expansion(contacts, points)
    contacts.choice.lands[:] = 1
    for i in range(n):
        rebound[i] = delassus.amount[i] - compression[i]
    if not solve_laws(contacts):
        return UNSOLVED
    copy(rebound[:n], delassus.amount)
    add_expansion(contacts)
    _add_jump(march.mechanism, y)
    return DONE


@compiled
def _add_jump(mechanism: Mechanism, y: Vector) -> None:
    """Add the jump of velocities by the impulses in `amount` to the state y."""
    put_jump(mechanism)
    axpy(1.0, mechanism.machine.x[: mechanism.machine.norm.size], y[mechanism.state.v_at : mechanism.state.v_end])


@compiled_apart
def hold_impact(held: HeldForces, mechanism: Mechanism, points: Integers, rebound: Vector, sticks: Integers) -> None:
    """Put the linearised impulses of the last impact, of these points, on the first shelf, and 1 into `sticks` for each
    row in use that has an equation: a gap with a larger impulse than that of its rebound, and a slip that stops."""
    contacts, n, number, largest = mechanism.contacts, 0, 0, 0.0
    delassus = contacts.delassus
    take_rows(held, contacts, 0)
    for i in range(delassus.used_count[0]):
        largest = max(largest, abs(delassus.amount[i]))
    for c in range(contacts.gap_row.size):
        if points[c] == 0:
            continue
        gaps, normal, pressed = 1 if contacts.gap_row[c] >= 0 else 0, n, 0.0
        if gaps == 1:
            pressed = delassus.amount[number] if delassus.amount[number] > FRICTION_TOLERANCE * largest else 0.0
            rate, rests = contacts.motion.rate[contacts.gap_row[c]], contacts.state[c] != OPEN
            for one in (rate, rate + delassus.rate_change[number]):
                rests = rests and abs(one) <= DECISION_MARGIN * contacts.choice.jump_pace[0]
            sticks[number] = 1 if pressed - rebound[number] > FRICTION_TOLERANCE * largest or rests else 0
            n = _hold_impulse(held, contacts, number, n, sticks[number])
        else:
            pressed = pressure(contacts, c, delassus.amount)
            for d in range(contacts.normals.components[c] if pressed > 0.0 else 0):
                along = component(contacts, c, d, delassus.amount) / pressed
                contacts.normals.direction[COMPONENTS * c + d] = along
        begin, end = number + gaps, number + gaps + contacts.slip_count[c]
        friction = np.sqrt(dot(delassus.amount[begin:end], delassus.amount[begin:end]))
        stops = friction < (1.0 - FRICTION_TOLERANCE) * kinetic_coefficient(contacts, c) * pressed
        if gaps == 0 and not stops and friction > 0.0:
            normal = n
            hold_normal(held, mechanism, c, n, n)
            n += 1
        if not stops and friction > 0.0:
            _put_directions(held, contacts, c, begin, end, friction)
        for i in range(begin, end):
            held.facts[i, NORMAL], sticks[i] = pressed, 1 if stops else 0
            if stops:
                n = _hold_impulse(held, contacts, i, n, 1)
            elif friction > 0.0:
                n = _hold_sliding(held, contacts, c, i, n, normal)
        number = end
    held.size[0, 0], held.size[0, 1], held.size[0, 2] = delassus.used_count[0], n, 0
    invert(held, 0)


@compiled
def _put_directions(held: HeldForces, contacts: Contacts, c: int, begin: int, end: int, friction: float) -> None:
    """Put the direction d, μ and 1/|w⁺| of a slip that goes on behind an impact into the facts of its rows, which stand
    from `begin` to `end`."""
    delassus, square = contacts.delassus, 0.0
    for i in range(begin, end):
        square += (contacts.motion.rate[delassus.used[i]] + delassus.rate_change[i]) ** 2
    for i in range(begin, end):
        facts = held.facts[i]
        facts[COEFFICIENT], facts[ALONG] = kinetic_coefficient(contacts, c), -delassus.amount[i] / friction
        facts[SLOWNESS] = 1.0 / np.sqrt(square) if square > 0.0 and end > begin + 1 else 0.0
        held.curve[i] = contacts.laws.coefficient[c]


@compiled
def _hold_sliding(held: HeldForces, contacts: Contacts, c: int, i: int, n: int, normal: int) -> int:
    """Put equation n, for a row whose slip goes on: u + μ d δP_n + μ P_n (1 - d dᵀ) δw⁺/|w⁺| = 0. Return n + 1."""
    facts = held.facts[i]
    held.about[n], held.T[i, n], held.E[n, n] = -1, 1.0, 1.0
    held.E[n, normal] += facts[COEFFICIENT] * facts[ALONG]
    for k in range(held.lead[i], held.lead[i] + held.slips[i]):
        if contacts.constrained.state[contacts.delassus.used[k]] == FREE:
            turn = (1.0 if i == k else 0.0) - facts[ALONG] * held.facts[k, ALONG]
            held.C[n, k] = facts[COEFFICIENT] * facts[NORMAL] * facts[SLOWNESS] * turn
    return n + 1


@compiled
def _hold_impulse(held: HeldForces, contacts: Contacts, number: int, n: int, acts: int) -> int:
    """Put equation n: the row with this number in use has the rate that its law asks for, or no impulse. Return
    n + 1."""
    held.about[n], held.T[number, n] = number, 1.0
    put_rate(held, contacts, n, n, number, acts)
    return n + 1


@compiled_apart
def fixed_velocity_slopes(
    own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, moved: Vector, of_time: int, momenta: Matrix,
    joints: Matrix, rows: Matrix, sizes: Matrix,
) -> None:  # fmt: skip
    """Put the slopes of momenta, of the rates of joints and of those of contacts, at fixed velocities, along changes of
    places, of numbers and of the instant, which moves by `moved`. Row `of_time` is the change by time. Put the slopes
    of the readings that bound friction, which include changes of velocities, into `sizes`."""
    n = own.columns
    take_given(own)
    for p in range(dys.shape[0]):
        for k in range(own.given.shape[1]):
            own.given[p, k] += moved[p] * own.given[of_time, k] if p != of_time else 0.0
        put_changes(own, mechanism, y, p, dys[p])
        put_right(own, p, SIZE_OF)
        own.way[n : 2 * n] = 0.0
        for level in (RATE, SLIP_OF, MOMENTUM):
            put_right(own, p, level)
        for k in range(sizes.shape[1]):
            sizes[p, k] = -own.right[own.first[SIZE_OF] + k]
        for k in range(momenta.shape[1]):
            momenta[p, k] = -own.right[own.first[MOMENTUM] + k]
        for k in range(joints.shape[1]):
            joints[p, k] = -own.right[own.first[RATE] + k]
        for k in range(rows.shape[1]):
            rows[p, k] = -own.right[own.first[SLIP_OF] + k]


@compiled_apart
def vary_jump(
    own: Linear, held: HeldForces, mechanism: Mechanism, dys: Matrix, momenta: Matrix, joints: Matrix,
    before: Matrix, behind: Matrix, sizes: Matrix, still: Matrix, still_joints: Matrix, after: Vector,
    impulses: Vector, reactions: Vector, forces: Matrix,
) -> None:  # fmt: skip
    """Replace `dys`, the changes of the state before an impact, by those behind it. Put the changes of impulses into
    `forces`, and those of the rates of contacts before and behind the impact into `before` and `behind`."""
    contacts, machine, state, n = mechanism.contacts, mechanism.machine, mechanism.state, own.columns
    motion = contacts.motion
    own.right[own.first[SLIP_OF] : own.first[MOMENTUM]] = 0.0
    often, m = refinements(mechanism), held.size[0, 0]
    for p in range(dys.shape[0]):
        dv, works = dys[p, state.v_at : state.v_end], dys[p, state.works_at :]
        for k in range(n):
            machine.f[k] = -momenta[p, k]
        for k in range(machine.g.size):
            machine.g[k] = -joints[p, k]
        subtract_rates(machine, 1.0, dv)
        solve_here(machine, often)
        for i in range(m):
            row = held.used[i]
            c, along = held.point[i], dot(held.G[i], dv[: held.G.shape[1]])
            before[p, row] += along
            behind[p, row] += along
            right = -behind[p, row]
            if contacts.gap_row[c] == row and contacts.choice.lands[c] == 0 and motion.rate[row] < 0.0:
                right -= contacts.laws.restitution[c] * before[p, row]
                right -= held.moved[p, LAWS * c + RESTITUTION] * motion.rate[row]
            own.right[own.first[BEND_OF] + row] = right
        for k in range(sizes.shape[1]):
            own.right[own.first[SIZE_OF] + k] = -sizes[p, k]
        vary_held(held, own, mechanism, p, 0, dv, forces[p])
        axpy(1.0, machine.x[:n], dv[:n])
        for i in range(m):
            row, force = held.used[i], forces[p, held.used[i]]
            behind[p, row] += dot(held.G[i], machine.x[: held.G.shape[1]])
            works[DISSIPATED] -= 0.5 * force * (motion.rate[row] + after[row])
            works[DISSIPATED] -= 0.5 * impulses[row] * (before[p, row] + behind[p, row])
            works[SUPPLIED] += force * motion.nu[row] - impulses[row] * still[p, row]
        for k in range(reactions.size):
            works[SUPPLIED] -= machine.multipliers[k] * machine.nu[k] - reactions[k] * still_joints[p, k]


# --- a change ---------------------------------------------------------------------------------------------------------


class ChangeEquations(NamedTuple):
    """The linearised equations at changes of contacts, by the parameters, by time, and by each number of y: those of
    the run, or, in joint coordinates, of its bodies."""

    march: IntegratorState
    """The run of the bodies, which repeats impacts."""
    own: Linear
    held: HeldForces
    tree: JointTree


class ContactPassage:
    """The passage of a run through a change of contacts: one linear map from changes of y before it to changes of y
    behind it."""

    def __init__(
        self, march: IntegratorState, equations: ChangeEquations, place: Saltation, sizes: np.ndarray, count: int,
        mixed: np.ndarray | None = None,
    ):  # fmt: skip
        """The run stands behind the step before the place, with the contacts that were held in it. There are `count`
        parameters, which change together with those asked for in the proportions `mixed`, (count, parameters), if it is
        given; `sizes` are the switching functions at the beginning of the step."""
        self.march, self.equations, self.place, self.count, self.mixed = march, equations, place, count, mixed
        self.bodies, self.own, self.held, self.tree = equations
        mechanism: Any = self.bodies.mechanism
        self.y, self.why = march.stages.y0.copy(), ""
        self.f_before, self.f_behind = np.zeros_like(self.y), place.entry[HEAD + self.y.size :][: self.y.size].copy()
        read_surfaces(march, place.t, self.y, self.f_before)
        self.values, switches = np.abs(march.mechanism.switches.guard), march.mechanism.switches
        self.status = linearise_passing(march, self.own, self.held, self.tree, place.t, self.y, self.f_before)
        if self.status != DONE:
            return
        self.straight = place.straight
        self.first_guard = switches.kinds.size - mechanism.contacts.points.entries
        self.passed = np.flatnonzero(place.passed_zero[self.first_guard :])
        self.of_bodies, self.slope_of_bodies = self.y, self.f_before
        self.behind = place.entry[HEAD:][: self.y.size].copy()
        if self.has_joints:
            self.of_bodies, self.slope_of_bodies, behind = self.tree.y.copy(), self.tree.dy.copy(), self.behind.copy()
            unfold_state(self.tree, march.mechanism, behind)
            self.behind = self.tree.before.copy()
        self.sizes, self.closes = sizes, bool(self._gaps().size)
        self.bends = not self.closes and place.is_impact and bool(place.passed.size)
        self.stops = self.turns = False
        """`stops`: whether all that passes zero here are slips that stop, and nothing sets out. `turns`: whether one of
        these slips is in space: its direction was held in the steps before."""
        self.moved = np.zeros(0)
        """How the time of the change moves along each way, (ways,); `ways` sets it."""
        self._edge = np.zeros(0, dtype=bool)
        """Whether neighbours along each way meet in another way, (ways,)."""
        self._impulses_varied = np.zeros((0, 0))
        """The changes of the impulses of the last impact, (ways, rows)."""

    @property
    def has_joints(self) -> bool:
        return bool(self.tree.row.size)

    @property
    def _rates_go_on(self) -> bool:
        """Return whether the rates of states of the model are the same before and behind the change."""
        state = self.march.mechanism.state
        return is_smooth(self.f_before[state.z_at : state.q_end], self.f_behind[state.z_at : state.q_end])

    def _to_bodies(self, dys: np.ndarray) -> np.ndarray:
        """Return the changes of bodies, (ways, y), from those of y."""
        if not self.has_joints:
            return dys
        to_bodies(self.tree, self.march.mechanism, self.y, dys)
        return np.array(self.tree.changes[: len(dys)])

    def _from_bodies(self, dys: np.ndarray) -> np.ndarray:
        """Return the changes of y, (ways, y), from those of bodies."""
        if not self.has_joints:
            return dys
        found = np.zeros((len(dys), self.y.size))
        self.tree.changes[: len(dys)] = dys
        from_bodies(self.tree, self.march.mechanism, self.y, found)
        return found

    def _independent_guards(self) -> list[int]:
        """Return the numbers, among the guards that pass, of those that pass independently. Where joints make two slips
        one motion, W = G M⁻¹ Gᵀ of these has no rank: both stop at one instant in each neighbouring run, too."""
        contacts: Any = self.bodies.mechanism.contacts
        delassus, found, slips = contacts.delassus, list[int](), list[int]()
        number_of = {int(row): i for i, row in enumerate(delassus.used[: delassus.used_count[0]])}
        slip_of = {}
        for c in range(contacts.gap_row.size):
            if contacts.slip_count[c] == 1 and contacts.state[c] == CLOSED:
                first = int(contacts.points.entry[c]) + int(contacts.gap_row[c] >= 0)
                slip_of[first] = number_of[int(contacts.slip_row[c])]
        W = delassus.W
        for k, entry in enumerate(self.passed):
            i = slip_of.get(int(entry))
            if i is not None:
                if any(
                    abs(W[i, i] * W[j, j] - W[i, j] * W[j, i]) <= SLOPE_AGREEMENT * W[i, i] * W[j, j] for j in slips
                ):
                    continue
                slips.append(i)
            found.append(k)
        return found

    def _gaps(self) -> np.ndarray:
        """Return the numbers, among the guards, of the gaps that are open and close here."""
        contacts: Any = self.bodies.mechanism.contacts
        gaps = (contacts.gap_row >= 0) & (contacts.state == OPEN)
        return np.intersect1d(contacts.points.entry[gaps], self.passed)

    @property
    def strikes(self) -> bool:
        """Return whether there is an impact: a gap closes, or a point passes a kink of a surface and meets the piece
        that begins there."""
        return self.closes or self.bends

    def _goes_on(self) -> bool:
        """Return whether y' is the same before and behind the change, within the roundoff of forces."""
        if self.strikes or not self._rates_go_on:
            return False
        contacts, v_at = cast(Any, self.bodies.mechanism).contacts, self.march.mechanism.state.v_at
        m = int(self.held.size[0, 0]) if self.held.size.size else 0
        pushed = np.abs(contacts.force[self.held.used[:m], None] * self.held.X[:m]).max(initial=0.0)
        jump, size = np.abs(self.f_behind - self.f_before)[v_at:], np.abs(self.f_before)[v_at:].max(initial=0.0)
        return bool(
            jump.max(initial=0.0) <= JUMP_ROUNDOFF * max(size, np.abs(self.f_behind[v_at:]).max(initial=0.0), pushed)
        )

    def _slips(self) -> list[tuple[int, int, bool]]:
        """Return the point and the first guard of each slip that is closed, and whether it sticks behind the change."""
        contacts: Any = self.bodies.mechanism.contacts
        found = list[tuple[int, int, bool]]()
        modes = self.place.entry[self.place.entry.size - contacts.points.entries :]
        for c in np.flatnonzero((contacts.state != OPEN) & (contacts.slip_count > 0)).tolist():
            gaps = int(contacts.gap_row[c] >= 0)
            k, closed = int(contacts.points.entry[c]) + gaps, not gaps or modes[contacts.points.entry[c]] == CLOSED
            found.append((c, k, bool(closed and not modes[k : k + contacts.slip_count[c]].any())))
        return found

    def _join_shares(
        self, changes: np.ndarray, slopes: np.ndarray, loads: np.ndarray, forces: np.ndarray, guards: np.ndarray,
        jumps: bool,
    ) -> np.ndarray:  # fmt: skip
        """Return the changes of guards where contacts share a load, with one guard for all frictions that set out.

        Frictions that share a load pass their bounds together, when none can take more. Each guard g_i = μ N_i - |f_i|
        depends on the shares; the sum Σ w_i g_i that does not tells the instant. It has the w_i of the motion that
        begins, along which shares do no work. Another guard that depends on shares has no derivative where y' `jumps`.
        """
        own, held, mechanism = self.own, self.held, cast(Any, self.bodies.mechanism)
        contacts, n, m, found = mechanism.contacts, int(held.size[0, 1]), int(held.size[0, 0]), guards.copy()
        begins = [k for c, k, sticks in self._slips() if contacts.state[c] == STICKING and not sticks]
        A, used = held.E[:n, :n] + held.reach[:n, :m] @ held.T[:m, :n], held.used[:m]
        null, depends = (np.eye(n) - held.inverse[:n, :n] @ A).T @ held.T[:m, :n].T, list[np.ndarray]()
        for shares in null[np.abs(null).max(axis=1) > SLOPE_AGREEMENT]:
            more, here = forces[:1].copy(), guards[:1].copy()
            more[0, used] += shares
            known = own, held, mechanism, self.of_bodies, changes[:1].copy(), slopes[:1].copy()
            vary_guards(*known, loads[:1] + shares @ held.L[:m], more, here)
            depends.append((here - guards[:1])[0])
        by_shares = np.array(depends).reshape(-1, guards.shape[1])
        if begins and len(by_shares):
            _, sizes, turned = np.linalg.svd(by_shares[:, begins])
            if (sizes > SLOPE_AGREEMENT * sizes.max(initial=1.0)).sum() == len(begins) - 1:
                weights = turned[-1] / turned[-1][np.abs(turned[-1]).argmax()]
                found[:, begins], by_shares[:, begins] = (guards[:, begins] @ weights)[:, None], 0.0
        largest = np.abs(by_shares).max(initial=0.0)
        free = np.abs(by_shares[:, self.passed]).max(axis=0, initial=0.0) <= SLOPE_AGREEMENT * largest
        if jumps and not free.all():
            found[:, self.passed[~free]] = np.nan
            shares = "contacts that share a load change, at a time that depends on their shares, which are not unique"
            self.why = f"at t = {self.place.t:.6g} {shares}; let fewer points touch"
        return found

    def _straighten_stops(self, dys: np.ndarray) -> None:
        """Correct the changes of places of bodies, in place, where slips in space stop whose direction was held for the
        times T_i. Changes δs_i across a direction were held with it. By the law of friction they decrease with the time
        τ that is left, |s_i| = a_i τ:

            δv' = -Xᵀ H c P δs/τ,   c = μ N/a,   P = 1 - d dᵀ,   δs ~ τ^K,   K = G Xᵀ H c P,

        so that places change by -Xᵀ H c T P (1 + K)⁻¹ δs in comparison. H = 1 - T A⁻¹ (C G Xᵀ + D Lᵀ) adds the effect
        of normal forces, which change with these frictions (`contact_forces`)."""
        own, held, mechanism = self.own, self.held, cast(Any, self.bodies.mechanism)
        contacts, m, columns = mechanism.contacts, int(held.size[0, 0]), held.X.shape[1]
        accelerations = self.slope_of_bodies[mechanism.state.v_at :][:columns]
        rates, P, c, T = np.zeros((len(dys), m)), np.zeros((m, m)), np.zeros(m), np.zeros(m)
        vary_slips(own, held, mechanism, self.of_bodies, dys, rates)
        for point, _, sticks in self._slips():
            if not sticks or contacts.state[point] != CLOSED or contacts.slip_count[point] < 2:
                continue
            first = contacts.slip_row[point]
            rows = np.arange(first, first + contacts.slip_count[point])
            lines = np.flatnonzero(np.isin(held.used[:m], rows))
            d = contacts.sliding.heading[rows]
            slows = d @ (contacts.motion.gamma[rows] - contacts.delassus.G[rows] @ accelerations)
            if slows > 0.0 and self.straight[point] > 0.0:
                P[np.ix_(lines, lines)] = np.eye(len(lines)) - np.outer(d, d)
                c[lines] = held.facts[lines, COEFFICIENT] * np.abs(held.facts[lines, NORMAL]) / slows
                T[lines] = self.straight[point]
        n = int(held.size[0, 1])
        H = np.eye(m) - held.T[:m, :n] @ held.inverse[:n, :n] @ held.reach[:n, :m]
        K = held.G[:m] @ held.X[:m].T @ H @ (c[:, None] * P)
        decreased = np.linalg.solve(np.eye(m) + K, rates.T)
        motions = np.zeros((len(dys), own.columns))
        motions[:, :columns] = -(H @ ((c * T)[:, None] * (P @ decreased))).T @ held.X[:m]
        displace(own, mechanism, self.of_bodies, dys, motions)

    def _stopped(self, dys: np.ndarray) -> np.ndarray:
        """Return the changes of bodies behind slips that stop at one instant, from those before it.

        In neighbouring runs they stop one after the other. Meanwhile forces have other values, for a time in proportion
        to the change of a parameter: δv₊ = δv + Xᵀ f with impulses f = T u that leave all that sticks at rest,
        G δv₊ = δν, and the friction of other slips in proportion to their normal forces. There is one such δv₊ whatever
        comes first. These impulses dissipate -f · (G v - ν), and drivers supply f · ν - λ · ν with the impulses λ of
        joints."""
        own, held, mechanism = self.own, self.held, cast(Any, self.bodies.mechanism)
        n, m, dys = int(held.size[0, 1]), int(held.size[0, 0]), dys.copy()
        stops = {c for c, _, sticks in self._slips() if sticks and mechanism.contacts.state[c] == CLOSED}
        gap = mechanism.contacts.gap_row[held.point[:m]] == held.used[:m]
        lines = np.flatnonzero(np.isin(held.point[:m], [*stops]) & ~gap)
        rates, size = np.zeros((len(dys), m)), n + lines.size
        vary_slips(own, held, mechanism, self.of_bodies, dys, rates)
        T, C, A = np.zeros((m, size)), np.zeros((size, m)), np.zeros((size, size))
        T[:, :n], C[:n] = held.T[:m, :n], held.C[:n, :m]
        T[lines] = 0.0
        T[lines, n + np.arange(lines.size)] = C[n + np.arange(lines.size), lines] = 1.0
        reach = np.concatenate([held.reach[:n, :m], held.G[lines] @ held.X[:m].T])
        A[:n, :n] = held.E[:n, :n]
        u = np.linalg.lstsq(A + reach @ T, -C @ rates.T, rcond=SLOPE_AGREEMENT)[0]
        state, motion, impulses = mechanism.state, mechanism.contacts.motion, (T @ u).T
        dys[:, state.v_at : state.v_at + held.X.shape[1]] += impulses @ held.X[:m]
        dys[:, state.works_at + DISSIPATED] -= impulses @ motion.rate[held.used[:m]]
        dys[:, state.works_at + SUPPLIED] += impulses @ motion.nu[held.used[:m]]
        dys[:, state.works_at + SUPPLIED] -= (impulses @ held.L[:m]) @ mechanism.machine.nu
        return dys

    def _time_moved(self, dys: np.ndarray, guards: np.ndarray) -> np.ndarray:
        """Return how the time of the change moves along each way, (ways,), where `guards`, (ways, entries), change with
        the changes `dys` of y; nan where there is no derivative, with the reason in `why`.

        Functions that are zero in the state before pass at times of their own, t_e' = -δg/ġ, and a break moves as it
        is. These have to agree. Other functions pass because these do: a law that jumps with a velocity, a force that
        an impact takes away."""
        place, march, own, t = self.place, self.march, self.own, f"at t = {self.place.t:.6g}"
        laws = np.zeros((len(dys), own.first[SURFACE + 1] - own.first[SURFACE]))
        if place.passed.size:
            vary_surfaces(own, self.tree, march.mechanism, self.y, dys, laws)
        independent = self.passed[self._independent_guards()]
        numbers = np.concatenate([place.passed, self.first_guard + independent])
        changes = np.concatenate([laws[:, place.passed], guards[:, independent]], axis=1)
        rates, sizes, length = changes[self.count], self.sizes[numbers], place.head[1] - place.head[0]
        passes = np.ones(len(numbers), dtype=bool)
        if place.is_composed:
            passes = self.values[numbers] <= SLOPE_AGREEMENT * np.fmax(sizes, np.abs(rates) * length)
            if not length:
                passes = np.isin(numbers, self.first_guard + self._gaps()) if self.strikes else passes | True
            passes = passes if passes.any() or place.breaks else passes | True
            changes, rates, sizes = changes[:, passes], rates[passes], sizes[passes]
        if not rates.size:  # the break changes contacts
            return self._break_moved(len(dys))
        if grazes(rates, length, sizes):
            self.why = f"{t} the motion touches where it switches, and does not pass"
            return np.full(len(dys), np.nan)
        moved, contacts = instant_moved(changes, rates), cast(Any, self.bodies.mechanism).contacts
        stopping = [self.first_guard + k for c, k, sticks in self._slips() if sticks and contacts.state[c] == CLOSED]
        self.stops = bool(np.isin(numbers[passes], stopping).all())
        self.stops = self.stops and not place.breaks and place.step > 0 and self._rates_go_on
        in_space = [c for c, k, _ in self._slips() if self.first_guard + k in stopping and contacts.slip_count[c] > 1]
        self.turns = self.stops and bool(in_space)
        if any(contacts.state[c] == STICKING and not sticks for c, _, sticks in self._slips()):
            self.stops = False  # a load sets out as soon as one of several slips has stopped, or behind the last one
            if self.turns:
                self.why = f"{t} a load sets out where a slip in space stops; part them in time"
        if place.step == 0:
            moved = start_time_slopes(changes, dys[:, : march.mechanism.state.v_end], GUARD_CHANGE)
            if np.isnan(moved[: self.count]).any():
                beside = "in neighbouring runs bodies are apart or overlap there"
                self.why = f"{t} contacts change where the run begins: {beside}; begin a little earlier"
        elif place.breaks:
            scale = np.maximum(np.abs(changes).max(axis=1) / np.abs(rates).max(), np.abs(moved))
            moved = agreed([moved, self._break_moved(len(dys))], scale)
            if np.isnan(moved[: self.count]).any():
                beside = "one comes first in neighbouring runs; move the time of the law"
                self.why = f"{t} contacts change where laws switch in time: {beside}"
        return moved

    def _break_moved(self, ways: int) -> np.ndarray:
        """Return how the time of a break moves along each way, (ways,): with parameters alone."""
        moved = np.zeros(ways)
        moved[: self.count] = self.place.moved if self.mixed is None else self.mixed @ self.place.moved
        return moved

    def ways(self, S: np.ndarray) -> np.ndarray:
        """Return the changes behind the place, as `_ways` does, and put the run back."""
        found = self._ways(S)
        leave_passing(self.march)
        return found

    def _ways(self, S: np.ndarray) -> np.ndarray:
        """Return the changes behind the place from those before it, (ways, y): of the parameters, of time (whose row is
        ignored), and any others; nan where there is no derivative."""
        own, held, place = self.own, self.held, self.place
        mechanism: Any = self.bodies.mechanism
        dys, of_time = np.ascontiguousarray(S, dtype=float).copy(), self.count
        dys[of_time] = self.f_before
        goes_on, changes = self._goes_on(), self._to_bodies(dys)
        known = own, held, mechanism, self.of_bodies, changes
        guards = self._guards(changes, not goes_on)[0]
        moved = self._time_moved(dys, guards)
        self.moved = moved.copy()
        if goes_on:  # a force dies out, or the work of friction
            self.why = ""
            return dys
        moving = slice(mechanism.state.v_at, mechanism.state.v_end)
        slows = SLOPE_AGREEMENT * self.straight.max(initial=0.0) * np.abs(self.slope_of_bodies[moving]).max(initial=0.0)
        largest = max(slows, IMPACT_AGREEMENT * np.abs(self.behind[moving]).max(initial=0.0))
        if self.turns and not self.stops:
            return np.full_like(dys, np.nan)
        if self.turns and np.abs(self.behind - self.of_bodies)[moving].max() > largest:
            step = "the step in which a slip in space stops"
            self.why = f"at t = {place.t:.6g} {step} could not be made again; give a smaller max_step="
            return np.full_like(dys, np.nan)
        if np.isnan(moved).all() and not self.stops:
            return np.full_like(dys, np.nan)
        moved[of_time] = 0.0
        if not self.strikes:
            going_on = self.straight.copy()
            if self.turns:
                self._straighten_stops(changes)
                going_on[[c for c, _, sticks in self._slips() if sticks]] = 0.0
            if going_on.any():
                straighten(*known, self.slope_of_bodies, going_on)
            apart = np.isnan(moved) | self.turns
            if apart.any() and self.stops:
                changes[apart] = self._stopped(changes)[apart]
                moved[apart] = 0.0
            if self.straight.any() or apart.any():
                dys = self._from_bodies(changes)
            return dys + np.outer(moved, self.f_before - self.f_behind)
        dys += np.outer(np.nan_to_num(moved), self.f_before)
        dys[np.isnan(moved)] = np.nan
        dys = self._from_bodies(self._strike(self._to_bodies(dys), np.nan_to_num(moved)))
        return dys - np.outer(moved, self.f_behind)

    def _strike(self, dys: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Return the changes of bodies behind the impact, of neighbours that meet at their own times, from those before
        it. Gaps that stay closed do not bounce, or have passed the impact on."""
        mechanism: Any = self.bodies.mechanism
        moving, self._edge = slice(mechanism.state.v_at, mechanism.state.v_end), np.zeros(len(dys), dtype=bool)
        jump = np.abs(self.behind[moving] - self.of_bodies[moving]).max()
        modes, lands = self.place.entry[-mechanism.switches.mode.size :].copy(), [1, 0]
        laws, turned = self.place.passed, self.march.mechanism.switches.mode.copy()
        is_sign = self.march.mechanism.switches.kinds[laws] != WHOLE  # the next piece of a table is not known
        turned[laws] = np.where(~np.isnan(modes[laws]), modes[laws], np.where(is_sign, -turned[laws], np.nan))
        if self.bends and np.isnan(turned[laws]).any():
            self.why = f"at t = {self.place.t:.6g} an impact at a corner of a table could not be made again"
            return np.full_like(dys, np.nan)
        begin = self.place.t, self.place.passed_zero.copy(), modes, turned if self.bends else turned[:0].copy()
        lands = lands if mechanism.contacts.choice.in_turn[0] else lands[:1]
        for often, choice in product(range(1, 1 + int(self.place.entry[TIMES])), lands):
            begin_impact(self.bodies, *begin, choice)
            y, found = self._impacts(dys, moved, often)
            if np.abs(y[moving] - self.behind[moving]).max() <= IMPACT_AGREEMENT * jump:
                break
        else:
            self.why = f"the impact at t = {self.place.t:.6g} could not be made again; give a smaller rtol="
            return np.full_like(dys, np.nan)
        if self._edge[: self.count].any():
            edge = "an impact lies on the boundary between two laws (stick or slip, part or stay)"
            self.why = f"at t = {self.place.t:.6g} {edge}: neighbouring runs follow one or the other"
        found[self._edge] = np.nan
        if self.has_joints:
            linearise_tree_at(self.tree, self.place.t, y[: mechanism.state.q_end].copy(), y[moving].copy())
        return found

    def _impacts(self, dys: np.ndarray, moved: np.ndarray, often: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the state behind the impacts that begin at the place, and the changes there; nan where one has no
        solution. All points together meet `often` times."""
        march, y = self.bodies, self.of_bodies.copy()
        choice, fastest = march.mechanism.contacts.choice, np.zeros(1)
        points = np.zeros(choice.meeting.size, dtype=np.int64)
        self._edge[:] = False
        for _ in range(MOST if choice.in_turn[0] else often):
            status = meeting_points(march, y, points, fastest)
            if status == DONE and choice.in_turn[0]:
                self._edge |= self._undecided_ways(y, dys, moved)
            if status != DONE or not points.any():
                break
            before = y.copy()
            status = make_impact(march, points, y)
            if status == DONE:
                dys = self._jump(points, before, y, dys, moved)
            elif status == GIVES_ENERGY:
                status, dys = self._jump_in_two(points, y, dys, moved)
            if status != DONE:
                break
        return (y if status == DONE else np.full_like(y, np.nan)), dys

    def _jump_in_two(
        self, points: np.ndarray, y: np.ndarray, dys: np.ndarray, moved: np.ndarray
    ) -> tuple[int, np.ndarray]:
        """Let these points meet by Poisson's law at the state y, which becomes that behind, and return a status and the
        changes there. A gap that parts has the impulse e P_n of the compression, which changes by δe P_n + e δP_n."""
        march, held, contacts = self.bodies, self.held, cast(Any, self.bodies.mechanism).contacts
        lands, before, given = contacts.choice.lands.copy(), y.copy(), held.given[: len(dys)]
        status = compress(march, points, y)
        if status != DONE:
            return status, dys
        used = contacts.delassus.used[: contacts.delassus.used_count[0]].copy()
        compression, rebound = contacts.delassus.amount[: used.size].copy(), np.zeros(contacts.force.size)
        contacts.choice.lands[:] = 1  # with e = 0
        dys = self._jump(points, before, y, dys, moved)
        forces, before = self._impulses_varied, y.copy()
        status = expand(march, points, y, compression, rebound, lands)
        if status == DONE:
            for i, row in enumerate(used):
                c = int(contacts.points.of_row[row])
                if contacts.gap_row[c] == row and not lands[c]:
                    e = contacts.laws.restitution[c]
                    of_e = held.moved[: len(dys), LAWS * c + RESTITUTION]
                    given[:, row] = e * forces[:, row] + of_e * compression[i]
            dys = self._jump(points, before, y, dys, moved, rebound)
            given[:] = 0.0
        contacts.choice.lands[:] = lands
        return status, dys

    def _slopes(self, y: np.ndarray, dys: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the slopes of momenta, of the rates of joints and of contacts, at the velocities of the last
        linearisation, and of the readings that bound friction, along the ways, (ways, ...)."""
        own, mechanism, ways = self.own, cast(Any, self.bodies.mechanism), len(dys)
        sizes = own.columns, mechanism.machine.pattern.m, own.forces.size, own.first[SIZE_OF + 1] - own.first[SIZE_OF]
        found = tuple(np.zeros((ways, size)) for size in sizes)
        fixed_velocity_slopes(own, mechanism, y, dys, moved, self.count, *found)
        return found

    def _undecided_ways(self, y: np.ndarray, dys: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Return a mask of the ways, (ways,), along which the rate of a gap that decides whether its point takes part
        in the next impact at the state y is zero and changes."""
        mechanism: Any = self.bodies.mechanism
        contacts, state, own = mechanism.contacts, mechanism.state, self.own
        v, none = y[state.v_at : state.v_end].copy(), np.zeros(own.forces.size)
        q, loads, G = y[: state.q_end].copy(), np.zeros(mechanism.machine.pattern.m), contacts.delassus.G
        linearise_at(own, self.bodies, self.place.t, q, v, np.zeros_like(v), loads, none)
        *_, rates, _ = self._slopes(y, dys, moved)
        dv = dys[:, state.v_at :][:, : G.shape[1]]
        slopes, terms = rates + dv @ G.T, np.abs(rates) + np.abs(dv) @ np.abs(G).T
        rows = contacts.gap_row[(contacts.gap_row >= 0) & (contacts.choice.meeting == 1)]
        decides = np.abs(contacts.motion.rate[rows]) <= RATE_FLOOR * APPROACH_FLOOR * contacts.choice.jump_pace[0]
        changes = np.abs(slopes[:, rows]) > SLOPE_AGREEMENT * terms.max(axis=1, keepdims=True)
        return (changes & decides).any(axis=1)

    def _jump(
        self, points: np.ndarray, before: np.ndarray, y: np.ndarray, dys: np.ndarray, moved: np.ndarray,
        rebound: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Return the changes of the state y behind the last impact, of these points, from those `before` it. In an
        expansion `rebound` are the least impulses of gaps, (rows in use)."""
        march, own, held, t = self.bodies, self.own, self.held, self.place.t
        mechanism: Any = march.mechanism
        contacts, state, dys = mechanism.contacts, mechanism.state, dys.copy()
        delassus, moving = contacts.delassus, slice(mechanism.state.v_at, mechanism.state.v_end)
        sticks = np.zeros(max(contacts.force.size, 1), dtype=np.int64)
        rebound = np.zeros(contacts.force.size) if rebound is None else rebound
        hold_impact(held, mechanism, points, rebound, sticks)
        used, m = delassus.used[: delassus.used_count[0]].copy(), int(delassus.used_count[0])
        impulses, change, after = np.zeros(own.forces.size), y - before, contacts.motion.rate.copy()
        impulses[used] = delassus.amount[:m]
        after[used] += delassus.rate_change[:m]
        reactions, v, a = mechanism.machine.multipliers.copy(), before[moving], change[moving].copy()
        found = list[tuple[np.ndarray, ...]]()
        for at in (v + change[moving], v, np.zeros_like(v)):
            linearise_at(own, march, t, before[: state.q_end].copy(), at, a, reactions, impulses)
            found.append(self._slopes(before, dys, moved))
        (momenta, joints, behind, _), (_, _, ahead, sizes), (_, of_joints, still, _) = found
        forces = np.zeros_like(behind)
        known = momenta, joints, ahead, behind, sizes, still, of_joints
        vary_jump(own, held, mechanism, dys, *known, after, impulses, reactions, forces)
        self._impulses_varied, least = forces, np.zeros_like(impulses)
        least[used] = rebound[:m]
        self._edge |= self._are_on_edge(sticks, used, impulses, least, after, forces, ahead, behind)
        return dys

    def _are_on_edge(
        self, sticks: np.ndarray, used: np.ndarray, impulses: np.ndarray, least: np.ndarray, after: np.ndarray,
        forces: np.ndarray, before: np.ndarray, behind: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Return a mask of the ways, (ways,), along which an impulse or a rate that decides the law of a point is zero
        and changes: in a neighbouring run another law holds."""
        contacts: Any = self.bodies.mechanism.contacts
        size, pace = np.abs(impulses).max(initial=0.0) or 1.0, float(contacts.choice.jump_pace[0]) or 1.0
        most = np.maximum(np.abs(forces).max(axis=1) / size, np.abs(behind).max(axis=1) / pace)
        found, normal = np.zeros(len(forces), dtype=bool), 0
        for i, row in enumerate(used):
            c, facts = int(contacts.points.of_row[row]), self.held.facts[i]
            coefficient = (
                contacts.laws.friction[c]
                if contacts.laws.coefficient[c] < 0
                else contacts.normals.factors[contacts.laws.coefficient[c]]
            )
            felt = np.abs(contacts.delassus.W[i, : used.size] * impulses[used]).sum()
            if contacts.gap_row[c] == row and sticks[i] and felt <= DECISION_MARGIN * pace:
                normal = row  # the gap stays closed, unaffected by the impact
                continue
            if contacts.gap_row[c] == row:
                normal, back = (
                    row,
                    0.0
                    if contacts.choice.lands[c] or contacts.motion.rate[row] >= 0.0
                    else contacts.laws.restitution[c],
                )
                margin = (impulses[row] - least[row]) / size
                slope = (forces[:, row] - self.held.given[: len(forces), row]) / size
                if not sticks[i]:
                    moved = self.held.moved[:, LAWS * c + RESTITUTION] * (contacts.motion.rate[row] if back else 0.0)
                    margin = (after[row] + back * contacts.motion.rate[row]) / pace
                    slope = (behind[:, row] + back * before[:, row] + moved[: len(forces)]) / pace
            elif self.held.lead[i] != i or coefficient * facts[NORMAL] == 0.0:
                continue
            elif sticks[i] and contacts.gap_row[c] < 0:
                if facts[NORMAL] <= DECISION_MARGIN * size:
                    continue  # the impact does not press the joint
                friction = float(np.linalg.norm(impulses[used[i : i + contacts.slip_count[c]]]))
                margin, slope = (coefficient * facts[NORMAL] - friction) / size, np.full(len(forces), np.inf)
            elif sticks[i]:
                rows = used[i : i + contacts.slip_count[c]]
                friction = float(np.linalg.norm(impulses[rows]))
                margin = (coefficient * impulses[normal] - friction) / size
                moved = self.held.moved[: len(forces), LAWS * c + FRICTION] * impulses[normal]
                held = forces[:, rows] @ impulses[rows] / friction if friction else 0.0
                slope = (moved + coefficient * forces[:, normal] - held) / size
            else:
                rows = used[i : i + contacts.slip_count[c]]
                along = self.held.facts[i : i + contacts.slip_count[c], ALONG]
                margin, slope = along @ after[rows] / pace, behind[:, rows] @ along / pace
            found |= (abs(margin) <= DECISION_MARGIN) & (
                np.abs(slope) > SLOPE_AGREEMENT * most
            )  # joints: the slope is unknown
        return found

    def _guards(self, changes: np.ndarray, jumps: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes of the guards of contacts, (ways, entries), along changes of bodies, and the largest
        change of places, velocities, accelerations and forces along each way, (ways, 1)."""
        own, held, mechanism = self.own, self.held, cast(Any, self.bodies.mechanism)
        loads, forces = np.zeros((len(changes), mechanism.machine.pattern.m)), np.zeros((len(changes), own.forces.size))
        known = own, held, mechanism, self.of_bodies, changes
        slopes, guards = np.zeros_like(changes), np.zeros((len(changes), mechanism.contacts.points.entries))
        shares = bool(held.size[0, 2]) if held.size.size else False
        if shares:
            held.size[0, 2] = 0  # one of many ways to share a load
        vary_stage(*known, slopes, loads, forces, refinements(mechanism), 0)
        vary_guards(*known, slopes, loads, forces, guards)
        if shares:
            guards = self._join_shares(changes, slopes, loads, forces, guards, jumps)
        largest = np.concatenate([changes, slopes, forces], axis=1)
        return guards, np.abs(largest).max(axis=1, keepdims=True)

    def moves_off(self, S: np.ndarray) -> np.ndarray:
        """Return a mask of the parameters, (parameters,), by which a run that stands on surfaces of laws, or where
        states of contacts end, leaves them."""
        dys = np.concatenate([S, self.f_before[None]])
        laws = np.zeros((len(S), self.own.first[SURFACE + 1] - self.own.first[SURFACE]))
        if self.place.passed.size:
            vary_surfaces(self.own, self.tree, self.march.mechanism, self.y, np.ascontiguousarray(S), laws)
        guards, largest = self._guards(self._to_bodies(dys), False)
        leave_passing(self.march)
        changes = np.concatenate([laws[:, self.place.passed], guards[: len(S), self.passed]], axis=1)
        return np.asarray((np.abs(changes) > GUARD_CHANGE * largest[: len(S)]).any(axis=1))

    def ahead(self, S: np.ndarray) -> np.ndarray:
        """Return S behind the place, (parameters, y); nan where there is no derivative."""
        return self.ways(np.concatenate([S, np.zeros((1, S.shape[1]))]))[: self.count]

    def back(self, weights: np.ndarray, of_time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of y before the place, from those behind it, (numbers, y), and of the time of the change,
        (numbers,), and what they add to those of the parameters, (numbers, parameters)."""
        width = self.y.size
        found = self.ways(np.concatenate([np.zeros((self.count + 1, width)), np.eye(width)]))
        if of_time.any():
            found, weights = np.column_stack([found, self.moved]), np.column_stack([weights, of_time])
        if not np.isfinite(found).all():
            return np.full((len(weights), width), np.nan), np.full((len(weights), self.count), np.nan)
        return weights @ found[self.count + 1 :].T, weights @ found[: self.count].T
