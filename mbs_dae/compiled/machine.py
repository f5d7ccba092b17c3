"""Work space of a run, and the evaluation of the constraints in it. Compiled."""

from typing import NamedTuple

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
    """What velocities count in it, those of what stands still included: reciprocal squared lengths."""
    norm: Design[Vector]
    """One number for each velocity: the norm in which "least change" is meant. (Columns of Φ_v may be others: see
    `Transformation.deep`.)"""
    length: Design[float]
    """The model's own length: tolerances are relative to it."""
    extent: Design[float]
    """How far the model reaches from the origin: roundoff is relative to it."""
    out: Work[Vector] = zeros("outputs")
    phi: Work[Vector] = zeros("rows")
    """Φ, ν and γ of the last evaluation."""
    nu: Work[Vector] = zeros("rows")
    gamma: Work[Vector] = zeros("rows")
    f: Work[Vector] = zeros("columns")
    g: Work[Vector] = zeros("rows")
    x: Work[Vector] = zeros("either")
    """A solution, over the columns of Φ_v or as velocities of the machine's own coordinates."""
    multipliers: Work[Vector] = zeros("rows")
    here: Instant = Instant()
    there: Instant = Instant()
    """The beginning and the end of a step."""
    way: Work[Vector] = zeros("either")
    orientation: Work[Matrix] = zeros(2, "rows")
    """At the beginning and at the end of a step: see `orient`."""
    counts: Work[Integers] = zeros(5)
    """Kernel evaluations, factorisations, Newton corrections, steps halved; poses that the last walk has done."""
    reached: Work[Vector] = zeros(1)
    """The time at which the last walk ended."""


@compiled_apart
def observe(machine: Machine, t: float, q: Vector, v: Vector):
    """Φ, ν, γ and Φ_v at (t, q, v)."""
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
def shares_of_rows(program, norms, out, jacobian, share):
    """How much of each row is left, where parts of it fall on what stands still or cancel each other: its squared
    norm over that of the full row, 1 at most. A row that is nothing but the roundoff of such a difference has none.
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
def add_square(program, norm, jacobian, e, square):
    """The square of entry e to that of its row."""
    square[program.jac_row[e]] += jacobian[e] * jacobian[e] / norm[program.jac_column[e]]


@compiled
def put_squares(machine):
    """The squared norms of all rows of the last evaluation, in machine.square: full ones of those that lose entries."""
    if machine.transformation.edges > 0:  # they are there
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
def subtract_rates(machine: Machine, times: float, v: Vector):
    """machine.g less so many times Φ_v v, at the last evaluation."""
    transformation, pattern, jacobian, g = machine.transformation, machine.pattern, machine.factor.jacobian, machine.g
    if transformation.deep == 1:  # there the columns are those of bodies
        v = transformation.vc
    for e in range(jacobian.size):
        g[pattern.jac_row[e]] -= times * jacobian[e] * v[pattern.jac_column[e]]


@compiled
def in_own_velocities(machine):
    """The last solution, machine.x, as velocities (or a small motion) of the machine's own coordinates, in place."""
    transformation = machine.transformation
    if transformation.deep == 1:
        transform_back(transformation, VELOCITIES, (machine.x, transformation.step))
        copy(transformation.step, machine.x)


@compiled
def take_accelerations(machine, a):
    """The last solution x as accelerations of the machine's own coordinates; whether all are finite."""
    if machine.transformation.deep == 1:
        transform_back(machine.transformation, ACCELERATIONS, (machine.x, a))
    else:
        copy(machine.x[: machine.pattern.n], a)
    return all_finite(a)


@compiled_apart
def leave_out_velocity_rows(machine: Machine):
    """Of the last evaluation, keep the rows that say where bodies are."""
    program, pattern, jacobian = machine.program, machine.pattern, machine.factor.jacobian
    if program.velocity_rows > 0:
        for e in range(jacobian.size):
            if program.phi_from[pattern.jac_row[e]] == program.batch.out_size:
                jacobian[e] = 0.0
