"""A spanning tree of a mechanism: every body hangs on one joint, and the ground is the root.

The remaining joints close the loops, and each keeps its equations. To leave few equations, the tree takes the joints
with many: it is a *maximum spanning tree*, in which the weight of a joint is its number of equations. Prim's algorithm
grows it from the ground: of all joints that lead from the tree to a body outside, take the heaviest. The tree is
maximum whatever the choice between equal weights; the joint that begins nearest to the ground is taken, for short
paths, and then the first in the model.

Bodies that no joint connects to the ground get an edge without a joint: it leads from the ground to one body among
them, their *base*: this body floats.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import takewhile
from typing import Any

from ..errors import ModelError
from ..model.bodies.body import Body
from ..model.drivers import Prescribed
from ..model.joints.base import Condition
from ..model.joints.motions import FREE, Motions, velocities


@dataclass(frozen=True, eq=False)
class Edge:
    """The edge from a body's parent to the body: a joint, or nothing if the body floats."""

    joint: Any
    parent: Body
    child: Body

    @property
    def floating(self) -> bool:
        """Whether no joint holds the body."""
        return self.joint is None

    @property
    def reversed(self) -> bool:
        """Whether the child carries the joint's first marker: its motions then lead from the child to the parent."""
        return self.joint is not None and self.joint.markers[0].body is self.child

    @property
    def motions(self) -> Motions:
        """The motions from the first marker to the second; if the body floats, from the ground's frame to that of the
        body."""
        return FREE[self.child.dimension] if self.joint is None else motions_of(self.joint)

    @property
    def velocities(self) -> int:
        """The number of velocities of the child relative to its parent."""
        return velocities(self.motions)

    def __repr__(self) -> str:
        name = "floating" if self.joint is None else self.joint.name
        return f"<edge {name}: {self.parent.name} to {self.child.name}>"


def motions_of(condition: Condition) -> Any:
    """Return the motions of a joint between two bodies; None for a condition that cannot stand in a tree."""
    if len(condition.markers) != 2 or condition.motions is None:
        return None
    return condition.motions.get(condition.dimension)


def rows_of(condition: Condition) -> int:
    """Return the number of equations of a condition, of positions and of velocities."""
    return condition.form()[0].size


def spanning_forest(
    ground: Body, bodies: Sequence[Body], joints: Iterable[Condition], bases: Sequence[Body] = ()
) -> dict[Body, Edge]:
    """Return the edge that leads to each body. Among bodies without a path to the ground those in `bases` float; in a
    group without a base, the body with most joints, and among equals the first."""
    adjacency = neighbours([ground, *bodies], joints)
    edges: dict[Body, Edge] = {}
    _grow(ground, adjacency, edges)
    for base in bases:
        if base in edges:
            raise _second_root(base, edges)
        edges[base] = Edge(None, ground, base)
        _grow(base, adjacency, edges)
    for body in bodies:
        if body not in edges:
            base = max(component_of(body, bodies, adjacency), key=lambda b: len(adjacency[b]))
            edges[base] = Edge(None, ground, base)
            _grow(base, adjacency, edges)
    return edges


Neighbours = Mapping[Body, Sequence[tuple[int, Any, Body]]]
"""For each body, the joints on it, with their places in the order of the model, and the bodies behind them."""


def neighbours(bodies: Iterable[Body], joints: Iterable[Condition]) -> Neighbours:
    adjacency: dict[Body, list[tuple[int, Any, Body]]] = {body: [] for body in bodies}
    for order, joint in enumerate(joints):
        first, second = joint.bodies
        adjacency[first].append((order, joint, second))
        adjacency[second].append((order, joint, first))
    return adjacency


def _grow(root: Body, adjacency: Neighbours, edges: dict[Body, Edge]) -> None:
    """Add all bodies that joints connect to the root to `edges`, by Prim's algorithm."""
    depths = {root: 0}
    heap: list[tuple[int, int, int, Any, Body, Body]] = []

    def push_joints(body: Body) -> None:
        for order, joint, neighbour in adjacency[body]:
            if neighbour not in depths:
                heappush(heap, (-rows_of(joint), depths[body], order, joint, body, neighbour))

    push_joints(root)
    while heap:
        _, _, _, joint, parent, child = heappop(heap)
        if child not in depths:
            edges[child] = Edge(joint, parent, child)
            depths[child] = depths[parent] + 1
            push_joints(child)


def component_of(body: Body, bodies: Sequence[Body], adjacency: Neighbours) -> list[Body]:
    """Return all bodies that joints connect to one, in the order of the model."""
    component, stack = {body}, [body]
    while stack:
        new = {neighbour for _, _, neighbour in adjacency[stack.pop()]} - component
        component |= new
        stack += new
    return [b for b in bodies if b in component]


def path_to_ground(body: Body, edges: Mapping[Body, Edge]) -> Iterator[Body]:
    """Yield a body, its parent, and so on to the ground."""
    yield body
    while body in edges:
        body = edges[body].parent
        yield body


def fundamental_loop(condition: Condition, edges: dict[Body, Edge]) -> tuple[Body, ...]:
    """Return the bodies of the loop that a condition outside the tree closes: from its first body down to the common
    body of both paths to the ground, and up to its second body; none for a driver, or for a condition on one body."""
    if isinstance(condition, Prescribed) or len(condition.bodies) < 2:
        return ()
    down, up = ([*path_to_ground(body, edges)] for body in condition.bodies[:2])
    meeting = next(body for body in down if body in up)
    return (*down[: down.index(meeting) + 1], *reversed(up[: up.index(meeting)]))


def root_of(body: Body, edges: Mapping[Body, Edge]) -> Body:
    """Return the ground, or the base that floats, at the end of the path of a body."""
    return next(b for b in path_to_ground(body, edges) if b.fixed or edges[b].floating)


def _second_root(base: Body, edges: Mapping[Body, Edge]) -> ModelError:
    root = root_of(base, edges)
    if root.fixed:
        problem = f"base={base.name!r} cannot float: joints connect it to the ground, which is the root of its tree"
        return ModelError(f"{problem}; name a body that hangs on nothing, or leave base= out", code="base-not-free")
    problem = f"base= names {root.name!r} and {base.name!r}, but joints connect them, and a tree has one root"
    return ModelError(f"{problem}; name one of them", code="two-roots-of-tree")


def regular_numbering(bodies: Sequence[Body], edges: Mapping[Body, Edge]) -> tuple[Body, ...]:
    """Return the bodies in the order of the model, but none before its parent (a regular numbering)."""
    order: dict[Body, None] = {}
    for body in bodies:
        branch = takewhile(lambda b: b not in order and not b.fixed, path_to_ground(body, edges))
        order.update(dict.fromkeys(reversed([*branch])))
    return tuple(order)
