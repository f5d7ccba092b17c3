"""The kernels of bodies in a tree: the inertia of a body and what acts on it, seen from its own point in world axes,
and the forces of what hangs there, handed on to the parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...coordinates.joint.step_kernels import about_z, turned
from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from ...linear.tree.articulated import Shape
from ...linear.tree.kernels import (
    AXES,
    Kind,
    Six,
    Table,
    added,
    come,
    hand_on,
    inner,
    read_six,
    still,
    write_matrix,
    zero,
)

PLACES = ("mass_at", "body_v", "frame", "edge", "first", "parent")
"""Where the outputs of its inertia and its velocities begin; its frame and its edge; the first velocity of the edge and
the edge of the parent."""
TABLES = ("out", "fc", "bias", "A", "twist", "arm", "forces", "wrench", "inertia")
Entries = tuple[tuple[int, int], ...]
"""Rows and columns of M of a body, in the order of the outputs."""


class BodyKind(NamedTuple):
    edge: Kind
    mass: Entries


def pass_of(shape: Shape, mass: Sequence[tuple[int, Entries]], body_v: Sequence[int], frames: Sequence[int]) -> Pass:
    """All bodies, leaves first. `mass` says of each where the outputs of its inertia begin, and which these are."""

    def members() -> Iterator[tuple[int, BodyKind, tuple[int, ...]]]:
        for e, ((level, kind), (at, entries)) in enumerate(zip(shape.inward(), mass, strict=True)):
            places = at, body_v[e], frames[e], e, shape.first[e], max(shape.parents[e], 0)
            yield level, BodyKind(kind, entries), places

    return laid_out(members(), _kernel)


def _kernel(kind: BodyKind) -> int:
    return kernel_of(
        f"body of a tree {tuple(kind.edge)} {kind.mass}", PLACES, TABLES, lambda lines: _write(lines, kind)
    )


def _write(lines: Lines, kind: BodyKind) -> None:
    """With M and Q of the body's own velocities, whose turns are in body axes: A I Aᵀ, and A (Q - M β)."""
    dimension, axes = kind.edge.dimension, AXES[kind.edge.dimension]
    flat = dimension == 2
    rotation = about_z(0.0, 0.0) if flat else lines.several(9, "A", "frame", times=9)
    inertia, bias, force = zero(), still(), still()
    for k, axis in enumerate(axes):
        bias[axis], force[axis] = lines.read("bias", "body_v", k), lines.read("fc", "body_v", k)
    for k, (row, column) in enumerate(kind.mass):
        inertia[axes[row]][axes[column]] = inertia[axes[column]][axes[row]] = lines.read("out", "mass_at", k)
    force = [x - inner(line, bias) for x, line in zip(force, inertia, strict=True)]
    if not flat:
        force = [*force[:3], *turned(rotation, force[3:])]
        inertia = in_world_axes(inertia, rotation)
    write_matrix(lines, dimension, inertia, "inertia", "edge")
    force = added(force, come(lines, kind.edge, "wrench", "edge"))
    for c in range(kind.edge.velocities):
        lines.write(inner(read_six(lines, dimension, "twist", "first", c), force), "forces", "first", c)
    hand_on(lines, kind.edge, force, "wrench", "parent")


def in_world_axes(inertia: Table, rotation: Sequence[Any]) -> Table:
    """A unit of twist j gives the body u_j = (e_j, 0), or (0, Aᵀ e_j); the matrix is u_iᵀ M u_j."""
    half: Table = [[*line[:3], *turned(rotation, line[3:])] for line in inertia]
    columns: list[Six] = [list(turned(rotation, [half[3 + i][j] for i in range(3)])) for j in range(6)]
    return [*half[:3], *([columns[j][i] for j in range(6)] for i in range(3))]
