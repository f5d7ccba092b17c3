"""The velocity transformation: what holds between bodies, said in the coordinates of joints. Compiled.

With u = R ẋ the velocities of bodies, Ṙ ẋ their bias accelerations β (`recursion`), and all of Φ_u, γ, M, Q of bodies
known,

    Φ_x = Φ_u R,      γ_x = γ - Φ_u β,      M_x = Rᵀ M R,      Q_x = Rᵀ (Q - M β).

R is never formed. A velocity ẋ_c moves all that is behind it like one rigid body: a point r of it by
s_c + t_c × (r - η), and it turns by t_c. Seen from the point r_e of a body e this is the twist

    S_c = (s_c + t_c × (r_e - η), t_c).

What acts on the body, an f dual to (ṙ, ω in body axes), is F = (f_1, A f_2) there, so its share in coordinate c is
S_c · F; and M of the body becomes a 6 x 6 matrix. Forces and matrices of what hangs behind an edge are added up, leaves
first, each moved to the point of the parent, so that

    Q_x,c = S_c · Σ_behind F,        M_x,cd = S_c · (Σ_behind M) S_d      for d before c or c itself,

all seen from the body of c's own edge. (Seen from one point for all, the world's origin, there would be less to
compute, and small bodies far from it would be lost in roundoff, by the square of their distance.) Nothing else is
multiplied out than what the sparse matrices have for entries.
"""

from typing import NamedTuple

import numpy as np

from ..coordinates.joint.recursion import fold_acceleration, fold_velocity, unfold, unfold_acceleration
from ..coordinates.joint.tree import Tree
from ..coordinates.joint.vectors import at, cross, minus, plus, put_at, row, turned
from ..kernels.abi import call_on_block, compiled, compiled_apart
from ..kernels.blocks import Design, Integers, Matrix, Vector, Work, zeros
from ..linear.vectors import axpy, copy, dot


class RowTerms(NamedTuple):
    """Of rows over the velocities of bodies, what one row says of one body."""

    row: Integers
    edge: Integers
    at: Integers
    """Term k has the items at[k] : at[k + 1]."""
    component: Integers
    source: Integers


NO_TERMS = RowTerms(*(np.zeros(0, dtype=np.int64) for _ in RowTerms._fields))


class Transformation(NamedTuple):
    """Index maps and work space, empty where there is no use for them. Without edges there is no transformation: the
    coordinates are those that kernels speak of."""

    tree: Tree
    edges: int
    deep: int
    """1 where nothing is transformed: the equations are those of bodies, and only what comes out of them goes back to
    the joints."""
    step: Work[Vector] = zeros("joints")
    """Velocities of joints."""
    addresses: Integers = zeros(0)
    """Where the compiled functions of `ENTRIES` are."""
    omega_at: Integers = zeros(0)
    """Where the angular velocities stand among the velocities of bodies whose turning is added up."""
    row_of: Integers = zeros(0)
    """The row and the column of every entry of Φ_x."""
    column_of: Integers = zeros(0)
    qc: Work[Vector] = zeros(0)
    """Where bodies are, their velocities, and β; the ground's included."""
    vc: Work[Vector] = zeros("bodies")
    bias: Work[Vector] = zeros("bodies")
    still: Vector = zeros("joints")
    """No accelerations of joints."""
    component: Integers = zeros(0)
    """Which of six each velocity of a body is: in the plane x, y and the turn about z."""
    parent: Integers = zeros(0)
    """The edge that leads to an edge's parent; -1 for the ground."""
    path_at: Integers = zeros(0)
    """The velocities on the way to edge e, its own included: path[path_at[e] : path_at[e + 1]]."""
    path: Integers = zeros(0)
    twist: Work[Matrix] = zeros("ways", 6)
    """S, seen from the body of an edge, for the velocities on the way to it: one row for each item of `path`."""
    terms: RowTerms = NO_TERMS
    target_at: Integers = zeros(0)
    """Term k goes to the entries target[target_at[k] : ...] of Φ_x, in the order of the path."""
    target: Integers = zeros(0)
    square: Work[Vector] = zeros("rows")
    """The squared length of each row over the velocities of bodies, turns counting over the model's length."""
    unit: Design[Vector] = zeros(0)
    """What six velocities of a body count there, and each velocity of a joint: reciprocal squared lengths."""
    joint_unit: Design[Vector] = zeros(0)
    # masses and forces
    mass_at: Integers = zeros(0)
    """The inertia of edge e's body has the items mass_at[e] : mass_at[e + 1]."""
    mass_row: Integers = zeros(0)
    mass_column: Integers = zeros(0)
    mass_from: Integers = zeros(0)
    weight_to: Integers = zeros(0)
    """Where entries of M_x go, edge by edge, velocity by velocity, along the path: to the diagonal, or beside it."""
    fc: Work[Vector] = zeros("bodies")
    inertia: Work[Matrix] = zeros("links", 36)
    """Of what hangs at each edge, the 6 x 6 matrix row by row."""
    wrench: Work[Matrix] = zeros("links", 6)
    """The force and moment on it."""
    part: Work[Matrix] = zeros(6, 6)
    """Work space."""


@compiled
def transform(tr, entry, arrays):
    """Call one of `ENTRIES`: by address, so that each is compiled where there are joint coordinates only."""
    call_on_block(tr.addresses[entry], tr, arrays)


@compiled
def transform_back(tr, entry, arrays):
    """From bodies to joints, VELOCITIES or ACCELERATIONS, in the pose of the last `reach`: the tree alone will do."""
    call_on_block(tr.addresses[entry], tr.tree, arrays)


@compiled_apart
def reach(tr: Transformation, q: Vector, v: Vector):
    """All bodies, β, and the twists that each is moved by, at (q, v)."""
    tree = tr.tree
    unfold(tree, q, v, tr.qc, tr.vc)
    if tr.deep == 1:
        return
    unfold_acceleration(tree, tr.still, tr.bias)
    for e in range(tr.edges):
        point = row(tree.r, tree.edge_at[e + 1] - 1)
        for i in range(tr.path_at[e], tr.path_at[e + 1]):
            c = tr.path[i]
            turn = row(tree.turn, c)
            arm = minus(point, row(tree.eta, tree.v_step[c]))
            put_at(tr.twist[i], 0, plus(row(tree.slide, c), cross(turn, arm)))
            put_at(tr.twist[i], 3, turn)


@compiled_apart
def transform_rows(tr: Transformation, out: Vector, gamma: Vector, jacobian: Vector, share: Vector):
    """γ_x in place of γ, Φ_x, and how much is left of each row, from the outputs of the last evaluation."""
    for e in range(tr.row_of.size):
        jacobian[e] = 0.0
    tr.square[:] = 0.0
    terms, f = tr.terms, tr.part[0]
    for k in range(terms.row.size):
        e, row = terms.edge[k], terms.row[k]
        take_term(tr, terms, k, out, gamma)
        for i in range(6):
            tr.square[row] += f[i] * f[i] * tr.unit[i]
        to = tr.target_at[k] - tr.path_at[e]
        for i in range(tr.path_at[e], tr.path_at[e + 1]):
            jacobian[tr.target[to + i]] += dot(tr.twist[i], f)
    _shares(tr, jacobian, share)


@compiled
def take_term(tr, terms, k, out, gamma):
    """What a term says of its body, in world axes, in tr.part[0] (its length is the same in those of the body); γ less
    what β makes of it."""
    tree, f = tr.tree, tr.part[0]
    frame = tree.edge_at[terms.edge[k] + 1] - 1
    f[:] = 0.0
    for i in range(terms.at[k], terms.at[k + 1]):
        local, entry = terms.component[i], out[terms.source[i]]
        f[tr.component[local]] += entry
        gamma[terms.row[k]] -= entry * tr.bias[tree.frame_v[frame] + local]
    put_at(f, 3, turned(tree.A, frame, at(f, 3)))


@compiled
def _shares(tr, jacobian, share):
    """How much of each row is left over the velocities of joints: its squared length there, over that for bodies.

    The row of a loop that can be closed no better vanishes where the loop is stretched: in such a pose it depends on
    the joints of the tree, which are left out here. So this belongs to its `independence` (`kkt`)."""
    for k in range(tr.square.size):
        share[k] = 0.0
    for e in range(tr.row_of.size):
        share[tr.row_of[e]] += jacobian[e] ** 2 * tr.joint_unit[tr.column_of[e]]
    for k in range(tr.square.size):
        share[k] = min(share[k] / (tr.square[k] + 1e-300), 1.0)


@compiled_apart
def transform_dynamics(tr: Transformation, out: Vector, forces: Vector, weight: Vector, beside: Vector):
    """M_x and Q_x, from the outputs of the last evaluation and the forces on bodies in `fc`."""
    tree = tr.tree
    for e in range(tr.edges):
        _inertia_of_body(tr, e, out)
    for e in range(tr.edges - 1, -1, -1):
        if tr.parent[e] >= 0:
            _add_to_parent(tr, e)
    n, to, momentum = tr.still.size, 0, tr.part[0]
    for e in range(tr.edges):
        first, end = tr.path_at[e], tr.path_at[e + 1]
        own = end - (tree.edge_v[e + 1] - tree.edge_v[e])
        for i in range(own, end):
            forces[tr.path[i]] = dot(tr.twist[i], tr.wrench[e])
            for k in range(6):
                momentum[k] = dot(tr.twist[i], tr.inertia[e, 6 * k : 6 * k + 6])
            for j in range(first, i + 1):
                entry = dot(tr.twist[j], momentum)
                if tr.weight_to[to] < n:
                    weight[tr.weight_to[to]] = entry
                else:
                    beside[tr.weight_to[to] - n] = entry
                to += 1


@compiled
def _inertia_of_body(tr, e, out):
    """The inertia of one body, and Q - M β, seen from its own point, in world axes.

    A unit of twist j gives the body u_j = (e_j, 0), or (0, Aᵀ e_j); the matrix is u_iᵀ M u_j."""
    tree = tr.tree
    k = tree.edge_at[e + 1] - 1
    first = tree.frame_v[k]
    inertia, wrench, rows = tr.inertia[e], tr.wrench[e], tr.part
    inertia[:] = 0.0
    wrench[:] = 0.0
    for i in range(tr.component.size):
        wrench[tr.component[i]] = tr.fc[first + i]
    for i in range(tr.mass_at[e], tr.mass_at[e + 1]):  # M itself, first
        a, b, entry = tr.mass_row[i], tr.mass_column[i], out[tr.mass_from[i]]
        ca, cb = tr.component[a], tr.component[b]
        inertia[6 * ca + cb] += entry
        wrench[ca] -= entry * tr.bias[first + b]
        if ca != cb:
            inertia[6 * cb + ca] += entry
            wrench[cb] -= entry * tr.bias[first + a]
    put_at(wrench, 3, turned(tree.A, k, at(wrench, 3)))
    for i in range(6):
        put_at(rows[i], 0, at(inertia, 6 * i))
        put_at(rows[i], 3, turned(tree.A, k, at(inertia, 6 * i + 3)))
    for j in range(6):
        rows[3, j], rows[4, j], rows[5, j] = turned(tree.A, k, (rows[3, j], rows[4, j], rows[5, j]))
    for i in range(6):
        copy(rows[i], inertia[6 * i : 6 * i + 6])


@compiled
def _add_to_parent(tr, e):
    """What hangs at edge e, seen from the point of its parent, which lies at -δ: u_j = (e_j, 0), or (e_j × δ, e_j)."""
    tree, p, rows, inertia, wrench = tr.tree, tr.parent[e], tr.part, tr.inertia[e], tr.wrench[e]
    arm = minus(row(tree.r, tree.edge_at[e + 1] - 1), row(tree.r, tree.edge_at[p + 1] - 1))
    for i in range(6):
        forces = at(inertia, 6 * i)
        put_at(rows[i], 0, forces)
        put_at(rows[i], 3, plus(at(inertia, 6 * i + 3), cross(arm, forces)))
    for j in range(6):
        moment = cross(arm, (rows[0, j], rows[1, j], rows[2, j]))
        rows[3, j], rows[4, j], rows[5, j] = plus((rows[3, j], rows[4, j], rows[5, j]), moment)
    for i in range(6):
        axpy(1.0, rows[i], tr.inertia[p, 6 * i : 6 * i + 6])
    axpy(1.0, wrench, tr.wrench[p])
    put_at(tr.wrench[p], 3, plus(at(tr.wrench[p], 3), cross(arm, at(wrench, 0))))


@compiled_apart
def bodies_turning(tr: Transformation, q: Vector, v: Vector, omega: Vector):
    """The angular velocities of all bodies in space."""
    unfold(tr.tree, q, v, tr.qc, tr.vc)
    for k in range(tr.omega_at.size):
        omega[k] = tr.vc[tr.omega_at[k]]


@compiled_apart
def angular_acceleration(tr: Transformation, q: Vector, v: Vector, a: Vector, alpha: Vector):
    """Their rates."""
    unfold(tr.tree, q, v, tr.qc, tr.vc)
    unfold_acceleration(tr.tree, a, tr.bias)
    for k in range(tr.omega_at.size):
        alpha[k] = tr.bias[tr.omega_at[k]]


ENTRIES = (
    reach, transform_rows, transform_dynamics, bodies_turning, angular_acceleration, fold_velocity, fold_acceleration,
)  # fmt: skip
REACH, ROWS, DYNAMICS, TURNING, ANGULAR_ACCELERATION, VELOCITIES, ACCELERATIONS = range(len(ENTRIES))
