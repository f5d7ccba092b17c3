"""How a motion that the equations determine changes with parameters. Compiled.

At every time the equations Φ = 0, C' = Φ_v v - ν = 0, C'' = Φ_v a - γ = 0 hold for all values of a parameter p. So
their total derivatives vanish, and with s' how the numbers in the slots of kernels change with p,

    Φ_v dx = -Φ_s s',
    Φ_v dv = -(C'_x dx + C'_s s'),
    Φ_v da = -(C''_x dx + C''_v dv + C''_s s'),

three solves by the factor that the pose has, whatever the parameter. Where forces are asked for, F = M a + Φ_vᵀ λ - Q
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
from ..motion.derivative import Mechanism, evaluate, factorise_terms
from ..poses.newton import evaluate_and_factorise, solve_here

LEVELS = (POSITIONS, RATES, ACCELERATIONS, FORCES)
"""In this order rows of the matrix stand."""
REFINEMENTS = 1
"""One takes away what the small extra on the diagonal of redundant rows makes; poses are closed to roundoff before."""


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
    given: Work[Matrix] = zeros("parameters", "all_rows")
    """The partial derivative of each row by each parameter."""
    right: Work[Vector] = zeros("all_rows")
    way: Work[Vector] = zeros("ways")
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
    count = own.given.shape[0]
    for k in range(path.t.size):
        t, q, v, a = path.t[k], path.q[k], path.v[k], path.a[k]
        evaluate_and_factorise(machine, t, q, v, False)
        differentiate(own.to, t, q, v, a, own.none[: own.rows])
        _take_numbers(own)
        for p in range(count):
            at = count * k + p
            for level in range(3):
                _put_right(own, p, level)
                machine.f[:] = 0.0
                copy(own.right[: own.rows], machine.g)
                solve_here(machine, REFINEMENTS)
                found = out.x if level == 0 else out.v if level == 1 else out.a
                copy(machine.x[: own.columns], found[at])
                if level < 2:
                    copy(machine.x[: own.columns], own.way[level * own.columns :])


@compiled_apart
def vary_forces(mechanism: Mechanism, own: Chain, path: Trajectory, multipliers: Matrix, out: Variation):
    """Of the accelerations and multipliers, where places and velocities are known to vary."""
    count, machine, n = own.given.shape[0], mechanism.machine, own.columns
    for k in range(path.t.size):
        t, q, v = path.t[k], path.q[k], path.v[k]
        evaluate(mechanism, t, q, v)
        factorise_terms(mechanism)
        differentiate(own.to, t, q, v, path.a[k], multipliers[k])
        _take_numbers(own)
        for p in range(count):
            at = count * k + p
            copy(out.x[at, :n], own.way)
            copy(out.v[at, :n], own.way[n:])
            _put_right(own, p, 2)
            copy(own.right[: own.rows], machine.g)
            _put_right(own, p, 3)
            copy(own.right[:n], machine.f)
            solve_here(machine, REFINEMENTS)
            copy(machine.x[:n], out.a[at])
            copy(machine.multipliers, out.multipliers[at])


@compiled
def _take_numbers(own):
    """The partial derivatives by parameters, from the matrix as it stands."""
    own.given[:] = 0.0
    for k in range(own.entry.size):
        e = own.entry[k]
        own.given[own.parameter[k], own.to.row[e]] += own.factor[k] * own.to.values[e]


@compiled
def _put_right(own, p, level):
    """The right side of a level, from how the levels before vary."""
    first = level * own.rows
    for row in range(own.columns if level == 3 else own.rows):
        own.right[row] = -own.given[p, first + row]
    if level > 0:
        for k in range(own.moving_at[level], own.moving_at[level + 1]):
            e = own.moving[k]
            own.right[own.to.row[e] - first] -= own.to.values[e] * own.way[own.to.column[e]]
