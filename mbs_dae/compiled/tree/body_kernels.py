"""The kernels of bodies in a tree: the inertia of a body about its own point in world axes, the loads on the body, and
the sum of loads handed on to the parent.

With c the centre of mass and I the inertia about it in body axes, ρ = A c, and the bias accelerations r̈, ω̇ (ω and ω̇
in body axes), the force on a body minus its inertial force, with zero accelerations of joints, is

    F = m (g - r̈ - A (ω̇ × c + ω × (ω × c))),        ρ × F - A (I ω̇ + ω × I ω) about the body's point,

and its matrix is [m, -m ρ̂; m ρ̂, A I Aᵀ - m ρ̂ ρ̂], with ρ̂ the matrix of the cross product with ρ. (For other
coordinates `coordinates.cartesian` has the same in body axes.) In the plane I is a number, c has two parts, and ω one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...coordinates.joint.step_kernels import about_z, turned
from ...coordinates.joint.vectors import ZERO, cross, dot, minus, plus, times
from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from ...linear.tree.articulated import TreeShape
from ...linear.tree.kernels import KernelKind, Six, Table, added, come, hand_on, inner, read_six, write_matrix

PLACES = ("body_q", "body_v", "frame", "edge", "first", "parent")
"""The first coordinate and the first velocity of a body; its frame and its edge; the first velocity of the edge, and
the parent's edge."""
TABLES = ("solid", "fc", "qc", "vc", "bias", "A", "twist", "arm", "forces", "wrench", "inertia", "energy")
NUMBERS = {2: 6, 3: 13}
"""The number of numbers of a body, by the dimension."""


class Solid(NamedTuple):
    """A body alone."""

    form: str
    """The form of its inertia (`coordinates.cartesian`)."""
    pushed: bool
    """Whether forces other than its weight act on it."""
    numbers: tuple[float, ...]
    """Its mass, inertia, centre of mass, and gravity, like the slots of its inertia."""
    body_q: int


class BodyKind(NamedTuple):
    edge: KernelKind
    form: str
    pushed: bool


class BodyNumbers(NamedTuple):
    """A body as numbers of a program; in the plane all vectors have three parts, too."""

    mass: Any
    moments: Sequence[Sequence[Any]]
    centre: Any
    gravity: Any


def pass_of(shape: TreeShape, solids: Sequence[Solid], body_v: Sequence[int], frames: Sequence[int]) -> Pass:
    """Return the pass over all bodies, leaves first."""

    def members() -> Iterator[tuple[int, BodyKind, tuple[int, ...]]]:
        for e, ((level, kind), solid) in enumerate(zip(shape.inward(), solids, strict=True)):
            places = solid.body_q, body_v[e], frames[e], e, shape.first[e], max(shape.parents[e], 0)
            yield level, BodyKind(kind, solid.form, solid.pushed), places

    return laid_out(members(), _kernel)


def _kernel(kind: BodyKind) -> int:
    meaning = f"body of a tree {tuple(kind.edge)} {kind.form} {kind.pushed}"
    return kernel_of(meaning, PLACES, TABLES, lambda lines: _write(lines, kind))


def _write(lines: Lines, kind: BodyKind) -> None:
    flat = kind.edge.dimension == 2
    A = about_z(*(lines.read("A", "frame", k, 9) for k in (0, 3))) if flat else lines.several(9, "A", "frame", times=9)
    body = _body(lines, kind)
    force = _force(lines, flat, body, A)
    if kind.pushed:
        linear, angular = _two(lines, flat, "fc")
        force = added(force, [*linear, *turned(A, angular)])
    write_matrix(lines, kind.edge.dimension, _matrix(body, A), "inertia", "edge")
    force = added(force, come(lines, kind.edge, "wrench", "edge"))
    for c in range(kind.edge.velocities):
        lines.write(inner(read_six(lines, kind.edge.dimension, "twist", "first", c), force), "forces", "first", c)
    hand_on(lines, kind.edge, force, "wrench", "parent")


def _body(lines: Lines, kind: BodyKind) -> BodyNumbers:
    width = NUMBERS[kind.edge.dimension]
    numbers = lines.several(width, "solid", "edge", times=width)
    moments: Any
    centre: Any
    gravity: Any
    if kind.edge.dimension == 2:
        mass, moment, cx, cy, gx, gy = numbers
        moments = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, moment))
        centre, gravity = (cx, cy, 0.0), (gx, gy, 0.0)
    else:
        mass, xx, yy, zz, *mixed = numbers[:7]
        xy, xz, yz = ZERO if kind.form == "principal" else mixed
        moments = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        centre, gravity = numbers[7:10], numbers[10:]
    return BodyNumbers(mass, moments, centre if kind.form == "offset" else ZERO, gravity)


def _two(lines: Lines, flat: bool, table: str) -> tuple[Any, Any]:
    """Return the linear and the angular part of a velocity, an acceleration or a force of the body."""
    if not flat:
        return lines.several(3, table, "body_v"), lines.several(3, table, "body_v", 3)
    x, y, turn = lines.several(3, table, "body_v")
    return (x, y, 0.0), (0.0, 0.0, turn)


def _force(lines: Lines, flat: bool, body: BodyNumbers, A: Any) -> Six:
    """Return the weight minus the inertial force of the body's motion, as a force; write the body's energies."""
    (velocity, omega), (linear, angular) = (_two(lines, flat, table) for table in ("vc", "bias"))
    place = (*lines.several(2, "qc", "body_q"), 0.0) if flat else lines.several(3, "qc", "body_q")
    momentum, arm, push = _applied(body, omega), turned(A, body.centre), cross(omega, body.centre)
    swing = turned(A, plus(cross(angular, body.centre), cross(omega, push)))
    force = times(body.mass, minus(body.gravity, plus(linear, swing)))
    spin = plus(_applied(body, angular), cross(omega, momentum))
    moving = plus(velocity, turned(A, push))
    lines.write(-(body.mass * dot(body.gravity, plus(place, arm))), "energy", "edge", 0, 2)
    lines.write(0.5 * (body.mass * dot(moving, moving) + dot(omega, momentum)), "energy", "edge", 1, 2)
    return [*force, *minus(cross(arm, force), turned(A, spin))]


def _applied(body: BodyNumbers, a: Any) -> tuple[Any, ...]:
    """Return I a."""
    return tuple(dot(line, a) for line in body.moments)


def _matrix(body: BodyNumbers, A: Any) -> Table:
    m, (x, y, z) = body.mass, turned(A, body.centre)
    half = [_applied(body, A[3 * i : 3 * i + 3]) for i in range(3)]  # rows of A I
    seen = [[dot(half[i], A[3 * j : 3 * j + 3]) for j in range(3)] for i in range(3)]
    mx, my, mz = times(m, (x, y, z))
    hat = ((0.0, -mz, my), (mz, 0.0, -mx), (-my, mx, 0.0))
    far = (
        (my * y + mz * z, -(mx * y), -(mx * z)),
        (-(mx * y), mx * x + mz * z, -(my * z)),
        (-(mx * z), -(my * z), mx * x + my * y),
    )
    upper = [[*(m if i == j else 0.0 for j in range(3)), *(hat[j][i] for j in range(3))] for i in range(3)]
    lower = [[*hat[i], *(seen[i][j] + far[i][j] for j in range(3))] for i in range(3)]
    return [*upper, *lower]
