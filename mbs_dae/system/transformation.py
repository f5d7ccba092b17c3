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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..coordinates.joint.recursion import unfold, unfold_acceleration
from ..coordinates.joint.tree import Tree, no_tree
from ..kernels.abi import compiled
from ..kernels.blocks import block
from .dynamics import DynamicsBuilder
from .program import Program

NONE = np.zeros(0, dtype=np.int64)


class Transformation(NamedTuple):
    """Index maps and work space. Without edges there is none: the coordinates are those that kernels speak of."""

    tree: Tree
    edges: int
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
    f = tr.part[0]
    for k in range(tr.term_row.size):
        e = tr.term_edge[k]
        at = tr.tree.frame_v[tr.tree.edge_at[e + 1] - 1]
        f[:] = 0.0
        for i in range(tr.term_at[k], tr.term_at[k + 1]):
            local = tr.item_component[i]
            f[tr.component[local]] += out[tr.item_from[i]]
            gamma[tr.term_row[k]] -= out[tr.item_from[i]] * tr.bias[at + local]
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


def structure_of(tree: Tree, paths: Sequence[np.ndarray], program: Program) -> Entries:
    rows, columns = [NONE], [NONE]
    for row, e, _, _ in _terms(tree, program):
        rows.append(np.full(paths[e].size, row))
        columns.append(paths[e])
    pairs = np.unique(np.stack([np.concatenate(rows), np.concatenate(columns)]), axis=1)
    below = [(c, d) for e in range(len(paths)) for c in _own(tree, e) for d in paths[e] if d < c]
    beside = np.array(below, dtype=np.int64).reshape(-1, 2)
    return Entries(pairs[0], pairs[1], beside[:, 0], beside[:, 1])


def transformation(
    tree: Tree,
    paths: Sequence[np.ndarray],
    program: Program | None,
    entries: Entries,
    dynamics: DynamicsBuilder | None,
) -> Transformation:
    """`dynamics` is left out where only places and motions are asked for."""
    width, velocities = tree.width, tree.v_step.size
    terms = [*_terms(tree, program)]
    where = {pair: k for k, pair in enumerate(zip(entries.jac_row.tolist(), entries.jac_column.tolist(), strict=True))}
    target = [where[row, int(c)] for row, e, _, _ in terms for c in paths[e]]
    beside = {
        pair: velocities + k
        for k, pair in enumerate(zip(entries.block_row.tolist(), entries.block_column.tolist(), strict=True))
    }
    weight_to = [
        int(c) if c == d else beside[int(c), int(d)]
        for e in range(len(paths))
        for c in _own(tree, e)
        for d in paths[e]
        if d <= c
    ]
    masses = _masses(tree, dynamics) if dynamics is not None else [[] for _ in paths]
    flat = np.array([item for items in masses for item in items], dtype=np.int64).reshape(-1, 3)
    first = [tree.before[tree.edge_at[e]] for e in range(len(paths))]
    edge_of_frame = {int(tree.edge_at[e + 1]) - 1: e for e in range(len(paths))}
    size_q, size_v = _sizes(tree)
    return block(
        Transformation(
            tree=tree,
            edges=len(paths),
            qc=_ground_at_rest(tree, size_q),
            vc=np.zeros(size_v),
            bias=np.zeros(size_v),
            still=np.zeros(velocities),
            twist=np.zeros((velocities, 6)),
            component=np.array([0, 1, 5] if width == 3 else range(6), dtype=np.int64),
            parent=np.array([edge_of_frame.get(int(k), -1) for k in first], dtype=np.int64),
            path_at=_borders(paths),
            path=np.concatenate([NONE, *paths]),
            term_row=np.array([row for row, *_ in terms], dtype=np.int64),
            term_edge=np.array([e for _, e, _, _ in terms], dtype=np.int64),
            term_at=_borders([items for _, _, items, _ in terms]),
            item_component=np.concatenate([NONE, *(items for _, _, items, _ in terms)]),
            item_from=np.concatenate([NONE, *(source for _, _, _, source in terms)]),
            target_at=_borders([paths[e] for _, e, _, _ in terms])[:-1],
            target=np.array(target, dtype=np.int64),
            mass_at=_borders(masses),
            mass_row=flat[:, 0].copy(),
            mass_column=flat[:, 1].copy(),
            mass_from=flat[:, 2].copy(),
            weight_to=np.array(weight_to, dtype=np.int64),
            fc=np.zeros(size_v),
            inertia=np.zeros((max(len(paths), 1), 36)),
            wrench=np.zeros((max(len(paths), 1), 6)),
            part=np.zeros((6, 6)),
        )
    )


def no_transformation() -> Transformation:
    return transformation(no_tree(), (), None, Entries(NONE, NONE, NONE, NONE), None)


def _terms(tree: Tree, program: Program | None) -> list[tuple[int, int, np.ndarray, np.ndarray]]:
    """(row, edge, components, outputs): the entries of Φ_u, body by body."""
    if program is None:
        return []
    edge_at_velocity = {int(tree.frame_v[tree.edge_at[e + 1] - 1]): e for e in range(tree.edge_at.size - 1)}
    row, column = program.jac_row[program.jac_to], program.jac_column[program.jac_to]
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r, c, source in zip(row.tolist(), column.tolist(), program.jac_from.tolist(), strict=True):
        body, local = c // tree.width * tree.width, c % tree.width
        found.setdefault((r, edge_at_velocity[body]), []).append((local, source))
    return [(r, e, *np.array(items, dtype=np.int64).T.copy()) for (r, e), items in sorted(found.items())]


def _masses(tree: Tree, dynamics: DynamicsBuilder) -> list[list[tuple[int, int, int]]]:
    """Per edge: row, column, output of each entry of its body's M, of the lower triangle."""
    edge_at_velocity = {int(tree.frame_v[tree.edge_at[e + 1] - 1]): e for e in range(tree.edge_at.size - 1)}
    found: list[list[tuple[int, int, int]]] = [[] for _ in edge_at_velocity]
    width, n = tree.width, dynamics.columns
    for source, item in zip(dynamics.layout["mass_from"].tolist(), dynamics.layout["mass_item"].tolist(), strict=True):
        row, column = (item, item) if item < n else (dynamics.block_row[item - n], dynamics.block_column[item - n])
        found[edge_at_velocity[row // width * width]].append((row % width, column % width, source))
    return found


def _ground_at_rest(tree: Tree, size: int) -> np.ndarray:
    """Cartesian coordinates with nothing in them but the attitude of the ground, which stands behind the bodies."""
    qc = np.zeros(size)
    if tree.dimension == 3:
        qc[7 * tree.body_frame.size + 3] = 1.0
    return qc


def _own(tree: Tree, e: int) -> range:
    return range(int(tree.edge_v[e]), int(tree.edge_v[e + 1]))


def _sizes(tree: Tree) -> tuple[int, int]:
    """Lengths of Cartesian coordinates and velocities, the ground's included."""
    bodies = tree.body_frame.size + 1
    return (3 * bodies, 3 * bodies) if tree.dimension == 2 else (10 * bodies, 6 * bodies)


def _borders(parts: Sequence[object]) -> np.ndarray:
    return np.cumsum([0, *(len(part) for part in parts)])  # type: ignore[arg-type]
