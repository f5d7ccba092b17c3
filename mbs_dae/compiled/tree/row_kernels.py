"""The kernels of rows over the velocities of bodies: what a row says of one body as a force on it, and that force on
its way to the ground, where each joint's velocities take their entries of Φ_x from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...coordinates.joint.step_kernels import turned
from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from ...linear.tree.kernels import (
    AXES,
    UNDER_WAY,
    Kind,
    Stage,
    come,
    hand_on,
    inner,
    read_six,
    still,
    write_six,
)

PLACES = ("row", "slot", "body_v", "frame")
TABLES = ("out", "bias", "A", "unit", "force", "gamma", "square")


class Term(NamedTuple):
    """What a row says of one body: of which components of its velocity, by which outputs."""

    row: int
    edge: int
    components: tuple[int, ...]
    outputs: tuple[int, ...]


def terms_pass(
    dimension: int, terms: Sequence[Term], slots: Sequence[int], body_v: Sequence[int], frames: Sequence[int]
) -> Pass:
    """`slots` says of each term where its force stands, `body_v` and `frames` of each edge where its body has its
    velocities, and its frame."""
    members = (
        (0, (dimension, term.components), (term.row, slot, body_v[term.edge], frames[term.edge], *term.outputs))
        for term, slot in zip(terms, slots, strict=True)
    )
    return laid_out(members, _term_kernel)


def _term_kernel(kind: tuple[int, tuple[int, ...]]) -> int:
    places = (*PLACES, *(f"output{k}" for k in range(len(kind[1]))))
    return kernel_of(f"term of a row {kind}", places, TABLES, lambda lines: _write_term(lines, *kind))


def _write_term(lines: Lines, dimension: int, components: tuple[int, ...]) -> None:
    """The force in world axes; γ less what β makes of it; and its part of the squared length of the row, which is the
    same in the axes of the body. A component stands there once for each marker of the row that is on the body."""
    axes = AXES[dimension]
    force = still()
    gamma, square = lines.read("gamma", "row"), lines.read("square", "row")
    entries: dict[int, Any] = {}
    for k, local in enumerate(components):
        own = lines.read("out", f"output{k}")
        entries[local] = entries[local] + own if local in entries else own
    for local, entry in entries.items():
        force[axes[local]] = entry
        gamma = gamma - entry * lines.read("bias", "body_v", local)
        square = square + entry * entry * lines.read("unit", "row", axes[local], times=0)
    if dimension == 3:
        force = [*force[:3], *turned(lines.several(9, "A", "frame", times=9), force[3:])]
    lines.write(gamma, "gamma", "row")
    lines.write(square, "square", "row")
    write_six(lines, dimension, force, "force", "slot")


def _write_carrying(lines: Lines, kind: Kind) -> None:
    """The entries of rows for the velocities of an edge; and what is left of the length of each there."""
    flat, given = kind.dimension, range(kind.velocities)
    twists = [read_six(lines, flat, "twist", "first", c) for c in given]
    units = [lines.read("joint_unit", "first", c) for c in given]
    for k in range(kind.rows):
        force, share = come(lines, kind, "force", "slot", k), lines.read("share", "row", k)
        for c in given:
            entry = inner(twists[c], force)
            share = share + entry * entry * units[c]
            lines.write(entry, "jacobian", f"entry{k}", c)
        lines.write(share, "share", "row", k)
        hand_on(lines, kind, force, "force", "next_slot", k)


CARRYING = Stage(
    "carrying", (*UNDER_WAY, "row"), ("twist", "arm", "joint_unit", "force", "jacobian", "share"), _write_carrying
)
