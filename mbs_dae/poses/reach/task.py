"""The error of a pose, by which markers miss their targets, and its Jacobian by the joints. Compiled.

A marker with the point p and the rotation R (its axes in the world) has the target p* and R*. Its error is

    p - p*,        L θ        with  R = Rot(θ) R*,    |θ| ≤ π

so θ is the rotation vector, in world axes, from the target's attitude to the present one; the factor L, the model's
length, makes L θ a length. A velocity ẋ_c turns the marker by t_c and shifts it by s_c (`coordinates.joint.recursion`):

    columns of J:    s_c + t_c × (p - η_c),        L t_c.

The rate of θ is not ω but N(θ) ω, with N(θ)ᵀ θ = θ. So Jᵀ e is the gradient of ½ |e|² exactly; and the step with ω = -θ
leads to the target exactly.

The rows of closed loops follow, each divided by its length over the velocities of bodies: gaps, which are lengths.
Velocities of joints are scaled by L for rotations. So all entries of J are dimensionless.
"""

from math import floor, pi
from typing import NamedTuple

from ...compiled.machine import Machine, leave_out_velocity_rows, observe
from ...compiled.manifold import Manifold, move
from ...coordinates.joint.recursion import unfold
from ...coordinates.joint.tree import Tree
from ...coordinates.joint.vectors import after, back, cross, minus, plus, quaternion, rotation_vector, row, turned
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, zeros
from ...linear.vectors import dot

RECENT = 16
"""Number of steps within which the error must fall."""


class ReachTask(NamedTuple):
    """The targets and the work space of a search. An aim k is a marker with its target; rows of the error are those of
    the aims in order, then those of loops."""

    machine: Machine
    tree: Tree
    manifold: Manifold
    """The manifold without hidden turns, which follow from `turning`."""
    # aims
    body: Integers
    """The number of the marker's body."""
    asks_place: Integers
    """1 where the target has a point."""
    asks_attitude: Integers
    """1 where the target has a rotation."""
    point: Matrix
    """The place of the marker on its body."""
    attitude: Matrix
    """The quaternion of the marker on its body."""
    target_point: Matrix
    """The place of the target; z is 0 in the plane."""
    target_attitude: Matrix
    """The quaternion of the target."""
    angle: Vector
    """The marker's angle on its body minus that of the target, in rad, in the plane."""
    # coordinates
    unit: Vector
    """The change of a coordinate for a unit of each scaled velocity: 1/L for rotations, 1 for slides."""
    coordinate: Integers
    """The coordinate that each velocity changes; -1 for velocities of a ball."""
    low: Vector
    """Lower limit of the coordinate; minus infinity for balls."""
    high: Vector
    """Upper limit of the coordinate; infinite for balls."""
    turning: Matrix
    """Hidden turns are turning @ (q - placement); no rows where no equation reads them."""
    placement: Vector
    # rows
    task_rows: int
    """The number of rows of the aims."""
    gap: Vector
    """The factor that makes the equation of a loop a length."""
    still: Vector
    # work space
    e: Work[Vector] = zeros("rows")
    J: Work[Matrix] = zeros("rows", "velocities")
    A: Work[Matrix] = zeros("rows", "rows")
    """J Jᵀ and its factor."""
    x: Work[Vector] = zeros("rows")
    step: Work[Vector] = zeros("velocities")
    trial: Work[Vector] = zeros("q_size")
    best: Work[Vector] = zeros("q_size")
    recent: Work[Vector] = zeros(RECENT)
    """e|² after the last steps."""


@compiled_apart
def observe_task(task: ReachTask, q: Vector) -> float:
    """Evaluate e and J at q; return |e|²."""
    machine, e, J = task.machine, task.e, task.J
    observe(machine, 0.0, q, task.still)
    unfold(task.tree, q, task.still, machine.transformation.qc, machine.transformation.vc)  # frames, and their rates
    J[:, :] = 0.0
    at = 0
    for k in range(task.body.size):
        at = _aim(task, k, at)
    rows = machine.program.rows
    if rows > 0:
        leave_out_velocity_rows(machine)
        for i in range(rows):
            e[at + i] = machine.phi[i] * task.gap[i]
        pattern, jacobian = machine.pattern, machine.factor.jacobian
        for i in range(jacobian.size):
            r, c = pattern.jac_row[i], pattern.jac_column[i]
            J[at + r, c] = jacobian[i] * task.gap[r] * task.unit[c]
    return dot(e, e)


@compiled
def _aim(task: ReachTask, k: int, at: int) -> int:
    """Write the rows of aim k, from row `at` on; return the next row."""
    tree, b = task.tree, task.body[k]
    m, flat = tree.body_frame[b], tree.dimension == 2
    length = task.machine.length
    width = 2 if flat else 3
    p = plus(row(tree.r, m), turned(tree.A, m, row(task.point, k)))
    turn = at + width * task.asks_place[k]
    if task.asks_place[k] == 1:
        error = minus(p, row(task.target_point, k))
        for i in range(width):
            task.e[at + i] = error[i]
    if task.asks_attitude[k] == 1 and flat:
        angle = tree.phi[m] + task.angle[k]
        task.e[turn] = length * (angle - 2 * pi * floor(angle / (2 * pi) + 0.5))
    elif task.asks_attitude[k] == 1:
        inverse = back(quaternion(task.target_attitude, k))
        theta = rotation_vector(after(after(quaternion(tree.e, m), quaternion(task.attitude, k)), inverse))
        for i in range(3):
            task.e[turn + i] = length * theta[i]
    for i in range(tree.r_body_at[b], tree.r_body_at[b + 1]):
        c = tree.r_velocity[i]
        axis = row(tree.turn, c)
        shift = plus(row(tree.slide, c), cross(axis, minus(p, row(tree.eta, tree.v_step[c]))))
        if task.asks_place[k] == 1:
            for j in range(width):
                task.J[at + j, c] = task.unit[c] * shift[j]
        if task.asks_attitude[k] == 1 and flat:
            task.J[turn, c] = length * task.unit[c] * axis[2]
        elif task.asks_attitude[k] == 1:
            for j in range(3):
                task.J[turn + j, c] = length * task.unit[c] * axis[j]
    return turn + (1 if flat else 3) * task.asks_attitude[k]


@compiled
def move_joints(task: ReachTask, q: Vector, step: Vector) -> None:
    """Move q, in place, by small motions of the joints, no farther than their limits; update hidden turns."""
    move(task.manifold, q, step)
    for c in range(task.coordinate.size):
        k = task.coordinate[c]
        if k >= 0:
            q[k] = min(max(q[k], task.low[c]), task.high[c])
    hidden = task.turning.shape[1]
    for i in range(task.turning.shape[0]):
        total = 0.0
        for k in range(hidden):
            total += task.turning[i, k] * (q[k] - task.placement[k])
        q[hidden + i] = total
