"""The motion as a first-order differential equation: y = (q, z, v, work), and y' from the KKT system. Compiled.

    q̇ = N(q) v,        [M Φ_vᵀ; Φ_v 0] [v̇; λ] = [Q; γ - 2α (Φ_v v - ν) - β² Φ],        ż = rates,        ẇ = powers

The states z of the model stand at the end of q as kernels read it, with its inputs, which are put there before any
force is evaluated, and with reactions, put there when λ is known: before rates are evaluated.

`work` is the sum of energies that leave or enter the mechanical energy: stored without a potential, dissipated,
supplied. It is integrated with the motion, by the same method, so that the energy balance is as exact as the motion
itself.
"""

import numpy as np

from ..compiled.contact_records import Contacts
from ..compiled.contact_rows import observe_contacts
from ..compiled.dynamics import KINETIC, POTENTIAL, POWER, evaluate_forces, take_masses
from ..compiled.machine import FACTORISATIONS, observe, put_squares, subtract_rates, take_accelerations
from ..compiled.manifold import rates
from ..compiled.signals import assign, put_reactions, take_signals
from ..compiled.status import DONE, NOT_FINITE, UNSETTLED
from ..compiled.tree.transformation import DYNAMICS, MASSES, transform
from ..kernels.abi import call_on_block, compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.kkt import Factor, factorise
from ..linear.vectors import copy
from ..poses.newton import correct_velocity, factorise_observed, put_gaps, solve_here
from ..tolerances import (
    CHOICE_INDEPENDENCE,
    CONTRADICTION_GAP,
    CONTRADICTION_RATIO,
    INDEPENDENCE_SHARE,
    REFINEMENT_INDEPENDENCE,
    ROW_DEPENDENCE,
    SOLUTION_ERROR,
)
from .mechanism_record import CHOSEN, INDEPENDENCE, NEAREST, NORM_RATIO, RETURN, SLIDE, WORK, Mechanism
from .switching.switches import hold_all


@compiled_apart
def evaluate(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Evaluate the terms of the equations at (t, q, v): Φ, ν, γ, Φ_v, M, Q, the energies and powers. Nothing is
    solved."""
    machine, dynamics, out = mechanism.machine, mechanism.dynamics, mechanism.out
    factor, transformation = machine.factor, machine.transformation
    assign(mechanism.signals.inputs, t, q, v, q)
    observe(machine, t, q, v)
    if transformation.edges > 0:
        take_signals(mechanism.signals, q, transformation.qc)
        q, v = transformation.qc, transformation.vc
    transformed = transformation.edges > 0 and transformation.deep == 0
    forces = transformation.fc if transformed else machine.f
    evaluate_forces(dynamics, t, q, v, out, forces, mechanism.scalars)
    if transformed:
        transform(transformation, DYNAMICS, (machine.f, mechanism.scalars))
        if machine.pattern.tree.edges == 0:
            transform(transformation, MASSES, (factor.weight, factor.beside))
    else:
        take_masses(dynamics, out, factor.weight, factor.beside)
    contacts = mechanism.contacts
    if contacts.choice.closed_count[0] > 0 or (contacts.gap_row.size > 0 and contacts.choice.closed_only[0] == 0):
        observe_contacts(contacts, t, q, v)


@compiled_apart
def factorise_terms(mechanism: Mechanism) -> bool:
    """Factorise the matrix evaluated last; return whether all its numbers are finite."""
    mechanism.machine.factor.truncation[0] = mechanism.faint
    finite = factorise_observed(mechanism.machine)
    leave_out_redundant(mechanism)
    return finite


@compiled
def look_around(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Evaluate the first pose, which is regular, with the redundant rows left out, and measure its independence."""
    mechanism.nearness[:] = 1.0
    evaluate(mechanism, t, q, v)
    if factorise_terms(mechanism):
        gauge(mechanism)


@compiled_apart
def leave_out_redundant(mechanism: Mechanism) -> None:
    """Choose the rows left out such that they depend on others here.

    Off the constraints, as stages are, redundant rows are not redundant: enforced, they would lock the mechanism. So as
    many as are redundant on the constraints are left out. The choice may change along a motion: where a row that is
    enforced is nearly dependent it is left out as well, and then the most independent one of those left out comes back.
    If this is the row itself the choice stands, until the row is half as independent: each trial costs two
    factorisations, and some mechanisms have no better choice for most of their motion.
    """
    machine, chosen = mechanism.machine, mechanism.nearness[CHOSEN:]
    kept, independence = machine.factor.kept, machine.factor.independence
    for _ in range(4):
        least, some_out = -1, False
        for row in range(kept.size):
            if kept[row] == 0.0:
                some_out = True
            elif machine.factor.row_square[row] > 0.0 and (least < 0 or independence[row] < independence[least]):
                least = row
        if not some_out or least < 0 or independence[least] >= CHOICE_INDEPENDENCE:
            chosen[0] = 1.0
            return
        if independence[least] >= INDEPENDENCE_SHARE * chosen[0]:
            return
        kept[least] = 0.0
        factorise(machine.pattern, machine.factor)
        best = least
        for row in range(kept.size):
            if kept[row] == 0.0 and independence[row] > independence[best]:
                best = row
        kept[best] = 1.0
        factorise(machine.pattern, machine.factor)
        machine.counts[FACTORISATIONS] += 2
        chosen[0] = independence[least] if best == least else 1.0
        if best == least:
            return


@compiled_apart
def gauge(mechanism: Mechanism) -> None:
    """Put the ratio of the independence of rows with turns times the model's length to that in the norm of the masses.

    The factor of the last evaluation is in the norm of the masses, where both rows of a pin through which a body of
    small inertia turns look alike. The other norm shows a singular pose; the ratio is evaluated once a step.
    """
    shape, factor = mechanism.shape, mechanism.machine.factor
    copy(factor.jacobian, shape.jacobian)
    copy(factor.kept, shape.kept)
    copy(factor.share, shape.share)
    factorise(mechanism.plain, shape)
    mechanism.machine.counts[FACTORISATIONS] += 1
    mechanism.nearness[NORM_RATIO] = max(_weakest(shape) / _weakest(factor), 1.0)


@compiled
def gauge_if_doubtful(mechanism: Mechanism) -> None:
    """Evaluate the ratio of independences where the norm of the masses leaves doubt."""
    if _weakest(mechanism.machine.factor) < CHOICE_INDEPENDENCE:
        gauge(mechanism)


@compiled
def _weakest(factor: Factor) -> float:
    """Return the least `independence` of the enforced rows (no row of velocities is enforced while positions are
    corrected)."""
    weakest = 1.0
    for row in range(factor.kept.size):
        if factor.kept[row] > 0.0 and factor.row_square[row] > 0.0:
            weakest = min(weakest, factor.independence[row])
    return max(weakest, ROW_DEPENDENCE)


@compiled_apart
def refinements(mechanism: Mechanism) -> int:
    """Return the number of refinements for a solution with the last factor; note the distance from a singular pose."""
    nearness, weakest = mechanism.nearness, _weakest(mechanism.machine.factor)
    nearness[NEAREST], nearness[INDEPENDENCE] = min(nearness[NEAREST], weakest * nearness[NORM_RATIO]), weakest
    return mechanism.refinements if weakest >= REFINEMENT_INDEPENDENCE else max(mechanism.refinements, 2)


@compiled_apart
def widest_gap(mechanism: Mechanism) -> float:
    """Return the largest gap at the last evaluation; put all gaps into machine.g. (The lengths of rows in the factor
    are in the norm of the masses.)"""
    machine, geometric = mechanism.machine, mechanism.geometric
    pattern, g, squares = machine.pattern, machine.g, machine.square
    if squares.size > 0:
        put_squares(machine)
    else:
        squares = g
        g[:] = 0.0
        for e in range(pattern.jac_row.size):
            g[pattern.jac_row[e]] += machine.factor.jacobian[e] ** 2 / geometric[pattern.jac_column[e]]
    return put_gaps(machine.phi, squares, g)


@compiled
def parted(mechanism: Mechanism) -> bool:
    """Return whether rows that are left out are violated far more than those that are enforced, by the gaps that
    `widest_gap` has put: then they contradict the enforced rows, and do not depend on them."""
    gaps, kept = mechanism.machine.g, mechanism.machine.factor.kept
    inside = outside = 0.0
    for row in range(kept.size):
        if kept[row] > 0.0:
            inside = max(inside, gaps[row])
        else:
            outside = max(outside, gaps[row])
    return outside > CONTRADICTION_RATIO * inside + CONTRADICTION_GAP * mechanism.length


@compiled_apart
def accelerate(mechanism: Mechanism, t: float, q: Vector, v: Vector, a: Vector) -> int:
    """Put v̇ into a and λ into machine.multipliers: evaluate the terms, factorise the matrix and solve; repeatedly,
    where the motion is held on surfaces at which laws jump. Return a status."""
    switches = mechanism.switches
    if switches.sliding[0] == 0:
        return accelerate_as_held(mechanism, t, q, v, a)
    switches.now[0] = t
    call_on_block(switches.functions[SLIDE], mechanism, (q, v, a))
    return switches.status[0]


@compiled
def return_to_surfaces(mechanism: Mechanism, t: float, y: Vector) -> int:
    """Remove the error of the functions that hold the motion on surfaces g = 0 from y; return a status."""
    mechanism.switches.now[0] = t
    call_on_block(mechanism.switches.functions[RETURN], mechanism, (y,))
    return mechanism.switches.status[0]


@compiled
def keep_contacts(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> int:
    """Remove the gaps of closed contacts and their rates from the state; return a status."""
    mechanism.switches.now[0] = t
    call_on_block(mechanism.contacts.calls.keep_closed, mechanism, (q, v))
    return mechanism.contacts.choice.status[0]


@compiled_apart
def accelerate_as_held(mechanism: Mechanism, t: float, q: Vector, v: Vector, a: Vector) -> int:
    """Put v̇ into a and λ into machine.multipliers, with all branches as they are held; return a status."""
    evaluate(mechanism, t, q, v)
    if not factorise_terms(mechanism):
        return NOT_FINITE
    return solve_terms(mechanism, v, a)


@compiled_apart
def solve_terms(mechanism: Mechanism, v: Vector, a: Vector) -> int:
    """Put v̇ into a and λ into machine.multipliers, from the terms evaluated last and the present factor; return a
    status."""
    machine = mechanism.machine
    pattern, g = machine.pattern, machine.g
    alpha, beta = mechanism.gains[0], mechanism.gains[1]
    copy(machine.gamma, g)
    if alpha > 0.0 or beta > 0.0:
        for row in range(pattern.m):
            g[row] += 2.0 * alpha * machine.nu[row] - beta * beta * machine.phi[row]
        subtract_rates(machine, 2.0 * alpha, v)
    solve_here(machine, refinements(mechanism))
    unsettled = machine.factor.unsettled[0]
    if not unsettled <= SOLUTION_ERROR:
        gauge(mechanism)
        independence = mechanism.nearness[NORM_RATIO] * mechanism.nearness[INDEPENDENCE]
        if not unsettled * min(independence / CHOICE_INDEPENDENCE, 1.0) <= SOLUTION_ERROR:
            return UNSETTLED
    status = DONE if take_accelerations(machine, a) else NOT_FINITE
    if mechanism.contacts.choice.closed_count[0] > 0 and status == DONE:
        call_on_block(mechanism.contacts.calls.push, mechanism, (a,))
        return mechanism.contacts.choice.status[0]
    return status


@compiled_apart
def take_nearest_velocity(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Change v by the least kinetic energy such that it satisfies the equations of velocities."""
    evaluate(mechanism, t, q, v)
    factorise_terms(mechanism)
    correct_velocity(mechanism.machine, v, 2 + refinements(mechanism))


@compiled_apart
def derivative(mechanism: Mechanism, t: float, y: Vector, dy: Vector) -> int:
    """Put y' at (t, y) into dy; return a status."""
    state = mechanism.state
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    status = accelerate(mechanism, t, q, v, dy[state.v_at : state.v_end])
    rates(mechanism.machine.manifold, q, v, dy[: state.q_end])
    if status == DONE and not state_rates(mechanism, t, q, v, dy[: state.q_end]):
        status = NOT_FINITE
    powers(mechanism, dy[state.works_at :])
    return status


@compiled
def state_rates(mechanism: Mechanism, t: float, q: Vector, v: Vector, dq: Vector) -> bool:
    """Put ż at its places in q̇, after `accelerate`, when reactions are known; return whether all are finite."""
    signals, machine, dynamics, finite = mechanism.signals, mechanism.machine, mechanism.dynamics, True
    for k in range(dynamics.rate_to.size):
        dq[dynamics.rate_to[k]] = mechanism.out[dynamics.rate_from[k]]
        finite = finite and np.isfinite(dq[dynamics.rate_to[k]])
    own, bodies = q, machine.transformation.edges > 0
    if bodies:
        q, v = machine.transformation.qc, machine.transformation.vc
    if signals.reactions.target.size > 0:
        put_reactions(signals.reactions, t, q, v, machine.multipliers, own)
        if bodies:
            take_signals(signals, own, q)
    assign(signals.late, t, q, v, dq)
    for k in range(signals.late.target.size):
        finite = finite and np.isfinite(dq[signals.late.target[k]])
    return finite


@compiled
def powers(mechanism: Mechanism, work: Vector) -> None:
    """Put the rates of the works, after `accelerate`."""
    put_powers(mechanism.scalars, mechanism.machine.multipliers, mechanism.machine.nu, work)
    if mechanism.contacts.choice.closed_count[0] > 0:
        call_on_block(mechanism.contacts.calls.contact_powers, mechanism, (work,))


@compiled
def put_powers(scalars: Vector, multipliers: Vector, nu: Vector, work: Vector) -> None:
    """Put the powers of forces and of prescribed motion into `work`."""
    for k in range(WORK):
        work[k] = -scalars[POWER + k]
    supplied = scalars[POWER + WORK - 1]
    for row in range(nu.size):  # prescribed motion: the power of its forces -Φ_vᵀ λ is -λ · ν
        supplied -= multipliers[row] * nu[row]
    work[WORK - 1] = supplied


@compiled
def copy_forces(contacts: Contacts, forces: Vector) -> None:
    """Copy the forces of the last accelerations; 0 where all contacts are open."""
    for row in range(forces.size):
        forces[row] = contacts.force[row] if contacts.choice.closed_count[0] > 0 else 0.0


@compiled_apart
def solve_motion(
    mechanism: Mechanism, t: Vector, q: Matrix, v: Matrix, modes: Matrix, multipliers: Matrix, forces: Matrix,
    rates: Matrix,
) -> int:  # fmt: skip
    """Put for each time λ, the forces of contacts, and the rates in columns: kinetic and potential energy, then the
    powers. Return the number of times done: all, or those before a time without a solution. Without modes branches of
    laws are free."""
    machine = mechanism.machine
    for k in range(t.size):
        if modes.shape[1] > 0:
            copy(modes[k], mechanism.switches.mode)
            hold_all(mechanism)
            if mechanism.contacts.choice.closed_count[0] > 0:
                evaluate(mechanism, t[k], q[k], v[k])
                call_on_block(mechanism.contacts.calls.find_constrained_held, mechanism, ())
        if accelerate(mechanism, t[k], q[k], v[k], machine.here.a) != DONE:
            return k
        copy(machine.multipliers, multipliers[k])
        copy_forces(mechanism.contacts, forces[k])
        rates[k, 0] = mechanism.scalars[KINETIC]
        rates[k, 1] = mechanism.scalars[POTENTIAL]
        powers(mechanism, rates[k, 2 : 2 + WORK])
    return t.size
