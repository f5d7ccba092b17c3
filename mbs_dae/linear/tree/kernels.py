"""The kernels of a tree of bodies: the work of one edge on the way to the root, and on the way out again.

`articulated` has the derivation. A velocity of a body is (ṙ, ω), a force on it (f, moment), both at its own point and
in world axes; in the plane three of six are zero. The joint of an edge only determines the number of velocities; so a
kernel is identified by its dimension, by that number, and by whether the parent is the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...coordinates.joint.vectors import cross, minus, plus
from ...kernels.lines import Lines, kernel_of

Six = list[Any]
Table = list[list[Any]]
AXES = {2: (0, 1, 5), 3: (0, 1, 2, 3, 4, 5)}
"""The components among six of a velocity of a body."""
BELOW = {dimension: [(i, j) for i in axes for j in axes if j <= i] for dimension, axes in AXES.items()}
"""The stored entries of a symmetric matrix."""


class KernelKind(NamedTuple):
    dimension: int
    velocities: int
    on_ground: bool
    rows: int = 1
    """The number of right sides, or rows, that go inward side by side."""
    is_end: bool = False
    """Whether nothing has come to the edge from behind."""
    adds: bool = False
    """Whether other edges have handed on to the parent before."""


def zero() -> Table:
    return [[0.0] * 6 for _ in range(6)]


def still() -> Six:
    return [0.0] * 6


def read_matrix(lines: Lines, dimension: int, table: str, place: str) -> Table:
    out, below = zero(), BELOW[dimension]
    for k, (i, j) in enumerate(below):
        out[i][j] = out[j][i] = lines.read(table, place, k, len(below))
    return out


def write_matrix(lines: Lines, dimension: int, matrix: Table, table: str, place: str) -> None:
    below = BELOW[dimension]
    lines.write_all([matrix[i][j] for i, j in below], table, place, times=len(below))


def read_six(lines: Lines, dimension: int, table: str, place: str, number: int = 0) -> Six:
    axes = AXES[dimension]
    return [lines.read(table, place, 6 * number + i, 6) if i in axes else 0.0 for i in range(6)]


def write_six(lines: Lines, dimension: int, six: Six, table: str, place: str, number: int = 0) -> None:
    for i in AXES[dimension]:
        lines.write(six[i], table, place, 6 * number + i, 6)


def read_arm(lines: Lines, dimension: int) -> tuple[Any, ...]:
    arm = lines.several(3, "arm", "edge", times=3)
    return arm if dimension == 3 else (*arm[:2], 0.0)


def inner(a: Six, b: Six) -> Any:
    """Return a · b, as two sums that do not wait for each other."""
    sums: list[Any] = [0.0, 0.0]
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        sums[k % 2] = sums[k % 2] + x * y
    return sums[0] + sums[1]


def added(a: Six, b: Six, times: Any = 1.0) -> Six:
    return [x + times * y for x, y in zip(a, b, strict=True)]


def applied(matrix: Table, a: Six) -> Six:
    return [inner(line, a) for line in matrix]


def added_matrices(a: Table, b: Table) -> Table:
    return [added(x, y) for x, y in zip(a, b, strict=True)]


def force_on_parent(force: Six, arm: Any) -> Six:
    """Return the force, seen from the parent's point."""
    return [*force[:3], *plus(force[3:], cross(arm, force[:3]))]


def velocity_of_child(velocity: Six, arm: Any) -> Six:
    """Return the velocity of a body that moves like its parent."""
    return [*minus(velocity[:3], cross(arm, velocity[3:])), *velocity[3:]]


def seen_from_parent(matrix: Table, arm: Any) -> Table:
    """Return Xᵀ I X with the X of `velocity_of_child`: first its columns, then its rows."""
    half = [[*line[:3], *plus(line[3:], cross(arm, line[:3]))] for line in matrix]
    moments = [cross(arm, [half[i][j] for i in range(3)]) for j in range(6)]
    rest = [[half[3 + i][j] + moments[j][i] for j in range(6)] for i in range(3)]
    return [*half[:3], *rest]


# --- the kernels -----------------------------------------------------------------------------------------------------


def write_elimination(lines: Lines, kind: KernelKind) -> None:
    """Write the elimination of an edge: add I of its body and of all behind, minus the part of the edge's velocities,
    to the parent's."""
    flat = kind.dimension
    inertia = read_matrix(lines, flat, "inertia", "edge")
    if not kind.is_end:
        inertia = added_matrices(inertia, read_matrix(lines, flat, "hanging", "edge"))
    for c in range(kind.velocities):
        S = read_six(lines, flat, "twist", "first", c)
        U = applied(inertia, S)
        inverse = 1.0 / (inner(S, U) + lines.read("soft", "first", c))
        lines.write(inverse, "inverse", "first", c)
        write_six(lines, flat, U, "momentum", "first", c)
        if c < kind.velocities - 1 or not kind.on_ground:
            part = [inverse * u for u in U]
            inertia = [[inertia[i][j] - U[max(i, j)] * part[min(i, j)] for j in range(6)] for i in range(6)]
    if not kind.on_ground:
        moved = seen_from_parent(inertia, read_arm(lines, flat))
        if kind.adds:
            moved = added_matrices(read_matrix(lines, flat, "hanging", "parent"), moved)
        write_matrix(lines, flat, moved, "hanging", "parent")


def write_inward(lines: Lines, kind: KernelKind) -> None:
    """Write z of the edge's velocities: the right sides after the elimination of all velocities behind."""
    flat, given = kind.dimension, range(kind.velocities)
    twists, momenta = ([read_six(lines, flat, table, "first", c) for c in given] for table in ("twist", "momentum"))
    for k in range(kind.rows):
        force = come(lines, kind, "force", "slot", k)
        for c, (S, U) in enumerate(zip(twists, momenta, strict=True)):
            z = lines.read("right", f"entry{k}", c) - inner(S, force)
            scaled = z * lines.read("inverse", "first", c)
            lines.write(z, "left", f"entry{k}", c)
            if "scaled" in lines.tables:
                lines.write(scaled, "scaled", f"entry{k}", c)
            force = added(force, U, scaled)
        hand_on(lines, kind, force, "force", "next_slot", k)


def come(lines: Lines, kind: KernelKind, table: str, place: str, number: int = 0) -> Six:
    """Return the force that has come to an edge."""
    return still() if kind.is_end else read_six(lines, kind.dimension, table, place, number)


def hand_on(lines: Lines, kind: KernelKind, force: Six, table: str, place: str, number: int = 0) -> None:
    """Hand a force on to the parent."""
    if not kind.on_ground:
        moved = force_on_parent(force, read_arm(lines, kind.dimension))
        if kind.adds:
            moved = added(read_six(lines, kind.dimension, table, place, number), moved)
        write_six(lines, kind.dimension, moved, table, place, number)


def write_outward(lines: Lines, kind: KernelKind) -> None:
    """Write x of the edge's velocities from their z, and the motion of the body."""
    flat = kind.dimension
    motion = still()
    if not kind.on_ground:
        motion = velocity_of_child(read_six(lines, flat, "motion", "parent"), read_arm(lines, flat))
    for c in reversed(range(kind.velocities)):
        S, U = (read_six(lines, flat, table, "first", c) for table in ("twist", "momentum"))
        x = (lines.read("right", "first", c) - inner(U, motion)) * lines.read("inverse", "first", c)
        lines.write(x, "right", "first", c)
        motion = added(motion, S, x)
    write_six(lines, flat, motion, "motion", "edge")


def write_moving(lines: Lines, kind: KernelKind) -> None:
    """Write the motion of the body for the velocities x."""
    flat = kind.dimension
    motion = still()
    if not kind.on_ground:
        motion = velocity_of_child(read_six(lines, flat, "motion", "parent"), read_arm(lines, flat))
    for c in range(kind.velocities):
        motion = added(motion, read_six(lines, flat, "twist", "first", c), lines.read("x", "first", c))
    write_six(lines, flat, motion, "motion", "edge")


def write_resisting(lines: Lines, kind: KernelKind) -> None:
    """Subtract W x of the edge's velocities from the right side, from the motion of bodies."""
    flat = kind.dimension
    force = applied(read_matrix(lines, flat, "inertia", "edge"), read_six(lines, flat, "motion", "edge"))
    force = added(force, come(lines, kind, "force", "edge"))
    for c in range(kind.velocities):
        taken = inner(read_six(lines, flat, "twist", "first", c), force)
        lines.write(lines.read("right", "first", c) - taken, "right", "first", c)
    hand_on(lines, kind, force, "force", "parent")


def write_product(lines: Lines, ones: int, others: int, length: int) -> None:
    """Add, for each of some rows and each of others, the sum over `length` neighbouring velocities to Φ W⁻¹ Φᵀ; without
    others, add products of the rows with themselves to the lower triangle and the diagonal."""
    first = [lines.several(length, "left", f"one{k}") for k in range(ones)]
    second = [lines.several(length, "scaled", f"other{k}") for k in range(others)]
    for i in range(ones):
        for j in range(others) if others else range(i + 1):
            weights = second[j] if others else lines.several(length, "scaled", f"one{j}")
            target = ("square", f"one_square{i}") if not others and i == j else ("items", f"item{i}_{j}")
            lines.write(lines.read(*target) + inner(list(first[i]), list(weights)), *target)


def product_kernel(kind: tuple[int, int, int]) -> int:
    ones, others, _ = kind
    pairs = [(i, j) for i in range(ones) for j in (range(others) if others else range(i))]
    places = [f"one{k}" for k in range(ones)] + [f"other{k}" for k in range(others)]
    places += [f"item{i}_{j}" for i, j in pairs] + [f"one_square{k}" for k in range(0 if others else ones)]
    tables = ("left", "scaled", "items", "square")
    return kernel_of(f"product of rows {kind}", places, tables, lambda lines: write_product(lines, *kind))


class Stage(NamedTuple):
    name: str
    places: Sequence[str]
    tables: Sequence[str]
    write: Callable[[Lines, KernelKind], None]

    def kernel(self, kind: KernelKind) -> int:
        meaning = f"{self.name} on a tree {tuple(kind)}"
        entries = [f"entry{k}" for k in range(kind.rows)] if "slot" in self.places else []
        places = (*self.places, *entries)
        return kernel_of(meaning, places, self.tables, lambda lines: self.write(lines, kind))


EDGE = ("edge", "first", "parent")
UNDER_WAY = ("edge", "first", "slot", "next_slot")
"""The places of a stage with forces on their paths; for each right side or row the first entry of the edge follows."""
SOLVED = ("twist", "arm", "momentum", "inverse")
ELIMINATION = Stage(
    "elimination", EDGE, ("inertia", "hanging", "twist", "arm", "soft", "momentum", "inverse"), write_elimination
)
INWARD = Stage("inward", UNDER_WAY, (*SOLVED, "force", "right", "left"), write_inward)
COLUMNS = Stage("columns", UNDER_WAY, (*SOLVED, "force", "right", "left", "scaled"), write_inward)
OUTWARD = Stage("outward", EDGE, (*SOLVED, "motion", "right"), write_outward)
MOVING = Stage("moving", EDGE, ("twist", "arm", "motion", "x"), write_moving)
RESISTING = Stage("resisting", EDGE, ("inertia", "twist", "arm", "motion", "force", "right"), write_resisting)
