"""The kernels of rows over the velocities of bodies: the part of a row for one body as a force on the body, and the
path of this force to the ground, along which the velocities of each joint take their entries of Φ_x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...coordinates.joint.step_kernels import turned
from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from ...linear.tree.kernels import (
    AXES,
    UNDER_WAY,
    KernelKind,
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
    """The part of a row for one body: the components of its velocity, and the outputs that are their factors."""

    row: int
    edge: int
    components: tuple[int, ...]
    outputs: tuple[int, ...]


def terms_pass(
    dimension: int, terms: Sequence[Term], slots: Sequence[int], body_v: Sequence[int], frames: Sequence[int]
) -> Pass:
    """Return the pass over all terms. `slots` has the place of the force of each term; `body_v` and `frames` have, for
    each edge, the first velocity of its body and its frame."""
    members = (
        (0, (dimension, term.components), (term.row, slot, body_v[term.edge], frames[term.edge], *term.outputs))
        for term, slot in zip(terms, slots, strict=True)
    )
    return laid_out(members, _term_kernel)


def _term_kernel(kind: tuple[int, tuple[int, ...]]) -> int:
    places = (*PLACES, *(f"output{k}" for k in range(len(kind[1]))))
    return kernel_of(f"term of a row {kind}", places, TABLES, lambda lines: _write_term(lines, *kind))


def _write_term(lines: Lines, dimension: int, components: tuple[int, ...]) -> None:
    """Write the force in world axes; subtract the entries times β from γ; add the term's part of the squared length of
    the row, which is the same in body axes. A component occurs once for each marker of the row that is on the body."""
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


def _write_carrying(lines: Lines, kind: KernelKind) -> None:
    """Write the entries of rows for the velocities of an edge, and add their part of the length left of each row."""
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
