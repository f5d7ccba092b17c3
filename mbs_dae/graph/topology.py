"""The topology of a mechanism: its tree, its loops, and the count of its degrees of freedom.

    1. Nodes are the bodies and the ground, edges the joints between two bodies whose class declares their motions
       (`motions`). All other conditions - gears, rods, drivers, constraints - are *couplings*, never in the tree.
    2. A spanning tree is chosen, in which every body hangs on one joint (`tree`). The joints left out are *cut*.
    3. The bodies are numbered in the order of the model, but none before its parent. The edge that leads to a body has
       the body's number.

Each cut joint closes a loop: over the tree from its one body to its other. In joint coordinates, the velocities in the
edges of the tree, a mechanism without cut joints and couplings needs no equation at all; each of those keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, check_name, counted, unknown_name
from ..model.bodies.body import Body
from ..model.drivers import Prescribed
from ..model.joints.base import Condition
from ..model.model import Model, Named
from ..provided import provided
from ..public_class import PublicClass
from .tree import (
    Edge,
    component_of,
    fundamental_loop,
    motions_of,
    neighbours,
    regular_numbering,
    root_of,
    rows_of,
    spanning_forest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Closure:
    """A condition outside the tree, with its equations: a cut joint or a coupling."""

    condition: Any
    loop: tuple[Body, ...]
    """The bodies from its first one over the tree to its second one; empty for drivers, and for a condition on one
    body."""

    @property
    def name(self) -> str:
        """The name of the element."""
        return self.condition.name

    @property
    def rows(self) -> int:
        """The number of its equations."""
        return rows_of(self.condition)

    @property
    def driver(self) -> bool:
        """Whether it prescribes a motion."""
        return isinstance(self.condition, Prescribed)

    def __repr__(self) -> str:
        return f"<closure {self.name}>"


@dataclass(frozen=True, eq=False)
class Topology(metaclass=PublicClass):
    """The tree, the loops and the counts of a model, from `topology`; ``print`` gives the table. Bodies are numbered 1,
    2, ..., the ground is 0.

    >>> linkage = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0, 1), "C": (2, 2), "D": (3, 0)},
    ...     rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    >>> graph = mbs.topology(linkage)
    >>> isinstance(graph, mbs.Topology), graph.numbers
    (True, {'ground': 0, 'crank': 1, 'coupler': 2, 'rocker': 3})
    >>> graph.parents, graph.is_tree
    ((0, 1, 0), False)
    >>> [edge.joint.name for edge in graph.path("coupler")]
    ['A', 'B']
    """

    title: str
    ground: Body
    bodies: tuple[Body, ...]
    """The bodies in the order of their numbers: no body before its parent."""
    edges: tuple[Edge, ...]
    """The edge that leads to each body, in the same order."""
    cuts: tuple[Closure, ...]
    """The joints that could stand in the tree but do not."""
    couplings: tuple[Closure, ...]
    """All other conditions: joints without a chain of motions, gears, drivers, constraints."""
    notes: tuple[str, ...]
    """Sentences about bodies that float, and why."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each body, by its name."""
        return {body.name: k for k, body in enumerate((self.ground, *self.bodies))}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The number of each body's parent; 0 for bodies on the ground, and for bodies that float."""
        return tuple(self.numbers[edge.parent.name] for edge in self.edges)

    @property
    def connectivity(self) -> tuple[int, ...]:
        """The parents under their name in robotics: body i hangs on body C_i."""
        return self.parents

    @property
    def is_tree(self) -> bool:
        """Whether the bodies are held by the joints of the tree alone, drivers apart."""
        return not self.cuts and all(coupling.driver for coupling in self.couplings)

    @property
    def loops(self) -> dict[str, tuple[str, ...]]:
        """The bodies around each loop, by the name of the joint that closes it."""
        return {c.name: tuple(body.name for body in c.loop) for c in (*self.cuts, *self.couplings) if c.loop}

    def path(self, body: Body | str) -> tuple[Edge, ...]:
        """Return the edges that lead from the ground to a body."""
        name = body if isinstance(body, str) else body.name
        check_name("body", name, self.numbers, self.title)
        edges, number = [], self.numbers[name]
        while number:
            edges.append(self.edges[number - 1])
            number = self.parents[number - 1]
        return tuple(reversed(edges))

    @property
    def path_matrix(self) -> np.ndarray:
        """The incidence matrix π of the tree, shape (n, n): π_ij = 1 if edge j leaves body i, -1 if edge j enters body
        i, and otherwise 0. The edge with the number j enters body j and leaves its parent; the ground, node 0, has no
        row.

        >>> chain = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (2, 0)}, rods=["AB", "BC"], fixed="A")
        >>> mbs.topology(chain).path_matrix
        array([[-1,  1],
               [ 0, -1]])
        """
        pi = -np.eye(len(self.parents), dtype=np.int64)
        for k, parent in enumerate(self.parents):
            if parent:
                pi[parent - 1, k] = 1
        return pi

    @property
    def secondary_path_matrix(self) -> np.ndarray:
        """π*, shape (n, n): minus the number of edges from edge j, with it, to body i, if the path from the ground to
        the body leads over it (-1 for the edge of the body, -2 for the edge of its parent, ...); 0 otherwise.

        With S_ij = 1 where i is the parent of j, π = S - I, and -π⁻¹ = I + S + S² + ... counts the paths down from i
        to j: none or one. So -π⁻ᵀ is one where π* is not zero, and π* adds the distance. The velocity of body i
        follows from those in all edges j with π*_ij ≠ 0: π* is the pattern of the matrix R in v = R θ̇.

        >>> chain = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (2, 0)}, rods=["AB", "BC"], fixed="A")
        >>> mbs.topology(chain).secondary_path_matrix
        array([[-1,  0],
               [-2, -1]])
        """
        pi = np.zeros((len(self.parents), len(self.parents)), dtype=np.int64)
        for k, parent in enumerate(self.parents):
            if parent:  # the path to its parent, each edge one further
                pi[k] = pi[parent - 1] - (pi[parent - 1] < 0)
            pi[k, k] = -1
        return pi

    @property
    def degrees_of_freedom_of_tree(self) -> int:
        """The number of velocities in all edges: the degrees of freedom when all loops are cut open."""
        return sum(edge.velocities for edge in self.edges)

    @property
    def coordinates(self) -> int:
        """The number of coordinates: 3 for each body in the plane, 6 in space."""
        return 3 * (self.ground.dimension - 1) * len(self.bodies)

    @property
    def equations(self) -> int:
        """The number of equations of all conditions, of positions and of velocities, drivers included."""
        return self.coordinates - self.degrees_of_freedom_of_tree + sum(c.rows for c in (*self.cuts, *self.couplings))

    @property
    def drivers(self) -> int:
        """The number of equations of drivers."""
        return sum(coupling.rows for coupling in self.couplings if coupling.driver)

    @property
    def gruebler(self) -> int:
        """The Grübler count: coordinates minus equations."""
        return self.coordinates - self.equations

    @property
    def gruebler_without_drivers(self) -> int:
        """The Grübler count for the joints alone."""
        return self.gruebler + self.drivers

    def table(self) -> str:
        """Return the tree body by body, its closures, and the count as a table."""
        return "\n".join(_lines(self))

    __str__ = table

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"

    def draw(self, ax: Any = None) -> Figure:
        """Draw the graph, in matplotlib axes if some are given, and return the figure: the tree from the ground to the
        right, the closures of loops dashed. Drivers and conditions on a single body are not shown.

        >>> chain = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (2, 0)}, rods=["AB", "BC"], fixed="A")
        >>> mbs.topology(chain).draw().savefig("graph.png")
        """
        return provided("Topology.draw")(self, ax)


def topology(model: Model, base: Named | None = None, cut: Named = ()) -> Topology:
    """The tree, the loops and the path matrices of a model.

    `base` names the body that floats, where bodies are joined to each other but not to the ground; a list, where there
    are several such groups. `cut` names joints that shall be cut; the others are chosen so that the cut joints have as
    few equations as can be. A joint whose reaction is read by rates of states is cut, too: the joint keeps its
    equations, and so has multipliers.

    A four-bar linkage: three bodies, a loop, 9 coordinates less 8 equations.

    >>> linkage = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0, 1), "C": (2, 2), "D": (3, 0)},
    ...     rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    >>> mbs.topology(linkage).gruebler
    1
    >>> mbs.topology(linkage, cut="B").loops
    {'B': ('crank', 'ground', 'rocker', 'coupler')}
    """
    model = getattr(model, "model", model)  # a compiled system knows its model
    if not isinstance(model, Model):
        raise ModelError(
            f"topology needs a model as first argument, not {model!r}; build one: mbs.PlanarModel(name)",
            code="not-a-model", model=model,
        )  # fmt: skip
    bodies = tuple(model.bodies.values())
    bases = []
    for name in _names(base):
        if name == model.ground.name:
            raise ModelError(
                "base='ground' is the root of its tree as it is; name a body that hangs on nothing",
                code="ground-is-root",
            )  # fmt: skip
        bases.append(model.bodies[name])  # the dictionary reports a missing name
    candidates = [c for c in model.conditions if motions_of(c) is not None]
    cut_joints = [_joint_to_cut(model, name, candidates) for name in _names(cut)]
    joints = [c for c in candidates if c not in cut_joints]
    _check_cuts((model.ground, *bodies), cut_joints, joints)
    edges = spanning_forest(model.ground, bodies, [c for c in joints if c.name not in model.felt], bases)
    numbering = regular_numbering(bodies, edges)
    in_tree = {edge.joint for edge in edges.values()}
    cuts = [c for c in candidates if c not in in_tree]
    return Topology(
        title=model.name,
        ground=model.ground,
        bodies=numbering,
        edges=tuple(edges[body] for body in numbering),
        cuts=tuple(Closure(c, fundamental_loop(c, edges)) for c in cuts),
        couplings=tuple(Closure(c, fundamental_loop(c, edges)) for c in model.conditions if c not in candidates),
        notes=tuple(_note(model, base, numbering, edges) for base in numbering if edges[base].floating),
    )


# --- arguments, checked at the beginning ---------------------------------------------------------------------------


def _names(items: Any) -> Iterable[str]:
    """Return the names of a name, an element or several of these, each once; none for None."""
    if items is None:
        return ()
    if isinstance(items, str) or not isinstance(items, Iterable):
        items = (items,)
    return tuple(dict.fromkeys(getattr(item, "name", item) for item in items))


def _joint_to_cut(model: Model, name: str, candidates: list[Condition]) -> Condition:
    if name not in model.elements:
        raise unknown_name("joint", name, [c.name for c in candidates])
    for joint in candidates:
        if joint.name == name:
            return joint
    problem = f"a {model.elements[name].kind} never stands in the tree, there is nothing to cut"
    raise ModelError(f"cut={name!r}: {problem}; leave it out", code="joint-not-cuttable", name=name)


def _check_cuts(bodies: Sequence[Body], cut_joints: list[Condition], uncut: list[Condition]) -> None:
    """Raise an error if the bodies of a cut joint are no longer connected by the other joints of its loop.

    As many of the other cuts as possible are then taken back; the remaining cuts separate the bodies.
    """

    def component(body: Body, joints: Iterable[Condition]) -> list[Body]:
        return component_of(body, bodies, neighbours(bodies, joints))

    for joint in cut_joints:
        joints, separating = [*uncut], [joint]
        first, second = joint.bodies
        if second in component(first, joints):
            continue
        for other in cut_joints:
            if other is not joint and second not in component(first, [*joints, other]):
                joints.append(other)
            elif other is not joint:
                separating.append(other)
        loose = first if bodies[0] in component(second, joints) else second
        problem = f"would leave body {loose.name!r} hanging on nothing"
        if len(separating) == 1:
            remedy = "cut a joint that closes a loop"
            raise ModelError(
                f"cut={joint.name!r} {problem}: no other joint carries it; {remedy}",
                code="graph-falls-apart", joint=joint.name, loose=loose.name,
            )  # fmt: skip
        names = " and ".join(c.name for c in separating)
        raise ModelError(
            f"cutting {names} together {problem}; leave one of them out of cut=",
            code="graph-falls-apart", names=tuple(c.name for c in separating), loose=loose.name,
        )  # fmt: skip


# --- text ----------------------------------------------------------------------------------------------------------


def _lines(topology: Topology) -> Iterator[str]:
    bodies, loops = len(topology.bodies), len(topology.loops)
    yield f"{topology.title}: {bodies} bod{'y' if bodies == 1 else 'ies'}, {counted(loops, 'loop')}"
    yield ""
    rows = [("number", "body", "parent", "joint", "motions")]
    for k, edge in enumerate(topology.edges, start=1):
        joint = "(floating)" if edge.floating else edge.joint.who
        motions = ", ".join(map(str, edge.motions)) or "none"
        direction = " (reversed)" if edge.reversed and edge.motions else ""
        rows.append((str(k), edge.child.name, edge.parent.name, joint, motions + direction))
    yield from _columns(rows)
    for title, closures in (("cut joints", topology.cuts), ("couplings", topology.couplings)):
        if closures:
            yield ""
            cells = [(c.condition.who, str(c.rows), " - ".join(body.name for body in c.loop)) for c in closures]
            yield from _columns([(title, "equations", "loop"), *cells])
    yield ""
    counts = {
        "coordinates": topology.coordinates,
        "equations": topology.equations,
        "Grübler count": topology.gruebler,
        "  without the drivers": topology.gruebler_without_drivers,
        "degrees of freedom of the tree": topology.degrees_of_freedom_of_tree,
    }
    for label, number in counts.items():
        yield f"  {label:<30} {number:>5}"
    for note in topology.notes:
        yield ""
        yield from wrap(note, 92, initial_indent="  ", subsequent_indent="    ")


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the rows as lines with left-aligned columns, each as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _note(model: Model, base: Body, bodies: Sequence[Body], edges: Mapping[Body, Edge]) -> str:
    """Return a sentence about a base that floats, and the bodies that no joint connects to the ground."""
    if not any(base in element.bodies for element in model.elements.values()):
        if model.value(base.mass) == 0:  # nothing moves it, and nothing can
            problem = f"body {base.name!r} is joined to nothing: no joint and no force names it, and it has no mass"
            raise ModelError(
                f"{problem}; add the joint that carries it, or take it away", code="joined-to-nothing", base=base.name
            )
        return f"{base.name} floats: no joint and no force names it."
    group = [body for body in bodies if root_of(body, edges) is base]
    inside = [e for e in model.conditions if len(e.bodies) > 1 and {*e.bodies} <= {*group}]
    others = ", ".join(body.name for body in group if body is not base)
    subject = f"{base.name} floats, and {others} with it" if others else f"{base.name} floats"
    couplings = ", ".join(e.who for e in model.conditions if e not in inside and not {*group}.isdisjoint(e.bodies))
    support = f"; held by {couplings}" if couplings else ""
    return f"{subject}: no joint with motions leads from there to the ground{support}."
