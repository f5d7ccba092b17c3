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

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np

from ..coordinates import JointCoordinates
from ..coordinates.joint.recursion import unfold, unfold_acceleration
from ..coordinates.joint.tree import Tree, no_tree
from ..kernels.abi import compiled
from ..kernels.blocks import block
from .dynamics import DynamicsBuilder

NONE = np.zeros(0, dtype=np.int64)


class Transformation(NamedTuple):
    """Index maps and work space. Without edges there is none: the coordinates are those that kernels speak of."""

    tree: Tree
    edges: int
    deep: int
    """1 where nothing is transformed: the equations are those of bodies, and only what comes out of them goes back to
    the joints."""
    step: np.ndarray
    """Velocities of joints."""
    qc: np.ndarray
    """Where bodies are, their velocities, and β; the ground's included."""
    vc: np.ndarray
    bias: np.ndarray
    still: np.ndarray
    """No accelerations of joints."""
    twist: np.ndarray
    """S, one row for each velocity."""
    component: np.ndarray
    """Which of six each velocity of a body is: in the plane x, y and the turn about z."""
    parent: np.ndarray
    """The edge that leads to an edge's parent; -1 for the ground."""
    path_at: np.ndarray
    """The velocities on the way to edge e, its own included: path[path_at[e] : path_at[e + 1]]."""
    path: np.ndarray
    # rows: what one row says of one body
    term_row: np.ndarray
    term_edge: np.ndarray
    term_at: np.ndarray
    """Term k has the items term_at[k] : term_at[k + 1]."""
    item_component: np.ndarray
    item_from: np.ndarray
    target_at: np.ndarray
    """It goes to the entries target[target_at[k] : ...] of Φ_x, in the order of the path."""
    target: np.ndarray
    square: np.ndarray
    """The squared length of each row over the velocities of bodies, turns counting over the model's length."""
    unit: np.ndarray
    """What six velocities of a body count there, and each velocity of a joint: reciprocal squared lengths."""
    joint_unit: np.ndarray
    # masses and forces
    mass_at: np.ndarray
    """The inertia of edge e's body has the items mass_at[e] : mass_at[e + 1]."""
    mass_row: np.ndarray
    mass_column: np.ndarray
    mass_from: np.ndarray
    weight_to: np.ndarray
    """Where entries of M_x go, edge by edge, velocity by velocity, along the path: to the diagonal, or beside it."""
    fc: np.ndarray
    inertia: np.ndarray
    """A 6 x 6 matrix for each edge; then a force and moment for each."""
    wrench: np.ndarray
    part: np.ndarray
    """Work space: six rows of six numbers."""


@compiled
def reach(tr, q, v):
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


@compiled
def transform_rows(tr, out, gamma, jacobian):
    """γ_x in place of γ, and Φ_x, from the outputs of the last evaluation."""
    jacobian[:] = 0.0
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
            share = 0.0
            for j in range(6):
                share += twist[j] * f[j]
            jacobian[tr.target[to]] += share
            to += 1


@compiled
def shares(tr, rows, columns, jacobian, share):
    """How much of each row is left over the velocities of joints: its squared length there, over that for bodies.

    The row of a loop that can be closed no better vanishes where the loop is stretched: in such a pose it depends on
    the joints of the tree, which are left out here. So this belongs to its `independence` (`kkt`)."""
    share[:] = 0.0
    for e in range(jacobian.size):
        share[rows[e]] += jacobian[e] ** 2 * tr.joint_unit[columns[e]]
    for row in range(share.size):
        share[row] = min(share[row] / (tr.square[row] + 1e-300), 1.0)


@compiled
def transform_dynamics(tr, out, forces, weight, beside):
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
    n, to, momentum = weight.size, 0, tr.part[0]
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


# --- index maps -------------------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """The structure of Φ_x and of M_x below its diagonal."""

    jac_row: np.ndarray
    jac_column: np.ndarray
    block_row: np.ndarray
    block_column: np.ndarray


def structure_of(coordinates: JointCoordinates, program: Mapping[str, np.ndarray]) -> Entries:
    paths = coordinates.paths
    rows, columns = [NONE], [NONE]
    for row, e, _, _ in _terms(coordinates, program):
        rows.append(np.full(paths[e].size, row))
        columns.append(paths[e])
    pairs = np.unique(np.stack([np.concatenate(rows), np.concatenate(columns)]), axis=1)
    below = [(c, d) for path, own in zip(paths, coordinates.own, strict=True) for c in own for d in path if d < c]
    beside = np.array(below, dtype=np.int64).reshape(-1, 2)
    return Entries(pairs[0], pairs[1], beside[:, 0].copy(), beside[:, 1].copy())


def transformation(
    coordinates: JointCoordinates,
    tree: Tree,
    program: Mapping[str, np.ndarray],
    entries: Entries,
    dynamics: DynamicsBuilder | None,
    length: float,
) -> Transformation:
    """`program` is the layout of the rows over the velocities of bodies. `dynamics` is left out where only places and
    motions are asked for."""
    velocities, rows = tree.v_step.size, program["nu_from"].size
    if coordinates.deep:
        return _through_bodies(coordinates, tree)
    paths = coordinates.paths
    terms = [*_terms(coordinates, program)]
    where = {pair: k for k, pair in enumerate(zip(entries.jac_row.tolist(), entries.jac_column.tolist(), strict=True))}
    below = zip(entries.block_row.tolist(), entries.block_column.tolist(), strict=True)
    beside = {pair: velocities + k for k, pair in enumerate(below)}
    weight_to = [
        c if c == d else beside[c, d]
        for path, own in zip(paths, coordinates.own, strict=True)
        for c in own
        for d in path.tolist()
        if d <= c
    ]
    masses = _masses(coordinates, dynamics) if dynamics is not None else [[] for _ in paths]
    flat = np.array([item for items in masses for item in items], dtype=np.int64).reshape(-1, 3)
    layout = coordinates.kernels.layout
    return block(
        _empty(tree)._replace(
            edges=len(paths),
            step=np.zeros(max(velocities, 1)),
            qc=coordinates.resting_bodies(),
            vc=np.zeros(layout.v_size),
            bias=np.zeros(layout.v_size),
            still=np.zeros(velocities),
            twist=np.zeros((velocities, 6)),
            component=np.array([0, 1, 5] if tree.width == 3 else range(6), dtype=np.int64),
            parent=np.array(coordinates.topology.parents, dtype=np.int64) - 1,
            path_at=_borders(paths),
            path=np.concatenate([NONE, *paths]),
            term_row=np.array([row for row, *_ in terms], dtype=np.int64),
            term_edge=np.array([e for _, e, _, _ in terms], dtype=np.int64),
            term_at=_borders([items for _, _, items, _ in terms]),
            item_component=np.concatenate([NONE, *(items for _, _, items, _ in terms)]),
            item_from=np.concatenate([NONE, *(source for _, _, _, source in terms)]),
            target_at=_borders([paths[e] for _, e, _, _ in terms]),
            target=np.array([where[row, c] for row, e, _, _ in terms for c in paths[e].tolist()], dtype=np.int64),
            square=np.zeros(rows),
            unit=np.array([1.0] * 3 + [length**-2] * 3),
            joint_unit=1.0 / coordinates.weights(length),
            mass_at=_borders(masses),
            mass_row=flat[:, 0].copy(),
            mass_column=flat[:, 1].copy(),
            mass_from=flat[:, 2].copy(),
            weight_to=np.array(weight_to, dtype=np.int64),
            fc=np.zeros(layout.v_size),
            inertia=np.zeros((len(paths), 36)),
            wrench=np.zeros((len(paths), 6)),
        )
    )


def no_transformation() -> Transformation:
    return block(_empty(no_tree()))


def _through_bodies(coordinates: JointCoordinates, tree: Tree) -> Transformation:
    layout, velocities = coordinates.kernels.layout, tree.v_step.size
    return block(
        _empty(tree)._replace(
            edges=len(coordinates.topology.edges),
            deep=1,
            qc=coordinates.resting_bodies(),
            vc=np.zeros(layout.v_size),
            bias=np.zeros(layout.v_size),
            still=np.zeros(velocities),
            step=np.zeros(max(velocities, 1)),
        )
    )


def _empty(tree: Tree) -> Transformation:
    values: dict[str, Any] = dict.fromkeys(Transformation._fields, NONE)
    values |= dict.fromkeys(("step", "qc", "vc", "bias", "still", "fc", "square", "unit", "joint_unit"), np.zeros(0))
    values |= dict.fromkeys(("twist", "inertia", "wrench"), np.zeros((0, 6)))
    return Transformation(**values | {"tree": tree, "edges": 0, "deep": 0, "part": np.zeros((6, 6))})


def _terms(
    coordinates: JointCoordinates, program: Mapping[str, np.ndarray]
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """(row, edge, components, outputs): the entries of Φ_u, body by body."""
    row, column = program["jac_row"][program["jac_to"]], program["jac_column"][program["jac_to"]]
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r, c, source in zip(row.tolist(), column.tolist(), program["jac_from"].tolist(), strict=True):
        edge, local = coordinates.edge_and_component(c)
        found.setdefault((r, edge), []).append((local, source))
    for (r, edge), items in sorted(found.items()):
        components, sources = np.array(items, dtype=np.int64).T.copy()
        yield r, edge, components, sources


def _masses(coordinates: JointCoordinates, dynamics: DynamicsBuilder) -> list[list[tuple[int, int, int]]]:
    """Per edge: row, column, output of each entry of its body's M, of the lower triangle."""
    found: list[list[tuple[int, int, int]]] = [[] for _ in coordinates.paths]
    n = dynamics.columns
    for source, item in zip(dynamics.layout["mass_from"].tolist(), dynamics.layout["mass_item"].tolist(), strict=True):
        row, column = (item, item) if item < n else (dynamics.block_row[item - n], dynamics.block_column[item - n])
        edge, first = coordinates.edge_and_component(int(row))
        found[edge].append((first, coordinates.edge_and_component(int(column))[1], source))
    return found


def _borders(parts: Sequence[Sized]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)])
