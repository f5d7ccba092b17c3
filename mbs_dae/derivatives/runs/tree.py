"""Changes of joint coordinates as changes of bodies, and back. Compiled.

The bodies of a tree follow from the coordinates ξ of its joints. Let Ψ(q, p) = 0 be the equations of the joints of the
tree, and μ(q, p) = ξ their coordinates as functions of the bodies (`coordinates.joint.variation`); C' and C'' are the
rates and accelerations of both. Their matrix A = [Ψ; μ]_v is a lower triangle of blocks, for a joint joins a body to
its parent:

    A δx = [0; δξ] - C_p,        A δu = [0; δξ̇] - (C'_x δx + C'_p),        [0; δξ̈] = A δu̇ + C''_x δx + C''_u δu + C''_p.

The accelerations u̇ and the multipliers of all joints satisfy the equations in the coordinates of bodies. So a stage is
linearised there (`contact_forces.vary_stage`): changes of joints become those of bodies, and changes of u̇ those of ξ̈.
However long a tree is, no matrix is dense. Going back, each of these maps is transposed.

Contacts have the same points and rows in both coordinates. A force along a row is one number, so the bodies have the
states of contacts of the run, and forces, projections and impacts are those of the bodies.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ...compiled import System
from ...compiled.batch import VALUE, BatchBuilder, instance_of
from ...compiled.batch import evaluate as evaluate_rows
from ...compiled.derivatives import (
    ACCELERATIONS,
    POSITIONS,
    RATES,
    DerivativeBuilder,
    differentiate,
    without_forces,
)
from ...compiled.manifold import Manifold, restore
from ...compiled.program import Program, ProgramBuilder, read_jacobian
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...compiled.structure import Structure
from ...coordinates import JointCoordinates
from ...coordinates.joint.recursion import unfold
from ...coordinates.joint.variation import coordinates_of
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, block, nothing, zeros
from ...linear.elimination import factorise, solve
from ...linear.vectors import axpy, copy, dot
from ...motion.derivative import evaluate, refinements, solve_terms
from ...motion.mechanism import mechanism as mechanism_of
from ...motion.mechanism_record import Mechanism
from ...motion.switching.switches import hold_all
from ...poses.newton import factorise_observed
from ...results.result import State
from ...tolerances import ACCELERATION_INDEPENDENCE
from .contact_forces import (
    HeldForces,
    hold_forces,
    keep_back,
    keep_of_places_back,
    keep_of_rates_back,
    stage_back,
    vary_keep,
    vary_keep_of_places,
    vary_keep_of_rates,
    vary_stage,
)
from .linear import (
    BEND,
    GAP,
    RATE,
    Linear,
    LinearProjection,
    linear,
    linearise,
    put_right,
    put_way,
    save_linearised,
    take_given,
    take_linearised,
    vary_place_projection,
    vary_places,
    vary_rates,
    vary_velocity_projection,
)
from .transposed import (
    add_places,
    add_rates,
    give_back,
    give_numbers,
    place_projection_back,
    take_places,
    velocity_projection_back,
)


class JointTree(NamedTuple):
    """The tree of a run in joint coordinates, and the equations of its bodies at the linearised state; without rows in
    other coordinates."""

    mechanism: Mechanism
    """The bodies, with all their equations."""
    to: Linear
    """The equations of the joints and of their coordinates, edge by edge."""
    size: int
    """The number of rows of an edge: 3 in the plane, 6 in space."""
    child: Integers
    """The place of the first velocity of the body of each edge."""
    row: Integers
    """The row of each velocity of a joint."""
    entry: Integers
    """The places of the entries of A in `jacobian`, row by row."""
    column: Integers
    """The column of each of these entries."""
    row_at: Integers
    """The place in `entry` at which each row begins, and the end."""
    kept_from: Integers
    """The row of the run for each row of the equations of bodies; -1 for rows of joints of the tree."""
    program: Program
    """The kernels of the equations of the joints and of their coordinates."""
    out: Work[Vector] = zeros("tree_outputs")
    jacobian: Work[Vector] = zeros("tree_entries")
    """The entries of A."""
    inverse: Work[Matrix] = zeros("tree_rows", "edge_rows")
    """The inverses of the diagonal blocks of A."""
    y: Work[Vector] = zeros("body_width")
    """The state of the bodies."""
    dy: Work[Vector] = zeros("body_width")
    """The derivative of this state."""
    before: Work[Vector] = zeros("body_width")
    """The state of the bodies before its projection."""
    place: Work[Vector] = zeros("joint_places")
    """The joint coordinates before the projection, their quaternions of unit length."""
    changes: Work[Matrix] = zeros("bunch", "body_width")
    """Changes of the state, a row for each parameter; or weights."""
    slopes: Work[Matrix] = zeros("bunch", "body_width")
    """Changes of the derivative, a row for each parameter; or weights."""
    way: Work[Vector] = zeros("joint_velocities")
    """A small motion of joints."""
    matrix: Work[Matrix] = zeros("edge_rows", "edge_rows")
    order: Work[Integers] = zeros("edge_rows")
    x: Work[Vector] = zeros("edge_rows")
    none: Work[Vector] = zeros("tree_rows")


NO_TREE = nothing(JointTree)
"""The empty tree of a run in other coordinates."""


@compiled
def has_joints(tree: JointTree) -> bool:
    return tree.row.size > 0


# --- A ----------------------------------------------------------------------------------------------------------------


@compiled
def _is_own(tree: JointTree, e: int, column: int) -> bool:
    """Return whether a column of A belongs to the body of edge e, and not to its parent."""
    return tree.child[e] <= column < tree.child[e] + tree.size


@compiled
def _linearise_tree(tree: JointTree, t: float, q: Vector, v: Vector, a: Vector) -> None:
    """Evaluate the entries of the tree at a state of bodies, and invert the diagonal blocks of A."""
    differentiate(tree.to.to, t, q, v, a, tree.none)
    evaluate_rows(tree.program.batch, VALUE, t, q, v, tree.out)
    read_jacobian(tree.program, tree.out, tree.jacobian)
    A, size = tree.matrix, tree.size
    for e in range(tree.child.size):
        A[:] = 0.0
        for i in range(size):
            for k in range(tree.row_at[size * e + i], tree.row_at[size * e + i + 1]):
                if _is_own(tree, e, tree.column[k]):
                    A[i, tree.column[k] - tree.child[e]] = tree.jacobian[tree.entry[k]]
        factorise(A, tree.order)
        for j in range(size):
            tree.x[:] = 0.0
            tree.x[j] = 1.0
            solve(A, tree.order, tree.x)
            for i in range(size):
                tree.inverse[size * e + i, j] = tree.x[i]


@compiled_apart
def linearise_tree_at(tree: JointTree, t: float, q: Vector, v: Vector) -> None:
    """Linearise the equations of the tree that restrict places and velocities, at time t and a state of bodies."""
    _linearise_tree(tree, t, q, v, tree.dy[tree.mechanism.state.v_at : tree.mechanism.state.v_end])


@compiled
def _solve_tree(tree: JointTree, right: Vector, out: Vector) -> None:
    """Solve A out = right."""
    size = tree.size
    for e in range(tree.child.size):
        for i in range(size):
            row = size * e + i
            tree.x[i] = right[row]
            for k in range(tree.row_at[row], tree.row_at[row + 1]):
                if not _is_own(tree, e, tree.column[k]):
                    tree.x[i] -= tree.jacobian[tree.entry[k]] * out[tree.column[k]]
        for i in range(size):
            out[tree.child[e] + i] = dot(tree.inverse[size * e + i], tree.x)


@compiled
def _solve_tree_back(tree: JointTree, weights: Vector, out: Vector) -> None:
    """Solve Aᵀ out = weights, which are overwritten."""
    size = tree.size
    for e in range(tree.child.size - 1, -1, -1):
        for i in range(size):
            total, row = 0.0, size * e + i
            for j in range(size):
                total += tree.inverse[size * e + j, i] * weights[tree.child[e] + j]
            out[row] = total
            for k in range(tree.row_at[row], tree.row_at[row + 1]):
                if not _is_own(tree, e, tree.column[k]):
                    weights[tree.column[k]] -= tree.jacobian[tree.entry[k]] * total


@compiled
def _row_times(tree: JointTree, row: int, x: Vector) -> float:
    """Return the product of a row of A with changes x of velocities of bodies."""
    total = 0.0
    for k in range(tree.row_at[row], tree.row_at[row + 1]):
        total += tree.jacobian[tree.entry[k]] * x[tree.column[k]]
    return total


@compiled
def _add_row(tree: JointTree, row: int, times: float, to: Vector) -> None:
    """Add `times` a row of A to `to`: the transposed of `_row_times`."""
    for k in range(tree.row_at[row], tree.row_at[row + 1]):
        to[tree.column[k]] += times * tree.jacobian[tree.entry[k]]


# --- states -----------------------------------------------------------------------------------------------------------


@compiled_apart
def linearise_joints(tree: JointTree, own: Linear, mechanism: Mechanism, t: float, y: Vector) -> None:
    """Linearise the equations of bodies and the tree at a state of joints that was evaluated last. Where the equations
    of bodies have no solution the entries are nan."""
    bodies, state, b = tree.mechanism, mechanism.state, tree.mechanism.state
    q, v, a = tree.y[: b.q_end], tree.y[b.v_at : b.v_end], tree.dy[b.v_at : b.v_end]
    copy(mechanism.machine.transformation.qc, q)
    copy(y[state.z_at : state.q_end], tree.y[b.z_at :])
    copy(mechanism.machine.transformation.vc, v)
    copy(mechanism.gains, bodies.gains)
    kept = bodies.machine.factor.kept
    for row in range(kept.size):
        kept[row] = 1.0 if tree.kept_from[row] < 0 else mechanism.machine.factor.kept[tree.kept_from[row]]
    if mechanism.switches.mode.size > 0:
        copy(mechanism.switches.mode, bodies.switches.mode)
        hold_all(bodies)
    copy(mechanism.contacts.constrained.state, bodies.contacts.constrained.state)
    copy(mechanism.contacts.sliding.holds_direction, bodies.contacts.sliding.holds_direction)
    evaluate(bodies, t, q, v)
    bodies.machine.factor.truncation[0] = bodies.faint
    if not factorise_observed(bodies.machine) or solve_terms(bodies, v, a) != DONE:
        a[:] = np.nan
    linearise(own, bodies, t, tree.y, tree.dy)
    _linearise_tree(tree, t, q, v, a)


@compiled_apart
def unfold_state(tree: JointTree, mechanism: Mechanism, y: Vector) -> None:
    """Put the bodies of a state of joints into `before`."""
    state, b = mechanism.state, tree.mechanism.state
    _unfold_before(tree, mechanism, y[: state.q_end], y[state.v_at : state.v_end])
    copy(y[state.z_at : state.q_end], tree.before[b.z_at :])


@compiled
def save_tree(tree: JointTree, row: Vector) -> None:
    """Save the linearised tree, without the equations of bodies, in a row of numbers (`size_of_tree`)."""
    at = 0
    for part in (tree.to.to.values, tree.jacobian, tree.y, tree.dy):
        copy(part, row[at:])
        at += part.size
    for k in range(tree.inverse.shape[0]):
        copy(tree.inverse[k], row[at:])
        at += tree.size


@compiled
def take_tree(tree: JointTree, row: Vector) -> None:
    """Put a linearised tree that was saved back into its places."""
    at = 0
    for part in (tree.to.to.values, tree.jacobian, tree.y, tree.dy):
        copy(row[at : at + part.size], part)
        at += part.size
    for k in range(tree.inverse.shape[0]):
        copy(row[at : at + tree.size], tree.inverse[k])
        at += tree.size


def size_of_tree(tree: JointTree) -> int:
    return tree.to.to.values.size + tree.jacobian.size + 2 * tree.y.size + tree.inverse.size


@compiled
def _places_of_bodies(tree: JointTree, manifold: Manifold, q: Vector, p: int, dq: Vector) -> None:
    """Put the small motions δx of bodies into the way of the tree, from changes dq of joints by parameter p."""
    own = tree.to
    put_way(manifold, q, dq, tree.way)
    own.way[:] = 0.0
    put_right(own, p, GAP)
    right = own.right[own.first[GAP] : own.first[RATE]]
    for c in range(tree.row.size):
        right[tree.row[c]] += tree.way[c]
    _solve_tree(tree, right, own.way)


@compiled
def _rates_of_bodies(tree: JointTree, p: int, dv: Vector) -> None:
    """Put δu behind δx in the way of the tree, from changes dv of velocities of joints by parameter p."""
    own = tree.to
    own.way[own.columns : 2 * own.columns] = 0.0
    put_right(own, p, RATE)
    right = own.right[own.first[RATE] : own.first[BEND]]
    for c in range(tree.row.size):
        right[tree.row[c]] += dv[c]
    _solve_tree(tree, right, own.way[own.columns :])


@compiled
def _places_of_joints(tree: JointTree, manifold: Manifold, q: Vector, p: int, dq: Vector) -> None:
    """Put the changes of places of joints by parameter p into dq, from those of bodies in `changes`."""
    bodies, q_end = tree.mechanism.machine.manifold, tree.mechanism.state.q_end
    put_way(bodies, tree.y[:q_end], tree.changes[p, :q_end], tree.to.way)
    for c in range(tree.row.size):
        given = tree.to.given[p, tree.to.first[GAP] + tree.row[c]]
        tree.way[c] = _row_times(tree, tree.row[c], tree.to.way) + given
    vary_places(manifold, q, tree.way, dq)


@compiled
def _rates_of_joints(tree: JointTree, p: int, dv: Vector) -> None:
    """Put the changes of velocities of joints by parameter p into dv, from those of bodies in `changes`."""
    v_at = tree.mechanism.state.v_at
    _put_way_of_bodies(tree, p)
    put_right(tree.to, p, RATE)
    for c in range(tree.row.size):
        rate = _row_times(tree, tree.row[c], tree.changes[p, v_at:])
        dv[c] = rate - tree.to.right[tree.to.first[RATE] + tree.row[c]]


@compiled
def _put_way_of_bodies(tree: JointTree, p: int) -> None:
    """Put δx and δu into the way of the tree, from the changes of bodies by parameter p."""
    own, b = tree.to, tree.mechanism.state
    put_way(tree.mechanism.machine.manifold, tree.y[: b.q_end], tree.changes[p, : b.q_end], own.way)
    copy(tree.changes[p, b.v_at : b.v_at + own.columns], own.way[own.columns :])


@compiled_apart
def to_bodies(tree: JointTree, mechanism: Mechanism, y: Vector, dys: Matrix) -> None:
    """Put the changes of bodies into `changes`, from those of joints, `dys`, for all parameters."""
    state, b, n = mechanism.state, tree.mechanism.state, tree.to.columns
    take_given(tree.to)
    for p in range(dys.shape[0]):
        changes = tree.changes[p]
        _places_of_bodies(tree, mechanism.machine.manifold, y[: state.q_end], p, dys[p, : state.q_end])
        _rates_of_bodies(tree, p, dys[p, state.v_at : state.v_end])
        vary_places(tree.mechanism.machine.manifold, tree.y[: b.q_end], tree.to.way, changes[: b.q_end])
        copy(tree.to.way[n : 2 * n], changes[b.v_at :])
        copy(dys[p, state.z_at : state.q_end], changes[b.z_at :])
        copy(dys[p, state.works_at :], changes[b.works_at :])


@compiled_apart
def from_bodies(tree: JointTree, mechanism: Mechanism, y: Vector, dys: Matrix) -> None:
    """Put the changes of joints into `dys`, from those of bodies in `changes`, for all parameters."""
    state, b = mechanism.state, tree.mechanism.state
    take_given(tree.to)
    for p in range(dys.shape[0]):
        _places_of_joints(tree, mechanism.machine.manifold, y[: state.q_end], p, dys[p, : state.q_end])
        _rates_of_joints(tree, p, dys[p, state.v_at : state.v_end])
        copy(tree.changes[p, b.z_at : b.q_end], dys[p, state.z_at :])
        copy(tree.changes[p, b.works_at :], dys[p, state.works_at :])


@compiled
def add_back(tree: JointTree, mechanism: Mechanism, y: Vector, r: int, weights: Vector, out: Vector) -> None:
    """Add the weights of bodies, which are overwritten, to those of joints, in `out`: the transposed of `to_bodies`."""
    own, state, b = tree.to, mechanism.state, tree.mechanism.state
    own.way[:] = 0.0
    take_places(tree.mechanism.machine.manifold, tree.y[: b.q_end], weights[: b.q_end], own.way)
    right = own.right[own.first[RATE] : own.first[BEND]]
    _solve_tree_back(tree, weights[b.v_at :], right)
    for c in range(tree.row.size):
        out[state.v_at + c] += right[tree.row[c]]
    right *= -1.0
    give_back(own, RATE)
    gaps = own.right[own.first[GAP] : own.first[RATE]]
    _solve_tree_back(tree, own.way, gaps)
    for c in range(tree.row.size):
        tree.way[c] = gaps[tree.row[c]]
    gaps *= -1.0
    give_numbers(own, r, GAP, BEND)
    add_places(mechanism.machine.manifold, y[: state.q_end], tree.way, out[: state.q_end])
    axpy(1.0, weights[b.z_at : b.q_end], out[state.z_at :])
    axpy(1.0, weights[b.works_at :], out[state.works_at :])


# --- stages -----------------------------------------------------------------------------------------------------------


@compiled_apart
def vary_joint_stage(
    tree: JointTree, own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, slopes: Matrix,
    loads: Matrix, forces: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Put the changes of y', from those of y, at the linearised state: `contact_forces.vary_stage` for joints."""
    state, b, count = mechanism.state, tree.mechanism.state, dys.shape[0]
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    to_bodies(tree, mechanism, y, dys)
    varied = tree.changes[:count], tree.slopes[:count]
    vary_stage(own, held, tree.mechanism, tree.y, *varied, loads, forces, often, s)
    for p in range(count):
        dq, out = dys[p, : state.q_end], slopes[p]
        _put_way_of_bodies(tree, p)
        put_right(tree.to, p, BEND)
        for c in range(tree.row.size):
            row = tree.row[c]
            bend = _row_times(tree, row, tree.slopes[p, b.v_at :])
            out[state.v_at + c] = bend - tree.to.right[tree.to.first[BEND] + row]
        copy(tree.changes[p, b.z_at : b.q_end], dq[state.z_at :])
        vary_rates(mechanism.machine.manifold, q, v, dq, dys[p, state.v_at : state.v_end], out[: state.q_end])
        copy(tree.slopes[p, b.z_at : b.q_end], out[state.z_at :])
        copy(tree.slopes[p, b.works_at :], out[state.works_at :])


@compiled_apart
def joint_stage_back(
    tree: JointTree, own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, slopes: Matrix, loads: Matrix,
    forces: Matrix, outs: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Add the weights of y', λ and forces to those of y, in `outs`: the transposed of `vary_joint_stage`."""
    state, b, count, n = mechanism.state, tree.mechanism.state, outs.shape[0], tree.to.columns
    rows, first = tree.to.right, tree.to.first
    for r in range(count):
        slope, out, of_y, of_slope = slopes[r], outs[r], tree.changes[r], tree.slopes[r]
        of_y[:] = 0.0
        of_slope[:] = 0.0
        rows[first[BEND] : first[BEND + 1]] = 0.0
        for c in range(tree.row.size):
            rows[first[BEND] + tree.row[c]] = slope[state.v_at + c]
            _add_row(tree, tree.row[c], slope[state.v_at + c], of_slope[b.v_at :])
        tree.to.way[:] = 0.0
        give_back(tree.to, BEND)
        give_numbers(tree.to, r, BEND, BEND + 1)
        add_places(tree.mechanism.machine.manifold, tree.y[: b.q_end], tree.to.way, of_y[: b.q_end])
        axpy(1.0, tree.to.way[n : 2 * n], of_y[b.v_at :])
        copy(out[state.z_at : state.q_end], of_y[b.z_at :])
        out[state.z_at : state.q_end] = 0.0
        copy(slope[state.z_at : state.q_end], of_slope[b.z_at :])
        copy(slope[state.works_at :], of_slope[b.works_at :])
    weights = tree.slopes[:count], loads, forces, tree.changes[:count]
    stage_back(own, held, tree.mechanism, tree.y, *weights, often, s)
    for r in range(count):
        out = outs[r]
        add_back(tree, mechanism, y, r, tree.changes[r], out)
        of_v = out[state.v_at : state.v_end]
        q, v = y[: state.q_end], y[state.v_at : state.v_end]
        add_rates(mechanism.machine.manifold, q, v, slopes[r], out[: state.q_end], of_v)


# --- projections ------------------------------------------------------------------------------------------------------


@compiled
def _unfold_before(tree: JointTree, mechanism: Mechanism, q: Vector, v: Vector) -> None:
    """Put the bodies of joints at the place q with velocities v into `before`."""
    b = tree.mechanism.state
    unfold(mechanism.machine.transformation.tree, q, v, tree.before[: b.q_end], tree.before[b.v_at : b.v_end])


@compiled
def _put_before(tree: JointTree, mechanism: Mechanism, before: Vector) -> None:
    """Put the bodies before a projection into `before`, from joints whose quaternions get unit length."""
    state = mechanism.state
    copy(before[: state.q_end], tree.place)
    restore(mechanism.machine.manifold, tree.place)
    copy(tree.y, tree.before)
    _unfold_before(tree, mechanism, tree.place, before[state.v_at : state.v_end])


@compiled_apart
def vary_joint_projection(
    tree: JointTree, own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector,
    y: Vector, dys: Matrix,
) -> None:  # fmt: skip
    """Replace the changes of a state of joints `before` its projection onto the constraints by those of y, which is
    linearised. The projection, least in the norm of the masses, is that of the bodies (`linear.vary_projection`):
    places go from the pose before, where the tree is linearised, velocities from those of joints at the new pose."""
    state, b, count, q = mechanism.state, tree.mechanism.state, dys.shape[0], y[: mechanism.state.q_end]
    q_b, v_b, a_b = tree.y[: b.q_end], tree.y[b.v_at : b.v_end], tree.dy[b.v_at : b.v_end]
    q_before, v_before = tree.before[: b.q_end], tree.before[b.v_at : b.v_end]
    _put_before(tree, mechanism, before)
    _linearise_tree(tree, t, q_before, v_before, a_b)
    _places_to_bodies(tree, mechanism, tree.place, q_before, dys)
    vary_place_projection(own, projection, tree.mechanism, t, tree.before, tree.y, tree.changes[:count])
    _unfold_before(tree, mechanism, q, before[state.v_at : state.v_end])
    _linearise_tree(tree, t, q_b, v_before, a_b)
    _places_for_rates(tree, mechanism, q, dys)
    vary_velocity_projection(own, projection, tree.mechanism, t, tree.before, tree.y, tree.changes[:count])
    _linearise_tree(tree, t, q_b, v_b, a_b)
    _rates_to_joints(tree, mechanism, dys)


@compiled_apart
def joint_projection_back(
    tree: JointTree, own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector,
    y: Vector, weights: Matrix,
) -> None:  # fmt: skip
    """Apply the transposed of `vary_joint_projection` to rows of weights, in place."""
    state, b, count = mechanism.state, tree.mechanism.state, weights.shape[0]
    q, q_b, a_b = y[: state.q_end], tree.y[: b.q_end], tree.dy[b.v_at : b.v_end]
    q_before, v_before = tree.before[: b.q_end], tree.before[b.v_at : b.v_end]
    _put_before(tree, mechanism, before)
    _unfold_before(tree, mechanism, q, before[state.v_at : state.v_end])
    _weights_of_bodies(tree, mechanism, q, weights)
    velocity_projection_back(own, projection, tree.mechanism, t, tree.before, tree.y, tree.changes[:count])
    _linearise_tree(tree, t, q_b, v_before, a_b)
    _weights_of_rates(tree, mechanism, weights)
    _put_before(tree, mechanism, before)
    place_projection_back(own, projection, tree.mechanism, t, tree.before, tree.y, tree.changes[:count])
    _linearise_tree(tree, t, q_before, v_before, a_b)
    _weights_of_places(tree, mechanism, tree.place, q_before, weights)


@compiled_apart
def vary_joint_keep(
    tree: JointTree, own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, s: int
) -> None:
    """Replace changes of a state of joints by those after contacts are kept closed, as `contact_forces.vary_keep` does
    for bodies: it moves the places of bodies, then velocities from those of joints at the new places."""
    b, count, q = tree.mechanism.state, dys.shape[0], y[: mechanism.state.q_end]
    _places_to_bodies(tree, mechanism, q, tree.y[: b.q_end], dys)
    vary_keep_of_places(held, own, tree.mechanism, tree.y, tree.changes[:count], s)
    _places_for_rates(tree, mechanism, q, dys)
    vary_keep_of_rates(held, own, tree.mechanism, tree.y, tree.changes[:count], s)
    _rates_to_joints(tree, mechanism, dys)


@compiled_apart
def joint_keep_back(
    tree: JointTree, own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, weights: Matrix, s: int
) -> None:
    """Apply the transposed of `vary_joint_keep` to rows of weights, in place."""
    b, count, q = tree.mechanism.state, weights.shape[0], y[: mechanism.state.q_end]
    _weights_of_bodies(tree, mechanism, q, weights)
    keep_of_rates_back(held, own, tree.mechanism, tree.y, tree.changes[:count], s)
    _weights_of_rates(tree, mechanism, weights)
    keep_of_places_back(held, own, tree.mechanism, tree.y, tree.changes[:count], s)
    _weights_of_places(tree, mechanism, q, tree.y[: b.q_end], weights)


@compiled
def _places_to_bodies(tree: JointTree, mechanism: Mechanism, q: Vector, q_b: Vector, dys: Matrix) -> None:
    """Put the changes of places of bodies into `changes`, from those of joints, for all parameters."""
    take_given(tree.to)
    for p in range(dys.shape[0]):
        _places_of_bodies(tree, mechanism.machine.manifold, q, p, dys[p, : mechanism.state.q_end])
        vary_places(tree.mechanism.machine.manifold, q_b, tree.to.way, tree.changes[p, : q_b.size])


@compiled
def _places_for_rates(tree: JointTree, mechanism: Mechanism, q: Vector, dys: Matrix) -> None:
    """Put the changes of places of joints, from those of bodies in `changes`, into `dys`; then those of velocities of
    bodies into `changes`, from those of joints at these places."""
    state, b, n = mechanism.state, tree.mechanism.state, tree.to.columns
    take_given(tree.to)
    for p in range(dys.shape[0]):
        _places_of_joints(tree, mechanism.machine.manifold, q, p, dys[p, : state.q_end])
        _rates_of_bodies(tree, p, dys[p, state.v_at : state.v_end])
        copy(tree.to.way[n : 2 * n], tree.changes[p, b.v_at :])


@compiled
def _rates_to_joints(tree: JointTree, mechanism: Mechanism, dys: Matrix) -> None:
    """Put the changes of velocities of joints into `dys`, from those of bodies in `changes`, for all parameters."""
    take_given(tree.to)
    for p in range(dys.shape[0]):
        _rates_of_joints(tree, p, dys[p, mechanism.state.v_at : mechanism.state.v_end])


@compiled
def _weights_of_bodies(tree: JointTree, mechanism: Mechanism, q: Vector, weights: Matrix) -> None:
    """Put the weights of places and velocities of bodies into `changes`, from those of joints: the transposed of
    `_rates_to_joints` and of the first part of `_places_for_rates`."""
    state, b, n, rows, first = mechanism.state, tree.mechanism.state, tree.to.columns, tree.to.right, tree.to.first
    for r in range(weights.shape[0]):
        out, of_y = weights[r], tree.changes[r]
        of_y[:] = 0.0
        tree.way[:] = 0.0
        take_places(mechanism.machine.manifold, q, out[: state.q_end], tree.way)
        rows[first[GAP] : first[BEND]] = 0.0
        for c in range(tree.row.size):
            rows[first[RATE] + tree.row[c]] = out[state.v_at + c]
            rows[first[GAP] + tree.row[c]] = tree.way[c]
        tree.to.way[:] = 0.0
        give_back(tree.to, RATE)
        for c in range(tree.row.size):
            _add_row(tree, tree.row[c], tree.way[c], tree.to.way)
            _add_row(tree, tree.row[c], out[state.v_at + c], tree.to.way[n:])
        give_numbers(tree.to, r, GAP, BEND)
        add_places(tree.mechanism.machine.manifold, tree.y[: b.q_end], tree.to.way, of_y[: b.q_end])
        copy(tree.to.way[n : 2 * n], of_y[b.v_at :])


@compiled
def _weights_of_rates(tree: JointTree, mechanism: Mechanism, weights: Matrix) -> None:
    """Put the weights of velocities of joints into `weights`, from those of bodies in `changes`, and add to those of
    places of bodies: the transposed of the second part of `_places_for_rates`."""
    state, b, first = mechanism.state, tree.mechanism.state, tree.to.first
    right = tree.to.right[first[RATE] : first[BEND]]
    for r in range(weights.shape[0]):
        of_y = tree.changes[r]
        _solve_tree_back(tree, of_y[b.v_at :], right)
        for c in range(tree.row.size):
            weights[r, state.v_at + c] = right[tree.row[c]]
        right *= -1.0
        tree.to.way[:] = 0.0
        give_back(tree.to, RATE)
        give_numbers(tree.to, r, RATE, BEND)
        add_places(tree.mechanism.machine.manifold, tree.y[: b.q_end], tree.to.way, of_y[: b.q_end])


@compiled
def _weights_of_places(tree: JointTree, mechanism: Mechanism, q: Vector, q_b: Vector, weights: Matrix) -> None:
    """Put the weights of places of joints into `weights`, from those of bodies in `changes`: the transposed of
    `_places_to_bodies`."""
    state, gaps = mechanism.state, tree.to.right[tree.to.first[GAP] : tree.to.first[RATE]]
    for r in range(weights.shape[0]):
        tree.to.way[:] = 0.0
        take_places(tree.mechanism.machine.manifold, q_b, tree.changes[r, : q_b.size], tree.to.way)
        _solve_tree_back(tree, tree.to.way, gaps)
        for c in range(tree.row.size):
            tree.way[c] = gaps[tree.row[c]]
        gaps *= -1.0
        give_numbers(tree.to, r, GAP, RATE)
        weights[r, : state.z_at] = 0.0
        add_places(mechanism.machine.manifold, q, tree.way, weights[r, : state.q_end])


# --- in all coordinates: of the run, or, in joint coordinates, of its bodies ------------------------------------------


@compiled
def linearise_here(own: Linear, tree: JointTree, mechanism: Mechanism, t: float, y: Vector, dy: Vector) -> None:
    """Linearise the equations at a state that was evaluated last, with its derivative dy."""
    if has_joints(tree):
        linearise_joints(tree, own, mechanism, t, y)
    else:
        linearise(own, mechanism, t, y, dy)


@compiled
def refinements_here(tree: JointTree, mechanism: Mechanism) -> int:
    """Return the number of refinements of a solution at the linearised state."""
    if has_joints(tree):
        return refinements(tree.mechanism)
    return refinements(mechanism)


@compiled
def hold_here(held: HeldForces, tree: JointTree, mechanism: Mechanism, s: int) -> None:
    """Put the linearised forces of contacts at the linearised state on shelf s."""
    if has_joints(tree):
        hold_forces(held, tree.mechanism, s)
    else:
        hold_forces(held, mechanism, s)


@compiled
def save_here(own: Linear, tree: JointTree, mechanism: Mechanism, row: Vector) -> None:
    """Save the linearised state in a row of numbers."""
    if has_joints(tree):
        at = save_linearised(own, tree.mechanism, row)
        save_tree(tree, row[at:])
    else:
        save_linearised(own, mechanism, row)


@compiled
def take_here(own: Linear, tree: JointTree, mechanism: Mechanism, row: Vector) -> None:
    """Put a linearised state that was saved back into its places."""
    if has_joints(tree):
        at = take_linearised(own, tree.mechanism, row)
        take_tree(tree, row[at:])
    else:
        take_linearised(own, mechanism, row)


@compiled
def vary_stage_here(
    own: Linear, held: HeldForces, tree: JointTree, mechanism: Mechanism, y: Vector, dys: Matrix, slopes: Matrix,
    loads: Matrix, forces: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Put the changes of y', λ and the forces of contacts at the linearised state (`contact_forces.vary_stage`)."""
    if has_joints(tree):
        vary_joint_stage(tree, own, held, mechanism, y, dys, slopes, loads, forces, often, s)
    else:
        vary_stage(own, held, mechanism, y, dys, slopes, loads, forces, often, s)


@compiled
def stage_back_here(
    own: Linear, held: HeldForces, tree: JointTree, mechanism: Mechanism, y: Vector, slopes: Matrix, loads: Matrix,
    forces: Matrix, outs: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Apply the transposed of `vary_stage_here`."""
    if has_joints(tree):
        joint_stage_back(tree, own, held, mechanism, y, slopes, loads, forces, outs, often, s)
    else:
        stage_back(own, held, mechanism, y, slopes, loads, forces, outs, often, s)


@compiled
def vary_keep_here(
    own: Linear, held: HeldForces, tree: JointTree, mechanism: Mechanism, y: Vector, dys: Matrix, s: int
) -> None:
    """Replace changes of y by those after contacts are kept closed (`contact_forces.vary_keep`)."""
    if has_joints(tree):
        vary_joint_keep(tree, own, held, mechanism, y, dys, s)
    else:
        vary_keep(held, own, mechanism, y, dys, s)


@compiled
def keep_back_here(
    own: Linear, held: HeldForces, tree: JointTree, mechanism: Mechanism, y: Vector, weights: Matrix, s: int
) -> None:
    """Apply the transposed of `vary_keep_here` to rows of weights, in place."""
    if has_joints(tree):
        joint_keep_back(tree, own, held, mechanism, y, weights, s)
    else:
        keep_back(held, own, mechanism, y, weights, s)


# --- motions of bodies ------------------------------------------------------------------------------------------------


@compiled_apart
def vary_bodies_along(
    tree: JointTree, path: Trajectory, x: Matrix, v: Matrix, a: Matrix, out_x: Matrix, out_v: Matrix, out_a: Matrix
) -> None:
    """Put the changes of a motion of bodies, from those of joints: a row for each parameter at each time."""
    own, n, count = tree.to, tree.to.columns, tree.to.given.shape[0]
    for k in range(path.t.size):
        _linearise_tree(tree, path.t[k], path.q[k], path.v[k], path.a[k])
        take_given(own)
        for p in range(count):
            row = count * k + p
            own.way[:] = 0.0
            for level in range(GAP, BEND + 1):
                put_right(own, p, level)
                right = own.right[own.first[level] : own.first[level + 1]]
                changes = x[row] if level == GAP else v[row] if level == RATE else a[row]
                for c in range(tree.row.size):
                    right[tree.row[c]] += changes[c]
                out = out_x[row] if level == GAP else out_v[row] if level == RATE else out_a[row]
                _solve_tree(tree, right, out)
                if level < BEND:
                    copy(out[:n], own.way[level * n :])


# --- construction -----------------------------------------------------------------------------------------------------


class TreeRows(NamedTuple):
    """The equations of a tree: of its joints, and of their coordinates. Fields are those of `JointTree`."""

    program: ProgramBuilder
    child: np.ndarray
    row: np.ndarray
    kept_from: np.ndarray


def tree_rows(structure: Structure) -> TreeRows:
    """Return the equations of a tree, edge by edge: those of the joint, then those of its coordinates."""
    coordinates, bodies, model = structure.coordinates, structure.model.compile().structure, structure.model
    assert isinstance(coordinates, JointCoordinates)
    kernels, size, rows = coordinates.kernels, 3 * model.dimension - 3, list[int]()
    instances, children = [], list[int]()
    for e, edge in enumerate(coordinates.topology.edges):
        relation, own = coordinates_of(edge.motions, model.dimension)
        markers, count = (model.ground.origin, edge.child.origin), 0
        if not edge.floating:
            form, slots = edge.joint.form()
            markers, count = edge.joint.markers, form.size
            instances += [instance_of(form, slots, markers, edge.joint.who, kernels)] if count else []
        instances.append(instance_of(relation, {}, markers, f"body {edge.child.name!r}", kernels))
        rows += [size * e + count + k for k in own]
        children.append(kernels.layout.v[edge.child][0])
    known = {row: k for k, row in enumerate(structure.rows)}
    kept_from = [known.get(row, -1) for row in bodies.rows]
    program = ProgramBuilder(BatchBuilder(instances, kernels, kernels.layout), kernels.layout.nv)
    assert program.layout["rows"] == size * len(children)
    return TreeRows(program, *(np.array(part, dtype=np.int64) for part in (children, rows, kept_from)))


def _builder(structure: Structure, changing: bytes) -> DerivativeBuilder:
    rows, bodies = structure.once(tree_rows), structure.model.compile().structure
    wanted = POSITIONS, RATES, ACCELERATIONS
    return DerivativeBuilder(bodies, rows.program, without_forces(bodies), wanted, True, changing, by_time=False)


def new_tree(
    system: System, numbers: np.ndarray, weighted: int = 0, others: int = -1, like: JointTree | None = None,
    bodies: Mechanism | None = None,
) -> JointTree:  # fmt: skip
    """Return the tree of a system, for `numbers` that change with each parameter (`tree_numbers`), or for `weighted`
    rows of weights, and for time and `others` ways by which no number changes (`linear.linear`); with the entries of
    another tree `like`, by no parameters; and `NO_TREE` in other coordinates. The equations are evaluated by these
    `bodies`, or by bodies of their own."""
    if not isinstance(system.coordinates, JointCoordinates):
        return NO_TREE
    structure, rows = system.structure, system.structure.once(tree_rows)
    builder = structure.latest(_builder, (numbers != 0.0).any(axis=0).tobytes())
    if like is None:
        program = rows.program.fill(system.evaluator)
        nothing_acts = without_forces(system.cartesian.structure).fill(system.evaluator)
        to = builder.fill(program.batch, nothing_acts.batch)
        of_bodies = mechanism_of(system.cartesian, faint=ACCELERATION_INDEPENDENCE) if bodies is None else bodies
    else:
        to, of_bodies, program = like.to.to, like.mechanism, like.program
    own = linear(builder, to, numbers[:0] if weighted or like else numbers, weighted, others)
    row, column = rows.program.layout["jac_row"], rows.program.layout["jac_column"]
    entry = np.argsort(row, kind="stable").astype(np.int64)
    row_at = np.searchsorted(row[entry], np.arange(rows.program.layout["rows"] + 1)).astype(np.int64)
    column = column[entry].astype(np.int64)
    size = 3 * system.model.dimension - 3
    made = JointTree(of_bodies, own, size, rows.child, rows.row, entry, column, row_at, rows.kept_from, program)
    sizes = {"tree_rows": size * rows.child.size, "edge_rows": size, "body_width": of_bodies.state.size}
    sizes |= {"tree_outputs": rows.program.batch.out_size + 1, "tree_entries": entry.size}
    sizes |= {"joint_places": system.layout.q_size, "joint_velocities": system.layout.v_size}
    return block(made, **sizes, bunch=max(len(own.given), weighted, 1))


def tree_numbers(system: System, symbols: Sequence[Any]) -> np.ndarray:
    """Return how the numbers in the equations of the tree change with each parameter, (parameters, numbers)."""
    if not isinstance(system.coordinates, JointCoordinates):
        return np.zeros((len(symbols), 0))
    rows: TreeRows = system.structure.once(tree_rows)
    return rows.program.batch.slopes(system.evaluator, symbols)


def joints_of_bodies(
    system: System, symbols: Sequence[Any], begin: State, x: np.ndarray, dv: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return the small motions of joints and the changes of their velocities, (parameters, velocities), at the
    first state of bodies, whose small motions are x, and the changes of their velocities dv."""
    numbers = tree_numbers(system, symbols)
    tree = new_tree(system, numbers)
    to, n, first = tree.to.to, tree.to.columns, tree.to.first
    linearise_tree_at(tree, begin.t, begin.full_q.copy(), begin.full_v.copy())
    slopes = sps.csr_matrix((to.values, (to.row, to.column)), (int(first[-1]), 2 * n + 2 + numbers.shape[1]))
    rows = system.structure.once(tree_rows).program.layout
    A = sps.csr_matrix((tree.jacobian, (rows["jac_row"], rows["jac_column"])), (rows["rows"], n))[tree.row]
    of_places, of_rates = (slopes[tree.row + first[level]] for level in (GAP, RATE))
    given = slice(2 * n + 1, 2 * n + 1 + numbers.shape[1])
    small = A @ x[:, :n].T + of_places[:, given] @ numbers.T
    rates = A @ dv[:, :n].T + of_rates[:, :n] @ x[:, :n].T + of_rates[:, given] @ numbers.T
    return small.T, rates.T
