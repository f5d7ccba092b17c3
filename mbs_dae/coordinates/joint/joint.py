"""Joint coordinates: the displacements and angles of the joints of a spanning tree, and the pose of bodies that float.

The poses of bodies follow by recursion (`recursion`): the joints of the tree are satisfied by any coordinates and cost
no equation. Kernels remain in the coordinates of bodies; the equations are transformed (`compiled.tree`).
"""

from collections import Counter
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...graph.topology import topology
from ...kernels.abi import compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...kernels.images import Image
from ...model.joints.base import Condition
from ...model.joints.motions import Ball, Slide
from ...model.model import Model
from ...model.parameters import Evaluator
from ..base import CoordinateSet, Layout, Motion, pairs, span
from ..cartesian import Cartesian
from .recursion import fold, fold_acceleration, fold_velocity, unfold, unfold_acceleration
from .tree import Tree, tree_of
from .tree_steps import Freedom, freedoms, velocity_paths

FULL = 400
"""The work of eliminating rows, per velocity, above which the equations of bodies are solved: some 20 rows on the path
of every joint."""


class JointCoordinates(CoordinateSet):
    set = "joint"

    def __init__(self, model: Model, bodies: Cartesian, deep: bool | None = None, **tree: Any):
        """`deep` says whether the equations of bodies are solved, None for an automatic choice; `tree` has the options
        of `topology`."""
        self.model = model
        self.bodies = bodies
        self.name = f"joint {bodies.name}"
        self.topology = topology(model, **tree)
        self.freedoms: tuple[Freedom, ...] = freedoms(self.topology)
        self._deep = deep
        self._trees: WeakKeyDictionary[Evaluator, Image] = WeakKeyDictionary()
        self._in_tree = {edge.joint.name for edge in self.topology.edges if not edge.floating}

    @property
    def kernels(self) -> Cartesian:
        return self.bodies

    def tree(self, number: Evaluator) -> Tree:
        """Return the tree with work space of its own."""
        return self.tree_image(number).new()

    def tree_image(self, number: Evaluator) -> Image:
        if number not in self._trees:
            self._trees[number] = Image(tree_of(self.topology, number, self.kernels.layout))
        return self._trees[number]

    @cached_property
    def paths(self) -> tuple[np.ndarray, ...]:
        """For each edge, the velocities on the path from the ground to the edge, its own included."""
        found = velocity_paths(self.topology)
        return tuple(found[edge.child] for edge in self.topology.edges)

    @cached_property
    def ways(self) -> tuple[np.ndarray, ...]:
        """For each edge, the velocities on the path to the ground: edge by edge, the velocities of each edge in their
        order."""
        parents, found = [parent - 1 for parent in self.topology.parents], list[np.ndarray]()
        for parent, own in zip(parents, self.own, strict=True):
            found.append(np.concatenate([own, found[parent]]) if parent >= 0 else own)
        return tuple(found)

    @cached_property
    def own(self) -> tuple[np.ndarray, ...]:
        """For each edge, its own velocities: the last on the path from the ground."""
        return tuple(
            path[path.size - edge.velocities :] for path, edge in zip(self.paths, self.topology.edges, strict=True)
        )

    @cached_property
    def coupled(self) -> list[tuple[int, int]]:
        """The pairs of velocities that M couples: one of an edge, and one on the path to the edge, itself included."""
        ways = zip(self.paths, self.own, strict=True)
        return [(c, d) for path, own in ways for c in own.tolist() for d in path.tolist() if d <= c]

    @cached_property
    def edge_and_component(self) -> dict[int, tuple[int, int]]:
        """The edge and the number, within the body, of each velocity of a body."""
        places = self.kernels.layout.v
        return {
            column: (e, k) for e, edge in enumerate(self.topology.edges) for k, column in enumerate(places[edge.child])
        }

    def resting_bodies(self) -> np.ndarray:
        """Return an array for the Cartesian coordinates of all bodies, with those of the ground filled in."""
        qc = np.zeros(self.kernels.layout.q_size)
        qc[list(self.kernels.layout.q[self.model.ground])] = self.bodies.at_rest
        return qc

    @cached_property
    def layout(self) -> Layout:
        """The layout, edge by edge; in space the turns of each body stand behind."""
        nq, nv = (self.freedoms[-1].q_end, self.freedoms[-1].v_end) if self.freedoms else (0, 0)
        bodies = [*self.model.bodies.values()] if self.model.dimension == 3 else []
        turned = {body: span(nq + 3 * k, 3) for k, body in enumerate(bodies)}
        plain, balls = (
            pairs((f.q, f.v) for f in self.freedoms if isinstance(f.motion, Ball) == rolls) for rolls in (False, True)
        )
        layout = Layout({}, {}, nq, nv, nq + 3 * len(turned), nv, plain, balls, turned=turned)
        return layout.with_signals(self.model.signals)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names in results, with a number if a joint has several coordinates of the kind."""
        names: list[str] = []
        words = {f: "displacement" if isinstance(f.motion, Slide) else "angle" for f in self.freedoms}
        kinds = Counter((f.edge, words[f]) for f in self.freedoms)
        seen: Counter[Any] = Counter()
        for f in self.freedoms:
            owner, key = (f.edge.child.name if f.edge.floating else f.edge.joint.name), (f.edge, words[f])
            seen[key] += 1
            if isinstance(f.motion, Ball):
                names += [f"{owner}.e{k}" for k in range(4)]
            elif f.edge.floating and isinstance(f.motion, Slide):
                names.append(f"{owner}.{'xyz'[f.motion.axis]}")
            else:
                names.append(f"{owner}.{words[f]}{seen[key] if kinds[key] > 1 else ''}")
        return tuple(names)

    @cached_property
    def deep(self) -> bool:
        """Whether so many rows are on long paths to the ground that the equations of bodies, which are sparse, are
        solved instead (`compiled.tree`): in joint coordinates each row is coupled with all rows that move with the same
        joint. If contacts need M with all its entries (`linear.springs`), these entries count like rows."""
        if self._deep is not None:
            return self._deep
        rows = np.zeros(self.layout.nv)
        ways = velocity_paths(self.topology)
        for condition in self.model.conditions:
            if condition.name not in self._in_tree:
                columns = np.concatenate([ways[marker.body] for marker in condition.markers])
                rows[np.unique(columns)] += condition.form()[0].size
        work = float(rows @ rows)
        if self.model.contacts:
            work += sum(len(path) ** 2 * len(own) for path, own in zip(self.paths, self.own, strict=True))
        return work > FULL * max(self.layout.nv, 1)

    def settled(self, joint: Condition) -> frozenset[int]:
        """Return all rows of a joint of the tree, which holds by construction; none if the equations are those of
        bodies."""
        by_construction = joint.name in self._in_tree and not self.deep
        return frozenset(range(joint.form()[0].size) if by_construction else ())

    def weights(self, length: float) -> np.ndarray:
        out = np.full(self.layout.nv, length**2)
        for f in self.freedoms:
            if isinstance(f.motion, Slide):
                out[f.v] = 1.0
        return out

    # --- to and from bodies -----------------------------------------------------------------------------------

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        q, v, a = self.layout.motion(len(motion[0]))
        if len(q):
            q[0] = self._first_guess(cartesian, motion[0][0], number)
        work = np.zeros(cartesian.q_size), np.zeros(cartesian.v_size)
        fold_motion(self.tree(number), *map(np.ascontiguousarray, motion), q, v, a, *work)
        return q, v, a

    def to_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        out = cartesian.motion(len(motion[0]))
        out[0][:, list(cartesian.q[self.model.ground])] = self.bodies.at_rest
        unfold_motion(self.tree(number), *map(np.ascontiguousarray, motion), *out)
        return out

    def _first_guess(self, cartesian: Layout, qc: np.ndarray, number: Evaluator) -> np.ndarray:
        """Return coordinates next to which `fold` looks for angles. In space angles count past 2π: by the turns of the
        bodies about the axis of a joint since the reference placement."""
        q = np.zeros(self.layout.q_size)
        q[[f.q for f in self.freedoms if isinstance(f.motion, Ball)]] = 1.0
        if self.model.dimension == 2:
            return q
        for f in self.freedoms:
            if isinstance(f.motion, Ball | Slide) or f.edge.floating or f.motion.axis != 2:
                continue
            i, j = f.edge.joint.markers
            turns = [qc[list(cartesian.q[m.body][7:])] @ np.array([number(row[2]) for row in m.axes]) for m in (i, j)]
            q[f.q] = number(i.placed.turn_to(j.placed)) + turns[1] - turns[0]
        return q


@compiled_apart
def unfold_motion(tree: Tree, q: Matrix, v: Matrix, a: Matrix, qc: Matrix, vc: Matrix, ac: Matrix) -> None:
    """Put positions, velocities and accelerations of bodies along a motion into qc, vc and ac."""
    for k in range(q.shape[0]):
        unfold(tree, q[k], v[k], qc[k], vc[k])
        unfold_acceleration(tree, a[k], ac[k])


@compiled_apart
def fold_motion(
    tree: Tree, qc: Matrix, vc: Matrix, ac: Matrix, q: Matrix, v: Matrix, a: Matrix, places: Vector, rates: Vector
) -> None:
    """Put the coordinates of joints along a motion of bodies into q, v and a; angles continue from one time to the
    next. `places` and `rates` are work space."""
    for k in range(q.shape[0]):
        if k > 0:
            for i in range(q.shape[1]):
                q[k, i] = q[k - 1, i]
        fold(tree, qc[k], q[k])
        unfold(tree, q[k], v[k], places, rates)
        fold_velocity(tree, vc[k], v[k])
        unfold(tree, q[k], v[k], places, rates)
        fold_acceleration(tree, ac[k], a[k])
