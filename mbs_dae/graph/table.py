"""A topology in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from .tree import Edge


def table(topology: Any) -> str:
    """The tree body by body, what closes its loops, and the count."""
    return "\n".join(_lines(topology))


def _lines(topology: Any) -> Iterator[str]:
    loops = len(topology.loops)
    yield f"{topology.title}: {_count(len(topology.bodies), 'body')}, {_count(loops, 'loop')}"
    yield ""
    yield from _columns(
        [
            ("number", "body", "parent", "joint", "motions"),
            *(
                (str(k), edge.child.name, edge.parent.name, _joint(edge), _motions(edge))
                for k, edge in enumerate(topology.edges, start=1)
            ),
        ]
    )
    for title, closures in (("cut joints", topology.cuts), ("couplings", topology.couplings)):
        if closures:
            yield ""
            rows = [(c.condition.who, str(c.rows), " - ".join(body.name for body in c.loop)) for c in closures]
            yield from _columns([(title, "equations", "loop"), *rows])
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


def _joint(edge: Edge) -> str:
    return "(floating)" if edge.floating else edge.joint.who


def _motions(edge: Edge) -> str:
    words = ", ".join(map(str, edge.motions)) or "none"
    return f"{words} (reversed)" if edge.reversed and edge.motions else words


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Left-aligned, each as wide as it must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _count(number: int, noun: str) -> str:
    plural = {"body": "bodies", "loop": "loops"}[noun]
    return f"{number} {noun if number == 1 else plural}"
