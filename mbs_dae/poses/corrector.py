"""Newton's corrector for curves of poses, with the tangent at the corrected point. Compiled.

The equations of a pose x with values p (`equations`) are Φ(x, p) = 0 in dimensionless form: motions are scaled by
`unit`, rows by `per_row`, values by `scale`. With J = Φ_x and P = Φ_p, and for multipliers u

    H = (Jᵀ u)_x,        K = (Jᵀ u)_p.

A curve of singular poses has the unknowns (x, p, u), a section of poses has (x, p) (`problems`):

    singular:   Φ = 0        [J  P  0 ]            section:    Φ = 0        [J  P]
                Jᵀ u = 0     [H  K  Jᵀ]                        A d = 0      [ A  ]
                ½(u·u-1)=0   [0  0  uᵀ]

The vector d is the way from the base of the section. With F the left side, F' the matrix, and a direction t, a step s
of the corrector has

    [F'] s = [-F],        and the tangent at its end has        [F'] t₁ ~ [0]
    [tᵀ]     [ c]                                               [tᵀ]      [1]

with the matrix of its last step: c = 0 corrects at right angles to t, and c = h - t·w goes to the point a way h ahead
of a base, where w is the way from the base.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.derivatives import Derivatives, differentiate
from ..compiled.machine import Machine, observe
from ..compiled.manifold import difference, move
from ..compiled.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR, UNSETTLED
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Integers, IntegerTable, Matrix, Vector, Work, zeros
from ..linear.elimination import factorise, solve
from ..linear.vectors import all_finite, copy, copy_rows, dot, largest

TIGHT, LOOSE = 1e-13, 1e-10
"""Residuals that count as zero; and those that do so when Newton's method no longer converges."""
FARTHEST = 0.5
"""The largest step that still counts as a correction by Newton's method."""


class PoseEquations(NamedTuple):
    """The equations of poses, and work space for them."""

    machine: Machine
    slopes: Derivatives
    time: float
    """The instant at which equations that depend on time are evaluated, in s."""
    bare: int
    """1 if J is the constraint Jacobian of the system, without second derivatives: there are no open parameters and no
    joint coordinates."""
    linear: int
    """1 if the numbers of the program are linear in p, `numbers` + (p - `start`) · `number_slopes`; otherwise the
    caller sets numbers and slopes before each call."""
    start: Vector
    numbers: Vector
    number_slopes: Work[Matrix]
    """The slopes of the numbers by p, (values, numbers)."""
    rows: Integers
    """The numbers of the rows of Φ in use."""
    place: Integers
    """The place of each row of the system among the rows in use; -1 if it is left out."""
    multiplier: Integers
    """The index of the multiplier of each row of the system; -1 if it has none."""
    held_values: IntegerTable
    """The rows of the system that hold a plane value, and the number k of this value, (rows, 2): such a row is Φ_row =
    measure - p_k."""
    per_row: Vector
    unit: Vector
    scale: Vector
    angles: Vector
    """The change of each small motion by a whole turn of a body; 0 for other motions."""
    zero_rates: Vector
    """Zeros for the velocities of the system, (velocities,): a pose is evaluated at rest."""
    phi: Work[Vector] = zeros("kept")
    J: Work[Matrix] = zeros("kept", "motions")
    P: Work[Matrix] = zeros("kept", "values")
    H: Work[Matrix] = zeros("motions", "motions")
    K: Work[Matrix] = zeros("motions", "values")
    multipliers: Work[Vector] = zeros("rows")
    step: Work[Vector] = zeros("motions")


class CurveEquations(NamedTuple):
    """The equations F of a curve, and work space for steps to it."""

    own: PoseEquations
    turns: Vector
    """The period of each value of the workspace, in its unit; 0 for a value that does not repeat."""
    A: Matrix
    """The linear conditions of a section, (conditions, motions + values); without rows for singular poses."""
    q0: Vector
    """The coordinates of the base of a section."""
    p0: Vector
    """The values of the base of a section."""
    F: Work[Vector] = zeros("equations")
    slope: Work[Matrix] = zeros("equations", "unknowns")
    bordered_matrix: Work[Matrix] = zeros("unknowns", "unknowns")
    order: Work[Integers] = zeros("unknowns")
    step: Work[Vector] = zeros("unknowns")
    way: Work[Vector] = zeros("unknowns")
    last_residual: Work[Vector] = zeros(1)
    """The largest residual before the last step."""


@compiled_apart
def observe_pose(own: PoseEquations, q: Vector, p: Vector, u: Vector):
    """Evaluate Φ, J and P at a pose, and H and K if there are multipliers u; put them into `own`."""
    machine, n, values = own.machine, own.unit.size, own.scale.size
    if own.linear == 1:
        for slot in range(own.numbers.size):
            number = own.numbers[slot]
            for k in range(values):
                number += (p[k] - own.start[k]) * own.number_slopes[k, slot]
            machine.program.batch.parameters[slot] = number
    observe(machine, own.time, q, own.zero_rates)
    own.J[:, :] = 0.0
    own.P[:, :] = 0.0
    if u.size > 0:
        own.H[:, :] = 0.0
        own.K[:, :] = 0.0
    for i in range(own.rows.size):
        own.phi[i] = machine.phi[own.rows[i]]
    for i in range(own.held_values.shape[0]):
        row, k = own.place[own.held_values[i, 0]], own.held_values[i, 1]
        if row >= 0:
            own.phi[row] -= p[k]
            own.P[row, k] = -1.0
    if own.bare == 1 and u.size == 0:
        jacobian, pattern = machine.factor.jacobian, machine.pattern
        for e in range(jacobian.size):
            row, column = own.place[pattern.jac_row[e]], pattern.jac_column[e]
            if row >= 0 and column < n:
                own.J[row, column] += jacobian[e]
    else:
        for row in range(own.place.size):
            j = own.multiplier[row]
            own.multipliers[row] = u[j] * own.per_row[row] if u.size > 0 and j >= 0 else 0.0
        slopes, count = own.slopes, own.place.size
        differentiate(slopes, own.time, q, own.zero_rates, own.zero_rates, own.multipliers)
        for e in range(slopes.values.size):
            row, column, slot = slopes.row[e], slopes.column[e], slopes.column[e] - 2 * n - 1
            upper, i = row < count, own.place[row] if row < count else row - count
            if i < 0:
                continue
            if column < n and upper:
                own.J[i, column] += slopes.values[e]
            elif column < n:  # these slopes are zero without multipliers
                own.H[i, column] += slopes.values[e]
            elif 0 <= slot < own.number_slopes.shape[1]:
                for k in range(values):
                    change = slopes.values[e] * own.number_slopes[k, slot]
                    if upper:
                        own.P[i, k] += change
                    else:
                        own.K[i, k] += change
    for i in range(own.rows.size):
        per_row = own.per_row[own.rows[i]]
        own.phi[i] *= per_row
        for j in range(n):
            own.J[i, j] *= own.unit[j] * per_row
        for k in range(values):
            own.P[i, k] *= own.scale[k] * per_row
    for i in range(n if u.size > 0 else 0):
        for j in range(n):
            own.H[i, j] *= own.unit[i] * own.unit[j]
        for k in range(values):
            own.K[i, k] *= own.scale[k] * own.unit[i]


@compiled_apart
def way_between(own: PoseEquations, q0: Vector, p0: Vector, q1: Vector, p1: Vector, turns: Vector, way: Vector):
    """Put the small step (x, p) from one pose to another into `way`; with `turns`, one for each value, up to whole
    turns of bodies and values."""
    n = own.unit.size
    difference(own.machine.manifold, q0, q1, own.step)
    for k in range(n):
        way[k] = own.step[k] / own.unit[k]
        if turns.size > 0 and own.angles[k] > 0.0:
            way[k] -= own.angles[k] * np.rint(way[k] / own.angles[k])
    for k in range(own.scale.size):
        off = p1[k] - p0[k]
        if turns.size > 0 and turns[k] > 0.0:
            off -= turns[k] * np.rint(off / turns[k])
        way[n + k] = off / own.scale[k]


@compiled_apart
def move_point(own: PoseEquations, q: Vector, p: Vector, u: Vector, step: Vector):
    """Move a point (q, p, u), in place, by a small step (x, p, u)."""
    n, values = own.unit.size, own.scale.size
    for k in range(n):
        own.step[k] = step[k] * own.unit[k]
    move(own.machine.manifold, q, own.step)
    for k in range(values):
        p[k] += step[n + k] * own.scale[k]
    for k in range(u.size):
        u[k] += step[n + values + k]


@compiled_apart
def observe_curve(curve: CurveEquations, q: Vector, p: Vector, u: Vector):
    """Evaluate F and F' at a point; put them into `curve`."""
    own, F, slope = curve.own, curve.F, curve.slope
    m, n, values = own.rows.size, own.unit.size, own.scale.size
    observe_pose(own, q, p, u)
    slope[:, :] = 0.0
    copy(own.phi, F)
    for i in range(m):
        copy(own.J[i], slope[i])
        copy(own.P[i], slope[i][n:])
    if u.size == 0:
        way_between(own, curve.q0, curve.p0, q, p, curve.turns[:0], curve.way)
        for i in range(curve.A.shape[0]):
            F[m + i] = dot(curve.A[i], curve.way)
            copy(curve.A[i], slope[m + i])
        return
    for i in range(n):
        F[m + i] = 0.0
        copy(own.H[i], slope[m + i])
        copy(own.K[i], slope[m + i][n:])
    for row in range(own.place.size):
        i, j = own.place[row], own.multiplier[row]
        if j >= 0:
            for k in range(n):
                F[m + k] += own.J[i, k] * u[j]
                slope[m + k, n + values + j] = own.J[i, k]
    F[m + n] = 0.5 * (dot(u, u) - 1.0)
    copy(u, slope[m + n][n + values :])


@compiled_apart
def correct(
    curve: CurveEquations, q: Vector, p: Vector, u: Vector, across: Vector, q0: Vector, p0: Vector, u0: Vector,
    ahead: float, steps: int, tangent: Vector,
):  # fmt: skip
    """Correct a point (q, p, u) in place by at most `steps` Newton steps: at right angles to the direction `across` if
    `ahead` is nan, otherwise to the point that is `ahead` of (q0, p0, u0) in this direction. Return a status. After
    DONE `tangent` has the unit tangent, which goes along `across`, then the sign of det [F'; tᵀ]; if that is 0.0 the
    tangent is not determined."""
    F, way, step, unknowns = curve.F, curve.way, curve.step, across.size
    for _ in range(steps):
        observe_curve(curve, q, p, u)
        off = 0.0
        if ahead == ahead:
            way_between(curve.own, q0, p0, q, p, curve.turns, way)
            for k in range(u.size):
                way[unknowns - u.size + k] = u[k] - u0[k]
            off = ahead - dot(across, way)
        size = max(largest(F), abs(off))
        if not (all_finite(F) and np.isfinite(off)):
            return NOT_FINITE
        copy_rows(curve.slope, curve.bordered_matrix)
        copy(across, curve.bordered_matrix[unknowns - 1])
        sense = factorise(curve.bordered_matrix, curve.order)
        if size < TIGHT or (size < LOOSE and size > 0.25 * curve.last_residual[0]):
            tangent[:] = 0.0
            if sense == 0.0:
                return DONE
            tangent[unknowns - 1] = 1.0
            solve(curve.bordered_matrix, curve.order, tangent[:unknowns])
            length = np.sqrt(dot(tangent[:unknowns], tangent[:unknowns]))
            for k in range(unknowns):
                tangent[k] /= length
            tangent[unknowns] = sense
            return DONE
        curve.last_residual[0] = size
        if sense == 0.0:
            return SINGULAR
        for k in range(F.size):
            step[k] = -F[k]
        step[unknowns - 1] = off
        solve(curve.bordered_matrix, curve.order, step)
        if not (all_finite(step) and largest(step) < FARTHEST):
            return NOT_CONVERGED
        move_point(curve.own, q, p, u, step)
    return UNSETTLED
