"""The motion as a first-order differential equation: y = (q, v, work), and y' from the KKT system. Compiled.

    q̇ = v,        [M Φ_vᵀ; Φ_v 0] [v̇; λ] = [Q; γ - 2α (Φ_v v - ν) - β² Φ],        ẇ = powers

`work` adds up what leaves or enters the mechanical energy: stored without a potential, dissipated, supplied. It is
integrated with the motion, by the same method, so that the energy ledger is as exact as the motion itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import block
from ..symbolic.loads import WORKS
from ..system import System
from ..system.dynamics import POWER, Dynamics, evaluate_forces, take_masses
from ..system.kkt import Factor, Pattern, factorise, new_factor, solve
from ..system.poses import DONE, NOT_FINITE, Machine, evaluate_and_factorise

WORK = len(WORKS)
SOFT = 1e-7
"""What a body without mass is given, relative to the heaviest one; refinement takes it away again (`kkt`)."""
WEAK = 1e-4
"""`independence` (a squared sine) below which a solution is refined."""
DOUBTFUL = 1e-2
"""`independence` in the norm of the masses below which the ratio is looked at (`gauge`)."""
REDUNDANT, ZERO = 1e-11, 1e-13
"""`independence` that is roundoff, of a row that depends on others: by shape, and in the norm of the masses."""


class Mechanism(NamedTuple):
    """A system in motion: constraints, masses and forces, and work space."""

    machine: Machine
    dynamics: Dynamics
    size: int
    """Length of q and of v, the ground's coordinates included."""
    length: float
    geometric: np.ndarray
    """The squared lengths that coordinates count for, whatever the masses."""
    refinements: int
    """How often every solution is refined at least: more than 0 where `soft` is in use."""
    gains: np.ndarray
    """Baumgarte's α and β; zero for other stabilisations."""
    out: np.ndarray
    scalars: np.ndarray
    plain: Pattern
    shape: Factor
    """Of the constraints alone, whatever the masses: see `gauge`."""
    nearness: np.ndarray
    """The least `independence` (turns counting over the model's length) since it was last set to 1, without the rows
    that are always redundant; their number; and the ratio to the independence in the norm of the masses."""


def mechanism(system: System, refinements: int = 0) -> Mechanism:
    """Work space for one run; every solution is refined at least so often."""
    machine, dynamics = system.machine(system.mass_pattern), system.dynamics
    soft = machine.factor.soft
    soft[:] = SOFT * system.heaviest * system.weight * system.massless
    return block(
        Mechanism(
            machine=machine,
            dynamics=dynamics,
            size=system.size,
            length=system.length,
            geometric=system.weight,
            refinements=max(refinements, 3 if soft.any() else 0),
            gains=np.zeros(2),
            out=np.zeros(dynamics.batch.out_size + 1),
            scalars=np.zeros(POWER + WORK),
            plain=system.pattern,
            shape=new_factor(system.pattern, system.weight),
            nearness=np.array([1.0, 0.0, 1.0]),
        )
    )


@compiled
def evaluate_all(mechanism, t, q, v):
    """Constraints, masses and forces at (t, q, v), and the factor of their matrix. Whether all numbers are finite."""
    machine = mechanism.machine
    factor = machine.factor
    evaluate_forces(mechanism.dynamics, t, q, v, mechanism.out, machine.f, mechanism.scalars)
    take_masses(mechanism.dynamics, mechanism.out, factor.weight, factor.beside)
    return evaluate_and_factorise(machine, t, q, v, False)


@compiled
def gauge_if_doubtful(mechanism):
    """Look at the ratio where the norm of the masses leaves doubt."""
    for row in range(mechanism.machine.pattern.m):
        if mechanism.machine.factor.independence[row] < DOUBTFUL:
            gauge(mechanism)
            return


@compiled
def note_redundancy(mechanism, t, q, v):
    """Count the rows that are redundant in this (regular) pose: elsewhere, more of them tell of a singular pose."""
    nearness = mechanism.nearness
    nearness[0], nearness[2] = 1.0, 1.0
    if evaluate_all(mechanism, t, q, v):
        gauge(mechanism)
        nearness[1] = 0.0
        for row in range(mechanism.machine.pattern.m):
            nearness[1] += 1.0 if mechanism.shape.independence[row] < REDUNDANT else 0.0


@compiled
def gauge(mechanism):
    """How much more independent the rows are when turns count over the model's length than in the norm of the masses.

    The factor of the last evaluation is in the norm of the masses, where both rows of a pin through which a body of
    small inertia turns look alike. What tells of a singular pose is the other norm; the ratio is looked at once a
    step.
    """
    shape, factor = mechanism.shape, mechanism.machine.factor
    for e in range(factor.jacobian.size):
        shape.jacobian[e] = factor.jacobian[e]
    factorise(mechanism.plain, shape)
    by_mass = by_shape = 1.0
    for row in range(factor.independence.size):
        if factor.independence[row] > ZERO:
            by_mass = min(by_mass, factor.independence[row])
        if shape.independence[row] > REDUNDANT:
            by_shape = min(by_shape, shape.independence[row])
    mechanism.nearness[2] = max(by_shape / by_mass, 1.0)


@compiled
def refinements(mechanism):
    """How often a solution with the last factor is worth refining. The nearness of a singular pose is noted on the
    way."""
    nearness = mechanism.nearness
    weakest, redundant = 1.0, 0
    for row in range(mechanism.machine.pattern.m):
        independence = mechanism.machine.factor.independence[row]
        if independence < ZERO or independence * nearness[2] < REDUNDANT:
            redundant += 1
        else:
            weakest = min(weakest, independence)
    near = REDUNDANT if redundant > nearness[1] else min(weakest * nearness[2], 1.0)
    nearness[0] = min(nearness[0], near)
    return mechanism.refinements if weakest >= WEAK and redundant == 0 else max(mechanism.refinements, 2)


@compiled
def accelerate(mechanism, t, q, v, a):
    """v̇ into a, λ into machine.multipliers."""
    if not evaluate_all(mechanism, t, q, v):
        return NOT_FINITE
    machine = mechanism.machine
    program, pattern, jacobian = machine.program, machine.pattern, machine.factor.jacobian
    out, g = machine.out, machine.g
    alpha, beta = mechanism.gains[0], mechanism.gains[1]
    for row in range(pattern.m):
        g[row] = out[program.gamma_from[row]]
    if alpha > 0.0 or beta > 0.0:
        for row in range(pattern.m):
            g[row] += 2.0 * alpha * out[program.nu_from[row]]
            if program.phi_from[row] >= 0:
                g[row] -= beta * beta * out[program.phi_from[row]]
        for e in range(jacobian.size):
            g[pattern.jac_row[e]] -= 2.0 * alpha * jacobian[e] * v[pattern.jac_column[e]]
    solve(pattern, machine.factor, machine.f, g, machine.x, machine.multipliers, refinements(mechanism))
    finite = True
    for k in range(pattern.n):
        a[k] = machine.x[k]
        finite = finite and np.isfinite(a[k])
    return DONE if finite else NOT_FINITE


@compiled
def derivative(mechanism, t, y, dy):
    """y' at (t, y)."""
    size = mechanism.size
    q, v = y[:size], y[size : 2 * size]
    status = accelerate(mechanism, t, q, v, dy[size : 2 * size])
    for k in range(size):
        dy[k] = v[k]
    powers(mechanism, dy[2 * size :])
    return status


@compiled
def powers(mechanism, work):
    """The rates of the works, after `accelerate`."""
    machine, scalars = mechanism.machine, mechanism.scalars
    for k in range(WORK):
        work[k] = -scalars[POWER + k]
    supplied = scalars[POWER + WORK - 1]
    for row in range(machine.pattern.m):  # prescribed motion: its forces -Φ_vᵀ λ have the power -λ · ν
        supplied -= machine.multipliers[row] * machine.out[machine.program.nu_from[row]]
    work[WORK - 1] = supplied
