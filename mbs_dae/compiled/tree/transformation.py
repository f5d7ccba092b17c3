"""The velocity transformation: equations of bodies written in the coordinates of joints. Compiled.

With u = R ẋ the velocities of bodies, Ṙ ẋ their bias accelerations β (`recursion`), and all of Φ_u, γ, M, Q of bodies
known,

    Φ_x = Φ_u R,      γ_x = γ - Φ_u β,      M_x = Rᵀ M R,      Q_x = Rᵀ (Q - M β).

R is never formed. A velocity ẋ_c moves all that is behind it like one rigid body: a point r of it by s_c + t_c × (r -
η), and it turns by t_c. Seen from the point r_e of a body e this is the twist

    S_c = (s_c + t_c × (r_e - η), t_c).

A load on the body, an f dual to (ṙ, ω in body axes), is F = (f_1, A f_2) there, so its share in coordinate c is S_c ·
F; and M of the body becomes a 6 x 6 matrix. Forces and matrices of all bodies behind an edge are added up, leaves
first, each moved to the point of the parent, so that

    Q_x,c = S_c · Σ_behind F,        M_x,cd = S_c · (Σ_behind M) S_d      for d before c or c itself,

all seen from the body of c's own edge. (A common point for all, the world's origin, would need less computation, but
small bodies far from it would be lost in roundoff, by the square of their distance.) Only products that are entries of
the sparse matrices are computed.
"""

from typing import Any, NamedTuple

import numpy as np

from ...coordinates.joint.recursion import (
    fold_acceleration,
    fold_velocity,
    unfold,
    unfold_acceleration,
    unfold_bodies,
)
from ...coordinates.joint.tree import Tree
from ...coordinates.joint.vectors import at, cross, plus, put_at, row, turned
from ...kernels.abi import call_on_block, compiled, compiled_apart
from ...kernels.blocks import Design, Indices, Integers, Matrix, Vector, Work, zeros
from ...kernels.passes import Pass, go_through
from ...linear.tree.articulated import NO_PASS
from ...linear.vectors import axpy, dot
from ..dynamics import KINETIC, POTENTIAL


class RowTerms(NamedTuple):
    """Terms of rows over the velocities of bodies: the part of one row for one body."""

    row: Integers
    """The row of each term."""
    edge: Integers
    """The edge of the body of each term."""
    at: Integers
    """Term k has the items at[k] : at[k + 1]."""
    component: Integers
    """The component of the body's velocity of each item."""
    source: Integers
    """The output that is the factor of each item."""


NO_TERMS = RowTerms(*(np.zeros(0, dtype=np.int64) for _ in RowTerms._fields))


class Transformation(NamedTuple):
    """Index maps and work space, empty if unused. Without edges there is no transformation: the coordinates are those
    of the kernels."""

    tree: Tree
    edges: int
    deep: int
    """1 if nothing is transformed: the equations are those of bodies, and only their solutions go back to the
    joints."""
    step: Work[Vector] = zeros("joints")
    """Velocities of joints."""
    addresses: Integers = zeros(0)
    """The addresses of the compiled functions of `ENTRIES`."""
    omega_at: Integers = zeros(0)
    """The places, among the velocities of bodies, of the angular velocities whose turns are added up."""
    qc: Work[Vector] = zeros(0)
    """The coordinates of bodies, the ground's included."""
    vc: Work[Vector] = zeros("bodies")
    """The velocities of bodies, the ground's included."""
    moved: Work[Vector] = zeros("bodies")
    """Accelerations of bodies."""
    component: Integers = zeros(0)
    """The number among six of each velocity of a body: in the plane x, y and the turn about z."""
    parent: Integers = zeros(0)
    """The edge that leads to an edge's parent; -1 for the ground."""
    said: Pass = NO_PASS
    """The pass over the terms of rows (`row_kernels`)."""
    carried: Pass = NO_PASS
    """The pass that carries the forces of rows to the ground."""
    force: Work[Matrix] = zeros("visits", 6)
    """The forces of rows on their path to the ground."""
    square: Work[Vector] = zeros("rows")
    """The squared length of each row over the velocities of bodies; turns count with the model's length."""
    unit: Design[Vector] = zeros(0)
    """The weights of six velocities of a body in this length: reciprocal squared lengths."""
    joint_unit: Design[Vector] = zeros(0)
    """The weight of each velocity of a joint."""
    # masses and forces
    bodies: Pass = NO_PASS
    """The pass over the inertias of bodies and the loads on them (`body_kernels`)."""
    beside_to: Integers = zeros(0)
    """The places of the entries of M_x below its diagonal, if they are formed: velocity by velocity, on the path from
    its edge to the ground."""
    solid: Design[Matrix] = np.zeros((0, 0))
    """The numbers of the body of each edge (`body_kernels.Solid`)."""
    fc: Work[Vector] = zeros("bodies")
    """The other forces on bodies."""
    energy: Work[Matrix] = zeros("links", 2)
    """The potential and the kinetic energy of each body."""
    inertia: Work[Matrix] = zeros("links", "packed")
    """The inertia of the body of each edge (`linear.tree`)."""
    whole: Work[Matrix] = zeros("links", 36)
    """The inertia of the body of each edge with all bodies behind it, a 6 x 6 matrix row by row."""
    wrench: Work[Matrix] = zeros("links", 6)
    """The force on all bodies behind each edge, on its path to the ground."""
    part: Work[Matrix] = zeros(6, 6)
    """Work space."""


@compiled
def transform(tr: Transformation, entry: int, arrays: Any) -> None:
    """Call one of `ENTRIES` by address, so that each is compiled for joint coordinates only."""
    call_on_block(tr.addresses[entry], tr, arrays)


@compiled
def transform_back(tr: Transformation, entry: int, arrays: tuple[Vector, Vector]) -> None:
    """Call VELOCITIES or ACCELERATIONS: convert from bodies to joints, in the pose of the last `reach`; only the tree
    is needed."""
    call_on_block(tr.addresses[entry], tr.tree, arrays)


@compiled_apart
def reach(tr: Transformation, q: Vector, v: Vector) -> None:
    """Evaluate the coordinates and velocities of all bodies, β, and the twist of each joint velocity, at (q, v)."""
    if tr.deep == 1:
        unfold(tr.tree, q, v, tr.qc, tr.vc)
    else:
        unfold_bodies(tr.tree, q, v, tr.qc, tr.vc)


@compiled_apart
def transform_rows(tr: Transformation, out: Vector, gamma: Vector, jacobian: Vector, share: Vector) -> None:
    """Put γ_x in place of γ, and Φ_x, and the share left of each row, from the outputs of the last evaluation.

    The share is the row's squared length over the velocities of joints, divided by that over those of bodies. The row
    of a loop that can be closed no better vanishes where the loop is stretched: in such a pose the row depends on the
    joints of the tree, which are left out here. The share is therefore part of the row's `independence` (`kkt`).
    """
    tree = tr.tree
    for k in range(tr.square.size):
        tr.square[k] = share[k] = 0.0
    go_through(tr.said, (out, tree.bias, tree.A, tr.unit, tr.force, gamma, tr.square))
    go_through(tr.carried, (tree.twist, tree.arm, tr.joint_unit, tr.force, jacobian, share))
    for k in range(tr.square.size):
        share[k] = min(share[k] / (tr.square[k] + 1e-300), 1.0)


@compiled
def carry_to_ground(tr: Transformation, e: int, entries: Vector, target: Indices, to: int) -> int:
    """Add the components of the force and moment tr.part[0] on the body of edge e, one for each coordinate on the path
    to the ground, to entries target[to], ... in the order of `JointCoordinates.ways`. Return the place behind them."""
    tree, f = tr.tree, tr.part[0]
    while e >= 0:
        for c in range(tree.edge_v[e], tree.edge_v[e + 1]):
            entries[target[to]] += dot(tree.twist[c], f)
            to += 1
        put_at(f, 3, plus(at(f, 3), cross(row(tree.arm, e), at(f, 0))))
        e = tr.parent[e]
    return to


@compiled
def take_term(tr: Transformation, terms: RowTerms, k: int, out: Vector, gamma: Vector) -> None:
    """Put the force of a term on its body, in world axes, into tr.part[0] (its length is the same in body axes);
    subtract the term times β from γ."""
    tree, f = tr.tree, tr.part[0]
    frame = tree.edge_at[terms.edge[k] + 1] - 1
    f[:] = 0.0
    for i in range(terms.at[k], terms.at[k + 1]):
        local, entry = terms.component[i], out[terms.source[i]]
        f[tr.component[local]] += entry
        gamma[terms.row[k]] -= entry * tree.bias[tree.frame_v[frame] + local]
    put_at(f, 3, turned(tree.A, frame, at(f, 3)))


@compiled_apart
def transform_dynamics(tr: Transformation, forces: Vector, scalars: Vector) -> None:
    """Evaluate the inertias of bodies in world axes, and Q_x from the forces in `fc`; add the energies of bodies to the
    scalars."""
    tree = tr.tree
    known = tr.solid, tr.fc, tr.qc, tr.vc, tree.bias, tree.A, tree.twist, tree.arm
    go_through(tr.bodies, (*known, forces, tr.wrench, tr.inertia, tr.energy))
    potential = kinetic = 0.0
    for e in range(tr.energy.shape[0]):
        potential += tr.energy[e, 0]
        kinetic += tr.energy[e, 1]
    scalars[POTENTIAL] += potential
    scalars[KINETIC] += kinetic


@compiled_apart
def form_masses(tr: Transformation, weight: Vector, beside: Vector) -> None:
    """Put the diagonal of M_x, and its entries below if there is room for them, after `transform_dynamics`."""
    tree, to = tr.tree, 0
    for e in range(tr.edges):
        _unpack(tr, e)
    for e in range(tr.edges - 1, -1, -1):
        if tr.parent[e] >= 0:
            _add_to_parent(tr, e)
    momentum = tr.part[0]
    for e in range(tr.edges):
        for c in range(tree.edge_v[e], tree.edge_v[e + 1]):
            for k in range(6):
                momentum[k] = dot(tree.twist[c], tr.whole[e, 6 * k : 6 * k + 6])
            weight[c] = dot(tree.twist[c], momentum)
            above = e
            while above >= 0 and tr.beside_to.size > 0:
                for d in range(tree.edge_v[above], min(tree.edge_v[above + 1], c)):
                    beside[tr.beside_to[to]] = dot(tree.twist[d], momentum)
                    to += 1
                put_at(momentum, 3, plus(at(momentum, 3), cross(row(tree.arm, above), at(momentum, 0))))
                above = tr.parent[above]


@compiled
def _unpack(tr: Transformation, e: int) -> None:
    k, whole = 0, tr.whole[e]
    for i in range(6):
        for j in range(i + 1):
            held = tr.tree.dimension == 3 or (i != 2 and i != 3 and i != 4 and j != 2 and j != 3 and j != 4)
            entry = tr.inertia[e, k] if held else 0.0
            k += 1 if held else 0
            whole[6 * i + j] = whole[6 * j + i] = entry


@compiled
def _add_to_parent(tr: Transformation, e: int) -> None:
    """Add the inertia behind edge e to that of its parent, at the parent's point, which lies at -δ: u_j = (e_j, 0), or
    (e_j × δ, e_j)."""
    rows, whole, parent, arm = tr.part, tr.whole[e], tr.whole[tr.parent[e]], row(tr.tree.arm, e)
    for i in range(6):
        forces = at(whole, 6 * i)
        put_at(rows[i], 0, forces)
        put_at(rows[i], 3, plus(at(whole, 6 * i + 3), cross(arm, forces)))
    for j in range(6):
        moment = cross(arm, (rows[0, j], rows[1, j], rows[2, j]))
        rows[3, j], rows[4, j], rows[5, j] = plus((rows[3, j], rows[4, j], rows[5, j]), moment)
    for i in range(6):
        axpy(1.0, rows[i], parent[6 * i : 6 * i + 6])


@compiled_apart
def bodies_turning(tr: Transformation, q: Vector, v: Vector, omega: Vector) -> None:
    """Put the angular velocities of all bodies in space into omega."""
    unfold(tr.tree, q, v, tr.qc, tr.vc)
    for k in range(tr.omega_at.size):
        omega[k] = tr.vc[tr.omega_at[k]]


@compiled_apart
def angular_acceleration(tr: Transformation, q: Vector, v: Vector, a: Vector, alpha: Vector) -> None:
    """Put the rates of the angular velocities of all bodies in space into alpha."""
    unfold(tr.tree, q, v, tr.qc, tr.vc)
    unfold_acceleration(tr.tree, a, tr.moved)
    for k in range(tr.omega_at.size):
        alpha[k] = tr.moved[tr.omega_at[k]]


ENTRIES = (
    reach, transform_rows, transform_dynamics, form_masses, bodies_turning, angular_acceleration, fold_velocity,
    fold_acceleration,
)  # fmt: skip
REACH, ROWS, DYNAMICS, MASSES, TURNING, ANGULAR_ACCELERATION, VELOCITIES, ACCELERATIONS = range(len(ENTRIES))
