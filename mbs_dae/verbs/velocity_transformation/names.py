"""What velocities are called."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiled import System
from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Slide

BODY = {2: ("vx", "vy", "omega"), 3: ("vx", "vy", "vz", "omega1", "omega2", "omega3")}
"""Of a body; in space ω in its own axes."""


def body_names(body: Body) -> tuple[str, ...]:
    return tuple(f"{body.name}.{name}" for name in BODY[body.dimension])


def row_names(system: System) -> tuple[str, ...]:
    """Of the velocities of a system."""
    if system.is_cartesian:
        return tuple(name for body in system.bodies for name in body_names(body))
    return tuple("{}.v{}".format(*name.rsplit(".", 1)) for name in system.coordinate_names)


def column_names(topology: Topology) -> tuple[str, ...]:
    """Of the joint velocities, edge by edge: "R1.omega", "P3.velocity"; where a joint has several of a kind they
    are counted: "U.omega1", "U.omega2"; of a ball they are the components of ω."""
    return tuple(name for edge in topology.edges for name in _edge_names(edge))


def _edge_names(edge: Edge) -> Iterator[str]:
    if edge.floating:
        yield from body_names(edge.child)
        return
    kinds = ["velocity" if isinstance(motion, Slide) else "omega" for motion in edge.motions]
    for k, (motion, kind) in enumerate(zip(edge.motions, kinds, strict=True)):
        if isinstance(motion, Ball):
            yield from (f"{edge.joint.name}.omega{c}" for c in (1, 2, 3))
        else:
            number = kinds[: k + 1].count(kind) if kinds.count(kind) > 1 else ""
            yield f"{edge.joint.name}.{kind}{number}"
