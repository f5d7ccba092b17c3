"""The velocity transformation: what holds between bodies, said in the coordinates of joints. Compiled.

With u = R ẋ the velocities of bodies, Ṙ ẋ their bias accelerations β (`recursion`), and all of Φ_u, γ, M, Q of bodies
known,

    Φ_x = Φ_u R,      γ_x = γ - Φ_u β,      M_x = Rᵀ M R,      Q_x = Rᵀ (Q - M β).

R is never formed. A velocity ẋ_c moves all that is behind it like one rigid body, by a twist (of what passes the
world's origin, and ω, in world axes)

    S_c = (s_c - t_c × η, t_c),

the same for every body behind. What acts on a body, an f dual to (ṙ, ω in body axes), is at the world's origin

    F = (f_1, r × f_1 + A f_2),        so its share in coordinate c is S_c · F,

and M of a body becomes a 6 x 6 matrix there. Forces and matrices of what hangs behind an edge are added up, leaves
first, so that

    Q_x,c = S_c · Σ_behind F,        M_x,cd = S_c · (Σ_behind M) S_d      for d behind c,

and nothing else is to be multiplied out than what the sparse matrices have for entries.
"""

from typing import NamedTuple

from ..coordinates.joint.recursion import fold_acceleration, fold_velocity, unfold, unfold_acceleration
from ..coordinates.joint.tree import Tree
from ..kernels.abi import call_on_block, compiled, compiled_apart
from ..kernels.blocks import Design, Integers, Matrix, Vector, Work, zeros


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
    twist: Work[Matrix] = zeros("twists", 6)
    """S, one row for each velocity."""
    component: Integers = zeros(0)
    """Which of six each velocity of a body is: in the plane x, y and the turn about z."""
    parent: Integers = zeros(0)
    """The edge that leads to an edge's parent; -1 for the ground."""
    path_at: Integers = zeros(0)
    """The velocities on the way to edge e, its own included: path[path_at[e] : path_at[e + 1]]."""
    path: Integers = zeros(0)
    # rows: what one row says of one body
    term_row: Integers = zeros(0)
    term_edge: Integers = zeros(0)
    term_at: Integers = zeros(0)
    """Term k has the items term_at[k] : term_at[k + 1]."""
    item_component: Integers = zeros(0)
    item_from: Integers = zeros(0)
    target_at: Integers = zeros(0)
    """It goes to the entries target[target_at[k] : ...] of Φ_x, in the order of the path."""
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
    """A 6 x 6 matrix for each edge; then a force and moment for each."""
    wrench: Work[Matrix] = zeros("links", 6)
    part: Work[Matrix] = zeros(6, 6)
    """Work space."""


@compiled
def transform(tr, entry, arrays):
    """Call one of `ENTRIES`: by address, so that each is compiled where there are joint coordinates only."""
    call_on_block(tr.addresses[entry], tr, arrays)


@compiled_apart
def reach(tr: Transformation, q: Vector, v: Vector):
    """All bodies, and the twists of all velocities, at (q, v)."""
    tree = tr.tree
    unfold(tree, q, v, tr.qc, tr.vc)
    if tr.deep == 1:
        return
    unfold_acceleration(tree, tr.still, tr.bias)
    for c in range(tr.twist.shape[0]):
        k = tree.v_step[c]
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            moment = tree.turn[c, a] * tree.eta[k, b] - tree.turn[c, b] * tree.eta[k, a]
            tr.twist[c, i] = tree.slide[c, i] - moment
            tr.twist[c, 3 + i] = tree.turn[c, i]


@compiled
def to_origin(tr, e, f):
    """What acts on the body of edge e, dual to (ṙ, ω in body axes): the same at the world's origin, in place."""
    tree = tr.tree
    k = tree.edge_at[e + 1] - 1
    A, r = tree.A[k], tree.r[k]
    x, y, z = f[3], f[4], f[5]
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        f[3 + i] = A[3 * i] * x + A[3 * i + 1] * y + A[3 * i + 2] * z + r[a] * f[b] - r[b] * f[a]


@compiled_apart
def transform_rows(tr: Transformation, out: Vector, gamma: Vector, jacobian: Vector, share: Vector):
    """γ_x in place of γ, Φ_x, and how much is left of each row, from the outputs of the last evaluation."""
    for e in range(tr.row_of.size):
        jacobian[e] = 0.0
    tr.square[:] = 0.0
    f = tr.part[0]
    for k in range(tr.term_row.size):
        e = tr.term_edge[k]
        at = tr.tree.frame_v[tr.tree.edge_at[e + 1] - 1]
        f[:] = 0.0
        for i in range(tr.term_at[k], tr.term_at[k + 1]):
            local = tr.item_component[i]
            f[tr.component[local]] += out[tr.item_from[i]]
            gamma[tr.term_row[k]] -= out[tr.item_from[i]] * tr.bias[at + local]
        for i in range(6):
            tr.square[tr.term_row[k]] += f[i] * f[i] * tr.unit[i]
        to_origin(tr, e, f)
        to = tr.target_at[k]
        for i in range(tr.path_at[e], tr.path_at[e + 1]):
            twist = tr.twist[tr.path[i]]
            part = 0.0
            for j in range(6):
                part += twist[j] * f[j]
            jacobian[tr.target[to]] += part
            to += 1
    _shares(tr, jacobian, share)


@compiled
def _shares(tr, jacobian, share):
    """How much of each row is left over the velocities of joints: its squared length there, over that for bodies.

    The row of a loop that can be closed no better vanishes where the loop is stretched: in such a pose it depends on
    the joints of the tree, which are left out here. So this belongs to its `independence` (`kkt`)."""
    for row in range(tr.square.size):
        share[row] = 0.0
    for e in range(tr.row_of.size):
        share[tr.row_of[e]] += jacobian[e] ** 2 * tr.joint_unit[tr.column_of[e]]
    for row in range(tr.square.size):
        share[row] = min(share[row] / (tr.square[row] + 1e-300), 1.0)


@compiled_apart
def transform_dynamics(tr: Transformation, out: Vector, forces: Vector, weight: Vector, beside: Vector):
    """M_x and Q_x, from the outputs of the last evaluation and the forces on bodies in `fc`."""
    tree = tr.tree
    for e in range(tr.edges):
        _inertia_at_origin(tr, e, out)
    for e in range(tr.edges - 1, -1, -1):
        p = tr.parent[e]
        if p >= 0:
            for j in range(36):
                tr.inertia[p, j] += tr.inertia[e, j]
            for j in range(6):
                tr.wrench[p, j] += tr.wrench[e, j]
    n, to, momentum = tr.still.size, 0, tr.part[0]
    for e in range(tr.edges):
        for c in range(tree.edge_v[e], tree.edge_v[e + 1]):
            twist, force = tr.twist[c], 0.0
            for i in range(6):
                force += twist[i] * tr.wrench[e, i]
                momentum[i] = 0.0
                for j in range(6):
                    momentum[i] += tr.inertia[e, 6 * i + j] * twist[j]
            forces[c] = force
            for i in range(tr.path_at[e], tr.path_at[e + 1]):
                d = tr.path[i]
                if d <= c:
                    entry = 0.0
                    for j in range(6):
                        entry += tr.twist[d, j] * momentum[j]
                    if tr.weight_to[to] < n:
                        weight[tr.weight_to[to]] = entry
                    else:
                        beside[tr.weight_to[to] - n] = entry
                    to += 1


@compiled
def _inertia_at_origin(tr, e, out):
    """The inertia of one body, and Q - M β, both at the world's origin.

    A unit of twist j gives the body u_j = (e_j, 0), or (e_j × r, Aᵀ e_j); the matrix is u_iᵀ M u_j."""
    tree = tr.tree
    k = tree.edge_at[e + 1] - 1
    at, A, r = tree.frame_v[k], tree.A[k], tree.r[k]
    inertia, wrench, rows = tr.inertia[e], tr.wrench[e], tr.part
    inertia[:] = 0.0
    wrench[:] = 0.0
    for i in range(tr.component.size):
        wrench[tr.component[i]] = tr.fc[at + i]
    for i in range(tr.mass_at[e], tr.mass_at[e + 1]):  # M itself, first
        a, b, entry = tr.mass_row[i], tr.mass_column[i], out[tr.mass_from[i]]
        ca, cb = tr.component[a], tr.component[b]
        inertia[6 * ca + cb] += entry
        wrench[ca] -= entry * tr.bias[at + b]
        if ca != cb:
            inertia[6 * cb + ca] += entry
            wrench[cb] -= entry * tr.bias[at + a]
    to_origin(tr, e, wrench)
    for i in range(6):  # M u_j, as columns
        for j in range(3):
            a, b = (j + 1) % 3, (j + 2) % 3
            rows[i, j] = inertia[6 * i + j]
            entry = r[a] * inertia[6 * i + b] - r[b] * inertia[6 * i + a]
            for c in range(3):
                entry += A[3 * j + c] * inertia[6 * i + 3 + c]
            rows[i, 3 + j] = entry
    for j in range(6):  # u_iᵀ (M u_j)
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            inertia[6 * i + j] = rows[i, j]
            entry = r[a] * rows[b, j] - r[b] * rows[a, j]
            for c in range(3):
                entry += A[3 * i + c] * rows[3 + c, j]
            inertia[6 * (3 + i) + j] = entry


@compiled_apart
def velocities_of_joints(tr: Transformation, x: Vector, v: Vector):
    """The velocities of joints where those of bodies are x, in the pose of the last `reach`."""
    fold_velocity(tr.tree, x, v)


@compiled_apart
def accelerations_of_joints(tr: Transformation, x: Vector, a: Vector):
    """The same for accelerations, with the velocities of the last `reach`."""
    fold_acceleration(tr.tree, x, a)


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
    reach, transform_rows, transform_dynamics, velocities_of_joints, accelerations_of_joints, bodies_turning,
    angular_acceleration,
)  # fmt: skip
REACH, ROWS, DYNAMICS, VELOCITIES, ACCELERATIONS, TURNING, ANGULAR_ACCELERATION = range(len(ENTRIES))
