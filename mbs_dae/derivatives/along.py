"""How a motion that the equations determine changes with parameters. Compiled.

At every time the equations Φ = 0, C' = Φ_v v - ν = 0, C'' = Φ_v a - γ = 0 hold for all values of a parameter p. So
their total derivatives vanish, and with s' how the numbers in the slots of kernels change with p,

    Φ_v dx = -Φ_s s',
    Φ_v dv = -(C'_x dx + C'_s s'),
    Φ_v da = -(C''_x dx + C''_v dv + C''_s s'),

three solves by the factor that the pose has, whatever the parameter. (Nothing is added to its diagonal here, so that
solutions need no refinement; rows that depend on others are left out.) Where forces are asked for, F = M a + Φ_vᵀ λ - Q
is 0 as well, and the last one becomes

    [M Φ_vᵀ; Φ_v 0] [da; dλ] = -[F_x dx + F_v dv + F_s s'; C''_x dx + C''_v dv + C''_s s'].

Slopes are exact (`compiled.derivatives`); no step is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.derivatives import (
    ACCELERATIONS,
    FORCES,
    POSITIONS,
    RATES,
    DerivativeBuilder,
    Derivatives,
    differentiate,
)
from ..compiled.machine import Machine
from ..compiled.reading import Trajectory
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Matrix, Vector, Work, block, zeros
from ..linear.vectors import copy
from ..motion.derivative import Mechanism, evaluate, factorise_terms, refinements
from ..poses.newton import dependent_rows, evaluate_and_factorise, solve_here
from ..tolerances import DEPENDENT, WEAK

LEVELS = (POSITIONS, RATES, ACCELERATIONS, FORCES)
"""In this order rows of the matrix stand."""


class Chain(NamedTuple):
    """How equations depend on parameters, through the numbers in slots: the partial derivative of a row by a parameter
    is the sum of these entries of the matrix, times these factors."""

    to: Derivatives
    rows: int
    columns: int
    """How many velocities move."""
    entry: Integers
    parameter: Integers
    factor: Vector
    moving: Integers
    """The entries by x and v, in the order of rows."""
    moving_at: Integers
    """Where those of each level begin."""
    given: Work[Matrix] = zeros("all_rows", "parameters")
    """The partial derivative of each row by each parameter."""
    right: Work[Matrix] = zeros("all_rows", "parameters")
    """The right sides of a level."""
    way: Work[Matrix] = zeros("ways", "parameters")
    """(dx | dv)."""
    none: Work[Vector] = zeros("all_rows")


def chain(builder: DerivativeBuilder, to: Derivatives, numbers: np.ndarray) -> Chain:
    """With how the numbers in slots change with parameters: (parameters, numbers)."""
    n, first = builder.columns, 2 * builder.columns + 1
    by_numbers = np.flatnonzero(to.column >= first)
    parameter, at = (x.copy() for x in np.nonzero(numbers[:, to.column[by_numbers] - first]))
    moving = np.flatnonzero(to.column < 2 * n)
    begins = [builder.first[level] for level in builder.wanted] + [builder.shape[0]]
    made = Chain(
        to, builder.rows, n, by_numbers[at], parameter, numbers[parameter, to.column[by_numbers[at]] - first],
        moving, np.searchsorted(to.row[moving], begins),
    )  # fmt: skip
    return block(made, parameters=len(numbers), all_rows=builder.shape[0], ways=2 * n)


class Variation(NamedTuple):
    """How places, velocities, accelerations and multipliers change: a row for each parameter at each time."""

    x: Matrix
    v: Matrix
    a: Matrix
    multipliers: Matrix


@compiled_apart
def vary_motion(machine: Machine, own: Chain, path: Trajectory, out: Variation):
    """Of a motion that is determined at every time by its constraints."""
    machine.factor.truncation[0] = DEPENDENT
    for k in range(path.t.size):
        t, q, v, a = path.t[k], path.q[k], path.v[k], path.a[k]
        differentiate(own.to, t, q, v, a, own.none[: own.rows])
        _take_numbers(own)
        evaluate_and_factorise(machine, t, q, v, False)
        often = _often(machine)
        first = own.given.shape[1] * k
        _vary_rows(machine, own, 0, often, out.x[first:])
        _vary_rows(machine, own, 1, often, out.v[first:])
        _vary_rows(machine, own, 2, often, out.a[first:])


@compiled_apart
def vary_loads(
    machine: Machine, mechanism: Mechanism, own: Chain, path: Trajectory, multipliers: Matrix, out: Variation
):  # fmt: skip
    """The same with the multipliers: one evaluation for all."""
    machine.factor.truncation[0] = DEPENDENT
    for k in range(path.t.size):
        t, q, v = path.t[k], path.q[k], path.v[k]
        differentiate(own.to, t, q, v, path.a[k], multipliers[k])
        _take_numbers(own)
        evaluate_and_factorise(machine, t, q, v, False)
        often = _often(machine)
        first = own.given.shape[1] * k
        _vary_rows(machine, own, 0, often, out.x[first:])
        _vary_rows(machine, own, 1, often, out.v[first:])
        evaluate(mechanism, t, q, v)
        factorise_terms(mechanism)
        _vary_forces(mechanism, own, out.a[first:], out.multipliers[first:])


@compiled_apart
def vary_forces(mechanism: Mechanism, own: Chain, path: Trajectory, multipliers: Matrix, out: Variation):
    """Of accelerations and multipliers, where how places and velocities change is known."""
    n, count = own.columns, own.given.shape[1]
    for k in range(path.t.size):
        t, q, v, first = path.t[k], path.q[k], path.v[k], count * k
        differentiate(own.to, t, q, v, path.a[k], multipliers[k])
        _take_numbers(own)
        for p in range(count):
            for c in range(n):
                own.way[c, p], own.way[n + c, p] = out.x[first + p, c], out.v[first + p, c]
        evaluate(mechanism, t, q, v)
        factorise_terms(mechanism)
        _vary_forces(mechanism, own, out.a[first:], out.multipliers[first:])


@compiled
def _often(machine):
    """How often a solution is worth refining."""
    return 1 if dependent_rows(machine, WEAK) > 0 else 0


@compiled
def _vary_rows(machine, own, level, often, found):
    """Of places, velocities or accelerations, by the equations of a level."""
    _put_right(own, level)
    for p in range(own.given.shape[1]):
        machine.f[:] = 0.0
        for row in range(own.rows):
            machine.g[row] = own.right[level * own.rows + row, p]
        solve_here(machine, often)
        for c in range(own.columns):
            found[p, c] = machine.x[c]
            if level < 2:
                own.way[level * own.columns + c, p] = machine.x[c]


@compiled
def _vary_forces(mechanism, own, accelerations, multipliers):
    """Of accelerations and multipliers."""
    machine, often = mechanism.machine, max(refinements(mechanism), 1)
    _put_right(own, 2)
    _put_right(own, 3)
    for p in range(own.given.shape[1]):
        for row in range(own.rows):
            machine.g[row] = own.right[2 * own.rows + row, p]
        for c in range(own.columns):
            machine.f[c] = own.right[3 * own.rows + c, p]
        solve_here(machine, often)
        copy(machine.x[: own.columns], accelerations[p])
        copy(machine.multipliers, multipliers[p])


@compiled
def _take_numbers(own):
    """The partial derivatives by parameters, from the matrix as it stands."""
    own.given[:] = 0.0
    for k in range(own.entry.size):
        e = own.entry[k]
        own.given[own.to.row[e], own.parameter[k]] += own.factor[k] * own.to.values[e]


@compiled
def _put_right(own, level):
    """The right sides of a level, in its rows, from how the levels before vary."""
    first = level * own.rows
    for row in range(first, first + (own.columns if level == 3 else own.rows)):
        for p in range(own.given.shape[1]):
            own.right[row, p] = -own.given[row, p]
    if level > 0:
        for k in range(own.moving_at[level], own.moving_at[level + 1]):
            e = own.moving[k]
            row, column, value = own.to.row[e], own.to.column[e], own.to.values[e]
            for p in range(own.given.shape[1]):
                own.right[row, p] -= value * own.way[column, p]
