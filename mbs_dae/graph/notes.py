"""What is worth saying of bodies that no joint connects to the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import ModelError
from ..model.bodies.body import Body
from ..model.model import Model
from .tree import Edge, root_of


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
