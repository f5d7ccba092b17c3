"""Newton's corrector for curves of poses, with the tangent at the corrected point. Compiled.

The equations of a pose x with values p are Φ(x, p) = 0 in dimensionless form: motions are scaled by
`unit`, rows by `per_row`, values by `scale`. With J = Φ_x and P = Φ_p, and for multipliers u

    H = (Jᵀ u)_x,        K = (Jᵀ u)_p.

A curve of singular poses has the unknowns (x, p, u), a section of poses has (x, p) (`problems`):

    singular:   Φ = 0        [J  P  0 ]            section:    Φ = 0        [J  P]
                Jᵀ u = 0     [H  K  Jᵀ]                        A d = 0      [ A  ]
                ½(u·u-1)=0   [0  0  uᵀ]

The vector d is the step from the base of the section. With F the left side, F' the matrix, and a direction t, a step s
of the corrector has

    [F'] s = [-F],        and the tangent at its end has        [F'] t₁ ~ [0]
    [tᵀ]     [ c]                                               [tᵀ]      [1]

with the matrix of its last step: c = 0 corrects at right angles to t, and c = h - t·w goes to the point a length h
ahead of a base, where w is the step from the base.
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
from ..tolerances import CURVE_RESIDUAL, CURVE_RESIDUAL_LIMIT

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
    phi: Work[Vector] = zeros("used")
    J: Work[Matrix] = zeros("used", "motions")
    P: Work[Matrix] = zeros("used", "values")
    H: Work[Matrix] = zeros("motions", "motions")
    K: Work[Matrix] = zeros("motions", "values")
    multipliers: Work[Vector] = zeros("rows")
    step: Work[Vector] = zeros("motions")


class CurveEquations(NamedTuple):
    """The equations F of a curve, and work space for steps to it."""

    pose_equations: PoseEquations
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
    offset: Work[Vector] = zeros("unknowns")
    """The step from the base of the section, or from the point of which the corrected one is ahead."""
    last_residual: Work[Vector] = zeros(1)
    """The largest residual before the last step."""


@compiled_apart
def observe_pose(equations: PoseEquations, q: Vector, p: Vector, u: Vector) -> None:
    """Evaluate Φ, J and P at a pose, and H and K if there are multipliers u; put them into `equations`."""
    machine, n, values = equations.machine, equations.unit.size, equations.scale.size
    if equations.linear == 1:
        for slot in range(equations.numbers.size):
            number = equations.numbers[slot]
            for k in range(values):
                number += (p[k] - equations.start[k]) * equations.number_slopes[k, slot]
            machine.program.batch.parameters[slot] = number
    observe(machine, equations.time, q, equations.zero_rates)
    equations.J[:, :] = 0.0
    equations.P[:, :] = 0.0
    if u.size > 0:
        equations.H[:, :] = 0.0
        equations.K[:, :] = 0.0
    for i in range(equations.rows.size):
        equations.phi[i] = machine.phi[equations.rows[i]]
    for i in range(equations.held_values.shape[0]):
        row, k = equations.place[equations.held_values[i, 0]], equations.held_values[i, 1]
        if row >= 0:
            equations.phi[row] -= p[k]
            equations.P[row, k] = -1.0
    if equations.bare == 1 and u.size == 0:
        jacobian, pattern = machine.factor.jacobian, machine.pattern
        for e in range(jacobian.size):
            row, column = equations.place[pattern.jac_row[e]], pattern.jac_column[e]
            if row >= 0 and column < n:
                equations.J[row, column] += jacobian[e]
    else:
        for row in range(equations.place.size):
            j = equations.multiplier[row]
            equations.multipliers[row] = u[j] * equations.per_row[row] if u.size > 0 and j >= 0 else 0.0
        slopes, count = equations.slopes, equations.place.size
        differentiate(slopes, equations.time, q, equations.zero_rates, equations.zero_rates, equations.multipliers)
        for e in range(slopes.values.size):
            row, column, slot = slopes.row[e], slopes.column[e], slopes.column[e] - 2 * n - 1
            upper, i = row < count, equations.place[row] if row < count else row - count
            if i < 0:
                continue
            if column < n and upper:
                equations.J[i, column] += slopes.values[e]
            elif column < n:  # these slopes are zero without multipliers
                equations.H[i, column] += slopes.values[e]
            elif 0 <= slot < equations.number_slopes.shape[1]:
                for k in range(values):
                    change = slopes.values[e] * equations.number_slopes[k, slot]
                    if upper:
                        equations.P[i, k] += change
                    else:
                        equations.K[i, k] += change
    for i in range(equations.rows.size):
        per_row = equations.per_row[equations.rows[i]]
        equations.phi[i] *= per_row
        for j in range(n):
            equations.J[i, j] *= equations.unit[j] * per_row
        for k in range(values):
            equations.P[i, k] *= equations.scale[k] * per_row
    for i in range(n if u.size > 0 else 0):
        for j in range(n):
            equations.H[i, j] *= equations.unit[i] * equations.unit[j]
        for k in range(values):
            equations.K[i, k] *= equations.scale[k] * equations.unit[i]


@compiled_apart
def step_between(
    equations: PoseEquations, q0: Vector, p0: Vector, q1: Vector, p1: Vector, turns: Vector, out: Vector
) -> None:
    """Put the small step (x, p) from one pose to another into `out`; with `turns`, one for each value, up to whole
    turns of bodies and values."""
    n = equations.unit.size
    difference(equations.machine.manifold, q0, q1, equations.step)
    for k in range(n):
        out[k] = equations.step[k] / equations.unit[k]
        if turns.size > 0 and equations.angles[k] > 0.0:
            out[k] -= equations.angles[k] * np.rint(out[k] / equations.angles[k])
    for k in range(equations.scale.size):
        off = p1[k] - p0[k]
        if turns.size > 0 and turns[k] > 0.0:
            off -= turns[k] * np.rint(off / turns[k])
        out[n + k] = off / equations.scale[k]


@compiled_apart
def move_point(equations: PoseEquations, q: Vector, p: Vector, u: Vector, step: Vector) -> None:
    """Move a point (q, p, u), in place, by a small step (x, p, u)."""
    n, values = equations.unit.size, equations.scale.size
    for k in range(n):
        equations.step[k] = step[k] * equations.unit[k]
    move(equations.machine.manifold, q, equations.step)
    for k in range(values):
        p[k] += step[n + k] * equations.scale[k]
    for k in range(u.size):
        u[k] += step[n + values + k]


@compiled_apart
def observe_curve(curve: CurveEquations, q: Vector, p: Vector, u: Vector) -> None:
    """Evaluate F and F' at a point; put them into `curve`."""
    equations, F, slope = curve.pose_equations, curve.F, curve.slope
    m, n, values = equations.rows.size, equations.unit.size, equations.scale.size
    observe_pose(equations, q, p, u)
    slope[:, :] = 0.0
    copy(equations.phi, F)
    for i in range(m):
        copy(equations.J[i], slope[i])
        copy(equations.P[i], slope[i][n:])
    if u.size == 0:
        step_between(equations, curve.q0, curve.p0, q, p, curve.turns[:0], curve.offset)
        for i in range(curve.A.shape[0]):
            F[m + i] = dot(curve.A[i], curve.offset)
            copy(curve.A[i], slope[m + i])
        return
    for i in range(n):
        F[m + i] = 0.0
        copy(equations.H[i], slope[m + i])
        copy(equations.K[i], slope[m + i][n:])
    for row in range(equations.place.size):
        i, j = equations.place[row], equations.multiplier[row]
        if j >= 0:
            for k in range(n):
                F[m + k] += equations.J[i, k] * u[j]
                slope[m + k, n + values + j] = equations.J[i, k]
    F[m + n] = 0.5 * (dot(u, u) - 1.0)
    copy(u, slope[m + n][n + values :])


@compiled_apart
def correct(
    curve: CurveEquations, q: Vector, p: Vector, u: Vector, across: Vector, q0: Vector, p0: Vector, u0: Vector,
    ahead: float, steps: int, tangent: Vector,
) -> int:  # fmt: skip
    """Correct a point (q, p, u) in place by at most `steps` Newton steps: at right angles to the direction `across` if
    `ahead` is nan, otherwise to the point that is `ahead` of (q0, p0, u0) in this direction. Return a status. After
    DONE `tangent` has the unit tangent, which goes along `across`, then the sign of det [F'; tᵀ]; if that is 0.0 the
    tangent is not determined."""
    F, offset, step, unknowns = curve.F, curve.offset, curve.step, across.size
    for _ in range(steps):
        observe_curve(curve, q, p, u)
        off = 0.0
        if ahead == ahead:
            step_between(curve.pose_equations, q0, p0, q, p, curve.turns, offset)
            for k in range(u.size):
                offset[unknowns - u.size + k] = u[k] - u0[k]
            off = ahead - dot(across, offset)
        size = max(largest(F), abs(off))
        if not (all_finite(F) and np.isfinite(off)):
            return NOT_FINITE
        copy_rows(curve.slope, curve.bordered_matrix)
        copy(across, curve.bordered_matrix[unknowns - 1])
        sense = factorise(curve.bordered_matrix, curve.order)
        if size < CURVE_RESIDUAL or (size < CURVE_RESIDUAL_LIMIT and size > 0.25 * curve.last_residual[0]):
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
        move_point(curve.pose_equations, q, p, u, step)
    return UNSETTLED
