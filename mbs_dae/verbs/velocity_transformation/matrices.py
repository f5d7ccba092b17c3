"""R and Ṙ, and the names of their rows and columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiled import System
from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Slide


@dataclass(frozen=True, eq=False, repr=False)
class VelocityTransformation:
    """v = R θ̇ and v̇ = R θ̈ + Ṙ θ̇, at one pose. The bodies hang on the joints of `topology`."""

    R: Any
    """Array with one row for each velocity of the system, one column for each joint velocity; or a matrix of
    expressions."""
    Rdot: Any
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    topology: Topology
    theta: Any
    """The joint coordinates, edge by edge: angles in rad, displacements in m, quaternions of balls. Angles in space are
    the nearest to 0."""
    rates: Any
    """θ̇, in the order of `columns`."""
    q: Any = None
    """The system's coordinates, followed by those of bodies at rest, corrected to satisfy the joints of the tree; None
    with expressions."""
    v: Any = None

    @property
    def remaining(self) -> tuple[str, ...]:
        """Names of the cut joints and the couplings, whose equations R does not contain."""
        return tuple(closure.name for closure in (*self.topology.cuts, *self.topology.couplings))

    def __repr__(self) -> str:
        return f"<velocity transformation of {self.topology.title!r}: {len(self.rows)} x {len(self.columns)}>"

    def __str__(self) -> str:
        """Return R with the names of its rows and columns; zeros are left out."""
        cells = [["", *self.columns]]
        for name, row in zip(self.rows, np.array(self.R), strict=True):
            numbers = [x if not isinstance(x, float) or abs(x) >= 5e-13 else 0 for x in row]  # 0 for roundoff
            texts = ["" if x == 0 else f"{x:.4g}" if isinstance(x, float) else str(x) for x in numbers]
            cells.append([name, *texts])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in cells)


# --- names of velocities ---

BODY = {2: ("vx", "vy", "omega"), 3: ("vx", "vy", "vz", "omega1", "omega2", "omega3")}
"""Names of the velocities of a body; in space ω is in body axes."""


def body_names(body: Body) -> tuple[str, ...]:
    return tuple(f"{body.name}.{name}" for name in BODY[body.dimension])


def row_names(system: System) -> tuple[str, ...]:
    """Return the names of the velocities of a system, one for each row."""
    if system.is_cartesian:
        return tuple(name for body in system.bodies for name in body_names(body))
    return tuple("{}.v{}".format(*name.rsplit(".", 1)) for name in system.coordinate_names)


def column_names(topology: Topology) -> tuple[str, ...]:
    """Return the names of the joint velocities, edge by edge: "R1.omega", "P3.velocity"; several of one kind in a joint
    are counted: "U.omega1", "U.omega2"; those of a ball are the components of ω."""
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
