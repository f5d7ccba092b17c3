"""Work space of a run, and the evaluation of constraints. Compiled."""

from typing import Any, NamedTuple

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Design, Integers, Matrix, Vector, Work, zeros
from ..linear.kkt import Factor
from ..linear.pattern import Pattern
from ..linear.vectors import all_finite, copy
from .batch import VALUE, evaluate
from .manifold import Instant, Manifold
from .program import Program, read_jacobian, read_rows
from .tree.transformation import ACCELERATIONS, REACH, ROWS, VELOCITIES, Transformation, transform, transform_back

EVALUATIONS, FACTORISATIONS, CORRECTIONS, HALVINGS, POSES = range(5)


class Machine(NamedTuple):
    """A program, the pattern of its matrix, and work space for the solves."""

    program: Program
    transformation: Transformation
    manifold: Manifold
    pattern: Pattern
    factor: Factor
    square: Work[Vector]
    """The squared norm of each full row, where entries of rows are lost (`shares_of_rows`); else empty."""
    full_unit: Design[Vector]
    """The norm of full rows, one number for each velocity, the ground's included: reciprocal squared lengths."""
    norm: Design[Vector]
    """One number for each velocity: the norm in which "least change" is meant. (Columns of Φ_v may differ from
    velocities: see `Transformation.deep`.)"""
    length: Design[float]
    """The model's own length: tolerances are relative to it."""
    extent: Design[float]
    """The largest distance of the model from the origin: roundoff is relative to this distance."""
    gap_size: Design[float]
    """The length to which gaps that count as closed are relative: see `System.gap_size`."""
    out: Work[Vector] = zeros("outputs")
    phi: Work[Vector] = zeros("rows")
    """Φ of the last evaluation."""
    nu: Work[Vector] = zeros("rows")
    """ν of the last evaluation."""
    gamma: Work[Vector] = zeros("rows")
    """γ of the last evaluation."""
    f: Work[Vector] = zeros("columns")
    """The right side of the linear equations: one number for each column of Φ_v."""
    g: Work[Vector] = zeros("rows")
    """The right side of the linear equations: one number for each row."""
    x: Work[Vector] = zeros("either")
    """A solution, over the columns of Φ_v or as velocities of the machine's own coordinates."""
    multipliers: Work[Vector] = zeros("rows")
    here: Instant = Instant()
    """The beginning of a step."""
    there: Instant = Instant()
    """The end of a step."""
    way: Work[Vector] = zeros("either")
    orientation: Work[Matrix] = zeros(2, "rows")
    """The orientation at the beginning and at the end of a step: see `orient`."""
    counts: Work[Integers] = zeros(5)
    """The numbers of kernel evaluations, factorisations, Newton corrections, halved steps; and of poses that the last
    path has passed."""
    reached: Work[Vector] = zeros(1)
    """The time at which the last path ended."""


@compiled_apart
def observe(machine: Machine, t: float, q: Vector, v: Vector) -> None:
    """Evaluate Φ, ν, γ and Φ_v at (t, q, v) into the machine."""
    program, transformation, out = machine.program, machine.transformation, machine.out
    jacobian = machine.factor.jacobian
    machine.counts[EVALUATIONS] += 1
    if transformation.edges > 0:
        transform(transformation, REACH, (q, v))
        q, v = transformation.qc, transformation.vc
    evaluate(program.batch, VALUE, t, q, v, out)
    read_rows(program, out, machine.phi, machine.nu, machine.gamma)
    if transformation.edges > 0 and transformation.deep == 0:
        transform(transformation, ROWS, (out, machine.gamma, jacobian, machine.factor.share))
        return
    read_jacobian(program, out, jacobian)
    if transformation.edges == 0 and program.losses.rows.size > 0:
        shares_of_rows(program, machine, out, jacobian, machine.factor.share)


@compiled
def shares_of_rows(program: Program, norms: Any, out: Vector, jacobian: Vector, share: Vector) -> None:
    """Put the share of each row that is left where parts of the row fall on what stands still or cancel each other: its
    squared norm over that of the full row, 1 at most. A row that is only the roundoff of such a difference has share 0.
    `norms` has the fields norm, full_unit and square: a machine, or a step of lanes."""
    losses, square = program.losses, norms.square
    for k in range(losses.rows.size):
        square[losses.rows[k]] = share[losses.rows[k]] = 0.0
    for k in range(losses.left.size):
        add_square(program, norms.norm, jacobian, losses.left[k], share)
    for k in range(losses.full_row.size):
        entry = out[losses.full_from[k]]
        square[losses.full_row[k]] += entry * entry * norms.full_unit[losses.full_place[k]]
    for k in range(losses.rows.size):
        row = losses.rows[k]
        share[row] = min(share[row] / (square[row] + 1e-300), 1.0)


@compiled
def add_square(program: Program, norm: Vector, jacobian: Vector, e: int, square: Vector) -> None:
    """Add the square of entry e to the squared norm of its row."""
    square[program.jac_row[e]] += jacobian[e] * jacobian[e] / norm[program.jac_column[e]]


@compiled
def put_squares(machine: Machine) -> None:
    """Put the squared norms of all rows of the last evaluation into machine.square; a row that loses entries counts in
    full."""
    if machine.transformation.edges > 0:  # squares are already in place
        return
    losses, square, put_by = machine.program.losses, machine.square, machine.factor.rest_g
    for k in range(losses.rows.size):
        put_by[k] = square[losses.rows[k]]
    square[:] = 0.0
    for e in range(machine.factor.jacobian.size):
        add_square(machine.program, machine.norm, machine.factor.jacobian, e, square)
    for k in range(losses.rows.size):
        square[losses.rows[k]] = put_by[k]


@compiled_apart
def subtract_rates(machine: Machine, times: float, v: Vector) -> None:
    """Subtract `times` Φ_v v from machine.g, with Φ_v of the last evaluation."""
    transformation, pattern, jacobian, g = machine.transformation, machine.pattern, machine.factor.jacobian, machine.g
    if transformation.deep == 1:  # the columns are those of bodies
        v = transformation.vc
    for e in range(jacobian.size):
        g[pattern.jac_row[e]] -= times * jacobian[e] * v[pattern.jac_column[e]]


@compiled
def in_own_velocities(machine: Machine) -> None:
    """Turn the last solution, machine.x, into velocities (or a small motion) of the machine's coordinates, in place."""
    transformation = machine.transformation
    if transformation.deep == 1:
        transform_back(transformation, VELOCITIES, (machine.x, transformation.step))
        copy(transformation.step, machine.x)


@compiled
def take_accelerations(machine: Machine, a: Vector) -> bool:
    """Put the last solution x into a as accelerations of the machine's coordinates; return whether all are finite."""
    if machine.transformation.deep == 1:
        transform_back(machine.transformation, ACCELERATIONS, (machine.x, a))
    else:
        copy(machine.x[: machine.pattern.n], a)
    return all_finite(a)


@compiled_apart
def leave_out_velocity_rows(machine: Machine) -> None:
    """Set the rows of the last Φ_v that restrict velocities only to zero."""
    program, pattern, jacobian = machine.program, machine.pattern, machine.factor.jacobian
    if program.velocity_rows > 0:
        for e in range(jacobian.size):
            if program.phi_from[pattern.jac_row[e]] == program.batch.out_size:
                jacobian[e] = 0.0
