"""Basic points and unit vectors of a tree, numbered from the ground outwards: what the letters of R count.

Body by body, in the order of their numbers, comes

    a base that floats     its centre of mass, and a vector
    a joint                the point of its marker on the parent, and its axis; this is the number j of the joint. Where
                           the joint slides, the child's marker is another point, and has the next number
    a body at the end      one more point and vector: its first named marker, or its centre of mass.

Points and vectors that stand still have numbers, too, but no velocity. A joint with two or three different axes has
them as u_j^1, u_j^2, u_j^3. An axis that stands still in both bodies counts for the parent, which has fewer joints
before it. In the plane the axis of all turns is its normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Slide, Turn


@dataclass(frozen=True)
class Named:
    """A point, or a unit vector: an axis of a marker's frame."""

    label: str  # what stands behind the letter: "4", or "2__1" for the first of several axes of a joint
    body: Body
    marker: Any
    axis: int | None = None  # 0, 1, 2; None for a point
    means: str = ""

    @property
    def letter(self) -> str:
        return "r" if self.axis is None else "u"


@dataclass(frozen=True)
class Hinge:
    """How the letters of an edge are: at which points its motions have their axes, and which these are."""

    label: str
    near: str  # the point of the first marker
    far: str  # the point of the second marker
    vectors: dict[int, str]  # by the axis of a motion


NORMAL = "normal"  # of the plane


def numbered(topology: Topology) -> tuple[list[Named], dict[Edge, Hinge]]:
    """All points and vectors in the order of their numbers, and the letters of each edge."""
    things: list[Named] = []
    hinges: dict[Edge, Hinge] = {}
    parents = {edge.parent for edge in topology.edges if not edge.floating}
    number = 0
    for body, edge in zip(topology.bodies, topology.edges, strict=True):
        number += 1
        label, here = str(number), str(number)
        if edge.floating:
            things += _pair(label, body, body.at(*body.com), f"the centre of mass of {body.name}")
            hinges[edge] = Hinge(label, label, label, {})
        else:
            first, second = edge.joint.markers
            near, far = (second, first) if edge.reversed else (first, second)
            things.append(Named(label, edge.parent, near, None, _where(edge, edge.parent)))
            vectors = _vectors(edge, label)
            things += [_vector(edge, axis, name) for axis, name in vectors.items() if name != NORMAL]
            if any(not isinstance(motion, Turn | Ball) for motion in edge.motions):
                number += 1
                here = str(number)
                things.append(Named(here, body, far, None, _where(edge, body)))
            hinges[edge] = Hinge(label, *((here, label) if edge.reversed else (label, here)), vectors)
        if body not in parents and not edge.floating:
            number += 1
            marker = next(iter(body.markers.values()), None)
            what = f"{marker.name} of {body.name}" if marker else f"the centre of mass of {body.name}"
            things += _pair(str(number), body, marker or body.at(*body.com), what)
    return things, hinges


def _where(edge: Edge, body: Body) -> str:
    return f"{edge.joint.name} on {body.name}"


def _pair(label: str, body: Body, marker: Any, what: str) -> Iterator[Named]:
    axis = 0 if body.dimension == 2 else 2
    yield Named(label, body, marker, None, what)
    yield Named(label, body, marker, axis, f"{'xyz'[axis]} axis at {what}")


def _vectors(edge: Edge, label: str) -> dict[int, str]:
    """The letters of the axes of a joint, in the order of its motions."""
    axes = [*dict.fromkeys(motion.axis for motion in edge.motions if not isinstance(motion, Ball))]
    if edge.child.dimension == 2:
        return {axis: NORMAL if axis == 2 else label for axis in axes}
    return {axis: f"{label}__{k}" if len(axes) > 1 else label for k, axis in enumerate(axes, start=1)}


def _vector(edge: Edge, axis: int, label: str) -> Named:
    """An axis stands still in all bodies from which no turn about another axis parts it."""
    before, own = True, {True: False, False: False}
    for motion in edge.motions:
        if isinstance(motion, Ball):
            own[before] = True
        elif motion.axis == axis:
            before = False
        elif not isinstance(motion, Slide):
            own[before] = True
    first, second = edge.joint.markers
    still = [marker for marker, turned in ((first, own[True]), (second, own[False])) if not turned]
    marker = min(still, key=lambda m: m.body is edge.child)
    return Named(label, marker.body, marker, axis, f"axis of {edge.joint.name}")
