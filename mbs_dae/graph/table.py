"""A topology in words: its table, and what is worth knowing of bodies that no joint connects to the ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from ..errors import ModelError
from ..model.bodies.body import Body
from ..model.model import Model
from .tree import Edge, root_of


def table(topology: Any) -> str:
    return "\n".join(_lines(topology))


def _lines(topology: Any) -> Iterator[str]:
    bodies, loops = len(topology.bodies), len(topology.loops)
    yield f"{topology.title}: {bodies} bod{'y' if bodies == 1 else 'ies'}, {loops} loop{'s' * (loops != 1)}"
    yield ""
    rows = [("number", "body", "parent", "joint", "motions")]
    for k, edge in enumerate(topology.edges, start=1):
        joint = "(floating)" if edge.floating else edge.joint.who
        rows.append((str(k), edge.child.name, edge.parent.name, joint, _motions(edge)))
    yield from _columns(rows)
    for title, closures in (("cut joints", topology.cuts), ("couplings", topology.couplings)):
        if closures:
            yield ""
            said = [(c.condition.who, str(c.rows), " - ".join(body.name for body in c.loop)) for c in closures]
            yield from _columns([(title, "equations", "loop"), *said])
    yield ""
    counts = {
        "coordinates": topology.coordinates,
        "equations": topology.equations,
        "Grübler count": topology.gruebler,
        "  without the drivers": topology.gruebler_without_drivers,
        "degrees of freedom of the tree": topology.degrees_of_freedom_of_tree,
    }
    for what, number in counts.items():
        yield f"  {what:<30} {number:>5}"
    for note in topology.notes:
        yield ""
        yield from wrap(note, 92, initial_indent="  ", subsequent_indent="    ")


def _motions(edge: Edge) -> str:
    words = ", ".join(map(str, edge.motions)) or "none"
    return f"{words} (reversed)" if edge.reversed and edge.motions else words


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Left-aligned, each as wide as it must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def notes_on(model: Model, bodies: Sequence[Body], edges: Mapping[Body, Edge]) -> tuple[str, ...]:
    """A sentence for each base that floats."""
    return tuple(_note(model, base, bodies, edges) for base in bodies if edges[base].floating)


def _note(model: Model, base: Body, bodies: Sequence[Body], edges: Mapping[Body, Edge]) -> str:
    if not any(base in element.bodies for element in model.elements.values()):
        if model.value(base.mass) == 0:  # nothing moves it, and nothing can
            raise ModelError(
                f"body {base.name!r} is joined to nothing: no joint and no force names it, and it has no mass; add the "
                "joint that carries it, or take it away"
            )
        return f"{base.name} floats: no joint and no force names it."
    group = [body for body in bodies if root_of(body, edges) is base]
    inside = [e for e in model.conditions if len(e.bodies) > 1 and {*e.bodies} <= {*group}]
    others = ", ".join(body.name for body in group if body is not base)
    what = f"{base.name} floats, and {others} with it" if others else f"{base.name} floats"
    holding = ", ".join(e.who for e in model.conditions if e not in inside and not {*group}.isdisjoint(e.bodies))
    held = f"; held by {holding}" if holding else ""
    return f"{what}: no joint with motions leads from there to the ground{held}."
