"""Derivatives by parameters of a motion that the equations determine. Compiled.

At every time the equations Φ = 0, C' = Φ_v v - ν = 0, C'' = Φ_v a - γ = 0 hold for all values of a parameter p. So
their total derivatives vanish, and with s' the derivative by p of the numbers in the slots of kernels,

    Φ_v dx = -Φ_s s',
    Φ_v dv = -(C'_x dx + C'_s s'),
    Φ_v da = -(C''_x dx + C''_v dv + C''_s s'),

three solves by the factor that the pose has, whatever the parameter. (Nothing is added to its diagonal here, so that
solutions need no refinement; rows that depend on others are left out.) Where forces are asked for, F = M a + Φ_vᵀ λ - Q
is 0 as well, and the last one becomes

    [M Φ_vᵀ; Φ_v 0] [da; dλ] = -[F_x dx + F_v dv + F_s s'; C''_x dx + C''_v dv + C''_s s'].

Forces f of contacts, whose changes df are known, belong to F = M a + Φ_vᵀ λ - Q - Gᵀ f, and Gᵀ df to the right side.

Slopes are exact (`compiled.derivatives`); no step is chosen. Right sides are made as for a state of a run
(`runs.linear`).
"""

from __future__ import annotations

from typing import NamedTuple

from ..compiled.derivatives import differentiate
from ..compiled.machine import Machine
from ..compiled.reading import Trajectory
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.rows import add_transposed_product
from ..linear.vectors import copy
from ..motion.derivative import evaluate, factorise_terms, refinements
from ..motion.mechanism_record import Mechanism
from ..poses.newton import dependent_rows, evaluate_and_factorise, solve_here
from ..tolerances import REFINEMENT_INDEPENDENCE, ROW_DEPENDENCE
from .runs.linear import BEND, FORCE, GAP, RATE, Linear, linearise_forces, put_right, take_given


class Variation(NamedTuple):
    """The changes of a motion: a row for each parameter at each time."""

    x: Matrix
    """Small motions of the places."""
    v: Matrix
    a: Matrix
    multipliers: Matrix


@compiled_apart
def vary_motion(machine: Machine, own: Linear, path: Trajectory, out: Variation) -> None:
    """Put the changes of places, velocities and accelerations of a motion that constraints determine into `out`."""
    machine.factor.truncation[0] = ROW_DEPENDENCE
    for k in range(path.t.size):
        t, q, v, a = path.t[k], path.q[k], path.v[k], path.a[k]
        differentiate(own.to, t, q, v, a, machine.multipliers)  # the multipliers have no effect here
        take_given(own)
        evaluate_and_factorise(machine, t, q, v, False)
        often = _often(machine)
        for p in range(own.given.shape[0]):
            row = own.given.shape[0] * k + p
            _vary_places(machine, own, p, often, out, row)
            _vary_rows(machine, own, p, BEND, often, out.a[row])


@compiled_apart
def vary_loads(
    machine: Machine, mechanism: Mechanism, own: Linear, path: Trajectory, multipliers: Matrix, out: Variation
) -> None:
    """Put the changes of a motion that constraints determine, with those of its multipliers, into `out`: the equations
    are differentiated once at each time for all."""
    machine.factor.truncation[0] = ROW_DEPENDENCE
    for k in range(path.t.size):
        t, q, v = path.t[k], path.q[k], path.v[k]
        differentiate(own.to, t, q, v, path.a[k], multipliers[k])
        take_given(own)
        evaluate_and_factorise(machine, t, q, v, False)
        often = _often(machine)
        for p in range(own.given.shape[0]):
            _vary_places(machine, own, p, often, out, own.given.shape[0] * k + p)
        evaluate(mechanism, t, q, v)
        factorise_terms(mechanism)
        _vary_forces(mechanism, own, k, out.multipliers[:0], out.multipliers[:0], out)


@compiled_apart
def vary_forces(
    mechanism: Mechanism, own: Linear, path: Trajectory, modes: Matrix, multipliers: Matrix, pushes: Matrix,
    signals: Matrix, contacts: Matrix, out: Variation,
) -> None:  # fmt: skip
    """Put the changes of accelerations and multipliers, from those of places, velocities, signals and forces of
    contacts, with the branches of laws in `modes` and the forces `pushes` of contacts, at each time."""
    for k in range(path.t.size):
        linearise_forces(own, mechanism, path, k, modes[k], multipliers[k], pushes[k])
        take_given(own)
        _vary_forces(mechanism, own, k, signals, contacts, out)


@compiled
def _often(machine: Machine) -> int:
    """Return how often a solution is worth refining: once if rows depend on others within `REFINEMENT_INDEPENDENCE`,
    else never."""
    return 1 if dependent_rows(machine, REFINEMENT_INDEPENDENCE) > 0 else 0


@compiled
def _vary_places(machine: Machine, own: Linear, p: int, often: int, out: Variation, row: int) -> None:
    """Put the changes of places and velocities by parameter p into a row of `out`, and into `way`."""
    n = own.columns
    own.way[:] = 0.0
    _vary_rows(machine, own, p, GAP, often, out.x[row])
    copy(out.x[row, :n], own.way)
    _vary_rows(machine, own, p, RATE, often, out.v[row])
    copy(out.v[row, :n], own.way[n:])


@compiled
def _vary_rows(machine: Machine, own: Linear, p: int, level: int, often: int, found: Vector) -> None:
    """Put the change of places, velocities or accelerations into `found`, by the equations of a level."""
    put_right(own, p, level)
    machine.f[:] = 0.0
    copy(own.right[own.first[level] : own.first[level + 1]], machine.g)
    solve_here(machine, often)
    copy(machine.x[: own.columns], found)


@compiled
def _vary_forces(mechanism: Mechanism, own: Linear, k: int, signals: Matrix, contacts: Matrix, out: Variation) -> None:
    """Put the changes of accelerations and multipliers at time k by all parameters. `signals` and `contacts` have a row
    for each parameter at each time, or none where no state or input, and no contact acts."""
    machine, often, first, n = mechanism.machine, max(refinements(mechanism), 1), own.first, own.columns
    for p in range(own.given.shape[0]):
        row = own.given.shape[0] * k + p
        copy(out.x[row, :n], own.way)
        copy(out.v[row, :n], own.way[n:])
        if signals.shape[0] > 0:
            copy(signals[row], own.way[2 * n :])
        put_right(own, p, BEND)
        put_right(own, p, FORCE)
        copy(own.right[first[BEND] : first[BEND + 1]], machine.g)
        copy(own.right[first[FORCE] : first[FORCE + 1]], machine.f)
        if contacts.shape[0] > 0:
            add_transposed_product(mechanism.contacts.rows, contacts[row], machine.f)
        solve_here(machine, often)
        copy(machine.x[:n], out.a[row])
        copy(machine.multipliers, out.multipliers[row])
