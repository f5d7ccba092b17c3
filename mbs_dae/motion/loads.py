"""Multipliers that are small beside others, corrected with twice the digits. Compiled.

A body without mass is welded to a wall, and a heavy pendulum hangs on a pin in the middle of the weld: the moment of
the weld comes from what acts on the light body alone, however large the force through the pin. A solution in double
precision leaves roundoff of that force in the moment. So solutions at the states of a result are corrected by residuals
that are summed with twice the digits, until no multiplier changes by more than `LAST_CORRECTION` of itself. A run does
not need this: accelerations depend on sums of forces.
"""

import numpy as np

from ..compiled import System
from ..compiled.contact_records import OPEN
from ..compiled.contact_rows import put_rows
from ..compiled.contacts import GIVEN
from ..compiled.reading import Trajectory
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Matrix, Vector
from ..linear.kkt import put_right_sides, solve, subtract_products
from ..linear.rows import add_transposed_product
from ..linear.twofold import two_sum
from ..linear.vectors import copy, largest
from ..poses.newton import solve_here
from ..tolerances import CORRECTION_COUNT, LAST_CORRECTION, MULTIPLIER_CORRECTION, MULTIPLIER_FLOOR, SMALL_MULTIPLIER
from .derivative import evaluate, factorise_terms, refinements
from .mechanism import mechanism
from .mechanism_record import Mechanism
from .switching.switches import hold_all


def corrected_loads(
    bodies: System, motion: Trajectory, modes: np.ndarray | None, pushes: np.ndarray, multipliers: np.ndarray
) -> np.ndarray:
    """Return the multipliers of all joints, (times, rows), with the small ones corrected: those below
    `SMALL_MULTIPLIER` of the largest multiplier, inertia force or force of a contact at their time. `pushes` are the
    forces of contacts, (times, rows of contacts), and `modes` the branches of laws, (times, modes)."""
    units = bodies.row_units / bodies.length
    inertias = bodies.diagonal * np.abs(motion.a[:, : bodies.diagonal.size]) / np.sqrt(bodies.column_weight)
    sizes = np.abs(multipliers) * units
    forces = np.concatenate([sizes, inertias, np.abs(pushes)], axis=1)
    most = forces.max(axis=1, initial=0.0)[:, None]
    chosen = np.flatnonzero(((sizes > 0.0) & (sizes < SMALL_MULTIPLIER * most)).any(axis=1))
    if not chosen.size:
        return multipliers
    held = np.zeros((motion.t.size, 0)) if modes is None else modes.copy()
    held[:, held.shape[1] - bodies.structure.contacts.entries :] = OPEN
    t, q, v, held, pushes, found = (x[chosen].copy() for x in (*motion[:3], held, pushes, multipliers))
    run, n, m = mechanism(bodies, refinements=2, asks=GIVEN), bodies.structure.columns, len(bodies.rows)
    correct_loads(run, t, q, v, held, pushes, found, *(np.zeros(size) for size in (n, m, n, m, n, m)))
    moved = np.abs(found - multipliers[chosen]) * units
    sure = (moved <= MULTIPLIER_CORRECTION * most[chosen]).all(axis=1)
    out = multipliers.copy()
    out[chosen[sure]] = found[sure]
    return out


@compiled_apart
def correct_loads(
    mechanism: Mechanism, t: Vector, q: Matrix, v: Matrix, modes: Matrix, pushes: Matrix, multipliers: Matrix,
    tail_x: Vector, tail_g: Vector, rest_x: Vector, rest_g: Vector, step_x: Vector, step_g: Vector,
) -> None:  # fmt: skip
    """Put the multipliers of all joints at each time into `multipliers`, for given forces of contacts: the solution of

        M x + Φ_vᵀ λ = Q + Gᵀ p,        Φ_v x = γ

    where x and λ are sums of two doubles. Corrections end when no λ changes by more than `LAST_CORRECTION` of itself,
    or when the largest of these changes no longer halves."""
    machine, contacts = mechanism.machine, mechanism.contacts
    pattern, factor, x, found = machine.pattern, machine.factor, machine.x, machine.multipliers
    contacts.choice.closed_count[0] = 0
    for k in range(t.size):
        if modes.shape[1] > 0:
            copy(modes[k], mechanism.switches.mode)
            hold_all(mechanism)
        evaluate(mechanism, t[k], q[k], v[k])
        factorise_terms(mechanism)
        if pushes.shape[1] > 0:
            put_rows(contacts)
            add_transposed_product(contacts.rows, pushes[k], machine.f)
        copy(machine.gamma, machine.g)
        times, before = refinements(mechanism), np.inf
        solve_here(machine, times)
        tail_x[:] = 0.0
        tail_g[:] = 0.0
        for _ in range(CORRECTION_COUNT):
            put_right_sides(pattern, factor, machine.f, machine.g)
            subtract_products(pattern, factor, x, found, tail_x, tail_g)
            copy(factor.rest_x[: pattern.n], rest_x)
            for row in range(pattern.m):
                rest_g[row] = factor.rest_g[row] if factor.kept[row] > 0.0 else 0.0
            solve(pattern, factor, rest_x, rest_g, step_x, step_g, times)
            change, least = 0.0, MULTIPLIER_FLOOR * largest(found)
            for row in range(pattern.m):
                if step_g[row] != 0.0:
                    change = max(change, abs(step_g[row]) / max(abs(found[row]), abs(step_g[row]), least))
            if not change < 0.5 * before:
                break
            for column in range(pattern.n):
                x[column], tail_x[column] = two_sum(x[column], tail_x[column] + step_x[column])
            for row in range(pattern.m):
                found[row], tail_g[row] = two_sum(found[row], tail_g[row] + step_g[row])
            before = change
            if change <= LAST_CORRECTION:
                break
        copy(found, multipliers[k])
